"""The bases of all nodes, how nodes are interned, and traversals of expressions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform
from weakref import WeakValueDictionary

from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.types import Type

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


# -- traversals that need more than the order of the nodes ------------------------------------------


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
