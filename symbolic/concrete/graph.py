"""The fairness conditions that each step of a model serves, in the graph of the states found."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from leadline.symbolic.concrete.runs import changes_beyond
from leadline.symbolic.concrete.semantics import Semantics, State
from leadline.symbolic.lang import Arm, Fairness, Model, Value
from leadline.symbolic.meaning.graph import FoundGraph

Steps: TypeAlias = Callable[[State], Iterator[tuple[State | None, int]]]
"""The steps of an action from a state: where each leads, None if out of bounds, and its mask."""


def graph_of(
    semantics: Semantics, states: Sequence[State], beyond: Collection[int], begun: Sequence[int]
) -> FoundGraph:
    """The graph of states that an exploration of a model has found.

    Args:
        semantics: the concrete meaning of the model.
        states: the states.
        beyond: the places of states beyond a constraint, which have no steps.
        begun: the places of the initial states.
    """
    served, *masks = _conditions(semantics.model)
    actions = [_steps(semantics, action.name, served) for action in semantics.model.actions]

    def found(place: int) -> tuple[int, dict[State, int]]:
        able, after = 0, dict[State, int]()
        for steps in actions:
            for target, mask in steps(states[place]):
                able |= mask
                if target is not None:
                    after[target] = after.get(target, 0) | mask
        return able, after

    return FoundGraph(states, beyond, begun, (masks[0], masks[1]), found)


@dataclass(frozen=True)
class _Served:
    """A fairness condition as steps of one action serve it.

    Attributes:
        arm: the condition's arm.
        watched: the places of the variables of which a step must change one.
        bits: the mask of the condition at each tuple of values.
    """

    arm: Arm
    watched: tuple[int, ...]
    bits: Mapping[tuple[Value, ...], int]


def _conditions(model: Model) -> tuple[list[_Served], int, int]:
    """The arms of all conditions, and the masks of the weak and of the strong ones."""
    places = {variable.name: place for place, variable in enumerate(model.variables)}
    served, masks, bit = [], {False: 0, True: 0}, 1
    for fair in model.fairness:
        bits = {}
        for keys in _keys(fair):
            bits[keys] = bit
            masks[fair.strong] |= bit
            bit <<= 1
        watched = tuple(places[name] for name in fair.of) or tuple(range(len(places)))
        served += [_Served(arm, watched, bits) for arm in fair.arms]
    return served, masks[False], masks[True]


def _keys(fair: Fairness) -> Iterator[tuple[Value, ...]]:
    return itertools.product(*(tuple(kind.values()) for kind in fair.types))


def _steps(semantics: Semantics, action: str, served: Sequence[_Served]) -> Steps:
    """The function that gives an action's steps. Picks are looked at only where a condition's values need them."""
    own = [one for one in served if one.arm.action == action]
    number = next(i for i, one in enumerate(semantics.model.actions, start=1) if one.name == action)
    by_picks = any(one.arm.keys for one in own)

    def mask(before: State, after: State | None, picks: Mapping[str, Value]) -> int:
        found = 0
        for one in own:
            if after is None:
                counts = changes_beyond(semantics, before, action, picks, one.watched)
            else:
                counts = any(before[i] != after[i] for i in one.watched)
            if counts:
                found |= one.bits[tuple(semantics.evaluate(key, before, picks) for key in one.arm.keys)]
        return found

    def plain(state: State) -> Iterator[tuple[State | None, int]]:
        reached: list[State | None] = []
        semantics.steps[number](state, reached.append)
        if own and None in reached:
            return picking(state)
        return ((after, mask(state, after, {})) for after in reached if after is not None)

    def picking(state: State) -> Iterator[tuple[State | None, int]]:
        for outcome in semantics.attempts(state, action):
            if outcome is not None:
                yield outcome.state, mask(state, outcome.state, dict(outcome.picks))

    return picking if by_picks else plain
