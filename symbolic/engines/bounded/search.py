"""The search that bounded checks share: layer by layer, for several properties at once.

Freedom from deadlock is a property here, so that engines search for a deadlock as for any other violation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, Instance, StatePredicates, Unrolling
from leadline.symbolic.encode.circuit import FALSE
from leadline.symbolic.engines.ask.query import Query
from leadline.symbolic.engines.ask.result import Cause, Effort, Result, Verdict
from leadline.symbolic.engines.run.limits import own_peak_mb
from leadline.symbolic.lang import BOOL, Model, Property, PropertyKind, enabledness, nodes as n
from leadline.symbolic.solve import Satisfiability, Solver
from leadline.symbolic.trace import DEADLOCK, Trace, TraceEnd, end_reason, replay, trace_of_path


def deadlock_property(model: Model) -> Property:
    """The property that some action is enabled; a state beyond a constraint is no deadlock.

    Where an action goes out of bounds, so does the evaluation of the formula: that is no deadlock.
    """
    span = model.init.span
    enabled = tuple(enabledness(action) for action in model.actions)
    formula: n.Node = n.make(n.Or, BOOL, span, enabled) if enabled else n.make(n.Const, BOOL, span, False)
    if model.constraints:
        formula = n.make(n.Implies, BOOL, span, model.constraint, formula)
    doc = "Some action is enabled in every state."
    return Property(DEADLOCK, "Deadlock", PropertyKind.INVARIANT, doc, span, formula)


def claim_named(model: Model, name: str) -> Property:
    """The property of a name, which may be the deadlock's."""
    return deadlock_property(model) if name == DEADLOCK else model.properties[name]


def targets_of(model: Model, query: Query) -> list[Property]:
    """The properties that a query asks for, the absence of deadlocks among them."""
    return [claim_named(model, name) for name in query.names(model)]


@dataclass
class Clock:
    """Adds up seconds of building and of solving."""

    start: float = field(default_factory=time.perf_counter)
    build: float = 0.0
    solve: float = 0.0

    def effort(self, solver: Solver) -> Effort:
        total = time.perf_counter() - self.start
        return Effort(self.build, self.solve, total, own_peak_mb(), solver.variables, solver.clauses)


@dataclass(frozen=True)
class SolverQuestion:
    """The question whether a run leads to a violation, a deadlock, or out of bounds.

    Attributes:
        literal: true if and only if there is such a run.
        depth: the number of layers before the state that it leads to.
        ends: the kind of its end.
        target: the property; None for a step out of bounds.
        beyond: whether the run goes one step further than that state.
    """

    literal: int
    depth: int
    ends: TraceEnd
    target: str | None
    beyond: bool = False


class BoundedSearch:
    """One search: with the depth, the clauses get more and the open properties fewer.

    Args:
        semantics: the concrete meaning of the model, which every counterexample must pass.
        targets: the properties.
        solver: a fresh solver.
        clock: adds up the seconds.
        unroll: makes the unrolling.
        put_off: whether to ask about steps out of bounds only at the end.
    """

    def __init__(
        self,
        semantics: Semantics,
        targets: Sequence[Property],
        solver: Solver,
        clock: Clock,
        unroll: Callable[[Encoding, Solver], Unrolling],
        *,
        put_off: bool = False,
    ) -> None:
        self.model: Model = semantics.model
        self.semantics = semantics
        self.targets = list(targets)
        self.solver = solver
        self.clock = clock
        self.put_off = put_off
        self._here: list[Instance] = []
        self.found: dict[str, Trace] = {}
        self.depths: dict[str, int] = dict.fromkeys((one.name for one in targets), -1)
        self.own_out_of_bounds: dict[str, Trace] = {}
        self.out_of_bounds: Trace | None = None
        self.unknown: str | None = None
        begin = time.perf_counter()
        self.encoding = Encoding(self.model)
        self.predicates: StatePredicates = self.encoding.predicates(self.targets)
        self.unrolling = unroll(self.encoding, solver)
        clock.build += time.perf_counter() - begin

    def layers(self, most: int, *, refuted: int = -1) -> Iterator[int]:
        """Look at the depths up to the most, until the search is over, and give each that was looked at.

        Args:
            most: the last depth, 0 or more.
            refuted: as of `look`.

        Raises:
            ModelError: if there is no initial state.
        """
        self.start()
        for depth in range(most + 1):
            self.look(depth, last=depth == most, refuted=refuted)
            yield depth
            if self.over:
                break
            if depth < most:
                begin = time.perf_counter()
                self.unrolling.extend()
                self.clock.build += time.perf_counter() - begin

    # -- asking the solver ------------------------------------------------------------------------

    def ask(self, assumption: int) -> bool:
        """Whether the assumption is satisfiable; False once the solver gave up (`unknown` has the reason)."""
        if assumption == FALSE or self.unknown is not None:
            return False
        begin = time.perf_counter()
        answer = self.solver.check([assumption])
        self.clock.solve += time.perf_counter() - begin
        if answer is Satisfiability.UNKNOWN:
            self.unknown = f"the solver gave up: {self.solver.reason()}"
        return answer is Satisfiability.SATISFIABLE

    def any_of(self, literals: Sequence[int]) -> int:
        """A literal that implies the disjunction of the literals."""
        possible = [literal for literal in literals if literal != FALSE]
        if len(possible) < 2:
            return possible[0] if possible else FALSE
        some = self.solver.new_variables(1)
        self.solver.add([(-some, *possible)])
        return some

    def exclude(self, literals: Sequence[int]) -> None:
        """Assert the negation of literals that the solver has just refuted, which helps in deeper layers."""
        self.solver.add([(-literal,) for literal in literals if literal != FALSE])

    # -- one depth --------------------------------------------------------------------------------

    def start(self) -> None:
        """Look at the initial states.

        Raises:
            ModelError: if there is none.
        """
        initial = self.unrolling
        if self.ask(initial.initial_out_of_bounds):
            self.out_of_bounds = self._trace(-1, TraceEnd.OUT_OF_BOUNDS, None)
        initial.assert_initial()
        if not self.ask(1) and self.unknown is None and self.out_of_bounds is None:
            raise Semantics(self.model).no_initial_state()

    def look(self, depth: int, *, last: bool, refuted: int = -1) -> None:
        """Look for violations in the state at a depth, and for evaluations and steps out of bounds from it.

        Steps ask for both at once, so that each is found at its least depth. Sweeps ask about steps out of
        bounds at the end: a violation makes that pointless, and it costs as much as the search for one.

        Args:
            depth: the depth.
            last: whether no step from there is of interest.
            refuted: the depth up to which there is no violation, and before which nothing is out of bounds.
        """
        begin = time.perf_counter()
        self._here.append(self.unrolling.predicates(self.predicates, depth))
        violations = self._violations(depth)
        outside = [] if self.put_off else self._out_of_bounds(depth, last=last)
        known = [*(violations if depth <= refuted else []), *(outside if depth < refuted else [])]
        self.exclude([question.literal for question in known])
        questions = [question for question in (*violations, *outside) if question not in known]
        self.clock.build += time.perf_counter() - begin
        self.settle(questions)
        if self.unknown is None:
            self.depths.update(dict.fromkeys(self.open, depth))

    def finish(self) -> None:
        """Ask the questions that were put off, unless every property is violated."""
        if not self.put_off or self.over:
            return
        begin = time.perf_counter()
        last = len(self._here) - 1
        questions = [x for depth in range(last + 1) for x in self._out_of_bounds(depth, last=depth == last)]
        self.clock.build += time.perf_counter() - begin
        self.settle(questions)

    def _violations(self, depth: int) -> list[SolverQuestion]:
        here, found = self._here[depth], []
        for i, target in enumerate(self.targets):
            if target.name not in self.found:
                end = TraceEnd.DEADLOCK if target.name == DEADLOCK else TraceEnd.VIOLATES
                found.append(
                    SolverQuestion(here(self.predicates.claims[i].violated), depth, end, target.name)
                )
        return found

    def _out_of_bounds(self, depth: int, *, last: bool) -> list[SolverQuestion]:
        """Questions about evaluations out of bounds in the state at a depth, and about steps from it."""
        here, found = self._here[depth], []
        for i, target in enumerate(self.targets):
            if target.name != DEADLOCK and target.name not in self.found:
                outside = here(self.predicates.claims[i].outside)
                found.append(SolverQuestion(outside, depth, TraceEnd.OUT_OF_BOUNDS, target.name))
        beyond = [] if last else self.unrolling.out_of_bounds(depth)
        return found + [SolverQuestion(x, depth, TraceEnd.OUT_OF_BOUNDS, None, beyond=True) for x in beyond]

    def settle(self, questions: Sequence[SolverQuestion]) -> None:
        """Find a run for each question that has one, and assert that the others have none."""
        left = [question for question in questions if self._matters(question)]
        while self.ask(self.any_of([question.literal for question in left])):
            # Read all runs in this model of the solver before the next call.
            for question in left:
                if self.solver.true(question.literal) and self._matters(question):
                    self._record(question)
            left = [question for question in left if self._matters(question)]
        if self.unknown is None:
            self.exclude([question.literal for question in left])

    def _matters(self, question: SolverQuestion) -> bool:
        if question.literal == FALSE:
            return False
        if question.target is None:
            return self.out_of_bounds is None
        done = self.own_out_of_bounds if question.ends is TraceEnd.OUT_OF_BOUNDS else self.found
        return question.target not in done

    def _record(self, question: SolverQuestion) -> None:
        named = None if question.ends is TraceEnd.DEADLOCK else question.target
        trace = self._trace(question.depth, question.ends, named, beyond=question.beyond)
        if question.target is None:
            self.out_of_bounds = trace
        elif question.ends is TraceEnd.OUT_OF_BOUNDS:
            self.own_out_of_bounds[question.target] = trace
        else:
            self.found[question.target] = trace

    # -- counterexamples --------------------------------------------------------------------------

    def _trace(self, depth: int, ends: TraceEnd, name: str | None, *, beyond: bool = False) -> Trace:
        """The run in the solver's model, replayed. With `beyond`, its last step goes out of bounds."""
        trace = trace_of_path(self.unrolling.run(depth, self.solver.true, beyond=beyond), ends, name)
        replay(self.semantics, trace)
        return trace

    @property
    def over(self) -> bool:
        """Whether nothing is left to look for: every property is violated, or the solver gave up."""
        return self.unknown is not None or not self.open

    @property
    def open(self) -> tuple[str, ...]:
        """The properties without a counterexample so far."""
        return tuple(one.name for one in self.targets if one.name not in self.found)

    def result(self, name: str, engine: str, unroll: str) -> Result:
        """The present answer about a property."""
        trace, verdict, reason = self.found.get(name), Verdict.VIOLATED, None
        if trace is None:
            both = self.own_out_of_bounds.get(name), self.out_of_bounds
            trace = min((one for one in both if one is not None), key=lambda one: one.length, default=None)
            verdict = Verdict.OUT_OF_BOUNDS
            if trace is not None:
                reason = end_reason(self.semantics, trace)
        if trace is None:
            safe = (Verdict.SAFE, self.model.scope or None)
            verdict, reason = (Verdict.UNKNOWN, self.unknown) if self.unknown else safe
        gave_up = Cause.SOLVER if verdict is Verdict.UNKNOWN else None
        return Result(
            property=name,
            engine=engine,
            unroll=unroll,
            solver=self.solver.name,
            verdict=verdict,
            depth=self.depths[name],
            steps=trace.length if trace is not None else None,
            effort=self.clock.effort(self.solver),
            trace=trace,
            reason=reason,
            cause=gave_up,
        )
