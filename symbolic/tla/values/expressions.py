"""Expressions as Python source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import unsubscripted
from leadline.symbolic.tla.read.guards import EACH
from leadline.symbolic.tla.values.scopes import Code, Kind, Local, Scope
from leadline.symbolic.tla.values.translation import Rule, Translation, as_value, atomic
from leadline.symbolic.tla.values.values import domain_of, sequence_domain

_CONSTANTS = {
    "TRUE": ("True", Kind.TRUTH), "FALSE": ("False", Kind.TRUTH), "BOOLEAN": ("BOOLEAN", Kind.SET),
    "STRING": ("STRING", Kind.LAZY), "Nat": ("NAT", Kind.LAZY), "Int": ("INT", Kind.LAZY),
    "Any": ("ANY", Kind.LAZY), "JavaTime": ("now()", Kind.INT),
}  # fmt: skip
_FUNCTIONS = {
    "Seq": ("Sequences", Kind.LAZY),
    "SUBSET": ("Subsets", Kind.LAZY), "\\X": ("Product", Kind.LAZY), "Len": ("length", Kind.INT),
    "Tail": ("tail", Kind.VALUE), "Head": ("head", Kind.VALUE),
    "\\o": ("concatenate", Kind.VALUE), "SubSeq": ("subseq", Kind.VALUE), "@@": ("override", Kind.VALUE),
    "IsFiniteSet": ("finite", Kind.TRUTH), "..": ("interval", Kind.SET),
    "Permutations": ("permutations", Kind.SET), "ToString": ("written", Kind.STRING),
    "^": ("power", Kind.INT),
    "RandomElement": ("pick", Kind.VALUE), "Assert": ("check", Kind.VALUE), "Print": ("tell", Kind.VALUE),
    "PrintT": ("tell", Kind.VALUE),
    "TLCEval": ("listed", Kind.VALUE), "TLCGet": ("register", Kind.VALUE),
    "TLCSet": ("set_register", Kind.VALUE), "TLCGetOrDefault": ("register_or", Kind.VALUE),
    "TLCModelValue": ("named", Kind.VALUE), "atoi": ("number_of", Kind.INT),
    "JsonText": ("json_text", Kind.STRING),
    "\\div": ("divide", Kind.INT), "%": ("modulo", Kind.INT),
    "\\subseteq": ("subseteq", Kind.TRUTH),
}  # fmt: skip
_STORING = {"Append": "append", ":>": "singleton"}
_SETS = {"\\cup": ("|", "cup"), "\\cap": ("&", "cap"), "\\": ("-", "minus")}
_NUMBERS = ("+", "-", "*", "<", ">", "<=", ">=")
_LITERALS = {"True": ("TRUE", "FALSE"), "False": ("FALSE", "TRUE")}
_TEMPORAL = ("[]", "<>", "~>", "-+->", "\\cdot")


def fails(text: str) -> Code:
    """An expression that has no value."""
    return Code(f"fail({text!r})", Kind.VALUE)


# Built-in operators


def _known(text: str, kind: Kind) -> Rule:
    """The rule of a constant."""
    return lambda t, e, scope: Code(text, kind)


def _read(name: str) -> Rule:
    """The rule of an operator that reads the file that its argument names."""

    def rule(t: Translation, e: s.Apply, scope: Scope) -> Code:
        return Code(f"{name}(READABLE, {t.value(e.arguments[0], scope)})", Kind.VALUE)

    return rule


def _tested(joined: Callable[[list[str]], str]) -> Rule:
    """The rule of an operator on truth values, from the Python of its arguments."""

    def rule(t: Translation, e: s.Apply, scope: Scope) -> Code:
        return Code(f"({joined([t.test(one, scope) for one in e.arguments])})", Kind.TRUTH)

    return rule


def _called(name: str, kind: Kind, part: Callable[..., str] = Translation.value) -> Rule:
    """The rule of an operator that is a function of its arguments, each translated as a part."""

    def rule(t: Translation, e: s.Apply, scope: Scope) -> Code:
        return Code(f"{name}({', '.join(part(t, one, scope) for one in e.arguments)})", kind)

    return rule


def _with_operator(name: str, arity: int) -> Rule:
    """The rule of an operator on a sequence and an operator."""

    def rule(t: Translation, e: s.Apply, scope: Scope) -> Code:
        operator = t.callable(e.arguments[1], arity, scope)
        return Code(f"{name}({t.value(e.arguments[0], scope)}, {operator})", Kind.VALUE)

    return rule


def _domain(t: Translation, e: s.Apply, scope: Scope) -> Code:
    code = t.expr(e.arguments[0], scope)
    if code.kind is not Kind.LAZY:
        return Code(f"{code.text}[0].plain", Kind.SET)
    return Code(f"domain({as_value(code)})", Kind.LAZY)


def arithmetic(t: Translation, e: s.Apply, scope: Scope) -> Code:
    """Arithmetic or a comparison. Python has these operators for other values than numbers, too."""
    operator = e.operator
    a, b = (t.expr(one, scope) for one in e.arguments)
    left, right = as_value(a), as_value(b)
    if Kind.INT not in (a.kind, b.kind) or operator == "*":
        left = number(t, a, scope)
        right = number(t, b, scope) if operator == "*" else right
    kind = Kind.TRUTH if operator in "<=>=" else Kind.INT
    return Code(f"({left} {operator} {right})", kind)


def number(t: Translation, code: Code, scope: Scope) -> str:
    """An expression's value, which must be an integer."""
    text = as_value(code)
    if code.kind is Kind.INT:
        return text
    first, again = t.held(text, scope)
    return f"({again} if {first}.__class__ is int else number({again}))"


def set_operation(t: Translation, e: s.Apply, scope: Scope) -> Code:
    """A union, an intersection or a difference."""
    a, b = (t.expr(one, scope) for one in e.arguments)
    symbol, name = _SETS[e.operator]
    kind = Kind.LAZY if Kind.LAZY in (a.kind, b.kind) else Kind.SET
    if a.kind is Kind.SET or b.kind is Kind.SET:
        return Code(f"({as_value(a)} {symbol} {as_value(b)})", kind)
    return Code(f"{name}({as_value(a)}, {as_value(b)})", kind)


def cardinality(t: Translation, e: s.Apply, scope: Scope) -> Code:
    code = t.expr(e.arguments[0], scope)
    return Code(f"{'len' if code.kind is Kind.SET else 'cardinality'}({as_value(code)})", Kind.INT)


def prime(t: Translation, e: s.Apply, scope: Scope) -> Code:
    if scope.primed:
        return fails("an expression is primed twice")
    return t.expr(e.arguments[0], replace(scope, primed=True))


def unchanged(t: Translation, e: s.Apply, scope: Scope) -> Code:
    (body,) = e.arguments
    if isinstance(body, s.TupleOf):
        tests = [t.test(replace(e, arguments=(item,)), scope) for item in body.items]
        return Code(f"({' and '.join(tests) or True})", Kind.TRUTH)
    alias = t.alias(body, scope)
    if alias is not None:
        return unchanged(t, replace(e, arguments=(alias[0],)), scope.within(alias[1]))
    return equality(t, t.expr(body, replace(scope, primed=True)), t.expr(body, scope), scope)


def equals(t: Translation, e: s.Apply, scope: Scope) -> Code:
    code = equality(t, t.expr(e.arguments[0], scope), t.expr(e.arguments[1], scope), scope)
    return code if e.operator == "=" else Code(f"(not {code.text})", Kind.TRUTH)


def equality(t: Translation, a: Code, b: Code, scope: Scope) -> Code:
    """An equation. Values that differ must be of kinds that TLC compares."""
    if a.kind is b.kind and a.kind in (Kind.INT, Kind.STRING, Kind.TRUTH):
        return Code(f"({a.text} == {b.text})", Kind.TRUTH)
    if Kind.MODEL in (a.kind, b.kind):
        return Code(f"({as_value(a)} is {as_value(b)})", Kind.TRUTH)
    if Kind.TRUTH in (a.kind, b.kind):
        return _equal_truth(t, a, b, scope)
    if {a.kind, b.kind} == {Kind.INT, Kind.STRING}:
        return Code(f"unequal({a.text}, {b.text})", Kind.TRUTH)
    if a.kind in (Kind.INT, Kind.STRING):
        a, b = b, a
    (first, left), (other, right) = t.held(a.text, scope), t.held(b.text, scope)
    check = f"not ({left}.__class__ is {right}.__class__ in SIMPLE) and unequal({left}, {right})"
    if b.kind in (Kind.INT, Kind.STRING):
        kind = "int" if b.kind is Kind.INT else "str"
        check = f"{left}.__class__ is not {kind} and unequal({left}, {right})"
    return Code(f"({first} == {other} or {check})", Kind.TRUTH)


def _equal_truth(t: Translation, a: Code, b: Code, scope: Scope) -> Code:
    """An equation of a truth value and any other value."""
    a, b = (b, a) if a.kind is Kind.TRUTH else (a, b)
    first, again = t.held(a.text, scope)
    if b.text in _LITERALS:
        wanted, other = _LITERALS[b.text]
        return Code(
            f"({first} is {wanted} or {again} is not {other} and unequal({again}, {wanted}))", Kind.TRUTH
        )
    wanted, wanted_again = t.held(as_value(b), scope)
    return Code(f"({first} is {wanted} or unequal({again}, {wanted_again}))", Kind.TRUTH)


def membership(t: Translation, e: s.Apply, scope: Scope) -> Code:
    x = t.expr(e.arguments[0], scope)
    first, again = t.held(as_value(x), scope)
    variable = Local(again, x.kind if x.kind is not Kind.TRUTH else Kind.VALUE)
    test = contains(t, e.arguments[1], variable, scope)
    if first != again:
        test = f"({first} is not UNSET and {test})"
    return Code(test if e.operator == "\\in" else f"(not {test})", Kind.TRUTH)


def contains(t: Translation, e: s.Expression, x: Local, scope: Scope) -> str:
    """Whether a set contains the value of a variable."""
    text = x.text
    if not t.closed(e, scope):
        match e:
            case s.Apply("\\cup", (a, b)) if t.lazy(a, scope) and not t.lazy(b, scope):
                # TLC looks into the set that is listed first.
                return f"({contains(t, b, x, scope)} or {contains(t, a, x, scope)})"
            case s.Apply("\\cup" | "\\cap" | "\\", (a, b)):
                first, second = contains(t, a, x, scope), contains(t, b, x, scope)
                if e.operator == "\\":
                    second = f"(not {second})"
                # TLC evaluates both sets, also where the first decides.
                union, common = ("or", "and") if t.lazy(b, scope) or t.safe(b, scope) else ("|", "&")
                joined = union if e.operator == "\\cup" else common
                return f"({first} {joined} {second})"
            case s.Apply("..", (a, b)):
                low, high = (number(t, t.expr(one, scope), scope) for one in (a, b))
                test = f"({low} <= {text}) & ({text} <= {high})"
                if x.kind is not Kind.INT:
                    test += f" if {text}.__class__ is int else apart({text}, {low}, {high})"
                return f"({test})"
            case s.Apply("SUBSET", (a,)):
                return f"subseteq({text}, {t.value(a, scope)})"
    if t.once(e, scope):
        listing = t.listed_once(e)
        if (kind := t.element(e, scope)) is Kind.MODEL or kind is x.kind is not Kind.VALUE:
            return f"({text} in {listing})"
        # A set that is listed here is none for TLC, which looks into its parts.
        return f"({text} in {listing} or member({text}, {as_value(t.constant(e))}))"
    code = t.expr(e, scope)
    if code.kind is Kind.SET and atomic(code.text):
        return f"({text} in {code.text} or absent({text}, {code.text}))"
    first, again = t.held(as_value(code), scope)
    test = f"{text} in {again}" + ("" if x.kind is Kind.MODEL else f" or absent({text}, {again})")
    return f"(({test}) if {first}.__class__ is frozenset else member({text}, {again}))"


# Functions, records and tuples


def index(t: Translation, e: s.Index, scope: Scope) -> Code:
    first, f = t.held(t.value(e.function, scope), scope)
    return Code(f"{first}[{f}[0].index[{t.value(e.index, scope)}]]", Kind.VALUE)


def tuple_of(t: Translation, e: s.TupleOf, scope: Scope) -> Code:
    name = f"sequence_{len(e.items)}"
    t.source.namespace[name] = sequence_domain(len(e.items))
    return Code(f"({name}, {', '.join(t.stored(one, scope) for one in e.items)})", Kind.VALUE)


def record(t: Translation, e: s.Record, scope: Scope) -> Code:
    domain = domain_of(name for name, _ in e.fields)
    fields = dict(e.fields)
    values = [t.stored(fields[name], scope) for name in domain.keys]
    return Code(f"({t.source.constant('fields', domain)}, {', '.join(values)})", Kind.VALUE)


def record_set(t: Translation, e: s.RecordSet, scope: Scope) -> Code:
    domain = domain_of(name for name, _ in e.fields)
    fields = dict(e.fields)
    sets = [t.value(fields[name], scope) for name in domain.keys]
    return Code(f"Records({t.source.constant('fields', domain)}, ({', '.join(sets)},))", Kind.LAZY)


def set_of(t: Translation, e: s.SetOf, scope: Scope) -> Code:
    items = "".join(f"{t.stored(one, scope)}, " for one in e.items)
    return Code(f"frozenset(({items}))", Kind.SET)


def except_(t: Translation, e: s.Except, scope: Scope) -> Code:
    code = t.expr(e.function, scope)
    text = as_value(code)
    for one in e.updates:
        text = updated(t, text, one.path, one.value, scope)
    return Code(text, Kind.LAZY if code.kind is Kind.LAZY else Kind.VALUE)


def updated(
    t: Translation, function: str, path: tuple[s.Expression, ...], value: s.Expression, scope: Scope
) -> str:
    """A function with another value at a path."""
    place, rest = path[0], path[1:]
    # Where the function has no such argument, TLC does not look at the value.
    sure = t.safe(value, scope)
    if not rest and sure:
        return f"update({function}, {t.value(place, scope)}, {t.stored(value, scope)})"
    (first, f), (x_first, x) = t.held(function, scope), t.held(t.value(place, scope), scope)
    if rest:
        inner = updated(t, f"inner({f}, {x})", rest, value, scope)
        return f"update({first}, {x_first}, {inner})"
    old = scope.fn.new(t.source.fresh("old"))
    new = t.stored(value, scope.also(**{"@": Local(old)}))
    return f"(update({f}, {x}, {new}) if ({old} := inner({first}, {x_first})) is not UNSET else {f})"


# Choices


def either(
    t: Translation,
    arms: Sequence[tuple[s.Expression, s.Expression]],
    other: s.Expression | None,
    scope: Scope,
) -> Code:
    """The value of the first arm whose condition holds."""
    tests = [t.test(condition, scope) for condition, _ in arms]
    codes = [t.expr(arm, scope) for _, arm in arms]
    if other is not None:
        codes.append(t.expr(other, scope))
    truth = all(code.kind is Kind.TRUTH for code in codes)
    texts = [code.text if truth else as_value(code) for code in codes]
    last = texts.pop() if other is not None else 'fail("no arm of CASE holds")'
    chain = "".join(f"{text} if {test} else " for test, text in zip(tests, texts, strict=True))
    return Code(f"({chain}{last})", Kind.TRUTH if truth else joined([code.kind for code in codes]))


def subscripted(t: Translation, e: s.Subscripted, scope: Scope) -> Code:
    if e.kind not in ("[]_", "<<>>_"):
        return fails(f"{e.kind} has no value in a state or a step")
    return t.expr(unsubscripted(e), scope)


def joined(kinds: list[Kind]) -> Kind:
    """The kind of a value that is of one of these kinds."""
    if Kind.LAZY in kinds:
        return Kind.LAZY
    return kinds[0] if len(set(kinds)) == 1 and kinds[0] is not Kind.TRUTH else Kind.VALUE


OPERATORS: Mapping[str, Rule] = {
    **{operator: _known(*constant) for operator, constant in _CONSTANTS.items()},
    **{operator: _called(*function) for operator, function in _FUNCTIONS.items()},
    **{operator: _called(name, Kind.VALUE, Translation.stored) for operator, name in _STORING.items()},
    "JsonRead": _read("json_of"),
    "JsonLinesRead": _read("json_lines_of"),
    "TextRead": _read("text_of"),
    "/\\": _tested(" and ".join),
    "\\/": _tested(" or ".join),
    EACH["\\/"]: _tested(lambda tests: f"any([{', '.join(tests)}])"),
    **dict.fromkeys(_NUMBERS, arithmetic),
    **dict.fromkeys(_SETS, set_operation),
    **dict.fromkeys(_TEMPORAL, lambda t, e, scope: fails(f"{e.operator} has no value in a state or a step")),
    "DOMAIN": _domain,
    "~": _tested(lambda tests: f"not {tests[0]}"),
    "=>": _tested(lambda tests: f"not {tests[0]} or {tests[1]}"),
    "<=>": _tested(" == ".join),
    "-.": lambda t, e, scope: Code(f"(-{number(t, t.expr(e.arguments[0], scope), scope)})", Kind.INT),
    "Cardinality": cardinality,
    "'": prime,
    "UNCHANGED": unchanged,
    "=": equals,
    "#": equals,
    "\\in": membership,
    "\\notin": membership,
    "SelectSeq": _with_operator("select", 1),
    "SortSeq": _with_operator("sort", 2),
}
"""The rules of the built-in operators that need no statements."""
NODES: Mapping[type[s.Expression], Rule] = {
    s.Apply: Translation.apply,
    s.Index: index,
    s.TupleOf: tuple_of,
    s.Record: record,
    s.RecordSet: record_set,
    s.FunctionSet: lambda t, e, scope: Code(
        f"Functions({t.value(e.domain, scope)}, {t.value(e.range, scope)})", Kind.LAZY
    ),
    s.SetOf: set_of,
    s.Except: except_,
    s.If: lambda t, e, scope: either(t, [(e.condition, e.then)], e.otherwise, scope),
    s.Case: lambda t, e, scope: either(t, e.arms, e.other, scope),
    s.Let: Translation.let,
    s.Subscripted: subscripted,
    s.Lambda: lambda t, e, scope: fails("LAMBDA is an operator, not a value"),
    **dict.fromkeys((s.Quantified, s.Choose, s.Filter, s.Image, s.Function), Translation.function),
}
"""The rules of the kinds of nodes; one that needs statements becomes a function of its own."""
