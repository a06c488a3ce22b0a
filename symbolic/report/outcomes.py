"""The outcome of cells: as expected or not; passed, failed or open; worse than in a baseline or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leadline.symbolic.catalog import Entry, find, split_path
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.ask.result import LOG, Judgement
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.query import point_text
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.summary import verdict_text
from leadline.symbolic.lang import Claim, Known, UserError, counted, expected, violated


def outcome(cell: Cell) -> Judgement:
    """The outcome of a cell: an expected answer passes, an unexpected one fails, an unknown one is open.

    If nothing is known of the property, the answer is judged as that of any command. A cell is also open if
    another query about it has no answer, such as one to a greater depth, unless the answer that there is fails
    already.
    """
    agrees = as_expected(cell)
    if agrees is False:
        return Judgement.FAILED
    if not cell.answered or unanswered(cell) is not None:
        return Judgement.OPEN
    return Judgement.PASSED if agrees else cell.judgement


def as_expected(cell: Cell) -> bool | None:
    """Whether an answer agrees with the facts known of the property; None if they do not decide it."""
    known = known_of(cell)
    return None if known is None else known.agrees(cell.verdict, steps=cell.row.steps, depth=cell.row.depth)


def known_of(cell: Cell) -> Known | None:
    """The known fact about a cell's property at its point; of a probe at least that it is violated."""
    claim = _claim_of(cell)
    if claim is None:
        return violated() if cell.probe else None
    entry, one = claim
    return expected(one, entry.protocol, cell.settings)


def _claim_of(cell: Cell) -> tuple[Entry, Claim] | None:
    """The protocol and the property of a cell, if they are found without running a user's own file.

    A store of results must not make a program run.
    """
    if split_path(cell.row.source) is not None:
        return None
    try:
        entry = find(cell.row.source)
    except UserError:
        return None
    claim = next((one for one in entry.claims if one.name == cell.goal.property), None)
    return None if claim is None else (entry, claim)


def tally(cells: Sequence[Cell]) -> str:
    """The numbers of cells that are as expected, not as expected, and so on, in words.

    The cells of a property without a `known` table are counted by their verdicts.
    """
    answered = [cell for cell in cells if outcome(cell) is not Judgement.OPEN]
    agree = [as_expected(cell) for cell in answered]
    undecided = [cell for cell, one in zip(answered, agree, strict=True) if one is None]
    beyond = [cell for cell in undecided if (claim := _claim_of(cell)) is not None and claim[1].known]
    bad = sum(cell.verdict in ("violated", "out-of-bounds") for cell in beyond)
    counts = Counter(
        {
            "as expected": agree.count(True),
            "not as expected": agree.count(False),
            f"of which nothing is known{f' ({bad} violated or out of bounds)' if bad else ''}": len(beyond),
        }
    )
    counts.update(cell.said for cell in undecided if cell not in beyond)
    counts["without an answer"] = len(cells) - len(answered)
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return f"{told}, of {counted(len(cells), 'cell')}"


def surprises(cells: Sequence[Cell]) -> list[tuple[Cell, Known]]:
    """The cells whose answer is not as expected, each with the known fact."""
    found = [(cell, known_of(cell)) for cell in cells if as_expected(cell) is False]
    return [(cell, known) for cell, known in found if known is not None]


def failures(cells: Sequence[Cell]) -> list[tuple[Cell, str]]:
    """The first failure of each property of which nothing is known, and at how many points it fails.

    The latter is "" where there is one point. All logs of a protocol count as one property.
    """
    found: dict[tuple[str, str], list[Cell]] = {}
    points = Counter(map(_about, cells))
    for cell in cells:
        if as_expected(cell) is None and outcome(cell) is Judgement.FAILED:
            found.setdefault(_about(cell), []).append(cell)
    return [(failed[0], _how_often(failed, points[about])) for about, failed in found.items()]


def _about(cell: Cell) -> tuple[str, str]:
    return cell.goal.protocol, LOG if cell.kind == LOG else cell.goal.property


def _how_often(failed: Sequence[Cell], every: int) -> str:
    protocol, name = _about(failed[0])
    if every == 1:
        return ""
    if name == LOG:
        return f"{len(failed)} of {counted(every, 'log')} of {protocol}"
    return f"{name} of {protocol} fails at {len(failed)} of {counted(every, 'point')}"


def unanswered(cell: Cell) -> Row | None:
    """An unanswered query about a safe cell, or None.

    No other query says that the cell is safe as deep as it asked, or it belongs to a proof that is not
    complete.
    """
    if cell.verdict != str(Verdict.SAFE):
        return None
    return next((row for row in cell.rows if not row.moot() and not _covered(row, cell.rows)), None)


def _covered(row: Row, rows: Sequence[Row]) -> bool:
    """Whether one of the rows answers a row's query: sweeps go at least as deep as steps."""
    depth = row.depth_asked
    if not row.unknown():
        return depth is not None
    return depth is not None and any(
        other.verdict == str(Verdict.SAFE) and other.depth >= depth and other.unroll in (row.unroll, "sweeps")
        for other in rows
    )


def verdict_of(cell: Cell) -> str:
    """A cell's verdict in words, with a query that has no answer."""
    row = unanswered(cell)
    if row is None:
        return cell.text()
    return f"{cell.text()}; {row.question()} asked: {verdict_text(row)}"


def sentence(cell: Cell) -> str:
    """A cell in a sentence: its property, its point and its verdict."""
    point = point_text(cell.settings)
    return (
        f"{cell.goal.property} of {cell.goal.protocol}{f' at {point}' if point else ''}: {verdict_of(cell)}"
    )


@dataclass(frozen=True)
class Comparison:
    """The cells of a store compared with those of a baseline.

    Attributes:
        worse: the cells that got worse, each as it was and as it is.
        new: the cells that the baseline does not have.
        gone: the cells that only the baseline has.
        lost: the cells among these that had an answer.
    """

    worse: tuple[tuple[Cell, Cell], ...]
    new: tuple[Cell, ...]
    gone: tuple[Cell, ...]

    @property
    def lost(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.gone if cell.answered)


def compared(
    before: Sequence[Cell], now: Sequence[Cell], wanted: Callable[[Cell], bool] = lambda cell: True
) -> Comparison:
    """Compare cells with those of a baseline; cells are the same by protocol, parameters and property.

    Args:
        before: the baseline's cells.
        now: the present cells.
        wanted: chooses cells; one that is wanted in either store is compared.
    """
    places = {cell.goal.place() for cell in (*before, *now) if wanted(cell)}
    old = {place: cell for cell in before if (place := cell.goal.place()) in places}
    new = {place: cell for cell in now if (place := cell.goal.place()) in places}
    both = [(old[place], cell) for place, cell in new.items() if place in old]
    return Comparison(
        worse=tuple((was, cell) for was, cell in both if is_worse(was, cell)),
        new=tuple(cell for place, cell in new.items() if place not in old),
        gone=tuple(cell for place, cell in old.items() if place not in new),
    )


def is_worse(was: Cell, cell: Cell) -> bool:
    """Whether the answer of a cell is worse than before.

    A cell that has lost its answer is worse. So is one that no longer reaches a proof or a depth that is still
    asked for; a proof or depth that is no longer asked for does not count.
    """
    if not cell.answered:
        return was.answered
    before, after = rank(was), rank(cell)
    if after >= Verdict.UNKNOWN:
        return after > before
    lost = after > before or (
        was.verdict == cell.verdict == "safe"
        and was.row.unroll == cell.row.unroll
        and cell.row.depth < was.row.depth
    )
    return lost and any(row.unknown() for row in cell.rows)


def rank(cell: Cell) -> int:
    """The rank of a cell: 0 for the best answer, as in the order of verdicts."""
    verdict = Verdict.named(cell.verdict)
    if not cell.probe or verdict is Verdict.OUT_OF_BOUNDS:
        return verdict
    as_if = {
        Judgement.PASSED: Verdict.PROVED,
        Judgement.OPEN: Verdict.UNKNOWN,
        Judgement.FAILED: Verdict.VIOLATED,
    }
    return as_if[cell.judgement]
