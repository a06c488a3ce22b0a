"""The symbolic form of TLA+'s built-in operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeAlias

from leadline.symbolic.lang import (
    NEVER,
    Atoms,
    Graph,
    Int,
    Map,
    Mapped,
    Seq,
    Slots,
    Sort,
    Tuple,
    Union,
    is_total,
    item_of,
    nodes as n,
)
from leadline.symbolic.lang.nodes import Binary
from leadline.symbolic.tla.lower import shapes, slots
from leadline.symbolic.tla.lower.actions import enabled
from leadline.symbolic.tla.lower.builder import Unlowerable, has_too_many, has_value
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.fixed import most_members
from leadline.symbolic.tla.lower.infinite import (
    Domain,
    Everything,
    Filtered,
    Numbers,
    PowerSet,
    Product,
    Sequences,
    Spread,
    United,
    listed_parts,
)
from leadline.symbolic.tla.lower.scope import DEEPEST, Entity, Operator, Scope
from leadline.symbolic.tla.lower.shapes import EMPTY_FUNCTION
from leadline.symbolic.tla.lower.terms import Terms, is_function
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.guards import EACH
from leadline.symbolic.tla.read.standard import LIBRARY

Rule: TypeAlias = Callable[[Lowering, Sequence[s.Expression], Scope], Entity]

_MOST_KEYS = 64
_MOST_FOLDED = 600
_WORTH = 2
"""How many times as many values as members a set may have that is folded value by value."""


def _conjunction(universal: bool) -> Rule:
    def rule(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
        found: list[n.Node] = []
        for one in arguments:
            found.append(at.truth(one, scope))
            if isinstance(found[-1], n.Const) and found[-1].value is not universal:
                break
        return at.terms.junction(universal, found)

    return rule


def _each_disjunct(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    found = [at.truth(one, scope) for one in arguments]
    return at.terms.conj([at.terms.disj(found), *(has_value(x) for x in found[1:] if not is_total(x))])


def _implies(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    premise = at.truth(arguments[0], scope)
    if isinstance(premise, n.Const) and not premise.value:
        return at.terms.boolean(True)
    conclusion = at.truth(arguments[1], scope)
    if isinstance(premise, n.Const):
        return conclusion
    return at.terms.make(n.Implies, at.terms.boolean(True).type, premise, conclusion)


def _of_nodes(operation: Callable[..., n.Node]) -> Rule:
    """An operator whose arguments are all values."""

    def rule(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
        return operation(at.terms, *[at.value(one, scope) for one in arguments])

    return rule


def _member(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> n.Node:
    return at.member(at.value(arguments[0], scope), at.domain(arguments[1], scope))


def _subset(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    part, whole = (at.domain(one, scope) for one in arguments)
    if isinstance(whole, n.Node):
        return at.terms.subset(at.listed(part), whole)
    inside = at.quantifier(True, part, "x", lambda x: at.member(x, whole))
    return at.terms.once_defined(listed_parts(whole), inside)


def _union(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    return _united(at, [at.domain(one, scope) for one in arguments])


def _restricted(kind: type[Binary]) -> Rule:
    """An intersection or difference."""

    def rule(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
        a, b = (at.domain(one, scope) for one in arguments)
        if not isinstance(a, n.Node) and isinstance(b, n.Node) and kind is n.SetIntersect:
            a, b = b, a
        keep = kind is n.SetIntersect

        def body(x: n.Node) -> n.Node:
            inside = at.member(x, b)
            return inside if keep else at.terms.negation(inside)

        if not isinstance(a, n.Node) and not _finite(a):
            return Filtered(a, "x", body, b)
        if isinstance(b, n.Node):
            return at.terms.both_sets(kind, at.listed(a), b)
        return at.terms.once_defined(listed_parts(b), at.filtered(at.listed(a), "x", body))

    return rule


def _big_union(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    match arguments[0]:
        case s.SetOf(items=[_, *_] as items):
            return _united(at, [_set(at, at.domain(one, scope)) for one in items])
        case s.Image(bounds=[bound], body=body) if bound.unpacked or len(bound.names) == 1:
            ((_, name, domain),) = at.pairs((bound,), scope)
            elements = at.written_out(at.terms.set_node(domain)) if isinstance(domain, n.Node) else None
            inner = [scope.having(at.names_of(bound, name, x)) for x in elements or ()]
            parts = [_set(at, at.domain(body, one)) for one in inner]
            if not all(isinstance(one, n.Node) for one in parts):
                return _united(at, parts)
            found = at.terms.big_union(at.value(arguments[0], scope))
            if not has_too_many(found):
                return found
            each = lambda x: _set(at, at.domain(body, scope.having(at.names_of(bound, name, x))))  # noqa: E731  # short
            return Spread(domain, name or "x", each)
    return at.terms.big_union(at.value(arguments[0], scope))


def _set(at: Lowering, domain: Domain) -> Domain:
    return at.terms.set_node(domain) if isinstance(domain, n.Node) else domain


def _united(at: Lowering, parts: Sequence[Domain]) -> Domain:
    """The union of sets; it is listed if they are, and none is in slots."""
    found: list[Domain] = []
    for one in parts:
        found += one.parts if isinstance(one, United) else [one]
    if len(found) == 1:
        return found[0]
    apart = (not isinstance(x, n.Node) or has_too_many(x) or slots.in_slots(x.type) for x in found)
    return United(found) if any(apart) else at.listed(United(found))


def _unchanged(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    return at.terms.equal(at.next_value(arguments[0], scope), at.value(arguments[0], scope))


def _enabled(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    if scope.primed:
        raise Unlowerable("ENABLED of the next state")
    return enabled(at, arguments[0], scope)


def _text(*nodes: n.Node) -> list[str] | None:
    """Constant strings, which TLC treats as sequences; None if a node is not a constant string."""
    texts = [x.value for x in nodes if isinstance(x, n.Const) and isinstance(x.type, Atoms)]
    whole = len(texts) == len(nodes) and all(map(shapes.is_string, texts))
    return [text[1:-1] for text in texts] if whole else None


def _sequence(node: n.Node) -> n.Node:
    """The value, which has to be a sequence.

    Raises:
        Unlowerable: if it may be a string, which TLC takes for a sequence here.
    """
    kinds = [node.type, *(x for x in shapes.variants(node.type).values() if isinstance(x, Sort))]
    if any(shapes.is_string(x) for kind in kinds if isinstance(kind, Atoms | Sort) for x in kind.members):
        raise Unlowerable("a string is used as a sequence")
    return node


def _length(t: Terms, node: n.Node) -> n.Node:
    texts = _strings(node)
    if not texts:
        return t.length(_sequence(node))
    return _by_cases(node, [(t.atom(x), t.integer(len(x[1:-1]))) for x in texts], t)


def _concat(t: Terms, a: n.Node, b: n.Node) -> n.Node:
    first, second = _strings(a), _strings(b)
    if not first or not second or len(first) * len(second) > _MOST_KEYS:
        return t.concat(_sequence(a), _sequence(b))
    whole = [[(t.atom(y), t.atom(shapes.quoted(x[1:-1] + y[1:-1]))) for y in second] for x in first]
    return _by_cases(a, [(t.atom(x), _by_cases(b, row, t)) for x, row in zip(first, whole, strict=True)], t)


def _strings(node: n.Node) -> Sequence[str]:
    """The strings that an expression may be; none if it may be another value."""
    names: Sequence[str] = node.type.members if isinstance(node.type, Atoms) else ()
    names = [node.value] if names and isinstance(node, n.Const) else names
    return names if all(map(shapes.is_string, names)) else ()


def _by_cases(node: n.Node, cases: Sequence[tuple[n.Node, n.Node]], t: Terms) -> n.Node:
    """The value of the case that an expression is equal to; the last case is for all other values."""
    *others, (_, found) = cases
    for x, value in reversed(others):
        found = t.ite(t.equal(node, x), value, found)
    return found


def _slice(t: Terms, node: n.Node, first: n.Node, last: n.Node) -> n.Node:
    text, first, last = _text(node), t.number(first), t.number(last)
    if text is not None and isinstance(first, n.Const) and isinstance(last, n.Const):
        if first.value > last.value or 1 <= first.value <= last.value <= len(text[0]):
            return t.atom(shapes.quoted(text[0][first.value - 1 : last.value]))
        return t.undefined(NEVER, "SubSeq: expected indices of the string")
    return t.slice(_sequence(node), first, last)


def _tail(t: Terms, node: n.Node) -> n.Node:
    text = _text(node)
    empty = t.undefined(NEVER, "Tail of the empty sequence")
    if text is not None:
        return t.atom(shapes.quoted(text[0][1:])) if text[0] else empty
    size = t.length(_sequence(node))
    rest = t.slice(node, t.integer(2), size)
    if isinstance(rest.type, Seq):
        # One place fewer, so that recursion over a sequence ends where its places do.
        most = rest.type.capacity - 1
        rest = t.convert(rest, Seq(rest.type.item, most)) if most > 0 else t.make_tuple([])
    return t.ite(t.lt(t.integer(0), size), rest, empty)


def _selected(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    test = at.entity(arguments[1], scope)
    return at.terms.selected(
        at.value(arguments[0], scope), lambda x: at.terms.truth(at.called(test, [x], scope))
    )


def _sorted(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    """`SortSeq(s, Less)`: each item in turn is inserted where TLC inserts it, also among its like."""
    less, t = at.entity(arguments[1], scope), at.terms
    whole = t.as_sequence(_sequence(at.value(arguments[0], scope)))
    found: n.Node = t.make_tuple([])
    if isinstance(whole, n.Undefined):
        return whole
    for place in range(1, shapes.sequence_of(whole.type).capacity + 1):
        item, there = t.item(whole, place), t.le(t.integer(place), t.length(whole))
        after: n.Node = t.integer(0)
        for other in range(1, place):
            before = t.truth(at.called(less, [item, t.item(found, other)], scope))
            here = t.le(t.integer(other), t.length(found))
            after = t.ite(t.conj([here, t.negation(before)]), t.integer(other), after)
        rest = t.slice(found, t.arithmetic(n.Add, after, t.integer(1)), t.length(found))
        longer = t.concat(t.concat(t.slice(found, t.integer(1), after), t.make_tuple([item])), rest)
        kept = Seq(shapes.sequence_of(longer.type).item, place)
        found = t.ite(there, t.convert(longer, kept), found)
    return t.once_defined([whole], found)


def _folded(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    """`FoldInOrder(Op, base, S)`: Op for each value that S may have, in order, or for the first that is left."""
    op, base = at.entity(arguments[0], scope), at.value(arguments[1], scope)
    kept = _kept_of_bag(at, op, scope) if base.type == shapes.EMPTY_FUNCTION else None
    if kept is not None:
        return kept
    left = at.listed(at.domain(arguments[2], scope))
    # Also where Op does not need the base.
    return at.terms.once_defined([base], _fold(at, op, base, left, scope))


def _kept_of_bag(at: Lowering, op: Entity, scope: Scope) -> n.Node | None:
    """The part of a bag that a fold keeps; None of folds that do more.

    `FoldBag(LAMBDA all, x : IF P(x) THEN BagAdd(all, x) ELSE all, EmptyBag, B)` keeps the elements of B with P.
    Folded one by one, these would be a choice and an update for each element that B may have.
    """
    match op:
        case Operator(_, s.Apply("Times", (s.Apply(name, ()), _, _, s.Index(bag))), around):
            added = around.names.get(name)
        case _:
            return None
    match added:
        case Operator(
            (s.Parameter(all_), s.Parameter(x)),
            s.Case(((test, s.Apply("BagAdd", (s.Apply(to, ()), s.Apply(one, ())))),), s.Apply(same, ())),
        ) if (to, one, same) == (all_, x, all_) and not _mentions(test, all_):
            own = [at.specification.definitions[key].place.file for key in ("Times", "BagAdd")]
            if not all(file.startswith(str(LIBRARY)) for file in own):
                return None
        case _:
            return None
    whole = at.value(bag, scope.calling(around, scope.depths))

    def is_kept(element: n.Node) -> n.Node:
        there = at.terms.lt(at.terms.integer(0), at.terms.apply(whole, element))
        inner = scope.calling(added.scope.having({x: element}), scope.depths)
        return at.terms.conj([there, at.truth(test, inner)])

    some = at.filtered(at.terms.domain(whole), x, is_kept)
    return at.function(some, x, lambda element: at.terms.apply(whole, element))


def _fold(at: Lowering, op: Entity, result: n.Node, left: n.Node, scope: Scope) -> n.Node:
    t = at.terms
    listed, left = left, t.set_node(left)
    item = item_of(left)
    if item == NEVER:
        return t.of_nothing(left, result)
    # A sequence would have a place for each of the values.
    most = _MOST_KEYS if isinstance(result.type, Tuple | Seq) else _MOST_FOLDED
    if item.capped <= min(most, _WORTH * most_members(left)):
        for here, x in at.possible(left):
            result = t.ite(here, at.called(op, [x, result], scope), result)
        return result
    nothing = t.set_of([])
    if has_too_many(left) or at.each(left) is not None:
        return _fold_by_place(at, op, result, listed, scope)
    for _ in range(DEEPEST):
        if most_members(left) == 0:
            return t.once_defined([left], result)
        order = at.order_of(item)
        first = t.bind(n.Choose, left, "x", lambda _: t.boolean(True), order=order)
        more = t.negation(t.equal(left, nothing))
        result = t.ite(more, at.called(op, [first, result], scope), result)
        left = t.ite(more, t.both_sets(n.SetMinus, left, t.set_of([first])), nothing)
    over = t.undefined(result.type, f"a fold over more than {DEEPEST} elements")
    return t.ite(t.equal(left, nothing), result, over)


def _fold_by_place(at: Lowering, op: Entity, result: n.Node, left: n.Node, scope: Scope) -> n.Node:
    """As `_fold`, of a set whose members are too many to list: one call for each place where one may be."""
    t = at.terms
    elements = slots.written(t, left)
    item = reduce(shapes.join, (x.type for _, x in elements))
    for _ in range(len(elements)):
        some = t.disj([here for here, _ in elements])
        first = at.first.of(elements, item, lambda _: t.boolean(True))
        result = t.ite(some, at.called(op, [first, result], scope), result)
        elements = [(t.conj([here, t.negation(t.same(x, first))]), x) for here, x in elements]
    return result


def _mentions(e: s.Expression, name: str) -> bool:
    return any(isinstance(one, s.Apply) and one.operator == name for one in s.nodes(e))


def _arrow(t: Terms, key: n.Node, value: n.Node) -> n.Node:
    """`x :> y`, for each argument that x may be."""
    if NEVER in (key.type, value.type):
        return t.undefined(NEVER, "the argument or its value has none")
    if isinstance(key, n.Const):
        return t.function([(key, value)])
    if shapes.is_message(key.type) or key.type.cardinality > _MOST_KEYS:
        return t.graph([t.make_tuple([key, value])])
    if isinstance(key.type, Union):
        none = t.undefined(NEVER, "there is no such argument")
        return t.by_variant(key, [*key.type.by_tag], lambda x: _arrow(t, x, value), none)
    # An arm for each argument would tell the members of a sort apart, and each of a string is another record.
    some = Mapped(value.type)
    kind = Map(key.type, some)
    nowhere = t.const(kind, (None,) * key.type.cardinality)
    return t.make(n.MapUpdate, kind, nowhere, key, t.some(value, some))


def _over(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    """`f @@ g`: the arguments of both, the value of the first where both have one."""
    left, right = (at.value(one, scope) for one in arguments)
    why = "a function is needed"

    def either(f: n.Node) -> n.Node:
        return at.terms.cases(right, lambda g: _merged(at, f, g), is_function, why)

    return at.terms.cases(left, either, is_function, why)


def _merged(at: Lowering, left: n.Node, right: n.Node) -> n.Node:
    t = at.terms
    if EMPTY_FUNCTION in (left.type, right.type):
        empty, other = (right, left) if right.type == EMPTY_FUNCTION else (left, right)
        return t.once_defined([empty], other)
    if isinstance(right.type, Slots) or isinstance(left.type, Slots):
        return slots.merged(t, left, right)
    kinds = {type(left.type), type(right.type)}
    if Graph in kinds and (Map in kinds or isinstance(shapes.join(left.type, right.type), Graph)):
        return t.merged(left, right)
    pairs: dict[object, tuple[n.Const, n.Node]] = {}
    for function in (right, left):
        keys = t.elements(t.domain(function))
        if keys is None:
            break
        for key in keys:
            assert isinstance(key, n.Const)
            pairs[key.value] = (key, t.apply(function, key))
    else:
        return t.function(list(pairs.values()))
    first = t.domain(left)

    def value(x: n.Node) -> n.Node:
        return t.ite(t.among(x, first), t.apply(left, x), t.apply(right, x))

    return at.function(t.both_sets(n.SetUnion, first, t.domain(right)), "x", value)


def _assert(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    failed = at.terms.undefined(at.terms.boolean(True).type, "the assertion fails")
    return at.terms.ite(at.truth(arguments[0], scope), at.terms.boolean(True), failed)


def _named(t: Terms, name: n.Node) -> n.Node:
    if not isinstance(name, n.Const) or not shapes.is_string(str(name.value)):
        raise Unlowerable("the name of a model value is no constant")
    return t.atom(shapes.unquoted(name.value))


def _written(t: Terms, value: n.Node) -> n.Node:
    """The string that ToString writes for a number."""
    kind = value.type
    if not isinstance(kind, Int) or kind.cardinality > _MOST_KEYS:
        raise Unlowerable(f"ToString has no symbolic form but of {_MOST_KEYS} numbers at most")
    cases = [(t.integer(x), t.atom(shapes.quoted(str(x)))) for x in range(kind.low, kind.high + 1)]
    return _by_cases(value, cases, t)


def _divided(t: Terms, a: n.Node, b: n.Node) -> n.Node:
    a, b = t.number(a), t.number(b)
    assert isinstance(b.type, Int)
    if b.type.low >= 0:
        return t.arithmetic(n.Div, a, b)
    zero = t.integer(0)
    turned = t.arithmetic(n.Div, t.arithmetic(n.Sub, zero, a), t.arithmetic(n.Sub, zero, b))
    return t.ite(t.lt(b, zero), turned, t.arithmetic(n.Div, a, b))


def _is_finite(at: Lowering, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
    domain = at.domain(arguments[0], scope)
    return at.terms.once_defined(
        map(at.terms.set_node, listed_parts(domain)), at.terms.boolean(_finite(domain))
    )


def _finite(domain: Domain) -> bool:
    match domain:
        case Numbers() | Everything() | Sequences():
            return False
        case PowerSet(item=item):
            return _finite(item)
        case Filtered(whole=whole) | Spread(whole=whole):
            return _finite(whole)
        case United(parts=parts) | Product(parts=parts):
            return all(map(_finite, parts))
    return True


NAMES: dict[str, Callable[[Lowering], Entity]] = {
    "TRUE": lambda at: at.terms.boolean(True),
    "FALSE": lambda at: at.terms.boolean(False),
    "BOOLEAN": lambda at: at.terms.set_of([at.terms.boolean(False), at.terms.boolean(True)]),
    "STRING": lambda at: Everything(strings=True),
    "Any": lambda at: Everything(strings=False),
    "Nat": lambda at: Numbers(0),
    "Int": lambda at: Numbers(None),
}
"""The operators without arguments."""

OPERATORS: dict[str, Rule] = {
    "/\\": _conjunction(True),
    "\\/": _conjunction(False),
    EACH["\\/"]: _each_disjunct,
    "~": _of_nodes(Terms.negation),
    "=>": _implies,
    "<=>": _of_nodes(lambda t, a, b: t.equal(t.truth(a), t.truth(b))),
    "=": _of_nodes(Terms.equal),
    "#": _of_nodes(lambda t, a, b: t.negation(t.equal(a, b))),
    "\\in": _member,
    "\\notin": lambda at, arguments, scope: at.terms.negation(_member(at, arguments, scope)),
    "\\subseteq": _subset,
    "\\cup": _union,
    "\\cap": _restricted(n.SetIntersect),
    "\\": _restricted(n.SetMinus),
    "SUBSET": lambda at, arguments, scope: PowerSet(at.domain(arguments[0], scope)),
    "UNION": _big_union,
    "\\X": lambda at, arguments, scope: at.product([at.domain(one, scope) for one in arguments]),
    "DOMAIN": _of_nodes(Terms.domain),
    "'": lambda at, arguments, scope: at.next_value(arguments[0], scope),
    "UNCHANGED": _unchanged,
    "ENABLED": _enabled,
    "+": _of_nodes(lambda t, a, b: t.arithmetic(n.Add, a, b)),
    "-": _of_nodes(lambda t, a, b: t.arithmetic(n.Sub, a, b)),
    "*": _of_nodes(lambda t, a, b: t.arithmetic(n.Mul, a, b)),
    "\\div": _of_nodes(_divided),
    "%": _of_nodes(lambda t, a, b: t.arithmetic(n.Mod, a, b)),
    "^": _of_nodes(Terms.power),
    "-.": _of_nodes(lambda t, a: t.arithmetic(n.Sub, t.integer(0), a)),
    "<": _of_nodes(Terms.lt),
    ">": _of_nodes(lambda t, a, b: t.lt(b, a)),
    "<=": _of_nodes(Terms.le),
    ">=": _of_nodes(lambda t, a, b: t.le(b, a)),
    "..": _of_nodes(Terms.interval),
    "Seq": lambda at, arguments, scope: Sequences(at.domain(arguments[0], scope)),
    "Len": _of_nodes(_length),
    "Head": _of_nodes(lambda t, whole: t.once_defined([t.length(whole)], t.item(whole, 1))),
    "Tail": _of_nodes(_tail),
    "Append": _of_nodes(lambda t, whole, item: t.concat(whole, t.make_tuple([item]))),
    "\\o": _of_nodes(_concat),
    "SubSeq": _of_nodes(_slice),
    "SelectSeq": _selected,
    "SortSeq": _sorted,
    "FoldInOrder": _folded,
    "Cardinality": _of_nodes(Terms.cardinality),
    "IsFiniteSet": _is_finite,
    ":>": _of_nodes(_arrow),
    "@@": _over,
    "Assert": _assert,
    "Print": lambda at, arguments, scope: at.entity(arguments[1], scope),
    "PrintT": lambda at, arguments, scope: at.terms.boolean(True),
    # A register is read by TLCGet, which has no symbolic form.
    "TLCSet": lambda at, arguments, scope: at.terms.boolean(True),
    "TLCEval": lambda at, arguments, scope: at.entity(arguments[0], scope),
    "TLCModelValue": _of_nodes(_named),
    "ToString": _of_nodes(_written),
}
"""The operators with arguments."""
