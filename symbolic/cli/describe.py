"""Types as TLA+ writes the sets of their values, and how large they are."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable

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
from leadline.symbolic.trace.values import field_names


def tla_type(kind: Type) -> str:
    """The set of a type's values in TLA+ (a sequence's with its greatest length, which TLA+ has no word for).

    >>> from leadline.symbolic.lang import Int, Map, Set, sort
    >>> tla_type(Map(sort("Node", 2), Set(Int(0, 3))))
    '[Node -> SUBSET (0..3)]'
    """
    match kind:
        case Bool():
            return "BOOLEAN"
        case Int():
            return f"{kind.low}..{kind.high}"
        case Sort():
            return kind.name
        case Enum():
            return "{" + ", ".join(map(kind.tla, kind.members)) + "}"
        case Option():
            return f"{_operand(kind.item)} \\cup {{None}}"
        case Tuple():
            return " \\X ".join(map(_operand, kind.items)) if kind.items else "{<<>>}"
        case Record():
            return f"[{_fields(kind)}]"
        case Union():
            return " \\cup ".join(_variant(tag, shape) for tag, shape in kind.variants)
        case Set():
            return f"SUBSET {_operand(kind.item)}"
        case Map():
            return f"[{tla_type(kind.key)} -> {tla_type(kind.value)}]"
        case Seq():
            return f"Seq({tla_type(kind.item)}) up to {kind.capacity}"
    raise InternalError(f"{kind!r} has no TLA+ form")


def _operand(kind: Type) -> str:
    plain = isinstance(kind, (Bool, Sort, Enum, Record, Map)) or (
        isinstance(kind, Union) and len(kind.variants) == 1
    )
    return tla_type(kind) if plain else f"({tla_type(kind)})"


def _fields(kind: Record) -> str:
    return ", ".join(
        f"{name}: {tla_type(part)}" for name, part in zip(field_names(kind), kind.parts, strict=True)
    )


def _variant(tag: str, shape: Record) -> str:
    fields = _fields(shape)
    return f'[type: {{"{tag}"}}' + (f", {fields}]" if fields else "]")


def bits(kind: Type) -> float:
    """The binary logarithm of the number of a type's values, which itself may be beyond all memory."""
    match kind:
        case Tuple() | Record():
            return sum(map(bits, kind.parts))
        case Map():
            return kind.key.cardinality * bits(kind.value)
        case Set():
            exponent = bits(kind.item)
            return 2.0**exponent if exponent < 1000 else math.inf
        case Option():
            return _log_sum([0.0, bits(kind.item)])
        case Union():
            return _log_sum([bits(shape) for _, shape in kind.variants])
        case Seq():
            return _log_sum([length * bits(kind.item) for length in range(kind.capacity + 1)])
    return math.log2(kind.cardinality) if kind.cardinality else -math.inf


def _log_sum(exponents: list[float]) -> float:
    top = max(exponents)
    return top if math.isinf(top) else top + math.log2(sum(2.0 ** (x - top) for x in exponents))


def size(exponent: float) -> str:
    """The number 2 to the exponent: in full while it is small, else as a power.

    >>> size(3.0), size(70.25)
    ('8', '2^70.2')
    """
    return f"{round(2.0**exponent)}" if exponent < 20 else f"2^{exponent:.1f}"


def sorts_of(model: Model) -> list[Sort]:
    """The sorts that the variables' types and the picks name, each once."""
    roots = [variable.type for variable in model.variables]
    roots += [pick.type for action in (model.init, *model.actions) for pick in action.picks]
    found: dict[Sort, None] = {}
    seen: set[Type] = set()
    while roots:
        kind = roots.pop(0)
        if kind not in seen:
            seen.add(kind)
            roots.extend(kind.parts)
            if isinstance(kind, Sort):
                found[kind] = None
    return list(found)


def summary(doc: str) -> str:
    """The first sentence or line of a docstring."""
    return " ".join(doc.split("\n\n", 1)[0].split())


def indented(doc: str, by: int) -> Iterable[str]:
    """A docstring's lines, indented."""
    return textwrap.indent(doc, " " * by).splitlines() if doc else ()
