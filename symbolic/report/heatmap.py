"""Heat maps: the verdicts on one property by the parameters.

The parameter with most values runs from left to right; there is a row for each combination of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.query import point_text, setting_order
from leadline.symbolic.lang import Setting, setting_text

SIGNS = {
    "violated": ("\u2717", "violated, with the length of the shortest counterexample found, in steps"),
    "reached": ("\u25ce", "a probe was reached, as it should be, with the length of the run"),
    "out-of-bounds": ("!", "a value leaves its declared bounds"),
    "unknown": ("?", "no answer: out of time or memory, a crash, or not inductive"),
    "unreachable": ("\u2297", "a probe that no run reaches"),
    "not-reached": ("\u2298", "a probe was not reached within the depth searched, with that depth"),
    "safe": ("\u2713", "no bug within the depth searched, with that depth"),
    "proved": ("\u220e", "proved for every depth"),
}
"""The sign and the meaning of each class of cells. The signs differ, so colours are not needed."""

Links = Mapping[str, str]
"""The address of the page of a counterexample, relative to the report, by its query."""
NO_LINKS: Links = {}

_FAINTEST, _STRONGEST = 0.18, 0.5


def varying(cells: Sequence[Cell]) -> list[str]:
    """The parameters that differ between cells: numbers before others, those with most values first."""
    values: dict[str, set[Setting | None]] = {}
    for cell in cells:
        for name, value in cell.settings.items():
            values.setdefault(name, set()).add(value)
    names = [name for name, found in values.items() if len(found) > 1]
    return sorted(names, key=lambda name: (not _numbers(values[name]), -len(values[name]), name))


def _numbers(values: set[Setting | None]) -> bool:
    return all(type(value) is int for value in values)


def look(cell: Cell) -> str:
    """The class of a cell: one of `SIGNS`."""
    return cell.said.replace(" ", "-")


def heat_map(cells: Sequence[Cell], links: Links = NO_LINKS) -> str:
    """The map of one property, as HTML: a row for each combination of the values of all parameters but one.

    Args:
        cells: all cells of one property of one protocol.
        links: the pages that cells lead to instead of their answer.
    """
    names = varying(cells)
    across, down = names[0] if names else None, names[1:]
    # The parameter with most values changes fastest from row to row.
    down.reverse()
    columns = _values(cells, across)
    by_row: dict[tuple[Setting | None, ...], dict[Setting | None, Cell]] = {}
    for cell in cells:
        by_row.setdefault(tuple(_at(cell, name) for name in down), {})[_at(cell, across)] = cell
    heats = _heats(cells)
    lines = []
    before: tuple[Setting | None, ...] = ()
    for row, found in sorted(by_row.items(), key=lambda item: tuple(map(setting_order, item[0]))):
        sides = _sides(row, before) or '<th scope="row"></th>'
        drawn = "".join(_drawn(found.get(column), heats, links) for column in columns)
        lines.append(f"<tr>{sides}{drawn}</tr>")
        before = row
    heads = [f"{name} \u2193" for name in down] or [""]
    heads[-1] = f"{heads[-1]} {across} \u2192".strip()
    corner = "".join(f'<th class="axis" scope="col">{escape(one)}</th>' for one in heads)
    head = "".join(f'<th scope="col">{_shown(value)}</th>' for value in columns)
    top = f"<thead><tr>{corner}{head}</tr></thead>" if across else ""
    return f'<table class="map">{top}<tbody>{"".join(lines)}</tbody></table>'


def _sides(row: Sequence[Setting | None], before: Sequence[Setting | None]) -> str:
    """The heads of a row. A value that is as in the row before, with all on its left, is faint."""
    made = []
    for place, value in enumerate(row):
        same = ' class="same"' if row[: place + 1] == before[: place + 1] and place + 1 < len(row) else ""
        made.append(f'<th scope="row"{same}>{_shown(value)}</th>')
    return "".join(made)


def _drawn(cell: Cell | None, heats: Mapping[str, float], links: Links) -> str:
    if cell is None:
        sign = '<span aria-hidden="true">\u00b7</span>'
        return f'<td class="none">{sign}<span class="hidden">not asked</span></td>'
    kind = look(cell)
    said = escape(f"{point_text(cell.settings, 'its only point')}: {cell.text()}", quote=True)
    sign = f'<span class="sign" aria-hidden="true">{SIGNS[kind][0]}</span>'
    leads = escape(links.get(cell.row.query, f"#q-{cell.row.query}"), quote=True)
    link = f'<a href="{leads}" title="{said}" aria-label="{said}">'
    heat = f"--heat:{heats[cell.row.query]:.2f}"
    return f'<td class="look {kind}" style="{heat}">{link}{sign}{escape(cell.mark())}</a></td>'


def _heats(cells: Sequence[Cell]) -> dict[str, float]:
    """The strength of each cell's colour, by its query: strong for a short bug, a deep search, or a proof."""
    middle = (_FAINTEST + _STRONGEST) / 2
    heats = {cell.row.query: _STRONGEST if cell.verdict == "proved" else middle for cell in cells}
    for verdict, number, turn in (("violated", "steps", True), ("safe", "depth", False)):
        known = {
            cell.row.query: value
            for cell in cells
            if cell.verdict == verdict and (value := getattr(cell.row, number)) is not None
        }
        if known and min(known.values()) < max(known.values()):
            low, high = min(known.values()), max(known.values())
            for query, value in known.items():
                part = (value - low) / (high - low)
                heats[query] = _FAINTEST + (_STRONGEST - _FAINTEST) * (1 - part if turn else part)
    return heats


def _at(cell: Cell, name: str | None) -> Setting | None:
    return None if name is None else cell.settings.get(name)


def _values(cells: Sequence[Cell], name: str | None) -> list[Setting | None]:
    """The values of a parameter, in order; a single None if there is no parameter."""
    return sorted({_at(cell, name) for cell in cells}, key=setting_order)


def _shown(value: Setting | None) -> str:
    if value is None:
        return "\u2013"
    return escape(setting_text(value))


def legend(cells: Sequence[Cell]) -> str:
    """The meaning of the signs that these cells have."""
    return f'<ul class="legend">{"".join(_legend(cells))}</ul>'


def _legend(cells: Sequence[Cell]) -> Iterator[str]:
    there = {look(cell) for cell in cells}
    for kind, (sign, words) in SIGNS.items():
        if kind in there:
            yield f'<li><span class="look sign {kind}">{sign}</span> {escape(words)}</li>'
    yield '<li><span class="look sign">\u00b7</span> not asked</li>'
