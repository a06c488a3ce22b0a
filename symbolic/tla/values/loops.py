"""Loops over the values of bound names, and conditions around what is within them, as Python statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import uses
from leadline.symbolic.tla.values.calls import parts_of_let
from leadline.symbolic.tla.values.constants import as_value
from leadline.symbolic.tla.values.expressions import Expressions
from leadline.symbolic.tla.values.scopes import Binding, ByName, Kind, Local, Names, Operator, Pending, Scope
from leadline.symbolic.tla.values.writer import Lines

_HARMLESS = frozenset({"<", ">", "<=", ">=", "=", "#", "\\in", "\\notin"})
_OUTER, _INNER = Local("the name"), Local("another name")


@dataclass(frozen=True)
class _Pin:
    """An expression that a name must equal, if a formula holds.

    Attributes:
        guards: formulas that do not depend on the name, and must hold as well.
    """

    body: s.Expression
    names: Names
    guards: tuple[tuple[s.Expression, Names], ...] = ()


class Loops(Expressions):
    """The translation of bound names and of conditions to statements."""

    # Names for expressions that are evaluated at most once, where they are first needed

    def named(self, name: str, e: s.Expression, rest: s.Expression, scope: Scope) -> ByName | Pending:
        """The meaning of a name for an expression."""
        again = uses(rest, name)
        once = again <= 1 or (again <= 3 and self.cheap(e, scope))
        once = once or self.simple(e, scope) or self.closed(e, scope)
        if once or (self.reads_state(e, scope) and self.analysis.primes(rest, name)):
            return ByName(e, scope.names)
        return Pending(e, scope.names)

    def with_let(self, e: s.Let, scope: Scope) -> Scope:
        """The scope within a LET."""
        for one, rest in parts_of_let(e):
            meaning: Binding = (
                self.defined(one, rest, scope, [])
                if one.parameters
                else self.named(one.name, one.body, rest, scope)
            )
            scope = scope.also(**{one.name: meaning})
        return scope

    def settle(self, parts: Sequence[s.Expression], scope: Scope, lines: Lines) -> Scope:
        """Evaluate the pending expressions that are needed next."""
        for name in sorted(frozenset[str]().union(*map(self.analysis.free, parts))):
            pending = scope.names.get(name)
            if not isinstance(pending, Pending) or pending in scope.known:
                continue
            around = scope.names
            scope = self.settle([pending.body], scope.within(pending.names), lines)
            variable = scope.fn.new(self.source.fresh(name))
            if any(name in self.analysis.evaluated(part) for part in parts):
                code = self.expr(pending.body, scope)
                local = Local(variable, code.kind)
                lines.append(f"{variable} = {code.text}")
            else:
                local = Local(variable, called=True)
                lines.append(f"{variable} = Lazy({self.later(pending.body, scope)})")
            scope = replace(scope, names=around, known={**scope.known, pending: local})
        return scope

    # Conditions

    def provided(self, e: s.Expression, scope: Scope, lines: Lines) -> tuple[Scope, Lines]:
        """The scope and the lines within the condition that a formula holds."""
        match e:
            case s.Apply("/\\", items) if e.operator not in scope.names:
                around = scope.names
                for item in items:
                    scope, lines = self.provided(item, scope.within(around), lines)
                return scope, lines
            case s.Let(_, body):
                return self.provided(body, self.with_let(e, scope), lines)
        scope = self.settle([e], scope, lines)
        inside: Lines = []
        lines += [f"if {self.test(e, scope)}:", inside]
        return scope, inside

    def unless(self, e: s.Expression, scope: Scope, lines: Lines, stop: str) -> Scope:
        """A statement to execute if a formula does not hold."""
        match e:
            case s.Apply("/\\", items) if e.operator not in scope.names:
                around = scope.names
                for item in items:
                    scope = self.unless(item, scope.within(around), lines, stop)
                return scope
            case s.Apply("=>", (a, b)):
                inner, inside = self.provided(a, scope, lines)
                self.unless(b, inner.within(scope.names), inside, stop)
                return scope
            case s.Let(_, body):
                return self.unless(body, self.with_let(e, scope), lines, stop)
        scope = self.settle([e], scope, lines)
        lines += [f"if not {self.test(e, scope)}:", [stop]]
        return scope

    # Loops

    def iterated(self, bound: s.Bound, scope: Scope, ordered: bool, chosen: bool) -> str:
        """The elements of a bound name's set, in the order in which TLC enumerates or chooses them, or in any."""
        e = bound.domain
        if e is None:
            text = f"{bound.names[0]} has no set: its values cannot be enumerated"
            return self.source.at(bound.place, f"fail({text!r})")
        if self.once(e, scope):
            return self.enumeration(e, chosen)
        if isinstance(e, s.Apply) and e.operator == ".." and ".." not in self.definitions:
            low, high = (self.number(self.expr(one, scope), scope) for one in e.arguments)
            return f"range({low}, {high} + 1)"
        code = self.expr(e, scope)
        if ordered and code.kind is Kind.LAZY:
            text = f"{'in_choice' if chosen else 'in_order'}({as_value(code)})"
        elif ordered:
            first, elements = self.held(as_value(code), scope)
            text = f"(orders.get({first}) or {'in_choice' if chosen else 'in_order'}({elements}))"
        else:
            text = code.text if code.kind is Kind.SET else f"elements({as_value(code)})"
        return self.source.at(e.place, text)

    def loops(
        self,
        bounds: Sequence[s.Bound],
        scope: Scope,
        lines: Lines,
        *,
        body: s.Expression | None = None,
        ordered: bool = False,
        chosen: bool = False,
    ) -> tuple[Scope, Lines]:
        """Loops over all values of bound names.

        Args:
            body: the formula that must hold within; values for which it cannot may be left out.
            ordered: whether the values come in TLC's order.
            chosen: whether that is the order of CHOOSE, which sorts a set before it looks into it.

        Returns:
            The scope with the names, and the lines within the loops.
        """
        inner = scope
        again = len(bounds) > 1 or len(bounds[0].names) > 1
        sets: dict[str, str] = {}
        for bound in bounds:
            text = self.iterated(bound, scope, ordered, chosen)
            constant = bound.domain is not None and self.once(bound.domain, scope)
            if again and not constant and "range(" not in text[:8]:
                name = scope.fn.new(self.source.fresh("set"))
                lines.append(f"{name} = {f'tuple({text})' if ordered else text}")
                text = name
            sets |= dict.fromkeys(bound.names, text)
        names = {name: bound for bound in bounds for name in bound.names}
        needs = self.pins(names, body, scope) if body is not None else {}
        for name in _sorted(names, needs):
            bound = names[name]
            if bound.unpacked and name != bound.names[0]:
                continue
            together = bound.names if bound.unpacked else (name,)
            variables = {one: scope.fn.new(self.source.fresh(one)) for one in together}
            target = f"_, {', '.join(variables.values())}" if bound.unpacked else variables[name]
            text = sets[name]
            if name in needs and body is not None and bound.domain is not None:
                pin = self._pin(body, {**dict.fromkeys(names, _INNER), **inner.names, name: _OUTER})
                assert isinstance(pin, _Pin)
                text = self._candidates(pin, bound.domain, text, inner, lines)
            kind = Kind.VALUE if bound.unpacked else self.element(bound.domain, scope)
            inner = inner.also(**{one: Local(variable, kind) for one, variable in variables.items()})
            inside: Lines = []
            lines += [f"for {target} in {text}:", inside]
            lines = inside
        return inner, lines

    def _candidates(self, pin: _Pin, domain: s.Expression, elements: str, scope: Scope, lines: Lines) -> str:
        """The only element that a name can be: the value of an expression, if the set contains it.

        Where the value cannot be computed, all elements are tried, as TLC does.
        """
        value, found = (scope.fn.new(self.source.fresh(hint)) for hint in ("value", "found"))
        guards = [self.test(e, scope.within(names)) for e, names in pin.guards]
        only = self.value(pin.body, scope.within(pin.names))
        if self.once(domain, scope):
            listing = self.listed_once(domain)
            chosen = f"({value},) if {value} in {listing} else only({value}, {listing}, {elements})"
        else:
            chosen = f"({value},) if {self.contains(domain, Local(value), scope)} else ()"
        attempt: Lines = [f"{value} = {only}", f"{found} = {chosen}"]
        if guards:
            attempt = [f"if {' and '.join(guards)}:", attempt, "else:", [f"{found} = ()"]]
        lines += ["try:", attempt, "except FAILURES:", [f"{found} = {elements}"]]
        return found

    def pins(
        self, names: Mapping[str, s.Bound], body: s.Expression, scope: Scope
    ) -> dict[str, frozenset[str]]:
        """The bound names that must equal an expression, each with the other names on which that depends."""
        found = {}
        for name, bound in names.items():
            others = {other: Local(other) for other in names if other != name}
            pin = self._pin(body, {**scope.names, **others, name: _OUTER})
            if not bound.unpacked and isinstance(pin, _Pin):
                parts = [(pin.body, pin.names), *pin.guards]
                used = frozenset(one.text for part in parts for one in self._locals(*part))
                found[name] = used & others.keys()
        return found

    def _pin(self, e: s.Expression, names: Names) -> _Pin | bool:
        """The value that the name must equal if a formula holds.

        True means to look on in the next conjunct, False to stop.
        What comes before the equation must not depend on the name, since an error in it would be missed.
        """
        if _OUTER not in self._locals(e, names):
            return True
        match e:
            case s.Apply("=", (left, right)) if "=" not in names:
                for name, other in ((left, right), (right, left)):
                    inside = list(self._locals(other, names))
                    hidden = _OUTER in inside or _INNER in inside or self.analysis.reads(other).next
                    if _alias(name, names) is _OUTER and not hidden:
                        return _Pin(other, names)
            case s.Apply("/\\", items) if "/\\" not in names:
                return self._pin_among(items, names)
            case s.Let(definitions, body):
                inner = dict(names)
                for one in definitions:
                    if isinstance(one, s.Definition):
                        if one.parameters:
                            return False
                        inner[one.name] = ByName(one.body, dict(inner))
                return self._pin(body, inner)
            case s.Quantified("\\E", bounds, body):
                return self._pin_within(bounds, body, names)
            case s.Apply(key, arguments) if key in self.definitions and key not in names:
                one = self.definitions[key]
                if not self.recursive(key) and not any(p.arity for p in one.parameters):
                    pairs = zip(one.parameters, arguments, strict=True)
                    return self._pin(one.body, {p.name: ByName(a, names) for p, a in pairs})
        return isinstance(e, s.Apply) and e.operator in _HARMLESS and all(map(_short, e.arguments))

    def _pin_among(self, items: Sequence[s.Expression], names: Names) -> _Pin | bool:
        guards: list[tuple[s.Expression, Names]] = []
        for item in items:
            result = self._pin(item, names)
            if isinstance(result, _Pin):
                return replace(result, guards=(*guards, *result.guards))
            inside = list(self._locals(item, names))
            if not result:
                return False
            if _OUTER not in inside and _INNER not in inside and not self.analysis.reads(item).next:
                guards.append((item, names))
        return True

    def _pin_within(self, bounds: Sequence[s.Bound], body: s.Expression, names: Names) -> _Pin | bool:
        domains = [bound.domain for bound in bounds if bound.domain is not None]
        if any(_OUTER in self._locals(domain, names) for domain in domains):
            return False
        inner = {**names, **{name: _INNER for bound in bounds for name in bound.names}}
        for bound in bounds:
            for name in bound.names:
                others = {key: _INNER if one is _OUTER else one for key, one in inner.items()}
                pin = self._pin(body, {**others, name: _OUTER})
                if isinstance(pin, _Pin) and not bound.unpacked:
                    inner[name] = ByName(pin.body, pin.names)
        return self._pin(body, inner)

    def _locals(self, e: s.Expression, names: Names) -> Iterator[Local]:
        """The Python variables that an expression depends on."""
        for name in self.analysis.free(e):
            match names.get(name):
                case Local() as one:
                    yield one
                case ByName(body, inner) | Pending(body, inner) | Operator(_, body, inner):
                    yield from self._locals(body, inner)


def _alias(e: s.Expression, names: Names) -> Binding | None:
    while isinstance(e, s.Apply) and not e.arguments:
        binding = names.get(e.operator)
        if not isinstance(binding, ByName):
            return binding
        e, names = binding.body, binding.names
    return None


def _short(e: s.Expression) -> bool:
    return isinstance(e, s.Number | s.String) or (isinstance(e, s.Apply) and not e.arguments)


def _sorted(names: Mapping[str, s.Bound], needs: dict[str, frozenset[str]]) -> Iterator[str]:
    """The names, each after those that it needs; one that cannot be needs them no more."""
    left = list(names)
    while left:
        ready = [name for name in left if name in needs and needs[name].isdisjoint(left)]
        free = [name for name in left if name not in needs]
        chosen = (ready or free or left)[0]
        if not ready:
            needs.pop(chosen, None)
        left.remove(chosen)
        yield chosen
