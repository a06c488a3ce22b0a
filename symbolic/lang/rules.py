"""The type rules: from operands to a typed node, or to an `Invalid` one with the mistake."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.coercion import (
    BOOL as BOOL,
    Untyped,
    as_node,
    coerce,
    invalid,
    join_all,
    set_of,
    wrong_part,
)
from leadline.symbolic.lang.nodes import Binary, binder_height, replaced
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Map, Seq, Set
from leadline.symbolic.lang.types import Bool, Int, Named, Sort, Type, Value

_fresh = itertools.count(1)


def boolean(value: object) -> n.Node:
    """The operand as a Bool."""
    return as_node(value, BOOL)


def integer(value: object) -> n.Node:
    """The operand as an integer of whatever range."""
    node = as_node(value)
    if isinstance(node, n.Invalid) or isinstance(node.type, Int):
        return node
    if isinstance(node.type, Sort):
        return invalid(f"the members of the sort {node.type!r} have no order and no arithmetic", node)
    return invalid(f"type clash: an integer is needed, and this is of {node.type!r}", node)


def a_set(value: object) -> n.Node:
    """The operand as a set: a set expression, a type (all its values) or a Python collection."""
    node = literal_set(value, None)
    if isinstance(node, n.Invalid) or isinstance(node.type, Set):
        return node
    repair = ""
    if isinstance(node.type, (Bool, Int)):
        repair = ": `&`, `|` and `-` bind tighter than comparisons, so write (a == b) & c"
    elif isinstance(node.type, Seq):
        repair = ": write .items() for the set of its items, .places for that of its places"
    elif isinstance(node.type, Map):
        repair = (
            ": write .range for the set of its values; a set of functions is the type Map(K, V), with a "
            "guard forall(K, lambda k: f[k].is_in(...)) where the values come from sets in the state"
        )
    return invalid(f"type clash: a set is needed, and this is of {node.type!r}{repair}", node)


def literal_set(value: object, item: Type | None) -> n.Node:
    """A list, tuple or set, possibly of expressions, as a set node. Other values are returned unchanged."""
    if isinstance(value, (list, tuple)):
        return set_of([as_node(x, item if needs_type(x) else None) for x in value], caller_span())
    if isinstance(value, (set, frozenset)) and item is not None:
        return as_node(value, Set(item))
    return as_node(value)


def connective(kind: type[n.And] | type[n.Or], values: Sequence[object]) -> n.Node:
    """A conjunction or disjunction of any number of operands, flattened and without constants.

    Nothing that could go out of bounds is dropped: only what comes after a deciding constant, which is
    never evaluated.
    """
    items: list[n.Node] = []
    for value in values:
        node = boolean(value)
        items.extend(node.items if isinstance(node, kind) else (node,))
    if bad := wrong_part(tuple(items)):
        return bad
    decides = as_node(kind is n.Or)
    if decides in items:
        del items[items.index(decides) + 1 :]
    neutral = as_node(kind is n.And)
    items = [item for item in items if item is not neutral]
    if len(items) < 2:
        return items[0] if items else neutral
    return n.make(kind, BOOL, caller_span(), tuple(items))


def negation(value: object) -> n.Node:
    """Negation."""
    node = boolean(value)
    if isinstance(node, n.Invalid):
        return node
    if isinstance(node, n.Const):
        return as_node(not node.value)
    return node.item if isinstance(node, n.Not) else n.make(n.Not, BOOL, caller_span(), node)


def implication(premise: object, conclusion: object) -> n.Node:
    """Implication."""
    parts = (boolean(premise), boolean(conclusion))
    if bad := wrong_part(parts):
        return bad
    if isinstance(parts[0], n.Const):
        return parts[1] if parts[0].value else as_node(True)
    return n.make(n.Implies, BOOL, caller_span(), *parts)


def same_type(left: object, right: object, what: str) -> tuple[n.Node, n.Node] | n.Node:
    """Both operands as values of their least common type, or the mistake."""
    a = as_node(left)
    if isinstance(a, n.Invalid) and needs_type(right):
        return a  # There is no type to read the other one by.
    b = as_node(right, a.type if needs_type(right) else None)
    if bad := wrong_part((a, b)):
        return bad
    joined = join_all([a, b])
    if joined is None:
        return invalid(f"type clash: {what} {a.type!r} and {b.type!r}", a, b)
    return coerce(a, joined), coerce(b, joined)


def needs_type(value: object) -> bool:
    """Whether a Python value can only be read once its type is known."""
    return isinstance(value, (str, dict, list, tuple, set, frozenset, Untyped))


def equality(left: object, right: object) -> n.Node:
    """Equality."""
    pair = same_type(left, right, "equality of")
    return pair if isinstance(pair, n.Node) else n.make(n.Eq, BOOL, caller_span(), *pair)


def if_then_else(condition: object, then: object, orelse: object) -> n.Node:
    """If-then-else over the least common type of the arms."""
    if needs_type(then) and not needs_type(orelse):
        other = as_node(orelse)
        then = other if isinstance(other, n.Invalid) else as_node(then, other.type)
    test = boolean(condition)
    pair = same_type(then, orelse, "the arms of a condition are of")
    if isinstance(pair, n.Node):
        return wrong_part((test, pair)) or pair
    if bad := wrong_part((test, *pair)):
        return bad
    if isinstance(test, n.Const):
        return pair[0] if test.value else pair[1]
    return n.make(n.Ite, pair[0].type, caller_span(), test, *pair)


def comparison(kind: type[n.Lt] | type[n.Le], left: object, right: object) -> n.Node:
    """The type rule of `<`, `<=`, `>` and `>=`: both sides are integers. Sorts and enumerations have no order."""
    for operand in (left, right):
        node = as_node(operand) if not isinstance(operand, str) else None
        if node is not None and isinstance(node.type, Named):
            what = "sort" if isinstance(node.type, Sort) else "enumeration"
            return invalid(
                f"values of the {what} {node.type!r} have no order: compare with == or !=, "
                "or keep a number beside it",
                node,
            )
    parts = (integer(left), integer(right))
    return wrong_part(parts) or n.make(kind, BOOL, caller_span(), *parts)


def arithmetic(kind: type[Binary], left: object, right: object) -> n.Node:
    """A sum, difference, product, quotient or remainder, its range derived from its operands'."""
    a, b = integer(left), integer(right)
    if bad := wrong_part((a, b)):
        return bad
    assert isinstance(a.type, Int) and isinstance(b.type, Int)
    low, high = b.type.low, b.type.high
    if kind in (n.Div, n.Mod):
        if high < 1:
            return invalid(f"the divisor is in {b.type!r}, never positive", a, b)
        low = max(1, low)
    if kind is n.Mod:
        return n.make(kind, Int(0, high - 1), caller_span(), a, b)
    rule: Callable[[int, int], int] = _RULES[kind]
    corners = [rule(x, y) for x in (a.type.low, a.type.high) for y in (low, high)]
    return n.make(kind, Int(min(corners), max(corners)), caller_span(), a, b)


_RULES: dict[type[Binary], Callable[[int, int], int]] = {
    n.Add: lambda x, y: x + y,
    n.Sub: lambda x, y: x - y,
    n.Mul: lambda x, y: x * y,
    n.Div: lambda x, y: x // y,
}


def bound_names(function: Callable[..., object]) -> list[str]:
    """The names that a binder's function gives its arguments; one with a default (`k=k`) is not bound."""
    arguments = inspect.signature(function).parameters.values()
    return [x.name for x in arguments if x.default is x.empty and x.kind is not x.KEYWORD_ONLY]


def bind(
    kind: type[n.Node],
    over: n.Node | Type,
    name: str,
    body_of: Callable[[n.Bound], object],
    result: Callable[[n.Node], Type] | None = None,
    *,
    expected: Type | None = None,
    order: tuple[Value, ...] = (),
) -> n.Node:
    """A binder: its variable is given a level that no binder inside the body uses.

    So two binders that differ only in when they were written are one node, and substituting a variable
    can never capture another.

    Args:
        kind: its kind.
        over: a set or a sequence; of `MapBuild` the type of its keys.
        name: the name of its variable.
        body_of: its body.
        result: its type, given its body; by default that of its kind.
        expected: the type of the body, if one is expected.
        order: that of a choice.
    """
    span = caller_span()
    item, domain = (item_of(over), (over,)) if isinstance(over, n.Node) else (over, ())
    fresh = n.make(n.Bound, item, span, name, -next(_fresh))
    body = as_node(body_of(fresh), BOOL if kind in _PREDICATES else expected)
    if bad := wrong_part((*domain, body)):
        return bad
    var = n.make(n.Bound, item, span, name, binder_height(body) + 1)
    orders = (order,) if kind is n.Choose else ()
    type_ = _type_of_binder(kind, over, body) if result is None else result(body)
    return n.make(kind, type_, span, var, *domain, replaced(body, {fresh: var}), *orders)


def item_of(node: n.Node) -> Type:
    """The type of the members of a set, or of the items of a sequence."""
    assert isinstance(node.type, Set | Seq)
    return node.type.item


def _type_of_binder(kind: type[n.Node], over: n.Node | Type, body: n.Node) -> Type:
    if isinstance(over, Type):
        return Map(over, body.type)
    if kind is n.SetMap:
        return Set(body.type)
    return BOOL if kind in (n.Forall, n.Exists) else item_of(over) if kind is n.Choose else over.type


_PREDICATES = (n.Forall, n.Exists, n.Choose, n.SetFilter, n.SeqFilter)


def set_operation(kind: type[Binary], left: object, right: object) -> n.Node:
    """Union, intersection, difference, or inclusion."""
    a = a_set(left)
    if isinstance(a, n.Invalid) and needs_type(right):
        return a
    b = a_set(literal_set(right, a.type.item if isinstance(a.type, Set) else None))
    if bad := wrong_part((a, b)):
        return bad
    joined = a.type.join(b.type)
    if joined is None:
        return invalid(f"type clash: sets of {a.type!r} and {b.type!r}", a, b)
    result = {n.SetUnion: joined, n.Subset: BOOL}.get(kind, a.type)
    return n.make(kind, result, caller_span(), a, b)


def membership(element: object, domain: object) -> n.Node:
    """Whether the element is in the set."""
    if isinstance(domain, (set, frozenset, list, tuple)) and not needs_type(element):
        # Sorted, since the order of a Python set of strings differs from process to process.
        listed = sorted(domain, key=repr) if isinstance(domain, (set, frozenset)) else domain
        domain = literal_set(listed, as_node(element).type)
    b = a_set(domain)
    if isinstance(b, n.Invalid):
        return b
    assert isinstance(b.type, Set)
    a = as_node(element, b.type.item if needs_type(element) else None)
    if isinstance(a, n.Invalid):
        return a
    joined = a.type.join(b.type.item)
    if joined is None:
        return invalid(f"type clash: {a.type!r} cannot be a member of {b.type!r}", a, b)
    return n.make(n.Member, BOOL, caller_span(), coerce(a, joined), b)


def extreme(kind: type[n.Node], domain: object) -> n.Node:
    """The least or greatest element of a set of integers."""
    node = a_set(domain)
    if isinstance(node, n.Invalid):
        return node
    assert isinstance(node.type, Set)
    if not isinstance(node.type.item, Int):
        return invalid(f"min and max need a set of integers, and this is a {node.type!r}", node)
    return n.make(kind, node.type.item, caller_span(), node)


def concat(left: n.Node, right: object) -> n.Node:
    """Two sequences one after the other."""
    assert isinstance(left.type, Seq)
    b = (
        as_node(right, Seq(left.type.item, len(right)))
        if isinstance(right, (list, tuple))
        else as_node(right)
    )
    if bad := wrong_part((left, b)):
        return bad
    item = left.type.item.join(b.type.item) if isinstance(b.type, Seq) else None
    if item is None or not isinstance(b.type, Seq):
        return invalid(f"type clash: {left.type!r} and {b.type!r} do not make one sequence", left, b)
    whole = Seq(item, left.type.capacity + b.type.capacity)
    return n.make(n.Concat, whole, caller_span(), left, b)


def map_at(map_: n.Node, key: object) -> tuple[n.Node, Type]:
    """The key of a map as a node of the key type, and the type of the values."""
    assert isinstance(map_.type, Map)
    return as_node(key, map_.type.key), map_.type.value
