"""The set of all values of a type, as TLA+ text."""

from __future__ import annotations

from collections.abc import Mapping

from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.tla_text import Text, atom, infix
from leadline.symbolic.lang.types import Bool, Enum, Int, Option, Sort, Type

Named = Mapping[Type, str]
"""The operators that stand for types."""

NONE: Named = {}


def set_text(kind: Type, named: Named = NONE, depth: int = 0) -> Text:
    """The set of a type's values: `BOOLEAN`, `0..3`, a sort's name, `SUBSET S`, `[f : S, g : T]` and so on.

    Args:
        kind: the type.
        named: the operators that stand for types, this one and those inside it.
        depth: how many bound variables of this text lie around it.
    """
    if kind in named:
        return atom(named[kind])
    match kind:
        case Bool():
            return atom("BOOLEAN")
        case Int(low=low, high=high):
            return Text(f"{low}..{high}", 9, 9)
        case Sort(name=name):
            return atom(name)
        case Enum():
            return atom(f"{{{', '.join(map(kind.tla, kind.members))}}}")
        case Option(item=item):
            return infix("\\cup", 8, 8, set_text(item, named, depth), atom("{None}"))
        case Set(item=item):
            # TLA+'s own parser lets SUBSET bind as tightly as the arithmetic operators.
            return Text(f"SUBSET {set_text(item, named, depth).above(13)}", 8, 8)
        case Map(key=key, value=value):
            return atom(f"[{set_text(key, named, depth).text} -> {set_text(value, named, depth).text}]")
        case Seq(item=item, capacity=capacity):
            return atom(f"BoundedSeq({set_text(item, named, depth).text}, {capacity})")
        case Record():
            return atom(_records(record_sets(kind, named, depth)))
        case Union() if kind.variants:
            shapes = [atom(_records(fields)) for fields in variant_sets(kind, named, depth)]
            return infix("\\cup", 8, 8, *shapes) if len(shapes) > 1 else shapes[0]
        case Tuple(items=items):
            return _tuples(items, named, depth)
    return atom("{}")


def record_sets(kind: Record, named: Named = NONE, depth: int = 0) -> dict[str, str]:
    """The set of each field's values, by the field's name."""
    return {camel(name): set_text(part, named, depth).text for name, part in kind.fields}


def variant_sets(kind: Union, named: Named = NONE, depth: int = 0) -> list[dict[str, str]]:
    """The same of each variant, which is a record whose field `type` holds the tag."""
    return [{"type": f'{{"{tag}"}}'} | record_sets(record, named, depth) for tag, record in kind.variants]


def _records(fields: dict[str, str]) -> str:
    if not fields:
        return "{<<>>}"
    return f"[{', '.join(f'{name} : {text}' for name, text in fields.items())}]"


def _tuples(items: tuple[Type, ...], named: Named, depth: int) -> Text:
    if len(items) > 1:
        return infix("\\X", 10, 13, *(set_text(item, named, depth) for item in items))
    if not items:
        return atom("{<<>>}")
    # No name of a protocol ends in an underscore here, so the variable cannot clash with one.
    item = f"item{depth or ''}_"
    return atom(f"{{<<{item}>> : {item} \\in {set_text(items[0], named, depth + 1).above(5)}}}")
