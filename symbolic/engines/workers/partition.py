"""The owner of each state: by the variables that seldom change, so that most steps stay with one worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from operator import itemgetter

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.workers.worker import Owner

_SAMPLE = 1_000
"""States of which the steps are looked at."""
_SENDING = 0.6
"""The cost of sending a state, and taking it, as a share of that of finding it."""
_HASHING = 0.15
"""The cost of telling the owner of a state by a hash, likewise; a step that leaves the values alone needs none."""
_KEYS = 64
"""The least number of values, for each worker, that a state is told by."""


def partition(semantics: Semantics, states: Sequence[State], workers: int) -> Owner:
    """The cheapest of some ways to divide states among workers, judged by the steps of a few.

    Args:
        semantics: the meaning of the model.
        states: the states of one level.
        workers: the number of workers.
    """
    sample = states[:: max(1, len(states) // _SAMPLE)]
    steps = list[tuple[State, State]]()
    for state in sample:
        found: list[State | None] = []
        for step in semantics.steps[1:]:
            step(state, found.append)
        steps += [(state, one) for one in found if one is not None]
    places = range(len(semantics.model.variables))
    chosen = [*((x,) for x in places), *combinations(places, 2), tuple(places)]
    return _owner(min(chosen, key=lambda some: _cost(some, steps, workers)), workers)


def _owner(places: Sequence[int], workers: int) -> Owner:
    """The owner by the values of some variables."""
    match places:
        case [place]:
            return Owner(lambda state: hash((state[place],)) % workers, (place, place))
        case [first, second]:
            return Owner(lambda state: hash((state[first], state[second])) % workers, (first, second))
    return Owner(lambda state: hash(state) % workers, None)


def _cost(places: Sequence[int], steps: Sequence[tuple[State, State]], workers: int) -> float:
    """The work of the worker that has most, with one worker as 1."""
    owner, after = _owner(places, workers).of, {one for _, one in steps}
    values = {itemgetter(*places)(one) for one in after}
    if len(values) < min(_KEYS * workers, len(after) // 2):
        return float("inf")
    most = max(Counter(map(owner, after)).values(), default=0) / max(1, len(after))
    sent = sum(owner(one) != owner(other) for one, other in steps) / max(1, len(steps))
    changed = sum(any(one[x] is not other[x] for x in places) for one, other in steps) / max(1, len(steps))
    return most * (1 + _SENDING * sent + _HASHING * changed)
