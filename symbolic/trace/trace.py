"""What a counterexample is: states and the steps between them, as concrete values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from leadline.symbolic.concrete import Path, State
from leadline.symbolic.lang import Action, InternalError, Model
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.types import Value


class TraceEnd(StrEnum):
    """What a trace leads to."""

    VIOLATES = "violates"
    OUT_OF_BOUNDS = "out-of-bounds"
    DEADLOCK = "deadlock"


@dataclass(frozen=True)
class Step:
    """One transition.

    Attributes:
        action: the name of the action taken.
        picks: what it picked, by the picks' names; where the step goes out of bounds, maybe only those made
            until then.
        state: the state after it; None if the step goes out of bounds.
    """

    action: str
    picks: Mapping[str, Value]
    state: State | None


@dataclass(frozen=True)
class Trace:
    """A run of a model from an initial state to something that is wrong.

    Attributes:
        initial_picks: what the initial state picked, by the picks' names.
        initial: the initial state; None if it is what goes out of bounds.
        steps: the transitions; only the last one may lack a state.
        ends: what is wrong at the end. Out of bounds is the last step or, where every step has its state, the
            evaluation of `property` in the last state.
        property: the property violated, or whose evaluation goes out of bounds.
    """

    initial_picks: Mapping[str, Value]
    initial: State | None
    steps: tuple[Step, ...]
    ends: TraceEnd = TraceEnd.VIOLATES
    property: str | None = None

    @cached_property
    def length(self) -> int:
        """The number of steps (transitions), one less than TLC counts states."""
        return len(self.steps)

    @cached_property
    def stages(self) -> tuple[Step, ...]:
        """The initial state, as a step of the action `init`, and the steps."""
        return (Step("init", self.initial_picks, self.initial), *self.steps)

    @cached_property
    def last(self) -> State | None:
        """The last state, or None if the last step goes out of bounds."""
        return self.stages[-1].state


def trace_of_path(path: Path, ends: TraceEnd = TraceEnd.VIOLATES, claim: str | None = None) -> Trace:
    """A path that exploration found, as a trace.

    Args:
        path: the outcome of init and then that of each step.
        ends: what is wrong at its end.
        claim: the property violated, or whose evaluation goes out of bounds.
    """
    steps = tuple(Step(x.action, dict(x.picks), x.state) for x in path[1:])
    return Trace(dict(path[0].picks), path[0].state, steps, ends, claim)


def states(trace: Trace) -> Iterator[State]:
    """The states in order, without the one that is out of bounds."""
    return (stage.state for stage in trace.stages if stage.state is not None)


def action_named(model: Model, name: str) -> Action:
    """The model's action, or its initial states under the name `init`."""
    for action in (model.init, *model.actions):
        if action.name == name:
            return action
    raise InternalError(f"{model.protocol} has no action {name}")


def call_of(model: Model, step: Step) -> str:
    """A step's action with its picks in the words of TLA+: `LeaderWrite(replica = r1)`."""
    action = action_named(model, step.action)
    shown = [
        f"{camel(x.name)} = {x.type.tla(step.picks[x.name])}" for x in action.picks if x.name in step.picks
    ]
    return f"{action.tla}({', '.join(shown)})" if shown else action.tla


def setting(value: object) -> str:
    """A parameter's value as the command line spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def title(model: Model) -> str:
    """The protocol with its parameters."""
    shown = [f"{name} = {setting(value)}" for name, value in model.parameters.items() if value is not None]
    return f"{model.protocol} ({', '.join(shown)})" if shown else model.protocol


def in_steps(length: int) -> str:
    """`in 3 steps`, or where there is none, `in the initial state`."""
    if length == 0:
        return "in the initial state"
    return f"in {length} step{'s' if length != 1 else ''}"
