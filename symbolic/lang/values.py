"""Values as TLA+ writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from leadline.symbolic.lang.structures import (
    AnyOf,
    Graph,
    Map,
    Record,
    Seq,
    Set,
    Slots,
    Tuple,
    Union,
    without_places,
)
from leadline.symbolic.lang.types import Bool, Enum, Int, Named, Option, Type, Value


def in_tla(kind: Type, value: Value) -> str:
    """A value as TLA+ writes it.

    Raises:
        TypeError: for a type without values.
    """
    match kind:
        case Bool():
            return "TRUE" if value else "FALSE"
        case Enum():
            return json.dumps(value, ensure_ascii=False)
        case Named() if value.startswith('"'):
            return json.dumps(value[1:-1], ensure_ascii=False)
        case Int() | Named():
            return str(value)
        case Option():
            return "None" if value is None else in_tla(kind.item, value)
        case Record() if kind.fields:
            return f"[{_fields(kind, value)}]"
        case Tuple() | Record():
            return _tuple([in_tla(part, x) for part, x in zip(kind.parts, value, strict=True)])
        case AnyOf():
            return in_tla(*shown(kind, value))
        case Union():
            fields = _fields(kind.by_tag[value[0]], value[1])
            return f'[type |-> "{value[0]}"' + (f", {fields}]" if fields else "]")
        case Graph(item=Tuple(items=(key, one))):
            return _function(key, one, sorted(value, key=kind.item.order))
        case Set():
            return "{" + ", ".join(in_tla(kind.item, x) for x in sorted(value, key=kind.item.order)) + "}"
        case Slots():
            return in_tla(without_places(kind), frozenset(one for one in value if one is not None))
        case Map():
            return _function(kind.key, kind.value, kind.pairs(value))
        case Seq():
            return _tuple([in_tla(kind.item, x) for x in value])
    raise TypeError(f"{kind!r} has no values")


def _fields(kind: Record, value: Value) -> str:
    fields = zip(kind.labels, kind.parts, value, strict=True)
    return ", ".join(f"{name} |-> {in_tla(part, x)}" for name, part, x in fields)


def _tuple(items: list[str]) -> str:
    return f"<<{', '.join(items)}>>"


def _function(key: Type, value: Type, pairs: Iterable[tuple[Value, Value]]) -> str:
    told = [f"{in_tla(key, k)} :> {in_tla(value, v)}" for k, v in pairs]
    return f"({' @@ '.join(told)})" if told else "<<>>"


def untagged(kind: Type) -> dict[str, Type]:
    """The types of the values that are told without their tags, by tag; none if they are told with them."""
    return {tag: box.parts[0] for tag, box in kind.variants} if isinstance(kind, AnyOf) else {}


def shown(kind: Union, value: Value) -> tuple[Type, Value]:
    """The part of a value whose changes are told, with its type."""
    tag, payload = value
    return (untagged(kind)[tag], payload[0]) if isinstance(kind, AnyOf) else (kind.by_tag[tag], payload)
