"""Sets of model values or strings as sorts: members are interchangeable where the module treats them alike.

The module is lowered with every set of model values that a constant has as a sort, and every set of strings that
an operator is where no formula names these. Sorts whose members the model tells apart become atoms, and it is
lowered again. A configuration's SYMMETRY is not relied on.
"""

from __future__ import annotations

from collections.abc import Mapping

from leadline.symbolic.lang import (
    Model,
    Sort,
    named_in,
)

Sorts = Mapping[str, Sort]
"""The sort of each model value or string that is of one, by its name, a string's in quotation marks."""


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
