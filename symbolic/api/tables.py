"""Answers as lines of plain text, whole at the width of a terminal.

A table that is too wide loses the columns that matter least, and those without content. If that is not enough,
the columns before the property become a line above their rows, and then long cells are folded at spaces. A
verdict is folded last, and the name of a property never.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from leadline.symbolic.api.asked import Part
from leadline.symbolic.engines import Table

SPARE = (
    "run",
    "MB",
    "clauses",
    "orbits",
    "frames",
    "CPU seconds",
    "solver",
    "seconds",
    "answered by",
    "asked",
)
"""The columns that a narrow terminal can do without, the first to go first."""

WHOLE = ("property", "verdict")
"""The columns that never go."""

_BARE = ("protocol", "parameters")
"""The columns whose cells need no name before them."""

_GAP = 2
_NARROWEST = 20
"""Characters below which no column is folded."""

_wrapped = partial(textwrap.wrap, break_long_words=False, break_on_hyphens=False)
"""A text as lines that break at spaces only."""


def plain(part: Part, width: int | None = None) -> list[str]:
    """A part of an answer as lines of plain text.

    Args:
        part: a line, or a table; the first line of a table is its header.
        width: the characters of a line; None for as many as there are.
    """
    if isinstance(part, Table):
        rows = [part.header, *part.rows]
        return columns(rows) if width is None else [*_fitted(rows, width)]
    return [str(part)] if width is None else _folded(str(part), width)


def columns(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Rows as lines with aligned columns.

    >>> columns([["a", "bc"], ["def", "g"]])
    ['a    bc', 'def  g']
    """
    widths = _widths(rows)
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]


def summary(doc: str) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(doc.split("\n\n", 1)[0].split())


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _total(rows: Sequence[Sequence[str]]) -> int:
    """The length of the longest line of rows with aligned columns."""
    return max(map(len, columns(rows)))


def _fitted(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Rows with their header as lines that are no longer than a width, where words allow it."""
    kept = _without_spare(rows, width)
    header = kept[0]
    before = header.index("property") if "property" in header else 0
    if _total(kept) <= width or not before:
        yield from _cut(kept, width)
        return
    names, cells = rows[0], rows[1:]
    rest = [row[before:] for row in rows]
    kept = _without_spare(rest, width - _GAP)
    gone = [name for name in rest[0] if name not in kept[0]]
    left = [place for place, name in enumerate(names) if place >= before and name not in gone]
    lines = iter(_cut([[row[place] for place in left] for row in rows], width - _GAP, whole=True))
    yield f"{' ' * _GAP}{next(lines)}"
    for point, own in groupby(cells, lambda row: tuple(row[:before])):
        named = (x if name in _BARE else f"{name} = {x}" for name, x in zip(names, point, strict=False))
        yield from _folded(", ".join(named), width)
        for _ in own:
            yield from (f"{' ' * _GAP}{line}" for line in next(lines).split("\n"))


def _without_spare(rows: Sequence[Sequence[str]], width: int) -> Sequence[Sequence[str]]:
    """Rows without the columns that have to go, one by one: first those without content."""
    kept = rows
    empty = [name for name, *cells in zip(*rows, strict=True) if not {*cells} - {"", "-"}]
    for name in (*empty, *SPARE):
        if _total(kept) <= width:
            break
        if name in kept[0] and name not in WHOLE:
            place = kept[0].index(name)
            kept = [[*row[:place], *row[place + 1 :]] for row in kept]
    return kept


def _cut(rows: Sequence[Sequence[str]], width: int, *, whole: bool = False) -> Iterator[str]:
    """Rows as lines, the cells of the widest columns folded at spaces until the lines fit.

    Args:
        rows: the rows, the header first.
        width: the characters of a line.
        whole: whether the lines of one row come as one text.
    """
    widths = _widths(rows)
    names = rows[0]
    order = sorted(range(len(names)), key=lambda x: (names[x] == "verdict", -widths[x]))
    for place in order:
        over = sum(widths) + _GAP * (len(widths) - 1) - width
        if over > 0 and names[place] != "property":
            widths[place] = max(widths[place] - over, min(widths[place], _NARROWEST))
    for row in rows:
        folded = [_wrapped(cell, room) or [""] for cell, room in zip(row, widths, strict=True)]
        height = max(map(len, folded))
        filled = [[*cell, *[""] * (height - len(cell))] for cell in folded]
        lines = [
            "  ".join(cell[at].ljust(room) for cell, room in zip(filled, widths, strict=True)).rstrip()
            for at in range(height)
        ]
        yield from ["\n".join(lines)] if whole else lines


def _folded(text: str, width: int) -> list[str]:
    """A line as several, the later ones indented further; words and quoted lines of source stay whole."""
    if len(text) <= width:
        return [text]
    inner = text.lstrip()
    indent = text[: len(text) - len(inner)]
    further = f"{indent}    " if len(indent) + 4 < width else indent
    return _wrapped(inner, width, initial_indent=indent, subsequent_indent=further) or [text]
