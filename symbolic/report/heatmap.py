"""Heat maps: the verdicts on one property by the parameters.

The parameter with most values runs from left to right; there is a row for each combination of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from leadline.symbolic.engines.ask.result import LOG
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.query import point_text, setting_order
from leadline.symbolic.grid.summary import counts
from leadline.symbolic.lang import Setting, setting_text
from leadline.symbolic.report.svg import figure, label, room, shortened, tidy

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
    numbers = {name for name in names if all(type(value) is int for value in values[name])}
    return sorted(names, key=lambda name: (name not in numbers, -len(values[name]), name))


def look(cell: Cell) -> str:
    """The class of a cell: one of `SIGNS`."""
    return cell.said.replace(" ", "-")


@dataclass(frozen=True)
class Arranged:
    """The cells of one property in rows and columns.

    Attributes:
        across: the parameter that differs from column to column; None if no parameter differs.
        down: the parameters that differ from row to row; the last one changes fastest.
        columns: the values of `across`; a single None if there is none.
        rows: the values of `down` in each row, and its cells by their columns.
    """

    across: str | None
    down: tuple[str, ...]
    columns: tuple[Setting | None, ...]
    rows: tuple[tuple[tuple[Setting | None, ...], Mapping[Setting | None, Cell]], ...]

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> Arranged:
        """The cells of one property of one protocol, arranged."""
        names = varying(cells)
        across, down = names[0] if names else None, names[1:]
        # The parameter with most values changes fastest from row to row.
        down.reverse()
        by_row: dict[tuple[Setting | None, ...], dict[Setting | None, Cell]] = {}
        for cell in cells:
            by_row.setdefault(tuple(_at(cell, name) for name in down), {})[_at(cell, across)] = cell
        rows = sorted(by_row.items(), key=lambda item: tuple(map(setting_order, item[0])))
        columns = sorted({_at(cell, across) for cell in cells}, key=setting_order)
        return cls(across, tuple(down), tuple(columns), tuple(rows))

    def heads(self) -> list[str]:
        """The heads of the columns that name a row; the last also names `across`."""
        heads = [f"{name} \u2193" for name in self.down] or [""]
        heads[-1] = f"{heads[-1]} {self.across or ''} \u2192".strip() if self.across else heads[-1]
        return heads


def heat_map(cells: Sequence[Cell], links: Links = NO_LINKS) -> str:
    """The map of one property, as HTML: a row for each combination of the values of all parameters but one.

    Args:
        cells: all cells of one property of one protocol.
        links: the pages that cells lead to instead of their answer.
    """
    found, heats = Arranged.of(cells), _heats(cells)
    lines = []
    before: tuple[Setting | None, ...] = ()
    for row, there in found.rows:
        sides = _sides(row, before) or '<th scope="row"></th>'
        drawn = "".join(_drawn(there.get(column), heats, links) for column in found.columns)
        lines.append(f"<tr>{sides}{drawn}</tr>")
        before = row
    corner = "".join(f'<th class="axis" scope="col">{escape(one)}</th>' for one in found.heads())
    head = "".join(f'<th scope="col">{escape(_shown(value))}</th>' for value in found.columns)
    top = f"<thead><tr>{corner}{head}</tr></thead>" if found.across else ""
    return f'<table class="map">{top}<tbody>{"".join(lines)}</tbody></table>'


def _sides(row: Sequence[Setting | None], before: Sequence[Setting | None]) -> str:
    """The heads of a row. A value that is as in the row before, with all on its left, is faint."""
    made = []
    for place, value in enumerate(row):
        same = ' class="same"' if _is_same(row, before, place) else ""
        made.append(f'<th scope="row"{same}>{escape(_shown(value))}</th>')
    return "".join(made)


def _is_same(row: Sequence[object], before: Sequence[object], place: int) -> bool:
    """Whether a value is as in the row before, with all on its left; the last one is always told."""
    return row[: place + 1] == before[: place + 1] and place + 1 < len(row)


def _drawn(cell: Cell | None, heats: Mapping[str, float], links: Links) -> str:
    if cell is None:
        sign = '<span aria-hidden="true">\u00b7</span>'
        return f'<td class="none">{sign}<span class="hidden">not asked</span></td>'
    kind = look(cell)
    said = escape(f"{point_text(cell.settings, 'its only point')}: {cell.text()}", quote=True)
    sign = f'<span class="sign" aria-hidden="true">{SIGNS[kind][0]}</span>'
    leads = address(cell, links)
    link = f'<a href="{leads}" title="{said}" aria-label="{said}">'
    heat = f"--heat:{heats[cell.row.query]:.2f}"
    return f'<td class="look {kind}" style="{heat}">{link}{sign}{escape(cell.mark())}</a></td>'


def address(cell: Cell, links: Links) -> str:
    """The address of a cell's counterexample, or of its answer, for an attribute of HTML."""
    return escape(links.get(cell.row.query, f"#q-{cell.row.query}"), quote=True)


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


def _shown(value: Setting | None) -> str:
    return "\u2013" if value is None else setting_text(value)


def legend(cells: Sequence[Cell]) -> str:
    """The meaning of the signs that these cells have."""
    there = {look(cell) for cell in cells}
    told = [(f" {kind}", *told) for kind, told in SIGNS.items() if kind in there]
    items = (
        f'<li><span class="look sign{kind}">{sign}</span> {escape(words)}</li>'
        for kind, sign, words in [*told, ("", "\u00b7", "not asked")]
    )
    return f'<ul class="legend">{"".join(items)}</ul>'


# -- SVG -------------------------------------------------------------------------------------------------

_WIDE, _HIGH, _MARGIN, _CHARACTER = 46, 28, 14, 7.4
_TONES = {"unreachable": "violated"}
"""The class whose colour another has."""
_STYLE = "".join(f".{name}{{fill:${_TONES.get(name, name)}}}" for name in SIGNS) + ".strong{font-weight:700}"


def maps(cells: Sequence[Cell], title: str) -> str:
    """The maps of all properties as an SVG that stands alone; logs, which have no map, are counted.

    Args:
        cells: the cells of a store.
        title: the heading.
    """
    width, y = 420.0, 26.0
    drawn = [label(_MARGIN, y, tidy(title), "title")]
    logs = [one.row for one in cells if one.kind == LOG]
    cells = [one for one in cells if one.kind != LOG]
    if logs:
        y += 22
        drawn.append(label(_MARGIN, y, f"logs: {tidy(counts(logs))}", "small"))
        width = max(width, 2 * _MARGIN + 7 * len(counts(logs)))
    for protocol, name in dict.fromkeys((one.goal.protocol, one.goal.property) for one in cells):
        about = [one for one in cells if (one.goal.protocol, one.goal.property) == (protocol, name)]
        heading = tidy(f"{protocol}: {name}")
        drawn.append(label(_MARGIN, y + 32, heading, "head"))
        parts, right, y = _map(Arranged.of(about), _heats(about), y + 40)
        drawn += parts
        width = max(width, right, 2 * _MARGIN + 7.8 * room(heading))
    there = {look(cell) for cell in cells}
    y += 14
    for kind, (sign, words) in SIGNS.items():
        if kind in there:
            y += 22
            drawn.append(_box(_MARGIN, y - 15, 24, 20, kind, 0.35))
            drawn += [
                label(_MARGIN + 12, y, sign, "middle strong"),
                label(_MARGIN + 34, y, words, "small faint"),
            ]
            width = max(width, _MARGIN + 34 + 6.2 * len(words))
    return figure(width + _MARGIN, y + 18, tidy(title), _STYLE, drawn)


def _map(found: Arranged, heats: Mapping[str, float], y: float) -> tuple[list[str], float, float]:
    """The elements of a map that begins at a height, its right end and its lower end."""
    heads = [tidy(one) for one in found.heads()]
    texts = [[shortened(tidy(_shown(value)), 24) for value in row] for row, _ in found.rows]
    sides = (
        [max(map(room, column)) for column in zip(heads, *texts, strict=True)]
        if found.down
        else [room(heads[0])]
    )
    ends = [_MARGIN + sum(sides[: place + 1]) * _CHARACTER + 14 * place for place in range(len(sides))]
    left = ends[-1] + 10
    drawn = []
    if found.across:
        y += 18
        drawn += [label(end, y, head, "small faint end") for end, head in zip(ends, heads, strict=True)]
        drawn += [
            label(
                left + _WIDE * (place + 0.5),
                y,
                shortened(tidy(_shown(value)), 7),
                "middle",
                tidy(_shown(value)),
            )
            for place, value in enumerate(found.columns)
        ]
        y += 8
    before: Sequence[str] = ()
    for row, (_, there) in zip(texts, found.rows, strict=True):
        for place, (end, text) in enumerate(zip(ends, row, strict=False)):
            drawn.append(label(end, y + 19, text, "faint end" if _is_same(row, before, place) else "end"))
        before = row
        for place, column in enumerate(found.columns):
            drawn += _cell(there.get(column), heats, left + _WIDE * place, y)
        y += _HIGH
    return drawn, left + _WIDE * len(found.columns), y


def _cell(cell: Cell | None, heats: Mapping[str, float], x: float, y: float) -> Iterator[str]:
    middle = (x + _WIDE / 2, y + 19)
    if cell is None:
        yield label(*middle, "\u00b7", "faint middle", "not asked")
        return
    told = tidy(f"{point_text(cell.settings, 'its only point')}: {cell.text()}")
    yield _box(x + 1, y + 1, _WIDE - 2, _HIGH - 2, look(cell), heats[cell.row.query], told)
    yield label(*middle, f"{SIGNS[look(cell)][0]} {cell.mark()}".strip(), "middle", told)


def _box(x: float, y: float, wide: float, high: float, kind: str, heat: float, told: str = "") -> str:
    size = f'x="{x:.1f}" y="{y:.1f}" width="{wide}" height="{high}" rx="2"'
    return f'<rect class="{kind}" {size} fill-opacity="{heat:.2f}"><title>{escape(told)}</title></rect>'
