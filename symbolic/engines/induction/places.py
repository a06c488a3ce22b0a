"""Where obligations are asked: a state, maybe a step from it, and the formulas over both, in a solver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from leadline.symbolic.concrete import State
from leadline.symbolic.encode import Encoding, Instance, StatePredicates, Unrolled
from leadline.symbolic.engines.induction.obligation import Obligation, ObligationKind
from leadline.symbolic.lang import Action, Property
from leadline.symbolic.solve import Solver
from leadline.symbolic.trace import Cti, Step, Trace, TraceEnd


@dataclass(frozen=True)
class Formulas:
    """The formulas of an inductive proof, encoded once for all places.

    Attributes:
        encoding: the model's templates.
        conjuncts: the names of the conjuncts.
        places: the place of each formula, the goal's among them, in the predicates.
        predicates: the formulas over one state.
    """

    encoding: Encoding
    conjuncts: tuple[str, ...]
    places: dict[str, int]
    predicates: StatePredicates

    @classmethod
    def of(cls, encoding: Encoding, conjuncts: Sequence[Property], goal: Property) -> Formulas:
        """The formulas of a model's conjuncts and goal."""
        targets = list(dict.fromkeys([*conjuncts, goal]))
        places = {one.name: place for place, one in enumerate(targets)}
        names = tuple(one.name for one in conjuncts)
        return cls(encoding, names, places, encoding.predicates(targets))

    def false(self, name: str) -> int:
        """The template's literal that a formula is false, within bounds."""
        return self.predicates.violated[self.places[name]]

    def outside(self, name: str) -> int:
        """The template's literal that its evaluation is out of bounds."""
        return self.predicates.out_of_bounds[self.places[name]]


class Place(ABC):
    """A place for some of the obligations of a proof.

    Args:
        formulas: the formulas of the proof.
        solver: a fresh solver.
    """

    def __init__(self, formulas: Formulas, solver: Solver) -> None:
        self.formulas = formulas
        self.encoding = formulas.encoding
        self.solver = solver
        self.circuit = Unrolled(solver)

    @abstractmethod
    def failure(self, obligation: Obligation) -> list[int]:
        """Literals that can be true together if and only if the obligation fails."""

    @abstractmethod
    def cti(self, obligation: Obligation) -> Cti:
        """The counterexample in the solver's model. Not replayed yet."""

    def at(self, row: Sequence[int]) -> Instance:
        """The formulas over the state of a row of literals."""
        return Instance(self.formulas.predicates.template, row, self.circuit)

    def broken(self, name: str | None, at: Instance) -> int:
        """The literal that a state does not satisfy a formula."""
        assert name is not None, "the obligation is about a formula"
        return self.circuit.disj((at(self.formulas.false(name)), at(self.formulas.outside(name))))

    def state(self, row: Sequence[int]) -> State:
        """The state of a row of literals in the solver's model."""
        return self.encoding.decode(row, self.solver.true)

    def ending(self, name: str | None, at: Instance) -> tuple[TraceEnd, str]:
        """What is wrong with a formula in the solver's model."""
        assert name is not None, "the obligation is about a formula"
        false = self.solver.true(at(self.formulas.false(name)))
        return (TraceEnd.VIOLATES if false else TraceEnd.OUT_OF_BOUNDS), name


class InitialPlace(Place):
    """An initial state.

    Attributes:
        possible: the literal that there is one, within bounds.
        outside: the literal that one is out of bounds.
    """

    def __init__(self, formulas: Formulas, solver: Solver) -> None:
        super().__init__(formulas, solver)
        initial = self.encoding.initial
        self._initial = Instance(initial.template, (), self.circuit)
        self.possible = self._initial(initial.possible)
        self.outside = self._initial(initial.out_of_bounds)

    @cached_property
    def _row(self) -> tuple[int, ...]:
        return self._initial.all(self.encoding.initial.state)

    @cached_property
    def _here(self) -> Instance:
        return self.at(self._row)

    def failure(self, obligation: Obligation) -> list[int]:
        if obligation.kind is ObligationKind.INITIAL_IN_BOUNDS:
            return [self.outside]
        return [self.possible, self.broken(obligation.conjunct, self._here)]

    def cti(self, obligation: Obligation) -> Cti:
        picks = self.encoding.initial.picks(lambda literal: self.solver.true(self._initial(literal)))
        if obligation.kind is ObligationKind.INITIAL_IN_BOUNDS:
            return Cti(obligation.name, (), Trace(picks, None, (), TraceEnd.OUT_OF_BOUNDS))
        end = self.ending(obligation.conjunct, self._here)
        return Cti(obligation.name, (), Trace(picks, self.state(self._row), (), *end))


class ArbitraryPlace(Place):
    """Any state within the declared types that satisfies all conjuncts. There may be none."""

    def __init__(self, formulas: Formulas, solver: Solver) -> None:
        super().__init__(formulas, solver)
        size = len(self.encoding.input_row)
        first = solver.new_variables(size)
        self.row = tuple(range(first, first + size))
        Instance(self.encoding.validity, self.row, self.circuit)
        self._here = self.at(self.row)
        for name in formulas.conjuncts:
            self.circuit.require([[-self.broken(name, self._here)]])

    def failure(self, obligation: Obligation) -> list[int]:
        return [self.broken(obligation.conjunct, self._here)]

    def cti(self, obligation: Obligation) -> Cti:
        fragment = Trace({}, self.state(self.row), (), *self.ending(obligation.conjunct, self._here))
        return Cti(obligation.name, self.formulas.conjuncts, fragment)


class StepPlace(ArbitraryPlace):
    """A step of one action from such a state.

    The action is encoded by itself: what it leaves as it is has the same literals after as before, so that a
    formula that it does not touch folds to what it was.
    """

    def __init__(self, formulas: Formulas, solver: Solver, action: Action) -> None:
        super().__init__(formulas, solver)
        alone = replace(self.encoding.model, actions=(action,))
        self._relation = Encoding(alone).step
        self._step = Instance(self._relation.template, self.row, self.circuit)

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
        fragment = Trace({}, self.state(self.row), (Step(action.name, picks, after),), *ends)
        return Cti(obligation.name, self.formulas.conjuncts, fragment)
