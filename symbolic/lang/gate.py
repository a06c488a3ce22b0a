"""The one gate from Python values to expressions, and the conversions between types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.span import Span, caller_span
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.types import Bool, Int, Named, Never, Option, Type

BOOL = Bool()
NEVER = Never()


class Expr:
    """An expression as a model's author handles it; operators build larger ones. `node` is the data."""

    __slots__ = ("node",)
    node: n.Node

    def __init__(self, node: n.Node) -> None:
        object.__setattr__(self, "node", node)


def invalid(text: str, *parts: n.Node, type_: Type = NEVER, span: Span | None = None) -> n.Node:
    """A mistake, kept in the expression's place (and the mistakes of its parts with it)."""
    place = span or caller_span()
    wrong = tuple(part for part in parts if isinstance(part, n.Invalid))
    # A mistake inside a mistake is told once, at its root.
    return wrong[0] if wrong else n.make(n.Invalid, type_, place, text, place, parts)


def fits(source: Type, target: Type) -> bool:
    """Whether values of the source have the target's shape, bounds of integers and capacities aside."""
    if isinstance(source, Never) or source == target:
        return True
    if isinstance(target, Option):
        return fits(source.item if isinstance(source, Option) else source, target.item)
    if type(source) is not type(target):
        return False
    match source, target:
        case Int(), Int():
            return True
        case Named(), Named():
            return False
        case Record(), Record() if tuple(source.positions) != tuple(target.positions):
            return False
        case Union(), Union() if source.tags.members != target.tags.members:
            return False
        case Map(), Map() if source.key != target.key:
            return False
    inner, outer = source.parts, target.parts
    return len(inner) == len(outer) and all(fits(a, b) for a, b in zip(inner, outer, strict=True))


def coerce(node: n.Node, target: Type) -> n.Node:
    """The expression as one of the target type; a mistake if the shapes differ."""
    if node.type == target or isinstance(node, n.Invalid):
        return node
    if not fits(node.type, target):
        return invalid(_clash(node, target), node)
    if isinstance(node, n.Const) and isinstance(node.type, Int) and not target.contains(node.value):
        return invalid(f"{node.value} can never be in {target!r}: widen the range or mend the value", node)
    if isinstance(node, n.Const) and target.contains(node.value):
        return n.make(n.Const, target, node.span, node.value)
    return n.make(n.Coerce, target, node.span, node)


def _clash(node: n.Node, target: Type) -> str:
    text = f"type clash: a value of {target!r} is needed, and this is of {node.type!r}"
    if isinstance(node.type, Option) and fits(node.type.item, target):
        return f"{text}; read the option's value with .value, after a guard that it is not None"
    return text


def as_node(value: Any, expected: Type | None = None) -> n.Node:
    """A Python value, expression or type as a node.

    Args:
        value: an expression; a bool, int or str; None; a dict (a record's fields or a map), tuple or list
            (a tuple or a sequence), set or frozenset, of such values; or a type, for the set of its values.
        expected: the type that the place wants. A string, None or a container needs one.

    Returns:
        A node of the expected type, or an `Invalid` node that says what is wrong.
    """
    if isinstance(value, Expr):
        node = value.node
    elif isinstance(value, n.Node):
        node = value
    elif isinstance(value, Type):
        node = n.make(n.Universe, Set(value), caller_span())
    else:
        node = _literal(value, expected)
    return coerce(node, expected) if expected is not None else node


def _literal(value: Any, expected: Type | None) -> n.Node:
    span = caller_span()
    if isinstance(expected, Option):
        if value is None:
            return n.make(n.Const, expected, span, None)
        return _literal(value, expected.item)
    match value:
        case bool():
            return n.make(n.Const, BOOL, span, value)
        case int():
            return n.make(n.Const, Int(value, value), span, value)
        case str():
            return _member(value, expected, span)
        case None:
            return n.make(n.Const, Option(NEVER), span, None)
        case set() | frozenset():
            return _set_literal(value, expected, span)
        case dict():
            return _mapping_literal(value, expected, span)
        case tuple() | list():
            return _sequence_literal(value, expected, span)
    return invalid(f"a {type(value).__name__} is not a value of the language: {value!r}")


def _member(value: str, expected: Type | None, span: Span) -> n.Node:
    if isinstance(expected, Named):
        if expected.contains(value):
            return n.make(n.Const, expected, span, value)
        return invalid(f"{value!r} is not a member of {expected!r}; it has {', '.join(expected.members)}")
    if expected is not None:
        return invalid(f"type clash: a value of {expected!r} is needed, and this is the string {value!r}")
    return invalid(f"the string {value!r} has no type here: write of(TheEnumeration, {value!r})")


def _set_literal(value: Any, expected: Type | None, span: Span) -> n.Node:
    item = expected.item if isinstance(expected, Set) else None
    nodes = sorted((as_node(x, item) for x in value), key=repr)
    return set_of(nodes, span)


def _mapping_literal(value: Mapping[Any, Any], expected: Type | None, span: Span) -> n.Node:
    if isinstance(expected, Record):
        return make_record(expected, value, span)
    if isinstance(expected, Map):
        missing = [key for key in expected.keys if key not in value]
        extra = [key for key in value if not expected.key.contains(key)]
        if missing or extra:
            return invalid(f"a {expected!r} needs exactly its keys: missing {missing}, unknown {extra}")
        whole = n.make(n.Const, expected, span, tuple(next(expected.value.values()) for _ in expected.keys))
        for key in expected.keys:
            node = as_node(value[key], expected.value)
            if isinstance(node, n.Invalid):
                return node
            whole = n.make(n.MapUpdate, expected, span, whole, as_node(key, expected.key), node)
        return whole
    return invalid("a dict is a record or a map, and none is expected here: write of(TheType, ...)")


def _sequence_literal(value: Any, expected: Type | None, span: Span) -> n.Node:
    if isinstance(expected, Seq):
        items = tuple(as_node(x, expected.item) for x in value)
        if len(items) > expected.capacity:
            return invalid(f"{len(items)} items do not fit into {expected!r}", *items)
        return wrong_part(items) or n.make(n.MakeSeq, expected, span, items)
    if expected is None or (isinstance(expected, Tuple) and len(expected.items) == len(value)):
        wanted = expected.items if isinstance(expected, Tuple) else [None] * len(value)
        items = tuple(as_node(x, part) for x, part in zip(value, wanted, strict=True))
        kind = Tuple(tuple(item.type for item in items))
        return wrong_part(items) or n.make(n.MakeTuple, kind, span, items)
    return invalid(f"type clash: {expected!r} is needed, and this has {len(value)} items")


def wrong_part(parts: tuple[n.Node, ...]) -> n.Node | None:
    """The first part that is a mistake, if any."""
    return next((part for part in parts if isinstance(part, n.Invalid)), None)


def join_all(nodes: list[n.Node]) -> Type | None:
    """The least type that holds the values of all nodes."""
    joined: Type | None = NEVER
    for node in nodes:
        joined = joined.join(node.type) if joined is not None else None
    return joined


def set_of(nodes: list[n.Node], span: Span) -> n.Node:
    """The set of the nodes' values."""
    item = join_all(nodes)
    if item is None:
        types = ", ".join(sorted({repr(node.type) for node in nodes}))
        return invalid(f"type clash: the items of a set are of different types: {types}", *nodes)
    items = tuple(coerce(node, item) for node in nodes)
    return wrong_part(items) or n.make(n.SetOf, Set(item), span, items)


def make_record(kind: Record, values: Mapping[str, Any], span: Span) -> n.Node:
    """A record of the type from its fields by name."""
    missing = [name for name in kind.positions if name not in values]
    unknown = [name for name in values if name not in kind.positions]
    if missing or unknown:
        told = [f"missing {', '.join(missing)}"] if missing else []
        told += [f"unknown {', '.join(unknown)}"] if unknown else []
        return invalid(f"a {kind!r} has the fields {', '.join(kind.positions)}: {'; '.join(told)}")
    items = tuple(as_node(values[name], part) for name, part in kind.fields)
    return wrong_part(items) or n.make(n.MakeRecord, kind, span, items)
