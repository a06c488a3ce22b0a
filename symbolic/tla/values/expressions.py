"""Expressions as Python source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.values.calls import Calls
from leadline.symbolic.tla.values.constants import as_test, as_value, atomic
from leadline.symbolic.tla.values.scopes import Code, Kind, Local, Scope
from leadline.symbolic.tla.values.values import domain_of, sequence_domain

_CONSTANTS = {
    "TRUE": ("True", Kind.TRUTH), "FALSE": ("False", Kind.TRUTH), "BOOLEAN": ("BOOLEAN", Kind.SET),
    "STRING": ("STRING", Kind.LAZY), "Nat": ("NAT", Kind.LAZY), "Int": ("INT", Kind.LAZY),
    "Any": ("ANY", Kind.LAZY), "JavaTime": ("now()", Kind.INT),
}  # fmt: skip
_FUNCTIONS = {
    "DOMAIN": ("domain", Kind.LAZY), "Seq": ("Sequences", Kind.LAZY),
    "SUBSET": ("Subsets", Kind.LAZY), "\\X": ("Product", Kind.LAZY), "Len": ("length", Kind.INT),
    "Append": ("append", Kind.FUNCTION), "Tail": ("tail", Kind.FUNCTION), "Head": ("head", Kind.VALUE),
    "\\o": ("concatenate", Kind.VALUE), "SubSeq": ("subseq", Kind.VALUE), "@@": ("override", Kind.FUNCTION),
    ":>": ("singleton", Kind.FUNCTION), "IsFiniteSet": ("finite", Kind.TRUTH), "..": ("interval", Kind.SET),
    "Permutations": ("permutations", Kind.SET), "ToString": ("written", Kind.STRING),
    "^": ("power", Kind.INT),
       "RandomElement": ("pick", Kind.VALUE), "Assert": ("check", Kind.VALUE), "Print": ("tell", Kind.VALUE),
    "TLCEval": ("listed", Kind.VALUE), "TLCGet": ("register", Kind.VALUE),
    "TLCSet": ("set_register", Kind.VALUE),
    "\\div": ("divide", Kind.INT), "%": ("modulo", Kind.INT),
    "\\subseteq": ("subseteq", Kind.TRUTH),
}  # fmt: skip
_SETS = {"\\cup": ("|", "cup"), "\\cap": ("&", "cap"), "\\": ("-", "minus")}
_NUMBERS = {"+": "+", "-": "-", "*": "*", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
_TESTS = {"/\\": " and ", "\\/": " or "}
_TEMPORAL = frozenset({"[]", "<>", "~>", "-+->", "\\cdot"})


class Expressions(Calls):
    """The translation of expressions that need no statements, by methods named after the tree's nodes."""

    def expr(self, e: s.Expression, scope: Scope) -> Code:
        match e:
            case s.Number() | s.String() | s.ModelValue():
                return self.constant(e)
            case s.At():
                return self.apply(s.Apply("@"), scope)
            case s.Apply(operator) if not e.arguments and (operator in scope.names or operator in self.now):
                return self.apply(e, scope)
            case s.Apply(operator) if operator in _CONSTANTS and operator not in self.definitions:
                return Code(*_CONSTANTS[operator])
        if self.closed(e, scope):
            return self.constant(e)
        visit: Callable[[s.Expression, Scope], Code] = getattr(self, type(e).__name__)
        code = visit(e, scope)
        return code if atomic(code.text) else Code(self.source.at(e.place, code.text), code.kind)

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

    def Apply(self, e: s.Apply, scope: Scope) -> Code:
        return self.apply(e, scope)

    def fails(self, text: str) -> Code:
        """An expression that has no value."""
        return Code(f"fail({text!r})", Kind.VALUE)

    # Built-in operators

    def builtin(self, e: s.Apply, scope: Scope) -> Code:
        operator, arguments = e.operator, e.arguments
        if operator in _TESTS:
            tests = _TESTS[operator].join(self.test(one, scope) for one in arguments)
            return Code(f"({tests})", Kind.TRUTH)
        if operator in _CONSTANTS:
            return Code(*_CONSTANTS[operator])
        if operator in _NUMBERS:
            return self.arithmetic(
                operator, self.expr(arguments[0], scope), self.expr(arguments[1], scope), scope
            )
        if operator in _SETS:
            return self.set_operation(
                operator, self.expr(arguments[0], scope), self.expr(arguments[1], scope)
            )
        if operator in _FUNCTIONS:
            name, kind = _FUNCTIONS[operator]
            made = [self.expr(one, scope) for one in arguments]
            if operator == "DOMAIN" and made[0].kind is not Kind.LAZY:
                return Code(f"{made[0].text}[0].plain", Kind.SET)
            return Code(f"{name}({', '.join(map(as_value, made))})", kind)
        if operator in _TEMPORAL:
            return self.fails(f"{operator} has no value in a state or a step")
        special: Callable[[s.Apply, Scope], Code] = getattr(self, _SPECIAL[operator])
        return special(e, scope)

    def arithmetic(self, operator: str, a: Code, b: Code, scope: Scope) -> Code:
        """Arithmetic or a comparison. Python has these operators for other values than numbers, too."""
        left, right = as_value(a), as_value(b)
        if Kind.INT not in (a.kind, b.kind) or operator == "*":
            left = self.number(a, scope)
            right = self.number(b, scope) if operator == "*" else right
        kind = Kind.TRUTH if operator in "<=>=" else Kind.INT
        return Code(f"({left} {_NUMBERS[operator]} {right})", kind)

    def number(self, code: Code, scope: Scope) -> str:
        """An expression's value, which must be an integer."""
        text = as_value(code)
        if code.kind is Kind.INT:
            return text
        first, again = self.held(text, scope)
        return f"({again} if {first}.__class__ is int else number({again}))"

    def set_operation(self, operator: str, a: Code, b: Code) -> Code:
        """A union, an intersection or a difference."""
        symbol, name = _SETS[operator]
        kind = Kind.LAZY if Kind.LAZY in (a.kind, b.kind) else Kind.SET
        if a.kind is Kind.SET or b.kind is Kind.SET:
            return Code(f"({as_value(a)} {symbol} {as_value(b)})", kind)
        return Code(f"{name}({as_value(a)}, {as_value(b)})", kind)

    def negation(self, e: s.Apply, scope: Scope) -> Code:
        return Code(f"(not {self.test(e.arguments[0], scope)})", Kind.TRUTH)

    def implication(self, e: s.Apply, scope: Scope) -> Code:
        a, b = (self.test(one, scope) for one in e.arguments)
        return Code(f"(not {a} or {b})", Kind.TRUTH)

    def equivalence(self, e: s.Apply, scope: Scope) -> Code:
        a, b = (self.test(one, scope) for one in e.arguments)
        return Code(f"({a} == {b})", Kind.TRUTH)

    def minus_sign(self, e: s.Apply, scope: Scope) -> Code:
        return Code(f"(-{self.number(self.expr(e.arguments[0], scope), scope)})", Kind.INT)

    def cardinality(self, e: s.Apply, scope: Scope) -> Code:
        code = self.expr(e.arguments[0], scope)
        return Code(f"{'len' if code.kind is Kind.SET else 'cardinality'}({as_value(code)})", Kind.INT)

    def union(self, e: s.Apply, scope: Scope) -> Code:
        (sets,) = e.arguments
        if isinstance(sets, s.SetOf | s.Image):
            # The sets may be infinite, and are not compared with each other.
            return Code(f"union({self.listing(sets, scope)})", Kind.LAZY)
        return Code(f"union({self.value(sets, scope)})", Kind.SET)

    def listing(self, e: s.SetOf | s.Image, scope: Scope) -> str:
        """The values of a set's expressions as a list."""
        if isinstance(e, s.SetOf):
            return f"[{', '.join(self.value(one, scope) for one in e.items)}]"
        raise NotImplementedError

    def prime(self, e: s.Apply, scope: Scope) -> Code:
        if scope.primed:
            return self.fails("an expression is primed twice")
        return self.expr(e.arguments[0], replace(scope, primed=True))

    def unchanged(self, e: s.Apply, scope: Scope) -> Code:
        (body,) = e.arguments
        if isinstance(body, s.TupleOf):
            tests = [self.test(replace(e, arguments=(item,)), scope) for item in body.items]
            return Code(f"({' and '.join(tests) or True})", Kind.TRUTH)
        alias = self.alias(body, scope)
        if alias is not None:
            return self.unchanged(replace(e, arguments=(alias[0],)), scope.within(alias[1]))
        return self.equality(self.expr(body, replace(scope, primed=True)), self.expr(body, scope), scope)

    def equals(self, e: s.Apply, scope: Scope) -> Code:
        code = self.equality(self.expr(e.arguments[0], scope), self.expr(e.arguments[1], scope), scope)
        return code if e.operator == "=" else Code(f"(not {code.text})", Kind.TRUTH)

    def equality(self, a: Code, b: Code, scope: Scope) -> Code:
        """An equation. Values that differ must be of kinds that TLC compares."""
        if Kind.TRUTH in (a.kind, b.kind):
            return Code(f"({as_test(a)} == {as_test(b)})", Kind.TRUTH)
        if a.kind is b.kind and a.kind in (Kind.INT, Kind.STRING):
            return Code(f"({a.text} == {b.text})", Kind.TRUTH)
        if Kind.MODEL in (a.kind, b.kind):
            return Code(f"({as_value(a)} is {as_value(b)})", Kind.TRUTH)
        if {a.kind, b.kind} == {Kind.INT, Kind.STRING}:
            return Code(f"unequal({a.text}, {b.text})", Kind.TRUTH)
        if a.kind in (Kind.INT, Kind.STRING):
            a, b = b, a
        (first, left), (other, right) = self.held(a.text, scope), self.held(b.text, scope)
        check = f"not ({left}.__class__ is {right}.__class__ in SIMPLE) and unequal({left}, {right})"
        if b.kind in (Kind.INT, Kind.STRING):
            kind = "int" if b.kind is Kind.INT else "str"
            check = f"{left}.__class__ is not {kind} and unequal({left}, {right})"
        return Code(f"({first} == {other} or {check})", Kind.TRUTH)

    def membership(self, e: s.Apply, scope: Scope) -> Code:
        x = self.expr(e.arguments[0], scope)
        first, again = self.held(as_value(x), scope)
        variable = Local(again, x.kind if x.kind is not Kind.TRUTH else Kind.VALUE)
        test = self.contains(e.arguments[1], variable, scope)
        if first != again:
            test = f"({first} is not UNSET and {test})"
        return Code(test if e.operator == "\\in" else f"(not {test})", Kind.TRUTH)

    def contains(self, e: s.Expression, x: Local, scope: Scope) -> str:
        """Whether a set contains the value of a variable."""
        text = x.text
        if not self.closed(e, scope):
            match e:
                case s.Apply("\\cup", (a, b)) if self.lazy(a, scope) and not self.lazy(b, scope):
                    # TLC looks into the set that is listed first.
                    return f"({self.contains(b, x, scope)} or {self.contains(a, x, scope)})"
                case s.Apply("\\cup" | "\\cap" | "\\", (a, b)):
                    joined = {"\\cup": "or", "\\cap": "and", "\\": "and not"}[e.operator]
                    return f"({self.contains(a, x, scope)} {joined} {self.contains(b, x, scope)})"
                case s.Apply("..", (a, b)):
                    low, high = (self.number(self.expr(one, scope), scope) for one in (a, b))
                    return f"({low} <= {self.number(Code(text, x.kind), scope)} <= {high})"
                case s.Filter(bound, body) if not bound.unpacked:
                    assert bound.domain is not None
                    inner = scope.also(**{bound.names[0]: x})
                    return f"({self.contains(bound.domain, x, scope)} and {self.test(body, inner)})"
                case s.Apply("SUBSET", (a,)):
                    return f"subseteq({text}, {self.value(a, scope)})"
        if self.once(e, scope):
            listing = self.listed_once(e)
            if (kind := self.element(e, scope)) is Kind.MODEL or kind is x.kind is not Kind.VALUE:
                return f"({text} in {listing})"
            return f"({text} in {listing} or absent({text}, {listing}))"
        code = self.expr(e, scope)
        if code.kind is Kind.SET and atomic(code.text):
            return f"({text} in {code.text} or absent({text}, {code.text}))"
        first, again = self.held(as_value(code), scope)
        test = f"{text} in {again}" + ("" if x.kind is Kind.MODEL else f" or absent({text}, {again})")
        return f"(({test}) if {first}.__class__ is frozenset else member({text}, {again}))"

    def select(self, e: s.Apply, scope: Scope) -> Code:
        test = self.callable(e.arguments[1], 1, scope)
        return Code(f"select({self.value(e.arguments[0], scope)}, {test})", Kind.FUNCTION)

    def sort(self, e: s.Apply, scope: Scope) -> Code:
        less = self.callable(e.arguments[1], 2, scope)
        return Code(f"sort({self.value(e.arguments[0], scope)}, {less})", Kind.FUNCTION)

    def print_only(self, e: s.Apply, scope: Scope) -> Code:
        return Code(f"(tell({self.value(e.arguments[0], scope)}, TRUE) is TRUE)", Kind.TRUTH)

    def enabled(self, e: s.Apply, scope: Scope) -> Code:
        """ENABLED: whether a step of the action exists."""
        raise NotImplementedError

    # Functions, records and tuples

    def Index(self, e: s.Index, scope: Scope) -> Code:
        first, f = self.held(self.value(e.function, scope), scope)
        return Code(f"{first}[{f}[0].index[{self.value(e.index, scope)}]]", Kind.VALUE)

    def TupleOf(self, e: s.TupleOf, scope: Scope) -> Code:
        name = f"sequence_{len(e.items)}"
        self.source.namespace[name] = sequence_domain(len(e.items))
        return Code(f"({name}, {', '.join(self.stored(one, scope) for one in e.items)})", Kind.FUNCTION)

    def Record(self, e: s.Record, scope: Scope) -> Code:
        domain = domain_of(name for name, _ in e.fields)
        fields = dict(e.fields)
        values = [self.stored(fields[name], scope) for name in domain.keys]
        return Code(f"({self.source.constant('fields', domain)}, {', '.join(values)})", Kind.FUNCTION)

    def RecordSet(self, e: s.RecordSet, scope: Scope) -> Code:
        domain = domain_of(name for name, _ in e.fields)
        fields = dict(e.fields)
        sets = [self.value(fields[name], scope) for name in domain.keys]
        return Code(f"Records({self.source.constant('fields', domain)}, ({', '.join(sets)},))", Kind.LAZY)

    def FunctionSet(self, e: s.FunctionSet, scope: Scope) -> Code:
        return Code(f"Functions({self.value(e.domain, scope)}, {self.value(e.range, scope)})", Kind.LAZY)

    def SetOf(self, e: s.SetOf, scope: Scope) -> Code:
        items = "".join(f"{self.stored(one, scope)}, " for one in e.items)
        return Code(f"frozenset(({items}))", Kind.SET)

    def Except(self, e: s.Except, scope: Scope) -> Code:
        text = self.value(e.function, scope)
        for one in e.updates:
            text = self.updated(text, one.path, one.value, scope)
        return Code(text, Kind.FUNCTION)

    def updated(
        self, function: str, path: tuple[s.Expression, ...], value: s.Expression, scope: Scope
    ) -> str:
        """A function with another value at a path."""
        place, rest = path[0], path[1:]
        # Where the function has no such argument, TLC does not look at the value.
        certain = self.certain(value, scope)
        if not rest and certain:
            return f"update({function}, {self.value(place, scope)}, {self.stored(value, scope)})"
        if len(rest) == 1 and certain:
            parts = (self.value(place, scope), self.value(rest[0], scope), self.stored(value, scope))
            return f"update_within({function}, {', '.join(parts)})"
        (first, f), (x_first, x) = self.held(function, scope), self.held(self.value(place, scope), scope)
        if rest:
            inner = self.updated(f"inner({f}, {x})", rest, value, scope)
            return f"update({first}, {x_first}, {inner})"
        old = scope.fn.new(self.source.fresh("old"))
        new = self.stored(value, scope.also(**{"@": Local(old)}))
        return f"(update({f}, {x}, {new}) if ({old} := inner({first}, {x_first})) is not UNSET else {f})"

    def certain(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression surely has a value: it is made of literals and bound names."""
        match e:
            case s.Number() | s.String() | s.ModelValue():
                return True
            case s.TupleOf(items) | s.SetOf(items):
                return all(self.certain(one, scope) for one in items)
            case s.Apply(operator, ()):
                return operator in ("TRUE", "FALSE") or isinstance(scope.names.get(operator), Local)
        return False

    # Choices

    def If(self, e: s.If, scope: Scope) -> Code:
        return self.either([(e.condition, e.then)], e.otherwise, scope, e)

    def Case(self, e: s.Case, scope: Scope) -> Code:
        return self.either(list(e.arms), e.other, scope, e)

    def either(
        self,
        arms: list[tuple[s.Expression, s.Expression]],
        other: s.Expression | None,
        scope: Scope,
        e: s.Expression,
    ) -> Code:
        """The value of the first arm whose condition holds."""
        tests = [self.test(condition, scope) for condition, _ in arms]
        codes = [self.expr(arm, scope) for _, arm in arms]
        if other is not None:
            codes.append(self.expr(other, scope))
        truth = all(code.kind is Kind.TRUTH for code in codes)
        texts = [code.text if truth else as_value(code) for code in codes]
        last = texts.pop() if other is not None else 'fail("no arm of CASE holds")'
        chain = "".join(f"{text} if {test} else " for test, text in zip(tests, texts, strict=True))
        return Code(f"({chain}{last})", Kind.TRUTH if truth else joined([code.kind for code in codes]))

    def Let(self, e: s.Let, scope: Scope) -> Code:
        return self.let(e, scope)

    def Subscripted(self, e: s.Subscripted, scope: Scope) -> Code:
        unchanged = self.unchanged(s.Apply("UNCHANGED", (e.subscript,), place=e.place), scope).text
        if e.kind == "[]_":
            return Code(f"({self.test(e.action, scope)} or {unchanged})", Kind.TRUTH)
        if e.kind == "<<>>_":
            return Code(f"({self.test(e.action, scope)} and not {unchanged})", Kind.TRUTH)
        return self.fails(f"{e.kind} has no value in a state or a step")

    def Lambda(self, e: s.Lambda, scope: Scope) -> Code:
        return self.fails("LAMBDA is an operator, not a value")

    # What needs statements becomes a function of its own

    def function(self, e: s.Expression, scope: Scope) -> Code:
        truth = isinstance(e, s.Quantified)
        fn = self.source.fn(type(e).__name__.lower(), (), scope.fn)
        kind = self.body(e, replace(scope, fn=fn), fn.lines, truth)
        return Code(self.source.call(scope.fn, fn), Kind.TRUTH if truth else kind)

    Quantified = Choose = Filter = Image = Function = function


_SPECIAL = {
    "~": "negation", "=>": "implication", "<=>": "equivalence", "-.": "minus_sign",
    "Cardinality": "cardinality",
       "'": "prime", "UNCHANGED": "unchanged", "=": "equals", "#": "equals", "\\in": "membership",
    "\\notin": "membership", "SelectSeq": "select", "SortSeq": "sort", "PrintT": "print_only",
    "ENABLED": "enabled", "UNION": "union",
}  # fmt: skip


def joined(kinds: list[Kind]) -> Kind:
    """The kind of a value that is of one of these kinds."""
    if Kind.LAZY in kinds:
        return Kind.LAZY
    return kinds[0] if len(set(kinds)) == 1 and kinds[0] is not Kind.TRUTH else Kind.VALUE
