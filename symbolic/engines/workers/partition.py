"""The owner of each state: by values that seldom change, so that most steps stay with one worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from itertools import combinations
from typing import Any, TypeAlias

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.workers.worker import Owner
from leadline.symbolic.lang import Map, Model, Record, Tuple

_SAMPLE = 400
"""States of which the steps are looked at."""
_SENDING = 0.6
"""The cost of sending a state, and taking it, as a share of that of finding it."""
_HASHING = 0.15
"""The cost of telling the owner of a state by a hash, likewise; a step that leaves the values alone needs none."""
_KEYS = 64
"""The least number of values, for each worker, that a state is told by."""
_BUCKETS = 256
"""The number of classes of hashes, each of which has an owner."""
_BEST = 6
"""Places of which each two are tried together."""

_Place: TypeAlias = tuple[int, ...]
"""A variable, or a component of it."""
_Step: TypeAlias = tuple[State, State]


def partition(semantics: Semantics, states: Sequence[State], known: Set[State], workers: int) -> Owner:
    """The cheapest of some ways to divide states among workers.

    A way divides the states of a level evenly. It is judged by the states after them: where these are not
    divided evenly any more, those to come would be even less so.

    Args:
        semantics: the meaning of the model.
        states: the states of one level.
        known: these, and all that were found before.
        workers: the number of workers.
    """
    sample = states[:: max(1, len(states) // _SAMPLE)]
    steps = list[_Step]()
    for state in sample:
        found: list[State | None] = []
        for step in semantics.steps[1:]:
            step(state, found.append)
        steps += [(state, one) for one in found if one is not None]
    after = list({one for _, one in steps if one not in known})

    def cost(some: Sequence[_Place], *, few: bool = False) -> float:
        return _cost(some, steps, states, after, workers, few=few)

    alone = [(place,) for place in _places(semantics.model)]
    alone.sort(key=lambda some: cost(some, few=True))
    chosen = [*alone, *((one, other) for (one,), (other,) in combinations(alone[:_BEST], 2)), ()]
    return _owner(min(chosen, key=cost), [*states, *after], workers)


def _places(model: Model) -> list[_Place]:
    """The variables, and the components of those whose values are tuples of one length."""
    found = list[_Place]()
    for place, variable in enumerate(model.variables):
        found.append((place,))
        match variable.type:
            case Map() as kind:
                found += [(place, part) for part in range(kind.key.cardinality)]
            case (Tuple() | Record()) as kind:
                found += [(place, part) for part in range(len(kind.parts))]
    return found


def _key(places: Sequence[_Place]) -> Callable[[State], Any]:
    """A function to the values at some places; at none of them, to all of the state."""
    match places:
        case [(one,)]:
            return lambda state: state[one]
        case [(one, part)]:
            return lambda state: state[one][part]
        case [(one,), (other,)]:
            return lambda state: (state[one], state[other])
        case [(one, part), (other,)] | [(other,), (one, part)]:
            return lambda state: (state[one][part], state[other])
        case [(one, part), (other, component)]:
            return lambda state: (state[one][part], state[other][component])
    return lambda state: state


def _owner(places: Sequence[_Place], states: Sequence[State], workers: int) -> Owner:
    """The owner by the values at some places, so that each has as many of some states."""
    key = _key(places)
    sizes = Counter(hash((key(state),)) % _BUCKETS for state in states)
    work, owners = [0] * workers, [bucket % workers for bucket in range(_BUCKETS)]
    for bucket, size in sizes.most_common():
        owners[bucket] = work.index(min(work))
        work[owners[bucket]] += size
    variables = [place[0] for place in places]
    return Owner(
        lambda state: owners[hash((key(state),)) % _BUCKETS],
        (variables[0], variables[-1]) if variables else None,
    )


def _cost(
    places: Sequence[_Place],
    steps: Sequence[_Step],
    states: Sequence[State],
    after: Sequence[State],
    workers: int,
    *,
    few: bool,
) -> float:
    """The work of the worker that has most, with one worker as 1.

    Args:
        places: the places that tell the owner.
        steps: some steps.
        states: the states of the level in which they begin.
        after: the new states in which they end, each once.
        workers: the number of workers.
        few: whether there may be few values, as where those at another place join them.
    """
    if not few and len(set(map(_key(places), after))) < min(_KEYS * workers, len(after) // 2):
        return float("inf")
    owner = _owner(places, states, workers)
    most = max(Counter(map(owner.of, after)).values(), default=0) / max(1, len(after))
    sent = sum(owner.of(one) != owner.of(other) for one, other in steps) / max(1, len(steps))
    watched = {place[0] for place in places} or range(len(steps[0][0]) if steps else 0)
    changed = sum(any(one[x] is not other[x] for x in watched) for one, other in steps) / max(1, len(steps))
    return most * (1 + _SENDING * sent + _HASHING * changed)
