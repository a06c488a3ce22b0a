"""A meaning: the states, steps and properties of a protocol as values, whatever the protocol is written in."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
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

    def beginnings(self, state: State | None, /) -> Iterable[Step | None]:
        """The outcomes of "init", as `attempts`: all, or one that leads to the state where they are very many."""

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


_is_over: ContextVar[Callable[[], bool] | None] = ContextVar("is_over", default=None)
"""Whether the time of the search for initial states that goes on is over."""
_TRIED = 64
"""It is asked once for so many candidates."""


def candidates(values: Iterable[Any]) -> Iterable[Any]:
    """The values that an initial condition tries one after another, until the time for that is over."""
    is_over = _is_over.get()
    return values if is_over is None else _until(is_over, values)


def _until(is_over: Callable[[], bool], values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if is_over():
            raise Enough
        yield value


@contextmanager
def beginning_until(is_over: Callable[[], bool]) -> Iterator[None]:
    """Within it, the search for initial states among `candidates` ends with `Enough` when its time is over."""
    tried = itertools.count(1)
    token = _is_over.set(lambda: next(tried) % _TRIED == 0 and is_over())
    try:
        yield
    finally:
        _is_over.reset(token)


@site(lambda known: Work(made=f"{len(known.get('found', ())):,} states"))
def first_states(
    begin: Callable[..., None], most: int, seconds: float = math.inf, longest: float = math.inf
) -> tuple[list[Any], bool]:
    """The first initial states, each once, and whether there are more, or may be.

    Args:
        begin: the initial condition, the first of the `steps` of a meaning.
        most: the most states.
        seconds: the seconds of the processor after which to stop once there is a state.
        longest: the seconds after which to stop without one, among the `candidates` for a variable's value.
    """
    found: dict[Any, None] = {}
    begun = time.process_time()

    def is_over() -> bool:
        return time.process_time() - begun > (seconds if found else longest)

    def add(state: Any) -> None:
        if is_over():
            raise Enough
        if state is not None and state not in found:
            if len(found) >= most:
                raise Enough
            found[state] = None

    try:
        with beginning_until(is_over):
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
        outcomes = semantics.beginnings(following) if before is None else semantics.successors(before)
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
