"""Where updates in place come to, and what of the state before they start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leadline.symbolic.encode.evaluation import Environment
from leadline.symbolic.encode.values import Shape
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.structures import Seq
from leadline.symbolic.lang.types import Type

_LINKS = (n.MapUpdate, n.ComponentUpdate, n.SetUnion, n.SetMinus)
"""What is an update of what its first operand is."""

_UNFOLDED = 4
"""How often, on average, the parts of a value may be made."""


@dataclass(frozen=True)
class Place:
    """A part of a variable that an update may change.

    Attributes:
        nodes: expressions of what is there before.
        kind: its type.
        old: what is there before, if `untouched`.
        untouched: whether no other update of the same value has come here yet.
        here: the literal that the update is made, and comes here: that these are its keys and its branches.
        keys: the literals of its keys.
        reached: the literal of its branches.
        constants: what each key is here.
        environment: what the bound variables stand for.
    """

    nodes: tuple[n.Node, ...]
    kind: Type
    old: Shape
    untouched: bool
    here: int
    keys: tuple[int, ...]
    reached: int
    constants: Mapping[n.Node, n.Node]
    environment: Environment


def _parts(value: n.Node) -> tuple[n.Node, ...]:
    """What is made in place where a value is."""
    match value:
        case n.Ite():
            return value.then, value.orelse
        case n.MapUpdate():
            return value.map, value.value
        case n.ComponentUpdate():
            return value.item, value.value
        case n.SetUnion() | n.SetMinus():
            return (value.left,)
        case n.MakeTuple() | n.MakeRecord():
            return value.items
        case n.MapBuild():
            return (value.body,)
        case n.Coerce():
            return (value.item,)
    return ()


def unfolds(value: n.Node) -> bool:
    """Whether a value has parts in common to such an extent that it takes far longer to make each in place.

    An update in a loop, say: each turn starts from what the last one made, in one branch and in the other.
    Expressions are evaluated once however often they come up.
    """
    sizes: dict[n.Node, int] = {}
    for node in n.postorder(value):
        sizes[node] = 1 + sum(sizes[part] for part in _parts(node))
    seen, waiting = {value}, [value]
    while waiting:
        new = [part for part in _parts(waiting.pop()) if part not in seen]
        seen.update(new)
        waiting += new
    return sizes[value] > _UNFOLDED * len(seen)


def bare(value: n.Node, kind: Type) -> n.Node:
    """A value without conversions between lengths of sequences that what is stored has to pass in the end."""
    while (
        isinstance(value, n.Coerce)
        and isinstance(kind, Seq)
        and isinstance(value.type, Seq)
        and isinstance(value.item.type, Seq)
        and value.type.item == value.item.type.item == kind.item
        and value.type.capacity >= kind.capacity
    ):
        value = value.item
    return value


def _before(link: n.Node) -> n.Node:
    """What an update starts from."""
    match link:
        case n.MapUpdate():
            return link.map
        case n.ComponentUpdate():
            return link.item
    assert isinstance(link, (n.SetUnion, n.SetMinus))
    return link.left


def chain_of(value: n.Node, place: Place, kinds: tuple[type[n.Node], ...]) -> tuple[n.Node, list[n.Node]]:
    """What a chain of updates of some kinds starts from, and the updates from there on."""
    links: list[n.Node] = []
    while isinstance(value, kinds) and value not in place.nodes:
        links.append(value)
        value = _before(value)
    return value, links[::-1]


def starts_from(value: n.Node, place: Place) -> bool:
    """Whether a value is made of what a place has before, in one of its branches at least."""
    branches = [value]
    while branches:
        found = bare(branches.pop(), place.kind)
        if isinstance(found, n.Ite):
            branches += (found.then, found.orelse)
            continue
        found, _ = chain_of(found, place, _LINKS)
        if found in place.nodes or appends(found, place):
            return True
    return False


def appends(value: n.Node, place: Place) -> bool:
    """Whether a value is what the state before has there and one more item.

    Whether that is too long must not depend on whether the update is made.
    """
    return (
        place.untouched
        and isinstance(value, n.Concat)
        and isinstance(place.kind, Seq)
        and isinstance(value.type, Seq)
        and value.type.item == place.kind.item
        and isinstance(value.right, n.MakeSeq)
        and len(value.right.items) == 1
        and bare(value.left, place.kind) in place.nodes
    )


def is_copy(value: n.Node) -> bool:
    """Whether a value stands as it is somewhere in the state."""
    while isinstance(value, (n.Apply, n.Component)):
        value = value.map if isinstance(value, n.Apply) else value.item
    return isinstance(value, n.StateVar)


def with_keys(value: n.Node, keys: Mapping[n.Node, n.Node]) -> n.Node:
    """A copy where some keys are known."""
    if isinstance(value, n.Component):
        return n.make(n.Component, value.type, value.span, with_keys(value.item, keys), value.position)
    if isinstance(value, n.Apply):
        return n.make(
            n.Apply, value.type, value.span, with_keys(value.map, keys), keys.get(value.key, value.key)
        )
    return value
