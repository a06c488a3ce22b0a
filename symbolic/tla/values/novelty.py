"""The novelty of a state: whether a fact, or a pair of facts, is true in it that was true in no state before.

A fact is a value at a place of a state: that r1 is the leader, that a message was sent. States outnumber pairs of
facts by far. A search that goes on from those with a new fact or pair first is soon deep, and most bugs need no
more than a few facts in turn. Programs that plan search so: N. Lipovetzky, H. Geffner, Width and Serialization of
Classical Planning Problems, ECAI 2012, and Best-First Width Search, AAAI 2017.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from leadline.symbolic.tla.values.interpreter import State
from leadline.symbolic.tla.values.values import Value, items_of

RANKS = 3
"""The number of ranks: a new fact, a new pair of facts, neither."""
_MOST = 20_000
"""The most facts that are told apart; later ones count as one. Each pair of them takes a bit."""

Place: TypeAlias = tuple[Any, ...]


class Novelty:
    """Ranks states by what is new in them, in the order in which they are given.

    Args:
        variables: the number of variables.
    """

    def __init__(self, variables: int) -> None:
        self._numbers: dict[tuple[Place, Value], int] = {}
        self._facts: list[dict[Value, tuple[int, list[int]]]] = [{} for _ in range(variables)]
        self._met = 0
        self._beside: list[int] = []  # for each fact, as bits, those that were true together with it

    def rank(self, state: State, before: State | None) -> int:
        """The rank of a state: 0 for a new fact, 1 for a new pair of facts, 2 for neither.

        Args:
            state: the state.
            before: the state that it is a step from, which was ranked; None for an initial one.
        """
        found = [self._of(place, value) for place, value in enumerate(state)]
        every = 0
        for facts, _ in found:
            every |= facts
        new, self._met = every & ~self._met, self._met | every
        rank = 0 if new else 2
        for place, (_, numbers) in enumerate(found):
            if before is None or before[place] != state[place]:
                for number in numbers:
                    rank = min(rank, 1 if self._pair(number, every) else 2)
        return rank

    def _of(self, place: int, value: Value) -> tuple[int, list[int]]:
        """The facts of a variable that has a value, as bits and as numbers."""
        known = self._facts[place].get(value)
        if known is None:
            facts = 0
            for fact in _facts(value, (place,)):
                number = self._numbers.setdefault(fact, min(len(self._numbers), _MOST))
                facts |= 1 << number
            self._beside += [0] * (facts.bit_length() - len(self._beside))
            known = self._facts[place][value] = facts, list(_bits(facts))
        return known

    def _pair(self, number: int, every: int) -> bool:
        """Whether a fact is true together with another one for the first time, given all that are true."""
        new = every & ~self._beside[number]
        self._beside[number] |= new
        for other in _bits(new):
            self._beside[other] |= 1 << number
        return new != 0


def _facts(value: Value, place: Place) -> Iterator[tuple[Place, Value]]:
    """The facts of a value at a place: one for each scalar part of it, and for each member of a set."""
    if isinstance(value, tuple) and len(value) > 1:
        for key, part in items_of(value):
            yield from _facts(part, (*place, key))
    elif isinstance(value, frozenset) and value:
        yield from (((*place, "member"), one) for one in value)
    else:
        yield place, value


def _bits(number: int) -> Iterator[int]:
    while number:
        least = number & -number
        yield least.bit_length() - 1
        number ^= least
