"""How an answer counts in a continuous integration: passed, failed, or open."""

from __future__ import annotations

from enum import StrEnum

from leadline.symbolic.grid.store.cells import Cell, point_text


class Outcome(StrEnum):
    """What a cell comes to."""

    PASSED = "passed"
    FAILED = "failed"
    OPEN = "open"


def outcome(cell: Cell) -> Outcome:
    """A cell's outcome: a violation or a value out of bounds fails, and so does a probe that is not reached.

    What is unknown is open: it neither passed nor failed.
    """
    if not cell.answered:
        return Outcome.OPEN
    return Outcome.PASSED if cell.as_wished else Outcome.FAILED


def sentence(cell: Cell) -> str:
    """A cell in a sentence: its property, its point and its verdict."""
    point = point_text(cell.settings)
    return f"{cell.goal.property} of {cell.goal.protocol}{f' at {point}' if point else ''}: {cell.text()}"
