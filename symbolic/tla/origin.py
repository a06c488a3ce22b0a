"""A specification as the origin of a model: it replays counterexamples, and widens types that a run leaves.

It also gives the fields of ALIAS at the states of a trace.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, TypeAlias

from leadline.symbolic.lang import (
    AliasValue,
    Endless,
    InternalError,
    Model,
    Origin,
    Permutation,
    Property,
    PropertyKind,
    Sort,
    Span,
    Type,
    UserError,
    nodes as n,
)
from leadline.symbolic.meaning import Step
from leadline.symbolic.meaning.replay import Departs
from leadline.symbolic.meaning.trace import Trace, TraceEnd
from leadline.symbolic.tla.learning import WALK, Learner, model_values
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.actions import converted
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.model import (
    FORMLESS,
    Claims,
    NotAlike,
    initial_types,
    lowered,
    told_apart_in,
)
from leadline.symbolic.tla.lower.scope import Scope, Unsupported
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.coverage import excerpt
from leadline.symbolic.tla.read.parts import Influences
from leadline.symbolic.tla.read.specification import Specification, read_term
from leadline.symbolic.tla.read.syntax import Apply
from leadline.symbolic.tla.typing import OutsideType, sorted_type, type_of, typed, untyped
from leadline.symbolic.tla.values import operators
from leadline.symbolic.tla.values.behaviour import Behaviour, require_behaviour, symmetry_of
from leadline.symbolic.tla.values.interpreter import Interpreter, State
from leadline.symbolic.tla.values.runs import ModuleReplayer
from leadline.symbolic.tla.values.symmetry import group
from leadline.symbolic.tla.values.values import EvaluationError, Value, items_of

AHEAD = 2.5
"""The seconds of the processor that the interpreter runs ahead."""
AFTERWARDS = 1.0
"""The seconds that it runs from the first state that leaves the types; twice as many from each further one."""
MOST_GROWTH = 4
"""How often in a row the numbers of a variable may grow up to the end of the interpreter's runs."""


class TlaOrigin(Origin):
    """A TLA+ specification.

    Args:
        specification: a loaded specification.
        types: the types learned so far. If there are none, the interpreter runs ahead, and puts them in.
        narrower: the origin of a model whose types a run has left.
        lenient: whether a claim without symbolic form is left out of the model, which is an error otherwise.
        as_written: whether picks stay that a guard fixes, since a reader knows them from the module, and model
            values are no members of sorts.

    Attributes:
        interpreter: the meaning of the specification.
        lacking: the claims that are left out, each with the reason; None if none may be.
    """

    def __init__(
        self,
        specification: Specification,
        types: dict[str, Type],
        narrower: TlaOrigin | None = None,
        *,
        lenient: bool = False,
        as_written: bool = False,
    ) -> None:
        self.specification = specification
        bounded = specification.leveled
        self.recorded = None if bounded is None else bounded.level.operator
        self.types = types
        self.lacking: dict[str, Exception] | None = {} if lenient else None
        self._as_written = as_written
        self.interpreter: Interpreter = narrower.interpreter if narrower else Interpreter(specification)
        self._afterwards: float = narrower._afterwards * 2 if narrower else AFTERWARDS
        self._levels: int = narrower._levels * 2 if narrower else WALK
        self._growing: list[set[str]] = [*narrower._growing] if narrower else []
        self._sorts: shapes.Sorts = {}

    @classmethod
    def of(cls, model: Model) -> Self:
        """The origin of a model that has one of this class."""
        assert isinstance(model.origin, cls)
        return model.origin

    @property
    def symmetric(self) -> bool:
        return bool(self.specification.symmetry)

    @cached_property
    def text(self) -> str:
        # Places are in no text of a syntax tree.
        own = self.specification
        formulas = own.invariants, own.properties, own.constraints, own.action_constraints, own.fairness
        return repr((own.init, own.next, own.view, own.symmetry, formulas, sorted(own.definitions.items())))

    def first_taken(self) -> Mapping[str, int]:
        names = [one.name for one in self.interpreter.actions]
        return {names[action]: depth for action, depth in self.learner.first.items()}

    @cached_property
    def _influences(self) -> Influences:
        return Influences(self.specification, self.interpreter.translation.analysis)

    @property
    def influences(self) -> Mapping[str, Mapping[str, Collection[str]]]:
        return self._influences.by_action

    def influencing(self, claim: str) -> Collection[str]:
        return self._influences.of(self.specification.invariants[claim])

    def operator_at(self, place: Span) -> str:
        return self.specification.operator_at(place)

    def written(self, place: Span, operators: Collection[str]) -> str:
        found = self._written.get(place)
        return excerpt(found[1]) if found is not None and found[0] in operators else ""

    @cached_property
    def _written(self) -> Mapping[Span, tuple[str, s.Expression]]:
        bodies = (
            *self.specification.formulas,
            *(one.body for one in self.specification.definitions.values()),
        )
        found = list[tuple[str, s.Expression]]()
        for node in (x for body in bodies for x in s.nodes(body)):
            match node:
                case s.Apply(operator, (_, *_)) | s.Quantified(operator):
                    found.append((operator, node))
                case s.Filter() | s.Image():
                    found.append(("{", node))
        return {one.place: (operator, one) for operator, one in reversed(found)}

    @cached_property
    def learner(self) -> Learner:
        """The types learned so far."""
        return Learner(self.interpreter, self.types)

    def model(self) -> Model:
        """The model, after the interpreter has run ahead if no types are known.

        Raises:
            NoInitialState: if no state satisfies the initial condition.
            Unsupported: if the specification has no symbolic form.
        """
        if not self.types:
            self.learn()
        return self._lowered()

    def learn(self, known: Sequence[State] = ()) -> None:
        """Learn types: the interpreter runs ahead.

        Args:
            known: reachable states. Runs begin in them too.

        Raises:
            NoInitialState: as `model`.
            Unsupported: as `model`.
            ModelError: if the module has no behaviour.
        """
        require_behaviour(self.specification)
        starts, more = self.learner.some_initial()
        if not starts and not more and self.learner.fails_initially():
            init = self.specification.init
            raise Unsupported(init.place if init else s.BUILT_IN, "the initial condition has no value")
        if not starts and not more:
            raise self.specification.no_initial_state()
        if (bounded := self.specification.leveled) is not None:
            highest = self.interpreter.constant(bounded.highest)
            self.learner.hold({bounded.level.operator: type_of(highest)})
        self.learner.run_ahead([*starts, *known], AHEAD)
        if more:
            self.learner.hold(initial_types(self.specification))
            if shapes.NEVER in self.types.values():
                raise self.specification.no_initial_state()

    def _lowered(self) -> Model:
        """The model of the types learned so far, with those sets of model values as sorts that it treats alike."""
        self._sorts = {} if self._as_written else _candidates(self.interpreter)
        while True:
            lacking: dict[str, Exception] | None = None if self.lacking is None else {}
            try:
                types = {x: sorted_type(kind, self._sorts) for x, kind in self.learner.types.items()}
                model = lowered(self.specification, types, self, self._sorts, lacking, self._as_written)
                apart = told_apart_in(model, self._sorts)
                if self._sorts and any(map(self._has_form, lacking or ())):
                    apart = set(self._sorts.values())
            except NotAlike as early:
                apart = early.sorts
            except (Unsupported, RecursionError):
                if not self._sorts:
                    raise
                apart = set(self._sorts.values())
            if not apart:
                self.lacking = lacking
                return model
            self._sorts = {name: one for name, one in self._sorts.items() if one not in apart}

    def _has_form(self, claim: str) -> bool:
        """Whether a claim has a symbolic form where model values are atoms, which have an order."""
        try:
            Claims(Lowering(self.specification, self.learner.types)).of(claim)
        except FORMLESS:
            return False
        return True

    @cached_property
    def replayer(self) -> ModuleReplayer:
        """Takes runs of the module again."""
        return ModuleReplayer(Behaviour(self.specification, interpreter=self.interpreter))

    def disagreement(self, model: Model, run: Trace) -> str | None:
        if run.initial is None:
            return None
        judged = run.ends is TraceEnd.DEADLOCK or (
            run.ends is TraceEnd.VIOLATES and run.property in self._claims
        )
        steps = run.steps if run.last is not None else run.steps[:-1]
        known = replace(run, steps=steps, ends=run.ends if judged else TraceEnd.STOPS)
        wrong = self.replayer.disagreement(self.untold(model, known))
        return None if wrong is None else f"in the module, {wrong}"

    @property
    def _claims(self) -> set[str]:
        return {*self.specification.invariants, *self.specification.properties}

    def untold(self, model: Model, run: Trace) -> Trace:
        """A run of a model of this specification in values of the interpreter, without picks."""
        names = {one.name: one.tla for one in model.actions}
        return run.through(
            Step(
                names.get(x.action, x.action), {}, None if x.state is None else self._untyped(model, x.state)
            )
            for x in run.stages
        )

    def retaken(self, model: Model, run: Trace) -> Trace:
        try:
            found = self.replayer.retaken(self.untold(model, run))
        except Departs as wrong:
            raise InternalError(
                f"a run of {model.protocol} does not replay in the module: {wrong}"
            ) from wrong
        if self.recorded is None:
            return found
        at = self.specification.variables.index(self.recorded)
        return found.through(
            replace(x, state=x.state and (*x.state[:at], *x.state[at + 1 :])) for x in found.stages
        )

    def complaint(self, model: Model, states: Sequence[Any], claim: str | None) -> str | None:
        path = [self._untyped(model, values) for values in states[-2:]]
        if claim is not None:
            return self.replayer.meaning.error_in(claim, path) if path and claim in self._claims else None
        found, interpreter = list[Any](), self.interpreter
        for step in interpreter.traced[1:] if path else interpreter.traced[:1]:
            step(path[-1] if path else None, found.append)
        errors = (one for one in found if isinstance(one, Exception))
        return next((str(interpreter.error(one)) for one in errors), None)

    def learned(self) -> Mapping[str, object]:
        return {name: shapes.as_data(kind) for name, kind in self.types.items()}

    def expression(self, model: Model, text: str) -> n.Node:
        """An expression in TLA+ about a state of a model of this specification.

        Raises:
            UserError: if it has a mistake, no symbolic form, or no value anywhere.
        """
        term = read_term(self.specification, text)
        try:
            found = self._value(model, term)
        except Unsupported as error:
            raise UserError(f"the expression has no symbolic form: {error.why}") from error
        except RecursionError as error:
            raise UserError("the operators of the expression nest too deeply") from error
        if isinstance(found, n.Undefined):
            raise UserError(f"the expression has no value: {found.why}")
        return found

    def _value(self, model: Model, term: s.Expression) -> n.Node:
        types = {one.name: one.type for one in model.variables}
        return Lowering(self.specification, types, self._sorts).value(term, Scope())

    def taking_for_one(self, model: Model, *, viewed: bool) -> Model:
        """A model of this specification with its SYMMETRY as permutations of sorts, and with its VIEW if wanted.

        Raises:
            Unsupported: if the view has no symbolic form, or the symmetry moves values that the specification or
                the model tells apart.
        """
        view, symmetry = self.specification.view if viewed else None, symmetry_of(self.specification)
        if symmetry is not None:
            if symmetry.apart:
                raise Unsupported(s.BUILT_IN, symmetry.told_apart())
            moves = [self._of_sorts(one) for one in group(symmetry.permutations)]
            model = replace(model, symmetry=({}, *moves))
        if view is None:
            return model
        name, formula = self.specification.view_name, self._value(model, view)
        return replace(model, view=Property(name, name, PropertyKind.VIEW, "", view.place, formula))

    def _of_sorts(self, permutation: Mapping[Value, Value]) -> Permutation:
        """A permutation of model values as one of members of sorts."""
        found = {}
        for value, image in permutation.items():
            sort = self._sorts.get(str(value))
            if sort is None or sort is not self._sorts.get(str(image)):
                one, other = sorted([str(value), str(image)])
                raise Unsupported(s.BUILT_IN, f"SYMMETRY: the solvers' model tells {one} and {other} apart")
            found[sort.name, str(value)] = str(image)
        return found

    def widened(self, model: Model, states: Sequence[Any], others: Sequence[Any] = ()) -> Model | None:
        # This model keeps its types: another process may have to make it once more.
        lenient = self.lacking is not None
        wider = TlaOrigin(self.specification, dict(self.types), self, lenient=lenient)
        learner = wider.learner
        ends = [self._untyped(model, values) for values in (*states[-1:], *others)]
        starts = [after for one in ends for after in learner.successors(one)]
        if not states:
            starts += learner.some_initial()[0]
        grew = learner.run_ahead(starts, self._afterwards, self._levels)
        if all(sorted_type(learner.types[x.name], self._sorts) == x.type for x in model.variables):
            return None
        wider._growing.append(
            {x.name for x in model.variables if shapes.is_longer(learner.types[x.name], x.type)}
            if grew
            else set()
        )
        endless = set.intersection(*wider._growing[-MOST_GROWTH:])
        if endless and len(wider._growing) >= MOST_GROWTH:
            raise Endless(
                f"the numbers in {' and '.join(sorted(endless))} grow again and again, and a solver needs "
                "finitely many: state a CONSTRAINT, or bound them in the actions"
            )
        return replace(wider._lowered(), parameters=model.parameters)

    def as_widened(self, narrow: Model, model: Model) -> list[n.Node] | None:
        types = {one.name: one.type for one in model.variables}
        lowering = Lowering(self.specification, types, self._sorts)
        try:
            return [converted(lowering, one.name, one.node, one.span) for one in narrow.variables]
        except Unsupported:
            return None

    def rewidened(self, narrow: Model, model: Model, state: Sequence[Any]) -> tuple[Any, ...] | None:
        values = zip(self._untyped(narrow, state), model.variables, strict=True)
        try:
            return tuple(typed(value, variable.type) for value, variable in values)
        except OutsideType:
            return None

    def aliases(self, model: Model, states: Sequence[Any], loop: int | None) -> list[tuple[AliasValue, ...]]:
        found = fields_of(self.interpreter, [self._untyped(model, values) for values in states], loop)
        types: dict[str, Type] = {}
        for name, value, why in (field for row in found for field in row):
            kind = shapes.NEVER if why is not None else type_of(value)
            types[name] = shapes.join(types.get(name, shapes.NEVER), kind)
        return [tuple(_typed_alias(types[field[0]], *field) for field in row) for row in found]

    def _untyped(self, model: Model, values: Any) -> State:
        pairs = zip(model.variables, values, strict=True)
        return tuple(untyped(value, variable.type) for variable, value in pairs)


def _typed_alias(kind: Type, name: str, value: Value, why: str | None) -> AliasValue:
    return AliasValue(name, name, kind, typed(value, kind) if why is None else None, why)


def _candidates(interpreter: Interpreter) -> shapes.Sorts:
    """The sorts that may be: model values, or strings that no formula names, of the same constant sets.

    Typed model values, which may not be compared with all others, stay atoms.
    """
    sets = [*model_values(interpreter).items(), *_sets_of_strings(interpreter.specification)]
    names = {frozenset(values): name for name, values in reversed(sets)}
    owners: dict[str, list[str]] = {}
    for name, values in sets:
        for one in values:
            owners.setdefault(one, []).append(name)
    blocks: dict[tuple[str, ...], list[str]] = {}
    for name, constants in owners.items():
        blocks.setdefault(tuple(constants), []).append(name)
    # A part of a set is no set with a name: it is told as its members.
    parts = [sorted(some) for some in blocks.values() if len(some) > 1]
    made = [Sort(names.get(frozenset(some), f"{{{', '.join(some)}}}"), tuple(some)) for some in parts]
    return {member: one for one in made for member in one.members}


def _sets_of_strings(specification: Specification) -> list[tuple[str, list[str]]]:
    """The operators that are sets of strings, each with these, where no formula names one of them."""
    sets, named = dict[str, list[str]](), set[str]()
    for name, one in specification.definitions.items():
        nodes = list(s.nodes(one.body))
        strings = [shapes.quoted(x.value) for x in nodes if isinstance(x, s.String)]
        if any(not isinstance(x, s.SetOf | s.String) for x in nodes):
            fields = (x.fields for x in nodes if isinstance(x, s.Record | s.RecordSet))
            named.update(strings, (shapes.quoted(field) for parts in fields for field, _ in parts))
        elif len(strings) == len(nodes) - 1:
            sets[name] = list(dict.fromkeys(strings))
    return [(name, members) for name, members in sets.items() if named.isdisjoint(members)]


def sets_of_model_values(interpreter: Interpreter) -> list[str]:
    """The constants that are sets of several model values, and of nothing else."""
    values = model_values(interpreter)
    return [name for name, members in values.items() if len(members) > 1]


Field: TypeAlias = tuple[str, Value, str | None]
"""A field of ALIAS at a state: its name (the operator's if ALIAS is no record), its value, or why it has none."""


def fields_of(interpreter: Interpreter, states: Sequence[State], loop: int | None) -> list[tuple[Field, ...]]:
    """The fields of ALIAS at each state of a run, without those that only repeat a variable; none without ALIAS.

    A primed variable has its value in the state after; the last state of a run without a loop is followed by
    itself.

    Args:
        interpreter: the meaning of the specification.
        states: the states of the run.
        loop: the place of the state that the last one is again, if the run goes on for ever.
    """
    alias = interpreter.specification.alias
    if alias is None or not states:
        return [() for _ in states]
    whole = alias.operator if isinstance(alias, Apply) else "ALIAS"
    value = interpreter.term_of_step(alias)
    last = len(states) - 1
    # The last state of a run with a loop is the one at the loop again, unless the run stops there.
    after_last = states[loop + 1] if loop is not None and loop < last else states[-1]
    found = list[tuple[Field, ...]]()
    for level, (state, after) in enumerate(zip(states, (*states[1:], after_last), strict=True), start=1):
        try:
            with operators.at_level(level):
                shown = interpreter.guarded(lambda: operators.listed(value(state, after)))  # noqa: B023
        except EvaluationError as error:
            found.append(((whole, None, str(error)),))
        else:
            found.append(tuple(_fields(interpreter, whole, shown, state)))
    return found


def _fields(interpreter: Interpreter, whole: str, value: Value, state: State) -> list[Field]:
    pairs = list(items_of(value)) if isinstance(value, tuple) else []
    if not pairs or not all(isinstance(key, str) for key, _ in pairs):
        return [(whole, value, None)]
    known = dict(zip(interpreter.variables, state, strict=True))
    kept = [(str(key), x) for key, x in pairs if key not in known or known[str(key)] != x]
    return [(f"{key}_alias" if key in known else key, x, None) for key, x in kept]
