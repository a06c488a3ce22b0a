"""Two stores compared: which cells got worse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leadline.symbolic.grid.store.cells import Cell

# The worst last. A probe's violation is what is wanted of it; nothing else that is known of it is.
_RANKS = ("proved", "safe", "unknown", "out-of-bounds", "violated")
_PROBE_RANKS = {"violated": 0, "unknown": 2, "out-of-bounds": 3, "safe": 4, "proved": 4}


@dataclass(frozen=True)
class Compared:
    """What became of the cells of a baseline.

    Attributes:
        worse: those that got worse, as they were and as they are.
        new: those that the baseline does not have.
        gone: those that only the baseline has.
    """

    worse: tuple[tuple[Cell, Cell], ...]
    new: tuple[Cell, ...]
    gone: tuple[Cell, ...]


def compared(
    before: Sequence[Cell], now: Sequence[Cell], wanted: Callable[[Cell], bool] = lambda cell: True
) -> Compared:
    """Compare cells with those of a baseline; cells are the same by protocol, parameters and property.

    Args:
        before: the baseline's cells.
        now: the cells as they are.
        wanted: which cells to look at; one that is wanted in either store is compared.
    """
    places = {_place(cell) for cell in (*before, *now) if wanted(cell)}
    old = {_place(cell): cell for cell in before if _place(cell) in places}
    new = {_place(cell): cell for cell in now if _place(cell) in places}
    both = [(old[place], cell) for place, cell in new.items() if place in old]
    return Compared(
        worse=tuple((was, cell) for was, cell in both if is_worse(was, cell)),
        new=tuple(cell for place, cell in new.items() if place not in old),
        gone=tuple(cell for place, cell in old.items() if place not in new),
    )


def is_worse(was: Cell, cell: Cell) -> bool:
    """Whether less good is known of a cell than before.

    That a proof, or a depth, is not asked for any more is no worse; that it is asked for and not reached is.
    """
    before, after = rank(was), rank(cell)
    if after >= _RANKS.index("unknown"):
        return after > before
    lost = after > before or (
        was.verdict == cell.verdict == "safe"
        and was.row.unroll == cell.row.unroll
        and cell.row.depth < was.row.depth
    )
    return lost and any(row.unknown() for row in cell.rows)


def rank(cell: Cell) -> int:
    """How bad a cell is, 0 for the best: that is proved, and of a probe violated."""
    return _PROBE_RANKS[cell.verdict] if cell.probe else _RANKS.index(cell.verdict)


def _place(cell: Cell) -> tuple[str, str, str]:
    return cell.goal.protocol, cell.goal.parameters, cell.goal.property
