"""Which sorts a model treats alike: swapping two of their members everywhere maps runs to runs.

The language has no order on sorts, so a model can only tell members apart where it names one (a constant),
chooses the first of several (`choose`, which follows the fixed order), or goes out of bounds at one before
another has decided a quantifier. The last is not seen here: `engines.alike` asks a solver.
"""

from __future__ import annotations

from collections.abc import Iterable

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.model import Model, Property
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.types import Option, Sort, Type, Value


def symmetric_sorts(model: Model, properties: Iterable[Property]) -> tuple[Sort, ...]:
    """The sorts that the initial states, every action and the properties treat alike within their bounds.

    Args:
        model: the model.
        properties: the properties that will be checked together.
    """
    roots = [root for action in (model.init, *model.actions) for root in action.roots]
    nodes = n.postorder(*roots, *(one.formula for one in properties))
    kinds = [variable.type for variable in model.variables]
    kinds += [pick.type for action in (model.init, *model.actions) for pick in action.picks]
    sorts = dict.fromkeys(sort for kind in kinds for sort in sorts_in(kind))
    told_apart = {sort for node in nodes for sort in _told_apart(node)}
    return tuple(sort for sort in sorts if sort not in told_apart)


def sorts_in(kind: Type) -> tuple[Sort, ...]:
    """The sorts that a type's values may mention, each once, in the order of the type's parts."""
    if isinstance(kind, Sort):
        return (kind,)
    return tuple(dict.fromkeys(sort for part in kind.parts for sort in sorts_in(part)))


def _told_apart(node: n.Node) -> Iterable[Sort]:
    if isinstance(node, n.Choose):
        return sorts_in(node.type)
    return _named(node.type, node.value) if isinstance(node, n.Const) else ()


def _named(kind: Type, value: Value) -> Iterable[Sort]:
    """The sorts of which a constant names some members rather than none or all."""
    if not sorts_in(kind) or value is None:
        return ()
    match kind:
        case Sort():
            return (kind,)
        case Option():
            return _named(kind.item, value)
        case Set(item=Sort() as sort):
            return (sort,) if 0 < len(value) < sort.cardinality else ()
        case Set():
            return sorts_in(kind) if value else ()
        case Seq():
            return [sort for item in value for sort in _named(kind.item, item)]
        case Union():
            return _named(kind.by_tag[value[0]], value[1])
        case Map(key=Sort() as sort):
            inner = [found for item in value for found in _named(kind.value, item)]
            return [*inner, *([sort] if len(set(value)) > 1 else [])]
        case Map():
            return [*sorts_in(kind.key), *(found for item in value for found in _named(kind.value, item))]
        case Record() | Tuple():
            parts = zip(kind.parts, value, strict=True)
            return [sort for part, item in parts for sort in _named(part, item)]
    return sorts_in(kind)
