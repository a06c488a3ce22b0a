"""Sets and functions whose members lie in slots: as many places as runs have had members at once.

A set of messages in slots is a map from places to messages or none, a function of messages one from places to
pairs. A quantifier or pick is one over places, so what is done with a message is encoded once. A message that is
added has a place of its own at the end; where the variable gets its value, the message moves to the first free
place, and one more than there are places is out of bounds. Equal sets may lie differently in their places.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from leadline.symbolic.lang import BOOL, Int, Map, Mapped, Set, Slots, Type, entry_of, nodes as n
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.builder import Body, Unlowerable, body_at

if TYPE_CHECKING:
    from leadline.symbolic.tla.lower.terms import Terms

MOST_WRITTEN = 16
"""The most elements that are put into slots one by one."""


def slots_of(node: n.Node) -> Slots:
    """The type of a node in slots."""
    assert isinstance(node.type, Slots)
    return node.type


def in_slots(kind: Type) -> bool:
    """Whether values of a type are sets in slots."""
    return isinstance(kind, Slots) and not kind.graph


@cache
def within(kind: Type) -> bool:
    """Whether some parts of a type's values are in slots: equal values may then differ in the places of these."""
    return isinstance(kind, Slots) or any(map(within, kind.parts))


def slot(t: Terms, node: n.Node, place: n.Node) -> tuple[n.Node, n.Node]:
    """Whether there is something at a place, and what."""
    kind = slots_of(node)
    if isinstance(node, n.MapBuild):
        match body_at(node, place):
            case n.Ite(condition=here, then=n.Coerce(item=item), orelse=n.Const(value=None)) if (
                item.type == entry_of(kind)
            ):
                return here, item
    there = t.make(n.Apply, kind.value, node, place)
    return t.make(n.IsSome, BOOL, there), t.make(n.Get, entry_of(kind), there)


def member_at(t: Terms, node: n.Node, place: n.Node) -> tuple[n.Node, n.Node]:
    """Whether there is a member or argument at a place, and which."""
    here, item = slot(t, node, place)
    return here, t.components(item)[0] if slots_of(node).graph else item


def built(t: Terms, node: n.Node, graph: bool, of: Callable[[n.Node], tuple[n.Node, n.Node]]) -> n.Node:
    """Slots with an entry of their own at each place where one is kept."""

    def entry(place: n.Node) -> n.Node:
        here, item = of(place)
        kind = Mapped(item.type)
        if isinstance(here, n.Const) and not here.value:
            return t.const(kind, None)
        # Not `ite`, so that `slot` finds the parts.
        some = n.make(n.Coerce, kind, t.place, item)
        return n.make(n.Ite, kind, t.place, here, some, t.const(kind, None))

    key = slots_of(node).key
    return t.bind(n.MapBuild, key, "slot", entry, lambda body: Slots(key, body.type, graph))


def over(t: Terms, universal: bool, node: n.Node, body: Body) -> n.Node:
    """A quantifier over the members of a set in slots."""

    def at(place: n.Node) -> n.Node:
        here, member = member_at(t, node, place)
        return t.bounded(universal, here, body(member))

    return every_place(t, universal, node, at)


def every_place(t: Terms, universal: bool, node: n.Node, body: Body) -> n.Node:
    """A quantifier over the places."""
    kind = n.Forall if universal else n.Exists
    return t.bind(kind, t.universe(slots_of(node).key), "slot", body)


def member(t: Terms, element: n.Node, node: n.Node) -> n.Node:
    """Whether an element is a member, or an argument."""
    return t.once_defined([element], over(t, False, node, lambda x: t.same(x, element)))


def kept(t: Terms, node: n.Node, keep: Body) -> n.Node:
    """The members for which this holds."""

    def at(place: n.Node) -> tuple[n.Node, n.Node]:
        here, item = slot(t, node, place)
        return t.conj([here, keep(item)]), item

    return built(t, node, slots_of(node).graph, at)


def domain(t: Terms, node: n.Node) -> n.Node:
    """The arguments of a function in slots, as a set in slots."""
    return built(t, node, False, lambda place: member_at(t, node, place))


def places(t: Terms, node: n.Node) -> n.Node:
    """The places at which there is something."""
    every = t.universe(slots_of(node).key)
    return t.bind(n.SetFilter, every, "slot", lambda x: slot(t, node, x)[0])


def image(t: Terms, node: n.Node, of: Body) -> n.Node:
    """The set of a function's values over the members."""
    return t.bind(n.SetMap, places(t, node), "slot", lambda x: of(member_at(t, node, x)[1]))


def function(t: Terms, node: n.Node, of: Body) -> n.Node:
    """`[x \\in S |-> e]` for a set in slots."""

    def at(place: n.Node) -> tuple[n.Node, n.Node]:
        here, x = member_at(t, node, place)
        return here, t.make_tuple([x, of(x)])

    return built(t, node, True, at)


def applied(t: Terms, node: n.Node, argument: n.Node) -> n.Node:
    """The value of a function in slots."""
    match argument:
        case n.Component(item=n.Get(item=n.Apply(map=whole)), position=0) if whole == node:
            return t.components(argument.item)[1]
    key = slots_of(node).key
    result: n.Node = t.undefined(shapes.NEVER, "the function has no such argument")
    for value in key.values():
        here, pair = slot(t, node, t.const(key, value))
        first, second = t.components(pair)
        result = t.ite(t.conj([here, t.same(first, argument)]), second, result)
    return result


def updated(t: Terms, node: n.Node, argument: n.Node, of: Body) -> n.Node:
    """`[f EXCEPT ![e] = of(@)]`."""

    def at(place: n.Node) -> tuple[n.Node, n.Node]:
        here, pair = slot(t, node, place)
        first, second = t.components(pair)
        return here, t.make_tuple([first, t.ite(t.same(first, argument), of(second), second)])

    return t.once_defined([argument], built(t, node, True, at))


def inserted(t: Terms, node: n.Node, entry: n.Node, where: n.Node) -> n.Node:
    """Slots with one more place, where the entry is if this holds."""
    kind = shapes.join(node.type, Slots(slots_of(node).key, Mapped(entry.type), slots_of(node).graph))
    assert isinstance(kind, Slots)
    last = kind.key.cardinality + 1
    more = Slots(Int(1, last), kind.value, kind.graph)
    added = t.ite(where, _some(t, t.convert(entry, entry_of(kind)), kind.value), t.const(kind.value, None))
    return t.make(n.MapUpdate, more, converted(t, node, more), t.const(more.key, last), added)


def _some(t: Terms, item: n.Node, kind: Type) -> n.Node:
    return n.make(n.Coerce, kind, t.place, item)


def _resized(t: Terms, node: n.Node, target: Slots) -> n.Node:
    """Slots of another number of places: what is beyond the last one moves to the first that is free."""
    old, none = slots_of(node).key, t.const(target.value, None)

    def at(place: n.Node) -> n.Node:
        here, item = slot(t, node, t.convert(place, old))
        found = t.ite(here, _some(t, t.convert(item, entry_of(target)), target.value), none)
        return t.ite(t.member(place, t.universe(old)), found, none)

    result = t.bind(n.MapBuild, target.key, "slot", at, lambda _: target)
    for beyond in range(target.key.cardinality + 1, old.cardinality + 1):
        here, item = slot(t, node, t.const(old, beyond))
        every, known = t.universe(target.key), result
        free = t.bind(
            n.Choose,
            every,
            "slot",
            lambda x, known=known: t.negation(slot(t, known, x)[0]),  # type: ignore[misc]  # a default binds it
        )
        moved = t.make(
            n.MapUpdate, target, result, free, _some(t, t.convert(item, entry_of(target)), target.value)
        )
        result = t.ite(here, moved, result)
    return result


def united(t: Terms, node: n.Node, other: n.Node) -> n.Node:
    """The union of a set in slots with another set."""
    result = node
    for here, one in written(t, other):
        result = inserted(t, result, one, t.conj([here, t.negation(member(t, one, result))]))
    return result


def merged(t: Terms, left: n.Node, right: n.Node) -> n.Node:
    """`f @@ g`, where one is in slots and the other has few arguments."""
    node, other = (left, right) if isinstance(left.type, Slots) else (right, left)
    result = node
    for here, pair in written(t, other):
        argument, value = t.components(pair)
        there = member(t, argument, result)
        if node is right:
            changed = updated(t, result, argument, lambda _, new=value: new)  # type: ignore[misc]  # a default binds it
            result = t.ite(t.conj([here, there]), changed, result)
        result = inserted(t, result, pair, t.conj([here, t.negation(there)]))
    return result


def written(t: Terms, node: n.Node) -> list[tuple[n.Node, n.Node]]:
    """The elements that a set may have, each with whether it has it.

    Raises:
        Unlowerable: if these are too many.
    """
    yes = t.boolean(True)
    elements = t.elements(node)
    if elements is not None and len(elements) <= MOST_WRITTEN:
        return [(yes, x) for x in elements]
    match node:
        case n.Undefined(type=Set(item=item), why=why):
            return [(t.undefined(BOOL, why), t.undefined(item, why))]
        case n.SetOf(items=items):
            return [(yes, x) for x in items]
        case n.SetUnion(left=left, right=right):
            return [*written(t, left), *written(t, right)]
        case n.Coerce(item=inner, type=Set(item=item)) if isinstance(inner.type, Set):
            return [(here, t.convert(x, item)) for here, x in written(t, inner)]
        case n.SetMap(domain=inner):
            return [(here, t.convert(_body_for(t, node, x), node.body.type)) for here, x in written(t, inner)]
        case n.BigUnion(item=n.SetMap() | n.SetOf() as sets):
            parts = written(t, sets)
            return [(t.conj([here, there]), x) for here, part in parts for there, x in written(t, part)]
        case n.Ite(condition=test, then=then, orelse=orelse):
            no = t.negation(test)
            return [
                *((t.conj([test, here]), x) for here, x in written(t, then)),
                *((t.conj([no, here]), x) for here, x in written(t, orelse)),
            ]
        case n.Node(type=Slots(key=key)):
            return [slot(t, node, t.const(key, x)) for x in key.values()]
        case n.Node(type=Map(key=key, value=value)):
            return written(t, t.convert(node, shapes.graph_of(key, shapes.given(value))))
        case n.Node(type=Set(item=item)) if item.capped <= MOST_WRITTEN:
            return [(t.among(x, node), x) for x in (t.narrowed(item, value) for value in item.values())]
        case n.SetFilter(domain=inner):
            return [(t.conj([here, _body_for(t, node, x)]), x) for here, x in written(t, inner)]
        case n.SetMinus(left=left, right=right):
            return [(t.conj([here, t.negation(t.member(x, right))]), x) for here, x in written(t, left)]
        case n.SetIntersect(left=left, right=right):
            return [(t.conj([here, t.member(x, right)]), x) for here, x in written(t, left)]
    raise Unlowerable(f"a set of over {MOST_WRITTEN} elements is put into slots")


def _body_for(t: Terms, node: n.SetMap | n.SetFilter, element: n.Node) -> n.Node:
    """A binder's body for an element, which may be of a narrower type."""
    return body_at(node, t.convert(element, shapes.unlisted(node.var.type)))


def same(t: Terms, a: n.Node, b: n.Node) -> n.Node:
    """Whether two sets or functions are equal, of which one is in slots."""
    node, other = (a, b) if isinstance(a.type, Slots) else (b, a)
    members = written(t, other) if other.type != shapes.EMPTY_FUNCTION else []

    def inside(place: n.Node) -> n.Node:
        here, item = slot(t, node, place)
        return t.disj([t.negation(here), *(t.conj([there, t.same(x, item)]) for there, x in members)])

    def found(item: n.Node) -> n.Node:
        def at(place: n.Node) -> n.Node:
            here, mine = slot(t, node, place)
            return t.conj([here, t.same(mine, item)])

        return every_place(t, False, node, at)

    every = every_place(t, True, node, inside)
    answer = t.conj([every, *(t.disj([t.negation(there), found(x)]) for there, x in members)])
    return t.once_defined([node, other], answer)


def converted(t: Terms, node: n.Node, target: Slots) -> n.Node:
    """A set or function as one in slots."""
    empty = t.const(target, (None,) * target.key.cardinality)
    if node.type == shapes.EMPTY_FUNCTION:
        return empty
    if isinstance(node, n.Const) and isinstance(node.type, Set | Slots) and set(node.value) <= {None}:
        return empty
    if isinstance(node.type, Slots):
        return _items_as(t, node, target) if node.type.key == target.key else _resized(t, node, target)
    result: n.Node = t.const(Slots(Int(1, 1), target.value, target.graph), (None,))
    for here, item in written(t, node):
        one = t.components(item)[0] if target.graph else item
        result = inserted(t, result, item, t.conj([here, t.negation(member(t, one, result))]))
    return t.convert(result, target)


def _items_as(t: Terms, node: n.Node, target: Slots) -> n.Node:
    def at(place: n.Node) -> tuple[n.Node, n.Node]:
        here, item = slot(t, node, place)
        return here, t.convert(item, entry_of(target))

    return built(t, node, target.graph, at)
