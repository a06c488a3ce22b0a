"""Counterexamples as data: states and the steps between them, as values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from leadline.symbolic.lang import (
    Action,
    InternalError,
    Model,
    Value,
    counted,
    in_tla,
    setting_text,
    shortened,
    spoken,
)
from leadline.symbolic.meaning.interface import Path, State, Step
from leadline.symbolic.meaning.runs import Word


class TraceEnd(StrEnum):
    """The kind of error at the end of a trace; `STOPS` if there is none."""

    VIOLATES = "violates"
    OUT_OF_BOUNDS = "out-of-bounds"
    DEADLOCK = "deadlock"
    STOPS = "stops"


@dataclass(frozen=True)
class Trace:
    """A run of a model from an initial state to an error, or into a loop.

    Attributes:
        initial_picks: the values picked by the initial state, by the picks' names.
        initial: the initial state; None if it goes out of bounds.
        steps: the transitions; only the last one may lack a state.
        ends: the error at the end. If it is out of bounds, either the last step goes out of bounds and has no
            state, or every step has its state and the evaluation of `property` in the last one does.
        property: the property violated, or whose evaluation goes out of bounds.
        loop: of a run that goes on for ever, the number of steps to the state to which the last one leads back;
            if that is the last state itself, the run stops there for ever: it stutters.
        why: the error at an end that is out of bounds, if the one who found the run tells it; the reason why a
            run without an error stops, if there is one.
    """

    initial_picks: Mapping[str, Value]
    initial: State | None
    steps: tuple[Step, ...]
    ends: TraceEnd = TraceEnd.VIOLATES
    property: str | None = None
    loop: int | None = None
    why: str | None = None

    @cached_property
    def length(self) -> int:
        """The number of steps (transitions), one less than TLC counts states."""
        return len(self.steps)

    def same_cause(self, other: Trace) -> bool:
        """Whether both runs tell of one error: of one property, or of one last step that goes out of bounds."""
        outside = self.ends is other.ends is TraceEnd.OUT_OF_BOUNDS and self.last is other.last is None
        if outside or (self.ends, self.property) == (other.ends, other.property):
            return self.stages[-2:] == other.stages[-2:]
        return False

    @cached_property
    def stutters(self) -> bool:
        """Whether the run stops in its last state for ever."""
        return self.loop == self.length

    @cached_property
    def loop_length(self) -> int | None:
        """The number of steps of the loop, 1 if the run stutters; None without a loop."""
        return None if self.loop is None else max(1, self.length - self.loop)

    @cached_property
    def stages(self) -> tuple[Step, ...]:
        """The initial state, as a step of the action `init`, and the steps."""
        return (Step("init", self.initial_picks, self.initial), *self.steps)

    def through(self, stages: Iterable[Step]) -> Trace:
        """The trace with other stages in place of its own."""
        begin, *steps = stages
        return replace(self, initial_picks=begin.picks, initial=begin.state, steps=tuple(steps))

    @cached_property
    def once(self) -> tuple[Step, ...]:
        """The stages without the last one where that leads back to the state at `loop`."""
        back = self.loop is not None and not self.stutters
        return self.stages[:-1] if back else self.stages

    @cached_property
    def last(self) -> State | None:
        """The last state, or None if the last step goes out of bounds."""
        return self.stages[-1].state


@dataclass(frozen=True)
class Cti:
    """A counterexample to induction: the reason why an obligation of an inductive proof fails.

    Attributes:
        obligation: the obligation's name.
        conjuncts: the names of the conjuncts that the first state satisfies; none if it is an initial state.
        fragment: a state and at most one step from it, as a run that begins in that state; its end is the
            error. The state need not be reachable, unless it is an initial state.
    """

    obligation: str
    conjuncts: tuple[str, ...]
    fragment: Trace


def trace_of_path(path: Path, ends: TraceEnd = TraceEnd.VIOLATES, claim: str | None = None) -> Trace:
    """Make a trace of a path that exploration found.

    Args:
        path: the outcome of init and then that of each step.
        ends: the error at its end.
        claim: the property violated, or whose evaluation goes out of bounds.
    """
    return Trace(path[0].picks, path[0].state, path[1:], ends, claim)


def states(trace: Trace) -> Iterator[State]:
    """The states in order, without the one that is out of bounds."""
    return (stage.state for stage in trace.stages if stage.state is not None)


def word_of(trace: Trace) -> Word:
    """A run that goes on for ever. Where its last step leads back, the last state is the one at the loop."""
    assert trace.loop is not None
    visited = list(states(trace))
    return Word(visited if trace.stutters else visited[:-1], trace.loop)


def action_named(model: Model, name: str) -> Action:
    """The model's action of that name; `init` names its initial states."""
    for action in (model.init, *model.actions):
        if action.name == name:
            return action
    raise InternalError(f"{model.protocol} has no action {name}")


def call_of(model: Model, step: Step) -> str:
    """A step's action with its picks as TLA+ text: `LeaderWrite(replica = r1)`."""
    action = action_named(model, step.action)
    shown = [
        f"{spoken(x)} = {in_tla(x.type, step.picks[x.name])}" for x in action.picks if x.name in step.picks
    ]
    return f"{action.tla}({', '.join(shown)})" if shown else action.tla


def title(model: Model) -> str:
    """The protocol with its parameters, and the constraints that verdicts about it depend on."""
    told = {name: setting_text(value) for name, value in model.parameters.items() if value is not None}
    shown = [f"{name} = {shortened(text, 100)}" for name, text in told.items()]
    named = f"{model.protocol} ({', '.join(shown)})" if shown else model.protocol
    return f"{named} {model.scope}" if model.constraints else named


def in_steps(length: int) -> str:
    """`in 3 steps`; `in the initial state` for 0."""
    return f"in {counted(length, 'step')}" if length else "in the initial state"
