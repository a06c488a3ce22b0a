"""The search that bounded checks share: layer by layer, for several properties at once."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, StatePredicates, Unrolling
from leadline.symbolic.engines.verdict import Effort, Result, Verdict
from leadline.symbolic.lang import UserError
from leadline.symbolic.lang.model import Model, Property
from leadline.symbolic.solve import Answer, Solver
from leadline.symbolic.trace import DEADLOCK, Step, Trace, TraceEnd, end_reason, replay

_FALSE = -1


@dataclass
class Clock:
    """Adds up where the time goes."""

    start: float = field(default_factory=time.perf_counter)
    build: float = 0.0
    solve: float = 0.0

    def effort(self, solver: Solver) -> Effort:
        statistics = solver.statistics()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        total = time.perf_counter() - self.start
        return Effort(self.build, self.solve, total, peak, statistics["variables"], statistics["clauses"])


class Search:
    """One search: the solver's clauses grow with the depth, the open properties shrink."""

    def __init__(
        self,
        semantics: Semantics,
        targets: Sequence[Property],
        solver: Solver,
        clock: Clock,
        unroll: Callable[[Encoding, Solver], Unrolling],
    ) -> None:
        self.model: Model = semantics.model
        self.semantics = semantics
        self.targets = list(targets)
        self.solver = solver
        self.clock = clock
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

    # -- asking the solver ------------------------------------------------------------------------

    def ask(self, assumption: int) -> bool:
        """Whether the assumption can be met; False once the solver does not know (`unknown` says why)."""
        if assumption == _FALSE or self.unknown is not None:
            return False
        begin = time.perf_counter()
        answer = self.solver.check([assumption])
        self.clock.solve += time.perf_counter() - begin
        if answer is Answer.UNKNOWN:
            self.unknown = f"the solver gave up: {self.solver.reason()}"
        return answer is Answer.SATISFIABLE

    def any_of(self, literals: Sequence[int]) -> int:
        """A literal that implies one of the literals."""
        possible = [literal for literal in literals if literal != _FALSE]
        if len(possible) < 2:
            return possible[0] if possible else _FALSE
        some = self.solver.new_variables(1)
        self.solver.add([(-some, *possible)])
        return some

    def exclude(self, literals: Sequence[int]) -> None:
        """Assert what the solver has just refuted: it helps the deeper layers."""
        self.solver.add([(-literal,) for literal in literals if literal != _FALSE])

    # -- one depth --------------------------------------------------------------------------------

    def start(self) -> None:
        """Look at the initial states.

        Raises:
            UserError: if there is none.
        """
        initial = self.unrolling
        if self.ask(initial.initial_out_of_bounds):
            self.out_of_bounds = self._trace(-1, TraceEnd.OUT_OF_BOUNDS, None)
        initial.assert_initial()
        if not self.ask(1) and self.unknown is None and self.out_of_bounds is None:
            raise UserError(
                f"{self.model.protocol} has no initial state: the guards of init ({self.model.init.span}) "
                "exclude every pick"
            )

    def look(self, depth: int) -> None:
        """Look for violations in the states after `depth` steps."""
        begin = time.perf_counter()
        here = self.unrolling.predicates(self.predicates, depth)
        self.clock.build += time.perf_counter() - begin
        still = [i for i, one in enumerate(self.targets) if one.name not in self.found]
        violated = {i: here(self.predicates.violated[i]) for i in still}
        self._search_each(depth, violated, self.found, violates=True)
        if self.unknown is None:
            for i in still:
                if self.targets[i].name not in self.found:
                    self.depths[self.targets[i].name] = depth
        outside = {
            i: here(self.predicates.out_of_bounds[i])
            for i in still
            if self.targets[i].name not in {DEADLOCK, *self.found, *self.own_out_of_bounds}
        }
        self._search_each(depth, outside, self.own_out_of_bounds, violates=False)

    def _search_each(
        self, depth: int, literals: dict[int, int], into: dict[str, Trace], *, violates: bool
    ) -> None:
        left = dict(literals)
        while left and self.ask(self.any_of(list(left.values()))):
            for i, literal in list(left.items()):
                if literal != _FALSE and self.solver.true(literal):
                    into[self.targets[i].name] = self._trace(depth, *self._end(self.targets[i], violates))
                    del left[i]
        if self.unknown is None:
            self.exclude(list(left.values()))

    @staticmethod
    def _end(target: Property, violates: bool) -> tuple[TraceEnd, str | None]:
        if target.name == DEADLOCK:
            return TraceEnd.DEADLOCK, None
        return (TraceEnd.VIOLATES if violates else TraceEnd.OUT_OF_BOUNDS), target.name

    def advance(self, depth: int) -> None:
        """Look for steps out of bounds from the states after `depth` steps, then go on by one step."""
        begin = time.perf_counter()
        outside = self.any_of(self.unrolling.out_of_bounds(depth))
        self.clock.build += time.perf_counter() - begin
        if self.out_of_bounds is None and self.ask(outside):
            self.out_of_bounds = self._trace(depth, TraceEnd.OUT_OF_BOUNDS, None, beyond=True)
        begin = time.perf_counter()
        self.unrolling.extend()
        self.clock.build += time.perf_counter() - begin

    # -- counterexamples --------------------------------------------------------------------------

    def _trace(self, depth: int, ends: TraceEnd, name: str | None, *, beyond: bool = False) -> Trace:
        """The run in the solver's model, replayed. With `beyond`, its last step goes out of bounds."""
        run = self.unrolling.run(depth, self.solver.true, beyond=beyond)
        steps = tuple(Step(step.action.name, step.picks, step.state) for step in run.steps)
        trace = Trace(run.initial_picks, run.initial, steps, ends, name)
        replay(self.semantics, trace)
        return trace

    @property
    def open(self) -> tuple[str, ...]:
        """The properties without a counterexample so far."""
        return tuple(one.name for one in self.targets if one.name not in self.found)

    def result(self, name: str, unroll: str) -> Result:
        """The answer about a property as things stand."""
        trace, verdict, reason = self.found.get(name), Verdict.VIOLATED, None
        if trace is None:
            trace = self.own_out_of_bounds.get(name) or self.out_of_bounds
            verdict = Verdict.OUT_OF_BOUNDS
            if trace is not None:
                reason = end_reason(self.semantics, trace)
        if trace is None:
            verdict, reason = (Verdict.UNKNOWN, self.unknown) if self.unknown else (Verdict.SAFE, None)
        return Result(
            protocol=self.model.protocol,
            parameters=self.model.parameters,
            property=name,
            engine="bmc",
            unroll=unroll,
            solver=self.solver.name,
            verdict=verdict,
            depth=self.depths[name],
            steps=trace.length if trace is not None else None,
            effort=self.clock.effort(self.solver),
            trace=trace,
            reason=reason,
        )
