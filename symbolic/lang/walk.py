"""Walks over expressions that need more than the order of the nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from leadline.symbolic.lang.nodes import BINDERS, Bound, Node, children, field_names, make, postorder


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


def substitute(root: Node, mapping: Mapping[Node, Node]) -> Node:
    """The expression with some leaves replaced. The caller sees to it that nothing is captured."""
    done: dict[Node, Node] = dict(mapping)
    for node in postorder(root):
        if node not in done:
            changed = any(done[child] is not child for child in children(node))
            done[node] = rebuilt(node, lambda x: done.get(x, x)) if changed else node
    return done[root]


def binder_height(root: Node) -> int:
    """The highest level that a binder inside the expression uses; 0 without binders."""
    return max((node.var.level for node in postorder(root) if isinstance(node, BINDERS)), default=0)


def free_variables(root: Node, known: dict[Node, frozenset[Bound]]) -> frozenset[Bound]:
    """The bound variables that occur in an expression outside their binder.

    Args:
        root: the expression.
        known: a table that the caller keeps; filled for every node below the root.
    """
    if root in known:
        return known[root]
    for node in postorder(root):
        if node in known:
            continue
        if isinstance(node, Bound):
            known[node] = frozenset((node,))
            continue
        free: frozenset[Bound] = frozenset()
        for child in children(node):
            inner = known[child]
            if isinstance(node, BINDERS) and child is node.body:
                inner -= {node.var}
            free |= inner
        known[node] = free
    return known[root]
