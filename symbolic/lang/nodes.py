"""The nodes of expressions: data only, interned, each with its type and the line that made it.

Two nodes with the same kind, type and fields are one object, so equality is identity and memo tables are
cheap. The line is that of the first one made; it takes no part in equality. `leadline.symbolic.lang.rules`
makes the nodes and checks their types. Each kind says when its evaluation goes "out of bounds".

Evaluation is lazy and from left to right wherever TLA+ is: `And`, `Or`, `Implies`, `Ite` and the
quantifiers stop as soon as their value is known, and what was not evaluated cannot go out of bounds.
A quantifier, a filter and a choice go through the elements in the fixed order of their type.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform
from weakref import WeakValueDictionary

from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.types import Type, Value

KINDS: list[type[Node]] = []
"""Every kind of node: each meaning must translate it or name it as unsupported."""


@dataclass_transform(eq_default=False, frozen_default=True)
class _Data:
    """Makes each subclass a frozen dataclass, and a kind of node unless it is abstract."""

    def __init_subclass__(cls, *, abstract: bool = False) -> None:
        # To make a dataclass takes half a millisecond. A kind without fields of its own inherits all of it.
        if "__annotations__" in vars(cls):
            dataclass(frozen=True, eq=False, repr=False)(cls)
        if not abstract and issubclass(cls, Node):
            KINDS.append(cls)


class Node(_Data, abstract=True):
    """An expression. `type` is the type of its value."""

    type: Type
    span: Span

    def __repr__(self) -> str:
        return _shown(self, 6)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy, or a node that another process sent, is interned here like any other.
        values = (getattr(self, name) for name in field_names(type(self)))
        return make, (type(self), self.type, self.span, *values)


def _shown(value: object, depth: int) -> str:
    """A node for a developer to read; deep parts as `...`: formulas may be deeper than the call stack."""
    if isinstance(value, tuple):
        return f"({', '.join(_shown(item, depth) for item in value)})"
    if not isinstance(value, Node):
        return repr(value)
    if depth == 0:
        return "..."
    parts = (_shown(getattr(value, name), depth - 1) for name in field_names(type(value)))
    return f"{type(value).__name__}({', '.join(parts)})"


class Unary(Node, abstract=True):
    """A node with one operand."""

    item: Node


class Binary(Node, abstract=True):
    """A node with two operands."""

    left: Node
    right: Node


class Several(Node, abstract=True):
    """A node with any number of operands."""

    items: tuple[Node, ...]


class Given(Node, abstract=True):
    """A node whose value is given by name, such as a state variable."""

    name: str


class Bound(Node):
    """A variable bound by a quantifier, a filter, a comprehension, a choice or a map.

    `level` is one more than the highest level bound inside the binder's body; before the binder is
    closed it is negative and unique.
    """

    name: str
    level: int


class Binder(Node, abstract=True):
    """A node that binds a variable. `domain` is a set or sequence, and lies outside the variable's scope."""

    var: Bound
    domain: Node
    body: Node


class MapBuild(Node):
    """The map that gives each key the value of the body; evaluated key by key in the keys' order."""

    var: Bound
    body: Node


BINDERS = (Binder, MapBuild)


N = TypeVar("N", bound=Node)
_INTERNED: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()
_FIELD_NAMES: dict[type[Node], tuple[str, ...]] = {}
_WRITING: dict[int, dict[Node, Span]] = {}
"""For each thread that runs an author's function, where that function has written each node."""


def field_names(kind: type[Node]) -> tuple[str, ...]:
    """The names of a kind's own fields, without type and span."""
    names = _FIELD_NAMES.get(kind)
    if names is None:
        names = _FIELD_NAMES[kind] = tuple(f.name for f in fields(kind))[2:]
    return names


def make(kind: type[N], type_: Type, span: Span, *values: Any) -> N:
    """The one node of this kind, type and fields."""
    key = (kind, type_, *values)
    node = _INTERNED.get(key)
    if node is None:
        node = kind(type_, span, *values)
        _INTERNED[key] = node
    if _WRITING and (written := _WRITING.get(threading.get_ident())) is not None:
        written.setdefault(node, span)
    return node  # type: ignore[return-value]  # the key holds the kind


@contextmanager
def written() -> Iterator[dict[Node, Span]]:
    """Gather the place at which each node is made from here on, also where an equal one was made before.

    A node keeps the place of the first of its kind, which may be in another action.
    """
    thread = threading.get_ident()
    around = _WRITING.get(thread)
    places = _WRITING[thread] = {}
    try:
        yield places
    finally:
        if around is None:
            del _WRITING[thread]
        else:
            _WRITING[thread] = around


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


# -- traversals --------------------------------------------------------------------------------------


def children(node: Node) -> Iterator[Node]:
    """The nodes among a node's fields, in their order; a binder's variable is not one."""
    return iter(_children(node))


def _children(node: Node) -> tuple[Node, ...]:
    """The children, found once: most of the time of building a model goes into traversals."""
    found: tuple[Node, ...] | None = node.__dict__.get("_children")
    if found is None:
        several: list[Node] = []
        for name in field_names(type(node)):
            value = getattr(node, name)
            if isinstance(value, Node):
                if name != "var":
                    several.append(value)
            elif isinstance(value, tuple):
                several += [item for item in value if isinstance(item, Node)]
        found = node.__dict__["_children"] = tuple(several)
    return found


def postorder(*roots: Node) -> list[Node]:
    """Every node below the roots once, children before parents."""
    done: dict[Node, None] = {}
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        waiting = () if node in done else [child for child in _children(node) if child not in done]
        if waiting:
            stack.extend(reversed(waiting))
        else:
            done[node] = None
            stack.pop()
    return list(done)


def rebuilt(node: Node, replacement: Callable[[Node], Node]) -> Node:
    """The same node over replaced children (a binder's variable is replaced as well)."""
    values: list[Any] = []
    for name in field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            value = replacement(value)
        elif isinstance(value, tuple) and value and isinstance(value[0], Node):
            value = tuple(map(replacement, value))
        values.append(value)
    return make(type(node), node.type, node.span, *values)


def replaced(root: Node, mapping: Mapping[N, Node]) -> Node:
    """The expression with parts replaced by expressions that may bind variables themselves.

    The binders around these get new levels, above theirs: see `Bound`.
    """
    return replacement(mapping)(root)


def replacement(mapping: Mapping[N, Node]) -> Callable[[Node], Node]:
    """As `replaced`, for several expressions: a part that they share is gone through once."""
    done: dict[Node, Node] = dict(mapping.items())
    leaves = frozenset[Node](mapping)
    only_leaves = all(isinstance(x, Given | Bound) for x in leaves)

    def touched(node: Node) -> bool:
        # A part without such leaves stays as it is, and is not gone through.
        return not only_leaves or not leaves.isdisjoint(leaves_of(node))

    def exchanged(root: Node) -> Node:
        stack: list[tuple[Node, list[Node] | None]] = [(root, None)]
        while stack:
            node, inside = stack.pop()
            if node in done:
                continue
            if inside is None:
                inside = [x for x in _children(node) if x in done or touched(x)]
                stack.append((node, inside))
                stack += [(x, None) for x in reversed(inside) if x not in done]
            elif any(done[x] is not x for x in inside):
                made = rebuilt(node, lambda x: done.get(x, x))
                done[node] = _releveled(made) if isinstance(made, BINDERS) else made
            else:
                done[node] = node
        return done[root]

    return exchanged


def _releveled(node: Binder | MapBuild) -> Node:
    """A binder whose level is again above those in its body."""
    var, level = node.var, binder_height(node.body) + 1
    if var.level >= level:
        return node
    # A binder around this one, which gets its own new level later, may have a variable of this name there.
    while var is node.var or var in free_variables(node):
        var, level = make(Bound, var.type, var.span, var.name, level), level + 1
    body = replaced(node.body, {node.var: var})
    return rebuilt(node, lambda x: var if x is node.var else body if x is node.body else x)


def kept(root: Node, name: str, rule: Callable[[Node, list[Any]], Any]) -> Any:
    """A fact of an expression that follows from those of its parts.

    It stays at each node: however many expressions share one, the fact is found once.

    Args:
        root: the expression.
        name: the attribute that holds the fact.
        rule: the fact of a node, from those of its children in their order.
    """
    stack = [] if name in root.__dict__ else [root]
    while stack:
        node = stack[-1]
        if name in node.__dict__:
            stack.pop()
            continue
        waiting = [child for child in _children(node) if name not in child.__dict__]
        if waiting:
            stack.extend(waiting)
        else:
            node.__dict__[name] = rule(node, [child.__dict__[name] for child in _children(node)])
            stack.pop()
    return root.__dict__[name]


def binder_height(root: Node) -> int:
    """The highest level that a binder inside the expression uses; 0 without binders."""

    def height(node: Node, parts: list[int]) -> int:
        return max((*parts, node.var.level if isinstance(node, BINDERS) else 0), default=0)

    return int(kept(root, "_height", height))


def free_variables(root: Node) -> frozenset[Bound]:
    """The bound variables that occur in an expression outside their binder."""
    found: frozenset[Bound] = kept(root, "_free", _free)
    return found


def leaves_of(root: Node) -> frozenset[Node]:
    """The leaves that may be replaced: state variables, picks, and variables bound outside the expression."""
    found: frozenset[Node] = kept(root, "_leaves", _leaves)
    return found


def _leaves(node: Node, parts: list[frozenset[Node]]) -> frozenset[Node]:
    return frozenset((node,)) if isinstance(node, Given | Bound) else _together(node, parts)


def _free(node: Node, parts: list[frozenset[Node]]) -> frozenset[Node]:
    return frozenset((node,)) if isinstance(node, Bound) else _together(node, parts)


def _together(node: Node, parts: list[frozenset[Node]]) -> frozenset[Node]:
    """The leaves of a node's parts, without the variable that the node binds."""
    if isinstance(node, BINDERS):
        inside = [
            child is node.body and node.var in one for child, one in zip(_children(node), parts, strict=True)
        ]
        parts = [one - {node.var} if bound else one for bound, one in zip(inside, parts, strict=True)]
    found = max(parts, key=len, default=frozenset[Node]())
    # Most parts have no other leaves than the largest, whose set is shared.
    for one in parts:
        found = found if one <= found else found | one
    return found
