"""Claims about runs, answered on the graph of the states that an exploration has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.symbolic.concrete import Runs, Semantics, State
from leadline.symbolic.concrete.runs import graph_of
from leadline.symbolic.engines.runs.formulas import split
from leadline.symbolic.lang import OutOfBounds, Property, Temporal, expanded
from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.meaning import Explorer, path_of
from leadline.symbolic.meaning.fair import Product, fair_run
from leadline.symbolic.meaning.graph import Conditioned, OutsideAt, conditions_in
from leadline.symbolic.trace import Trace, TraceEnd, replay, trace_of_path


class Explicit:
    """The graph that an exploration has found.

    Args:
        explorer: the exploration, after its end.
    """

    def __init__(self, explorer: Explorer[Semantics]) -> None:
        self.semantics = explorer.semantics
        self.runs = Runs(self.semantics)
        begun = [place for place, parent in enumerate(explorer.parents) if parent < 0]
        self.graph = graph_of(self.semantics, explorer.order, explorer.beyond, begun)
        self._explorer = explorer

    def counterexample(self, claim: Property) -> Trace | None:
        """A run that violates a claim, or one on which its evaluation goes out of bounds, replayed.

        None if there is no such run among the states found.
        """
        assert claim.temporal is not None
        trace = self._found(claim.temporal, claim.name)
        if trace is not None:
            replay(self.semantics, trace)
        return trace

    def _found(self, formula: Temporal, name: str) -> Trace | None:
        try:
            safety, rest = split(formula)
            initial = (place for place in self.graph.begun if self._fails(safety.initial, place))
            path = self._to(next(initial, None)) or self._to(self._bad_state(safety.states))
            path = path or self._bad_step(safety.steps)
            if path is not None:
                return self._trace(path, name)
            word = None if rest is None else fair_run(self._product(expanded(rest)))
        except OutsideAt as outside:
            path = [self.graph.states[place] for place in outside.places]
            return self._trace([*(self._to(outside.places[0]) or [])[:-1], *path], name, outside=True)
        if word is None:
            return None
        length = len(word.states)
        stutters = word.loop == length - 1
        states = [*word.states, *([] if stutters else [word.states[word.loop]])]
        return self._trace(states, name, word.loop)

    def _product(self, formula: Temporal) -> Product:
        conditions, rest = conditions_in(formula)
        if not conditions:
            return Product(self.graph, self.runs, formula)
        return Product(Conditioned(self.graph, self.runs, conditions), self.runs, rest)

    def _fails(self, nodes: Sequence[Node], place: int) -> bool:
        try:
            return not all(self.runs.holds(node, self.graph.states[place]) for node in nodes)
        except OutOfBounds as error:
            raise OutsideAt((place,)) from error

    def _bad_state(self, nodes: Sequence[Node]) -> int | None:
        places = range(len(self.graph.states)) if nodes else ()
        return next((place for place in places if self._fails(nodes, place)), None)

    def _bad_step(self, nodes: Sequence[Node]) -> list[State] | None:
        """A path to the first step that satisfies one of some predicates."""
        states = self.graph.states
        for place in range(len(states)) if nodes else ():
            for target, _ in self.graph.steps(place):
                try:
                    if any(self.runs.happens(node, states[place], states[target]) for node in nodes):
                        return [*(self._to(place) or []), states[target]]
                except OutOfBounds as error:
                    raise OutsideAt((place, target)) from error
        return None

    def _to(self, place: int | None) -> list[State] | None:
        return None if place is None else self._explorer.states_to(place)

    def _trace(
        self, states: Sequence[State], name: str, loop: int | None = None, *, outside: bool = False
    ) -> Trace:
        ends = TraceEnd.OUT_OF_BOUNDS if outside else TraceEnd.VIOLATES
        path = path_of(self.semantics, states)
        return replace(trace_of_path(path, ends, name), loop=loop)
