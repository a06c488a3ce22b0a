"""What all nodes share: interning, their fields, and the order children before parents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
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
        inside = ", ".join(repr(getattr(self, name)) for name in field_names(type(self)))
        return f"{type(self).__name__}({inside})"


N = TypeVar("N", bound=Node)
_INTERNED: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()


@cache
def field_names(kind: type[Node]) -> tuple[str, ...]:
    """The names of a kind's own fields, without type and span."""
    return tuple(f.name for f in fields(kind))[2:]


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
    for name in field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            if name != "var":
                yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Node))


def postorder(*roots: Node) -> list[Node]:
    """Every node below the roots once, children before parents."""
    done: dict[Node, None] = {}
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if ready:
            done[node] = None
        elif node not in done:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(list(children(node))))
    return list(done)
