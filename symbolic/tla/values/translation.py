"""The translation of TLA+ to Python source: constants, names and applications, and the rules for all else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import Analysis, Reads, size
from leadline.symbolic.tla.read.enabled import spoken
from leadline.symbolic.tla.read.levels import Level, Levels
from leadline.symbolic.tla.values.scopes import (
    Binding,
    ByName,
    Code,
    Function,
    Kind,
    Local,
    Names,
    Operator,
    Pending,
    Reference,
    Scope,
)
from leadline.symbolic.tla.values.sets import BOOLEAN
from leadline.symbolic.tla.values.values import FALSE, TRUE, ModelValue, Truth, Value, model_value
from leadline.symbolic.tla.values.writer import Fn, Lines, Source

_TRUTHS = frozenset({
    "TRUE", "FALSE", "~", "/\\", "\\/", "\\/*", "=>", "<=>", "=", "#", "\\in", "\\notin", "\\subseteq", "<", ">",
    "<=", ">=", "ENABLED", "UNCHANGED", "IsFiniteSet",
})  # fmt: skip
_PRINTING = frozenset({"Print", "PrintT"})
_NOTING = _PRINTING | {"\\cdot", "RandomElement", "TLCSet", "JavaTime"}
_IMPURE = _NOTING | {"TLCGet", "TLCGetOrDefault"}
_ATOMS = (s.Number, s.String, s.ModelValue)


_SMALL = 12
_DEEPEST = 40
"""The most expressions that nest in one generated function."""
_LARGEST = 1_000
"""Elements at most of an interval."""


Rule: TypeAlias = "Callable[[Translation, Any, Scope], Code]"
"""The translation of one kind of node, or of one built-in operator, to an expression."""
StatementRule: TypeAlias = "Callable[[Translation, Any, Scope, Lines, bool], Kind]"
"""The translation of one kind of node to statements that return its value, or its truth."""


@dataclass(frozen=True)
class Rules:
    """The rules by which nodes are translated.

    Attributes:
        nodes: the rule for each kind of node but names and literals.
        operators: that for each built-in operator.
        statements: that for each kind of node that becomes statements.
        returned: the rule that returns the value of any other expression.
    """

    nodes: Mapping[type[s.Expression], Rule]
    operators: Mapping[str, Rule]
    statements: Mapping[type[s.Expression], StatementRule]
    returned: StatementRule


class Literals:
    """The values of truth values, numbers, strings, model values, and intervals and sets of these.

    Args:
        definitions: the definitions by key.
        source: the Python source so far.
    """

    def __init__(self, definitions: Mapping[str, s.Definition], source: Source) -> None:
        self.definitions = definitions
        self.source = source
        self._known: dict[int, tuple[s.Expression, Value]] = {}
        self._names: dict[Value, str] = {}

    def value(self, e: s.Expression) -> Value:
        """The value of a closed expression; None if it is not one of these."""
        if id(e) not in self._known:
            self._known[id(e)] = (e, None)  # for what is defined by itself
            self._known[id(e)] = (e, self._find(e))
        return self._known[id(e)][1]

    def _find(self, e: s.Expression) -> Value:
        match e:
            case s.Number(value) | s.String(value):
                return value
            case s.ModelValue(name):
                return model_value(name)
            case s.SetOf(items):
                values = [self.value(item) for item in items]
                simple = not any(value is None or isinstance(value, frozenset) for value in values)
                return frozenset(values) if simple else None
            case s.Apply(key, ()) if key in self.definitions:
                one = self.definitions[key]
                return self.value(one.body) if not one.parameters else None
            case s.Apply("BOOLEAN" | "TRUE" | "FALSE" as name, ()):
                return {"BOOLEAN": BOOLEAN, "TRUE": TRUE, "FALSE": FALSE}[name]
            case s.Apply(".." | "+" | "-" as operator, (a, b)) if operator not in self.definitions:
                low, high = self.value(a), self.value(b)
                if low.__class__ is not int or high.__class__ is not int:
                    return None
                if operator == "..":
                    return frozenset(range(low, high + 1)) if high - low < _LARGEST else None
                return low + high if operator == "+" else low - high
        return None

    def code(self, e: s.Expression) -> Code | None:
        """The Python of a closed expression; None if it is not one of these."""
        value = self.value(e)
        match value:
            case None:
                return None
            case int():
                return Code(str(value) if value >= 0 else f"({value})", Kind.INT)
            case Truth():
                return Code(str(value is TRUE), Kind.TRUTH)
            case str():
                return Code(ascii(value), Kind.STRING)
            case ModelValue():
                self.source.namespace[(text := f"model_{value.name}")] = value
                return Code(text, Kind.MODEL if value.__class__ is ModelValue else Kind.VALUE)
        return Code(self.named("set", value), Kind.SET)

    def named(self, hint: str, value: Value) -> str:
        """The name of a value in the source, one for each."""
        if (hint, value) not in self._names:
            self._names[hint, value] = self.source.constant(hint, value)
        return self._names[hint, value]

    def kind(self, e: s.Expression) -> Kind:
        """The kind of the elements of a closed expression, as far as it is known."""
        value = self.value(e)
        kinds = {x.__class__ for x in value} if isinstance(value, frozenset) else set()
        return _KINDS.get(kinds.pop(), Kind.VALUE) if len(kinds) == 1 else Kind.VALUE


_KINDS = {int: Kind.INT, str: Kind.STRING, ModelValue: Kind.MODEL}


def atomic(text: str) -> bool:
    """Whether a piece of Python may stand twice: a name or a literal."""
    return text.isidentifier() or text.isdigit() or (text[:1] == "'" and text.count("'") == 2)


class Translation:
    """The translation of a module's expressions: the source so far, and what is known of definitions and names.

    Args:
        rules: the rules by which nodes are translated.

    Attributes:
        source: the Python source so far.
        now: the Python name of each variable.
        next: the Python name of each variable in the next state.
        own: the variables of the module, without those that get their values at the end of a step.
    """

    def __init__(
        self, definitions: Mapping[str, s.Definition], levels: Levels, source: Source, rules: Rules
    ) -> None:
        self.rules = rules
        self.definitions = definitions
        self.levels = levels
        self.source = source
        self.literals = Literals(definitions, source)
        self.analysis = Analysis(definitions, levels.variables)
        self.now = {name: source.fresh(name) for name in sorted(levels.variables)}
        self.next = {name: source.fresh(f"{name}_next") for name in sorted(levels.variables)}
        self.own = set(self.now)
        self._constants: dict[object, tuple[s.Node | None, Code]] = {}
        self._definitions: dict[object, tuple[Fn, Kind]] = {}
        self._open = list[str]()  # the definitions whose bodies are being translated
        self._computing: set[int] = set()
        self._nested = 0

    def expr(self, e: s.Expression, scope: Scope) -> Code:
        """An expression."""
        match e:
            case s.Number() | s.String() | s.ModelValue():
                return self.constant(e)
            case s.At():
                return self.apply(s.Apply("@"), scope)
            case s.Apply(operator, ()) if operator in scope.names or operator in self.now:
                return self.apply(e, scope)
            case s.Apply(operator, ()) if (
                operator in self.rules.operators and operator not in self.definitions
            ):
                return self.rules.operators[operator](self, e, scope)
        if self.closed(e, scope):
            return self.constant(e)
        self._nested += 1
        # Python reads 200 parentheses within each other at most.
        rule = self.rules.nodes[type(e)] if self._nested % _DEEPEST else Translation.function
        code = rule(self, e, scope)
        self._nested -= 1
        return code if atomic(code.text) else Code(self.source.at(e.place, code.text), code.kind)

    def function(self, e: s.Expression, scope: Scope) -> Code:
        """An expression that needs statements, or lies deep within others, as a function of its own."""
        truth = isinstance(e, s.Quantified)
        fn = self.source.fn(type(e).__name__.lower(), (), scope.fn)
        kind = self.body(e, replace(scope, fn=fn), fn.lines, truth)
        return Code(self.source.call(scope.fn, fn), Kind.TRUTH if truth else kind)

    def body(self, e: s.Expression, scope: Scope, lines: Lines, truth: bool) -> Kind:
        """Statements that return the expression's value, or its truth."""
        rule = self.rules.statements.get(type(e), self.rules.returned)
        return rule(self, e, scope, lines, truth)

    def listing(self, e: s.Expression, scope: Scope, truth: bool = False) -> None:
        """The body of the scope's function, of whose value the callers do not know the kind."""
        scope.fn.listing = self.body(e, scope, scope.fn.lines, truth) is Kind.LAZY

    def value(self, e: s.Expression, scope: Scope) -> str:
        """An expression as a value."""
        return as_value(self.expr(e, scope))

    def test(self, e: s.Expression, scope: Scope) -> str:
        """An expression as Python's bool."""
        code = self.expr(e, scope)
        return code.text if code.kind is Kind.TRUTH else self.source.at(e.place, as_test(code))

    def stored(self, e: s.Expression, scope: Scope) -> str:
        """An expression as a part of a value: a set that is not listed yet is listed."""
        code = self.expr(e, scope)
        return f"listed({code.text})" if code.kind is Kind.LAZY else as_value(code)

    def held(self, text: str, scope: Scope) -> tuple[str, str]:
        """A piece of Python that is needed twice: for the first time, and from then on."""
        if atomic(text):
            return text, text
        variable = scope.fn.new(self.source.fresh("t"))
        return f"({variable} := {text})", variable

    def variable(self, name: str, scope: Scope, primed: bool = False) -> str:
        """A variable's value in the state that the scope is about."""
        after = primed or scope.primed
        known = (scope.next if after else scope.now).get(name)
        shown = f"{spoken(name)}'" if after else name
        return f"unassigned({shown!r})" if known is None else scope.fn.use(known)

    # Constants

    def closed(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression has the same value everywhere."""
        free = self.analysis.free(e)
        if "@" in free or id(e) in self._computing or not free.isdisjoint(scope.names):
            return False
        return self._is_constant(e)

    @s.remembered
    def _is_constant(self, e: s.Expression) -> bool:
        return self.pure(e) and self.levels.of(e) is Level.CONSTANT

    def once(self, e: s.Expression, scope: Scope) -> bool:
        """Whether a set has the same elements everywhere, and is worth keeping; built-in sets are there anyway."""
        built_in = isinstance(e, s.Apply) and not e.arguments and e.operator not in self.definitions
        return not built_in and self.closed(e, scope)

    def pure(self, e: s.Expression) -> bool:
        """Whether the value of an expression depends on nothing but what it reads."""
        return not self.uses(e, _IMPURE)

    def repeatable(self, e: s.Expression) -> bool:
        """Whether an expression may be evaluated again in a state: it prints, counts and draws nothing."""
        return not self.uses(e, _NOTING)

    def uses(self, e: s.Expression, names: Set[str]) -> bool:
        """Whether an expression, or a definition that it goes through, has an operator of some names.

        A constant definition without parameters prints once, as in TLC, and not where it is mentioned.
        """
        free = self.analysis.free(e)
        return not free.isdisjoint(names) or any(
            not self.analysis.reached(key).isdisjoint(
                names - _PRINTING if self._is_one_constant(key) else names
            )
            for key in free & self.definitions.keys()
        )

    def _is_one_constant(self, key: str) -> bool:
        """Whether a definition has no parameters and the same value in every state."""
        return not self.definitions[key].parameters and self.levels.of_definition(key) is Level.CONSTANT

    def _goes_through_sets(self, e: s.Expression) -> bool:
        """Whether an expression, or a definition that it mentions, has a loop through a set."""
        return any(
            isinstance(node, s.Bound) or (isinstance(node, s.Apply) and node.operator == "ENABLED")
            for node in self._nodes(e)
        )

    def chooses(self, e: s.Expression) -> bool:
        """Whether the value of an expression may depend on a CHOOSE."""
        return self.uses(e, {"FoldInOrder"}) or any(isinstance(node, s.Choose) for node in self._nodes(e))

    def _nodes(self, e: s.Expression) -> Iterator[s.Node]:
        """The nodes of an expression and of the definitions that it mentions, directly or not."""
        free = self.analysis.free(e) & self.definitions.keys()
        inside = free.union(*map(self.analysis.reached, free)) & self.definitions.keys()
        for body in (e, *(self.definitions[key].body for key in inside)):
            yield from s.nodes(body)

    def recursive(self, key: str) -> bool:
        """Whether a definition mentions itself."""
        return key in self.analysis.reached(key)

    def constant(self, e: s.Expression) -> Code:
        """A constant expression, which is evaluated once, where it is first needed."""
        named = isinstance(e, s.Apply) and not e.arguments and e.operator in self.definitions
        key = e.operator if isinstance(e, s.Apply) and named else id(e)
        literal = self.literals.code(e)
        if literal is not None:
            return literal
        if key not in self._constants:
            compute = self.source.fn("constant")
            watched = self.source.namespace.get("symmetry") is not None and self.chooses(e)
            text = self._once(f"symmetry.once({compute.name})" if watched else f"{compute.name}()")
            self._constants[key] = (e, Code(text, Kind.VALUE))
            body = self.definitions[e.operator].body if isinstance(e, s.Apply) and named else e
            truth = self.is_truth(body)
            self._computing.add(id(body))
            kind = self.body(body, Scope(compute, {}, {}, {}), compute.lines, truth)
            self._computing.discard(id(body))
            self._constants[key] = (e, Code(text, Kind.TRUTH if truth else kind))
        return self._constants[key][1]

    def enumeration(self, e: s.Expression, chosen: bool = False) -> str:
        """The elements of a constant set in TLC's order, or that of CHOOSE, which are enumerated once."""
        value = self.literals.value(e)
        if isinstance(value, frozenset) and not chosen:
            return self.literals.named("items", self.source.namespace["ordered"](value))
        return self._derived("choices" if chosen else "enumerated", e)

    def listed_once(self, e: s.Expression) -> str:
        """A constant set of which membership is asked: it is listed unless it is large."""
        value = self.literals.value(e)
        return (
            self.literals.named("set", value) if isinstance(value, frozenset) else self._derived("quick", e)
        )

    def element(self, e: s.Expression | None, scope: Scope) -> Kind:
        """The kind of the elements of a set, as far as it is known."""
        if e is None:
            return Kind.VALUE
        if isinstance(e, s.Apply) and e.operator == ".." and ".." not in self.definitions:
            return Kind.INT
        return self.literals.kind(e) if self.closed(e, scope) else Kind.VALUE

    def _derived(self, function: str, e: s.Expression) -> str:
        key = (function, e.operator if isinstance(e, s.Apply) and not e.arguments else id(e))
        if key not in self._constants:
            text = self._once(self.source.at(e.place, f"{function}({as_value(self.constant(e))})"))
            self._constants[key] = (e, Code(text, Kind.LAZY))
        return self._constants[key][1].text

    def _once(self, text: str) -> str:
        """A piece of Python that is evaluated once, where it is first needed."""
        name = self.source.constant("constant", self.source.namespace["UNSET"])
        fn = self.source.fn("get")
        fn.lines += [f"global {name}", f"{name} = {text}", f"return {name}"]
        return f"({name} if {name} is not UNSET else {fn.name}())"

    def is_truth(self, e: s.Expression, seen: frozenset[str] = frozenset()) -> bool:
        """Whether an expression certainly is a truth value, if it has a value."""
        return self._truth(e, seen) is True

    def _truth(self, e: s.Expression, seen: frozenset[str]) -> bool | None:
        """As `is_truth`; None for a recursive application, of which nothing is known."""
        match e:
            case s.Quantified():
                return True
            case s.Case(arms, other):
                found = [self._truth(arm, seen) for _, arm in arms]
                return _all([*found, *([] if other is None else [self._truth(other, seen)])])
            case s.Let(definitions, body):
                hidden = {one.name for one in definitions if isinstance(one, s.Definition)}
                return self._truth(body, seen | hidden)
            case s.Apply(operator):
                if operator in seen:
                    return None
                if operator in self.definitions:
                    return self._truth(self.definitions[operator].body, seen | {operator})
                return operator in _TRUTHS
        return False

    # Costs

    def simple(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression is a name or literal that costs nothing to evaluate again."""
        if not isinstance(e, s.Apply):
            return isinstance(e, _ATOMS)
        if e.arguments:
            return False
        match scope.names.get(e.operator):
            case ByName(body, names):
                return self.simple(body, scope.within(names))
            case Local(_, _, called):
                return not called
            case None:
                known = self.definitions.get(e.operator)
                atom = known is not None and isinstance(known.body, _ATOMS)
                return atom or e.operator in self.now or e.operator in ("TRUE", "FALSE")
        return False

    def safe(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression surely has a value."""
        match e:
            case s.TupleOf(items) | s.SetOf(items):
                return all(self.safe(item, scope) for item in items)
            case s.Record(fields):
                return all(self.safe(item, scope) for _, item in fields)
        return self.simple(e, scope)

    # Names and applications

    def apply(self, e: s.Apply, scope: Scope) -> Code:
        """A name, or an application."""
        binding = scope.names.get(e.operator)
        if isinstance(binding, Pending):
            binding = scope.known.get(binding) or ByName(binding.body, binding.names)
        match binding:
            case None:
                if e.operator in self.definitions:
                    return self.call(e, scope)
                if e.operator in self.now:
                    return Code(self.variable(e.operator, scope), Kind.VALUE)
                return self.rules.operators[e.operator](self, e, scope)
            case Local(text, kind, called):
                return Code(scope.fn.use(text) + "()" * called, kind)
            case ByName(body, names):
                return self.expr(body, scope.within(names))
            case Operator(parameters, body, names):
                return self.expand(parameters, body, scope.within(names), e.arguments, scope)
            case Reference(key):
                others = {name: one for name, one in scope.names.items() if name != key}
                return self.apply(replace(e, operator=key), scope.within(others))
            case Function(text, fn, truth):
                arguments = [self.value(one, scope) for one in e.arguments]
                if fn is not None:
                    made = self.source.call(scope.fn, fn, arguments)
                else:
                    made = f"{scope.fn.use(text)}({', '.join(arguments)})"
                return Code(made, Kind.TRUTH if truth else Kind.VALUE)
        raise TypeError(binding)

    def alias(self, e: s.Expression, scope: Scope) -> tuple[s.Expression, Names] | None:
        """The expression that a name stands for, with the names around it; None if it stands for itself."""
        if not isinstance(e, s.Apply) or e.arguments:
            return None
        match scope.names.get(e.operator):
            case ByName(body, names) | Pending(body, names):
                return body, names
            case None if e.operator in self.definitions:
                return self.definitions[e.operator].body, {}
        return None

    # Applications of definitions

    def call(self, e: s.Apply, scope: Scope) -> Code:
        """A definition, applied: a constant, a call, or its expansion."""
        key = e.operator
        one = self.definitions[key]
        if not self.recursive(key) and self._expands(one, e, scope):
            return self.expand(one.parameters, one.body, scope.within({}), e.arguments, scope)
        strict = self.analysis.strict_parameters(key)
        lazy = frozenset(
            p.name
            for p, a in zip(one.parameters, e.arguments, strict=True)
            if p.arity == 0 and p.name not in strict and not self.safe(a, scope)
        )
        arguments, unlisted = list[str](), set[str]()
        for p, a in zip(one.parameters, e.arguments, strict=True):
            if p.arity:
                arguments.append(self.callable(a, p.arity, scope))
                continue
            code = self.later(a, scope) if p.name in lazy else self.expr(a, scope)
            arguments.append(as_value(code))
            if code.kind is Kind.LAZY:
                unlisted.add(p.name)
        reads, now = self.analysis.reads_of(key), scope.next if scope.primed else scope.now
        reads = Reads(reads.now.intersection(now), reads.next.intersection(scope.next))
        fn, kind = self.definition(key, lazy, frozenset(unlisted), reads)
        if not lazy and self._remembers(one, e, scope):
            fn = self.source.remembered(fn, by_value=not reads.now)
        arguments += [self.variable(name, scope) for name in sorted(reads.now)]
        arguments += [self.variable(name, scope, primed=True) for name in sorted(reads.next)]
        return Code(self.source.call(scope.fn, fn, arguments), kind)

    def _remembers(self, one: s.Definition, e: s.Apply, scope: Scope) -> bool:
        """Whether the values of a definition are worth keeping: it goes through sets, for parts of a state.

        Those of a recursion are kept where it begins: each step of it would take more of the stack.
        """
        reads = self.analysis.reads_of(one.name)
        return (
            bool(reads.now or one.parameters)
            and not (reads.next or scope.primed or any(p.arity for p in one.parameters))
            and (not reads.now or all(self.simple(argument, scope) for argument in e.arguments))
            and self.analysis.reached(one.name).isdisjoint(self._open)
            and self._goes_through_sets(one.body)
            and self.pure(e)
        )

    def _expands(self, one: s.Definition, e: s.Apply, scope: Scope) -> bool:
        primed = self.analysis.primed_parameters(one.name)
        for parameter, argument in zip(one.parameters, e.arguments, strict=True):
            if parameter.arity or (parameter.name in primed and self.reads_state(argument, scope)):
                return True
            if self.lazy(argument, scope):
                return True
        return size(one.body) <= _SMALL and all(self.safe(argument, scope) for argument in e.arguments)

    def reads_state(self, e: s.Expression, scope: Scope) -> bool:
        reads = self.analysis.reads(e)
        inside = [scope.names.get(name) for name in self.analysis.free(e)]
        return bool(reads.now or reads.next or any(isinstance(one, ByName | Pending) for one in inside))

    def lazy(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression may be a set that is not listed."""
        if isinstance(e, s.FunctionSet | s.RecordSet):
            return True
        if not isinstance(e, s.Apply) or isinstance(scope.names.get(e.operator), Operator):
            return False
        if e.operator in ("Nat", "Int", "STRING", "Seq", "SUBSET", "\\X", "Any"):
            return True
        if isinstance(found := scope.names.get(e.operator), Local):
            return found.kind is Kind.LAZY
        if e.operator in self.definitions and not e.arguments and not self.recursive(e.operator):
            return self.lazy(self.definitions[e.operator].body, scope.within({}))
        return False

    def definition(
        self, key: str, lazy: frozenset[str], unlisted: frozenset[str], reads: Reads
    ) -> tuple[Fn, Kind]:
        """The function of a definition.

        Args:
            lazy: the parameters that must be called to have their value.
            unlisted: those whose values may be sets that are not listed.
            reads: the variables that are passed. The definition may mention others, which have no value yet, in
                branches that are not taken.
        """
        known = (key, lazy, unlisted, reads)
        if known not in self._definitions:
            one = self.definitions[key]
            names = {p.name: self.source.fresh(p.name) for p in one.parameters}
            now = {name: self.now[name] for name in sorted(reads.now)}
            following = {name: self.next[name] for name in sorted(reads.next)}
            fn = self.source.fn(key, [*names.values(), *now.values(), *following.values()])
            truth = self.is_truth(one.body)
            self._definitions[known] = (fn, Kind.TRUTH if truth else Kind.VALUE)
            bindings: dict[str, Binding] = {
                p.name: Function(names[p.name])
                if p.arity
                else Local(names[p.name], Kind.LAZY if p.name in unlisted else Kind.VALUE, p.name in lazy)
                for p in one.parameters
            }
            self._open.append(key)
            kind = self.body(one.body, Scope(fn, bindings, now, following), fn.lines, truth)
            self._open.pop()
            if kind is Kind.LAZY and self.recursive(key):
                fn.listing, kind = True, Kind.VALUE
            self._definitions[known] = (fn, Kind.TRUTH if truth else kind)
        return self._definitions[known]

    def expand(
        self,
        parameters: tuple[s.Parameter, ...],
        body: s.Expression,
        inside: Scope,
        arguments: tuple[s.Expression, ...],
        scope: Scope,
    ) -> Code:
        """The body of an operator with arguments in place of its parameters.

        Args:
            inside: the scope of the body.
            scope: the scope of the arguments.
        """
        before: list[tuple[str, str]] = []
        names = dict(inside.names)
        for parameter, argument in zip(parameters, arguments, strict=True):
            names[parameter.name] = (
                self.operator(argument, scope)
                if parameter.arity
                else self.bind(parameter.name, argument, body, scope, before)
            )
        return after(before, self.expr(body, inside.within(names)))

    def bind(
        self, name: str, e: s.Expression, rest: s.Expression, scope: Scope, before: list[tuple[str, str]]
    ) -> Binding:
        """The meaning of a name for an expression, evaluated at most once, and only where it is needed.

        Args:
            rest: the expression that the name is used in.
            before: takes variables with their Python expressions, to be assigned before the rest.
        """
        if self.by_name(name, e, rest, scope):
            return ByName(e, scope.names)
        variable = scope.fn.new(self.source.fresh(name))
        if self.safe(e, scope) or name in self.analysis.evaluated(rest):
            code = self.expr(e, scope)
            before.append((variable, code.text))
            return Local(variable, code.kind)
        code = self.later(e, scope)
        before.append((variable, code.text))
        return Local(variable, code.kind, called=True)

    def by_name(self, name: str, e: s.Expression, rest: s.Expression, scope: Scope) -> bool:
        """Whether an expression is put in place of a name: it is simple, used once, primed or about a step."""
        if self.analysis.uses(rest, name) <= 1 or self.simple(e, scope) or self.closed(e, scope):
            return True
        if not self.analysis.reads(e).next <= scope.next.keys():
            return True  # it has a value only within ENABLED
        return self.reads_state(e, scope) and self.analysis.primes(rest, name)

    def later(self, e: s.Expression, scope: Scope) -> Code:
        """A function without parameters that evaluates an expression, with the kind of its value."""
        fn = self.source.fn("later", (), scope.fn)
        kind = self.body(e, replace(scope, fn=fn), fn.lines, truth=False)
        return Code(f"Lazy({self.source.bound(scope.fn, fn)})", kind)

    # Operators as arguments

    def operator(self, e: s.Expression, scope: Scope) -> Binding:
        """The operator that is passed as an argument."""
        if isinstance(e, s.Lambda):
            return Operator(e.parameters, e.body, scope.names)
        assert isinstance(e, s.Apply)
        known = scope.names.get(e.operator)
        if known is not None:
            return known
        if e.arguments:  # an operator of a parametrized instance, without its last arguments
            missing = self.definitions[e.operator].parameters[len(e.arguments) :]
            inner = tuple(replace(p, name=f"{p.name}@") for p in missing)
            body = replace(e, arguments=(*e.arguments, *(s.Apply(p.name) for p in inner)))
            return Operator(inner, body, scope.names)
        return Reference(e.operator)

    def callable(self, e: s.Expression, arity: int, scope: Scope) -> str:
        """A Python function for an operator that is an argument."""
        operator = self.operator(e, scope)
        if isinstance(operator, Function):
            if operator.fn is None:
                return scope.fn.use(operator.text)
            if not operator.truth:
                return self.source.bound(scope.fn, operator.fn)
        names = {f"{place}@": self.source.fresh("argument") for place in range(arity)}
        fn = self.source.fn("operator", list(names.values()), scope.fn)
        inner = replace(scope, fn=fn).also(
            **{name: Local(text) for name, text in names.items()}, **{"operator@": operator}
        )
        applied = s.Apply("operator@", tuple(map(s.Apply, names)), place=e.place)
        self.listing(applied, inner)
        return self.source.bound(scope.fn, fn)

    # LET

    def let(self, e: s.Let, scope: Scope) -> Code:
        """A LET within an expression."""
        before: list[tuple[str, str]] = []
        for one, rest in self.analysis.parts_of_let(e):
            scope = scope.also(**{one.name: self.defined(one, rest, scope, before)})
        return after(before, self.expr(e.body, scope))

    def defined(
        self, one: s.Definition, rest: s.Expression, scope: Scope, before: list[tuple[str, str]]
    ) -> Binding:
        """The meaning of a name that a LET defines."""
        if not one.parameters:
            return self.bind(one.name, one.body, rest, scope, before)
        if one.name not in self.analysis.free(one.body):
            return Operator(one.parameters, one.body, scope.names)
        names = {p.name: self.source.fresh(p.name) for p in one.parameters}
        fn = self.source.fn(one.name, list(names.values()), scope.fn)
        truth = self.is_truth(one.body, frozenset({one.name}))
        itself = Function(fn.name, fn, truth)
        inner = replace(scope, fn=fn).also(
            **{p.name: Function(names[p.name]) if p.arity else Local(names[p.name]) for p in one.parameters},
            **{one.name: itself},
        )
        self.listing(one.body, inner, truth)
        return itself


def after(before: list[tuple[str, str]], code: Code) -> Code:
    """An expression after assignments."""
    text = code.text
    for variable, value in reversed(before):
        text = f"({text} if ({variable} := {value}) is not UNSET else None)"
    return Code(text, code.kind)


def as_value(code: Code) -> str:
    """An expression's value."""
    return f"(TRUE if {code.text} else FALSE)" if code.kind is Kind.TRUTH else code.text


def as_test(code: Code) -> str:
    """An expression's truth."""
    if code.kind is Kind.TRUTH:
        return code.text
    if atomic(code.text):
        return f"({code.text} is TRUE or {code.text} is not FALSE and truth({code.text}))"
    return f"truth({code.text})"


def _all(found: list[bool | None]) -> bool | None:
    if any(one is False for one in found):
        return False
    return True if any(found) else None
