"""The nodes of expressions: data only, interned, each with its type and the line that made it.

Two nodes with the same kind, type and fields are one object, so equality is identity and memo tables are
cheap. The line is that of the first one made; it takes no part in equality. `leadline.symbolic.lang.rules`
makes the nodes and checks their types. Each kind says when its evaluation goes "out of bounds".

Evaluation is lazy and from left to right wherever TLA+ is: `And`, `Or`, `Implies`, `Ite` and the
quantifiers stop as soon as their value is known, and what was not evaluated cannot go out of bounds.
A quantifier, a filter and a choice go through the elements in the fixed order of their type.
"""

from __future__ import annotations

from leadline.symbolic.lang.node import (
    BINDERS as BINDERS,
    KINDS as KINDS,
    Binary as Binary,
    Binder as Binder,
    Bound as Bound,
    Given as Given,
    MapBuild as MapBuild,
    Node as Node,
    Several,
    Unary as Unary,
    binder_height as binder_height,
    children as children,
    field_names as field_names,
    free_variables as free_variables,
    kept as kept,
    leaves_of as leaves_of,
    make as make,
    postorder as postorder,
    rebuilt as rebuilt,
    replaced as replaced,
    replacement as replacement,
    written as written,
)
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.types import Value

# -- leaves ---------------------------------------------------------------------------------------


class Const(Node):
    """A constant of the type."""

    value: Value


class StateVar(Given):
    """The value of a state variable in the current state."""


class PickVar(Given):
    """The value that an action has picked."""


class Universe(Node):
    """The set of all values of the item type."""


class Undefined(Node):
    """No value: evaluating it is out of bounds. `why` says what is missing."""

    why: str


class Invalid(Node):
    """A mistake of the model's author, kept in place until all mistakes are reported."""

    mistake: str
    mistake_span: Span
    parts: tuple[Node, ...]


# -- conversions ----------------------------------------------------------------------------------


class Coerce(Unary):
    """The same value as a value of another type. Out of bounds if the value is not of that type."""


# -- Booleans -------------------------------------------------------------------------------------


class Not(Unary):
    """Negation."""


class And(Several):
    """Conjunction, left to right."""


class Or(Several):
    """Disjunction, left to right."""


class Implies(Node):
    """Implication; the conclusion is evaluated only where the premise holds."""

    premise: Node
    conclusion: Node


class Eq(Binary):
    """Equality of two values of the same type."""


class Ite(Node):
    """If-then-else; only the chosen arm is evaluated."""

    condition: Node
    then: Node
    orelse: Node


# -- integers -------------------------------------------------------------------------------------


class Add(Binary):
    """Sum; its type is as wide as its operands need, so it never overflows."""


class Sub(Binary):
    """Difference; never overflows."""


class Mul(Binary):
    """Product; never overflows."""


class Div(Binary):
    """Quotient rounded down, TLA+'s `\\div`. Out of bounds when the divisor is not positive."""


class Mod(Binary):
    """Remainder of `Div`, never negative. Out of bounds when the divisor is not positive."""


class Lt(Binary):
    """Less than."""


class Le(Binary):
    """At most."""


# -- binders -------------------------------------------------------------------------------------


class Forall(Binder):
    """Whether the body holds for every element."""


class Exists(Binder):
    """Whether the body holds for some element."""


class Choose(Binder):
    """The first element for which the body holds. Out of bounds if there is none.

    `order` has all values of the type in the order of the choice; it is empty if that is the type's order.
    """

    order: tuple[Value, ...]


class SetFilter(Binder):
    """The elements for which the body holds."""


class SetMap(Binder):
    """The values of the body over the elements."""


class SeqFilter(Binder):
    """The items, in their order, for which the body holds: TLA+'s SelectSeq. `domain` is a sequence."""


# -- sets -----------------------------------------------------------------------------------------


class SetOf(Several):
    """The set of the items."""


class IntRange(Node):
    """The integers from `low` to `high`, empty if `low` is greater: TLA+'s `low..high`."""

    low: Node
    high: Node


class SetUnion(Binary):
    """Union of two sets."""


class SetIntersect(Binary):
    """Intersection of two sets."""


class SetMinus(Binary):
    """Difference of two sets."""


class BigUnion(Unary):
    """Union of a set of sets."""


class Member(Node):
    """Whether the element is in the set."""

    element: Node
    domain: Node


class Subset(Binary):
    """Whether the left set is part of the right one; also membership in a powerset."""


class Cardinality(Unary):
    """The number of elements."""


class MinOf(Unary):
    """The least element of a set of integers. Out of bounds if it is empty."""


class MaxOf(Unary):
    """The greatest element of a set of integers. Out of bounds if it is empty."""


# -- maps, tuples, records, options, unions -------------------------------------------------------


class Apply(Node):
    """The value of a map at a key. Out of bounds if the key is not in the map's domain."""

    map: Node
    key: Node


class MapUpdate(Node):
    """The map with another value at one key. Out of bounds if the key is not in the domain."""

    map: Node
    key: Node
    value: Node


class MakeTuple(Several):
    """A tuple of its components."""


class MakeRecord(Several):
    """A record of its fields, in the order of the type."""


class Component(Node):
    """The component of a tuple or record at a position, from 0."""

    item: Node
    position: int


class ComponentUpdate(Node):
    """The tuple or record with another component at a position."""

    item: Node
    position: int
    value: Node


class IsSome(Unary):
    """Whether an option holds a value."""


class Get(Unary):
    """The value that an option holds. Out of bounds if it is None."""


class MakeVariant(Node):
    """A value of a tagged union."""

    tag: str
    payload: Node


class IsVariant(Node):
    """Whether a value of a tagged union has the tag."""

    item: Node
    tag: str


class Payload(Node):
    """The record behind a tag. Out of bounds if the value has another tag."""

    item: Node
    tag: str


# -- sequences, indexed from 1 as in TLA+ ---------------------------------------------------------


class MakeSeq(Several):
    """The sequence of the items."""


class Concat(Binary):
    """Two sequences one after the other; its capacity is the sum of theirs, so it never overflows."""


class Len(Unary):
    """The number of items."""


class Index(Node):
    """The item at a place, from 1. Out of bounds outside 1..Len."""

    item: Node
    place: Node


class SeqUpdate(Node):
    """The sequence with another item at a place, from 1. Out of bounds outside 1..Len."""

    item: Node
    place: Node
    value: Node


class Slice(Node):
    """The items from place `first` to place `last`: TLA+'s SubSeq. Empty if `first` is greater than `last`;
    otherwise out of bounds unless both are in 1..Len."""

    item: Node
    first: Node
    last: Node


PARTIAL = (Undefined, Get, Payload, Index, SeqUpdate, Slice, MinOf, MaxOf, Choose)
"""The kinds of nodes that can go out of bounds whatever types their parts have."""
