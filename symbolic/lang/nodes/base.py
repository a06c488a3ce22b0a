"""What all nodes share: interning, their fields, and the order children before parents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.types import Type


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """An expression. `type` is the type of its value."""

    type: Type
    span: Span

    def __repr__(self) -> str:
        return _shown(self, 6)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy, or what another process sent, is interned here like anything else.
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


N = TypeVar("N", bound=Node)
_INTERNED: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()


_FIELD_NAMES: dict[type[Node], tuple[str, ...]] = {}


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
    return node  # type: ignore[return-value]  # the key holds the kind


def children(node: Node) -> Iterator[Node]:
    """The nodes among a node's fields, in their order; a binder's variable is not one."""
    return iter(_children(node))


def _children(node: Node) -> tuple[Node, ...]:
    """The children, which are looked for once: most of the time of building a model goes into walks."""
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
