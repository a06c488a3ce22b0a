"""Values for people and for other programs: lines of TLA+, JSON, and the Informal Trace Format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leadline.symbolic.tla.values.values import FALSE, TRUE, ModelValue, Value, items_of, ordered, tla_text

_WIDTH = 90


def lines_of(name: str, value: Value) -> list[str]:
    """`name = value`, in several lines if it is long."""
    return list(_wrapped(f"{name} = ", value))


def _wrapped(head: str, value: Value, tail: str = "") -> Iterator[str]:
    text = tla_text(value)
    parts = _parts(value) if len(head) + len(text) > _WIDTH else None
    if parts is None:
        yield f"{head}{text}{tail}"
        return
    opening, items, closing = parts
    for place, (label, item) in enumerate(items):
        first = f"{head}{opening}" if place == 0 else " " * (len(head) + len(opening))
        end = "," if place < len(items) - 1 else f"{closing}{tail}"
        lines = list(_wrapped(label, item, end))
        yield first + lines[0]
        indent = " " * (len(head) + len(opening))
        yield from (indent + line for line in lines[1:])


def _parts(value: Value) -> tuple[str, list[tuple[str, Value]], str] | None:
    """The brackets of a value, and its parts with labels; None if it has none."""
    if isinstance(value, frozenset):
        return ("{", [("", x) for x in ordered(frozenset(value))], "}") if value else None
    if value.__class__ is not tuple or len(value) == 1:
        return None
    if hasattr(value[0], "size"):
        return "<<", [("", x) for x in value[1:]], ">>"
    if _is_record(value):
        return "[", [(f"{key} |-> ", x) for key, x in items_of(value)], "]"
    return None


def _is_record(value: Value) -> bool:
    return all(key.__class__ is str for key in value[0].keys)


def changes(name: str, before: Value, after: Value) -> list[str]:
    """The changes of a variable: lines such as `x[1].a: 1 -> 2`, or all of it where its domain changes."""
    if before == after:
        return []
    if before.__class__ is tuple and after.__class__ is tuple and before[0] is after[0]:
        found = []
        for (key, old), new in zip(items_of(before), after[1:], strict=True):
            simple = key.__class__ is str and key.isidentifier()
            found += changes(f"{name}.{key}" if simple else f"{name}[{tla_text(key)}]", old, new)
        return found
    if isinstance(before, frozenset) and isinstance(after, frozenset):
        more = [f"{name}: + {tla_text(x)}" for x in ordered(frozenset(after - before))]
        return more + [f"{name}: - {tla_text(x)}" for x in ordered(frozenset(before - after))]
    old, new = tla_text(before), tla_text(after)
    if len(name) + len(old) + len(new) > _WIDTH:
        return lines_of(name, after)
    return [f"{name}: {old} -> {new}"]


def as_json(value: Value) -> Any:
    """A value as JSON: sets and sequences are arrays, records are objects, other functions arrays of pairs."""
    if value is TRUE or value is FALSE:
        return value is TRUE
    if isinstance(value, ModelValue):
        return value.name
    if isinstance(value, frozenset):
        return [as_json(x) for x in ordered(frozenset(value))]
    if value.__class__ is tuple:
        if hasattr(value[0], "size"):
            return [as_json(x) for x in value[1:]]
        named = all(isinstance(key, str | ModelValue) for key in value[0].keys)
        pairs = [(as_json(key), as_json(x)) for key, x in items_of(value)]
        return dict(pairs) if named else [list(pair) for pair in pairs]
    return value


def as_itf(value: Value) -> Any:
    """A value in the Informal Trace Format (Apalache's ADR 015)."""
    if isinstance(value, bool) or value.__class__ is str:
        return value
    if value.__class__ is int:
        return {"#bigint": str(value)}
    if isinstance(value, frozenset):
        return {"#set": [as_itf(x) for x in ordered(frozenset(value))]}
    if value.__class__ is tuple:
        if hasattr(value[0], "size"):
            return {"#tup": [as_itf(x) for x in value[1:]]}
        if _is_record(value):
            return {key: as_itf(x) for key, x in items_of(value)}
        return {"#map": [[as_itf(key), as_itf(x)] for key, x in items_of(value)]}
    return as_json(value)
