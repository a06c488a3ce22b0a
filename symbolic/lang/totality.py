"""Totality: which expressions have a value wherever their variables have one."""

from __future__ import annotations

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.structures import Map
from leadline.symbolic.lang.types import Int

_PARTIAL = (
    n.Undefined,
    n.Get,
    n.Payload,
    n.Index,
    n.SeqUpdate,
    n.Slice,
    n.MinOf,
    n.MaxOf,
    n.Choose,
)


def is_total(expression: n.Node) -> bool:
    """Whether an expression never goes out of bounds, as far as its nodes tell."""
    # Kept at the nodes, so that the question costs no more than the expression is large however often it is asked.
    if "_total" not in expression.__dict__:
        for node in n.postorder(expression):
            if "_total" not in node.__dict__:
                parts = all(child.__dict__["_total"] for child in n.children(node))
                node.__dict__["_total"] = parts and _is_total(node)
    return bool(expression.__dict__["_total"])


def _is_total(node: n.Node) -> bool:
    match node:
        case n.Coerce():
            return node.type.includes(node.item.type)
        case n.Apply() | n.MapUpdate():
            return isinstance(node.map.type, Map) and node.map.type.key.includes(node.key.type)
        case n.Div() | n.Mod():
            return isinstance(node.right.type, Int) and node.right.type.low >= 1
    return not isinstance(node, _PARTIAL)
