"""Names and applications as Python source: calls of definitions, and expansions of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from leadline.symbolic.lang import Mistake, ModelError
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import size, uses
from leadline.symbolic.tla.values.constants import Constants, as_value
from leadline.symbolic.tla.values.scopes import (
    Binding,
    ByName,
    Callable,
    Code,
    Kind,
    Local,
    Names,
    Operator,
    Pending,
    Reference,
    Scope,
)
from leadline.symbolic.tla.values.writer import Fn

_SPECIAL = frozenset({Kind.INT, Kind.STRING, Kind.MODEL})
_SMALL = 12
_MEDIUM = 50


class Calls(Constants):
    """The translation of names and applications; subclasses translate all else."""

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
                return self.builtin(e, scope)
            case Local(text, kind, called):
                return Code(scope.fn.use(text) + "()" * called, kind)
            case ByName(body, names):
                return self.expr(body, scope.within(names))
            case Operator(parameters, body, names):
                return self.expand(parameters, body, scope.within(names), e.arguments, scope)
            case Reference(key):
                return self.apply(replace(e, operator=key), _without(scope, key))
            case Callable(text, fn, truth):
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
        if not e.arguments and self.closed(e, scope):
            return self.constant(e)
        if not self.recursive(key) and self._expands(one, e, scope):
            return self.expand(one.parameters, one.body, scope.within({}), e.arguments, scope)
        strict = self.analysis.strict_parameters(key)
        lazy = frozenset(
            p.name
            for p, a in zip(one.parameters, e.arguments, strict=True)
            if p.arity == 0 and p.name not in strict and not self.safe(a, scope)
        )
        arguments, kinds = list[str](), dict[str, Kind]()
        for p, a in zip(one.parameters, e.arguments, strict=True):
            if p.arity:
                arguments.append(self.callable(a, p.arity, scope))
            elif p.name in lazy:
                arguments.append(f"Lazy({self.later(a, scope)})")
            else:
                code = self.expr(a, scope)
                arguments.append(as_value(code))
                kinds |= {p.name: code.kind} if code.kind in _SPECIAL and not self.recursive(key) else {}
        fn, kind = self.definition(key, lazy, kinds)
        if not lazy and self._remembers(one, e, scope):
            fn = self.source.remembered(fn, by_value=not self.analysis.reads_of(key).now)
        reads = self.analysis.reads_of(key)
        arguments += [self.variable(name, scope) for name in sorted(reads.now)]
        arguments += [self.variable(name, scope, primed=True) for name in sorted(reads.next)]
        return Code(self.source.call(scope.fn, fn, arguments), kind)

    def _remembers(self, one: s.Definition, e: s.Apply, scope: Scope) -> bool:
        """Whether the values of a definition are worth keeping: it goes through sets, for parts of a state."""
        reads = self.analysis.reads_of(one.name)
        return (
            bool(reads.now or one.parameters)
            and not (reads.next or scope.primed or any(p.arity for p in one.parameters))
            and (not reads.now or all(self.simple(argument, scope) for argument in e.arguments))
            and not self.recursive(one.name)
            and self.loops_in(one.body, {}) > 0
            and self.pure(e)
        )

    def _expands(self, one: s.Definition, e: s.Apply, scope: Scope) -> bool:
        primed = self.analysis.primed_parameters(one.name)
        for parameter, argument in zip(one.parameters, e.arguments, strict=True):
            if parameter.arity or (parameter.name in primed and self.reads_state(argument, scope)):
                return True
            if self.lazy(argument, scope):
                return True
        if size(one.body) <= _SMALL:
            return all(self.safe(argument, scope) for argument in e.arguments)
        return (
            size(one.body) <= _MEDIUM
            and self._unsafe(one, e, scope)
            and all(self.cheap(argument, scope) for argument in e.arguments)
        )

    def _unsafe(self, one: s.Definition, e: s.Apply, scope: Scope) -> bool:
        """Whether an argument must not be evaluated before it is needed."""
        strict = self.analysis.strict_parameters(one.name)
        pairs = zip(one.parameters, e.arguments, strict=True)
        return any(p.arity == 0 and p.name not in strict and not self.safe(a, scope) for p, a in pairs)

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

    def definition(self, key: str, lazy: frozenset[str], kinds: Mapping[str, Kind]) -> tuple[Fn, Kind]:
        """The function of a definition.

        Args:
            lazy: the parameters that must be called to have their value.
            kinds: what is known of the values of parameters.
        """
        known = (key, lazy, frozenset(kinds.items()))
        if known not in self._definitions:
            one, reads = self.definitions[key], self.analysis.reads_of(key)
            names = {p.name: self.source.fresh(p.name) for p in one.parameters}
            now = {name: self.now[name] for name in sorted(reads.now)}
            following = {name: self.next[name] for name in sorted(reads.next)}
            fn = self.source.fn(key, [*names.values(), *now.values(), *following.values()])
            truth = self.is_truth(one.body)
            self._definitions[known] = (fn, Kind.TRUTH if truth else Kind.VALUE)
            bindings: dict[str, Binding] = {
                p.name: Callable(names[p.name])
                if p.arity
                else Local(names[p.name], kinds.get(p.name, Kind.VALUE), p.name in lazy)
                for p in one.parameters
            }
            kind = self.body(one.body, Scope(fn, bindings, now, following), fn.lines, truth)
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
        again = uses(rest, name)
        once = again <= 1 or (again <= 3 and self.cheap(e, scope))
        once = once or self.simple(e, scope) or self.closed(e, scope)
        if once or self._primed(name, e, rest, scope):
            return ByName(e, scope.names)
        variable = scope.fn.new(self.source.fresh(name))
        if self.safe(e, scope) or name in self.analysis.evaluated(rest):
            code = self.expr(e, scope)
            before.append((variable, code.text))
            return Local(variable, code.kind)
        before.append((variable, f"Lazy({self.later(e, scope)})"))
        return Local(variable, called=True)

    def _primed(self, name: str, e: s.Expression, rest: s.Expression, scope: Scope) -> bool:
        return self.reads_state(e, scope) and self.analysis.primes(rest, name)

    def later(self, e: s.Expression, scope: Scope) -> str:
        """A function without parameters that evaluates an expression."""
        fn = self.source.fn("later", (), scope.fn)
        self.body(e, replace(scope, fn=fn), fn.lines, truth=False)
        return self.source.bound(scope.fn, fn)

    # Operators as arguments

    def operator(self, e: s.Expression, scope: Scope) -> Binding:
        """The operator that an argument is."""
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

    def callable(self, e: s.Expression, arity: int, scope: Scope, truth: bool = False) -> str:
        """A Python function for an operator that is an argument."""
        operator = self.operator(e, scope)
        if isinstance(operator, Callable) and not truth:
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
        self.body(applied, inner, fn.lines, truth)
        return self.source.bound(scope.fn, fn)

    # LET

    def let(self, e: s.Let, scope: Scope) -> Code:
        """A LET within an expression."""
        before: list[tuple[str, str]] = []
        for one, rest in parts_of_let(e):
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
        itself = Callable(fn.name, fn, truth)
        inner = replace(scope, fn=fn).also(
            **{p.name: Callable(names[p.name]) if p.arity else Local(names[p.name]) for p in one.parameters},
            **{one.name: itself},
        )
        self.body(one.body, inner, fn.lines, truth)
        return itself


def parts_of_let(e: s.Let) -> Iterator[tuple[s.Definition, s.Let]]:
    """The definitions of a LET, each with the rest of it."""
    for place, one in enumerate(e.definitions, start=1):
        if isinstance(one, s.Definition):
            yield one, replace(e, definitions=e.definitions[place:])


def after(before: list[tuple[str, str]], code: Code) -> Code:
    """An expression after assignments."""
    text = code.text
    for variable, value in reversed(before):
        text = f"({text} if ({variable} := {value}) is not UNSET else None)"
    return Code(text, code.kind)


def not_read(place: s.Place, text: str) -> ModelError:
    """The error about a formula that has no meaning here."""
    return ModelError([Mistake(place, text)])


def _without(scope: Scope, name: str) -> Scope:
    return scope.within({key: one for key, one in scope.names.items() if key != name})
