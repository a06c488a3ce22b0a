"""Expressions as Python source, those too that need statements: names for values, loops, and what loops build."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import cardinality_bound, unsubscripted
from leadline.symbolic.tla.read.guards import EACH
from leadline.symbolic.tla.read.standard import JOINING
from leadline.symbolic.tla.values.scopes import (
    Binding,
    ByName,
    Code,
    Kind,
    Local,
    Names,
    Operator,
    Pending,
    Reference,
    Scope,
)
from leadline.symbolic.tla.values.translation import (
    Rule,
    StatementRule,
    Translation,
    as_test,
    as_value,
    atomic,
)
from leadline.symbolic.tla.values.values import domain_of, sequence_domain
from leadline.symbolic.tla.values.writer import Lines

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
            case s.Apply("\\cup" | "\\cap" | "\\", (a, b)):
                if e.operator == "\\cup" and t.lazy(a, scope) and not t.lazy(b, scope):
                    a, b = b, a  # TLC looks into the set that is listed first.
                first, second = contains(t, a, x, scope), contains(t, b, x, scope)
                if e.operator == "\\":
                    second = f"(not {second})"
                lazy, sure = t.lazy(b, scope), t.closed(b, scope) or t.safe(b, scope)
                # TLC evaluates both sets, also where the first decides.
                union, common = ("or", "and") if lazy or t.safe(b, scope) else ("|", "&")
                before = "" if sure or not lazy else f"{t.value(b, scope)} is not UNSET and "
                joined = union if e.operator == "\\cup" else common
                return f"({before}({first} {joined} {second}))"
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
    at = repr(str(place.place))
    # Where the function has no such argument, TLC does not look at the value.
    sure = t.safe(value, scope)
    if not rest and sure:
        return f"update({function}, {t.value(place, scope)}, {t.stored(value, scope)}, {at})"
    (first, f), (x_first, x) = t.held(function, scope), t.held(t.value(place, scope), scope)
    if rest:
        inner = updated(t, f"inner({f}, {x}, {at})", rest, value, scope)
        return f"update({first}, {x_first}, {inner}, {at})"
    old = scope.fn.new(t.source.fresh("old"))
    new = t.stored(value, scope.also(**{"@": Local(old)}))
    return (
        f"(update({f}, {x}, {new}, {at}) if ({old} := inner({first}, {x_first}, {at})) is not UNSET else {f})"
    )


# Choices


def either(t: Translation, e: s.Case, scope: Scope) -> Code:
    """The value of the first arm whose condition holds."""
    tests = [t.test(condition, scope) for condition, _ in e.arms]
    codes = [t.expr(arm, scope) for _, arm in e.arms]
    if e.other is not None:
        codes.append(t.expr(e.other, scope))
    truth = all(code.kind is Kind.TRUTH for code in codes)
    texts = [code.text if truth else as_value(code) for code in codes]
    last = texts.pop() if e.other is not None else 'fail("no arm of CASE holds")'
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


# Names for expressions that are evaluated at most once, where they are first needed


def named(t: Translation, name: str, e: s.Expression, rest: s.Expression, scope: Scope) -> ByName | Pending:
    """The meaning of a name for an expression."""
    return (ByName if t.by_name(name, e, rest, scope) else Pending)(e, scope.names)


def with_let(t: Translation, e: s.Let, scope: Scope, named: Callable[..., ByName | Pending] = named) -> Scope:
    """The scope within a LET. `named` gives the meaning of a name without parameters."""
    for one, rest in t.analysis.parts_of_let(e):
        meaning: Binding = (
            t.defined(one, rest, scope, []) if one.parameters else named(t, one.name, one.body, rest, scope)
        )
        scope = scope.also(**{one.name: meaning})
    return scope


def settle(
    t: Translation, parts: Sequence[s.Expression], scope: Scope, lines: Lines, sure: bool = True
) -> Scope:
    """Evaluate the pending expressions that are needed next, or later if the parts may not be evaluated."""
    for name in sorted(frozenset[str]().union(*map(t.analysis.free, parts))):
        pending = scope.names.get(name)
        if not isinstance(pending, Pending) or pending in scope.known:
            continue
        around = scope.names
        now = sure and any(name in t.analysis.evaluated(part) for part in parts)
        scope = settle(t, [pending.body], scope.within(pending.names), lines, now)
        variable = scope.fn.new(t.source.fresh(name))
        code = t.expr(pending.body, scope) if now else t.later(pending.body, scope)
        local = Local(variable, code.kind, called=not now)
        lines.append(f"{variable} = {code.text}")
        scope = replace(scope, names=around, known={**scope.known, pending: local})
    return scope


# Loops


def _iterated(t: Translation, bound: s.Bound, scope: Scope, lines: Lines, chosen: bool, again: bool) -> str:
    """The elements of a bound name's set, in the order in which TLC enumerates or chooses them.

    Args:
        again: whether they are gone through several times, or not at all where another set is empty: the set is
            then evaluated before.
    """
    e = bound.domain
    if e is None:
        text = f"{bound.names[0]} has no set: its values cannot be enumerated"
        return t.source.at(bound.place, f"fail({text!r})")
    constant = t.once(e, scope)
    if not constant and isinstance(e, s.Apply) and e.operator == ".." and ".." not in t.definitions:
        low, high = (number(t, t.expr(one, scope), scope) for one in e.arguments)
        return f"range({low}, {high} + 1)"
    code = Code(t.enumeration(e, chosen), Kind.SET) if constant else t.expr(e, scope)
    value = as_value(code)
    if again and not atomic(value):
        name = scope.fn.new(t.source.fresh("set"))
        lines.append(f"{name} = {value}")
        value = name
    if constant:
        return value
    if code.kind is Kind.LAZY:
        text = f"{'in_choice' if chosen else 'in_order'}({value})"
    else:
        first, value = t.held(value, scope)
        known = f"{first}.__class__ is frozenset and orders.get({value})"
        text = f"({known} or {'in_choice' if chosen else 'in_order'}({value}))"
    return t.source.at(e.place, text)


def loops(
    t: Translation,
    bounds: Sequence[s.Bound],
    scope: Scope,
    lines: Lines,
    *,
    chosen: bool = False,
    early: Sequence[s.Expression] = (),
) -> tuple[Scope, Lines]:
    """Loops over all values of bound names, in TLC's order.

    Args:
        chosen: whether that is the order of CHOOSE, which sorts a set before it looks into it.
        early: the first conditions of the body. Each is tested in the outermost loop in which its names have
            values, unless a loop inside that one is over another set, which may be empty.

    Returns:
        The scope with the names, and the lines within the loops.
    """
    inner = scope
    again = len(bounds) > 1 or len(bounds[0].names) > 1
    nested: list[tuple[s.Bound, Sequence[str], str]] = []
    for bound in bounds:
        text = _iterated(t, bound, scope, lines, chosen, again)
        together = [bound.names] if bound.unpacked else [(name,) for name in bound.names]
        nested += [(bound, names, text) for names in together]
    for place, (bound, names, text) in enumerate(nested):
        variables = {one: scope.fn.new(t.source.fresh(one)) for one in names}
        target = f"{'_, ' if bound.unpacked else ''}{', '.join(variables.values())}"
        kind = Kind.VALUE if bound.unpacked else t.element(bound.domain, scope)
        inner = inner.also(**{one: Local(variable, kind) for one, variable in variables.items()})
        inside: Lines = []
        checked = bound.unpacked and not _is_product(bound.domain, len(names))
        elements = f"tuples({text}, {len(names)})" if checked else text
        lines += [f"for {target} in {elements}:", inside]
        lines = inside
        later = {one for _, names, _ in nested[place + 1 :] for one in names}
        if all(other == text for _, _, other in nested[place + 1 :]):
            while early and later.isdisjoint(t.analysis.free(early[0])):
                lines += [f"if not {t.test(early[0], inner)}:", ["continue"]]
                early = early[1:]
    return inner, lines


def _variables(bound: s.Bound, inner: Scope) -> list[str]:
    """The Python variables of a bound's names within their loops."""
    return [one.text for name in bound.names if isinstance(one := inner.names[name], Local)]


def _element(bound: s.Bound, inner: Scope) -> str:
    """The element that a bound's name stands for, or its names together."""
    texts = _variables(bound, inner)
    return f"sequence(({', '.join(texts)},))" if bound.unpacked else texts[0]


def _is_product(domain: s.Expression | None, count: int) -> bool:
    """Whether an expression is a product, all of whose elements are tuples of so many values."""
    return isinstance(domain, s.Apply) and domain.operator == "\\X" and len(domain.arguments) == count


# Statements that return a value


def returned(t: Translation, e: s.Expression, scope: Scope, lines: Lines, truth: bool) -> Kind:
    scope = settle(t, [e], scope, lines)
    code = t.expr(e, scope)
    lines.append(f"return {as_test(code) if truth else as_value(code)}")
    return Kind.VALUE if code.kind is Kind.TRUTH else code.kind


def _quantified(t: Translation, e: s.Quantified, scope: Scope, lines: Lines, truth: bool) -> Kind:
    if not truth:
        return returned(t, e, scope, lines, truth)
    if e.quantifier not in ("\\A", "\\E", EACH["\\E"]):
        lines.append(f"return {fails(f'{e.quantifier} has no value in a state or a step').text}")
        return Kind.TRUTH
    every = e.quantifier == "\\A"
    begin = len(lines)
    match e.body:
        case s.Apply("=>", (s.Apply("/\\", early), rest)) if every:
            pass
        case s.Apply("=>", (condition, rest)) if every:
            early = (condition,)
        case s.Apply("/\\", (*early, rest)) if e.quantifier == "\\E":
            pass
        case rest:
            early = ()
    inner, inside = loops(t, e.bounds, settle(t, [e], scope, lines), lines, early=early)
    test = t.test(rest, inner)
    if e.quantifier == EACH["\\E"]:
        found = scope.fn.new(t.source.fresh("found"))
        lines.insert(begin, f"{found} = False")
        inside.append(f"{found} |= {test}")
        lines.append(f"return {found}")
    else:
        inside += [f"if {'not ' if every else ''}{test}:", [f"return {not every}"]]
        lines.append(f"return {every}")
    return Kind.TRUTH


def _choose(t: Translation, e: s.Choose, scope: Scope, lines: Lines, truth: bool) -> Kind:
    scope = settle(t, [e], scope, lines)
    loop: Lines = []
    chosen: Lines = []
    inner, inside = loops(t, (e.bound,), scope, loop, chosen=True)
    result = _element(e.bound, inner)
    inside += [f"if {t.test(e.body, inner)}:", chosen]
    if t.source.namespace.get("symmetry") is None:
        lines += loop
        chosen.append(f"return {result}")
    else:  # All elements count: a choice between several may tell values apart.
        out = scope.fn.new(t.source.fresh("found"))
        chosen.append(f"{out}.append({result})")
        place = t.source.constant("place", e.place)
        told = f"return symmetry.chosen({out}, {{}}, {place})"
        lines += [f"{out} = []", "try:", loop]
        lines += ["except FAILURES:", [f"if not {out}:", ["raise"], told.format(True)]]
        lines += [f"if {out}:", [told.format(False)]]
    lines.append(t.source.at(e.place, 'fail("CHOOSE: no element satisfies the formula")'))
    return Kind.VALUE


def _filter(t: Translation, e: s.Filter, scope: Scope, lines: Lines, truth: bool) -> Kind:
    assert e.bound.domain is not None
    scope = settle(t, [e], scope, lines)
    base = t.expr(e.bound.domain, scope)
    if base.kind is Kind.LAZY and not e.bound.unpacked:
        name = t.source.fresh("element")
        fn = t.source.fn("test", (name,), scope.fn)
        inner = replace(scope, fn=fn).also(**{e.bound.names[0]: Local(name)})
        t.body(e.body, inner, fn.lines, truth=True)
        found = cardinality_bound(e.body, e.bound.names[0])
        if found is not None and "Cardinality" not in t.definitions:
            base = Code(f"of_size({base.text}, {found[0]!r}, {t.value(found[1], scope)})", Kind.LAZY)
        lines.append(f"return Filtered({base.text}, {t.source.bound(scope.fn, fn)})")
        return Kind.LAZY
    out = scope.fn.new(t.source.fresh("found"))
    lines.append(f"{out} = []")
    inner, inside = loops(t, (e.bound,), scope, lines)
    inside += [f"if {t.test(e.body, inner)}:", [f"{out}.append({_element(e.bound, inner)})"]]
    lines.append(f"return frozenset({out})")
    return Kind.SET


def _images(
    t: Translation, e: s.Image, scope: Scope, lines: Lines, truth: bool = False, *, listed: bool = True
) -> Kind:
    scope = settle(t, [e], scope, lines)
    out = scope.fn.new(t.source.fresh("found"))
    lines.append(f"{out} = []")
    inner, inside = loops(t, e.bounds, scope, lines)
    inside.append(f"{out}.append({(t.stored if listed else t.value)(e.body, inner)})")
    lines.append(f"return {f'frozenset({out})' if listed else out}")
    return Kind.SET


def union(t: Translation, e: s.Apply, scope: Scope) -> Code:
    (sets,) = e.arguments
    if isinstance(sets, s.SetOf | s.Image):
        # The sets may be infinite, and are not compared with each other.
        return Code(f"union({_listing(t, sets, scope)})", Kind.LAZY)
    return Code(f"union({t.value(sets, scope)})", Kind.SET)


def _listing(t: Translation, e: s.SetOf | s.Image, scope: Scope) -> str:
    """The values of a set's expressions as a list."""
    if isinstance(e, s.SetOf):
        return f"[{', '.join(t.value(one, scope) for one in e.items)}]"
    fn = t.source.fn("listing", (), scope.fn)
    _images(t, e, replace(scope, fn=fn), fn.lines, listed=False)
    return t.source.call(scope.fn, fn)


def _function(t: Translation, e: s.Function, scope: Scope, lines: Lines, truth: bool) -> Kind:
    scope = settle(t, [e], scope, lines)
    recursive = any(_is_within(name, e, scope) for name in t.analysis.free(e.body))
    single = len(e.bounds) == 1 and len(e.bounds[0].names) == 1 and not e.bounds[0].unpacked
    domains = [one.domain for one in e.bounds]
    if not recursive and single and domains[0] is not None:
        base = t.expr(domains[0], scope)
        if base.kind is not Kind.LAZY:
            return _table(t, e, base.text, scope, lines)
    if not recursive and not single and not any(one and t.lazy(one, scope) for one in domains):
        return _product_table(t, e, scope, lines)
    return _lazy_function(t, e, recursive, scope, lines)


def _is_within(name: str, e: s.Function, scope: Scope) -> bool:
    """Whether a name is that of the function, or of one around it: `f[i \\in S] == [j \\in T |-> f[i][j - 1]]`."""
    known = scope.names.get(name)
    return name == e.name or (isinstance(known, Local) and known.itself)


def _table(t: Translation, e: s.Function, base: str, scope: Scope, lines: Lines) -> Kind:
    fn = scope.fn
    (name,) = e.bounds[0].names
    domain, out, x = (fn.new(t.source.fresh(hint)) for hint in ("domain", "values", name))
    value = t.stored(e.body, scope.also(**{name: Local(x, t.element(e.bounds[0].domain, scope))}))
    lines += [
        f"{domain} = domain_of(elements({base}))",
        f"{out} = [{domain}]",
        f"for {x} in {domain}.keys:",
        [f"{out}.append({value})"],
        f"return tuple({out})",
    ]
    return Kind.VALUE


def _product_table(t: Translation, e: s.Function, scope: Scope, lines: Lines) -> Kind:
    out = scope.fn.new(t.source.fresh("graph"))
    lines.append(f"{out} = {{}}")
    inner, inside = loops(t, e.bounds, scope, lines)
    texts: list[str] = []
    for bound in e.bounds:
        several = bound.unpacked and len(e.bounds) > 1
        texts += [_element(bound, inner)] if several else _variables(bound, inner)
    inside.append(f"{out}[sequence(({', '.join(texts)},))] = {t.stored(e.body, inner)}")
    lines.append(f"return function({out})")
    return Kind.VALUE


def _lazy_function(t: Translation, e: s.Function, recursive: bool, scope: Scope, lines: Lines) -> Kind:
    """A function whose values are computed when they are needed; it may apply itself."""
    names = [name for one in e.bounds for name in one.names]
    itself, key = t.source.fresh(e.name or "function"), t.source.fresh("key")
    fn = t.source.fn("values", (itself, key), scope.fn)
    variables = {name: fn.new(t.source.fresh(name)) for name in names}
    inner = replace(scope, fn=fn).also(**{name: Local(text) for name, text in variables.items()})
    if recursive and e.name is not None:
        inner = inner.also(**{e.name: Local(itself, Kind.LAZY, itself=True)})
    targets, sets = [], []
    for bound in e.bounds:
        parts = [variables[name] for name in bound.names]
        targets += [f"(_, {', '.join(parts)})"] if bound.unpacked else parts
        if bound.domain is not None:
            sets += [t.value(bound.domain, scope)] * (1 if bound.unpacked else len(parts))
    target = targets[0] if len(targets) == 1 else f"_, {', '.join(targets)}"
    fn.lines.append(f"{target} = {key}")
    t.body(e.body, inner, fn.lines, truth=False)
    base = sets[0] if len(sets) == 1 else f"Product({', '.join(sets)})"
    lines.append(f"return recursive_function({base}, {t.source.bound(scope.fn, fn)})")
    return Kind.LAZY


# Folds


def fold(t: Translation, e: s.Apply, scope: Scope) -> Code:
    """An operator folded over a set. With symmetry, the element that is next counts as chosen if it matters."""
    op = t.callable(e.arguments[0], 2, scope)
    base, elements = (t.value(one, scope) for one in e.arguments[1:])
    first = ""
    if t.source.namespace.get("symmetry") is not None and not _in_any_order(t, e.arguments[0], scope):
        place = t.source.constant("place", e.place)
        first = f", lambda left: symmetry.chosen(left, False, {place})"
    return Code(f"fold({op}, {base}, {elements}{first})", Kind.VALUE)


_OUTER, _INNER = Local("the result so far"), Local("an element")


def _in_any_order(t: Translation, operator: s.Expression, scope: Scope) -> bool:
    """Whether an operator only adds a term of its first argument to its second, by an operator of `JOINING`."""
    names = {**scope.names, "operator@": t.operator(operator, scope), "x@": _INNER, "result@": _OUTER}
    return _joined_by(t, s.Apply("operator@", (s.Apply("x@"), s.Apply("result@"))), names) is not None


def _joined_by(t: Translation, e: s.Expression, names: Names) -> str | None:
    """The operator by which an expression joins terms to the result so far; "" if it is that result, None if none.

    The result so far is `_OUTER`.
    """
    if _alias(e, names) is _OUTER:
        return ""
    match e:
        case s.Case(((test, then),), s.Expression() as other) if _OUTER not in _locals(t, test, names):
            found = {_joined_by(t, one, names) for one in (then, other)} - {""}
            return found.pop() if len(found) == 1 else None
        case s.Apply(key, arguments):
            while isinstance(one := names.get(key), Reference):
                key = one.key
            if one is None and key in t.definitions and not t.recursive(key):
                one = Operator(t.definitions[key].parameters, t.definitions[key].body, {})
            if isinstance(one, Operator) and len(one.parameters) == len(arguments):
                if any(p.arity for p in one.parameters):
                    return None
                pairs = zip(one.parameters, arguments, strict=True)
                return _joined_by(t, one.body, {**one.names, **{p.name: ByName(a, names) for p, a in pairs}})
            inside = [_OUTER in _locals(t, a, names) for a in arguments]
            if one is None and key in JOINING and inside.count(True) == 1:
                inner = _joined_by(t, arguments[inside.index(True)], names)
                return key if inner in ("", key) else None
    return None


def _locals(t: Translation, e: s.Expression, names: Names) -> Iterator[Local]:
    """The Python variables that an expression depends on."""
    for name in t.analysis.free(e):
        match names.get(name):
            case Local() as one:
                yield one
            case ByName(body, inner) | Pending(body, inner) | Operator(_, body, inner):
                yield from _locals(t, body, inner)


def _alias(e: s.Expression, names: Names) -> Binding | None:
    while isinstance(e, s.Apply) and not e.arguments:
        binding = names.get(e.operator)
        if not isinstance(binding, ByName):
            return binding
        e, names = binding.body, binding.names
    return None


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
    "UNION": union,
    "FoldInOrder": fold,
}
"""The rules of the built-in operators but ENABLED."""
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
    s.Case: either,
    s.Let: Translation.let,
    s.Subscripted: subscripted,
    **dict.fromkeys((s.Quantified, s.Choose, s.Filter, s.Image, s.Function), Translation.function),
}
"""The rules of the kinds of nodes; one that needs statements becomes a function of its own."""
STATEMENTS: Mapping[type[s.Expression], StatementRule] = {
    s.Let: lambda t, e, scope, lines, truth: t.body(e.body, with_let(t, e, scope), lines, truth),
    s.Quantified: _quantified,
    s.Choose: _choose,
    s.Filter: _filter,
    s.Image: _images,
    s.Function: _function,
}
