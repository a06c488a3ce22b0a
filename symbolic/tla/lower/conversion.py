"""Values of one type as values of a type of another structure: boxed in a union, as a sequence, as a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.symbolic.lang import (
    BOOL,
    Graph,
    Int,
    Listed,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Slots,
    Tuple,
    Type,
    Union,
    nodes as n,
)
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.builder import body_at

if TYPE_CHECKING:
    from leadline.symbolic.tla.lower.terms import Terms


def restructured(t: Terms, node: n.Node, source: Type, target: Type) -> n.Node:
    match source, target:
        case (Option(), _) | (_, Option()):
            return _option_as(t, node, source, target)
        case Union(), _:
            return _from_union(t, node, source, target)
        case _, Union():
            return _boxed(t, node, target)
        case Slots(), Set():
            return t.convert(t.set_node(node), target)
        case Graph(), _:
            return _graph_as(t, node, target)
        case Set(), Set():
            return _set_as(t, node, target)
        case Tuple(), Tuple() if len(source.items) == len(target.items):
            return t.make_tuple(
                [t.convert(x, kind) for x, kind in zip(t.components(node), target.items, strict=True)]
            )
        case Record(), Record() if list(source.positions) == list(target.positions):
            parts = [t.convert(x, kind) for x, kind in zip(t.components(node), target.parts, strict=True)]
            return t.make(n.MakeRecord, target, tuple(parts))
        case Tuple(), Seq() if len(source.items) <= target.capacity:
            return t.sequence([t.convert(x, target.item) for x in t.components(node)], target)
        case Seq(), (Seq() | Tuple()):
            return _sequence_as(t, node, source, target)
        case Tuple(items=()), Graph():
            return t.const(target, frozenset())
        case Map(), Graph():
            return _pairs_of(t, node, target)
        case Tuple(items=()), Map(value=Option()):
            return t.const(target, (None,) * len(target.keys))
        case Map(), Map():
            return _map_as(t, node, source, target)
        case ((Seq() | Tuple()), Map(key=Int(), value=Option())):
            return _sequence_as_map(t, node, target)
        case Map(key=Int()), Tuple():
            sequence = shapes.sequence_of(target)
            return t.convert(_map_as_sequence(t, node, source, sequence), target)
        case Map(key=Int()), Seq():
            return _map_as_sequence(t, node, source, target)
    return t.undefined(target, f"a value of {source!r} is outside of {target!r}")


def _option_as(t: Terms, node: n.Node, source: Type, target: Type) -> n.Node:
    if not isinstance(source, Option):
        assert isinstance(target, Option)
        return t.some(t.convert(node, target.item), target)
    given = t.make(n.Get, source.item, node)
    if not isinstance(target, Option):
        return t.convert(given, target)
    some = t.some(t.convert(given, target.item), target)
    return t.ite(t.make(n.IsSome, BOOL, node), some, t.const(target, None))


def _set_as(t: Terms, node: n.Node, target: Set) -> n.Node:
    """A set as one of another type: member by member, where its members are written."""
    match node:
        case n.SetOf(items=items):
            return t.make(n.SetOf, target, tuple(t.convert(x, target.item) for x in items))
        case n.SetUnion(left=left, right=right):
            return t.make(n.SetUnion, target, t.convert(left, target), t.convert(right, target))
        case n.SetMap(domain=domain) if isinstance(target.item, Listed):
            return t.set_of_images(domain, lambda x: t.convert(body_at(node, x), target.item), target)
    return t.set_of_images(node, lambda x: t.convert(x, target.item), target)


def _pairs_of(t: Terms, node: n.Node, target: Graph) -> n.Node:
    def pair(x: n.Node) -> n.Node:
        return t.convert(t.make_tuple([x, t.apply(node, x)]), target.item)

    return t.set_of_images(t.domain_of(node), pair, target)


def _graph_as(t: Terms, node: n.Node, target: Type) -> n.Node:
    """A function that is a set of pairs as one of another type."""
    match target:
        case Graph():
            return t.set_of_images(node, lambda x: t.convert(x, target.item), target)
        case Map(key=key, value=Option() as value) if isinstance(node, n.SetOf):
            whole: n.Node = t.const(target, (None,) * key.cardinality)
            for pair in node.items:
                argument, result = t.components(pair)
                place, there = t.convert(argument, key), t.convert(t.convert(result, value.item), value)
                whole = t.make(n.MapUpdate, target, whole, place, there)
            return whole
        case Map(key=key, value=Option() as value):

            def entry(x: n.Node) -> n.Node:
                there, result = t.looked_up(node, x)
                return t.ite(there, t.convert(t.convert(result, value.item), value), t.const(value, None))

            return t.bind(n.MapBuild, key, "key", entry, lambda _: target)
    return t.undefined(target, f"a value of {node.type!r} is outside of {target!r}")


def _from_union(t: Terms, node: n.Node, source: Union, target: Type) -> n.Node:
    outside = t.undefined(target, f"the value is outside of {target!r}")
    known = shapes.variants(target)
    if not isinstance(target, Union):
        return t.by_variant(
            node,
            [x for x in source.by_tag if x in known or isinstance(target, Seq | Tuple | Map)],
            lambda x: t.convert(x, target),
            outside,
        )
    return t.by_variant(
        node, [x for x in source.by_tag if x in known], lambda x: _boxed(t, x, target), outside
    )


def _boxed(t: Terms, node: n.Node, target: Union) -> n.Node:
    tag = shapes.tag_of(node.type)
    box = target.by_tag.get(tag)
    if box is None:
        return t.undefined(target, f"a value of {node.type!r} is outside of {target!r}")
    payload = t.make(n.MakeRecord, box, (t.convert(node, box.parts[0]),))
    return t.make(n.MakeVariant, target, tag, payload)


def _sequence_as(t: Terms, node: n.Node, source: Seq, target: Seq | Tuple) -> n.Node:
    if isinstance(target, Tuple):
        if len(target.items) > source.capacity:
            return t.undefined(target, f"the sequence does not have {len(target.items)} items")
        items = [t.convert(t.item(node, i + 1), kind) for i, kind in enumerate(target.items)]
        whole = t.make(
            n.Eq,
            BOOL,
            t.convert(t.length(node), Int(0, source.capacity)),
            t.const(Int(0, source.capacity), len(items)),
        )
        return t.ite(whole, t.make_tuple(items), t.undefined(target, "the sequence has another length"))
    items = [
        t.ite(
            t.le(t.integer(i), t.length(node)),
            t.convert(t.item(node, i), target.item),
            t.const(target.item, target.item.first),
        )
        for i in range(1, source.capacity + 1)
    ]
    return t.convert(
        t.slice(t.sequence(items, Seq(target.item, len(items))), t.integer(1), t.length(node)), target
    )


def _map_as(t: Terms, node: n.Node, source: Map, target: Map) -> n.Node:
    missing = target.key.cardinality - source.key.cardinality

    def value(key: n.Node) -> n.Node:
        inside = t.make(n.Apply, source.value, node, t.convert(key, source.key))
        known = t.convert(inside, target.value)
        if not missing:
            return known
        return t.ite(t.member(key, t.universe(source.key)), known, t.const(target.value, None))

    return t.bind(n.MapBuild, target.key, "key", value, lambda _: target)


def _sequence_as_map(t: Terms, node: n.Node, target: Map) -> n.Node:
    inside = t.interval(t.integer(1), t.length(node))
    none = t.const(target.value, None)

    def value(key: n.Node) -> n.Node:
        return t.ite(t.member(key, inside), t.convert(t.apply(node, key), target.value), none)

    return t.bind(n.MapBuild, target.key, "key", value, lambda _: target)


def _map_as_sequence(t: Terms, node: n.Node, source: Map, target: Seq) -> n.Node:
    """A function of integers as a sequence, which it is if its domain is 1..n."""
    domain = t.domain_of(node)
    size = t.cardinality(domain)
    same = t.equal(domain, t.interval(t.integer(1), size))
    items = [
        t.ite(
            t.member(t.integer(place), domain),
            t.convert(t.apply(node, t.integer(place)), target.item),
            t.const(target.item, target.item.first),
        )
        for place in range(1, source.key.cardinality + 1)
    ]
    made = t.slice(t.sequence(items, Seq(target.item, len(items))), t.integer(1), size)
    outside = t.undefined(target, "the function is no sequence")
    return t.ite(same, t.convert(made, target), outside)
