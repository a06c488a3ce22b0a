"""Premises of a claim as fairness conditions of a graph, of which the search for runs keeps account by itself.

A run that violates a disjunction violates each of its parts. To violate `<>[]P` is to satisfy `[]<>~P`, a
condition like weak fairness; to violate `[]<>P /\\ <>[]Q` is to satisfy `<>[]~P \\/ []<>~Q`, one like strong
fairness. In the tableau of the whole formula each of the latter would double the states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leadline.symbolic.concrete.fair import OutsideAt
from leadline.symbolic.concrete.graph import Graph
from leadline.symbolic.concrete.runs import Runs
from leadline.symbolic.lang import (
    Always,
    Both,
    Either,
    Eventually,
    Happens,
    Holds,
    LeadsTo,
    Negated,
    OutOfBounds,
    Temporal,
    formulas,
)


@dataclass(frozen=True)
class Condition:
    """A condition that the runs wanted satisfy.

    Attributes:
        able: of a condition like strong fairness, a formula about a state; None of one like weak fairness.
        left: a formula about a state and the step from it. Steps that violate it serve the condition.
    """

    able: Temporal | None
    left: Temporal


def conditions_in(formula: Temporal) -> tuple[list[Condition], Temporal]:
    """The conditions that a run violating a formula in normal form satisfies, and the rest of the formula."""
    items = formula.items if isinstance(formula, Either) else (formula,)
    found: list[Condition] = []
    rest: list[Temporal] = []
    for one in items:
        match one:
            case Eventually(Always(left)) if _is_plain(left):
                found.append(Condition(None, left))
            case Both((Always(Eventually(able)), Eventually(Always(left)))) if _is_plain(left) and _is_plain(
                able, steps=False
            ):
                found.append(Condition(able, left))
            case _:
                rest.append(one)
    return found, rest[0] if len(rest) == 1 else Either(tuple(rest))


def _is_plain(formula: Temporal, *, steps: bool = True) -> bool:
    """Whether a formula is about one state and, if allowed, the step from it."""
    others = (Always, Eventually, LeadsTo) if steps else (Always, Eventually, LeadsTo, Happens)
    return not any(isinstance(one, others) for one in formulas(formula))


class Conditioned:
    """A graph with more conditions. Its attributes are those of `Graph`.

    Args:
        graph: the graph.
        runs: evaluates predicates.
        conditions: the conditions.
    """

    def __init__(self, graph: Graph, runs: Runs, conditions: list[Condition]) -> None:
        self.states, self.begun = graph.states, graph.begun
        self._graph, self._runs = graph, runs
        first = (graph.weak | graph.strong).bit_length()
        self._conditions = [(1 << (first + i), one) for i, one in enumerate(conditions)]
        self.weak = graph.weak | sum(bit for bit, one in self._conditions if one.able is None)
        self.strong = graph.strong | sum(bit for bit, one in self._conditions if one.able is not None)
        self.able = [able | self._able(place) for place, able in enumerate(graph.able)]
        self._known: dict[int, list[tuple[int, int]]] = {}

    def _able(self, place: int) -> int:
        return sum(
            bit for bit, one in self._conditions if one.able is None or self._value(one.able, place, place)
        )

    def steps(self, place: int) -> Iterator[tuple[int, int]]:
        """The steps from a state: where each leads, and the mask of the conditions that it serves."""
        if place not in self._known:
            self._known[place] = [
                (target, mask | self._served(place, target)) for target, mask in self._graph.steps(place)
            ]
        return iter(self._known[place])

    def _served(self, place: int, target: int) -> int:
        return sum(bit for bit, one in self._conditions if not self._value(one.left, place, target))

    def _value(self, formula: Temporal, place: int, target: int) -> bool:
        try:
            match formula:
                case Holds(node=node):
                    return self._runs.holds(node, self.states[place])
                case Happens(node=node):
                    return self._runs.happens(node, self.states[place], self.states[target])
                case Negated(item=item):
                    return not self._value(item, place, target)
                case Both(items=items):
                    return all(self._value(x, place, target) for x in items)
                case Either(items=items):
                    return any(self._value(x, place, target) for x in items)
        except OutOfBounds as error:
            raise OutsideAt((place, target)) from error
        raise TypeError(f"{type(formula).__name__} is not about a state and a step")
