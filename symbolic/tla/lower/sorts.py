"""Sets of model values as sorts: their members are interchangeable where the module treats them alike.

The module is lowered with every set of model values that a constant has as a sort. Sorts whose members the model
tells apart become atoms, and the module is lowered again. A configuration's SYMMETRY is not relied on.
"""

from __future__ import annotations

from collections.abc import Mapping

from leadline.symbolic.lang import (
    Model,
    Sort,
    named_in,
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
    """The sorts of which the model names members."""
    roots = [root for action in (model.init, *model.actions) for root in action.roots]
    return named_in([*roots, *(one.formula for one in model.constraints)]) & set(sorts.values())
