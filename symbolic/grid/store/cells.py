"""Cells: what all rows about one property at one point say together.

Several queries speak of one property at one point: of other depths, by other solvers, the obligations of a
proof. A violation counts whatever the others say, a proof needs all of its obligations, and of the rows that
are safe the deepest counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from leadline.symbolic.engines import Verdict
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.store.rows import Row
from leadline.symbolic.grid.store.summary import layers, point_order, verdict_text
from leadline.symbolic.grid.versions import leadline_version
from leadline.symbolic.lang import PropertyKind
from leadline.symbolic.lang.parameters import Setting

Obligations = Mapping[tuple[str, str], int]
"""How many obligations the inductive proof of a property has, by the model's fingerprint and the property."""


@dataclass(frozen=True, order=True)
class Goal:
    """One property of one model, as one version of Leadline sees it.

    Attributes:
        protocol: the protocol's name.
        parameters: every parameter's value, as `parameters_json` writes them.
        property: the property's name, or "deadlock".
        fingerprint: the model's.
        leadline_version: the Leadline that asks: another may split a proof otherwise.
    """

    protocol: str
    parameters: str
    property: str
    fingerprint: str
    leadline_version: str

    @classmethod
    def of(cls, row: Row) -> Self:
        """What a row is about."""
        return cls(row.protocol, row.parameters, row.property, row.fingerprint, row.leadline_version)

    @classmethod
    def of_query(cls, query: GridQuery) -> Self:
        """What a query is about."""
        return cls(query.protocol, query.parameters, query.property, query.fingerprint, leadline_version())


def obligations_of(queries: Iterable[GridQuery]) -> dict[tuple[str, str], int]:
    """How many obligations each proof has that a plan asks for; a plan has all of a proof's, or none."""
    names: dict[tuple[str, str], set[str]] = {}
    for query in queries:
        if query.obligation is not None:
            names.setdefault((query.fingerprint, query.property), set()).add(query.obligation)
    return {key: len(found) for key, found in names.items()}


def proofs(rows: Iterable[Row], obligations: Obligations) -> dict[Goal, tuple[Row, ...]]:
    """What is proved: each goal all of whose obligations are, with a row for each obligation, by name.

    Args:
        rows: what is known.
        obligations: of how many obligations a proof consists; a proof that is not there is not believed.
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


@dataclass(frozen=True)
class Cell:
    """What is known of one property at one point of the parameters.

    Attributes:
        goal: which property, of what model.
        kind: the property's kind.
        verdict: the verdict on all rows together: proved, safe, unknown, out-of-bounds or violated.
        row: the row that says it: the shortest counterexample, the deepest safe row, the unknown that got
            furthest; of a proof any obligation.
        rows: every row about the goal, in the order given.
    """

    goal: Goal
    kind: str
    verdict: str
    row: Row
    rows: tuple[Row, ...]

    @property
    def settings(self) -> Mapping[str, Setting | None]:
        """The parameters' values by name."""
        return self.row.settings()

    @property
    def probe(self) -> bool:
        """Whether a violation is expected."""
        return self.kind == PropertyKind.PROBE

    @property
    def answered(self) -> bool:
        """Whether there is an answer, good or bad."""
        return self.verdict != str(Verdict.UNKNOWN)

    @property
    def as_wished(self) -> bool:
        """Whether the answer is the one hoped for: no violation or, of a probe, one."""
        wished = ("violated",) if self.probe else ("safe", "proved")
        return self.verdict in wished

    def text(self) -> str:
        """The verdict in words."""
        if self.verdict == str(Verdict.PROVED) and self.row.obligation is not None:
            count = len({row.obligation for row in self.rows} - {None})
            return f"proved by {count} obligation{'s' if count != 1 else ''}"
        if self.verdict == str(Verdict.UNKNOWN) and not self.row.unknown():
            return "unknown: not every query has an answer"
        return verdict_text(self.row)

    def mark(self) -> str:
        """A number that says most in a small place: the length of the bug, or how deep it is safe."""
        if self.verdict == "violated":
            return "" if self.row.steps is None else str(self.row.steps)
        return str(self.row.depth) if self.verdict == "safe" else ""

    def reached(self) -> str:
        """How far the search got where there is no bug: `11 steps`."""
        return layers(self.row.depth, self.row.unroll) if self.verdict == "safe" else ""


def cells(rows: Iterable[Row], obligations: Obligations) -> list[Cell]:
    """The cells of rows, by protocol, parameters and property; of a model that has changed, the latest.

    Args:
        rows: what is known: the latest row of each query.
        obligations: of how many obligations each proof consists.
    """
    found = [*rows]
    proved = proofs(found, obligations)
    by_goal: dict[Goal, list[Row]] = {}
    for row in found:
        by_goal.setdefault(Goal.of(row), []).append(row)
    current: dict[tuple[str, str, str], Goal] = {}
    for goal, about in by_goal.items():
        place = (goal.protocol, goal.parameters, goal.property)
        if place not in current or _newest(by_goal[current[place]]) < _newest(about):
            current[place] = goal
    made = [_cell(goal, by_goal[goal], proved.get(goal, ())) for goal in current.values()]
    return sorted(made, key=lambda cell: (cell.goal.protocol, point_order(cell.row), cell.goal))


def _newest(rows: Sequence[Row]) -> float:
    return max(row.started.timestamp() for row in rows)


def _cell(goal: Goal, rows: Sequence[Row], proof: Sequence[Row]) -> Cell:
    verdict, row = _together(rows, proof)
    return Cell(goal, row.kind, str(verdict), row, tuple(rows))


def _together(rows: Sequence[Row], proof: Sequence[Row]) -> tuple[Verdict, Row]:
    """The verdict of rows about one goal, and the row that says it."""
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


def point_text(settings: Mapping[str, Setting | None]) -> str:
    """A point in words.

    >>> point_text({"replicas": 2, "fast": True, "bound": None})
    'replicas = 2, fast = true'
    """
    said = {name: value for name, value in settings.items() if value is not None}
    return ", ".join(
        f"{name} = {value if isinstance(value, str) else json.dumps(value)}" for name, value in said.items()
    )
