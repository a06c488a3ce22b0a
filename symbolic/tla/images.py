"""Sets of images, `{e : x \\in S}`, of which sets are made in turn.

`{f(x) : x \\in {g(y) : y \\in S}}` is `{f(g(y)) : y \\in S}`. So the values of `g`, which may be far more than the
elements of `S`, need not be listed. This holds where `g` always has a value: `f` may not ask for all of it.
"""

from __future__ import annotations

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.node import replaced
from leadline.symbolic.lang.structures import Map

_PARTIAL = (
    n.Undefined,
    n.Get,
    n.Payload,
    n.Index,
    n.SeqUpdate,
    n.Slice,
    n.Div,
    n.Mod,
    n.MinOf,
    n.MaxOf,
    n.Choose,
)


def image_at(images: n.SetMap, element: n.Node) -> n.Node:
    """The image of an element."""
    return replaced(images.body, {images.var: element})


def is_total(node: n.Node) -> bool:
    """Whether an expression has a value wherever its variables have one, as far as its nodes tell."""
    return all(map(_is_total, n.postorder(node)))


def _is_total(node: n.Node) -> bool:
    match node:
        case n.Coerce():
            return node.type.includes(node.item.type)
        case n.Apply() | n.MapUpdate():
            return isinstance(node.map.type, Map) and node.map.type.key.includes(node.key.type)
    return not isinstance(node, _PARTIAL)


def is_empty(node: n.Node) -> bool:
    """Whether a set is the constant `{}`."""
    return isinstance(node, n.Const) and not node.value
