"""Runs of the interpreter: temporal formulas, the search for runs that violate them, and the replay of known ones.

`WF_v(A)` is `[]<>(~ENABLED <<A>>_v \\/ <<A>>_v)`, and `SF_v(A)` is `<>[]~ENABLED <<A>>_v \\/ []<><<A>>_v`; where a
specification has them as conjuncts, the search for runs keeps account of each by itself.
Quantifiers of temporal formulas are over constant sets, whose elements are
put in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import eq
from typing import Any, TypeAlias, cast

from leadline.symbolic.lang import (
    Always,
    Both,
    Either,
    Eventually,
    Happens,
    Holds,
    Mistake,
    ModelError,
    Negated,
    Temporal,
    nodes as n,
)
from leadline.symbolic.meaning import OFTEN, Explorer, Step, Word, is_refuted, satisfies
from leadline.symbolic.meaning.fair import Product, fair_run
from leadline.symbolic.meaning.graph import FoundGraph, OutsideAt
from leadline.symbolic.meaning.replay import Departs, Replayer
from leadline.symbolic.meaning.trace import Trace, states, word_of
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.coverage import excerpt
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.read.specification import claim_parts
from leadline.symbolic.tla.read.temporal import connected
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.interpreter import Interpreter, State
from leadline.symbolic.tla.values.operators import at_level
from leadline.symbolic.tla.values.values import (
    FAILURES,
    FALSE,
    TRUE,
    EvaluationError,
    Value,
    items_of,
    ordered,
)

Names: TypeAlias = Mapping[str, s.Expression]
"""Expressions for bound names and parameters. They mention none themselves."""


def literal(value: Value) -> s.Expression:
    """An expression that has a value."""
    if value.__class__ is int:
        return s.Number(value)
    if value.__class__ is str:
        return s.String(value)
    if isinstance(value, frozenset):
        return s.SetOf(tuple(map(literal, ordered(frozenset(value)))))
    if value.__class__ is not tuple:
        name = str(value)
        return s.Apply(name) if name in ("TRUE", "FALSE") else s.ModelValue(name)
    if hasattr(value[0], "size"):
        return s.TupleOf(tuple(map(literal, value[1:])))
    whole: s.Expression | None = None
    for key, item in items_of(value):
        one = s.Apply(":>", (literal(key), literal(item)))
        whole = one if whole is None else s.Apply("@@", (whole, one))
    assert whole is not None
    return whole


@dataclass(frozen=True, eq=False)
class Leaf:
    """A formula about a state or a step.

    Attributes:
        compiled: compiles it; many a formula is never evaluated.
    """

    compiled: Callable[[], Callable[..., bool]]

    @cached_property
    def test(self) -> Callable[..., bool]:
        """The formula as a function."""
        return self.compiled()


class FairnessCondition(Temporal):
    """A fairness condition.

    Attributes:
        strong: whether it is SF.
        able: whether a step of its action can be taken in a state.
        taken: whether a step is one of its action.
        steps: `(state, add)` calls `add` with each state after a step of its action. It fails where the action
            does not determine a variable.
    """

    strong: bool
    able: Leaf
    taken: Leaf
    steps: Callable[[State, Callable[[State], object]], None]

    def formula(self) -> Temporal:
        """The condition as a temporal formula."""
        idle, taken = Negated(_holds(self.able)), _happens(self.taken)
        if self.strong:
            return Either((Eventually(Always(idle)), Always(Eventually(taken))))
        return Always(Eventually(Either((idle, taken))))


def _holds(leaf: Leaf) -> Holds:
    return Holds(cast(n.Node, leaf))  # whatever evaluates it takes it for what it is


def _happens(leaf: Leaf) -> Happens:
    return Happens(cast(n.Node, leaf))


class TemporalFormulas:
    """The temporal formulas of a specification, with the interpreter's functions as leaves."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.specification = interpreter.specification

    @cached_property
    def fairness(self) -> tuple[Temporal, ...]:
        """The fairness conditions of the specification, one by one."""
        return tuple(x for one in self.specification.fairness for x in _conjuncts(self._of(one, {})))

    def of_runs(self, name: str) -> Temporal:
        """The conjuncts of a property about whole runs, under the premises that are no fairness."""
        own = self.specification
        claim = claim_parts(own.properties[name], own.definitions, own.levels)
        found: Temporal = Both(tuple(map(self.of, claim.runs)))
        others = tuple(_plain(one) for one in self.fairness if not isinstance(one, FairnessCondition))
        return Either((Negated(Both(others)), found)) if others else found

    def of(self, e: s.Expression) -> Temporal:
        """A formula.

        Raises:
            ModelError: if it has no meaning here.
        """
        return _plain(self._of(e, {}))

    def _of(self, e: s.Expression, names: Names) -> Temporal:
        if isinstance(e, s.Apply) and (given := names.get(e.operator)) is not None:
            body = given.body if isinstance(given, s.Lambda) else given
            parameters = given.parameters if isinstance(given, s.Lambda) else ()
            return self._of(body, self._given(parameters, e.arguments, names))
        if self.specification.levels.of(e) <= Level.STATE and not self._hides(e, names):
            return _holds(Leaf(partial(self.interpreter.predicate, self._closed(e, names))))
        formula, step = partial(self._of, names=names), partial(self._step, names=names)
        found = connected(e, formula, step, partial(self._decided, names=names))
        if found is not None:
            return found
        match e:
            case s.Quantified("\\A" | "\\E", bounds, body):
                items = tuple(self._of(body, inner) for inner in self._elements(bounds, names))
                return Both(items) if e.quantifier == "\\A" else Either(items)
            case s.Let(definitions, body):
                return self._let(definitions, body, names)
            case s.Apply(name) if (one := self.specification.definitions.get(name)) is not None:
                return self._of(one.body, self._given(one.parameters, e.arguments, names))
            case s.Subscripted("WF_" | "SF_"):
                return self._fair(e, names)
        raise _refused(e)

    def _decided(self, e: s.Expression, names: Names) -> bool | None:
        """The truth of a constant formula; None of any other, and of one without a value."""
        closed = self._closed(e, names)
        if self.specification.levels.of(closed) > Level.CONSTANT:
            return None
        with suppress(EvaluationError):
            return {TRUE: True, FALSE: False}.get(self.interpreter.constant(closed))
        return None

    def _hides(self, e: s.Expression, names: Names) -> bool:
        """Whether a name in the expression stands for more than a formula about a state."""
        free = self.interpreter.translation.analysis.free(e)
        of = self.specification.levels.of
        return any(name in free and of(given) > Level.STATE for name, given in names.items())

    def _let(self, definitions: Sequence[s.Unit], body: s.Expression, names: Names) -> Temporal:
        inner = dict(names)
        for one in definitions:
            if not isinstance(one, s.Definition):
                raise _refused(body)
            operator = s.Lambda(one.parameters, one.body)
            inner[one.name] = (
                self._operator(operator, inner) if one.parameters else self._closed(one.body, inner)
            )
        return self._of(body, inner)

    def _given(
        self, parameters: Sequence[s.Parameter], arguments: Sequence[s.Expression], names: Names
    ) -> dict[str, s.Expression]:
        """The expressions that parameters stand for; for an operator it is a LAMBDA."""
        found = {}
        for one, e in zip(parameters, arguments, strict=True):
            if isinstance(e, s.Apply) and one.arity and e.operator not in names:
                own = tuple(s.Parameter(f"a{i}@") for i in range(one.arity))
                e = s.Lambda(own, replace(e, arguments=(*e.arguments, *(s.Apply(x.name) for x in own))))
            if isinstance(e, s.Apply) and one.arity:
                found[one.name] = names[e.operator]
            else:
                found[one.name] = (
                    self._operator(e, names) if isinstance(e, s.Lambda) else self._closed(e, names)
                )
        return found

    def _operator(self, e: s.Lambda, names: Names) -> s.Lambda:
        own = {one.name for one in e.parameters}
        around = {name: given for name, given in names.items() if name not in own}
        return replace(e, body=self._closed(e.body, around))

    def _fair(self, e: s.Subscripted, names: Names) -> Temporal:
        step = s.Subscripted("<<>>_", e.action, e.subscript, place=e.place)
        able = self._closed(s.Apply("ENABLED", (step,), place=e.place), names)
        taken = self._closed(step, names)
        interpreter = self.interpreter
        return FairnessCondition(
            e.kind == "SF_",
            Leaf(partial(interpreter.predicate, able)),
            Leaf(partial(interpreter.relation, taken)),
            interpreter.steps_of(taken),
        )

    def _elements(self, bounds: Sequence[s.Bound], names: Names) -> Iterator[Names]:
        """The names with elements of the bounds' sets, in all ways."""
        found = [dict(names)]
        for bound in bounds:
            values = ordered(self._set(bound, names))
            for name in bound.names:
                found = [{**one, name: literal(value)} for one in found for value in values]
        yield from found

    def _set(self, bound: s.Bound, names: Names) -> frozenset[Value]:
        """The elements of a bound's set, which must be constant."""
        elements, told = None, ""
        if bound.domain is not None and not bound.unpacked:
            domain = self._closed(bound.domain, names)
            try:
                elements = self.interpreter.constant(domain)
            except EvaluationError:
                if self.specification.levels.of(domain) <= Level.CONSTANT:
                    raise
                member = f"{bound.names[0]} \\in {excerpt(bound.domain)}"
                told = f": expected a constant set of all that occur, with `{member}` in the formula"
        if not isinstance(elements, frozenset):
            text = f"a temporal formula is quantified over a constant set{told}"
            raise ModelError([Mistake(bound.place, text)])
        return elements

    def _closed(self, e: s.Expression, names: Names) -> s.Expression:
        """The expression with definitions for the names that it mentions."""
        free = self.interpreter.translation.analysis.free(e)
        used = tuple(
            s.Definition(name, given.parameters, given.body)
            if isinstance(given, s.Lambda)
            else s.Definition(name, (), given)
            for name, given in names.items()
            if name in free
        )
        return s.Let(used, e, place=e.place) if used else e

    def _step(self, e: s.Expression, names: Names) -> Temporal:
        return _happens(Leaf(partial(self.interpreter.relation, self._closed(e, names))))


def _conjuncts(formula: Temporal) -> Iterator[Temporal]:
    if isinstance(formula, Both):
        for one in formula.items:
            yield from _conjuncts(one)
    else:
        yield formula


def _plain(formula: Temporal) -> Temporal:
    """A formula with its conditions of fairness as formulas."""
    return (
        formula.formula()
        if isinstance(formula, FairnessCondition)
        else formula.over(tuple(map(_plain, formula.parts)))
    )


def _refused(e: s.Expression) -> ModelError:
    text = "expected a temporal formula of [], <>, ~>, WF_, SF_ and connectives"
    return ModelError([Mistake(e.place, text)])


class _Leaves:
    """The truth of formulas, which may ask for the level of a state: that of the first place where it is found."""

    def __init__(self, interpreter: Interpreter, levels: Mapping[State, int]) -> None:
        self._guarded, self._levels = interpreter.guarded, levels

    def at(self, state: State) -> AbstractContextManager[None]:
        """Formulas have the level of a state within."""
        return at_level(self._levels[state]) if self._levels else nullcontext()

    def holds(self, leaf: Leaf, state: State) -> bool:
        """Whether a state satisfies a formula."""
        with self.at(state):
            return bool(self._guarded(lambda: leaf.test(state)))

    def happens(self, leaf: Leaf, before: State, after: State) -> bool:
        """Whether a step satisfies a formula that only steps satisfy that change something."""
        with self.at(before):
            return before != after and bool(self._guarded(lambda: leaf.test(before, after)))


class _Conditions:
    """The conditions of fairness, each with a bit, that steps between the states found serve.

    Raises:
        OutsideAt: if a condition has no value.
    """

    def __init__(
        self,
        explorer: Explorer[Behaviour],
        leaves: _Leaves,
        conditions: Sequence[FairnessCondition],
        looked: Callable[[int], None],
    ) -> None:
        self._explorer, self._leaves, self._looked = explorer, leaves, looked
        self._conditions = [(1 << i, one) for i, one in enumerate(conditions)]
        self._tested = set[FairnessCondition]()

    def graph(self) -> FoundGraph:
        """The graph of the states found."""
        explorer, conditions = self._explorer, self._conditions
        begun = [place for place, parent in enumerate(explorer.parents) if parent < 0]
        weak = sum(bit for bit, one in conditions if not one.strong)
        strong = sum(bit for bit, one in conditions if one.strong)
        self._places = {state: place for place, state in enumerate(explorer.order)}
        return FoundGraph(explorer.order, explorer.endings, begun, (weak, strong), self._found)

    def _found(self, place: int) -> tuple[int, dict[State, int]]:
        if place and place % OFTEN == 0:
            self._looked(place)
        state, found = self._explorer.order[place], list[Any]()
        with self._leaves.at(state):
            for step in self._explorer.semantics.interpreter.steps[1:]:
                step(state, found.append)
        able, masks = 0, {after: 0 for after in found if after in self._places}
        for bit, one in self._conditions:
            taken = self._taken(one, place, masks)
            able |= bit if taken is not None else 0
            for after in taken or ():
                if after in masks:
                    masks[after] |= bit
        return able, masks

    def _taken(self, one: FairnessCondition, place: int, steps: Iterable[State]) -> Iterable[State] | None:
        """The states after steps of a condition's action, among others; None if it cannot be taken."""
        if one not in self._tested:
            found = set[State]()
            try:
                one.steps(self._explorer.order[place], found.add)
            except FAILURES:
                # Such as an action that leaves a variable open: what it says of a given step has a value.
                self._tested.add(one)
            else:
                return found or None
        return self._judged(one, place, steps)

    def _judged(self, one: FairnessCondition, place: int, steps: Iterable[State]) -> list[State] | None:
        """As `_taken`, by the truth of formulas, of each step by itself."""
        places: tuple[int, ...] = (place,)
        state = self._explorer.order[place]
        try:
            if not self._leaves.holds(one.able, state):
                return None
            taken = []
            for after in steps:
                places = (place, self._places[after])
                if self._leaves.happens(one.taken, state, after):
                    taken.append(after)
        except EvaluationError as error:
            raise OutsideAt(places) from error
        return taken


def _levels(explorer: Explorer[Behaviour]) -> dict[State, int]:
    """The levels of the states found: 1 for initial states, and 1 more for each step."""
    found = list[int]()
    for parent in explorer.parents:
        found.append(1 if parent < 0 else found[parent] + 1)
    return dict(zip(explorer.order, found, strict=True))


class FairRuns:
    """The runs through the states that an exploration of a specification has found.

    Args:
        interpreter: of the specification.
        explorer: the exploration.
        looked: called now and then with the number of states from which all steps are found.
    """

    def __init__(
        self, interpreter: Interpreter, explorer: Explorer[Behaviour], looked: Callable[[int], None]
    ) -> None:
        self._formulas = TemporalFormulas(interpreter)
        self._explorer, self._looked = explorer, looked
        self._conditions = [one for one in self._formulas.fairness if isinstance(one, FairnessCondition)]
        self._leaves = _Leaves(interpreter, _levels(explorer) if explorer.semantics.asks_level else {})

    @cached_property
    def _graph(self) -> FoundGraph:
        return _Conditions(self._explorer, self._leaves, self._conditions, self._looked).graph()

    def states_to(self, places: Sequence[int]) -> list[State]:
        """The states of a path to the first of some places, and those at the others."""
        rest = [self._explorer.order[place] for place in places[1:]]
        return [*self._explorer.states_to(places[0]), *rest]

    def violating(self, name: str) -> Word | None:
        """A fair run that violates the part of a property about whole runs; None if there is none.

        Raises:
            OutsideAt: if an expression has no value.
        """
        return fair_run(Product(self._graph, self._leaves, self._formulas.of_runs(name)))


class ModuleReplayer(Replayer):
    """A module's replay, by its interpreter. A step is found by its state among those that can be taken.

    Args:
        meaning: see `Replayer`.
        same: `(state of a run, state) -> whether they are one`.
    """

    meaning: Behaviour

    def __init__(self, meaning: Behaviour, same: Callable[[Any, State | None], bool] = eq) -> None:
        super().__init__(meaning)
        self._same = same
        self._formulas = TemporalFormulas(meaning.interpreter)

    def taken(self, before: State | None, step: Step) -> Step:
        # Several actions may lead there: the one that the run tells, if it is among them.
        first: Step | None = None
        meaning = self.meaning
        for one in meaning.beginnings(step.state) if before is None else meaning.successors(before):
            if self._same(step.state, one.state):
                first = first or one
                if one.action == step.action:
                    return one
        if first is None:
            where = "does not begin there" if before is None else "has no step to that state"
            raise Departs(f"the module {where}")
        return first

    def satisfied(self, run: Trace, last: State) -> bool:
        name, specification = run.property or "", self.meaning.specification
        if name in specification.invariants:
            return self.meaning.property_function(name)(last)
        if name not in specification.properties:
            raise Departs(f"there is no property {name}")
        claim = self._formulas.of(specification.properties[name])
        if run.loop is None:
            return not is_refuted(self._leaves(run), claim, list(states(run)))
        return satisfies(self._leaves(run), claim, word_of(run))

    def _leaves(self, run: Trace) -> _Leaves:
        visited = list(states(run)) if self.meaning.asks_level else []
        levels = {visited[i]: i + 1 for i in reversed(range(len(visited)))}
        return _Leaves(self.meaning.interpreter, levels)

    def unfair(self, run: Trace) -> str | None:
        fairness = Both(tuple(map(_plain, self._formulas.fairness)))
        fair = satisfies(self._leaves(run), fairness, word_of(run))
        return None if fair else "the fairness of the module is violated"
