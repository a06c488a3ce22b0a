"""Symmetry: the sorts whose members can be swapped everywhere.

The language has no order on sorts, so a model can only tell members apart where it names one (a constant),
chooses the first of several (`choose`, which follows the fixed order), or goes out of bounds at one before
another has decided a quantifier. Whether an order shows is not seen here: the engines ask a solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise, permutations, product

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.listed import Listed
from leadline.symbolic.lang.model import Model, Property
from leadline.symbolic.lang.structures import Map, Seq, Set, Slots, Union, entry_of
from leadline.symbolic.lang.types import Bool, Int, Named, Option, Sort, Type, Value

Permutation = Mapping[tuple[str, str], str]
"""The image of each member of a sort that has another one, by the sort's name and the member."""


def symmetric_sorts(
    model: Model, properties: Iterable[Property], *, in_any_order: bool = True, initially: bool = True
) -> tuple[Sort, ...]:
    """The sorts that the initial states, every action and the properties treat alike within their bounds.

    Args:
        model: the model.
        properties: the properties that will be checked together.
        in_any_order: whether sorts are left out of which `choose` may take one of several members.
        initially: whether the initial states must treat them alike too. If not, runs from a state and from its
            images are alike, but an image of a reachable state need not be reachable.
    """
    begins = (model.init,) if initially else ()
    roots = [root for action in (*begins, *model.actions) for root in action.roots]
    roots += [node for one in properties for node in one.nodes]
    kinds = [variable.type for variable in model.variables]
    kinds += [pick.type for action in (model.init, *model.actions) for pick in action.picks]
    sorts = dict.fromkeys(sort for kind in kinds for sort in sorts_in(kind))
    apart = named_in(roots)
    if in_any_order:
        choices = (x for x in n.postorder(*roots) if isinstance(x, n.Choose) and chooses_by_order(x))
        apart |= {sort for one in choices for sort in sorts_in(one.type)}
    return tuple(sort for sort in sorts if sort not in apart)


def named_in(roots: Iterable[n.Node]) -> set[Sort]:
    """The sorts of which expressions name members."""
    constants = [node for node in n.postorder(*roots) if isinstance(node, n.Const)]
    return {
        sort
        for one in constants
        for sort in sorts_in(one.type)
        if any(permuted(one.type, one.value, swap) != one.value for swap in exchanges(sort))
    }


def chooses_by_order(node: n.Choose) -> bool:
    """Whether a choice may take one of several values that have members of sorts."""
    # One at most of listed values is equal to an expression, so `member_of` chooses by no order.
    unique = isinstance(node.domain, n.Universe) and isinstance(node.type, Listed)
    return not unique and bool(sorts_in(node.type))


def exchanges(sort: Sort) -> list[Permutation]:
    """The exchanges of neighbours among the members of a sort, which together make all permutations."""
    return [{(sort.name, a): b, (sort.name, b): a} for a, b in pairwise(sort.members)]


def sorts_in(kind: Type) -> tuple[Sort, ...]:
    """The sorts that a type's values may mention, each once, in the order of the type's parts."""
    if isinstance(kind, Sort):
        return (kind,)
    return tuple(dict.fromkeys(sort for part in kind.parts for sort in sorts_in(part)))


def group_of(sorts: Iterable[Sort]) -> list[Permutation]:
    """All permutations of the members of sorts, the identity first."""
    members = [(sort.name, tuple(sort.values())) for sort in sorts]
    return [
        {
            (name, x): y
            for (name, own), image in zip(members, images, strict=True)
            for x, y in zip(own, image, strict=True)
            if x != y
        }
        for images in product(*(permutations(own) for _, own in members))
    ]


def permuted(kind: Type, value: Value, permutation: Permutation) -> Value:
    """The image of a value under a permutation of the members of sorts, with slots in their order."""
    match kind:
        case Sort():
            return permutation.get((kind.name, value), value)
        case Listed():
            return kind.by_value[permuted(kind.item, kind.value_of(value), permutation)]
        case Bool() | Int() | Named():
            return value
        case Option():
            return None if value is None else permuted(kind.item, value, permutation)
        case Set():
            return frozenset([permuted(kind.item, x, permutation) for x in value])
        case Seq():
            return tuple([permuted(kind.item, x, permutation) for x in value])
        case Union():
            tag, payload = value
            return tag, permuted(kind.by_tag[tag], payload, permutation)
        case Slots():
            item = entry_of(kind)
            there = [permuted(item, x, permutation) for x in value if x is not None]
            return (*sorted(there, key=item.order), *[None] * (len(value) - len(there)))
        case Map():
            moved = {permuted(kind.key, k, permutation): x for k, x in zip(kind.keys, value, strict=True)}
            return tuple([permuted(kind.value, moved[key], permutation) for key in kind.keys])
    return tuple([permuted(part, x, permutation) for part, x in zip(kind.parts, value, strict=True)])
