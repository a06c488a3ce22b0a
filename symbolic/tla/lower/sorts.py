"""Sets of model values as sorts: their members are interchangeable where the module treats them alike.

The module is lowered with every set of model values that a constant has as a sort. Sorts whose members the model
tells apart become atoms, and the module is lowered again. A configuration's SYMMETRY is not relied on.
"""

from __future__ import annotations

from collections.abc import Mapping

from leadline.symbolic.lang import (
    Model,
    Sort,
    nodes as n,
    sorts_in,
    symmetric_sorts,
)

Sorts = Mapping[str, Sort]
"""The sort of each model value that is of one, by the value's name."""


class NotAlike(Exception):
    """Members of sorts are told apart, which is known before the whole model is made.

    Attributes:
        sorts: the sorts.
    """

    def __init__(self, sorts: set[Sort]) -> None:
        super().__init__(", ".join(one.name for one in sorts))
        self.sorts = sorts


def told_apart_in(model: Model, sorts: Sorts) -> set[Sort]:
    """The sorts whose members the model tells apart, or chooses between: only atoms have the order of CHOOSE."""
    alike = symmetric_sorts(model, model.constraints)
    chosen = {
        sort
        for one in model.properties.values()
        for node in n.postorder(*one.nodes)
        if isinstance(node, n.Choose)
        for sort in sorts_in(node.type)
    }
    return {sort for sort in sorts.values() if sort not in alike or sort in chosen}
