"""The coercion of Python values to expressions, and the conversions between types."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.errors import Mistake
from leadline.symbolic.lang.span import Span, caller_place, caller_span
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.types import Atoms, Bool, Int, Named, Never, Option, Type
from leadline.symbolic.lang.values import in_tla

BOOL = Bool()
NEVER = Never()


class Wrapped:
    """A node behind the operators that a model's author uses."""

    __slots__ = ("node",)
    node: n.Node

    def _as(self, expected: Type | None) -> n.Node:
        """The expression for a value of that type, before any conversion."""
        raise NotImplementedError


class Untyped(Wrapped):
    """An expression with literals in it that are read anew once their type is known."""


class OverRuns:
    """A formula about runs, which has no value in one state: see `leadline.symbolic.lang.temporal`."""


def invalid(text: str, *parts: n.Node, type_: Type = NEVER, span: Span | None = None) -> n.Node:
    """A mistake, kept in the expression's place (and the mistakes of its parts with it)."""
    place = span or caller_place()
    # A mistake inside a mistake is reported once, at its root.
    return wrong_part(parts) or n.make(n.Invalid, type_, place, text, place, parts)


def fits(source: Type, target: Type) -> bool:
    """Whether values of the source have the target's shape, bounds of integers and capacities aside."""
    if isinstance(source, Never) or source == target:
        return True
    if isinstance(target, Option):
        return fits(source.item if isinstance(source, Option) else source, target.item)
    if type(source) is not type(target):
        return False
    match source, target:
        case (Int(), Int()) | (Atoms(), Atoms()):
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
    if isinstance(node, n.Const):
        if target.contains(node.value):
            return n.make(n.Const, target, node.span, node.value)
        shown = in_tla(node.type, node.value)
        return invalid(f"{shown} can never be in {target!r}: widen the range or mend the value", node)
    return n.make(n.Coerce, target, node.span, node)


def _clash(node: n.Node, target: Type) -> str:
    if node.type == Option(NEVER):
        return f"type clash: a value of {target!r} is needed, and this is None"
    text = f"type clash: a value of {target!r} is needed, and this is of {node.type!r}"
    if isinstance(node.type, Option) and fits(node.type.item, target):
        return f"{text}; read the option's value with .value, after a guard that it is not None"
    return text


def as_node(value: object, expected: Type | None = None) -> n.Node:
    """A Python value, expression or type as a node.

    Args:
        value: an expression; a bool, int or str; None; a dict (a record's fields or a map), tuple or list
            (a tuple or a sequence), set or frozenset, of such values; or a type, for the set of its values.
        expected: the type that the place wants. A string, None or a container needs one.

    Returns:
        A node of the expected type, or an `Invalid` node with the mistake.
    """
    if isinstance(value, Wrapped):
        node = value._as(expected)
    elif isinstance(value, n.Node):
        node = value
    elif isinstance(value, Type):
        node = n.make(n.Universe, Set(value), caller_span())
    else:
        node = _literal(value, expected)
    return coerce(node, expected) if expected is not None else node


def _literal(value: object, expected: Type | None) -> n.Node:
    span = caller_span()
    if isinstance(expected, Option):
        if value is None:
            return n.make(n.Const, expected, span, None)
        return _literal(value, expected.item)
    match value:
        case bool():
            return n.make(n.Const, BOOL, span, value)
        case int():
            return n.make(n.Const, Int(int(value), int(value)), span, int(value))
        case str():
            return _member(str(value), expected, span)
        case None:
            return n.make(n.Const, Option(NEVER), span, None)
        case set() | frozenset():
            return _set_literal(value, expected, span)
        case dict():
            return _mapping_literal(value, expected, span)
        case tuple() | list():
            return _sequence_literal(value, expected, span)
        case OverRuns():
            text = "a formula about runs has no value in one state: combine such formulas with &, |, ~, "
            return invalid(f"{text}.implies, for_each and for_some")
    if isinstance(value, float):
        return invalid(f"numbers are integers, and this is {value!r}: write // for the quotient rounded down")
    return invalid(f"a {type(value).__name__} is not a value of the language: {value!r}")


def _member(value: str, expected: Type | None, span: Span) -> n.Node:
    if isinstance(expected, Named):
        if expected.contains(value):
            return n.make(n.Const, expected, span, value)
        return invalid(f"{value!r} is not a member of {expected!r}; it has {', '.join(expected.members)}")
    if expected is not None:
        return invalid(f"type clash: a value of {expected!r} is needed, and this is the string {value!r}")
    return invalid(
        f"the string {value!r} has no type here: write of(E, {value!r}), where E is its enumeration"
    )


def _set_literal(value: Collection[Any], expected: Type | None, span: Span) -> n.Node:
    item = expected.item if isinstance(expected, Set) else None
    texts = sorted(x for x in value if isinstance(x, str))
    if expected is None and texts:
        shown = ", ".join(map(repr, texts))
        text = (
            f"the strings {shown} have no type here: write of(Set(E), {shown}), where E is their enumeration"
        )
        return invalid(text)
    # Sorted, since the order of a Python set of strings differs from process to process.
    return set_of([as_node(x, item) for x in sorted(value, key=repr)], span, item)


def _mapping_literal(value: Mapping[Any, Any], expected: Type | None, span: Span) -> n.Node:
    if isinstance(expected, Record):
        return make_record(expected, value, span)
    if isinstance(expected, Map):
        return _map_literal(value, expected, span)
    if expected is not None:
        return invalid(f"type clash: a value of {expected!r} is needed, and this is a dict")
    return invalid(
        "a dict is a record or a map, and none is expected here: write of(T, ...), where T is its type"
    )


def _map_literal(value: Mapping[Any, Any], kind: Map, span: Span) -> n.Node:
    missing = [key for key in kind.keys if key not in value]
    extra = [key for key in value if not kind.key.contains(key)]
    if missing or extra:
        told = [f"missing {', '.join(map(str, missing))}"] if missing else []
        told += [f"unknown {', '.join(map(str, extra))}"] if extra else []
        return invalid(f"a {kind!r} needs exactly its keys: {'; '.join(told)}")
    nodes = tuple(as_node(value[key], kind.value) for key in kind.keys)
    if bad := wrong_part(nodes):
        return bad
    if nodes and not kind.value.capped:
        return invalid(f"{kind.value!r} has no values, so no map to it can be written")
    # Where an item is no constant, any value does until the update below.
    start = tuple(node.value if isinstance(node, n.Const) else kind.value.first for node in nodes)
    whole: n.Node = n.make(n.Const, kind, span, start)
    for key, node in zip(kind.keys, nodes, strict=True):
        if not isinstance(node, n.Const):
            whole = n.make(n.MapUpdate, kind, span, whole, n.make(n.Const, kind.key, span, key), node)
    return whole


def _sequence_literal(value: Collection[Any], expected: Type | None, span: Span) -> n.Node:
    if isinstance(expected, Seq):
        items = tuple(as_node(x, expected.item) for x in value)
        if len(items) > expected.capacity:
            return invalid(f"{len(items)} items do not fit into {expected!r}", *items)
        return whole_of(n.MakeSeq, expected, span, items)
    if expected is None or (isinstance(expected, Tuple) and len(expected.items) == len(value)):
        wanted = expected.items if isinstance(expected, Tuple) else [None] * len(value)
        items = tuple(as_node(x, part) for x, part in zip(value, wanted, strict=True))
        return whole_of(n.MakeTuple, Tuple(tuple(item.type for item in items)), span, items)
    what = "list" if isinstance(value, list) else "tuple"
    return invalid(f"type clash: a value of {expected!r} is needed, and this is a {what} of {len(value)}")


def mistakes_of(*roots: n.Node) -> list[Mistake]:
    """The mistakes that coercion and the type rules left in the expressions."""
    return [Mistake(x.mistake_span, x.mistake) for x in n.postorder(*roots) if isinstance(x, n.Invalid)]


def wrong_part(parts: tuple[n.Node, ...]) -> n.Node | None:
    """The mistake among the parts, if any; one that holds all of them if there are several."""
    wrong = tuple(dict.fromkeys(part for part in parts if isinstance(part, n.Invalid)))
    if len(wrong) < 2:
        return wrong[0] if wrong else None
    first = wrong[0]
    return n.make(n.Invalid, NEVER, first.span, first.mistake, first.mistake_span, wrong)


def whole_of(kind: type[n.Node], type_: Type, span: Span, items: tuple[n.Node, ...]) -> n.Node:
    """A tuple, record, sequence or set of its items: a constant if they all are."""
    if bad := wrong_part(items):
        return bad
    values = [item.value for item in items if isinstance(item, n.Const)]
    if len(values) < len(items):
        return n.make(kind, type_, span, items)
    return n.make(n.Const, type_, span, frozenset(values) if kind is n.SetOf else tuple(values))


def join_all(nodes: list[n.Node]) -> Type | None:
    """The least type that holds the values of all nodes."""
    joined: Type | None = NEVER
    for node in nodes:
        joined = joined.join(node.type) if joined is not None else None
    return joined


def set_of(nodes: list[n.Node], span: Span, expected: Type | None = None) -> n.Node:
    """The set of the nodes' values, its items of the expected type or of the least one that holds all."""
    item = expected if expected is not None else join_all(nodes)
    if item is None:
        types = ", ".join(sorted({repr(node.type) for node in nodes}))
        return invalid(f"type clash: the items of a set are of different types: {types}", *nodes)
    items = tuple(coerce(node, item) for node in nodes)
    return whole_of(n.SetOf, Set(item), span, items)


def make_record(kind: Record, values: Mapping[str, Any], span: Span) -> n.Node:
    """A record of the type from its fields by name."""
    missing = [name for name in kind.positions if name not in values]
    unknown = [name for name in values if name not in kind.positions]
    if missing or unknown:
        told = [f"missing {', '.join(missing)}"] if missing else []
        told += [f"unknown {', '.join(unknown)}"] if unknown else []
        return invalid(f"{kind!r} has the fields {', '.join(kind.positions)}: {'; '.join(told)}")
    items = tuple(as_node(values[name], part) for name, part in kind.fields)
    return whole_of(n.MakeRecord, kind, span, items)
