"""A meaning: the states, steps and properties of a protocol as values, whatever the protocol is written in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from leadline.symbolic.lang import InternalError, ModelError, OutOfBounds, Span, Work, site

State: TypeAlias = tuple[Any, ...]
"""A value for each variable, in their order."""


@dataclass(frozen=True, slots=True)
class Step:
    """One way to begin, or one transition.

    Attributes:
        action: the action's name; "init" for an initial state.
        picks: the values picked, by the picks' names, in the order in which they are made. If the step goes out of
            bounds, only those made by then.
        state: the state after it; None if the step goes out of bounds.
        why: the expression that went out of bounds, or the error; None if there is none.
        place: the assignment or guard that went out of bounds, if it is known.
    """

    action: str
    picks: Mapping[str, Any]
    state: State | None
    why: str | None = field(default=None, compare=False)
    place: Span | None = field(default=None, compare=False)


Path: TypeAlias = tuple[Step, ...]
"""The outcome of init, and then that of each step; of length 1 for an initial state."""


class HasName(Protocol):
    """An action."""

    @property
    def name(self) -> str: ...


class Space(Protocol):
    """The variables and the actions of a protocol."""

    @property
    def variables(self) -> Sequence[object]: ...

    @property
    def actions(self) -> Sequence[HasName]: ...


class Steps(Protocol):
    """States and steps alone."""

    @property
    def steps(self) -> Sequence[Callable[..., None]]:
        """For the initial states and then for each action: `(state, add)`, calling `add(next state)`, or
        `add(None)` for each outcome out of bounds. The state given for initial states is None."""


class Meaning(Steps, Protocol):
    """The meaning of a protocol as values.

    Attributes:
        model: its variables and actions.
        canonical: gives the state that `steps` put in place of one; None if each stands for itself.
        weight: gives the number of states that such a state stands for; None if these are not counted.
        view: gives the value by which exploration tells states apart; None for all of a state.
        constraint: the function `(state, {}) -> whether all constraints hold`; None without constraints.
    """

    @property
    def model(self) -> Space: ...

    @property
    def canonical(self) -> Callable[[State], State] | None: ...

    @property
    def weight(self) -> Callable[[State], int] | None: ...

    @property
    def view(self) -> Callable[[State], Any] | None: ...

    @property
    def constraint(self) -> Callable[..., bool] | None: ...

    def property_function(self, name: str) -> Callable[..., bool]:
        """The function `(state, {}) -> whether a property holds`; it raises OutOfBounds.

        Raises:
            UserError: if there is no such property.
        """

    def initial(self) -> list[Step]:
        """Every outcome of the initial condition."""

    def successors(self, state: State, /) -> Iterable[Step]:
        """Every outcome of every enabled action, in the order of the actions and then of their picks."""

    def attempts(self, state: State | None, action: str, /) -> Iterable[Step | None]:
        """The outcomes of an action in a state, or of "init"; None now and then, so that a caller can give up."""

    def outcome(self, state: State, action: str, picks: Mapping[str, Any], /) -> Step | None:
        """The outcome of an action in a state with given picks; None if it is not enabled."""

    def no_initial_state(self) -> ModelError:
        """The error of a protocol without initial states."""


def is_within(constraint: Callable[..., bool] | None, state: State, *, outside: bool = True) -> bool:
    """Whether a state satisfies the constraints of a meaning, if there are any.

    Args:
        constraint: that of the meaning.
        state: the state.
        outside: the answer where the constraints go out of bounds. The steps from the state do, too.
    """
    try:
        return constraint is None or constraint(state, {})
    except OutOfBounds:
        return outside


class Levels(Protocol):
    """The levels of an exploration that are kept, so that another one can go on after them."""

    def levels(self) -> Iterator[Mapping[str, Any]]:
        """The findings of each level, from the first on."""

    def keep(self, found: Mapping[str, Any]) -> None:
        """Keep the level after those that were taken or kept, unless it is kept already."""


class Enough(Exception):
    """No more states are needed."""


@site(lambda known: Work(made=f"{len(known.get('found', ())):,} states"))
def first_states(
    begin: Callable[..., None], most: int, seconds: float | None = None
) -> tuple[list[Any], bool]:
    """The first initial states, each once, and whether there are more.

    Args:
        begin: the initial condition, the first of the `steps` of a meaning.
        most: the most states.
        seconds: the seconds of the processor after which to stop once there is a state; None is never.
    """
    found: dict[Any, None] = {}
    until = None if seconds is None else time.process_time() + seconds

    def add(state: Any) -> None:
        if until is not None and found and time.process_time() > until:
            raise Enough
        if state is not None and state not in found:
            if len(found) >= most:
                raise Enough
            found[state] = None

    try:
        begin(None, add)
    except Enough:
        return list(found), True
    return list(found), False


def path_of(semantics: Meaning, states: Sequence[State | None], *begun: Step) -> Path:
    """A path through some states, the first an initial one; a last None is a step out of bounds.

    Where states stand for others, it is a path through such as they stand for.

    Args:
        semantics: the meaning.
        states: the states.
        begun: the way to begin, if it is known.
    """
    path = list[Step](begun)
    for following in states[len(path) :]:
        before = path[-1].state if path else None
        # Initial states may be very many.
        outcomes = semantics.attempts(None, "init") if before is None else semantics.successors(before)
        path.append(_reaching(semantics, outcomes, following))
    return tuple(path)


def _reaching(semantics: Meaning, outcomes: Iterable[Step | None], state: State | None) -> Step:
    """The first of some outcomes that leads to a state, or out of bounds if that is None.

    Raises:
        InternalError: if none does.
    """
    canonical = semantics.canonical
    for outcome in outcomes:
        if outcome is None:
            continue
        found = outcome.state
        if found == state or (canonical is not None and found is not None and canonical(found) == state):
            return outcome
    raise InternalError(f"no step reaches {state!r}, though one was taken")
