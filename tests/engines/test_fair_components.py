"""Components and fair loops of random graphs, beside their definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from leadline.symbolic.bits.fair import Conditions, Graph, components

STATES = 8
CONDITIONS = Conditions(recurrent=2, strong=1)


def random_graph(seed: int) -> Graph:
    chance = random.Random(seed)
    number = chance.randrange(1, 3 * STATES)
    ends = [[chance.randrange(STATES) for _ in range(number)] for _ in range(2)]
    able = [chance.random() < 0.5 for _ in range(STATES)]
    # Which actions can be taken is the same for all steps from a state, and what is taken can be taken.
    marks = [
        chance.choice((0, 0, 1, 2, 3)) | (0b0100 | chance.choice((0, 0b1000)) if able[begin] else 0)
        for begin in ends[0]
    ]
    return Graph(STATES, np.array(ends[0], np.int32), np.array(ends[1], np.int32), np.array(marks, np.uint8))


def reached(graph: Graph) -> list[set[int]]:
    """For each state those that some steps lead to."""
    steps = list(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    found = [{end for begin, end in steps if begin == state} for state in range(STATES)]
    for _ in range(STATES):
        for states in found:
            states |= {end for begin, end in steps if begin in states}
    return found


def is_fair(graph: Graph, states: set[int]) -> bool:
    """Whether a run may take all steps between some states again and again, and be fair."""
    inside = np.isin(graph.source, list(states)) & np.isin(graph.target, list(states))
    own = graph.where(inside)
    to = reached(own)
    all_marks = int(np.bitwise_or.reduce(own.marks, initial=0))
    return all(states <= to[x] for x in states) and all_marks & 3 == 3 and all_marks >> 2 & 3 != 1


@pytest.mark.parametrize("seed", range(60))
def test_components(seed: int) -> None:
    graph = random_graph(seed)
    to, label = reached(graph), components(graph)
    for one in range(STATES):
        for other in range(STATES):
            together = one != other and other in to[one] and one in to[other]
            alike = one != other and label[one] == label[other] and label[one] >= 0
            assert together == alike


@pytest.mark.parametrize("seed", range(25))
def test_fair_loops(seed: int) -> None:
    graph = random_graph(seed)
    loop = graph.fair_loop(CONDITIONS)
    fair = [
        states
        for mask in range(1, 1 << STATES)
        if is_fair(graph, states := {x for x in range(STATES) if mask >> x & 1})
    ]
    assert (loop is not None) == bool(fair)
    if loop is not None:
        assert min(map(min, fair)) == loop[0] or len(loop) == 1
        taken = np.zeros(len(graph.source), np.bool_)
        for begin, end in zip(loop, [*loop[1:], loop[0]], strict=True):
            taken |= (graph.source == begin) & (graph.target == end)
        assert is_fair(graph.where(taken), set(loop))


def test_the_sample_has_fair_loops_of_several_states_and_none() -> None:
    loops = [random_graph(seed).fair_loop(CONDITIONS) for seed in range(60)]
    lengths = {0 if loop is None else min(len(loop), 2) for loop in loops}
    assert lengths == {0, 1, 2}
