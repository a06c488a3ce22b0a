"""Values as JSON. They are read back by their type, which is not in the file.

=============  ==========================================================================
type           JSON
=============  ==========================================================================
Bool, Int      true or false, a number
Enum, Sort     the member's name; of a string of TLA+, the string
Option         null or the value
Tuple, Seq     an array
Record         an object, by the fields' TLA+ names
Union          ``{"tag": ..., "value": the record}``; of TLA+, one without a tag is read too
Set            an array in the type's fixed order
Map            an object where the keys are names, else an array of ``[key, value]`` pairs
=============  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from leadline.symbolic.lang import (
    Atoms,
    Bool,
    Int,
    InternalError,
    Map,
    Named,
    Option,
    Record,
    Seq,
    Set,
    Sort,
    Tuple,
    Type,
    Union,
    UserError,
    Value,
    camel,
    in_tla,
    shortened,
    untagged,
)

Json = Any
"""The values that the standard library's `json` reads and writes."""


def spelled(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names in TLA+'s lowerCamelCase, or unchanged if two would become the same."""
    shown = tuple(camel(name) for name in names)
    return shown if len(set(shown)) == len(names) else names


def field_names(kind: Record) -> tuple[str, ...]:
    """The TLA+ names of a record's fields."""
    return kind.labels if kind.verbatim else spelled(tuple(kind.positions))


def to_json(kind: Type, value: Value, of_part: Callable[[Type, Value], Json] | None = None) -> Json:
    """A value of the type as JSON.

    Args:
        kind: the type.
        value: the value.
        of_part: the form of its parts; by default this one.
    """
    part = of_part or to_json
    match kind:
        case Atoms() | Sort():
            return kind.plain(value)
        case Bool() | Int() | Named():
            return value
        case Option():
            return None if value is None else part(kind.item, value)
        case Tuple():
            return list(map(part, kind.items, value))
        case Seq():
            return [part(kind.item, x) for x in value]
        case Set():
            return [part(kind.item, x) for x in sorted(value, key=kind.item.order)]
        case Record():
            return dict(zip(field_names(kind), map(part, kind.parts, value), strict=True))
        case Union():
            return {"tag": value[0], "value": part(kind.by_tag[value[0]], value[1])}
        case Map():
            pairs = [[part(kind.key, k), part(kind.value, v)] for k, v in zip(kind.keys, value, strict=True)]
            return dict(pairs) if _named_keys(kind) else pairs
    raise InternalError(f"values of {kind!r} have no JSON form")


def _named_keys(kind: Map) -> bool:
    return isinstance(kind.key, Named)


def from_json(kind: Type, data: Json, place: str) -> Value:
    """The value of the type that some JSON stands for.

    Args:
        kind: the type.
        data: the JSON.
        place: the file and the path to the JSON, for messages.

    Raises:
        UserError: if the JSON is not a value of the type.
    """
    match kind:
        case Atoms() | Sort():
            data = kind.written(data)
        case Option():
            return None if data is None else from_json(kind.item, data, place)
        case Tuple():
            items = _array(data, place, len(kind.items))
            pairs = enumerate(zip(kind.items, items, strict=True), 1)
            return tuple(from_json(part, x, f"{place}[{i}]") for i, (part, x) in pairs)
        case Seq() | Set():
            return _items(kind, data, place)
        case Record():
            names = field_names(kind)
            fields = _object(data, names, place)
            parts = zip(names, kind.parts, strict=True)
            return tuple(from_json(part, fields[name], f"{place}.{name}") for name, part in parts)
        case Union() if untagged(kind) and not (isinstance(data, dict) and {*data} == {"tag", "value"}):
            return _of_some_kind(kind, data, place)
        case Union():
            fields = _object(data, ("tag", "value"), place)
            tag = from_json(kind.tags, fields["tag"], f"{place}.tag")
            return (tag, from_json(kind.by_tag[tag], fields["value"], f"{place}.value"))
        case Map():
            return _map(kind, data, place)
    if not kind.contains(data):
        raise UserError(f"{place}: a value of {_kind_text(kind)} is needed, not {_short(data)}")
    return data


def _of_some_kind(kind: Union, data: Json, place: str) -> Value:
    """The value of a union that some JSON without a tag stands for."""
    found = []
    for tag, inner in untagged(kind).items():
        with suppress(UserError):
            found.append((tag, (from_json(inner, data, place),)))
    if len(found) == 1:
        return found[0]
    if found:
        tags = " or ".join(tag for tag, _ in found)
        raise UserError(
            f'{place}: {_short(data)} may be of several kinds: write {{"tag": {tags}, "value": ...}}'
        )
    kinds = " or ".join(map(_kind_text, untagged(kind).values()))
    raise UserError(f"{place}: a value of {kinds} is needed, not {_short(data)}")


def bare_json(kind: Type, value: Value) -> Json:
    """A value as JSON without tags, where `from_json` finds these again."""
    match kind:
        case Union() if untagged(kind):
            tag, (inner,) = value
            told = bare_json(untagged(kind)[tag], inner)
            with suppress(UserError):
                if from_json(kind, told, "") == value:
                    return told
        case Record() | Map(key=Named()):
            return to_json(kind, value, bare_json)
    return to_json(kind, value)


def _items(kind: Seq | Set, data: Json, place: str) -> Value:
    items = [from_json(kind.item, x, f"{place}[{i}]") for i, x in enumerate(_array(data, place), 1)]
    if isinstance(kind, Seq):
        if len(items) > kind.capacity:
            most = f"a sequence of at most {kind.capacity} items"
            raise UserError(f"{place}: {most} is needed, not {len(items)}")
        return tuple(items)
    members = frozenset(items)
    if len(members) < len(items):
        raise UserError(f"{place}: an element of the set occurs twice")
    return members


def _map(kind: Map, data: Json, place: str) -> Value:
    if _named_keys(kind):
        names = [to_json(kind.key, key) for key in kind.keys]
        given = _object(data, tuple(names), place)
        return tuple(from_json(kind.value, given[name], f"{place}[{name}]") for name in names)
    pairs = [_array(pair, f"{place}, pair {i}", 2) for i, pair in enumerate(_array(data, place), 1)]
    read = {
        (key := from_json(kind.key, k, f"{place}, key {i}")): from_json(
            kind.value, v, f"{place}[{in_tla(kind.key, key)}]"
        )
        for i, (k, v) in enumerate(pairs, 1)
    }
    if len(read) != len(pairs) or len(read) != len(kind.keys):
        raise UserError(f"{place}: each of the map's {len(kind.keys)} keys is needed once")
    return tuple(read[key] for key in kind.keys)


def _array(data: Json, place: str, length: int | None = None) -> list[Json]:
    if not isinstance(data, list) or length not in (None, len(data)):
        wanted = "an array" if length is None else f"an array of {length} items"
        raise UserError(f"{place}: {wanted} is needed, not {_short(data)}")
    return data


def _object(data: Json, names: tuple[str, ...], place: str) -> dict[str, Json]:
    if not isinstance(data, dict) or set(data) != set(names):
        raise UserError(
            f"{place}: an object with exactly {', '.join(names) or 'no fields'} is needed, not {_short(data)}"
        )
    return data


def _kind_text(kind: Type) -> str:
    return f"{kind!r} ({', '.join(kind.members)})" if isinstance(kind, Named) else repr(kind)


def _short(data: Json) -> str:
    return shortened(repr(data), 60)
