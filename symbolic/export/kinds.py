"""The types that a model speaks of, and what of them TLA+ cannot say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leadline.symbolic.lang import Enum, Map, Model, Record, Sort, Type, Union
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


def named_members(model: Model) -> set[str]:
    """The members of sorts that constants name, and perhaps those of enumerations besides."""
    constants = [node for node in nodes_of(model) if isinstance(node, n.Const)]
    found = {name for node in constants for name in _strings(node.value)}
    for kind in _with_parts(node.type for node in constants):
        if isinstance(kind, Map):
            # A value of a map holds no keys; its text does.
            keys = [part for part in _with_parts([kind.key]) if isinstance(part, Sort)]
            found.update(member for sort in keys for member in sort.members)
    return found


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, frozenset)):
        for item in value:
            yield from _strings(item)


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
