"""Values of a type that are given one by one: the messages that runs have met, say.

A state has one literal for each of them, and an expression that reads a field of one looks up a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.coercion import BOOL
from leadline.symbolic.lang.nodes import binder_height
from leadline.symbolic.lang.structures import Map, Set
from leadline.symbolic.lang.types import Named, Type, Value
from leadline.symbolic.lang.values import in_tla


class Listed(Named, Type):
    """The values of another type that are given one by one, each as TLA+ writes it.

    Attributes:
        item: the type that the values have.
        listed: the values, in the order of the members.
    """

    item: Type
    listed: tuple[Value, ...]

    @cached_property
    def table(self) -> Map:
        """The type of the function from the members to their values."""
        return Map(self, self.item)

    @cached_property
    def by_value(self) -> dict[Value, str]:
        """The member of each value."""
        return dict(zip(self.listed, self.members, strict=True))

    def value_of(self, member: str) -> Value:
        """The value of a member."""
        return self.listed[self.order(member)]

    @cached_property
    def width(self) -> int:
        return 1

    def __repr__(self) -> str:
        return f"{len(self.members)} values of {self.item!r}"


def listed(item: Type, values: Iterable[Value], key: Callable[[Value], Any] | None = None) -> Listed:
    """The type of some values, in the order of a key, or else in that of their type."""
    ordered = sorted(set(values), key=key or item.order)
    return Listed("Listed", tuple(in_tla(item, x) for x in ordered), item, tuple(ordered))


def looked_up(node: n.Node) -> n.Node:
    """The value of a member. That of the member which stands for a value (`member_of`) is this value."""
    kind = node.type
    assert isinstance(kind, Listed)
    match node:
        case n.Const():
            return n.make(n.Const, kind.item, node.span, kind.value_of(node.value))
        case n.Choose(domain=n.Universe(), body=n.Eq(right=value)) if value.type == kind.item:
            return value
    return n.make(n.Apply, kind.item, node.span, n.make(n.Const, kind.table, node.span, kind.listed), node)


def listed_member(node: n.Node) -> n.Node | None:
    """The member whose value a node looks up; None of other nodes."""
    match node:
        case n.Apply(map=n.Const(), key=key) if isinstance(key.type, Listed):
            return key
    return None


def member_of(node: n.Node, kind: Listed) -> n.Node:
    """The member that stands for a value; out of bounds if none does."""
    if isinstance(node, n.Const) and node.value in kind.by_value:
        return n.make(n.Const, kind, node.span, kind.by_value[node.value])
    member = listed_member(node)
    if member is not None and member.type == kind:
        return member
    if isinstance(node, n.Const | n.Undefined):
        why = node.why if isinstance(node, n.Undefined) else "the value is none of those listed"
        return n.make(n.Undefined, kind, node.span, why)
    var = n.make(n.Bound, kind, node.span, "x", 1 + binder_height(node))
    here = n.make(n.Eq, BOOL, node.span, looked_up(var), node)
    every = n.make(n.Universe, Set(kind), node.span)
    return n.make(n.Choose, kind, node.span, var, every, here, ())
