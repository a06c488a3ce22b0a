"""Specifications: a module with the values of its constants, and what to check of it."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import is_
from pathlib import Path
from typing import Any

from leadline.symbolic.lang import (
    DEADLOCK,
    Mistake,
    ModelError,
    NoInitialState,
    ParameterError,
    Span,
    UserError,
    unknown_name,
    unknown_property,
)
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import bound_by
from leadline.symbolic.tla.read.config import Assigned, Config
from leadline.symbolic.tla.read.enabled import Hiding
from leadline.symbolic.tla.read.guards import FullGuards
from leadline.symbolic.tla.read.levels import Level, Levels, given, misuses
from leadline.symbolic.tla.read.modules import Copy, Files, Loader
from leadline.symbolic.tla.read.names import ranks
from leadline.symbolic.tla.read.parse import parse
from leadline.symbolic.tla.read.resolve import Names, Symbol, unknown_operator
from leadline.symbolic.tla.read.standard import LIBRARY, ONE, STANDARD, TWO

CONSTRAINED = "ACTION_CONSTRAINT"
"""The variable of a specification with action constraints: whether the latest step satisfies them.

TLC checks the state after a step that they exclude, and the step itself, but does not search further: as if
this were a history variable, and CONSTRAINT asked for its truth. So they need no treatment of their own.
"""


NO_ERROR = "no-error"
"""The claim where a configuration makes none: as for TLC, every reachable state and its steps have a value."""


@dataclass(frozen=True)
class Specification:
    """A module that was loaded. All its expressions are resolved: see `leadline.symbolic.tla.read.resolve`.

    A name in an expression is, in this order: a bound name, a definition, a variable, a built-in operator.

    Attributes:
        name: the module's name.
        file: the module's file.
        constants: the constants by key, in their order. Their values are definitions.
        variables: the variables by key, in their order.
        definitions: the definitions by key, with those that the configuration makes or replaces.
        assumptions: the assumptions.
        init: the initial states; None if there is no behaviour to check.
        next: the steps, without those that stutter.
        fairness: the other conjuncts of the specification's formula.
        invariants: the invariants by name.
        properties: the temporal properties by name.
        constraints: what holds of each state whose successors are looked for.
        action_constraints: what holds of each step to such a state. If there are any, the last variable is
            `CONSTRAINED`, and the last constraint asks for its truth.
        symmetry: the symmetry sets.
        postconditions: what holds after an exploration, by name.
        view: what of a state tells it apart from others; None for all of it, also if a VIEW says so.
        alias: what is shown of the states of a trace; None for all variables.
        deadlock: whether a state without a successor is a mistake.
        levels: the levels of its expressions.
        names: the names visible at the module's end.
        warnings: what is probably not meant, but has a meaning.
        readable: the folder of files that its operators may read; None if they may read none.
        naming: finds `ranks`.
        leveled: the level of states as a variable; None if there is none.
    """

    name: str
    file: str
    constants: tuple[s.Parameter, ...]
    variables: tuple[str, ...]
    definitions: Mapping[str, s.Definition]
    assumptions: tuple[s.Expression, ...]
    init: s.Expression | None
    next: s.Expression | None
    fairness: tuple[s.Expression, ...]
    invariants: Mapping[str, s.Expression]
    properties: Mapping[str, s.Expression]
    constraints: tuple[s.Expression, ...]
    action_constraints: tuple[s.Expression, ...]
    symmetry: tuple[s.Expression, ...]
    postconditions: Mapping[str, s.Expression]
    view: s.Expression | None
    alias: s.Expression | None
    deadlock: bool
    levels: Levels
    names: Names
    warnings: tuple[Mistake, ...] = ()
    readable: Path | None = None
    naming: Callable[[], Mapping[str, int]] = dict
    leveled: Leveled | None = None

    @property
    def history(self) -> dict[str, s.Expression]:
        """The next values of the variables that are not the module's, which come last."""
        found = dict[str, s.Expression]()
        if self.leveled is not None:
            level = self.leveled.level
            found[level.operator] = s.Apply("+", (level, s.Number(1)), place=level.place)
        if self.action_constraints:
            found[self.variables[-1]] = self._constrained
        return found

    @property
    def _constrained(self) -> s.Expression:
        """The next value of `CONSTRAINED`.

        As in TLC, action constraints are not evaluated where a constraint is false after the step.
        """
        place = self.action_constraints[0].place
        whole: s.Expression = s.Apply("/\\", self.action_constraints, place=place)
        others = self.constraints[:-1]
        if not others:
            return whole
        after = s.Apply("'", (s.Apply("/\\", others, place=place),), place=place)
        return s.Apply("=>", (after, whole), place=place)

    @property
    def constraint_names(self) -> list[str]:
        """The name of each constraint: as the configuration has it, if no claim has the same."""
        found: list[str] = []
        for number, one in enumerate(self.constraints, start=1):
            # The last one stands for those of steps: see `constrained`.
            of_steps = self.action_constraints if number == len(self.constraints) else ()
            names = [e.operator for e in of_steps or (one,) if isinstance(e, s.Apply) and not e.arguments]
            told = "-and-".join(names)
            known = told in (*found, *self.invariants, *self.properties)
            found.append(f"constraint-{number}" if known or not told else told)
        return found

    @cached_property
    def guards(self) -> FullGuards:
        """Its guards as TLC evaluates them."""
        return FullGuards(self.definitions)

    @cached_property
    def ranks(self) -> Mapping[str, int]:
        """The places of strings, record fields and model values in TLC's order of names."""
        return self.naming()

    @property
    def view_name(self) -> str:
        """The view's name in the configuration."""
        return self.view.operator if isinstance(self.view, s.Apply) else "VIEW"

    def no_initial_state(self) -> NoInitialState:
        """The error that no state satisfies the initial condition."""
        place = self.init.place if self.init is not None else s.BUILT_IN
        text = "no state satisfies the initial condition: expected conjuncts that can be true together"
        return NoInitialState([Mistake(place, text)])

    def place_of(self, name: str) -> s.Place:
        """The place of the definition of that name; that of the module if there is none."""
        found = self.definitions.get(name)
        return s.Place(self.file, 1, 1) if found is None else found.place

    def operator_at(self, place: Span) -> str:
        """The name of the definition that a place lies in; "" if it lies in none."""
        file, line = place.file, place.line
        before = [x for x in self.definitions.values() if x.place.file == file and x.place.line <= line]
        return max(before, key=lambda one: one.place.line).name if before else ""

    @property
    def formulas(self) -> Iterator[s.Expression]:
        """The formulas that verdicts depend on."""
        yield from (one for one in (self.init, self.next, self.view) if one is not None)
        yield from (*self.fairness, *self.invariants.values(), *self.properties.values())
        yield from (*self.constraints, *self.action_constraints)


@dataclass(frozen=True)
class Leveled:
    """The level of states as a variable.

    Attributes:
        level: the variable.
        highest: its highest value.
        before: the specification without it.
    """

    level: s.Apply
    highest: s.Expression
    before: Specification


@s.deeply()
def load(
    path: Path,
    config: Config | None = None,
    folders: Sequence[Path] = (),
    values: Mapping[str, str] | None = None,
    invariants: Sequence[str] = (),
    properties: Sequence[str] = (),
    loader: Loader | None = None,
    assumed: bool = False,
) -> Specification:
    """Read a module and all that it needs.

    Args:
        path: the module's file. The modules that it needs may stand beside it.
        config: its configuration; None for that of a module without one: `Spec`, or `Init` and `Next`.
        folders: other folders with modules.
        values: TLA+ expressions for constants, in place of the configuration's values. A name without a
            meaning is a model value.
        invariants: operators to check in every state. If any are named here, those of the configuration, and
            its properties, are not checked.
        properties: operators to check beside the configuration's invariants and properties: of all states, if
            they are about one, or of all runs.
        loader: takes the modules, in place of one with the files beside the module and in the folders.
        assumed: whether, without a configuration, constants equal only themselves and there is no behaviour.

    Raises:
        ModelError: with all mistakes found.
        UserError: if a file cannot be read, or a name is unknown.
    """
    loader = loader or Loader(Files([path.parent, *folders]))
    with _shallow(path):
        module = loader.files.read(path)
        names = loader.load(module)
    if assumed and config is None:
        shown = [replace(one, name=one.name.partition("@")[0]) for one in loader.constants]
        unknown = [Assigned(one.name, s.ModelValue(one.name), one.place) for one in shown]
        config = Config(constants=unknown)
    config = config or _default(names)
    given = dict(values or {})
    constants = [one.name for one in loader.constants]
    own = [one.name for one in loader.definitions.values() if Path(one.place.file).parent != LIBRARY]
    operators = [name for name in own if "!" not in name]
    what = f"{module.name} has no constant"
    _refuse(unknown_name(what, one, constants) for one in given if one not in names)
    what = f"{module.name} has no operator"
    _refuse(unknown_property(what, one, operators) for one in (*invariants, *properties) if one not in names)
    if invariants:
        config = replace(config, invariants=_placed(invariants, names), properties=[])
    known = {one.operator for one in (*config.invariants, *config.properties)}
    more = _placed([name for name in properties if name not in known], names)
    assigned = [one for one in config.constants if one.name not in given]
    for name, text in given.items():
        with _shallow(f"-p {name}"):
            unit = _definition("value", text, f"-p {name}")
        assigned.append(Assigned(name, unit.body, unit.place))
    with _shallow(path):
        return _Making(loader, module, names, config, more).make(assigned)


@contextmanager
def _shallow(file: object) -> Iterator[None]:
    """Refuse an expression with more levels than Python can walk."""
    try:
        yield
    except RecursionError:
        text = "an expression nests too deeply to be read: expected definitions for parts of it"
        raise ModelError([Mistake(s.Place(str(file), 1, 1), text)]) from None


def _placed(operators: Iterable[str], names: Names) -> list[s.Apply]:
    return [s.Apply(name, place=names[name].place) for name in dict.fromkeys(operators)]


def _refuse(complaints: Iterable[str]) -> None:
    if told := "\n".join(complaints):
        raise ParameterError(told)


def _default(names: Names) -> Config:
    def named(name: str) -> s.Apply | None:
        return s.Apply(name, place=names[name].place) if name in names else None

    spec = named("Spec")
    return Config(specification=spec) if spec is not None else Config(init=named("Init"), next=named("Next"))


def _definition(name: str, text: str, file: str) -> s.Definition:
    """A text as the definition of an operator without parameters.

    Raises:
        ModelError: with every mistake in the syntax.
    """
    (module,) = parse(f"---- MODULE typed ----\n{name} ==\n{text}\n====", file)
    unit, *others = module.units
    if others or not isinstance(unit, s.Definition):
        raise ModelError([Mistake(s.Place(file, 1, 1), "expected one expression")])
    return unit


_OF_VALUES = {name: Symbol(name, arities) for name, arities in {"-.": ONE, ":>": TWO, "@@": TWO}.items()}
"""The operators with which values are written, also those of constants of a module that extends nothing."""

_TYPED = re.compile(r"\s*([A-Za-z_]\w*)\s*==(.*)", re.DOTALL)
"""A definition that is typed."""


def read_expression(
    specification: Specification, text: str, kept: Mapping[str, s.Expression]
) -> tuple[str, s.Expression]:
    """An expression about one state, with the names that are visible at the end of the main module.

    Args:
        specification: the specification.
        text: TLA+ text: an expression, or `Name == expression`.
        kept: names with meanings beside those of the module, before which they come.

    Returns:
        The name, "" if there is none, and the expression.

    Raises:
        UserError: with all mistakes, without their places, which are in no file.
    """
    found = _TYPED.fullmatch(text)
    name, body = found.groups() if found is not None else ("", text)
    loader = Loader(Files([]))
    names = specification.names.new_child({key: Symbol(key, instead=one) for key, one in kept.items()})
    try:
        with _shallow("typed"):
            unit = _definition(name or "value", body, "typed")
            resolved = loader.resolver(Copy(lambda _: None)).expr(unit.body, names)
        if loader.mistakes:
            raise ModelError(loader.mistakes)
    except ModelError as error:
        raise UserError("; ".join(one.text for one in error.mistakes)) from error
    level = specification.levels.of(resolved)
    if level > Level.STATE:
        raise UserError(f"the expression is about {_ABOUT[level]}: expected one about {_ABOUT[Level.STATE]}")
    return name, resolved


def read_term(specification: Specification, text: str) -> s.Expression:
    """An expression about one state, which is no definition.

    The arguments and errors are those of `read_expression`.
    """
    name, found = read_expression(specification, text, {})
    if name:
        raise UserError(f"a definition has no value: give the expression alone, without {name} ==")
    return found


@dataclass
class _Making:
    """The making of a specification from a module, its configuration and what else is to be checked."""

    loader: Loader
    module: s.Module
    names: Names
    config: Config
    more: Sequence[s.Apply]

    def make(self, assigned: Sequence[Assigned]) -> Specification:
        """Assign the constants, and find what to check.

        Raises:
            ModelError: with all mistakes.
        """
        self.mistakes: list[Mistake] = []
        loader, config = self.loader, self.config
        for one in assigned:
            self.assign(one)
        variables = (*(one.name for one in loader.variables), *self.constrained_name())
        levels = self.levels(variables)
        self.check_constants(levels, {one.name for one in assigned})
        self.mistakes += self.misused(levels)
        init, next_, fairness = self.behaviour(levels)
        invariants, properties = self.claims(levels)
        made = Specification(
            name=self.module.name,
            file=self.module.place.file,
            constants=tuple(loader.constants),
            variables=variables,
            definitions=loader.definitions,
            assumptions=tuple(loader.assumptions),
            init=init,
            next=next_,
            fairness=fairness,
            invariants=invariants,
            properties=properties,
            constraints=tuple(self.formula(one, levels, Level.STATE) for one in config.constraints),
            action_constraints=tuple(self.named(config.action_constraints, levels, Level.ACTION).values()),
            symmetry=tuple(self.formula(one, levels, Level.CONSTANT) for one in config.symmetry),
            postconditions=self.named(config.postconditions, levels, Level.CONSTANT),
            view=self.view(levels),
            alias=config.alias and self.formula(config.alias, levels, Level.ACTION),
            deadlock=config.check_deadlock,
            levels=levels,
            names=self.names,
            warnings=tuple(self.loader.warnings),
            naming=partial(ranks, self.module, {**loader.files.known}, assigned),
        )
        self.mistakes += (*_random_choices(made), *_recursive_claims(made))
        if self.mistakes:
            raise ModelError(self.mistakes)
        made = _claimed(_claims_apart(made))
        return _begun(made) if made.action_constraints else made

    def levels(self, variables: Sequence[str]) -> Levels:
        """The levels of all definitions, once no definition stands for the variable of an instance."""
        loader, hiding = self.loader, Hiding(self.loader.definitions)
        if loader.hidden:
            hiding.run()
        levels = Levels(loader.definitions, {*variables, *hiding.variables}, loader.judged)
        loader.judged = levels.judged
        return levels

    def misused(self, levels: Levels) -> list[Mistake]:
        """The mistakes in what expressions are about: constants, states, steps or behaviours."""
        own = [one.place for one in self.loader.assumptions if levels.of(one) > Level.CONSTANT]
        text = "an assumption is about constants: expected no variable in it"
        wrong = [Mistake(place, text) for place in own if place.file == self.module.place.file]
        found = misuses(self.loader.definitions.values(), levels)
        return [*found, *wrong, *given(self.loader.instead, levels)]

    def constrained_name(self) -> tuple[str, ...]:
        """The name of the variable `CONSTRAINED`; none without action constraints."""
        name = _free(CONSTRAINED, self.names, self.loader.definitions)
        return (name,) if self.config.action_constraints else ()

    def check_constants(self, levels: Levels, assigned: Set[str]) -> None:
        """Check that each constant has a value, which depends on no variable, unless one was refused."""
        for one in self.loader.constants:
            found = self.loader.definitions.get(one.name)
            if found is None:
                name = one.name.partition("@")[0]  # that of a built-in operator has a suffix
                text = f"constant {name} has no value: expected `{name} = ...` in the configuration"
                if name not in assigned:
                    self.wrong(one.place, f"{text}, or -p {name}=...")
            elif levels.of_definition(one.name) > Level.CONSTANT and not one.arity:  # TLC allows an operator
                text = f"{one.name} is a constant: expected an operator that depends on no variable"
                self.wrong(found.place, text)

    def wrong(self, place: s.Place, text: str) -> None:
        """Keep a mistake."""
        self.mistakes.append(Mistake(place, text))

    def assign(self, one: Assigned) -> None:
        """Give a constant its value, or replace a definition."""
        definitions = self.loader.definitions
        symbol = self.names.get(one.name)
        if symbol is None and one.module is None:
            if one.replaces:  # TLC passes over values of constants that there are not, and files rely on it
                expected = "a constant or an operator of the module"
                self.wrong(one.place, f"unknown name {one.name}: expected {expected}")
            return
        if symbol is not None and any(symbol.key == one.name for one in self.loader.variables):
            self.wrong(one.place, f"{one.name} is a variable: expected the name of a constant or an operator")
            return
        for key, arity in self.replaced(one, symbol):
            parameters = tuple(s.Parameter(f"a{i + 1}@") for i in range(arity))
            own = parameters[len(self.loader.written[key].given) if key in self.loader.written else 0 :]
            arguments = tuple(s.Apply(parameter.name) for parameter in own)
            if one.replaces:
                assert isinstance(one.value, s.Apply)
                body: s.Expression | None = self.operator(one.value, arguments)
            elif one.arguments is not None:
                before = definitions[key].body if key in definitions else None
                body = _with_row(before, arguments, one)
            else:
                body = self.value(one.value)
            if body is not None:
                definitions[key] = s.Definition(key, parameters, body, place=one.place)

    def replaced(self, one: Assigned, symbol: Symbol | None) -> Iterator[tuple[str, int]]:
        """The keys that an assignment is about, with their arities."""
        if one.module is None:
            assert symbol is not None
            for key in self._copies(symbol.key):
                known = self.loader.definitions.get(key)
                yield key, known.arity if known is not None else len(symbol.arities)
            return
        # As in TLC, a definition that the module extends or instantiates is replaced wherever it is used.
        within = self.loader.files.reached(one.module)
        found = {
            key: known.arity
            for key, known in self.loader.definitions.items()
            if re.split(r"[!@]", key)[-1 if "!" in key else 0] == one.name
            and Path(known.place.file).stem in within
        }
        for name in within & STANDARD.keys():
            if one.name in STANDARD[name].operators:
                found[one.name] = len(STANDARD[name].operators[one.name])
        if not found:
            self.wrong(
                one.place, f"{one.module} has no {one.name}: expected a module with an operator of this name"
            )
        yield from found.items()

    def _copies(self, key: str) -> Iterator[str]:
        """The keys by which a definition of the specification is replaced, as in TLC.

        Where instances have a definition `Op` that is replaced, their other definitions use what replaces it, and
        `M!Op`, written elsewhere, stays what its module says. Where the specification has `Op` from an instance
        without a name, it is the other way round.
        """
        if key in self.loader.inside:
            self._own_key(key)
            yield key
            return
        yield key
        written = self.loader.written
        unit = written[key].unit if key in written else None
        copies = [other for other, one in written.items() if one.unit is unit and other != key]
        for other in copies:
            if other in self.loader.definitions:
                yield self._own_key(other) if other in self.loader.inside else other

    def _own_key(self, key: str) -> str:
        """A new key of an instance's definition, by which the others of the instance refer to it."""
        own, definitions = f"{key}@", self.loader.definitions

        def renamed(e: Any) -> Any:
            if isinstance(e, s.Function) and e.name == key:
                return e  # refers to itself as a bound name
            e = s.rebuilt(e, renamed)
            return replace(e, operator=own) if isinstance(e, s.Apply) and e.operator == key else e

        if own not in definitions:
            for name in self.loader.inside[key]:
                if key in s.operators(definitions[name]):
                    definitions[name] = renamed(definitions[name])
            definitions[own] = replace(definitions[key], name=own)
            self.loader.written[own] = self.loader.written[key]
        return own

    def operator(self, name: s.Apply, arguments: tuple[s.Expression, ...]) -> s.Expression | None:
        """An operator of the configuration, applied."""
        symbol = self.names.get(name.operator)
        if symbol is None:
            self.wrong(name.place, unknown_operator(name.operator, self.names, "in the module"))
            return None
        if len(symbol.arities) != len(arguments):
            text = f"{name.operator} takes {len(symbol.arities)} arguments: expected {len(arguments)}"
            self.wrong(name.place, text)
        return symbol.applied(arguments, name.place)

    def value(self, value: s.Expression) -> s.Expression:
        """A constant's value; names that nothing has are model values."""
        unknown = {
            one.operator
            for one in s.nodes(value)
            if isinstance(one, s.Apply)
            and one.operator not in self.names
            and not (one.arguments or one.prefix)
        }
        model_values = {name: Symbol(name, instead=s.ModelValue(name)) for name in unknown}
        resolver = self.loader.resolver(Copy(lambda _: None))
        before = len(self.loader.mistakes)
        found = resolver.expr(value, ChainMap(model_values, *self.names.maps, _OF_VALUES))
        self.mistakes += self.loader.mistakes[before:]
        return found

    def view(self, levels: Levels) -> s.Expression | None:
        """The VIEW of the configuration; none if it is a tuple of all variables, which tells all states apart."""
        if self.config.view is None:
            return None
        found = self.formula(self.config.view, levels, Level.STATE)
        return None if self._in_tuple(found) == {x.name for x in self.loader.variables} else found

    def _in_tuple(self, e: s.Expression) -> set[str]:
        """The names of variables in a tuple, and an empty one if there is more in it, which may be an error."""
        match e:
            case s.TupleOf(items):
                return set[str]().union(*map(self._in_tuple, items))
            case s.Apply(name, ()):
                defined = self.loader.definitions.get(name)
                return {name} if defined is None else self._in_tuple(defined.body)
        return {""}

    def formula(self, name: s.Apply, levels: Levels, highest: Level) -> s.Expression:
        """The formula that the configuration names; its level is at most this one."""
        found = self.operator(name, ())
        if found is None:
            return name
        level = levels.of(found)
        if level > highest:
            text = f"{name.operator} is a formula about {_ABOUT[level]}: expected one about {_ABOUT[highest]}"
            instead = _AS_PROPERTY.get(level, "") if name in self.config.invariants else ""
            self.wrong(name.place, text + instead.format(name.operator))
        return found

    def claims(self, levels: Levels) -> tuple[dict[str, s.Expression], dict[str, s.Expression]]:
        """The invariants and properties. A state formula as PROPERTY is about initial states, as in TLC."""
        invariants = self.named(self.config.invariants, levels, Level.STATE)
        properties = self.named(self.config.properties, levels, Level.TEMPORAL)
        more = self.named(self.more, levels, Level.TEMPORAL)
        for one in (*self.config.properties, *self.more):
            if levels.of((more | properties)[one.operator]) is Level.ACTION:
                text = f"{one.operator} is a formula about a step: expected a PROPERTY that is defined as"
                self.wrong(one.place, f"{text} [][{one.operator}]_vars")
        for one in self.config.properties:
            if levels.of(properties[one.operator]) <= Level.STATE:
                text = f"{one.operator} is about one state, so that a PROPERTY says it of the initial states alone"
                self.loader.warnings.append(Mistake(one.place, f"{text}: INVARIANT says it of all"))
        for name, formula in more.items():
            (invariants if levels.of(formula) <= Level.STATE else properties)[name] = formula
        return invariants, properties

    def named(self, names: Sequence[s.Apply], levels: Levels, highest: Level) -> dict[str, s.Expression]:
        """The formulas that the configuration names, by their names."""
        for one in names:
            if one.operator == DEADLOCK:
                text = f"checks report under the name {DEADLOCK} that no step is possible"
                self.wrong(one.place, f"{text}: expected another name, such as Claim == {DEADLOCK}")
        return {one.operator: self.formula(one, levels, highest) for one in names}

    def behaviour(
        self, levels: Levels
    ) -> tuple[s.Expression | None, s.Expression | None, tuple[s.Expression, ...]]:
        """The initial states, the steps and the other conjuncts."""
        config = self.config
        if config.specification is not None:
            if config.init is not None or config.next is not None:
                self.wrong(config.specification.place, "SPECIFICATION and INIT or NEXT: expected one of them")
            formula = self.formula(config.specification, levels, Level.TEMPORAL)
            known = formula is not config.specification
            return self.split(formula, levels) if known else (None, None, ())
        if (config.init is None) != (config.next is None):
            only = config.init or config.next
            assert only is not None
            self.wrong(only.place, "expected both INIT and NEXT")
        init = config.init and self.formula(config.init, levels, Level.STATE)
        next_ = config.next and self.formula(config.next, levels, Level.ACTION)
        claims = (*config.invariants, *config.properties)
        if self.loader.assumptions and not claims and init is not None and self._begins_false(init):
            return None, None, ()
        return init, next_, ()

    def _begins_false(self, e: s.Expression) -> bool:
        """Whether a formula is FALSE, or has it as first conjunct: so the Toolbox writes INIT where it only
        evaluates assumptions."""
        match e:
            case s.Apply("/\\", (first, *_)):
                return self._begins_false(first)
            case s.Apply("FALSE", ()):
                return True
            case s.Apply(name, ()):
                defined = self.loader.definitions.get(name)
                return defined is not None and self._begins_false(defined.body)
        return False

    def split(
        self, formula: s.Expression, levels: Levels
    ) -> tuple[s.Expression | None, s.Expression | None, tuple[s.Expression, ...]]:
        """The parts of a specification's formula."""
        init, steps, others = list[s.Expression](), list[s.Expression](), list[s.Expression]()
        for one in conjuncts(formula, self.loader.definitions, levels):
            match one:
                case s.Apply("[]", (s.Subscripted("[]_", action, _),)):
                    steps.append(action)
                case _:
                    (init if levels.of(one) <= Level.STATE else others).append(one)
        if not init or len(steps) != 1:
            self.wrong(
                formula.place, "no specification: expected `Init /\\ [][Next]_vars` with other conjuncts"
            )
            return None, None, ()
        return init[0] if len(init) == 1 else s.Apply("/\\", tuple(init)), steps[0], tuple(others)


def _claims_apart(made: Specification) -> Specification:
    """The specification with properties such as `[]P`, where P is about a state, as invariants: as in TLC."""
    invariants, properties = dict(made.invariants), dict(made.properties)
    for name, whole in made.properties.items():
        claim = claim_parts(whole, made.definitions, made.levels)
        if not (claim.initial or claim.steps or claim.runs):
            del properties[name]
            states = claim.states
            invariants[name] = states[0] if len(states) == 1 else s.Apply("/\\", states, place=whole.place)
    return replace(made, invariants=invariants, properties=properties)


def _claimed(made: Specification) -> Specification:
    """The specification with the claim `NO_ERROR` if its behaviour is explored without any."""
    if made.next is None or made.invariants or made.properties or made.deadlock:
        return made
    return replace(made, invariants={NO_ERROR: s.Apply("TRUE", place=s.Place(made.file, 1, 1))})


def _begun(made: Specification) -> Specification:
    """The specification with `CONSTRAINED` true at first, and asked for by the last constraint."""
    constrained = s.Apply(made.variables[-1], place=made.action_constraints[0].place)
    begun = s.Apply("=", (constrained, s.Apply("TRUE")), place=constrained.place)
    init = made.init and s.Apply("/\\", (made.init, begun), place=made.init.place)
    return replace(made, init=init, constraints=(*made.constraints, constrained))


_ABOUT = {
    Level.CONSTANT: "no state",
    Level.STATE: "one state",
    Level.ACTION: "a step",
    Level.TEMPORAL: "a behaviour",
}
_AS_PROPERTY = {
    Level.ACTION: ", or a PROPERTY that is defined as [][{}]_vars",
    Level.TEMPORAL: ", or {} as a PROPERTY",
}
"""How the message on an invariant ends that is about a step or a behaviour: it tells how to write a PROPERTY."""


def _random_choices(specification: Specification) -> Iterator[Mistake]:
    """The uses of RandomElement that verdicts depend on, each where the user's module mentions it."""
    for here in uses(specification, "RandomElement", specification.formulas):
        text = "this chooses at random, and a verdict would hold of one choice: expected a choice"
        yield Mistake(here, f"{text} among all, such as \\E x \\in S : v' = x, or CHOOSE x \\in S : TRUE")


def _recursive_claims(specification: Specification) -> Iterator[Mistake]:
    """The temporal formulas in use that are defined by themselves; TLC refuses them too."""
    known, seen = dict(specification.definitions), set[str]()

    def within(e: s.Expression, path: frozenset[str]) -> Iterator[Mistake]:
        lets = [one for one in s.nodes(e) if isinstance(one, s.Let)]
        known.update(
            (one.name, one) for let in lets for one in let.definitions if isinstance(one, s.Definition)
        )
        for name in sorted(s.operators(e) & known.keys()):
            one = known[name]
            if name in path:
                text = "a temporal formula is not defined by itself: expected \\A or \\E over a constant set"
                yield Mistake(one.place, text)
            elif name not in seen and specification.levels.of(one.body) is Level.TEMPORAL:
                seen.add(name)
                yield from within(one.body, path | {name})

    for formula in (*specification.fairness, *specification.properties.values()):
        yield from within(formula, frozenset())


def uses(specification: Specification, operator: str, formulas: Iterable[s.Expression]) -> Iterator[s.Place]:
    """The places of the user's modules where formulas, or definitions that they use, apply a built-in operator."""
    definitions = specification.definitions
    work = [(one, one.place) for one in formulas]
    if not any(operator in one.around for one in specification.levels.judged.values()):
        # No definition uses it, and the formulas of a configuration are names of definitions.
        return
    seen = set[str]()
    while work:
        e, place = work.pop()
        for node in s.nodes(e):
            if not isinstance(node, s.Apply):
                continue
            here = place if Path(node.place.file).parent == LIBRARY else node.place
            if node.operator in definitions and node.operator not in seen:
                seen.add(node.operator)
                work.append((definitions[node.operator].body, here))
            elif node.operator == operator and node.operator not in definitions:
                yield here


def conjuncts(
    formula: s.Expression, definitions: Mapping[str, s.Definition], levels: Levels
) -> Iterator[s.Expression]:
    """The conjuncts of a temporal formula, those in its definitions and for all elements of a set included."""
    match formula if levels.of(formula) is Level.TEMPORAL else None:
        case s.Apply("/\\", parts):
            for part in parts:
                yield from conjuncts(part, definitions, levels)
        case s.Apply() as e if (body := _applied(e, definitions)) is not None:
            yield from conjuncts(body, definitions, levels)
        case s.Quantified("\\A", bounds, body) as whole if all(
            x.domain is not None and levels.of(x.domain) is Level.CONSTANT for x in bounds
        ):
            for part in conjuncts(body, definitions, levels):
                yield _for_all(whole, part, levels)
        case _:
            yield formula


def _for_all(whole: s.Quantified, part: s.Expression, levels: Levels) -> s.Expression:
    """`\\A x \\in S : []P`, where S is constant, as `[](\\A x \\in S : P)`; likewise of `[][A]_v`.

    A step that changes no `v[x]` changes no `[x \\in S |-> v[x]]`, which is the subscript where v depends on x.
    """
    match part:
        case s.Apply("[]", (s.Subscripted("[]_") as step,)):
            inner: s.Expression = replace(step, action=replace(whole, body=step.action))
            if not bound_by(whole).isdisjoint(s.operators(step.subscript)):
                each = s.Function(whole.bounds, step.subscript, place=step.place)
                inner = replace(step, action=replace(whole, body=step), subscript=each)
        case s.Apply("[]", (inner,)) if levels.of(inner) <= Level.STATE:
            inner = replace(whole, body=inner)
        case _:
            return replace(whole, body=part)
    return replace(part, arguments=(inner,))


def _applied(e: s.Apply, definitions: Mapping[str, s.Definition]) -> s.Expression | None:
    """The body of a definition about its arguments; None if it cannot be written so."""
    one = definitions.get(e.operator)
    if one is None or not one.parameters:
        return None if one is None else one.body
    given_to = {x.name: argument for x, argument in zip(one.parameters, e.arguments, strict=True)}
    bound = frozenset[str]().union(*map(bound_by, s.nodes(one.body)))
    if any(x.arity for x in one.parameters) or any(not bound.isdisjoint(s.operators(x)) for x in e.arguments):
        return None

    def put(part: s.Node) -> Any:
        argument = given_to.get(part.operator) if isinstance(part, s.Apply) else None
        return s.rebuilt(part, put) if argument is None else argument

    body: s.Expression = put(one.body)
    return body


@dataclass(frozen=True)
class ClaimParts:
    """The conjuncts of a property by what they are about.

    Attributes:
        states: formulas that hold in every state.
        initial: formulas that hold in the initial states.
        steps: formulas that hold of every step.
        runs: formulas about whole runs.
    """

    states: tuple[s.Expression, ...]
    initial: tuple[s.Expression, ...]
    steps: tuple[s.Expression, ...]
    runs: tuple[s.Expression, ...]


def claim_parts(formula: s.Expression, definitions: Mapping[str, s.Definition], levels: Levels) -> ClaimParts:
    """A property, conjunct by conjunct."""
    states, initial, steps, runs = (list[s.Expression]() for _ in range(4))
    for one in conjuncts(formula, definitions, levels):
        match one:
            case s.Apply("[]", (s.Subscripted("[]_") as inner,)):
                steps.append(inner)
            case s.Apply("[]", (inner,)) if levels.of(inner) <= Level.STATE:
                states.append(inner)
            case _:
                (initial if levels.of(one) <= Level.STATE else runs).append(one)
    return ClaimParts(tuple(states), tuple(initial), tuple(steps), tuple(runs))


def _with_row(
    before: s.Expression | None, parameters: tuple[s.Expression, ...], one: Assigned
) -> s.Expression:
    """The value of an operator with one more value, for these arguments."""
    assert one.arguments is not None
    equal = [s.Apply("=", pair) for pair in zip(parameters, one.arguments, strict=False)]
    arm = (s.Apply("/\\", tuple(equal)), one.value)
    if isinstance(before, s.Case) and before.other is None:
        return replace(before, arms=(*before.arms, arm))
    return s.Case((arm,), None, place=one.place)


LEVEL = "LEVEL"
_ONE = s.Number(1)


def leveled(made: Specification) -> Specification:
    """The specification with the level of a state as its variable `LEVEL`, if constraints bound it from above.

    TLC gives `TLCGet("level")` by its search: the level of a state is one more than the steps that it takes to
    reach it. Where constraints only bound it from above, the states that satisfy them are those that short runs
    reach, whichever way they are found. So formulas may have the length of a run in its place.

    It is unchanged where something else asks for `TLCGet`, whose answer then depends on TLC's search, or where a
    step has several parts.
    """
    others = replace(made, constraints=()).formulas
    bounds = _Bounds(made, _free(LEVEL, made.names, made.definitions, made.variables))
    constraints = tuple(bounds.of(one) for one in made.constraints)
    if bounds.top is None or _has(made, others, "TLCGet", "\\cdot"):
        return made
    own = len(made.variables) - len(made.history)
    variables = (*made.variables[:own], bounds.level.operator, *made.variables[own:])
    begun = s.Apply("=", (bounds.level, _ONE), place=bounds.top.place)
    found = replace(
        made,
        variables=variables,
        init=made.init and s.Apply("/\\", (made.init, begun), place=made.init.place),
        constraints=constraints,
        definitions=bounds.definitions,
        levels=Levels(bounds.definitions, {*made.levels.variables, *variables}, made.levels.judged),
        leveled=Leveled(bounds.level, bounds.top, made),
    )
    return made if _has(found, found.constraints, "TLCGet") else found


def _has(made: Specification, formulas: Iterable[s.Expression], *operators: str) -> bool:
    formulas = tuple(formulas)
    return any(True for one in operators for _ in uses(made, one, formulas))


def _free(name: str, *taken: Container[str]) -> str:
    """A name that is not taken: this one, or this one with underscores behind it."""
    while any(name in one for one in taken):
        name += "_"
    return name


@dataclass
class _Bounds:
    """The bounds in constraints, with a variable in place of the level.

    Attributes:
        made: the specification.
        name: the variable's name.
        top: the highest level that a state may have by one of them, that of states beyond it included.
        definitions: the definitions of the specification, with those changed that have bounds in them.
    """

    made: Specification
    name: str
    top: s.Expression | None = None
    definitions: Mapping[str, s.Definition] = field(init=False)

    def __post_init__(self) -> None:
        self.definitions = self.made.definitions

    @property
    def level(self) -> s.Apply:
        """The variable."""
        return s.Apply(self.name)

    def of(self, e: s.Expression) -> s.Expression:
        """A conjunction with the variable in its bounds."""
        match e:
            case s.Apply("/\\", parts):
                found = tuple(map(self.of, parts))
                return e if all(map(is_, found, parts)) else replace(e, arguments=found)
            case s.Apply(name, ()) if name in self.definitions:
                one = self.definitions[name]
                body = self.of(one.body)
                if body is not one.body:
                    self.definitions = {**self.definitions, name: replace(one, body=body)}
            case s.Apply("<" | "<=" as operator, (s.Apply("TLCGet", (s.String("level"),)), most)):
                return self._bounded(e, operator == "<", most)
            case s.Apply(">" | ">=" as operator, (most, s.Apply("TLCGet", (s.String("level"),)))):
                return self._bounded(e, operator == ">", most)
        return e

    def _bounded(self, e: s.Apply, below: bool, most: s.Expression) -> s.Expression:
        if self.made.levels.of(most) is not Level.CONSTANT:
            return e
        self.top = most if below else s.Apply("+", (most, _ONE), place=e.place)
        return s.Apply("<" if below else "<=", (self.level, most), place=e.place)
