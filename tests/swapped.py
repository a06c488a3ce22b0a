"""Swapping members of a sort in states: the brute-force check that a model treats them alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import Listed, Map, Model, Option, Record, Seq, Set, Sort, Tuple, Type, Union
from leadline.symbolic.lang.symmetry import sorts_in
from leadline.symbolic.lang.types import Value

MOST = 1500
"""States at which the search ends, after the step it is in."""


def assert_closed(model: Model, sorts: Iterable[Sort], depth: int) -> None:
    """Within each number of steps, swapping two neighbouring members maps the states onto themselves."""
    swaps = [swap for one in sorts for swap in neighbours(one)]
    for states in levels(model, depth):
        for swap in swaps:
            assert {renamed_state(model, state, swap) for state in states} == states


def levels(model: Model, depth: int) -> Iterator[set[State]]:
    """The states within 0, 1, ... steps."""
    semantics = Semantics(model)
    new = {x.state for x in semantics.initial() if x.state is not None}
    seen = set(new)
    yield seen
    for _ in range(depth):
        if len(seen) > MOST:
            return
        found = {x.state for state in new for x in semantics.successors(state)}
        new = {state for state in found if state is not None and state not in seen}
        seen |= new
        yield seen


def neighbours(one: Sort) -> Iterator[dict[str, str]]:
    """The swaps of two neighbouring members: they generate every permutation."""
    for a, b in pairwise(one.members):
        yield {a: b, b: a}


def renamed_state(model: Model, state: State, swap: dict[str, str]) -> State:
    return tuple(renamed(v.type, value, swap) for v, value in zip(model.variables, state, strict=True))


def renamed(kind: Type, value: Value, swap: dict[str, str]) -> Value:
    """A value with two members of a sort swapped; no other sort has a member of these names."""
    if value is None or not sorts_in(kind):
        return value
    match kind:
        case Sort():
            return swap.get(value, value)
        case Listed(item=item):
            return kind.by_value[renamed(item, kind.value_of(value), swap)]
        case Option(item=item):
            return renamed(item, value, swap)
        case Set(item=item):
            return frozenset(renamed(item, x, swap) for x in value)
        case Seq(item=item):
            return tuple(renamed(item, x, swap) for x in value)
        case Union():
            return value[0], renamed(kind.by_tag[value[0]], value[1], swap)
        case Map(key=key, value=item):
            pairs = zip(kind.keys, value, strict=True)
            there = {renamed(key, k, swap): renamed(item, x, swap) for k, x in pairs}
            return tuple(there[k] for k in kind.keys)
    assert isinstance(kind, Record | Tuple)
    return tuple(renamed(part, x, swap) for part, x in zip(kind.parts, value, strict=True))
