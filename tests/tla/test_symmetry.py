"""The states that SYMMETRY takes for one, against all permutations of what states are made of."""

from __future__ import annotations

import random
from itertools import permutations
from typing import TypeAlias

import pytest

from leadline.symbolic.tla.values import symmetry
from leadline.symbolic.tla.values.symmetry import Orbits, State, group
from leadline.symbolic.tla.values.values import function, model_value, sequence

Parts: TypeAlias = "tuple[int, list[int], list[tuple[int, int]]]"
"""A leader, the vote of each process, and the messages under way, from one process to another."""
PROCESSES = [model_value(name) for name in ("p1", "p2", "p3", "p4")]


def state_of(parts: Parts) -> State:
    leader, votes, messages = parts
    p = PROCESSES
    sent = frozenset(sequence([p[one], p[other]]) for one, other in messages)
    bag = function({sequence([p[one]]): other for one, other in messages})
    return p[leader], function({p[one]: p[other] for one, other in enumerate(votes)}), sent, bag


def least(parts: Parts) -> str:
    """One text for all parts that a permutation turns into each other."""
    leader, votes, messages = parts

    def moved(to: tuple[int, ...]) -> str:
        votes_of = sorted((to[one], to[other]) for one, other in enumerate(votes))
        # The count of a process in the bag is a number, which stays.
        bag = {to[one]: other for one, other in messages}
        return str((to[leader], votes_of, sorted((to[x], to[y]) for x, y in messages), sorted(bag.items())))

    return min(map(moved, permutations(range(len(PROCESSES)))))


@pytest.mark.parametrize("sampled", [10, 100_000])
def test_states_are_one_where_a_permutation_turns_them_into_each_other(
    sampled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symmetry, "_SAMPLED", sampled)
    p = PROCESSES
    orbits = Orbits(group([{p[0]: p[1], p[1]: p[0]}, dict(zip(p, [*p[1:], p[0]], strict=True))]))
    chance = random.Random(7)
    found: dict[str, State] = {}
    for _ in range(1500):
        count = len(p)
        messages = [(chance.randrange(count), chance.randrange(count)) for _ in range(chance.randrange(4))]
        parts = chance.randrange(2), [chance.choice((0, 1)) for _ in p], sorted(dict(messages).items())
        state = state_of(parts)
        first = orbits(state)
        assert found.setdefault(least(parts), state) == first
    assert len(set(found.values())) == len(found) > 100
