"""Breadth-first exploration: every state within so many steps, and what is wrong with them."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from leadline.symbolic.concrete.semantics import Outcome, Semantics, State, no_initial_state
from leadline.symbolic.lang import InternalError, OutOfBounds

Path: TypeAlias = tuple[Outcome, ...]
"""The outcome of init, and then that of each step; of length 1 for an initial state."""


@dataclass(frozen=True, slots=True)
class Level:
    """How far an exploration is.

    Attributes:
        depth: steps from the initial states, from 0.
        new: states first reached in that many steps.
        states: states found so far.
    """

    depth: int
    new: int
    states: int


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of one property; the paths are shortest.

    Attributes:
        violation: a path to a state in which it does not hold, or None.
        out_of_bounds: a path to a state in which its evaluation goes out of bounds, or None.
        why: what went out of bounds there.
        violations: the number of states in which it does not hold.
    """

    violation: Path | None
    out_of_bounds: Path | None
    why: str | None
    violations: int

    @property
    def steps(self) -> int | None:
        """The number of steps of the violation."""
        return len(self.violation) - 1 if self.violation is not None else None


@dataclass(frozen=True, slots=True)
class Exploration:
    """What an exploration found. Paths are shortest.

    Attributes:
        states: the number of distinct states found.
        states_within_steps: at k, the number of distinct states at most k steps from an initial one; only
            depths that were explored in full.
        complete: whether these are all reachable states.
        generated: the number of initial states and successors computed, repetitions included.
        fired: for each action, the number of outcomes that it gave (successors, repetitions included, and
            steps out of bounds) from the states that were expanded; 0 for an action that never fired. With a
            bound on depth the states of the last level are not expanded.
        deadlocks: the number of expanded states in which no action is enabled. (An action that is enabled
            and goes out of bounds counts as enabled.)
        deadlock: a path to one of these, or None.
        steps_out_of_bounds: the number of steps, and of ways to begin, that go out of bounds.
        out_of_bounds: a path whose last outcome goes out of bounds, or None.
        properties: what was found of each property.
    """

    states: int
    states_within_steps: tuple[int, ...]
    complete: bool
    generated: int
    fired: Mapping[str, int]
    deadlocks: int
    deadlock: Path | None
    steps_out_of_bounds: int
    out_of_bounds: Path | None
    properties: Mapping[str, Checked]

    @property
    def diameter(self) -> int:
        """The steps in which the last new state was found; -1 if every initial state is out of bounds."""
        return len(self.states_within_steps) - 1


@dataclass
class _Watch:
    """A property while states are found: the first state of each kind, by index."""

    name: str
    function: Callable[[State, Mapping[str, Any]], bool]
    violated_at: int | None = None
    violations: int = 0
    out_at: int | None = None
    why: str | None = None

    def look(self, state: State, index: int) -> None:
        """Evaluate the property in a new state."""
        try:
            if self.function(state, {}):
                return
        except OutOfBounds as error:
            if self.out_at is None:
                self.out_at, self.why = index, str(error)
            return
        self.violations += 1
        if self.violated_at is None:
            self.violated_at = index


@dataclass
class _Search:
    """The states found, by index in the order of discovery, with the index of the state each came from."""

    semantics: Semantics
    watches: list[_Watch]
    max_states: int | None
    order: list[State] = field(default_factory=list)
    parents: array[int] = field(default_factory=lambda: array("q"))
    seen: set[State] = field(default_factory=set)
    parts: list[dict[Any, Any]] = field(default_factory=list)
    fired: list[int] = field(default_factory=list)
    deadlocks: list[int] = field(default_factory=list)
    out_of_bounds: list[int] = field(default_factory=list)
    full: bool = False

    def begin(self) -> None:
        """Find the initial states.

        Raises:
            ModelError: if there is none, nor one that is out of bounds.
        """
        self.parts = [{} for _ in self.semantics.model.variables]
        found: list[State | None] = []
        self.semantics.steps[0](None, found.append)
        if not found:
            raise no_initial_state(self.semantics.model)
        self.fired = [len(found)] + [0] * len(self.semantics.model.actions)
        self.take(found, -1)

    def expand(self, index: int) -> None:
        """Find the successors of a state."""
        state = self.order[index]
        found: list[State | None] = []
        add = found.append
        before = 0
        fired = self.fired
        for place, step in enumerate(self.semantics.steps):
            if place:
                step(state, add)
                if len(found) != before:
                    fired[place] += len(found) - before
                    before = len(found)
        if found:
            self.take(found, index)
        else:
            self.deadlocks.append(index)

    def take(self, found: list[State | None], parent: int) -> None:
        """Keep the states that are new."""
        seen = self.seen
        for state in found:
            if state is None:
                self.out_of_bounds.append(parent)
            elif state not in seen:
                if self.max_states is not None and len(seen) >= self.max_states:
                    self.full = True
                    return
                # Equal values of a variable become one object, which saves most of the memory. Each variable
                # has a table of its own: to Python 1 and True are equal, and so are (1,) and (True,).
                state = tuple([table.setdefault(x, x) for table, x in zip(self.parts, state, strict=True)])
                seen.add(state)
                index = len(self.order)
                self.order.append(state)
                self.parents.append(parent)
                for watch in self.watches:
                    watch.look(state, index)

    def path(self, index: int) -> Path:
        """A shortest path to a state; the actions are found anew."""
        chain = [index]
        while self.parents[chain[-1]] >= 0:
            chain.append(self.parents[chain[-1]])
        chain.reverse()
        states = [self.order[place] for place in chain]
        path = [_reaching(self.semantics.initial(), states[0])]
        for state, following in itertools.pairwise(states):
            path.append(_reaching(self.semantics.successors(state), following))
        return tuple(path)

    def path_out_of_bounds(self) -> Path | None:
        """A shortest path whose last outcome goes out of bounds."""
        if not self.out_of_bounds:
            return None
        index = self.out_of_bounds[0]
        if index < 0:
            return (_reaching(self.semantics.initial(), None),)
        last = _reaching(self.semantics.successors(self.order[index]), None)
        return (*self.path(index), last)


def _reaching(outcomes: Iterable[Outcome], state: State | None) -> Outcome:
    for outcome in outcomes:
        if outcome.state == state:
            return outcome
    raise InternalError(f"no step reaches {state!r}, though one was taken")


def explore(
    semantics: Semantics,
    properties: Sequence[str] = (),
    depth: int | None = None,
    progress: Callable[[Level], None] | None = None,
    max_states: int | None = None,
) -> Exploration:
    """Explore breadth-first from the initial states, level by level.

    A violated property does not end the exploration, nor does a step that goes out of bounds, which has no
    successor.

    Args:
        semantics: the meaning of the model.
        properties: the names of the properties to evaluate in every state.
        depth: the number of steps to go; None for as long as there are new states.
        progress: called after each level.
        max_states: the number of states at which to give up; None for no limit.

    Raises:
        UserError: if a property is unknown, or there is no way to begin.
    """
    watches = [_Watch(name, semantics.property_function(name)) for name in properties]
    search = _Search(semantics, watches, max_states)
    search.begin()
    within: list[int] = []
    start = 0
    while not search.full and start < (end := len(search.order)):
        within.append(end)
        if progress is not None:
            progress(Level(len(within) - 1, end - start, end))
        if depth is not None and len(within) > depth:
            break
        for index in range(start, end):
            search.expand(index)
            if search.full:
                break
        start = end
    complete = not search.full and start == len(search.order)
    return _summary(search, tuple(within), complete)


def _summary(search: _Search, within: tuple[int, ...], complete: bool) -> Exploration:
    names = [action.name for action in search.semantics.model.actions]
    return Exploration(
        states=len(search.order),
        states_within_steps=within,
        complete=complete,
        generated=sum(search.fired),
        fired=dict(zip(names, search.fired[1:], strict=True)),
        deadlocks=len(search.deadlocks),
        deadlock=search.path(search.deadlocks[0]) if search.deadlocks else None,
        steps_out_of_bounds=len(search.out_of_bounds),
        out_of_bounds=search.path_out_of_bounds(),
        properties={watch.name: _checked(search, watch) for watch in search.watches},
    )


def _checked(search: _Search, watch: _Watch) -> Checked:
    violation = search.path(watch.violated_at) if watch.violated_at is not None else None
    out = search.path(watch.out_at) if watch.out_at is not None else None
    return Checked(violation, out, watch.why, watch.violations)
