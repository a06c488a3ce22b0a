"""The result of one way on one case."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.benchmarks.cases import Case
from leadline.benchmarks.ways import Way
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang import Model

ANSWERED = "answered"


@dataclass(frozen=True)
class Point:
    """How far a measurement was at some time.

    Attributes:
        depth: the deepest layer (step, sweep, or level of states) that was done.
        seconds: since the start.
        variables: given to the solver so far; None without a solver.
        clauses: given to the solver so far; None without a solver.
        states: found so far; None with a solver.
    """

    depth: int
    seconds: float
    variables: int | None = None
    clauses: int | None = None
    states: int | None = None


@dataclass(frozen=True)
class Measurement:
    """The result of one way on one case. Figures that are not known are None.

    Attributes:
        verdict: the answer.
        seconds: wall-clock time of the whole process, with its start.
        depth: the deepest layer known to hold no counterexample; -1 if none is.
        steps: the length of the counterexample found.
        build: seconds spent on making terms and clauses.
        solve: seconds spent in the solver.
        memory_mb: peak memory; where two solvers race, that of the one that answered.
        variables: given to the solver.
        clauses: given to the solver.
        states: distinct states found.
        points: how it went.
        reason: why there is no answer, its first word one of time, memory, crash; or what is out of bounds.
        tool: the version that a checker from outside tells of itself.
    """

    verdict: Verdict
    seconds: float
    depth: int = -1
    steps: int | None = None
    build: float | None = None
    solve: float | None = None
    memory_mb: float | None = None
    variables: int | None = None
    clauses: int | None = None
    states: int | None = None
    points: tuple[Point, ...] = ()
    reason: str | None = None
    tool: str | None = None

    @property
    def ended(self) -> str:
        """How it ended: answered, time, memory or crash."""
        if self.verdict is not Verdict.UNKNOWN:
            return ANSWERED
        kind = (self.reason or "").partition(":")[0]
        return kind if kind in ("time", "memory") else "crash"

    def as_expected(self, case: Case, way: Way) -> bool:
        """Whether the answer, if there is one, is what is known of the case."""
        if self.verdict is Verdict.UNKNOWN:
            return True
        held = {Verdict.SAFE, Verdict.PROVED}
        if self.verdict is not case.expected and not {self.verdict, case.expected} <= held:
            return False
        if self.steps is None or case.shortest is None:
            return True
        # A counterexample that sweeps found may be longer than a shortest one.
        return self.steps >= case.shortest if way.unroll == "sweeps" else self.steps == case.shortest


def model(case: Case) -> Model:
    """The model that a case speaks of."""
    return model_of(find(case.protocol), case.parameters)
