"""Induction as an engine: obligations put to a solver in this process; `obligation` says why they suffice.

A context is a state, perhaps with a step from it, and the formulas over both, in one solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.encode import Encoding, Instance, Template, Unrolled
from leadline.symbolic.encode.expressions import Claim
from leadline.symbolic.engines.ask.engine import AboutRuns, Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import Answer, Cause, Effort, Part, Result, Verdict
from leadline.symbolic.engines.prove.induction.obligation import (
    Obligation,
    ObligationKind,
    chosen_obligations,
    conjuncts,
    obligations,
)
from leadline.symbolic.engines.run.limits import Limits, own_peak_mb
from leadline.symbolic.lang import Action, Model, Property
from leadline.symbolic.solve import TRUE, Satisfiability, Solver
from leadline.symbolic.trace import Cti, Step, Trace, TraceEnd, call_of, end_reason, replay_cti


@dataclass(frozen=True)
class ProofFormulas:
    """The formulas of an inductive proof, encoded once for all contexts.

    Attributes:
        encoding: the model's templates.
        conjuncts: the names of the conjuncts.
        template: the formulas over one state.
        claims: each formula by its name, the goal among them.
    """

    encoding: Encoding
    conjuncts: tuple[str, ...]
    template: Template
    claims: dict[str, Claim]

    @classmethod
    def of(cls, encoding: Encoding, conjuncts: Sequence[Property], goal: Property) -> ProofFormulas:
        """The formulas of a model's conjuncts and goal."""
        targets = {one.name: one for one in (*conjuncts, goal)}
        made = encoding.predicates([*targets.values()])
        claims = dict(zip(targets, made.claims, strict=True))
        return cls(encoding, tuple(one.name for one in conjuncts), made.template, claims)


class Context:
    """Any state within the declared types that satisfies all conjuncts, in one solver. There may be none.

    Args:
        formulas: the formulas of the proof.
        solver: a fresh solver.
    """

    def __init__(self, formulas: ProofFormulas, solver: Solver) -> None:
        self.formulas = formulas
        self.encoding = formulas.encoding
        self.solver = solver
        self.circuit = Unrolled(solver)
        self._begin()

    def _begin(self) -> None:
        self._row = self.encoding.any_state(self.circuit)
        self._here = self.at(self._row)
        for name in self.formulas.conjuncts:
            self.circuit.require([[-self.broken(name, self._here)]])

    def failure(self, obligation: Obligation) -> list[int]:
        """Literals that are satisfiable together if and only if the obligation fails."""
        return [self.broken(obligation.conjunct, self._here)]

    def cti(self, obligation: Obligation) -> Cti:
        """The counterexample in the solver's model, not yet replayed."""
        fragment = Trace({}, self.state(self._row), (), *self.ending(obligation.conjunct, self._here))
        return Cti(obligation.name, self.formulas.conjuncts, fragment)

    def at(self, row: Sequence[int]) -> Instance:
        """The formulas over the state of a row of literals."""
        return Instance(self.formulas.template, row, self.circuit)

    def broken(self, name: str | None, at: Instance) -> int:
        """The literal for a formula not being satisfied in a state."""
        assert name is not None, "the obligation is about a formula"
        return self.circuit.disj(map(at, self.formulas.claims[name]))

    def state(self, row: Sequence[int]) -> State:
        """The state of a row of literals in the solver's model."""
        return self.encoding.decode(row, self.solver.true)

    def ending(self, name: str | None, at: Instance) -> tuple[TraceEnd, str]:
        """How a formula fails in the solver's model, and its name."""
        assert name is not None, "the obligation is about a formula"
        false = self.solver.true(at(self.formulas.claims[name].violated))
        return (TraceEnd.VIOLATES if false else TraceEnd.OUT_OF_BOUNDS), name


class InitialContext(Context):
    """An initial state.

    Attributes:
        possible: true if and only if there is one within bounds.
        outside: true if and only if there is one out of bounds.
    """

    def _begin(self) -> None:
        initial = self.encoding.initial
        self._initial = Instance(initial.template, (), self.circuit)
        self.possible = self._initial(initial.possible)
        self.outside = self._initial(initial.out_of_bounds)
        self._row = self._initial.all(initial.state)
        self._here = self.at(self._row)

    def failure(self, obligation: Obligation) -> list[int]:
        if obligation.kind is ObligationKind.INITIAL_IN_BOUNDS:
            return [self.outside]
        return [self.possible, *super().failure(obligation)]

    def cti(self, obligation: Obligation) -> Cti:
        picks = self.encoding.initial.picks(lambda literal: self.solver.true(self._initial(literal)))
        if obligation.kind is ObligationKind.INITIAL_IN_BOUNDS:
            return Cti(obligation.name, (), Trace(picks, None, (), TraceEnd.OUT_OF_BOUNDS))
        return Cti(obligation.name, (), replace(super().cti(obligation).fragment, initial_picks=picks))


class StepContext(Context):
    """A step of one action from any state within the declared types that satisfies all conjuncts.

    The action is encoded by itself. A part of the state that it does not change has the same literals after
    as before, so that a formula over such parts folds to the one before.
    """

    def __init__(self, formulas: ProofFormulas, solver: Solver, action: Action) -> None:
        super().__init__(formulas, solver)
        alone = replace(self.encoding.model, actions=(action,))
        self._relation = Encoding(alone).step
        self._step = Instance(self._relation.template, self._row, self.circuit)

    @cached_property
    def _after(self) -> tuple[int, ...]:
        return self._step.all(self._relation.state)

    @cached_property
    def _there(self) -> Instance:
        return self.at(self._after)

    def failure(self, obligation: Obligation) -> list[int]:
        if obligation.kind is ObligationKind.STEP_IN_BOUNDS:
            return [self._step(self._relation.out_of_bounds)]
        return [self._step(self._relation.taken), self.broken(obligation.conjunct, self._there)]

    def cti(self, obligation: Obligation) -> Cti:
        action, picks = self._relation.chosen(lambda literal: self.solver.true(self._step(literal)))
        after: State | None = None
        ends: tuple[TraceEnd, str | None] = TraceEnd.OUT_OF_BOUNDS, None
        if obligation.kind is not ObligationKind.STEP_IN_BOUNDS:
            after, ends = self.state(self._after), self.ending(obligation.conjunct, self._there)
        fragment = Trace({}, self.state(self._row), (Step(action.name, picks, after),), *ends)
        return Cti(obligation.name, self.formulas.conjuncts, fragment)


_INITIAL = "init"


class Checker:
    """Checks the obligations of one goal. Neighbours in their fixed order share a context, so keep the order.

    Args:
        model: the model.
        goal: the name of the property to prove.
        new_solver: makes a fresh solver.

    Raises:
        UserError: if the model has no property of that name.
    """

    def __init__(self, model: Model, goal: str, new_solver: Callable[[], Solver]) -> None:
        self.model = model
        self.goal = goal
        self.semantics = Semantics(model)
        self._actions = {action.name: action for action in model.actions}
        self._formulas = ProofFormulas.of(Encoding(model), conjuncts(model, goal), model.properties[goal])
        self._new_solver = new_solver
        self._context: tuple[str | None, Context] | None = None

    def check(self, obligation: Obligation) -> Result:
        """Whether an obligation holds; if not, the counterexample to induction, replayed.

        Raises:
            ModelError: if the model has no initial state.
            InternalError: if a counterexample does not replay.
        """
        begin = time.perf_counter()
        context = self._context_of(obligation)
        solver = context.solver
        failure = context.failure(obligation)
        built = time.perf_counter()
        refuted = -TRUE in failure
        answer = Satisfiability.UNSATISFIABLE if refuted else solver.check(failure)
        solve = time.perf_counter() - built
        verdict, reason, cti, cause = Verdict.PROVED, self.model.scope or None, None, None
        if answer is Satisfiability.UNKNOWN:
            verdict, cause = Verdict.UNKNOWN, Cause.SOLVER
            reason = f"the solver gave up: {solver.reason()}"
        elif answer is Satisfiability.SATISFIABLE:
            cti = context.cti(obligation)
            replay_cti(self.semantics, cti)
            verdict, cause = Verdict.UNKNOWN, Cause.NOT_INDUCTIVE
            reason = f"not inductive: {self._why(cti)}"
        total = time.perf_counter() - begin
        effort = Effort(built - begin, solve, total, own_peak_mb(), solver.variables, solver.clauses)
        return Result(
            property=self.goal,
            engine="induction",
            verdict=verdict,
            effort=effort,
            solver=solver.name,
            part=obligation.name,
            reason=reason,
            cause=cause,
            cti=cti,
        )

    def _context_of(self, obligation: Obligation) -> Context:
        """The context for an obligation: that of the one before, if it fits."""
        # The initial states need a solver of their own: one with an arbitrary state that satisfies all
        # conjuncts refutes every question if there is no such state.
        starts = obligation.kind in (ObligationKind.INITIAL_IN_BOUNDS, ObligationKind.INITIATION)
        key = _INITIAL if starts else obligation.action
        if self._context is None or self._context[0] != key:
            self._context = None  # Free its solver before filling another.
            self._context = key, self._initial() if starts else self._arbitrary(obligation.action)
        return self._context[1]

    def _initial(self) -> InitialContext:
        context = InitialContext(self._formulas, self._new_solver())
        ways = [context.circuit.disj((context.possible, context.outside))]
        if context.solver.check(ways) is Satisfiability.UNSATISFIABLE:
            raise Semantics(self.model).no_initial_state()
        return context

    def _arbitrary(self, action: str | None) -> Context:
        solver = self._new_solver()
        if action is None:
            return Context(self._formulas, solver)
        return StepContext(self._formulas, solver, self._actions[action])

    def _why(self, cti: Cti) -> str:
        """The failure in a few words."""
        end = cti.fragment
        if end.ends is TraceEnd.OUT_OF_BOUNDS:
            what = (
                f"the evaluation of {end.property}" if end.property else call_of(self.model, end.stages[-1])
            )
            return f"{what} goes out of bounds ({end_reason(self.semantics, end)})"
        where = "after a step from" if end.steps else "in"
        state = "a state that satisfies every conjunct" if cti.conjuncts else "an initial state"
        return f"{end.property} is false {where} {state}"


@dataclass(frozen=True)
class InductionOptions(Options):
    """The options of an inductive proof.

    Attributes:
        obligations: the names of the obligations to check; all if there are none.
        backwards: whether the last obligation is checked first.
    """

    engine = "induction"

    obligations: tuple[str, ...] = option(
        (),
        flag="obligation",
        metavar="NAME",
        doc="check only this obligation, which is no proof; repeat it for several",
    )
    backwards: bool = False

    @property
    def part(self) -> str | None:
        return self.obligations[0] if len(self.obligations) == 1 else None

    def beside(self) -> Self:
        """The second solver begins with the last obligation."""
        return replace(self, backwards=True)


class Induction(Engine):
    """Proof by induction with the strengthenings that a property has."""

    options = InductionOptions
    runs = AboutRuns.REFUSED

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        results = []
        for goal in query.names(model):
            checker = Checker(model, goal, new_solver)
            known = {one.name: one for one in obligations(model, goal)}
            for name in _names(query, model, goal):
                results.append(checker.check(known[name]))
                listener.done(results[-1])
        return Answer(results)

    def suits(self, model: Model, goal: str) -> str | None:
        """The reason, if the property is of states and has strengthenings."""
        if goal in model.properties and model.properties[goal].temporal is not None:
            return None
        own = [one.name for one in conjuncts(model, goal)]
        return None if own == [goal] else "strengthenings are written for it"

    def parts(self, model: Model, query: Query) -> tuple[Part, ...]:
        return tuple((goal, name) for goal in query.names(model) for name in _names(query, model, goal))


def _names(query: Query, model: Model, goal: str) -> tuple[str, ...]:
    options = query.options_as(InductionOptions)
    names = tuple(one.name for one in chosen_obligations(model, goal, options.obligations))
    return names[::-1] if options.backwards else names
