"""Remarks on proofs by explicit search: properties that hold vacuously, and actions that are never taken."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape

from leadline.symbolic.engines.ask.result import Note, NoteKind
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.query import point_text
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.report.heatmap import varying

_MOST_POINTS = 6
_VACUOUS = (NoteKind.VACUOUS, NoteKind.PARTLY_VACUOUS)


def is_vacuous(row: Row) -> bool:
    """Whether a property holds vacuously, or a part of it does."""
    return any(note.kind in _VACUOUS for note in row.remarks())


def vacuity(cells: Sequence[Cell]) -> str:
    """The parts of a property that hold vacuously, with the points where, as HTML; "" without any.

    Args:
        cells: all cells of one property of one protocol.
    """
    notes = _noted(cells, _VACUOUS)
    if not notes:
        return ""
    lines = [_line(note, points, cells) for note, points in notes.items()]
    whole = any(note.kind is NoteKind.VACUOUS for note in notes)
    head = f"Holds vacuously{'' if whole else ' in part'}: true, but for want of anything that it is about."
    return f'<div class="vacuous"><p><strong>{head}</strong></p><ul>{"".join(lines)}</ul></div>'


def never_taken(cells: Sequence[Cell]) -> str:
    """The actions that are never taken, with the points where, as HTML; "" without any.

    Args:
        cells: all cells of one protocol.
    """
    notes = _noted(cells, (NoteKind.NEVER_TAKEN,))
    if not notes:
        return ""
    lines = [_line(note, points, cells) for note, points in notes.items()]
    return f'<div class="never-taken"><h3>Actions never taken</h3><ul>{"".join(lines)}</ul></div>'


def _noted(cells: Sequence[Cell], kinds: Collection[NoteKind]) -> Mapping[Note, list[Cell]]:
    """The cells that have a note of these kinds, by the note."""
    found: dict[Note, dict[str, Cell]] = {}
    for cell in cells:
        for row in cell.rows:
            for note in row.remarks():
                if note.kind in kinds:
                    found.setdefault(note, {}).setdefault(cell.goal.parameters, cell)
    return {note: list(points.values()) for note, points in found.items()}


def _line(note: Note, noted: Sequence[Cell], cells: Sequence[Cell]) -> str:
    """A note with its points: only the parameters that vary are named."""
    text = note.text.removeprefix("holds ").removeprefix("never taken: ")
    names = varying(cells)
    every = {cell.goal.parameters for cell in cells}
    if len(noted) == len(every):
        where = "at every point" if len(every) > 1 else ""
    else:
        points = [point_text({name: cell.settings.get(name) for name in sorted(names)}) for cell in noted]
        more = f" and {len(points) - _MOST_POINTS} more points" if len(points) > _MOST_POINTS else ""
        where = f"at {'; '.join(points[:_MOST_POINTS])}{more}"
    place = f' <span class="note">{escape(where)}</span>' if where else ""
    return f"<li>{''.join(_marked(text))}{place}</li>"


def _marked(note: str) -> Iterator[str]:
    """A note as HTML, its formulas as code."""
    for place, part in enumerate(note.split("`")):
        yield f"<code>{escape(part)}</code>" if place % 2 else escape(part)
