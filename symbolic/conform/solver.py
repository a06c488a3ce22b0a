"""A run that fits a log, by a solver: the step relation layer by layer, with the log's events as clauses.

Each layer takes the step of one event, or a hidden one. A literal for each node, layer and number says that so
many of the node's events are past. Events that only look at the state are steps of an action that changes
nothing. A log is refuted once no run explains its events with the most hidden steps that are allowed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from leadline.symbolic.conform.events import SPAN, Cut, Log, Part, formula
from leadline.symbolic.encode import Encoding, StepsUnrolling
from leadline.symbolic.lang import Action, Model, Property, PropertyKind
from leadline.symbolic.solve import SOLVERS, Satisfiability
from leadline.symbolic.trace import Trace, TraceEnd, trace_of_path

_SOLVER = "cadical"
_LOOK = "look at the state"
_TRUE, _FALSE = 1, -1


class Fitted(NamedTuple):
    """The outcome of a search.

    Attributes:
        run: a run that fits the log or, if none does, the longest prefix; None if none fits that.
        explained: the most events that some run explains.
        fits: whether the run fits the whole log.
        cut: the number of events of each node that the run explains.
        unknown: why the solver gave up, if it did.
        outside: whether a step on the way may leave the model's bounds.
    """

    run: Trace | None
    explained: int
    fits: bool = False
    cut: Cut = ()
    unknown: str | None = None
    outside: bool = False


Numbers = dict[int, int]
"""The literal of each number that something may have."""


class FittingRun:
    """The search for a run that fits a log: the layers so far.

    Args:
        model: the model.
        log: the log.
        hidden: the most hidden steps before an event.
        hidden_actions: the names of the actions that these may be.

    Attributes:
        past: for each node the number of its events that are past after the last layer.
        total: that of all nodes, after each layer.
        shown: for each layer the literal that it is no hidden step.
        stopped: the literal that the run ends before the last layer: it may, to see how far it comes.
        outside: whether some layer may leave the model's bounds.
    """

    def __init__(self, model: Model, log: Log, hidden: int, hidden_actions: Sequence[str]) -> None:
        self.log, self.hidden = log, hidden
        self._hidden_actions = frozenset(hidden_actions)
        look = Action(_LOOK, _LOOK, "", model.init.span, (), ())
        self.encoding = Encoding(replace(model, actions=(*model.actions, look)))
        self._parts = {part: place for place, part in enumerate(log.parts)}
        claims = [
            Property(part.text, part.text, PropertyKind.INVARIANT, "", SPAN, formula(model, part))
            for part in self._parts
        ]
        self._predicates = self.encoding.predicates(claims)
        self.solver = SOLVERS[_SOLVER]()
        self.unrolling = StepsUnrolling(self.encoding, self.solver)
        self.past: list[Numbers] = [{0: _TRUE} for _ in log.nodes]
        self.total: list[Numbers] = [{0: _TRUE}]
        self.shown: list[int] = []
        self.stopped = _FALSE
        self.outside = False

    def run(self) -> Fitted:
        self.unrolling.assert_initial()
        self._tell(0, _TRUE, self.log.begin)
        size, depth = self.log.size, 0
        while True:
            goal = self.total[depth].get(size, _FALSE)
            answer = self.solver.check([goal, -self.stopped])
            if answer is Satisfiability.SATISFIABLE:
                return Fitted(self._trace(depth), size, fits=True)
            if answer is Satisfiability.UNKNOWN:
                return Fitted(None, 0, unknown=f"the solver gave up: {self.solver.reason()}")
            if depth == size * (self.hidden + 1):
                return self._longest_prefix(depth)
            self._look_outside(depth)
            self._extend(depth)
            depth += 1

    def _look_outside(self, depth: int) -> None:
        """Note whether the next layer may leave the bounds, by a hidden step or an action of some event."""
        if not self.outside:
            choices = self.unrolling.choice(depth, ())
            named = {name for calls in self.log.calls for name in calls}
            possible = named | (self._hidden_actions if self.hidden else set())
            chosen = self.unrolling.circuit.disj([choices[name] for name in possible])
            beyond = self.unrolling.circuit.disj(self.unrolling.out_of_bounds(depth))
            found = self.solver.check([chosen, beyond, -self.stopped])
            self.outside = found is not Satisfiability.UNSATISFIABLE

    def _longest_prefix(self, depth: int) -> Fitted:
        """The most events that some run explains, and such a run."""
        events = range(1, self.log.size)
        longest = bisect_left(events, True, key=lambda number: not self._are_explained(number))
        if not self._are_explained(longest):  # no initial state is as the log says
            return Fitted(None, 0, outside=self.outside)
        cut = tuple(next(x for x, one in past.items() if self.solver.true(one)) for past in self.past)
        return Fitted(self._trace(depth), longest, cut=cut, outside=self.outside)

    def _are_explained(self, events: int) -> bool:
        return self.solver.check([self.total[-1].get(events, _FALSE)]) is Satisfiability.SATISFIABLE

    def _trace(self, depth: int) -> Trace:
        found = self.unrolling.run(depth, self.solver.true)
        return trace_of_path(tuple(x for x in found if x.action != _LOOK), TraceEnd.STOPS)

    # -- layers -------------------------------------------------------------------------------------------

    def _extend(self, depth: int) -> None:
        """Add the layer after the state at a depth."""
        choices = self.unrolling.choice(depth, ())
        self.unrolling.extend()
        happens: dict[tuple[int, int], int] = {}
        for node, past in enumerate(self.past):
            for number, literal in past.items():
                if number < len(self.log.nodes[node]):
                    happens[node, number] = self.solver.new_variables(1)
                    self._event(depth, happens[node, number], node, number, literal, choices)
        self._one_of(list(happens.values()), choices)
        self._count(happens)

    def _event(
        self, depth: int, happens: int, node: int, number: int, due: int, choices: Mapping[str, int]
    ) -> None:
        """Assert what holds if a layer takes an event."""
        add = self.solver.add
        add([(-happens, due)])
        for other, least in self._least(node, number).items():
            enough = [x for count, x in self.past[other].items() if count >= least]
            add([(-happens, *enough)])
        event = self.log.event(node, number)
        actions: Mapping[str, Mapping[str, object]] = event.actions or {_LOOK: {}}
        add([(-happens, *(choices[name] for name in actions))])
        for name, picks in actions.items():
            for pick, value in picks.items():
                literals = self.unrolling.picked(depth, name, pick, value)
                add([(-happens, -choices[name], x) for x in literals])
        self._tell(depth, happens, event.before)
        self._tell(depth + 1, happens, event.after)

    def _least(self, node: int, number: int) -> dict[int, int]:
        """How many events of other nodes come before an event."""
        least = dict(self.log.needs.get((node, number), {}))
        if self.log.has_clock:
            earliest = self.log.nodes[node].clock[number] - self.log.clock_error
            for other, one in enumerate(self.log.nodes):
                if other != node:
                    least[other] = max(least.get(other, 0), bisect_left(one.clock, earliest))
        return {other: count for other, count in least.items() if count}

    def _tell(self, depth: int, if_true: int, parts: Sequence[Part]) -> None:
        """Assert that a state has parts, if a literal is true."""
        instance = self.unrolling.predicates(self._predicates, depth)
        for part in parts:
            place = self._parts[part]
            for literal in self._predicates.claims[place]:
                self.solver.add([(-if_true, -instance(literal))])

    def _one_of(self, happens: Sequence[int], choices: Mapping[str, int]) -> None:
        """Assert that a layer takes at most one event, and a hidden step otherwise, with no more than may be."""
        add = self.solver.add
        add([(-x, -y) for place, x in enumerate(happens) for y in happens[:place]])
        stops = self.solver.new_variables(1)
        add([(-self.stopped, stops), (-stops, choices[_LOOK]), *((-stops, -x) for x in happens)])
        self.stopped = stops
        hidden = (x for name, x in choices.items() if name in self._hidden_actions)
        add([(stops, *happens, *hidden)])
        self.shown.append(self.unrolling.circuit.disj(happens))
        window = self.shown[-self.hidden - 1 :]
        if len(window) > self.hidden:
            add([(stops, *window)])

    def _count(self, happens: Mapping[tuple[int, int], int]) -> None:
        """Number the events that are past after the layer."""
        for node, past in enumerate(self.past):
            taken = {number: x for (other, number), x in happens.items() if other == node}
            self.past[node] = self._moved(past, taken)
        total, shown = self.total[-1], self.shown[-1]
        conj = self.unrolling.circuit.conj
        taken = {count: conj((x, shown)) for count, x in total.items() if count < self.log.size}
        self.total.append(self._moved(total, taken))

    def _moved(self, before: Numbers, taken: Numbers) -> Numbers:
        """Numbers after a layer: one more where its event is taken."""
        after: Numbers = {}
        for number in range(min(before), max(before) + 2):
            stays = self.unrolling.circuit.conj((before.get(number, _FALSE), -taken.get(number, _FALSE)))
            found = self.unrolling.circuit.disj((stays, taken.get(number - 1, _FALSE)))
            if found != _FALSE:
                after[number] = found
        return after
