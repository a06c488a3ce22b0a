"""TLA+ values and the values of their types: which type holds a value, and each as the other."""

from __future__ import annotations

from functools import lru_cache, reduce
from itertools import pairwise
from typing import Any

from leadline.symbolic.lang import (
    AnyOf,
    Atoms,
    Bool,
    Graph,
    Int,
    Listed,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Slots,
    Sort,
    Tuple,
    Type,
    Union,
    camel,
    entry_of,
    permuted,
    sorts_in,
    without_places,
)
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.shapes import Sorts
from leadline.symbolic.tla.values.values import (
    FALSE,
    TRUE,
    LazyFunction,
    ModelValue,
    Truth,
    Value,
    function,
    items_of,
    model_value,
    sequence,
    tla_text,
)


@lru_cache(maxsize=50_000)
def type_of(value: Value) -> Type:
    """The least type that holds a value."""
    match value:
        case Truth():
            return Bool()
        case int():
            return Int(value, value)
        case str():
            return shapes.atom(shapes.quoted(value))
        case ModelValue():
            return shapes.atom(value.name)
        case LazyFunction():
            return type_of(value.table())
        case tuple():
            pairs = [(type_of(key), _name(key), type_of(item)) for key, item in items_of(value)]
            return shapes.function_type(pairs)
    return Set(reduce(shapes.join, map(type_of, value), shapes.NEVER))


def _name(value: Value) -> object:
    return shapes.quoted(value) if isinstance(value, str) else value


class OutsideType(Exception):
    """A value that a type does not hold."""


def typed(value: Value, kind: Type) -> Any:
    """A TLA+ value as one of the type.

    Raises:
        OutsideType: if the type does not hold it.
    """
    found = _typed(value, kind)
    if not kind.contains(found):
        raise OutsideType(f"{tla_text(value)} is outside of {kind!r}")
    return found


def _typed(value: Value, kind: Type) -> Any:
    if isinstance(value, LazyFunction):
        value = value.table()
    match kind, value:
        case Listed(item=item), _:
            found = kind.by_value.get(_typed(value, item))
            if found is None:
                raise OutsideType(f"{tla_text(value)} is none of {kind!r}")
            return found
        case Union(), _:
            own = type_of(value)
            tag = shapes.tag_of(own)
            known = shapes.variants(kind)
            if isinstance(own, Atoms):
                tag = next((x for x, one in known.items() if one.contains(own.members[0])), tag)
            if tag not in known and "map" in known and isinstance(own, Record | Tuple):
                tag = "map"
            if tag not in known:
                raise OutsideType(f"{tla_text(value)} is outside of {kind!r}")
            return (tag, (_typed(value, known[tag]),))
        case Bool(), Truth():
            return value is TRUE
        case Int(), int():
            return value
        case ((Atoms() | Sort()), str()):
            return shapes.quoted(value)
        case ((Atoms() | Sort()), ModelValue()):
            return value.name
        case Slots(), _:
            members = _typed(value, without_places(kind))
            if len(members) > kind.key.cardinality:
                raise OutsideType(f"{tla_text(value)} has too many members for {kind!r}")
            places = sorted(members, key=entry_of(kind).order)
            return (*places, *[None] * (kind.key.cardinality - len(places)))
        case Graph(item=Tuple(items=(key, part))), tuple():
            return frozenset((_typed(x, key), _typed(y, part)) for x, y in items_of(value))
        case Set(item=item), _ if not isinstance(value, tuple | str | int | ModelValue | Truth):
            return frozenset(_typed(x, item) for x in value)
        case _, tuple():
            return _typed_function(dict(items_of(value)), value, kind)
    raise OutsideType(f"{tla_text(value)} is outside of {kind!r}")


def _typed_function(graph: dict[Value, Value], value: Value, kind: Type) -> Any:
    match kind:
        case Record(fields=fields) if {shapes.field(key) for key in graph if isinstance(key, str)} == {
            name for name, _ in fields
        } and len(graph) == len(fields):
            return tuple(_typed(graph[shapes.field_name(name)], part) for name, part in fields)
        case Tuple(items=items) if set(graph) == set(range(1, len(items) + 1)):
            return tuple(_typed(graph[place], part) for place, part in enumerate(items, start=1))
        case Seq(item=item) if set(graph) == set(range(1, len(graph) + 1)):
            return tuple(_typed(graph[place], item) for place in range(1, len(graph) + 1))
        case Map(key=key, value=part):
            by_key = {_typed(x, key): y for x, y in graph.items()}
            partial = isinstance(part, Option)
            if set(by_key) <= set(kind.keys) and (partial or len(by_key) == len(kind.keys)):
                inner = part.item if isinstance(part, Option) else part
                return tuple(_typed(by_key[x], inner) if x in by_key else None for x in kind.keys)
    raise OutsideType(f"{tla_text(value)} is outside of {kind!r}")


def untyped(value: Any, kind: Type) -> Value:
    """A value of a type as the TLA+ value."""
    match kind:
        case Bool():
            return TRUE if value else FALSE
        case Int():
            return value
        case Atoms() | Sort():
            return value[1:-1] if shapes.is_string(value) else model_value(value)
        case Union():
            tag, (inner,) = value
            return untyped(inner, kind.by_tag[tag].parts[0])
        case Listed(item=item):
            return untyped(kind.value_of(value), item)
        case Slots():
            there = frozenset(x for x in value if x is not None)
            return untyped(there, without_places(kind))
        case Graph(item=Tuple(items=(key, part))):
            return function({untyped(x, key): untyped(y, part) for x, y in value})
        case Set(item=item):
            return frozenset(untyped(x, item) for x in value)
        case Record(fields=fields):
            pairs = zip(fields, value, strict=True)
            return function({shapes.field_name(name): untyped(x, part) for (name, part), x in pairs})
        case Tuple(items=items):
            return sequence(untyped(x, part) for x, part in zip(value, items, strict=True))
        case Seq(item=item):
            return sequence(untyped(x, item) for x in value)
        case Map(key=key, value=part):
            inner = part.item if isinstance(part, Option) else part
            pairs = zip(kind.keys, value, strict=True)
            graph = {untyped(k, key): untyped(x, inner) for k, x in pairs if x is not None}
            return function(graph)
    raise TypeError(f"no values of {kind!r} are TLA+ values")


def sorted_type(kind: Type, sorts: Sorts) -> Type:
    """A type in which atoms that are of sorts are values of these, all members included."""
    match kind:
        case Record() if (key := _sort_of(kind, sorts)) is not None:
            whole = Map(key, sorted_type(shapes.joined(kind.parts), sorts))
            return whole if key.cardinality == len(kind.parts) else shapes.partial_map(whole)
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


def _sort_of(kind: Record, sorts: Sorts) -> Sort | None:
    """The sort of which the fields of a record are members; None if there is none."""
    found = {sorts.get(shapes.quoted(shapes.field_name(name))) for name in kind.positions}
    return found.pop() if len(found) == 1 else None


def _sorted_list(kind: Listed, item: Type) -> Listed:
    """The values listed as values of a type with sorts, and their images under the permutations of these."""
    known = {typed(untyped(x, kind.item), item) for x in kind.listed}
    swaps = [{(one.name, a): b, (one.name, b): a} for one in sorts_in(item) for a, b in pairwise(one.members)]
    todo = list(known)
    while todo:
        value = todo.pop()
        more = {permuted(item, value, swap) for swap in swaps} - known
        known |= more
        todo += more
    return shapes.table_of(item, known)


def shows(data: Any, value: Value) -> bool:
    """Whether some JSON is a value as any type that holds it is written: see `leadline.symbolic.trace.values`.

    Strings and model values of one name are written alike.
    """
    if isinstance(value, LazyFunction):
        value = value.table()
    if isinstance(data, dict) and set(data) == {"tag", "value"} and isinstance(data["value"], dict):
        # Perhaps one of several shapes of a variable's values.
        inner = list(data["value"].values())
        if len(inner) == 1 and shows(inner[0], value):
            return True
    match value:
        case Truth():
            return data is (value is TRUE)
        case int():
            return type(data) is int and data == value
        case str() | ModelValue():
            return bool(data == str(value))
        case tuple():
            return _shows_function(data, dict(items_of(value)))
    members = frozenset(value)
    left = [[one] for one in data] if isinstance(data, list) and len(data) == len(members) else None
    return left is not None and all(_taken(left, (x,)) for x in members)


def _taken(left: list[list[Any]], values: tuple[Value, ...]) -> bool:
    """Take a row that shows some values from a list, if there is one."""
    place = next((i for i, row in enumerate(left) if all(map(shows, row, values))), None)
    if place is not None:
        del left[place]
    return place is not None


def _shows_function(data: Any, graph: dict[Value, Value]) -> bool:
    # Keys that are no elements of a function's domain have null.
    if isinstance(data, dict):
        names = {name: item for key, item in graph.items() for name in _names_in_json(key)}
        given = {name: part for name, part in data.items() if part is not None}
        known = all(name in names and shows(part, names[name]) for name, part in given.items())
        return known and len(given) == len(graph)
    if not isinstance(data, list):
        return False
    if list(graph) == list(range(1, len(data) + 1)) and all(map(shows, data, graph.values())):
        return True
    if not all(isinstance(one, list) and len(one) == 2 for one in data):
        return False
    pairs = [one for one in data if one[1] is not None]
    return len(pairs) == len(graph) and all(_taken(pairs, pair) for pair in graph.items())


def _names_in_json(key: Value) -> set[str]:
    """The names that a key, perhaps of a record, may have as the key of a JSON object."""
    return {str(key), shapes.field(key), camel(shapes.field(key))} if isinstance(key, str) else {str(key)}
