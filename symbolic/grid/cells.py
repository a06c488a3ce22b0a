"""Cells: the verdict of all rows about one property at one point.

Several queries are about one property at one point: with other depths, by other solvers, or for the
obligations of a proof. A violation counts in any case, a proof needs all of its obligations, and of the safe
rows the deepest counts. The parts of a check that is cut are put together first: `joined`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import leadline
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.ask.result import Cause, Judgement, judged, said
from leadline.symbolic.grid.query import GridQuery, ParameterValues, layers_text, options_json
from leadline.symbolic.grid.rows import MOOT, Row
from leadline.symbolic.grid.summary import point_order, verdict_text
from leadline.symbolic.lang import PropertyKind, counted

Obligations = Mapping[tuple[str, str], int]
"""The number of obligations of a property's inductive proof, by the model's fingerprint and the property."""


@dataclass(frozen=True, order=True)
class Goal:
    """One property of one model, as one version of Leadline sees it.

    Attributes:
        protocol: the protocol's name.
        parameters: every parameter's value, as `parameters_json` writes them.
        property: the property's name, or "deadlock".
        fingerprint: the model's.
        leadline_version: the version of Leadline that asks: another may split a proof otherwise.
    """

    protocol: str
    parameters: str
    property: str
    fingerprint: str
    leadline_version: str

    @classmethod
    def of(cls, asked: GridQuery | Row) -> Self:
        """The goal of a query, or of the row that answers one."""
        version = asked.leadline_version if isinstance(asked, Row) else leadline.__version__
        return cls(asked.protocol, asked.parameters, asked.property, asked.fingerprint, version)

    def place(self) -> tuple[str, str, str]:
        """Protocol, parameters and property: the place of a cell, whatever the model and the version."""
        return self.protocol, self.parameters, self.property


def obligations_of(queries: Iterable[GridQuery]) -> dict[tuple[str, str], int]:
    """The number of obligations of each proof in a plan. A plan has all obligations of a proof, or none."""
    names: dict[tuple[str, str], set[str]] = {}
    for query in queries:
        if query.obligation is not None and query.query.options.whole is None:
            names.setdefault((query.fingerprint, query.property), set()).add(query.obligation)
    return {key: len(found) for key, found in names.items()}


def proofs(rows: Iterable[Row], obligations: Obligations) -> dict[Goal, tuple[Row, ...]]:
    """The goals that are proved, each with a row for each obligation of the proof, by the obligation's name.

    Args:
        rows: the latest row of each query.
        obligations: the number of obligations of each proof; a proof that is missing here is not believed.
    """
    held: dict[Goal, dict[str, Row]] = {}
    for row in rows:
        if row.obligation is not None and row.verdict == str(Verdict.PROVED):
            held.setdefault(Goal.of(row), {}).setdefault(row.obligation, row)
    return {
        goal: tuple(found[name] for name in sorted(found))
        for goal, found in held.items()
        if len(found) == obligations.get((goal.fingerprint, goal.property), -1)
    }


def joined(rows: Iterable[Row]) -> list[Row]:
    """Rows of whole questions: the rows of the parts of one are put together.

    A question whose parts are all safe is safe. A counterexample in one part is one of the question. A part
    without an answer leaves it unknown.

    Args:
        rows: the latest row of each query.
    """
    found: dict[object, list[Row]] = {}
    for row in rows:
        asked = row.asked()
        whole = None if asked is None else asked.whole
        key = object() if whole is None else (Goal.of(row), whole, row.solver, row.seed)
        found.setdefault(key, []).append(row)
    return [_whole(parts) for parts in found.values()]


def _whole(rows: Sequence[Row]) -> Row:
    """The row of a question from those of its parts, or the only row."""
    asked = rows[0].asked()
    if asked is None or asked.whole is None:
        return rows[0]
    missing = asked.parts - len({row.obligation for row in rows})
    verdict, row = _worst(rows, missing)
    depth = -1 if missing else min(row.depth for row in rows)
    unanswered = missing + sum(row.unknown() or row.moot() for row in rows)
    reason = row.reason
    cause = row.cause if verdict == str(Verdict.UNKNOWN) else None
    if missing and verdict == str(Verdict.UNKNOWN):
        cause = cause or str(Cause.PART)
    if unanswered and not row.moot():
        left = f"{unanswered} of {asked.parts} parts have no answer"
        perhaps = "perhaps not the shortest: " if row.steps is not None else ""
        reason = "; ".join(filter(None, (reason, f"{perhaps}{left}")))
    predicted = [row.predicted_seconds for row in rows if row.predicted_seconds is not None]
    return replace(
        row,
        obligation=None,
        options=options_json(asked.whole),
        verdict=verdict,
        depth=depth,
        reason=reason,
        cause=cause,
        build_seconds=sum(row.build_seconds for row in rows),
        solve_seconds=sum(row.solve_seconds for row in rows),
        total_seconds=sum(row.total_seconds for row in rows),
        task_seconds=sum(row.task_seconds for row in rows),
        memory_mb=max(row.memory_mb for row in rows),
        variables=max(row.variables for row in rows),
        clauses=max(row.clauses for row in rows),
        predicted_seconds=sum(predicted) if len(predicted) == len(rows) else None,
        started=max(row.started for row in rows),
    )


def _worst(rows: Sequence[Row], missing: int) -> tuple[str, Row]:
    """The verdict of a question from its parts, some of which may be missing, and the row of the part to show."""
    of: dict[str, list[Row]] = {}
    for row in rows:
        of.setdefault(row.verdict, []).append(row)
    for verdict in map(str, (Verdict.VIOLATED, Verdict.OUT_OF_BOUNDS)):
        if verdict in of:
            return verdict, min(of[verdict], key=lambda row: row.steps or 0)
    unknown = str(Verdict.UNKNOWN)
    if unknown in of:
        return unknown, of[unknown][0]
    if MOOT in of:
        return MOOT, of[MOOT][0]
    return unknown if missing else str(Verdict.SAFE), rows[0]


@dataclass(frozen=True)
class Cell:
    """The verdict on one property at one point of the parameters.

    Attributes:
        goal: the property and its model.
        kind: the property's kind.
        verdict: the verdict on all rows together: proved, safe, unknown, out-of-bounds or violated.
        row: the row with this verdict: the shortest counterexample, the deepest safe row, the unknown that
            got furthest; of a proof any obligation.
        rows: every row about the goal, in the order given.
    """

    goal: Goal
    kind: str
    verdict: str
    row: Row
    rows: tuple[Row, ...]

    @property
    def settings(self) -> ParameterValues:
        """The parameters' values by name."""
        return self.row.settings()

    @property
    def probe(self) -> bool:
        """Whether it should be violated."""
        return self.kind == PropertyKind.PROBE

    @property
    def answered(self) -> bool:
        """Whether there is an answer, good or bad."""
        return self.verdict != str(Verdict.UNKNOWN)

    @property
    def judgement(self) -> Judgement:
        """Whether the answer is as it should be."""
        return judged(self.kind, Verdict.named(self.verdict))

    @property
    def said(self) -> str:
        """The verdict in a word or two."""
        return said(self.kind, Verdict.named(self.verdict))

    def text(self) -> str:
        """The verdict in words."""
        if self.verdict == str(Verdict.PROVED) and self.row.obligation is not None:
            count = len({row.obligation for row in self.rows} - {None})
            return f"proved by {counted(count, 'obligation')}"
        if self.verdict == str(Verdict.UNKNOWN) and not self.row.unknown():
            return "unknown: not every query has an answer"
        return verdict_text(self.row)

    def mark(self) -> str:
        """A number that fits into a small cell: the length of the bug, or the depth to which it is safe."""
        if self.verdict == "violated":
            return "" if self.row.steps is None else str(self.row.steps)
        return str(self.row.depth) if self.verdict == "safe" else ""

    def reached(self) -> str:
        """The layers that were searched without finding a bug, in words; "" if the cell is not safe."""
        return layers_text(self.row.depth, self.row.unroll) if self.verdict == "safe" else ""


def cells(rows: Iterable[Row], obligations: Obligations) -> list[Cell]:
    """The cells of rows, by protocol, parameters and property; of a model that has changed, only the latest.

    Args:
        rows: the latest row of each query, also of parts.
        obligations: the number of obligations of each proof.
    """
    found = joined(rows)
    proved = proofs(found, obligations)
    by_goal: dict[Goal, list[Row]] = {}
    for row in found:
        by_goal.setdefault(Goal.of(row), []).append(row)
    by_age = sorted(by_goal, key=lambda goal: max(row.started for row in by_goal[goal]))
    current = {goal.place(): goal for goal in by_age}
    made = []
    for goal in current.values():
        verdict, row = _together(by_goal[goal], proved.get(goal, ()))
        made.append(Cell(goal, row.kind, str(verdict), row, tuple(by_goal[goal])))
    return sorted(made, key=lambda cell: (cell.goal.protocol, point_order(cell.row), cell.goal))


def _together(rows: Sequence[Row], proof: Sequence[Row]) -> tuple[Verdict, Row]:
    """The verdict of rows about one goal, and the row that has it."""
    of: dict[str, list[Row]] = {}
    for row in rows:
        if row.obligation is None or row.unknown():
            of.setdefault(row.verdict, []).append(row)
    for verdict in (Verdict.VIOLATED, Verdict.OUT_OF_BOUNDS):
        if found := of.get(str(verdict)):
            return verdict, min(found, key=lambda row: float("inf") if row.steps is None else row.steps)
    if proved := [*proof, *of.get(str(Verdict.PROVED), [])]:
        return Verdict.PROVED, proved[0]
    if safe := of.get(str(Verdict.SAFE)):
        return Verdict.SAFE, max(safe, key=lambda row: row.depth)
    if unknown := of.get(str(Verdict.UNKNOWN)):
        return Verdict.UNKNOWN, max(unknown, key=lambda row: row.depth)
    return Verdict.UNKNOWN, rows[0]
