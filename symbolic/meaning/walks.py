"""Random walks: many reachable states in little time."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import islice
from random import Random
from typing import Generic, TypeVar

from leadline.symbolic.meaning.interface import Steps, first_states

AnyState = TypeVar("AnyState", bound=Hashable)
Stage = TypeVar("Stage")

_STRIDE = 40
"""Steps of a walk before the next one begins, in a state that was found and not left yet."""

MOST_SECONDS = 2.0
"""The seconds of the processor after which walks end: some models take milliseconds for a step in values."""

MOST_INITIAL = 5_000
"""Initial states that are taken, where there are more."""


def random_walk(start: Stage | None, drawn: Callable[[Stage], Stage | None]) -> Iterator[Stage]:
    """A random walk: its start, and then what is drawn after each.

    Args:
        start: where it begins; None for nowhere.
        drawn: draws what comes after; it gives None where the walk ends.
    """
    while start is not None:
        yield start
        start = drawn(start)


class Walks(Generic[AnyState]):
    """Reachable states, found by random walks.

    A walk takes the action that walks have taken least, among those that lead to a new state.

    Args:
        meaning: the states and steps.
        limit: the number of states at which to stop; initial states, up to `MOST_INITIAL`, are taken in any
            case.
        dice: what choices are drawn from.
        seconds: the seconds of the processor after which walks end.

    Attributes:
        states: the states.
        outside: the first state that was met with a step out of bounds, or None.
    """

    def __init__(self, meaning: Steps, limit: int, dice: Random, seconds: float = MOST_SECONDS) -> None:
        self._dice = dice
        self.outside: AnyState | None = None
        first, *self._steps = meaning.steps
        self.states: list[AnyState]
        self.states, self._more = first_states(first, MOST_INITIAL, seconds, seconds)
        self._parents: dict[AnyState, AnyState | None] = dict.fromkeys(self.states)
        self._fired = [0] * len(self._steps)
        self._waiting = list(range(len(self.states)))
        self.walk(limit, seconds)

    @property
    def complete(self) -> bool:
        """Whether the states are all reachable ones."""
        return not self._waiting and not self._more

    def walk(self, limit: int, seconds: float = MOST_SECONDS) -> None:
        """Walk on until there are so many states, or all, or so many seconds of the processor are over."""
        waiting, dice = self._waiting, self._dice
        until = time.process_time() + seconds
        while waiting and len(self.states) < limit and time.process_time() < until:
            place = dice.randrange(len(waiting))
            waiting[place], waiting[-1] = waiting[-1], waiting[place]
            walk = random_walk(waiting.pop(), partial(self._drawn, until))
            waiting += islice(walk, _STRIDE, _STRIDE + 1)

    def _drawn(self, until: float, at: int) -> int | None:
        """The place of a new state after the one at a place; None if there is none, or no time is left."""
        before, fired, dice = self.states[at], self._fired, self._dice
        ranges = [(action, self._take(step, before)) for action, step in enumerate(self._steps)]
        found = [(fired[action], dice.random(), action, new) for action, new in ranges if new]
        after = None
        if found and time.process_time() <= until:
            _, _, action, new = min(found)
            fired[action] += 1
            after = dice.choice(new)
        self._waiting += [x for _, _, _, some in found for x in some if x != after]
        return after

    def _take(self, step: Callable[..., None], parent: AnyState) -> range:
        """Take the states after a step that are new; their places."""
        found: list[AnyState | None] = []
        step(parent, found.append)
        if self.outside is None and None in found:
            self.outside = parent
        before = len(self.states)
        for state in found:
            if state is not None and state not in self._parents:
                self._parents[state] = parent
                self.states.append(state)
        return range(before, len(self.states))

    def states_to(self, state: AnyState) -> list[AnyState]:
        """The states of a run to a state that was found."""
        chain = [state]
        while (parent := self._parents[chain[-1]]) is not None:
            chain.append(parent)
        return chain[::-1]
