"""A trace in the Informal Trace Format of Apalache (its ADR 015), for the viewers that read it.

Names are those of TLA+. Sorts and enumerations are strings, an option is its value or the string "None",
a union is a variant ``{"tag": ..., "value": record}``, as in Apalache with "U_OF_UNIT" for an empty record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import itf_py

from leadline.symbolic.lang import (
    Bool,
    Enum,
    Int,
    InternalError,
    Map,
    Model,
    Option,
    Record,
    Seq,
    Set,
    Sort,
    Tuple,
    Type,
    Union,
)
from leadline.symbolic.lang.types import Value
from leadline.symbolic.trace.text import headline
from leadline.symbolic.trace.trace import Trace, call_of, setting
from leadline.symbolic.trace.values import field_names

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"


def itf(model: Model, trace: Trace, reason: str | None = None) -> dict[str, Any]:
    """The trace as a JSON object in ITF. A step that goes out of bounds has no state and is told in `#meta`.

    Args:
        model: the model.
        trace: a run of it.
        reason: why its end is out of bounds, as `end_reason` says.
    """
    names = [variable.tla for variable in model.variables]
    states = [
        itf_py.State(
            meta={"index": number, "action": call_of(model, stage)},
            values={v.tla: _value(v.type, x) for v, x in zip(model.variables, stage.state, strict=True)},
        )
        for number, stage in enumerate(trace.stages)
        if stage.state is not None
    ]
    meta = {
        "format": "ITF",
        "format-description": FORMAT,
        "description": headline(model, trace),
        "protocol": model.protocol,
        "parameters": {name: setting(value) for name, value in model.parameters.items() if value is not None},
        "ends": str(trace.ends),
    }
    if trace.last is None:
        meta["out-of-bounds"] = call_of(model, trace.stages[-1]) + (f": {reason}" if reason else "")
    written: dict[str, Any] = itf_py.trace_to_json(itf_py.Trace(meta, [], names, states, None))
    del written["loop"]  # optional, and null is no index
    return written


class _Set(frozenset[Any]):
    """A set for the writer of itf-py, which iterates: in our order, and its members need no hash."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._in_order = tuple(items)

    def __new__(cls, items: Iterable[Any]) -> _Set:
        return super().__new__(cls)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._in_order)


class _Map(dict[Any, Any]):
    """A map for the writer of itf-py, which goes by `items`: with keys that need no hash."""

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        super().__init__()
        self._in_order = tuple(pairs)

    def items(self) -> Any:
        return self._in_order


class _Record:
    """A record for the writer of itf-py, which goes by attributes: a field may have a keyword's name."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)


def _value(kind: Type, value: Value) -> Any:
    """A value as itf-py wants it."""
    match kind:
        case Bool() | Int() | Enum() | Sort():
            return value
        case Option():
            return "None" if value is None else _value(kind.item, value)
        case Tuple():
            return tuple(_value(part, x) for part, x in zip(kind.items, value, strict=True))
        case Seq():
            return [_value(kind.item, x) for x in value]
        case Set():
            return _Set([_value(kind.item, x) for x in sorted(value, key=kind.item.rank)])
        case Map():
            pairs = zip(kind.keys, value, strict=True)
            return _Map([(_value(kind.key, k), _value(kind.value, v)) for k, v in pairs])
        case Record():
            parts = zip(field_names(kind), kind.parts, value, strict=True)
            return _Record({name: _value(part, x) for name, part, x in parts})
        case Union():
            return _variant(kind.by_tag[value[0]], *value)
    raise InternalError(f"values of {kind!r} have no ITF form")


def _variant(shape: Record, tag: str, payload: Value) -> Any:
    named = itf_py.itf_variant(type(tag, (_Record,), {}))
    return named({"value": _value(shape, payload) if shape.fields else "U_OF_UNIT"})
