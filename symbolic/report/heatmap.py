"""Heat maps: what is known of one property, by the parameters.

Two parameters are the axes of a table; for each combination of the others there is a table of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from leadline.symbolic.grid.store.cells import Cell, point_text
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.report.style import SIGNS, look

_FAINTEST, _STRONGEST = 0.18, 0.5


def varying(cells: Sequence[Cell]) -> list[str]:
    """The parameters that differ between cells: numbers first, those with most values first."""
    values: dict[str, set[Setting | None]] = {}
    for cell in cells:
        for name, value in cell.settings.items():
            values.setdefault(name, set()).add(value)
    names = [name for name, found in values.items() if len(found) > 1]
    return sorted(names, key=lambda name: (not _numbers(values[name]), -len(values[name]), name))


def _numbers(values: set[Setting | None]) -> bool:
    return all(type(value) is int for value in values)


def heat_maps(cells: Sequence[Cell]) -> str:
    """The maps of one property, as HTML.

    Args:
        cells: all about one property of one protocol.
    """
    axes = varying(cells)
    across = axes[0] if axes else None
    down = axes[1] if len(axes) > 1 else None
    others = axes[2:]
    by_panel: dict[tuple[Setting | None, ...], list[Cell]] = {}
    for cell in cells:
        by_panel.setdefault(tuple(cell.settings.get(name) for name in others), []).append(cell)
    heats = _heats(cells)
    maps = [
        _map(
            across,
            down,
            _values(cells, across),
            found,
            point_text(dict(zip(others, key, strict=True))),
            heats,
        )
        for key, found in sorted(by_panel.items(), key=lambda item: tuple(map(_order, item[0])))
    ]
    return f'<div class="maps">{"".join(maps)}</div>'


def _map(
    across: str | None,
    down: str | None,
    columns: Sequence[Setting | None],
    cells: Sequence[Cell],
    caption: str,
    heats: Mapping[str, float],
) -> str:
    """One table; its columns are those of all tables, its rows only those with something in them."""
    found = {(_at(cell, down), _at(cell, across)): cell for cell in cells}
    head = "".join(f'<th scope="col">{_shown(value)}</th>' for value in columns)
    corner = f'<th class="axis">{escape(_corner(across, down))}</th>'
    lines = []
    for value in _values(cells, down):
        side = f'<th scope="row">{_shown(value) if down else ""}</th>'
        drawn = "".join(_drawn(found.get((value, column)), heats) for column in columns)
        lines.append(f"<tr>{side}{drawn}</tr>")
    named = f"<caption>{escape(caption)}</caption>" if caption else ""
    top = f"<thead><tr>{corner}{head}</tr></thead>" if across else ""
    return f'<table class="map">{named}{top}<tbody>{"".join(lines)}</tbody></table>'


def _corner(across: str | None, down: str | None) -> str:
    return f"{down} \u2193 {across} \u2192" if down else f"{across} \u2192"


def _drawn(cell: Cell | None, heats: Mapping[str, float]) -> str:
    if cell is None:
        sign = '<span aria-hidden="true">\u00b7</span>'
        return f'<td class="none">{sign}<span class="hidden">not asked</span></td>'
    kind = look(cell)
    said = escape(f"{point_text(cell.settings) or 'its only point'}: {cell.text()}", quote=True)
    sign = f'<span class="sign" aria-hidden="true">{SIGNS[kind][0]}</span>'
    link = f'<a href="#q-{escape(cell.row.query, quote=True)}" title="{said}" aria-label="{said}">'
    heat = f"--heat:{heats[cell.row.query]:.2f}"
    return f'<td class="look {kind}" style="{heat}">{link}{sign}{escape(cell.mark())}</a></td>'


def _heats(cells: Sequence[Cell]) -> dict[str, float]:
    """How strong the colour of each cell's row is: strong for a short bug, a deep search, or a proof."""
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
    """The values of a parameter, in their order; one for no parameter."""
    return sorted({_at(cell, name) for cell in cells}, key=_order)


def _order(value: Setting | None) -> tuple[int, float, str]:
    """An order for values of any kinds: none, truth values, numbers, texts."""
    if value is None:
        return 0, 0, ""
    if isinstance(value, str):
        return 3, 0, value
    return (1 if isinstance(value, bool) else 2), value, ""


def _shown(value: Setting | None) -> str:
    if value is None:
        return "\u2013"
    return escape(str(value).lower() if isinstance(value, bool) else str(value))


def legend(cells: Sequence[Cell]) -> str:
    """What the signs of the cells say; only those that are there."""
    return f'<ul class="legend">{"".join(_legend(cells))}</ul>'


def _legend(cells: Sequence[Cell]) -> Iterator[str]:
    there = {look(cell) for cell in cells}
    for kind, (sign, words) in SIGNS.items():
        if kind in there:
            yield f'<li><span class="look sign {kind}">{sign}</span> {escape(words)}</li>'
    yield '<li><span class="look sign">\u00b7</span> not asked</li>'
