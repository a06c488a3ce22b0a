"""The sets of types' values as TLA+ text, and names for bound variables that TLA+ accepts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from leadline.symbolic.lang import (
    Atoms,
    Bool,
    Enum,
    Int,
    Listed,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Sort,
    Text,
    Tuple,
    Type,
    Union,
    all_types,
    atom,
    camel,
    in_tla,
    infix,
    nodes as n,
    spoken,
)
from leadline.symbolic.notation.names import candidates

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
        case Enum() | Atoms() | Listed():
            return atom(f"{{{', '.join(in_tla(kind, x) for x in kind.members)}}}")
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
    parts = zip(kind.labels, kind.parts, strict=True)
    return {name: set_text(part, named, depth).text for name, part in parts}


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


def bound_names(
    nodes: Sequence[n.Node], variable: Callable[[str], str], around: Collection[str] = ()
) -> Mapping[n.Bound, str]:
    """A name for each bound variable: its own, with a number where another of that name lies around it.

    Args:
        nodes: all nodes of the expression, children before parents.
        variable: the TLA+ name of a state variable.
        around: more names that mean something around the expression.
    """
    taken = _names_outside(nodes, variable).union(around)
    inside: dict[n.Node, frozenset[n.Bound]] = {}
    rivals: dict[n.Bound, set[n.Bound]] = {}
    for node in nodes:
        below = frozenset().union(*(inside[child] for child in n.children(node)))
        if isinstance(node, n.BINDERS):
            rivals.setdefault(node.var, set()).update(inside[node.body])
            below |= {node.var}
        inside[node] = below
    names: dict[n.Bound, str] = {}
    # Variables that are bound inside have a lower level, so they are named first.
    for var in sorted(rivals, key=lambda bound: (bound.level, bound.name, repr(bound.type))):
        unfit = taken | {names[other] for other in rivals[var]}
        names[var] = next(name for name in candidates(spoken(var)) if name not in unfit)
    return names


def _names_outside(nodes: Sequence[n.Node], variable: Callable[[str], str]) -> set[str]:
    taken = {"None"}
    for node in nodes:
        if isinstance(node, n.StateVar):
            taken.add(variable(node.name))
        elif isinstance(node, n.PickVar):
            taken.add(camel(node.name))
    for kind in all_types({node.type for node in nodes}):
        if isinstance(kind, Sort):
            taken.update((kind.name, *kind.members))
    return taken
