"""Sets of model values as sorts: their members are interchangeable where the module treats them alike.

The module is lowered with every set of model values that a constant has as a sort. Sorts whose members the model
tells apart become atoms, and the module is lowered again. A configuration's SYMMETRY is not relied on.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from leadline.symbolic.lang import (
    AnyOf,
    Atoms,
    Listed,
    Map,
    Model,
    Sort,
    Type,
    nodes as n,
    permuted,
    sorts_in,
    symmetric_sorts,
)
from leadline.symbolic.tla.lower import shapes

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


def sorted_type(kind: Type, sorts: Sorts) -> Type:
    """A type in which atoms that are of sorts are values of these, all members included."""
    match kind:
        case Atoms():
            found: dict[Type, None] = {}
            for name in kind.members:
                found.setdefault(sorts.get(name) or shapes.atom(name))
            return shapes.joined(found)
        case Listed(item=item):
            return _sorted_list(kind, sorted_type(item, sorts))
        case AnyOf():
            return shapes.joined(sorted_type(x, sorts) for x in shapes.variants(kind).values())
    made = kind.over(sorted_type(x, sorts) for x in kind.parts)
    if isinstance(kind, Map) and isinstance(made, Map) and not isinstance(kind.key, Listed):
        return made if made.key.cardinality == kind.key.cardinality else shapes.partial_map(made)
    return made


def _sorted_list(kind: Listed, item: Type) -> Listed:
    """The values listed as values of a type with sorts, and their images under the permutations of these."""
    known = {shapes.retyped(x, kind.item, item) for x in kind.listed}
    swaps = [{(one.name, a): b, (one.name, b): a} for one in sorts_in(item) for a, b in pairwise(one.members)]
    todo = list(known)
    while todo:
        value = todo.pop()
        more = {permuted(item, value, swap) for swap in swaps} - known
        known |= more
        todo += more
    return shapes.table_of(item, known)


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
