"""Sets, maps, tuples, records, options, tagged unions and sequences."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.symbolic.lang.nodes.base import Node

# -- sets -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class SetOf(Node):
    """The set of the items."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False, repr=False)
class IntRange(Node):
    """The integers from `low` to `high`, empty if `low` is greater: TLA+'s `low..high`."""

    low: Node
    high: Node


@dataclass(frozen=True, eq=False, repr=False)
class SetUnion(Node):
    """Union of two sets."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class SetIntersect(Node):
    """Intersection of two sets."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class SetMinus(Node):
    """Difference of two sets."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class BigUnion(Node):
    """Union of a set of sets."""

    item: Node


@dataclass(frozen=True, eq=False, repr=False)
class Member(Node):
    """Whether the element is in the set."""

    element: Node
    domain: Node


@dataclass(frozen=True, eq=False, repr=False)
class Subset(Node):
    """Whether the left set is part of the right one; also membership in a powerset."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class Cardinality(Node):
    """The number of elements."""

    item: Node


@dataclass(frozen=True, eq=False, repr=False)
class MinOf(Node):
    """The least element of a set of integers. Out of bounds if it is empty."""

    item: Node


@dataclass(frozen=True, eq=False, repr=False)
class MaxOf(Node):
    """The greatest element of a set of integers. Out of bounds if it is empty."""

    item: Node


# -- maps, tuples, records, options, unions -------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Apply(Node):
    """The value of a map at a key. Out of bounds if the key is not in the map's domain."""

    map: Node
    key: Node


@dataclass(frozen=True, eq=False, repr=False)
class MapUpdate(Node):
    """The map with another value at one key. Out of bounds if the key is not in the domain."""

    map: Node
    key: Node
    value: Node


@dataclass(frozen=True, eq=False, repr=False)
class MakeTuple(Node):
    """A tuple of its components."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False, repr=False)
class MakeRecord(Node):
    """A record of its fields, in the order of the type."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Component(Node):
    """The component of a tuple or record at a position, from 0."""

    item: Node
    position: int


@dataclass(frozen=True, eq=False, repr=False)
class ComponentUpdate(Node):
    """The tuple or record with another component at a position."""

    item: Node
    position: int
    value: Node


@dataclass(frozen=True, eq=False, repr=False)
class IsSome(Node):
    """Whether an option holds a value."""

    item: Node


@dataclass(frozen=True, eq=False, repr=False)
class Get(Node):
    """The value that an option holds. Out of bounds if it is None."""

    item: Node


@dataclass(frozen=True, eq=False, repr=False)
class MakeVariant(Node):
    """A value of a tagged union."""

    tag: str
    payload: Node


@dataclass(frozen=True, eq=False, repr=False)
class IsVariant(Node):
    """Whether a value of a tagged union has the tag."""

    item: Node
    tag: str


@dataclass(frozen=True, eq=False, repr=False)
class Payload(Node):
    """The record behind a tag. Out of bounds if the value has another tag."""

    item: Node
    tag: str


# -- sequences, indexed from 1 as in TLA+ ---------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class MakeSeq(Node):
    """The sequence of the items."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Concat(Node):
    """Two sequences one after the other; its capacity is the sum of theirs, so it never overflows."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class Len(Node):
    """The number of items."""

    item: Node


@dataclass(frozen=True, eq=False, repr=False)
class Index(Node):
    """The item at a place, from 1. Out of bounds outside 1..Len."""

    item: Node
    place: Node


@dataclass(frozen=True, eq=False, repr=False)
class SeqUpdate(Node):
    """The sequence with another item at a place, from 1. Out of bounds outside 1..Len."""

    item: Node
    place: Node
    value: Node


@dataclass(frozen=True, eq=False, repr=False)
class Slice(Node):
    """The items from place `first` to place `last`: TLA+'s SubSeq. Empty if `first` is greater than `last`;
    otherwise out of bounds unless both are in 1..Len."""

    item: Node
    first: Node
    last: Node
