"""The facts of explorations and of simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from leadline.symbolic.engines.ask.result import Facts
from leadline.symbolic.meaning import Exploration


class VacuousPart(TypedDict):
    """A part of a property for which it holds vacuously: a set that is empty, or a formula that is never true."""

    property: str
    empty: NotRequired[str]
    never_true: NotRequired[str]
    partly: bool
    place: str


class GuardCount(TypedDict):
    """How often a guard was evaluated, and how often it was true."""

    action: str
    guard: str
    place: str
    evaluated: int
    true: int


@dataclass(frozen=True)
class ExploreFacts(Facts):
    """The facts of an exploration.

    Attributes:
        states: the number of states found.
        diameter: the depth that was explored in full, in steps.
        states_within_steps: for each depth up to it, the number of states at most so many steps away.
        complete: whether every reachable state was found.
        stopped: why the search was ended early; None if it was not.
        generated: the number of steps and initial states that were evaluated.
        deadlocks: the number of states without a successor; with symmetry, of their orbits.
        steps_out_of_bounds: the number of steps that go out of bounds.
        actions: how often each action was taken.
        orbits: the number of orbits, with symmetry.
        orbits_within_steps: as `states_within_steps`, of orbits.
        by: the explorer, "circuits" or "values".
        by_values_since: why it is on values.
        view: the name of the view that is declared, unless every state is asked for.
        all_views: whether all values of the view that the states found lead to were found; None if it is not used.
        view_unused: why it is not used.
        vacuous: the parts for which properties hold vacuously, if they were looked for.
        never_true: the first guard that is never true of each action that is never taken.
        first_reached: for each action the number of states that it was the first to reach, if that was counted.
        guards: the counts of the guards.
        symmetry: a remark on the symmetry of a TLA+ module.
    """

    states: int
    diameter: int
    states_within_steps: Sequence[int]
    complete: bool
    stopped: str | None
    generated: int
    deadlocks: int
    steps_out_of_bounds: int
    actions: Mapping[str, int]
    orbits: int | None = None
    orbits_within_steps: Sequence[int] | None = None
    by: str | None = None
    by_values_since: str | None = None
    view: str | None = None
    all_views: bool | None = None
    view_unused: str | None = None
    vacuous: Sequence[VacuousPart] | None = None
    never_true: Sequence[GuardCount] | None = None
    first_reached: Mapping[str, int] | None = None
    guards: Sequence[GuardCount] | None = None
    symmetry: str | None = None

    @classmethod
    def of(cls, found: Exploration) -> ExploreFacts:
        """The facts that every exploration has."""
        return cls(
            states=found.states,
            diameter=found.diameter,
            states_within_steps=list(found.states_within_steps),
            complete=found.complete,
            stopped=found.stopped,
            generated=found.generated,
            deadlocks=found.deadlocks,
            steps_out_of_bounds=found.steps_out_of_bounds,
            actions=dict(found.fired),
            orbits=found.orbits,
            orbits_within_steps=None if found.orbits is None else list(found.orbits_within_steps or ()),
        )

    def ended_early(self) -> str | None:
        return self.stopped

    def to_json(self) -> dict[str, Any]:
        # A view that is not used says so by null.
        return {**super().to_json(), **({} if self.view is None else {"all_views": self.all_views})}


@dataclass(frozen=True)
class SimulateFacts(Facts):
    """The facts of a simulation.

    Attributes:
        runs: the number of runs.
        steps: the number of their steps.
        longest: the steps of the longest one.
        states: the number of different states that they meet.
        deadlocks: the number of runs that end in a deadlock.
        stopped: why the simulation was ended early; None if it was not.
        actions: how often each action was taken.
    """

    runs: int
    steps: int
    longest: int
    states: int
    deadlocks: int
    stopped: str | None
    actions: Mapping[str, int]

    def ended_early(self) -> str | None:
        return self.stopped
