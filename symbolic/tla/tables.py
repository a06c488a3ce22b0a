"""Tables: sets and functions of messages by the messages that runs have met.

A set of records of many shapes has far more possible members than runs meet. Where these are at most some
hundreds, each is a member of a type that lists them (`Listed`), and a set or function has a part for each. A step
that makes another record is out of bounds, and the table then grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leadline.symbolic.lang import (
    Graph,
    Int,
    Listed,
    Map,
    Named,
    Option,
    Record,
    Seq,
    Set,
    Slots,
    Tuple,
    Type,
    listed,
)
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.typing import typed, untyped
from leadline.symbolic.tla.values.values import LazyFunction, Value, items_of

MOST_LISTED = 600
"""The most values in a table."""
SMALL = 64
"""The most possible members of a set that needs no table."""
MOST_BITS = 4_096
"""The most possible members of a set that has a bit for each."""
WORTH = 4
"""How many times as many values there must be as are met."""


def settled(kind: Type, met: Sequence[Value], before: Type) -> Type:
    """The type of some values, with tables where they are worth it.

    Args:
        kind: the least type of the values.
        met: the values.
        before: the type of the values that were known before, whose tables are kept.
    """
    match kind:
        case Graph(key=key, value=value):
            arguments = {argument for one in met for argument, _ in _pairs(one)}
            table = _table(key, arguments, before.key if isinstance(before, Map) else shapes.NEVER)
            if table is not None or not _in_slots(key):
                return Map(table or key, Option(settled(value, _results(met), _given(before))))
            return _slots(
                kind.item, max((sum(1 for _ in _pairs(one)) for one in met), default=0), before, graph=True
            )
        case Set(item=item):
            every = {member for one in met if isinstance(one, frozenset) for member in one}
            table = _table(item, every, before.item if isinstance(before, Set) else shapes.NEVER)
            if table is not None or not _in_slots(item):
                return Set(table or settled(item, [*every], _item(before)))
            return _slots(
                item, max((len(one) for one in met if isinstance(one, frozenset)), default=0), before
            )
        case Option(item=item):
            return Option(settled(item, met, _given(before)))
        case Map(key=key, value=value):
            return Map(key, settled(value, _results(met), _given(before)))
        case Seq(item=item, capacity=capacity):
            return Seq(settled(item, _results(met), _item(before)), capacity)
        case Tuple(items=items):
            old = before.items if isinstance(before, Tuple) and len(before.items) == len(items) else items
            parts = enumerate(zip(items, old, strict=True), start=1)
            return Tuple(tuple(settled(x, _at(place, met), y) for place, (x, y) in parts))
        case Record(fields=fields):
            return Record(kind.name, tuple((name, _field(name, part, met, before)) for name, part in fields))
    return kind


def _field(name: str, kind: Type, met: Sequence[Value], before: Type) -> Type:
    old = dict(before.fields).get(name, shapes.NEVER) if isinstance(before, Record) else shapes.NEVER
    return settled(kind, _at(shapes.field_name(name), met), old)


def _table(item: Type, met: Iterable[Value], before: Type) -> Listed | None:
    """The type of the values met and of those known before; None if that is not worth it."""
    found = set(met)
    if isinstance(before, Listed):
        found |= {untyped(one, before.item) for one in before.listed}
    rich = shapes.is_message(item) or item.capped > MOST_BITS
    if not rich or item.capped <= max(SMALL, WORTH * len(found)):
        return None
    return listed(item, (typed(one, item) for one in found)) if len(found) <= MOST_LISTED else None


def _in_slots(item: Type) -> bool:
    """Whether sets of values of a type that have no table are in slots."""
    return item.capped > MOST_BITS and not isinstance(item, Set | Int | Named)


def _slots(item: Type, most: int, before: Type, *, graph: bool = False) -> Slots:
    """The type of sets or functions in as many places as they have had members at once."""
    known = before.key.cardinality if isinstance(before, Slots) else 1
    return Slots(Int(1, max(most, known)), Option(item), graph)


def loosened(kind: Type) -> Type:
    """The type without its tables."""
    match kind:
        case Slots(item=item, graph=graph):
            return Graph(item) if graph else Set(item)
        case Map(key=key, value=value) if isinstance(key, Listed) or shapes.is_message(key):
            return shapes.graph_of(shapes.unlisted(key), loosened(_given(value)))
        case Map(key=key, value=value):
            return Map(key, loosened(value))
        case Graph(key=key, value=value):
            return shapes.graph_of(key, loosened(value))
        case Set(item=item):
            return Set(loosened(shapes.unlisted(item)))
        case Option(item=item):
            return Option(loosened(item))
        case Seq(item=item, capacity=capacity):
            return Seq(loosened(item), capacity)
        case Tuple(items=items):
            return Tuple(tuple(map(loosened, items)))
        case Record(fields=fields):
            return Record(kind.name, tuple((name, loosened(part)) for name, part in fields))
    return kind


def _pairs(value: Value) -> Iterable[tuple[Value, Value]]:
    """The arguments and values of a function; none of other values."""
    if isinstance(value, LazyFunction):
        value = value.table()
    return items_of(value) if isinstance(value, tuple) else ()


def _results(met: Sequence[Value]) -> list[Value]:
    return [x for one in met for _, x in _pairs(one)]


def _at(key: Value, met: Sequence[Value]) -> list[Value]:
    """The values of functions at an argument."""
    return [x for one in met for argument, x in _pairs(one) if argument == key]


def _given(kind: Type) -> Type:
    """The type of the values of a map, without its option."""
    value = kind.value if isinstance(kind, Map | Graph) else kind
    return value.item if isinstance(value, Option) else value


def _item(kind: Type) -> Type:
    return kind.item if isinstance(kind, Set | Seq) else shapes.NEVER
