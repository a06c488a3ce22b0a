"""Obligations put to a solver in this process. What they are, and why they suffice, says `obligation`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from leadline.symbolic.concrete import Semantics, no_initial_state
from leadline.symbolic.encode import Encoding
from leadline.symbolic.engines.induction.obligation import Obligation, ObligationKind, conjuncts, obligations
from leadline.symbolic.engines.induction.places import (
    ArbitraryPlace,
    Formulas,
    InitialPlace,
    Place,
    StepPlace,
)
from leadline.symbolic.engines.induction.results import ObligationResult, ObligationVerdict
from leadline.symbolic.engines.memory import own_peak_mb
from leadline.symbolic.engines.query import Query
from leadline.symbolic.engines.verdict import Effort
from leadline.symbolic.lang import Model
from leadline.symbolic.solve import SOLVERS, TRUE, Answer, Solver
from leadline.symbolic.trace import Cti, TraceEnd, call_of, cti_document, end_reason, replay_cti

_INITIAL = "init"


def check_query(model: Model, query: Query, names: Sequence[str]) -> Iterator[ObligationResult]:
    """Check obligations of a query's only property, by its solver.

    Args:
        model: the model that the query speaks of.
        query: the query; its depth and what else concerns unrolling mean nothing here.
        names: the names of the obligations, in the order in which to check them.

    Raises:
        ModelError: if the model has no initial state.
        InternalError: if a counterexample does not replay.
    """
    (goal,) = query.properties or ()
    known = {one.name: one for one in obligations(model, goal)}
    induction = Induction(model, goal, partial(SOLVERS[query.solver], query.seed), query.source)
    for name in names:
        yield induction.check(known[name])


class Induction:
    """Checks the obligations of one goal, best in their fixed order: neighbours share what they need.

    Args:
        model: the model.
        goal: the name of the property to prove.
        new_solver: makes a fresh solver.
        source: the protocol as the catalog finds it, for the documents of counterexamples.

    Raises:
        UserError: if the model has no property of that name.
    """

    def __init__(self, model: Model, goal: str, new_solver: Callable[[], Solver], source: str) -> None:
        self.model = model
        self.semantics = Semantics(model)
        self._actions = {action.name: action for action in model.actions}
        self._formulas = Formulas.of(Encoding(model), conjuncts(model, goal), model.properties[goal])
        self._new_solver = new_solver
        self._source = source
        self._place: tuple[str | None, Place] | None = None

    def check(self, obligation: Obligation) -> ObligationResult:
        """Whether an obligation holds; if not, the counterexample to induction, replayed.

        Raises:
            ModelError: if the model has no initial state.
            InternalError: if a counterexample does not replay.
        """
        begin = time.perf_counter()
        place = self._place_of(obligation)
        failure = place.failure(obligation)
        built = time.perf_counter()
        refuted = -TRUE in failure
        answer = Answer.UNSATISFIABLE if refuted else place.solver.check(failure)
        solve = time.perf_counter() - built
        verdict, reason, document = ObligationVerdict.HOLDS, None, None
        if answer is Answer.UNKNOWN:
            verdict, reason = ObligationVerdict.UNKNOWN, f"the solver gave up: {place.solver.reason()}"
        elif answer is Answer.SATISFIABLE:
            cti = place.cti(obligation)
            replay_cti(self.semantics, cti)
            verdict, reason = ObligationVerdict.FAILS, f"not inductive: {self._why(cti)}"
            document = cti_document(self.model, cti, self._source)
        size = place.solver.statistics()
        total = time.perf_counter() - begin
        effort = Effort(built - begin, solve, total, own_peak_mb(), size["variables"], size["clauses"])
        return ObligationResult(obligation.name, place.solver.name, verdict, reason, effort, document)

    def _place_of(self, obligation: Obligation) -> Place:
        """Where the obligation is asked: where the one before was, if that will do."""
        # The initial states have a solver of their own. One that was told of an arbitrary state that
        # satisfies all conjuncts refutes whatever it is asked if there is no such state.
        starts = obligation.kind in (ObligationKind.INITIAL_IN_BOUNDS, ObligationKind.INITIATION)
        key = _INITIAL if starts else obligation.action
        if self._place is None or self._place[0] != key:
            self._place = None  # The solver there is freed before another is filled.
            self._place = key, self._initial() if starts else self._arbitrary(obligation.action)
        return self._place[1]

    def _initial(self) -> InitialPlace:
        place = InitialPlace(self._formulas, self._new_solver())
        ways = [place.circuit.disj((place.possible, place.outside))]
        if place.solver.check(ways) is Answer.UNSATISFIABLE:
            raise no_initial_state(self.model)
        return place

    def _arbitrary(self, action: str | None) -> ArbitraryPlace:
        solver = self._new_solver()
        if action is None:
            return ArbitraryPlace(self._formulas, solver)
        return StepPlace(self._formulas, solver, self._actions[action])

    def _why(self, cti: Cti) -> str:
        """What goes wrong, in a few words."""
        end = cti.fragment
        if end.ends is TraceEnd.OUT_OF_BOUNDS:
            what = (
                f"the evaluation of {end.property}" if end.property else call_of(self.model, end.stages[-1])
            )
            return f"{what} goes out of bounds ({end_reason(self.semantics, end)})"
        where = "after a step from" if end.steps else "in"
        state = "a state that satisfies every conjunct" if cti.conjuncts else "an initial state"
        return f"{end.property} is false {where} {state}"
