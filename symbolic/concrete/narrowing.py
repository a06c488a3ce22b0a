"""What must be checked when a value of one type is used as a value of another."""

from __future__ import annotations

from leadline.symbolic.concrete.module import Lines, Module
from leadline.symbolic.lang import Int, Map, Option, Record, Seq, Set, Tuple, Type, Union


def condition(module: Module, source: Type, target: Type, text: str) -> str | None:
    """A condition for a value of the source type to be one of the target's, or None if it always is.

    Args:
        source: a type whose values have the target's shape (`leadline.symbolic.lang.gate.fits`).
        text: a name, or components of it, that holds the value.
    """
    if target.includes(source):
        return None
    match source, target:
        case Option(), Option():
            inner = condition(module, source.item, target.item, text)
            return f"({text} is None or {inner})"
        case _, Option():
            return condition(module, source, target.item, text)
        case Int(), Int():
            return _range(source, target, text)
        case (Tuple(), Tuple()) | (Record(), Record()):
            pairs = enumerate(zip(source.parts, target.parts, strict=True))
            inside = [condition(module, a, b, f"{text}[{place}]") for place, (a, b) in pairs]
            return "(" + " and ".join(x for x in inside if x is not None) + ")"
        case Union(), Union():
            return _variants(module, source, target, text)
        case Seq(), Seq():
            items = _every(module, source.item, target.item, text)
            length = f"len({text}) <= {target.capacity}" if target.capacity < source.capacity else None
            return "(" + " and ".join(x for x in (length, items) if x is not None) + ")"
        case Set(), Set():
            return _every(module, source.item, target.item, text)
        case Map(), Map():
            return _every(module, source.value, target.value, text)
    raise TypeError(f"values of {source!r} do not have the shape of {target!r}")


def _range(source: Int, target: Int, text: str) -> str:
    low = f"{target.low} <= " if source.low < target.low else ""
    high = f" <= {target.high}" if source.high > target.high else ""
    return f"({low}{text}{high})"


def _variants(module: Module, source: Union, target: Union, text: str) -> str:
    tests = []
    for (tag, a), (_, b) in zip(source.variants, target.variants, strict=True):
        inner = condition(module, a, b, f"{text}[1]")
        if inner is not None:
            tests.append(f"({text}[0] != {module.literal(tag, target.tags)} or {inner})")
    return "(" + " and ".join(tests) + ")"


def _every(module: Module, source: Type, target: Type, text: str) -> str | None:
    inner = condition(module, source, target, "x")
    if inner is None:
        return None
    body: Lines = ["for x in items:", [f"if not {inner}:", ["return False"]], "return True"]
    return f"{module.shared_function(('every', source, target), 'items', lambda: body)}({text})"
