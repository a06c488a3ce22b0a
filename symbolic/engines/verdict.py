"""Verdicts and results: what every engine answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.trace import Trace


class Verdict(IntEnum):
    """What is known of a property, the worst last: combining verdicts is `max`."""

    PROVED = 0
    SAFE = 1
    UNKNOWN = 2
    OUT_OF_BOUNDS = 3
    VIOLATED = 4

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True)
class Effort:
    """What an answer cost.

    Attributes:
        build: seconds spent on making terms and clauses.
        solve: seconds spent in the solver.
        total: seconds from start to end.
        memory_mb: the process's peak memory in megabytes.
        variables: variables given to the solver.
        clauses: clauses given to the solver.
    """

    build: float = 0.0
    solve: float = 0.0
    total: float = 0.0
    memory_mb: float = 0.0
    variables: int = 0
    clauses: int = 0

    def plus(self, other: Effort) -> Effort:
        """Both efforts one after the other in one process."""
        return Effort(
            self.build + other.build,
            self.solve + other.solve,
            self.total + other.total,
            max(self.memory_mb, other.memory_mb),
            self.variables + other.variables,
            self.clauses + other.clauses,
        )


@dataclass(frozen=True)
class Result:
    """An engine's answer about one property.

    Attributes:
        protocol: the protocol's name.
        parameters: every parameter's value.
        property: the property's name, or "deadlock".
        engine: which engine answered, such as "bmc".
        unroll: what its layers hold: "steps" or "sweeps".
        solver: which solver answered.
        verdict: see `Verdict`; `SAFE` speaks of the states at most `depth` layers away.
        depth: the deepest layer known to hold no counterexample, -1 if none is. No bad state within so many
            sweeps means none within as many steps, and usually far more.
        steps: the length of the counterexample in steps, or None.
        trace: the counterexample, replayed by the concrete meaning.
        reason: why the verdict, or that the counterexample is a shortest one, is not better known; what is
            out of bounds.
    """

    protocol: str
    parameters: Mapping[str, Setting | None]
    property: str
    engine: str
    unroll: str
    solver: str
    verdict: Verdict
    depth: int
    steps: int | None
    effort: Effort
    trace: Trace | None = None
    reason: str | None = None

    def perhaps_longer(self, why: str) -> Result:
        """The same, where a shortest counterexample was asked for and the search for it did not end."""
        perhaps = f"perhaps not the shortest: {why}"
        return replace(self, reason=f"{self.reason}; {perhaps}" if self.reason else perhaps)


@dataclass(frozen=True)
class Progress:
    """Where a running search is.

    Attributes:
        depth: the deepest layer known to hold no counterexample for the properties that are still open.
        seconds: since the start.
        variables: given to the solver so far.
        clauses: given to the solver so far.
        open: the names of the properties still searched.
    """

    depth: int
    seconds: float
    variables: int
    clauses: int
    open: tuple[str, ...]
