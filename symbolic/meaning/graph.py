"""The graph of the states that an exploration has found, with the fairness conditions that each step serves."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from leadline.symbolic.meaning.interface import Meaning, State, is_within


class OutsideAt(Exception):
    """The evaluation of a predicate goes out of bounds.

    Attributes:
        places: the place of the state, or those of the states before and after the step.
    """

    def __init__(self, places: tuple[int, ...]) -> None:
        super().__init__()
        self.places = places


Found: TypeAlias = Callable[[int], tuple[int, Mapping[State, int]]]
"""For the place of a state, the mask of what can be taken there, and the states after it with their masks."""


class FoundGraph:
    """The states that an exploration has found, and the steps between them, each of which is found once.

    A fairness condition at some values has a bit. A set of such conditions is a number, its mask.

    Args:
        states: the states.
        beyond: the places of states from which no run goes on, such as those beyond a constraint.
        begun: the places of the initial states.
        masks: the masks of the weak and of the strong conditions.
        found: finds the steps from a state.

    Attributes:
        able: for each state, the mask of the conditions of which an action can be taken.
        weak: the mask of the weak conditions.
        strong: the mask of the strong conditions.
    """

    def __init__(
        self,
        states: Sequence[State],
        beyond: Collection[int],
        begun: Sequence[int],
        masks: tuple[int, int],
        found: Found,
    ) -> None:
        self.states, self.begun = states, begun
        self.weak, self.strong = masks
        self._beyond = beyond
        # Steps in the order of their states: the first of each state, where each leads, its mask by number.
        self._first, self._targets, self._served = array("q", [0]), array("q"), array("q")
        self.able: list[int] = []
        places = {state: place for place, state in enumerate(states)}
        numbers: dict[int, int] = {}
        for place in range(len(states)):
            able, steps = (0, {}) if place in beyond else found(place)
            for after, mask in steps.items():
                if after in places:
                    self._targets.append(places[after])
                    self._served.append(numbers.setdefault(mask, len(numbers)))
            self._first.append(len(self._targets))
            self.able.append(able)
        self._masks = list(numbers)

    def steps(self, place: int) -> Sequence[tuple[int, int]]:
        """The steps from a state, the stuttering one first: where each leads, and its mask."""
        first, end = self._first[place], self._first[place + 1]
        masks = map(self._masks.__getitem__, self._served[first:end])
        stutter = () if place in self._beyond else ((place, 0),)
        return [*stutter, *zip(self._targets[first:end], masks, strict=True)]


# -- merged states ---------------------------------------------------------------------------------------


class TooLarge(Exception):
    """A graph is too large.

    Attributes:
        nodes: whether its nodes are too many, not the states that they stand for.
    """

    def __init__(self, *, nodes: bool) -> None:
        super().__init__()
        self.nodes = nodes


@dataclass(frozen=True)
class Merged:
    """The graph of reachable states, those with one label as one node.

    Attributes:
        nodes: the label of each node.
        first: the nodes of initial states.
        edges: for the places of two nodes, the places of the actions that lead from one to the other.
        outside: for the place of a node, the actions that go out of bounds there.
    """

    nodes: tuple[Hashable, ...]
    first: frozenset[int]
    edges: Mapping[tuple[int, int], Set[int]]
    outside: Mapping[int, Set[int]]

    @classmethod
    def of(
        cls,
        meaning: Meaning,
        label: Callable[[State], Hashable],
        depth: int | None = None,
        most: int = 500,
        most_states: int = 1_000_000,
    ) -> Merged:
        """The graph of all reachable states, or of those within so many steps.

        Args:
            meaning: the meaning of a protocol.
            label: the label of a state.
            depth: the steps.
            most: the most nodes.
            most_states: the most states.

        Raises:
            TooLarge: if there are more.
            ModelError: if there is no initial state.
        """
        begin, *actions = meaning.steps
        within, nodes = meaning.constraint, dict[Hashable, int]()
        places: dict[State, int] = {}
        edges, outside = dict[tuple[int, int], set[int]](), dict[int, set[int]]()

        def place(state: State) -> int | None:
            """The node of a state; None beyond a constraint, where TLC draws none either."""
            if state in places:
                return places[state]
            if not is_within(within, state):
                return None
            found = nodes.setdefault(label(state), len(nodes))
            places[state] = found
            level.append(state)
            if len(nodes) > most or len(places) > most_states:
                raise TooLarge(nodes=len(nodes) > most)
            return found

        level: list[State] = []
        starts: list[State | None] = []
        begin(None, starts.append)
        first = frozenset(at for one in starts if one is not None and (at := place(one)) is not None)
        if not starts:
            raise meaning.no_initial_state()
        steps = 0
        while level and (depth is None or steps < depth):
            last, level, steps = level, [], steps + 1
            for state in last:
                for number, step in enumerate(actions):
                    after: list[State | None] = []
                    step(state, after.append)
                    for one in after:
                        if one is None:
                            outside.setdefault(places[state], set()).add(number)
                        elif (at := place(one)) is not None:
                            edges.setdefault((places[state], at), set()).add(number)
        return cls(tuple(nodes), first, edges, outside)
