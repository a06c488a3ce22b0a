"""The meaning of a specification: its states, steps and properties, as the searches ask for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from operator import eq
from typing import Any, TypeVar

from leadline.symbolic.lang import Mistake, ModelError
from leadline.symbolic.meaning import Enough, Step, first_states
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.specification import ClaimParts, Specification, claim_parts
from leadline.symbolic.tla.values.interpreter import Action, Interpreter, State, satisfied
from leadline.symbolic.tla.values.operators import at_level, set_level, silently
from leadline.symbolic.tla.values.symmetry import Orbits, Symmetry, group
from leadline.symbolic.tla.values.values import FAILURES, EvaluationError, ModelValue, Value, items_of

_T = TypeVar("_T")


class Behaviour:
    """The states and steps of a specification: a `Meaning`.

    States that its symmetry identifies are given as the one that came first, as far as the symmetry holds.
    A step that an action constraint excludes is given as one that changes nothing.

    Args:
        specification: the specification.
        counting: whether the steps count how often the conjuncts of actions are true.
        interpreter: the interpreter of the specification, if there is one. Each state then stands for itself, and
            the assumptions are not looked at again.

    Attributes:
        symmetry: the permutations of SYMMETRY; None without it.
        model: the behaviour itself, which has the variables and the actions.
        weight: None: the states that one stands for are not counted.
        broken: for each property about steps and initial states, the first step or initial state of which it
            is false: the state before, if there is one, and the state.
        undefined: for each of these properties, the first step or initial state of which it has no value, and the
            reason.

    Raises:
        AssumptionFailed: if an assumption is false.
        ModelError: if a formula has no meaning here, or there are no initial states.
    """

    def __init__(
        self, specification: Specification, counting: bool = False, interpreter: Interpreter | None = None
    ) -> None:
        self.specification = specification
        self.symmetry = symmetry_of(specification) if interpreter is None else None
        self.interpreter = interpreter or Interpreter(specification, counting, self.symmetry)
        if self.symmetry is not None:
            repeatable = all(map(self.interpreter.translation.repeatable, specification.formulas))
            self.symmetry.repeatable = repeatable and not counting
        self.model = self
        self.broken: dict[str, tuple[State | None, State]] = {}
        self.undefined: dict[str, tuple[State | None, State, str]] = {}
        self._outside: dict[State, str] = {}
        self._levels = 0
        self.weight = None
        if interpreter is None:
            # The choices of an assumption are those of no state.
            (Interpreter(specification) if self.symmetry is not None else self.interpreter).assume()
        require_behaviour(specification)

    @cached_property
    def asks_level(self) -> bool:
        """Whether a formula may ask for the level of a state."""
        own = self.specification
        return self.ask_level((*own.formulas, *own.postconditions.values()))

    def ask_level(self, formulas: Iterable[s.Expression]) -> bool:
        """Whether one of some formulas may ask for the level of a state."""
        return any(self.interpreter.translation.uses(one, _LEVEL) for one in formulas)

    @property
    def sets_registers(self) -> bool:
        """Whether a formula sets a register, which the next state that is looked at may read."""
        uses = self.interpreter.translation.uses
        return any(uses(one, {"TLCSet"}) for one in self.specification.formulas)

    @property
    def notes(self) -> Mapping[str, dict[Any, Any]]:
        """The findings about states and steps that are noted as they are met."""
        return {"broken": self.broken, "undefined": self.undefined, "outside": self._outside}

    def at_level(self, levels: int | None) -> None:
        """Tell how many levels of states were found: TLCGet asks for it. None: the search is over."""
        self._levels = levels or 0
        if self.asks_level:
            set_level(levels)

    def _test(self, formulas: Sequence[s.Expression]) -> Callable[[State], bool]:
        """The function that tells whether a state of the level that is being found satisfies some formulas."""
        predicates = [self.interpreter.predicate(one) for one in formulas]
        test = predicates[0] if len(predicates) == 1 else lambda state: all(one(state) for one in predicates)
        watched = (lambda state: self._alike(lambda: test(state))) if self._watches(formulas) else test
        if not self.ask_level(formulas):
            return watched

        def levelled(state: State) -> bool:
            with at_level(self._levels + 1):
                return watched(state)

        return levelled

    def _watches(self, formulas: Iterable[s.Expression]) -> bool:
        """Whether the symmetry depends on what some formulas choose."""
        return self.symmetry is not None and any(map(self.interpreter.translation.chooses, formulas))

    def no_initial_state(self) -> ModelError:
        """The error of a specification without initial states."""
        return self.specification.no_initial_state()

    def without_canonical(self) -> Behaviour:
        """The behaviour in which each state stands for itself, without checks of properties."""
        bare = replace(self.specification, view=None, symmetry=(), properties={}, invariants={})
        shared = self.symmetry is None and not self.interpreter.conjuncts
        return Behaviour(bare, interpreter=self.interpreter if shared else None)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables."""
        return self.interpreter.variables

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions."""
        return self.interpreter.actions

    @cached_property
    def canonical(self) -> Callable[[State], State] | None:
        """The state that stands for a state; None if each stands for itself."""
        if self.symmetry is None or not self.symmetry.permutations:
            return None
        return Orbits(group(self.symmetry.permutations))

    def _alike(self, evaluate: Callable[[], _T], same: Callable[[_T, _T], bool] = eq) -> _T:
        """The result of an evaluation, if the symmetry allows it: see `Symmetry.alike`."""
        return evaluate() if self.symmetry is None else self.symmetry.alike(evaluate, same)

    def begin_anew(self) -> None:
        """Forget the states found, after a permutation was dropped that does not hold."""
        for noted in self.notes.values():
            noted.clear()
        for one in self.interpreter.conjuncts.values():
            one.counts[:] = [0, 0]
        for name in ("canonical", "steps"):
            self.__dict__.pop(name, None)

    def end_search(self) -> None:
        """End the watch over the symmetry: what follows depends on no choice of one state for others."""
        if self.symmetry is not None:
            self.symmetry.end()

    @cached_property
    def view(self) -> Callable[[State], Value] | None:
        """The value by which states are told apart; None for all of a state."""
        if self.specification.view is None:
            return None
        view, guarded = self.interpreter.term(self.specification.view), self.interpreter.guarded

        def seen(state: State) -> Value:
            try:
                return guarded(lambda: self._alike(lambda: view(state)))
            except EvaluationError as error:
                # The search goes on from it, since a violation would be worse.
                self._outside[state] = str(error)
                return state

        return seen

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        """For the initial states and then each action: `(state, add)`, calling `add(next state)`, or
        `add(None)` where an expression has no value."""
        found: list[Callable[..., None]] = list(self.interpreter.steps)
        if (self.specification.constraints or self.specification.view is not None) and len(found) > 1:
            found[1] = self._unless_outside(found[1])
        if self.canonical is None and not self.specification.properties:
            return found
        first, *others = found
        if self.symmetry is not None:
            first = partial(self.symmetry.freely, first)
        return [
            self._with(first, self._initial_checks),
            *(self._with(one, self._step_checks) for one in others),
        ]

    def _unless_outside(self, step: Callable[..., None]) -> Callable[..., None]:
        """A step that also goes out of bounds where a constraint or view has no value: an error in TLC."""

        def find(state: State, add: Callable[[State | None], None]) -> None:
            if state in self._outside:
                add(None)
            step(state, add)

        return find

    def _with(
        self,
        step: Callable[..., None],
        checks: Mapping[str, list[Callable[[State | None, State], bool]]],
    ) -> Callable[..., None]:
        canonical, own = self.canonical, self.specification
        watches = own.next is not None and self._watches([own.next])

        def alike(state: State | None) -> list[State | None]:
            return self._alike(lambda: _listed(step, state), lambda a, b: set(a) == set(b))

        def find(state: State | None, add: Callable[[State | None], None]) -> None:
            checked = set[State]()  # many picks take the same step
            for one in alike(state) if watches else _listed(step, state):
                if checks and one is not None and one not in checked:
                    checked.add(one)
                    self._check(state, one, checks)
                add(canonical(one) if canonical is not None and one is not None else one)

        return find

    def _check(
        self,
        before: State | None,
        state: State,
        checks: Mapping[str, list[Callable[[State | None, State], bool]]],
    ) -> None:
        for name, tests in checks.items():
            if name in self.broken or not tests:
                continue
            try:
                if not self._passes(tests, before, state):
                    self.broken[name] = (before, state)
            except EvaluationError as error:
                # The search goes on, since a violation would be worse.
                self.undefined.setdefault(name, (before, state, str(error)))

    def _passes(
        self, tests: Sequence[Callable[[Any, State], bool]], before: State | None, state: State
    ) -> bool:
        """Whether a step passes all of some tests."""
        passed: bool = self.interpreter.guarded(
            lambda: self._alike(lambda: all(test(before, state) for test in tests))
        )
        return passed

    @cached_property
    def _step_checks(self) -> dict[str, list[Callable[[Any, State], bool]]]:
        relation = self.interpreter.relation
        return {
            name: [relation(one) for one in self.safety(name).steps] for name in self.specification.properties
        }

    @cached_property
    def _initial_checks(self) -> dict[str, list[Callable[[Any, State], bool]]]:
        def test(e: s.Expression) -> Callable[[Any, State], bool]:
            predicate = self.interpreter.predicate(e)
            return lambda _, state: predicate(state)

        return {
            name: [test(one) for one in self.safety(name).initial] for name in self.specification.properties
        }

    def safety(self, name: str) -> ClaimParts:
        """The conjuncts of a property by what they are about."""
        own = self.specification
        return claim_parts(own.properties[name], own.definitions, own.levels)

    def property_function(self, name: str) -> Callable[..., bool]:
        """The function `(state, ...)` that tells whether an invariant, or a property's part about states, holds.

        It raises an EvaluationError where a formula has no value.
        """
        interpreter, specification = self.interpreter, self.specification
        invariant = specification.invariants.get(name)
        formulas = (invariant,) if invariant is not None else self.safety(name).states
        test = self._test(formulas)

        def holds(state: State, *_: Any) -> bool:
            try:
                return test(state)
            except FAILURES as error:
                raise interpreter.error(error) from error

        return holds

    @cached_property
    def constraint(self) -> Callable[..., bool] | None:
        """The function `(state, ...)` that tells whether all constraints hold; None without constraints."""
        if not self.specification.constraints:
            return None
        test = self._test(self.specification.constraints)

        def within(state: State, *_: object) -> bool:
            try:
                return test(state)
            except FAILURES as failure:
                error = self.interpreter.error(failure)
                self._outside[state] = str(error)
                raise error from failure

        return within

    def initial(self, most: float = math.inf) -> list[Step]:
        """Every way to begin, or the first so many."""
        self._followed(0)
        return list(self._outcomes(None, "init", 0, most))

    def beginnings(self, state: State | None) -> Sequence[Step]:
        """The ways to begin; the given one alone if initial states are many and the condition is true of it."""
        init = self.specification.init
        assert init is not None
        holds = self.interpreter.predicate(init)
        with silently():
            alone = isinstance(state, tuple) and self._are_many and satisfied(holds, state)
        if not alone:
            return self.initial()
        self._followed(0)
        return [Step("init", {}, state)]

    @cached_property
    def _are_many(self) -> bool:
        """Whether there are more initial states than are soon listed."""
        return first_states(self.interpreter.steps[0], _MOST_LISTED, _LISTING, _LISTING)[1]

    def successors(self, state: State) -> Iterator[Step]:
        """Every step, in the order of the actions; of a run, they are asked for state by state."""
        self._followed(self._levels + 1)
        for place, action in enumerate(self.actions, start=1):
            yield from self._outcomes(state, action.name, place)

    def attempts(self, state: State | None, action: str) -> Iterator[Step]:
        """The outcomes of an action in a state, or of "init" without one."""
        if state is None:
            yield from self.initial()
            return
        for place, one in enumerate(self.actions, start=1):
            if one.name == action:
                yield from self._outcomes(state, action, place)

    def outcome(self, state: State | None, action: str, picks: Mapping[str, Value]) -> Step | None:
        """The outcome of an action in a state with given picks; None if it is not enabled."""
        return next((one for one in self.attempts(state, action) if one.picks == picks), None)

    def keeps(self, name: str, before: State | None, state: State) -> bool:
        """Whether a step keeps what a property says of steps; without a state before it, of initial states.

        Raises:
            EvaluationError: if a formula has no value.
        """
        checks = self._initial_checks if before is None else self._step_checks
        return self._passes(checks.get(name, ()), before, state)

    def error_in(self, name: str, path: Sequence[State]) -> str | None:
        """The error in the evaluation of an invariant or property at the end of a run; None if there is none.

        Args:
            name: the invariant or property.
            path: the states of the run, or the last two of them.
        """
        try:
            self.property_function(name)(path[-1])
            self.keeps(name, path[-2] if len(path) > 1 else None, path[-1])
        except EvaluationError as error:
            return str(error)
        return None

    def _followed(self, levels: int) -> None:
        if self.asks_level:
            self.at_level(levels)

    def _outcomes(self, state: State | None, name: str, place: int, most: float = math.inf) -> Iterator[Step]:
        found: list[Exception | tuple[tuple[tuple[str, Value], ...], State]] = []
        if place == 1 and state in self._outside:
            yield Step(name, {}, None, self._outside[state])

        def add(one: Exception | tuple[tuple[tuple[str, Value], ...], State]) -> None:
            found.append(one)
            if len(found) >= most:
                raise Enough

        with silently(), suppress(Enough):
            self.interpreter.traced[place](state, add)
        yield from (Step(name, dict(one[0]), one[1]) for one in found if not isinstance(one, Exception))
        error = next((one for one in found if isinstance(one, Exception)), None)
        if error is not None:
            yield Step(name, {}, None, str(self.interpreter.error(error)))


_MOST_LISTED = 10_000
"""The initial states that are listed to tell the choices that lead to one of them."""
_LISTING = 1.0
"""The seconds of the processor in which they are listed."""
_LEVEL = frozenset({"TLCGet", "TLCGetOrDefault"})
"""Operators by which formulas ask for the level of a state."""


def _listed(step: Callable[..., None], state: State | None) -> list[State | None]:
    found: list[State | None] = []
    step(state, found.append)
    return found


def require_behaviour(specification: Specification) -> None:
    """Refuse a specification without initial states or steps.

    Raises:
        ModelError: if it is one.
    """
    if specification.init is not None and specification.next is not None:
        return
    text = "there is no behaviour to explore: expected SPECIFICATION, or INIT and NEXT, in the configuration"
    text += "; without one, a definition of Spec, or of Init and Next"
    raise ModelError([Mistake(s.Place(specification.file, 1, 1), text)])


def symmetry_of(specification: Specification) -> Symmetry | None:
    """The permutations of SYMMETRY that move nothing that the specification names.

    Raises:
        ModelError: if SYMMETRY is no set of permutations of model values.
    """
    if not specification.symmetry:
        return None
    interpreter = Interpreter(specification)
    values = [interpreter.constant(one) for one in specification.symmetry]
    text = "SYMMETRY expects permutations of model values, such as Permutations({a, b}), as in TLC"
    wrong = [
        Mistake(e.place, text)
        for e, value in zip(specification.symmetry, values, strict=True)
        if not (isinstance(value, frozenset) and all(map(_permutes, value)))
    ]
    if wrong:
        raise ModelError(wrong)
    found = Symmetry(frozenset().union(*values), interpreter.order)
    found.named(specification, interpreter.unlisted)
    return found


def _permutes(f: Value) -> bool:
    """Whether a value is a permutation of model values."""
    if not isinstance(f, tuple):
        return False
    graph = dict(items_of(f))
    return graph.keys() == {*graph.values()} and all(isinstance(x, ModelValue) for x in graph)
