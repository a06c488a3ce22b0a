"""The set of all values of a type, as TLA+ text."""

from __future__ import annotations

from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.tla_text import Text, atom, infix, prefix
from leadline.symbolic.lang.types import Bool, Enum, Int, Option, Sort, Type


def set_text(kind: Type, depth: int = 0) -> Text:
    """The set of a type's values: `BOOLEAN`, `0..3`, a sort's name, `SUBSET S`, `[f : S, g : T]` and so on.

    Args:
        kind: the type.
        depth: how many bound variables of this text lie around it.
    """
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
            return infix("\\cup", 8, 8, set_text(item, depth), atom("{None}"))
        case Set(item=item):
            return prefix("SUBSET ", set_text(item, depth), 8)
        case Map(key=key, value=value):
            return atom(f"[{set_text(key, depth).text} -> {set_text(value, depth).text}]")
        case Seq(item=item, capacity=capacity):
            # No name of a protocol ends in an underscore here, so the variable cannot clash with one.
            size = f"size{depth or ''}_"
            lists = f"[1..{size} -> {set_text(item, depth + 1).text}]"
            return prefix("UNION ", atom(f"{{{lists} : {size} \\in 0..{capacity}}}"), 8)
        case Record(fields=fields):
            return _records({camel(name): set_text(part, depth).text for name, part in fields})
        case Union(variants=variants) if variants:
            shapes = [_shape(tag, record, depth) for tag, record in variants]
            return infix("\\cup", 8, 8, *shapes) if len(shapes) > 1 else shapes[0]
        case Tuple(items=items):
            return _tuples(items, depth)
    return atom("{}")


def _shape(tag: str, record: Record, depth: int) -> Text:
    fields = {camel(name): set_text(part, depth).text for name, part in record.fields}
    return _records({"type": f'{{"{tag}"}}'} | fields)


def _records(fields: dict[str, str]) -> Text:
    if not fields:
        return atom("{<<>>}")
    return atom(f"[{', '.join(f'{name} : {text}' for name, text in fields.items())}]")


def _tuples(items: tuple[Type, ...], depth: int) -> Text:
    if len(items) > 1:
        return infix("\\X", 10, 13, *(set_text(item, depth) for item in items))
    if not items:
        return atom("{<<>>}")
    item = f"item{depth or ''}_"
    return atom(f"{{<<{item}>> : {item} \\in {set_text(items[0], depth + 1).above(5)}}}")
