"""Constants as Python source, and what can be told of an expression before it is evaluated."""

from __future__ import annotations

from collections.abc import Mapping

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import Analysis
from leadline.symbolic.tla.read.levels import Level, Levels
from leadline.symbolic.tla.values.literals import Literals
from leadline.symbolic.tla.values.scopes import (
    ByName,
    Code,
    Kind,
    Local,
    Names,
    Operator,
    Pending,
    Scope,
)
from leadline.symbolic.tla.values.values import ordered
from leadline.symbolic.tla.values.writer import Fn, Lines, Source

_TRUTHS = frozenset({
    "TRUE", "FALSE", "~", "/\\", "\\/", "=>", "<=>", "=", "#", "\\in", "\\notin", "\\subseteq", "<", ">",
    "<=", ">=", "ENABLED", "UNCHANGED", "IsFiniteSet",
})  # fmt: skip
_IMPURE = frozenset({"RandomElement", "TLCGet", "TLCSet", "JavaTime", "Print", "PrintT"})
_ATOMS = (s.Number, s.String, s.ModelValue)


def atomic(text: str) -> bool:
    """Whether a piece of Python may stand twice: a name or a literal."""
    return text.isidentifier() or text.isdigit() or (text[:1] == "'" and text.count("'") == 2)


class Constants:
    """The translation of constants; subclasses translate all else.

    Attributes:
        source: the Python source so far.
        now: the Python name of each variable.
        next: the Python name of each variable in the next state.
    """

    def __init__(self, definitions: Mapping[str, s.Definition], levels: Levels, source: Source) -> None:
        self.definitions = definitions
        self.levels = levels
        self.source = source
        self.literals = Literals(definitions, source)
        self.analysis = Analysis(definitions, levels.variables)
        self.now = {name: source.fresh(name) for name in sorted(levels.variables)}
        self.next = {name: source.fresh(f"{name}_next") for name in sorted(levels.variables)}
        self._constants: dict[object, tuple[s.Node | None, Code]] = {}
        self._definitions: dict[object, tuple[Fn, Kind]] = {}
        self._computing: set[int] = set()
        self._closed: dict[int, tuple[s.Node, bool]] = {}
        self._reached: dict[str, frozenset[str]] = {}
        self._looping: dict[int, tuple[s.Node, int]] = {}

    def expr(self, e: s.Expression, scope: Scope) -> Code:
        """An expression."""
        raise NotImplementedError

    def body(self, e: s.Expression, scope: Scope, lines: Lines, truth: bool) -> Kind:
        """Statements that return the expression's value, or its truth."""
        raise NotImplementedError

    def builtin(self, e: s.Apply, scope: Scope) -> Code:
        """A built-in operator, applied."""
        raise NotImplementedError

    def value(self, e: s.Expression, scope: Scope) -> str:
        """An expression as a value."""
        return as_value(self.expr(e, scope))

    def test(self, e: s.Expression, scope: Scope) -> str:
        """An expression as Python's bool."""
        code = self.expr(e, scope)
        return code.text if code.kind is Kind.TRUTH else self.source.at(e.place, as_test(code))

    def variable(self, name: str, scope: Scope, primed: bool = False) -> str:
        """A variable's value in the state that the scope is about."""
        known = (scope.next if primed or scope.primed else scope.now).get(name)
        return f"unassigned({name!r})" if known is None else scope.fn.use(known)

    # Constants

    def closed(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression has the same value everywhere."""
        free = self.analysis.free(e)
        if "@" in free or id(e) in self._computing or not free.isdisjoint(scope.names):
            return False
        if id(e) not in self._closed:
            self._closed[id(e)] = (e, self.pure(e) and self.levels.of(e) is Level.CONSTANT)
        return self._closed[id(e)][1]

    def once(self, e: s.Expression, scope: Scope) -> bool:
        """Whether a set has the same elements everywhere, and is worth keeping; built-in sets are there anyway."""
        built_in = isinstance(e, s.Apply) and not e.arguments and e.operator not in self.definitions
        return not built_in and self.closed(e, scope)

    def reached(self, key: str) -> frozenset[str]:
        """The names that a definition mentions, directly or not."""
        if key not in self._reached:
            found, todo = set[str](), [key]
            while todo:
                one = self.definitions[todo.pop()]
                new = self.analysis.free(one) - found
                found |= new
                todo += [name for name in new if name in self.definitions]
            self._reached[key] = frozenset(found)
        return self._reached[key]

    def pure(self, e: s.Expression) -> bool:
        """Whether the value of an expression depends on nothing but what it reads."""
        free = self.analysis.free(e)
        return free.union(*(self.reached(key) for key in free if key in self.definitions)).isdisjoint(_IMPURE)

    def loops_in(self, e: s.Expression, names: Names) -> int:
        """The number of loops through sets in an expression, and in what it stands for."""
        if id(e) not in self._looping:
            free = self.analysis.free(e)
            inside = frozenset[str]().union(
                *(self.reached(key) | {key} for key in free & self.definitions.keys())
            )
            bodies = [self.definitions[key].body for key in inside & self.definitions.keys()]
            self._looping[id(e)] = (e, sum(map(_loops, (e, *bodies))))
        found = self._looping[id(e)][1]
        for name in self.analysis.free(e):
            match names.get(name):
                case ByName(body, inner) | Pending(body, inner) | Operator(_, body, inner):
                    found += self.loops_in(body, inner)
        return found

    def recursive(self, key: str) -> bool:
        """Whether a definition mentions itself."""
        return key in self.reached(key)

    def constant(self, e: s.Expression) -> Code:
        """A constant expression, which is evaluated once, where it is first needed."""
        named = isinstance(e, s.Apply) and not e.arguments and e.operator in self.definitions
        key = e.operator if isinstance(e, s.Apply) and named else id(e)
        literal = self.literals.code(e)
        if literal is not None:
            return literal
        if key not in self._constants:
            compute = self.source.fn("constant")
            text = self._once(f"{compute.name}()")
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
            return self.literals.named("items", ordered(value))
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
            case s.If(_, a, b):
                return _all([self._truth(a, seen), self._truth(b, seen)])
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
                return e.operator in self.now or e.operator in ("TRUE", "FALSE")
        return False

    def cheap(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression costs little to evaluate again: fields of names, and sums with numbers."""
        match e:
            case s.Index(function, index):
                return self.cheap(function, scope) and self.simple(index, scope)
            case s.Apply("+" | "-", (a, s.Number())):
                return self.cheap(a, scope)
            case s.Apply(key, arguments) if key in self.definitions and key not in scope.names:
                one = self.definitions[key]
                inner = scope.within({p.name: Local(p.name) for p in one.parameters})
                return (
                    isinstance(one.body, s.Index)
                    and not any(p.arity for p in one.parameters)
                    and all(self.simple(argument, scope) for argument in arguments)
                    and self.cheap(one.body, inner)
                )
        return self.simple(e, scope)

    def safe(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression surely has a value."""
        match e:
            case s.TupleOf(items) | s.SetOf(items):
                return all(self.safe(item, scope) for item in items)
            case s.Record(fields):
                return all(self.safe(item, scope) for _, item in fields)
        return self.simple(e, scope)


def _loops(e: s.Node) -> int:
    bounds = sum(len(child.names) for child in s.children(e) if isinstance(child, s.Bound))
    enabled = isinstance(e, s.Apply) and e.operator == "ENABLED"
    return bounds + enabled + sum(map(_loops, s.children(e)))


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
