"""Symmetry: states that permutations of model values turn into each other count as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from leadline.symbolic.tla.values import ModelValue, Value, domain_of, items_of

State: TypeAlias = tuple[Value, ...]
_Permutation: TypeAlias = Mapping[Value, Value]


def group(generators: Iterable[Value]) -> list[_Permutation]:
    """All permutations that combine those of a symmetry set; the identity is left out.

    Args:
        generators: the functions of the symmetry set.
    """
    given = [{x: y for x, y in items_of(f) if x is not y} for f in generators]
    found = {frozenset[tuple[Value, Value]](): dict[Value, Value]()}
    work = list(found.values())
    while work:
        one = work.pop()
        for other in given:
            both = {x: other.get(one.get(x, x), one.get(x, x)) for x in one.keys() | other.keys()}
            made = {x: y for x, y in both.items() if x is not y}
            if (key := frozenset(made.items())) not in found:
                found[key] = made
                work.append(made)
    return [one for one in found.values() if one]


class Orbits:
    """The states that were seen first of all that permutations turn into each other.

    Args:
        permutations: a group without the identity.
    """

    def __init__(self, permutations: Iterable[_Permutation]) -> None:
        self._moves = [_Move(one) for one in permutations]
        self._first: set[State] = set()

    def __call__(self, state: State) -> State:
        """The first state seen of those that a state can be turned into; itself if there is none."""
        if state in self._first:
            return state
        for move in self._moves:
            image = tuple([move(x) for x in state])
            if image in self._first:
                return image
        self._first.add(state)
        return state


class _Move:
    """A permutation of model values, applied to values."""

    def __init__(self, permutation: _Permutation) -> None:
        self._known: dict[Value, Value] = dict(permutation)

    def __call__(self, value: Value) -> Value:
        kind = value.__class__
        if isinstance(value, ModelValue):
            return self._known.get(value, value)
        if kind is not tuple and kind is not frozenset:
            return value
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._moved(value)
        return found

    def _moved(self, value: Value) -> Value:
        if value.__class__ is frozenset:
            return frozenset(map(self, value))
        graph = {self(x): self(y) for x, y in items_of(value)}
        domain = domain_of(frozenset(graph))
        return (domain, *[graph[x] for x in domain.keys])
