"""Which parts of expressions are long and occur more than once, so that a reader wants a name for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from leadline.symbolic.lang import nodes as n


def repeated(roots: Sequence[n.Node]) -> list[n.Node]:
    """The nodes that occur at two places or more and speak of no bound variable around them.

    What occurs only as a part of the same larger node is not among them. Parts come first.
    """
    nodes = n.postorder(*roots)
    uses = Counter(bare(root) for root in roots)
    for node in nodes:
        if not isinstance(node, n.Coerce):
            uses.update(bare(child) for child in n.children(node))
    closed = _closed(nodes)
    return [node for node in nodes if uses[node] > 1 and node in closed]


def picks_in(node: n.Node) -> set[str]:
    """The names of the picks that an expression speaks of."""
    return {part.name for part in n.postorder(node) if isinstance(part, n.PickVar)}


def bare(node: n.Node) -> n.Node:
    """What a coercion coerces: TLA+ says nothing of it."""
    while isinstance(node, n.Coerce):
        node = node.item
    return node


def _closed(nodes: Sequence[n.Node]) -> set[n.Node]:
    free: dict[n.Node, frozenset[n.Bound]] = {}
    for node in nodes:
        free[node] = frozenset(_free(node, free))
    return {node for node in nodes if not free[node]}


def _free(node: n.Node, free: dict[n.Node, frozenset[n.Bound]]) -> Iterator[n.Bound]:
    if isinstance(node, n.Bound):
        yield node
    for child in n.children(node):
        inside = free[child]
        if isinstance(node, n.BINDERS) and child is node.body:
            inside -= {node.var}
        yield from inside
