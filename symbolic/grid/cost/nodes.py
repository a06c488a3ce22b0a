"""The same part of an expression in several models of one protocol."""

from __future__ import annotations

from collections.abc import Iterable

from leadline.symbolic.grid.cost.growth import NoFormula
from leadline.symbolic.grid.cost.typesizes import Kinds, aligned
from leadline.symbolic.lang import nodes as n

Nodes = tuple[n.Node, ...]
"""The same part of an expression in several models."""


def types_of(nodes: Nodes) -> Kinds:
    """The type of each."""
    return tuple(node.type for node in nodes)


def bare(nodes: Iterable[n.Node]) -> Nodes:
    """Without conversions between types: some models have one where others need none."""
    found = []
    for node in nodes:
        inner = node
        while isinstance(inner, n.Coerce):
            inner = inner.item
        found.append(inner)
    return tuple(found)


def child(nodes: Nodes, name: str) -> Nodes:
    """The same part of each node."""
    return bare(tuple(getattr(node, name) for node in nodes))


def parts_of(nodes: Nodes) -> list[Nodes]:
    """All their parts.

    Raises:
        NoFormula: if these are not the same.
    """
    if len({type(node) for node in nodes}) > 1:
        raise NoFormula("the models have not the same shape")
    return [bare(part) for part in aligned([tuple(n.children(node)) for node in nodes])]
