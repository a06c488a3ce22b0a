"""Comparisons that TLC refuses: of a number with a string, of a set with a tuple, and what has such parts.

A model value may be compared with anything, and is different from all but itself. Of two functions with one domain
the first values that differ are compared; of two records it is enough that some values can be told apart.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from leadline.symbolic.lang import (
    BOOL,
    Atoms,
    Bool,
    Graph,
    Int,
    Map,
    Never,
    Record,
    Seq,
    Set,
    Slots,
    Sort,
    Tuple,
    Type,
    Union,
    item_of,
    nodes as n,
)
from leadline.symbolic.tla.lower import shapes, slots

if TYPE_CHECKING:
    from leadline.symbolic.tla.lower.terms import Terms

CLASH = "values of different kinds are compared"


def _typed(name: str) -> str | None:
    """The type of a typed model value such as `a_1`."""
    return name[0] if len(name) > 2 and name[1] == "_" and name[0].isalpha() else None


def _free(kind: Atoms | Sort) -> list[str]:
    """The members that may be compared with any value."""
    return [name for name in kind.members if not shapes.is_string(name) and _typed(name) is None]


@lru_cache(maxsize=50_000)
def may_clash(a: Type, b: Type) -> bool:
    """Whether TLC refuses to compare some values of the types."""
    if isinstance(a, Union) or isinstance(b, Union):
        return any(may_clash(x, y) for x in shapes.variants(a).values() for y in shapes.variants(b).values())
    match a, b:
        case (Never(), _) | (_, Never()) | (Bool(), Bool()) | (Int(), Int()):
            return False
        case ((Atoms() | Sort()), (Atoms() | Sort())):
            return len({_group(name) for name in (*a.members, *b.members)} - {""}) > 1
        case ((Atoms() | Sort()) as atoms, _) | (_, (Atoms() | Sort()) as atoms):
            return len(_free(atoms)) < len(atoms.members)
        case (Slots(), _) | (_, Slots()):
            return shapes.rank_of(a) != shapes.rank_of(b)  # what lies in slots is not compared one by one
        case ((Graph() | Map()), (Graph() | Map())) if isinstance(a, Graph) or isinstance(b, Graph):
            (key, value), (other, item) = shapes.argument_and_value(a), shapes.argument_and_value(b)
            return may_clash(key, other) or may_clash(shapes.given(value), shapes.given(item))
        case (Graph(), other) | (other, Graph()):
            return other != Tuple(())
        case Set(item=x), Set(item=y):
            return may_clash(x, y)
    if not (_is_function(a) and _is_function(b)):
        return True
    pairs = _paired(a, b)
    return pairs is None or any(may_clash(x, y) for x, y in pairs)


def _group(name: str) -> str:
    """Atoms of two groups cannot be compared; those of the group "" can be with all."""
    return '"' if shapes.is_string(name) else _typed(name) or ""


def _is_function(kind: Type) -> bool:
    return isinstance(kind, Record | Tuple | Seq | Map) and not isinstance(kind, Slots)


def _paired(a: Type, b: Type) -> list[tuple[Type, Type]] | None:
    """The types of the values that are compared in two functions; None if their arguments are already refused."""
    match a, b:
        case Record(), Record():
            same = list(a.positions) == list(b.positions)
            return list(zip(a.parts, b.parts, strict=True)) if same else []
        case Tuple(items=xs), Tuple(items=ys):
            return list(zip(xs, ys, strict=True)) if len(xs) == len(ys) else []
        case (Record(), Map()) | (Map(), Record()) if shapes.is_keyed(a) or shapes.is_keyed(b):
            record, keyed = (a, b) if isinstance(a, Record) else (b, a)
            return [(shapes.joined(record.parts), _results(keyed))]
        case (Record(), Map(key=Atoms() | Sort())) | (Map(key=Atoms() | Sort()), Record()):
            return []
        case (Record(), _) | (_, Record()):
            return None
        case ((Seq() | Tuple()), (Seq() | Tuple())):
            return [(shapes.sequence_of(a).item, shapes.sequence_of(b).item)]
        case Map(), Map():
            return [(shapes.given(a.value), shapes.given(b.value))]
        case (Map(key=Int()), (Seq() | Tuple())) | ((Seq() | Tuple()), Map(key=Int())):
            return [(_results(a), _results(b))]
    return []


def _results(kind: Type) -> Type:
    return shapes.given(kind.value) if isinstance(kind, Map) else shapes.sequence_of(kind).item


def clash(t: Terms, a: n.Node, b: n.Node) -> n.Node:
    """Whether TLC refuses to compare two values."""
    if not may_clash(a.type, b.type):
        return t.boolean(False)
    if isinstance(a.type, Union):
        return _by_tag(t, a, lambda x: clash(t, x, b))
    if isinstance(b.type, Union):
        return _by_tag(t, b, lambda x: clash(t, a, x))
    match a.type, b.type:
        case ((Atoms() | Sort()), (Atoms() | Sort())):
            return _atoms(t, a, b)
        case (Atoms() | Sort(), _):
            return t.negation(is_free(t, a))
        case (_, Atoms() | Sort()):
            return t.negation(is_free(t, b))
        case (Graph(), (Map() | Record())) | ((Map() | Record()), Graph()) if not isinstance(
            shapes.join(a.type, b.type), Union
        ):
            return clash(t, *_alike(t, a, b))
        case Set(), Set() if isinstance(a.type, Graph) is isinstance(b.type, Graph):
            size = t.make(n.Eq, BOOL, *_alike(t, t.cardinality(a), t.cardinality(b)))
            some = some_clash(t, a, lambda x: some_clash(t, b, lambda y: clash(t, x, y)))
            return t.conj([size, t.negation(t.same(a, b)), some])
    if _is_function(a.type) and _is_function(b.type):
        return _functions(t, a, b)
    return t.boolean(True)


def is_free(t: Terms, node: n.Node) -> n.Node:
    """Whether a value is a model value that may be compared with all."""
    return has_name(t, node, _free(node.type)) if isinstance(node.type, Atoms | Sort) else t.boolean(False)


def some_clash(t: Terms, whole: n.Node, test: Callable[[n.Node], n.Node]) -> n.Node:
    """Whether a set has an element of which this holds."""
    if slots.in_slots(whole.type):
        return slots.over(t, False, whole, test)
    if isinstance(item_of(whole), Never):
        return t.boolean(False)
    elements = whole.items if isinstance(whole, n.SetOf) else t.elements(whole)
    if elements is not None and len(elements) <= 50:
        return t.disj([test(x) for x in elements])
    return t.bind(n.Exists, whole, "x", test)


def _alike(t: Terms, a: n.Node, b: n.Node) -> tuple[n.Node, n.Node]:
    kind = shapes.join(a.type, b.type)
    return t.convert(a, kind), t.convert(b, kind)


def _by_tag(t: Terms, node: n.Node, of: Callable[[n.Node], n.Node]) -> n.Node:
    assert isinstance(node.type, Union)
    tests = [t.conj([t.has_tag(node, tag), of(t.variant(node, tag))]) for tag in node.type.by_tag]
    return t.disj(tests)


def has_name(t: Terms, node: n.Node, names: list[str]) -> n.Node:
    """Whether a string or model value has one of these names."""
    assert isinstance(node.type, Atoms | Sort)
    if len(names) == len(node.type.members) or not names:
        return t.boolean(bool(names))
    return t.disj([t.same(node, t.atom(name)) for name in names])


def _atoms(t: Terms, a: n.Node, b: n.Node) -> n.Node:
    assert isinstance(a.type, Atoms | Sort) and isinstance(b.type, Atoms | Sort)
    groups = sorted({_group(name) for name in a.type.members} - {""})
    tests: list[n.Node] = []
    for group in groups:
        mine = [name for name in a.type.members if _group(name) == group]
        others = [name for name in b.type.members if _group(name) not in ("", group)]
        tests.append(t.conj([has_name(t, a, mine), has_name(t, b, others)]))
    return t.disj(tests)


def _functions(t: Terms, a: n.Node, b: n.Node) -> n.Node:
    match a.type, b.type:
        case Record(), Record():
            pairs = list(zip(t.components(a), t.components(b), strict=True))
            refused = [clash(t, x, y) for x, y in pairs]
            each = [t.disj([t.same(x, y), no]) for (x, y), no in zip(pairs, refused, strict=True)]
            return t.conj([t.disj(refused), *each])
        case (Record(), Map()) | (Map(), Record()) if shapes.is_keyed(a.type) or shapes.is_keyed(b.type):
            return _maps(t, *_alike(t, a, b))
        case (Record(), _) | (_, Record()):
            other = t.domain(a if isinstance(b.type, Record) else b)
            return t.negation(t.same(other, t.set_of([])))
        case Tuple(), Tuple():
            return _first(
                t, [(t.boolean(True), x, y) for x, y in zip(t.components(a), t.components(b), strict=True)]
            )
        case ((Seq() | Tuple()), (Seq() | Tuple())):
            return _sequences(t, a, b)
    return _maps(t, *_alike(t, a, b))


def _first(t: Terms, pairs: list[tuple[n.Node, n.Node, n.Node]]) -> n.Node:
    """Whether the first values that differ are refused; each pair is there if its condition holds."""
    result: n.Node = t.boolean(False)
    for there, x, y in reversed(pairs):
        result = t.ite(t.conj([there, t.negation(t.same(x, y))]), clash(t, x, y), result)
    return result


def _sequences(t: Terms, a: n.Node, b: n.Node) -> n.Node:
    """Whether two sequences of one length are refused."""
    size = t.length(a)
    most = min(shapes.sequence_of(x.type).capacity for x in (a, b))
    pairs = [
        (t.le(t.integer(place), size), t.apply(a, t.integer(place)), t.apply(b, t.integer(place)))
        for place in range(1, most + 1)
    ]
    return t.conj([t.same(size, t.length(b)), _first(t, pairs)])


def _maps(t: Terms, a: n.Node, b: n.Node) -> n.Node:
    """Whether two maps of one domain are refused."""
    assert isinstance(a.type, Map) and isinstance(b.type, Map)
    domain = t.domain(a)
    keys = [t.narrowed(a.type.key, key) for key in a.type.keys if b.type.key.contains(key)]
    pairs = [(t.member(key, domain), t.apply(a, key), t.apply(b, key)) for key in keys]
    return t.conj([t.same(domain, t.domain(b)), _first(t, pairs)])
