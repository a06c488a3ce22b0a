"""Sets of images, `{e : x \\in S}`, of which sets are made in turn.

`{f(x) : x \\in {g(y) : y \\in S}}` is `{f(g(y)) : y \\in S}`. So the values of `g`, which may be far more than the
elements of `S`, need not be listed. This holds where `g` always has a value: `f` may not ask for all of it.
"""

from __future__ import annotations

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.nodes import replaced


def image_at(images: n.SetMap, element: n.Node) -> n.Node:
    """The image of an element."""
    return replaced(images.body, {images.var: element})


def is_empty(node: n.Node) -> bool:
    """Whether a set is the constant `{}`."""
    return isinstance(node, n.Const) and not node.value
