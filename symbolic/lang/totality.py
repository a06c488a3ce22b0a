"""Totality: which expressions have a value wherever their variables have one."""

from __future__ import annotations

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.node import kept
from leadline.symbolic.lang.structures import Map
from leadline.symbolic.lang.types import Int


def is_total(expression: n.Node) -> bool:
    """Whether an expression never goes out of bounds, as far as its nodes tell."""
    return bool(kept(expression, "_total", lambda node, parts: all(parts) and _is_total(node)))


def _is_total(node: n.Node) -> bool:
    match node:
        case n.Coerce():
            return node.type.includes(node.item.type)
        case n.Apply() | n.MapUpdate():
            return isinstance(node.map.type, Map) and node.map.type.key.includes(node.key.type)
        case n.Div() | n.Mod():
            return isinstance(node.right.type, Int) and node.right.type.low >= 1
    return not isinstance(node, n.PARTIAL)
