"""The types that a model speaks of, and what of them TLA+ cannot say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leadline.symbolic.lang import Enum, Model, Record, Type, Union
from leadline.symbolic.lang import nodes as n


def all_types(model: Model) -> list[Type]:
    """Every type in the model once, those of the variables first, and parts before what they are parts of."""
    return _with_parts((*_declared(model), *(node.type for node in nodes_of(model))))


def definable(model: Model) -> list[Enum | Record | Union]:
    """The types with a name of their own that the module shows as sets, parts first.

    The record behind a tag is none: it is shown as a part of its union.
    """
    shown = [*_declared(model)]
    for node in nodes_of(model):
        if isinstance(node, n.Universe):
            shown += node.type.parts
        elif isinstance(node, n.MapBuild):
            shown.append(node.var.type)
    kinds = _with_parts(shown, through_tags=True)
    return [kind for kind in kinds if isinstance(kind, (Enum, Record, Union))]


def nodes_of(model: Model) -> list[n.Node]:
    """Every expression of the model and every part of one."""
    roots = [root for action in (model.init, *model.actions) for root in action.roots]
    return n.postorder(*roots, *(one.formula for one in model.properties.values()))


def _declared(model: Model) -> Iterator[Type]:
    yield from (variable.type for variable in model.variables)
    yield from (pick.type for action in (model.init, *model.actions) for pick in action.picks)


def _with_parts(kinds: Iterable[Type], *, through_tags: bool = False) -> list[Type]:
    done: dict[Type, None] = {}
    stack = [(kind, False) for kind in reversed(list(kinds))]
    while stack:
        kind, ready = stack.pop()
        if ready:
            done[kind] = None
        elif kind not in done:
            parts = [kind.parts]
            if through_tags and isinstance(kind, Union):
                parts = [record.parts for record in kind.parts]
            stack.append((kind, True))
            stack += [(part, False) for group in reversed(parts) for part in reversed(group)]
    return list(done)
