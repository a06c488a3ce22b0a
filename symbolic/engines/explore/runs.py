"""Claims about runs, answered by the states that an exploration has found.

On circuits the product of a model and a monitor is explored with all its steps (`fair_run`); on values the graph
of the states is searched for fair runs (`Explicit`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product as tuples

from leadline.symbolic import bits
from leadline.symbolic.concrete import Runs, Semantics, State
from leadline.symbolic.concrete.runs import graph_of
from leadline.symbolic.engines.explore.circuits import path_through
from leadline.symbolic.engines.runs.formulas import SafetyPart, split
from leadline.symbolic.engines.runs.loops import SAVE
from leadline.symbolic.engines.runs.product import CHOICE, Mark, Product, Watched
from leadline.symbolic.lang import (
    BOOL,
    NOWHERE,
    Happens,
    Model,
    ModelError,
    OutOfBounds,
    Property,
    Temporal,
    Value,
    formulas,
    nodes as n,
)
from leadline.symbolic.lang.nodes import Node, replaced
from leadline.symbolic.meaning import Explorer, fair, path_of
from leadline.symbolic.meaning.graph import OutsideAt
from leadline.symbolic.trace import Step, Trace, TraceEnd, replay, trace_of_path

_LEVEL = -1_000
"""Of leaves: no variable that a model binds has it, and no pick of a machine."""


class Takers:
    """The steps of a machine that take the actions of conditions of fairness.

    A condition counts if its steps are steps of the machine, one for one. Then no formula is needed that tells of
    each of the machine's steps whether it has the effect of one of these: another step that has it lies beside one
    of these between the same states, and a fair run may take either.

    Args:
        search: a search of the model that met no step out of bounds.
        formula: the claim with the conditions.

    Attributes:
        leaves: for each condition that counts the leaf that stands for it, which is true of its steps.
    """

    def __init__(self, search: bits.Search, formula: Temporal) -> None:
        self.leaves: dict[Happens, n.Bound] = {}
        self._taken: dict[tuple[int, frozenset[tuple[str, Value]]], set[n.Bound]] = {}
        machine, within = search.machine, search.machine.model.constraints
        wanted = dict.fromkeys(x for x in formulas(formula) if isinstance(x, Happens) and x.actions)
        for one in wanted if not search.failures else ():
            places = None
            with suppress(bits.NoCircuits, ModelError, RecursionError):
                places = machine.steps_of(action.within(within) for action in one.actions)
            if places is not None:
                leaf = n.make(n.Bound, BOOL, NOWHERE, f"(taken {len(self.leaves)})", _LEVEL)
                self.leaves[one] = leaf
                for move in (machine.moves[place] for place in places):
                    self._taken.setdefault((move.action, frozenset(move.picks.items())), set()).add(leaf)

    def at(self, place: int, picks: Mapping[str, Value]) -> dict[n.Bound, Value]:
        """The values of the leaves at a step of a product, given the place of its action and its picks."""
        own = frozenset((name, value) for name, value in picks.items() if name != CHOICE)
        taken = self._taken.get((place, own), ())
        return {leaf: leaf in taken for leaf in self.leaves.values()}


def fair_run(product: Product, name: str, max_states: int | None, takers: Takers) -> Trace | None:
    """A fair run of a product, as a trace of it that saves the state in which its loop begins; or None.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
        max_states: the number of the product's states at which to stop; None for no limit.
        takers: tells the values of leaves in the product.

    Raises:
        NoCircuits: if the product has no circuits, or too many conditions.
    """
    actions = tuple(one.action for one in product.watched)
    model = Model(product.base.protocol, {}, product.variables, product.init, actions, {})
    notes = [list(_notes(product, one)) for one in product.watched]
    recurrent, strong = (sum(map(_number, marks)) for marks in (product.recurrent, product.strong))
    conditions = bits.Conditions(recurrent, strong)
    bits.require_notes(conditions.notes)
    try:
        machine = bits.Machine(model, notes, known=takers.at)
        begin = bits.initial_states(model)
    except (ModelError, RecursionError) as error:
        raise bits.NoCircuits(str(error)) from error
    search = bits.Search(machine, max_states=max_states, notes=conditions.notes)
    search.run(begin)
    assert search.steps is not None
    loop = search.steps.graph(search.table.size).fair_loop(conditions)
    return None if loop is None else _trace(search, loop, name)


def _notes(product: Product, one: Watched) -> Iterator[n.Node]:
    """The notes on the steps of an action, in the order of `Conditions`."""
    noted = [(product.recurrent, one.met), (product.strong, product.able), (product.strong, one.taken)]
    for marks, nodes in noted:
        for mark, node in zip(marks, nodes, strict=True):
            for values in tuples(*(key.type.values() for key in mark.keys)):
                pairs = zip(mark.keys, values, strict=True)
                yield replaced(node, {key: n.make(n.Const, key.type, NOWHERE, x) for key, x in pairs})


def _number(mark: Mark) -> int:
    """The number of tuples of values at each of which a mark stands by itself."""
    return len(list(tuples(*(key.type.values() for key in mark.keys))))


def _trace(search: bits.Search, loop: Sequence[int], name: str) -> Trace:
    """The run to a loop and around it. A run that stops saves no state."""
    stem = search.path(loop[0])
    around = [*loop[1:], loop[0]] if len(loop) > 1 else []
    states = search.states[[*stem, *around]]
    path = [*path_through(search, Semantics(search.machine.model), states)]
    if around:
        path.insert(len(stem), Step(SAVE, {}, path[len(stem) - 1].state))
    return trace_of_path(tuple(path), TraceEnd.VIOLATES, name)


def folded(trace: Trace) -> Trace:
    """The same run with the loop as early as may be: a monitor may have gone around once before it noticed."""
    states = [stage.state for stage in trace.stages]
    loop, end = trace.loop, len(states) - 1
    while loop and states[loop - 1] == states[end - 1 if loop < end else end]:
        loop, end = loop - 1, end - 1
    return replace(trace, loop=loop, steps=trace.steps[:end])


class Explicit:
    """The graph that an exploration has found.

    Args:
        explorer: the exploration, after its end.
    """

    def __init__(self, explorer: Explorer[Semantics]) -> None:
        self.semantics = explorer.semantics
        self.runs = Runs(self.semantics)
        begun = [place for place, parent in enumerate(explorer.parents) if parent < 0]
        self.graph = graph_of(self.semantics, explorer.order, explorer.endings, begun)
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
        safety, rest = split(formula)
        outside: list[tuple[int, ...]] = []
        bad = [self._first(nodes, moments, outside) for nodes, moments in self._moments(safety) if nodes]
        paths = [self._to(places) for places in bad if places is not None]
        if paths:
            return self._trace(min(paths, key=len), name)
        word = None
        try:
            if not outside and rest is not None:
                word = fair.fair_run(fair.Product(self.graph, self.runs, rest))
        except OutsideAt as error:
            outside.append(error.places)
        if outside:
            return self._trace(min(map(self._to, outside), key=len), name, outside=True)
        return None if word is None else self._trace(word.visited, name, word.loop)

    def _first(
        self, nodes: Sequence[Node], moments: Iterator[tuple[int, ...]], outside: list[tuple[int, ...]]
    ) -> tuple[int, ...] | None:
        """The first of some states or steps that is wrong. The first that is out of bounds is noted."""
        beyond = None
        for places in moments:
            try:
                if self._is_wrong(nodes, places):
                    return places
            except OutOfBounds:
                beyond = beyond or places
        outside += [] if beyond is None else [beyond]
        return None

    def _moments(self, safety: SafetyPart) -> Iterator[tuple[Sequence[Node], Iterator[tuple[int, ...]]]]:
        """The predicates of a claim that finite runs can violate, with the states and steps to look at."""
        every = range(len(self.graph.states))
        yield safety.initial, ((place,) for place in self.graph.begun)
        yield safety.states, ((place,) for place in every)
        yield safety.steps, ((place, target) for place in every for target, _ in self.graph.steps(place))

    def _is_wrong(self, nodes: Sequence[Node], places: tuple[int, ...]) -> bool:
        """Whether a state does not satisfy all of some predicates, or a step satisfies one."""
        states = [self.graph.states[place] for place in places]
        if len(states) == 1:
            return not all(self.runs.holds(node, states[0]) for node in nodes)
        return any(self.runs.happens(node, *states) for node in nodes)

    def _to(self, places: tuple[int, ...]) -> list[State]:
        """The states to the first of one or two places, and these."""
        return [
            *self._explorer.states_to(places[0])[:-1],
            *(self.graph.states[place] for place in places),
        ]

    def _trace(
        self, states: Sequence[State], name: str, loop: int | None = None, *, outside: bool = False
    ) -> Trace:
        ends = TraceEnd.OUT_OF_BOUNDS if outside else TraceEnd.VIOLATES
        path = path_of(self.semantics, states)
        return replace(trace_of_path(path, ends, name), loop=loop)
