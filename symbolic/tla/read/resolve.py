"""Names: what each stands for at its place, with mistakes as SANY has them.

A name may select a part of a definition by its place, such as `Inv!2!(x)`, or by a label. Lamport, *TLA+2: A
Preliminary Guide* (2014), section 4, has the rules, and `selectorToNode` of SANY's Generator.
"""

from __future__ import annotations

import difflib
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from leadline.symbolic.lang import Mistake, counted
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.enabled import fairness, marked
from leadline.symbolic.tla.read.parse import INFIX
from leadline.symbolic.tla.read.standard import ANY_NUMBER, CORE, STANDARD, Arities

_ASSOCIATIVE = frozenset({"+", "*", "\\cup", "\\cap", "\\o", "@@"})


class NoPart(Exception):
    """A step that leads to no part; its text is what was expected."""


@dataclass
class Way:
    """A way into a definition, as it is written.

    Attributes:
        found: the expression that it has come to.
        parameters: the names that are bound around it.
        arguments: their values, as they are written.
        around: the LETs around it, outermost first.
        bare: whether it leads to an operator: the names that are bound around it have no values.
    """

    found: s.Expression
    bare: bool = False
    parameters: list[s.Parameter] = field(default_factory=list)
    arguments: list[s.Expression] = field(default_factory=list)
    around: list[s.Let] = field(default_factory=list)

    @property
    def whole(self) -> s.Expression:
        """The expression within its LETs."""
        result = self.found
        for let in reversed(self.around):
            result = replace(let, body=result)
        return result

    def go(self, steps: Sequence[s.Step]) -> None:
        """Take the steps.

        Raises:
            NoPart: if there is no such part.
        """
        rest = list(steps)
        while rest:
            step = rest.pop(0)
            if isinstance(step, s.Apply):
                self._to_name(step)
                continue
            while isinstance(self.found, s.Label):
                self.found = self.found.body
            if isinstance(step, int) and isinstance(self.found, s.Case) and not self.found.by_if:
                self._to_arm(self.found, step, rest.pop(0) if rest else None)
            elif isinstance(step, int):
                self._to_operand(step)
            elif isinstance(step, tuple) or (step == "@" and self.bare):
                self._to_body(step if isinstance(step, tuple) else None)
            elif step != ":":
                raise NoPart("values for the bound names, such as `!(x)`")

    def _to_operand(self, place: int) -> None:
        if isinstance(self.found, s.Let):
            self.around.append(self.found)
        below = _operands(self.found)
        if not 0 < place <= len(below):
            raise NoPart(f"a place from 1 to {len(below)}" if below else "an expression with operands")
        self.found = below[place - 1]

    def _to_arm(self, case: s.Case, arm: int, side: s.Step | None) -> None:
        arms: list[tuple[s.Expression | None, s.Expression | None]] = [*case.arms, (None, case.other)]
        pair = arms[arm - 1] if 0 < arm <= len(arms) else (None, None)
        chosen = pair[side - 1] if isinstance(side, int) and side in (1, 2) else None
        if chosen is None:
            raise NoPart("`!i!1` for the condition of an arm, or `!i!2` for its value")
        self.found = chosen

    def _to_body(self, values: tuple[s.Expression, ...] | None) -> None:
        bounds, body = _binder(self.found)
        names = [s.Parameter(name, place=one.place) for one in bounds for name in one.names]
        if body is None or (values is not None and len(names) != len(values)):
            raise NoPart(
                f"values for {len(names)} bound names" if names else "an expression that binds names"
            )
        self.parameters += names
        self.arguments += values or ()
        self.found = body

    def _to_name(self, step: s.Apply) -> None:
        lets, node, bound = next(_named(self.found, step.operator), ([], None, []))
        if node is None:
            raise NoPart("a label or a place of its definition")
        if isinstance(node, s.Label) and not {one.name for one in node.parameters}.issuperset(bound):
            whole = f"{step.operator}({', '.join(bound)})"
            raise NoPart(f"`{whole} ::` at {node.place}, with all names that are bound around it")
        if len(node.parameters) != len(step.arguments) and not self.bare:
            raise NoPart(f"{len(node.parameters)} arguments of {step.operator}")
        self.around += lets
        self.parameters += node.parameters
        self.arguments += step.arguments
        self.found = node.body


def _operands(e: s.Expression) -> list[s.Expression]:
    """The parts of an expression that have a place."""
    match e:
        case s.Record(fields) | s.RecordSet(fields):
            return [part for _, part in fields]
        case s.Except(function, _):
            return [function]
        case s.Let(_, inner):
            return [inner]
        case s.Subscripted("WF_" | "SF_", action, subscript):
            return [subscript, action]
        case s.Apply(operator, (first, _, _, *_) as items) if operator != "\\X" and first.place < e.place:
            # A long chain, such as `a /\ b /\ c`: its symbol stands behind an operand, that of a list before.
            return [replace(e, arguments=items[:-1]), items[-1]]
    bounds, body = _binder(e)
    if body is not None:
        return [one.domain for one in bounds if one.domain is not None]
    return [cast(s.Expression, part) for part in s.children(e)]


def _in_pairs(e: s.Apply, symbol: Symbol) -> s.Apply:
    """A long chain of an infix operator as applications to two operands, which nest little if it associates."""
    items: list[s.Expression] = list(e.arguments)
    while len(items) > 2:
        end = len(items) if symbol.key in _ASSOCIATIVE and symbol.place == s.BUILT_IN else 2
        pairs = [replace(e, arguments=(*items[at : at + 2],)) for at in range(0, end - 1, 2)]
        items = [*pairs, *items[2 * len(pairs) :]]
    return replace(e, arguments=(*items,))


def _binder(e: s.Expression) -> tuple[Sequence[s.Bound], s.Expression | None]:
    """The bounds of an expression, and that in which their names are bound; None if there are none."""
    match e:
        case s.Quantified(_, bounds, body) | s.Image(body, bounds) | s.Function(bounds, body):
            return bounds, body
        case s.Choose(bound, body) | s.Filter(bound, body):
            return (bound,), body
    return (), None


def _named(e: s.Node, name: str) -> Iterator[tuple[list[s.Let], s.Label | s.Definition, list[str]]]:
    """The labels and LET definitions of a name, each with the LETs and the names that are bound around it."""
    if isinstance(e, s.Label) and e.name == name:
        yield [], e, []  # before one of the same name that it names a part around
    around = [e] if isinstance(e, s.Let) else []
    bounds, body = _binder(e) if isinstance(e, s.Expression) else ((), None)
    for child in s.children(e):
        bound = [x for one in bounds for x in one.names] if child is body else []
        if isinstance(child, s.Definition) and child.name == name:
            yield around, child, bound
        for lets, one, inner in _named(child, name):
            yield [*around, *lets], one, [*bound, *inner]


@dataclass(frozen=True)
class Symbol:
    """The meaning of a name.

    Attributes:
        key: the name in resolved expressions, of which there is one for each meaning.
        arities: the arities of its parameters.
        given: arguments that come before those that are written: the parameters of its instance.
        place: where it is declared or defined.
        instead: the expression that an instance puts in its place; None if none.
        weak: whether another meaning may take its place: a library module extends the one that has it, and
            older versions of the library module do not.
    """

    key: str
    arities: Arities = ()
    given: tuple[s.Expression, ...] = ()
    place: s.Place = s.BUILT_IN
    instead: s.Expression | None = None
    weak: bool = False

    @property
    def where(self) -> str:
        """The place in words."""
        return "in a standard module" if self.place == s.BUILT_IN else f"at {self.place}"

    def applied(self, arguments: tuple[s.Expression, ...], place: s.Place) -> s.Expression:
        """The symbol applied to resolved arguments, or the symbol itself."""
        if self.instead is None:
            return s.Apply(self.key, (*self.given, *arguments), place=place)
        if isinstance(self.instead, s.Apply) and self.arities:
            return replace(self.instead, arguments=(*self.instead.arguments, *arguments), place=place)
        return self.instead


Names: TypeAlias = ChainMap[str, Symbol]
"""The names that are visible at a place."""


@dataclass(frozen=True)
class Written:
    """A definition as it is written.

    Attributes:
        names: the names that are visible at its place, and later ones.
        resolver: the resolution of its module, or of the copy of it.
        given: the parameters of its instance.
    """

    unit: s.Definition
    names: Names
    resolver: Resolver
    given: tuple[s.Parameter, ...] = ()


@dataclass
class Resolver:
    """The resolution of the expressions of one module, or of one copy of it.

    Attributes:
        mistakes: where mistakes are collected.
        instance: the resolution of an INSTANCE within LET: given the instance, the visible names and a
            function that takes its definitions, it returns the names that the instance adds.
        lacking: whether a module is not found: a name without a meaning is no mistake then, since it may be there.
        suffix: what is added to bound names, so that those of a copy differ from all others.
        hidden: the definitions that stand for variables of the module, in a copy of it.
        written: the definitions so far as they are written, by key.
    """

    mistakes: list[Mistake]
    instance: Callable[[s.Instance, Names, Callable[[s.Definition], None]], dict[str, Symbol]]
    lacking: Callable[[], bool] = lambda: False
    suffix: str = ""
    hidden: Sequence[str] = ()
    written: Mapping[str, Written] = field(default_factory=dict)

    def wrong(self, place: s.Place, text: str) -> None:
        """Keep a mistake."""
        self.mistakes.append(Mistake(place, text))

    def expr(self, e: s.Expression, names: Names) -> s.Expression:
        """The expression with resolved names."""
        match e:
            case s.Apply("ENABLED", (action,)) if self.hidden:
                return marked(self.expr(action, names), self.hidden, e.place)
            case s.Subscripted("WF_" | "SF_", action, subscript) if self.hidden:
                parts = self.exprs((action, subscript), names)
                return fairness(replace(e, action=parts[0], subscript=parts[1]), self.hidden)
            case s.Apply():
                return self.apply(e, names)
            case s.Quantified(_, bounds, body) | s.Image(body, bounds):
                found, inner = self.bounds(bounds, names)
                return replace(e, bounds=found, body=self.expr(body, inner))
            case s.Choose(bound, body) | s.Filter(bound, body):
                (one,), inner = self.bounds((bound,), names)
                return replace(e, bound=one, body=self.expr(body, inner))
            case s.Function(bounds, body, _):
                found, inner = self.bounds(bounds, names)
                return replace(e, bounds=found, body=self.expr(body, inner), name=None)
            case s.Lambda():
                self.wrong(e.place, "LAMBDA is an operator: expected a value")
                return e
            case s.Let():
                return self.let(e, names)
            case s.Label(_, _, body):
                return self.expr(body, names)
            case s.Part(steps):
                return self.part(steps, e.place, names)
        return s.rebuilt(e, lambda part: self.expr(part, names))

    def exprs(self, items: Iterable[s.Expression], names: Names) -> tuple[s.Expression, ...]:
        """Expressions with resolved names."""
        return tuple(self.expr(item, names) for item in items)

    def symbol(self, e: s.Apply, names: Names) -> Symbol | None:
        """The meaning of an operator's name; None with a mistake if it has none."""
        name = "!".join([*(step.operator for step in e.prefix), e.operator])
        symbol = _meaning(name, names)
        if symbol is None and not self.lacking():
            if e.prefix and not any(known.startswith(f"{e.prefix[0].operator}!") for known in names):
                first = e.prefix[0].operator
                text = (
                    f"{first} is no instance of a module with definitions: expected `{first} == INSTANCE M`"
                )
                self.wrong(e.place, text)
            else:
                self.wrong(e.place, unknown_operator(name, names))
        return symbol

    def apply(self, e: s.Apply, names: Names, arity: int = 0) -> s.Expression:
        """An application; one without arguments stands for an operator if an arity is wanted."""
        if e.prefix:
            whole = (*e.prefix, replace(e, prefix=()))
            if self.named(whole, names)[0] is not None:
                return self.part(whole, e.place, names, arity)
        symbol = self.symbol(e, names)
        chained = e.operator in INFIX and len(e.arguments) > 2
        if chained and symbol is not None and symbol.key not in ANY_NUMBER:
            return self.apply(_in_pairs(e, symbol), names)
        steps = [argument for step in e.prefix for argument in step.arguments]
        written = (*steps, *e.arguments)
        if symbol is None:
            return e
        if arity and not e.arguments and len(symbol.arities) == arity + len(steps):
            return symbol.applied(self.arguments(steps, symbol.arities, names), e.place)
        wanted = len(symbol.arities)
        if arity and not e.arguments:
            takes = f"{e.operator} takes {_arguments(wanted)}"
            self.wrong(e.place, f"{takes}: expected an operator with {_arguments(arity)}")
        elif len(written) != wanted and symbol.key not in ANY_NUMBER:
            here = "is 1" if len(written) == 1 else f"are {len(written)}"
            self.wrong(e.place, f"{e.operator} takes {_arguments(wanted)}, and here {here}")
            return e
        arities = symbol.arities if len(written) == wanted else (0,) * len(written)
        return symbol.applied(self.arguments(written, arities, names), e.place)

    def named(self, steps: Sequence[s.Step], names: Names) -> tuple[Symbol | None, int]:
        """The definition that the first steps name, without all of them, and how many these are."""
        for count in range(len(steps) - 1, 0, -1):
            first = [step.operator for step in steps[:count] if isinstance(step, s.Apply)]
            symbol = names.get("!".join(first)) if len(first) == count else None
            if symbol is not None and symbol.key in self.written:
                return symbol, count
        return None, 0

    def part(self, steps: Sequence[s.Step], place: s.Place, names: Names, arity: int = 0) -> s.Expression:
        """The part of a definition: an operator of all names that are bound around it, applied to their values.

        It is that operator itself if an arity is wanted.
        """
        symbol, count = self.named(steps, names)
        if symbol is None:
            self.wrong(place, "a part of no definition: expected the name of one that stands before")
            return s.Apply("TRUE", place=place)
        written = self.written[symbol.key]
        way = Way(written.unit.body, bare=arity > 0)
        given = [one for step in steps[:count] if isinstance(step, s.Apply) for one in step.arguments]
        try:
            way.go(steps[count:])
            own = (*written.unit.parameters, *way.parameters)
            if arity and (given or way.arguments or written.given or len(own) != arity):
                raise NoPart(f"an operator with {_arguments(arity)}, not here the {len(own)} that it has")
            if not arity and len(given) != len(symbol.arities):
                raise NoPart(f"{_arguments(len(symbol.arities))} of it")
        except NoPart as error:
            self.wrong(place, f"no part of {written.unit.name}: expected {error}")
            return s.Apply("TRUE", place=place)
        # Its mistakes were told at its place, behind which names are known that it may bind.
        resolver = replace(written.resolver, mistakes=[])
        parameters, inner = resolver.parameters(own, written.names)
        body = resolver.expr(way.whole, inner)
        if arity:
            return s.Lambda(parameters, body, place=place)
        parameters = (*written.given, *parameters)
        if not parameters:
            return body
        arguments = (*self.arguments(given, symbol.arities, names), *self.exprs(way.arguments, names))
        # An operator, since a value in place of a name could have names that are bound within the part.
        operator = s.Definition("part@", parameters, body, place=place)
        return s.Let((operator,), s.Apply("part@", (*symbol.given, *arguments), place=place), place=place)

    def arguments(
        self, arguments: Sequence[s.Expression], arities: Arities, names: Names
    ) -> tuple[s.Expression, ...]:
        """Arguments for parameters of these arities."""
        return tuple(self.argument(e, arity, names) for e, arity in zip(arguments, arities, strict=False))

    def argument(self, e: s.Expression, arity: int, names: Names) -> s.Expression:
        """An argument: an operator if the parameter has an arity."""
        if arity == 0:
            return self.expr(e, names)
        if isinstance(e, s.Apply) and not e.arguments:
            return self.apply(e, names, arity)
        if isinstance(e, s.Part):
            return self.part(e.steps, e.place, names, arity)
        if isinstance(e, s.Lambda) and len(e.parameters) == arity:
            given, inner = self.parameters(e.parameters, names)
            return replace(e, parameters=given, body=self.expr(e.body, inner))
        self.wrong(e.place, f"expected an operator with {_arguments(arity)}")
        return e

    def declare(self, name: str, arity: int, place: s.Place, names: Names) -> Symbol:
        """A bound name or a parameter, which must be new."""
        known = _meaning(name, names)
        if known is not None and not known.weak:
            self.wrong(place, f"{name} is already defined, {known.where}: expected another name")
        return Symbol(name + self.suffix, (0,) * arity, place=place)

    def recursive(self, unit: s.Definition, symbol: Symbol) -> Symbol:
        """The symbol of a definition that RECURSIVE declares; SANY takes some with operators as parameters."""
        arities = tuple(one.arity for one in unit.parameters)
        if len(symbol.arities) != len(arities):
            declared = counted(len(symbol.arities), "parameter")
            self.wrong(unit.place, f"RECURSIVE declares {unit.name} with {declared}: expected as many here")
        return replace(symbol, arities=arities)

    def bounds(self, bounds: Sequence[s.Bound], names: Names) -> tuple[tuple[s.Bound, ...], Names]:
        """Bounds, and the names within their scope. The sets are outside of it."""
        inner, found = _within(names), []
        for bound in bounds:
            for name in bound.names:
                inner[name] = self.declare(name, 0, bound.place, inner)
            keys = tuple(inner[name].key for name in bound.names)
            domain = bound.domain and self.expr(bound.domain, names)
            found.append(replace(bound, names=keys, domain=domain))
        return tuple(found), inner

    def parameters(
        self, parameters: Sequence[s.Parameter], names: Names
    ) -> tuple[tuple[s.Parameter, ...], Names]:
        """Parameters, and the names within their scope."""
        inner = _within(names)
        for one in parameters:
            inner[one.name] = self.declare(one.name, one.arity, one.place, inner)
        return tuple(replace(one, name=inner[one.name].key) for one in parameters), inner

    def definition(self, unit: s.Definition, symbol: Symbol, names: Names) -> s.Definition:
        """A definition with its own name in scope if it is a function, or declared as recursive."""
        given, inner = self.parameters(unit.parameters, names)
        body = unit.body
        if isinstance(body, s.Function) and body.name is not None:
            inner[body.name] = symbol
            made = self.expr(body, inner)
            assert isinstance(made, s.Function)
            resolved: s.Expression = replace(made, name=symbol.key)
        else:
            resolved = self.expr(body, inner)
        return replace(unit, name=symbol.key, parameters=given, body=resolved, local=False)

    def let(self, e: s.Let, names: Names) -> s.Let:
        """A LET with its definitions; those that an instance brings in are among them."""
        inner, found = _within(names), list[s.Definition]()
        recursive: set[str] = set()
        for unit in e.definitions:
            match unit:
                case s.Recursive(declared):
                    for one in declared:
                        inner[one.name] = self.declare(one.name, one.arity, one.place, inner)
                        recursive.add(one.name)
                case s.Definition(name, parameters):
                    if name in recursive:
                        symbol = self.recursive(unit, inner[name])
                        recursive.discard(name)
                    else:
                        arities = tuple(one.arity for one in parameters)
                        symbol = replace(self.declare(name, 0, unit.place, inner), arities=arities)
                    found.append(self.definition(unit, symbol, inner))
                    inner[name] = symbol
                case s.Instance():
                    inner.update(self.instance(unit, inner, found.append))
        for name in recursive:
            self.wrong(inner[name].place, undefined(name))
        body = self.expr(e.body, inner)
        return replace(e, definitions=tuple(_needed(found, body)), body=body)


class _Local(dict[str, Symbol]):
    """The names that are bound around an expression within one definition."""


def _within(names: Names) -> Names:
    """The names at a place, to which an expression there adds its own: one map however deep expressions nest."""
    first, *others = names.maps
    return ChainMap(_Local(first), *others) if isinstance(first, _Local) else ChainMap(_Local(), *names.maps)


def _meaning(name: str, names: Names) -> Symbol | None:
    # As `get` of the names, which looks into every map twice.
    for one in names.maps:
        if (found := one.get(name)) is not None:
            return found
    return None


def undefined(name: str) -> str:
    """The message about a name of RECURSIVE that has no definition."""
    return f"{name} is declared as recursive: expected its definition"


def unknown_operator(name: str, names: Iterable[str], where: str = "before this place") -> str:
    """The message about an unknown name, with where its definition is expected."""
    alike = [one for one in (*names, *CORE) if one.isidentifier() == name.isidentifier()]
    near = ["\\div"] if name == "/" else difflib.get_close_matches(name, alike, n=1)
    modules = [module for module, standard in STANDARD.items() if name in standard.operators]
    repair = f"did you mean `{near[0]}`?" if near else f"expected its definition {where}"
    told = "prefix operator `-`" if name == "-." else f"operator `{name}`"
    return f"unknown {told}: {f'EXTENDS {modules[0]} has it' if modules else repair}"


def _needed(definitions: list[s.Definition], body: s.Expression) -> list[s.Definition]:
    """The definitions that an expression needs: an instance brings in all those of its module."""
    by_name = {one.name: one for one in definitions}
    needed, todo = set[str](), list[s.Node]([body])
    while todo:
        new = (s.operators(todo.pop()) & by_name.keys()) - needed
        needed |= new
        todo += [by_name[name] for name in new]
    return [one for one in definitions if one.name in needed]


def _arguments(count: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(count, f"{count} arguments")
