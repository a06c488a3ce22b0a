"""The ways to make an expression of a type from smaller ones, each a function of a `Maker`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from hypothesis import strategies as st

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    Union,
    all_of,
    any_of,
    choose,
    exists,
    forall,
    int_range,
    ite,
    map_of,
    maximum,
    minimum,
    of,
    replace,
    sort,
    undefined,
)

if TYPE_CHECKING:
    from tests.random_expressions import Maker

Scope: TypeAlias = tuple[Any, ...]
KEY = sort("Key", 2)
SMALL = (Bool(), Int(0, 2), Int(-1, 1), KEY)
"""The types of operands that the result does not fix."""


Way: TypeAlias = Callable[["Maker", Any, Scope, int], Any]
"""How to make an expression of a type: `(maker, type, scope, depth of the operands)`."""

# -- of every type ----------------------------------------------------------------------------------


def leaf(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return m.leaf(kind, scope)


def _ite(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return ite(m.bool(scope, depth), m.make(kind, scope, depth), m.make(kind, scope, depth))


def _component(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    if m.draw(st.booleans()):
        return m.make(Tuple((Bool(), kind)), scope, depth)[1]
    return m.make(Record("Box", (("content", kind),)), scope, depth).content


def _payload(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    shapes = (("full", Record("full", (("content", kind),))), ("bare", Record("bare", ())))
    return m.make(Union("Parcel", shapes), scope, depth).as_a("full").content


def _get(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    if isinstance(kind, Option):
        return m.leaf(kind, scope)
    option = m.make(Option(kind), scope, depth)
    return option.value if m.draw(st.booleans()) else option.or_else(m.make(kind, scope, depth))


def _apply(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return m.make(Map(KEY, kind), scope, depth)[m.make(KEY, scope, depth)]


def _index(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return m.make(Seq(kind, 2), scope, depth)[m.integer(scope, depth)]


def _choose(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    if kind.cardinality > 8:
        return m.leaf(kind, scope)
    domain = kind if m.draw(st.booleans()) else m.make(Set(kind), scope, depth)
    return choose(domain, lambda x: m.bool((*scope, x), depth))


def _undefined(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return ite(m.bool(scope, depth), m.make(kind, scope, depth), undefined(kind, "left out"))


ANYWHERE: list[Way] = [_ite, _component, _payload, _get, _apply, _index, _choose, _undefined]

# -- Booleans ---------------------------------------------------------------------------------------


def _connective(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    parts = [m.bool(scope, depth) for _ in range(m.draw(st.integers(2, 3)))]
    return m.draw(st.sampled_from((all_of, any_of)))(*parts)


def _not(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return ~m.bool(scope, depth)


def _implies(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return m.bool(scope, depth).implies(m.bool(scope, depth))


def _equal(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    other = m.other(scope)
    return m.make(other, scope, depth) == m.make(other, scope, depth)


def _compare(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    left, right = m.integer(scope, depth), m.integer(scope, depth)
    return left < right if m.draw(st.booleans()) else left <= right


def _quantified(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    item = m.few(scope)
    domain = item if m.draw(st.booleans()) else m.make(Set(item), scope, depth)
    return m.draw(st.sampled_from((forall, exists)))(domain, lambda x: m.bool((*scope, x), depth))


def _member(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    item = m.few(scope)
    return m.make(Set(item), scope, depth).has(m.make(item, scope, depth))


def _subset(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    whole = Set(m.few(scope))
    return m.make(whole, scope, depth) <= m.make(whole, scope, depth)


def _is_some(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return m.make(Option(m.draw(st.sampled_from(SMALL))), scope, depth).is_some


def _is_variant(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    shapes = (("full", Record("full", (("content", Int(0, 2)),))), ("bare", Record("bare", ())))
    return m.make(Union("Parcel", shapes), scope, depth).is_a("full")


_BOOLEANS: list[Way] = [
    *(_connective, _not, _implies, _equal, _compare),
    *(_quantified, _member, _subset, _is_some, _is_variant),
]

# -- integers: most leave the wanted range, so that a coercion decides --------------------------------


def _arithmetic(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    left, right = m.integer(scope, depth), m.integer(scope, depth)
    ways: tuple[Callable[[], Any], ...] = (lambda: left + right, lambda: left - right, lambda: left * right)
    return m.draw(st.sampled_from(ways))()


def _divided(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    left, right = m.integer(scope, depth), m.make(Int(0, 3), scope, depth)
    return left // right if m.draw(st.booleans()) else left % right


def _extreme(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    whole = m.make(Set(Int(-1, 2)), scope, depth)
    return whole.least if m.draw(st.booleans()) else whole.greatest


def _lesser(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return m.draw(st.sampled_from((minimum, maximum)))(m.make(kind, scope, depth), m.make(kind, scope, depth))


def _size(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return m.make(Set(m.few(scope)), scope, depth).size


def _length(m: Maker, kind: Type, scope: Scope, depth: int) -> Any:
    return m.make(Seq(m.draw(st.sampled_from(SMALL)), 2), scope, depth).length


_INTEGERS: list[Way] = [_arithmetic, _arithmetic, _divided, _extreme, _lesser, _size, _length]

# -- structures -------------------------------------------------------------------------------------


def _some(m: Maker, kind: Option, scope: Scope, depth: int) -> Any:
    return m.make(kind.item, scope, depth)


def _tuple(m: Maker, kind: Tuple, scope: Scope, depth: int) -> Any:
    return of(kind, *(m.make(part, scope, depth) for part in kind.items))


def _record(m: Maker, kind: Record, scope: Scope, depth: int) -> Any:
    return of(kind, **{name: m.make(part, scope, depth) for name, part in kind.fields})


def _replaced(m: Maker, kind: Record, scope: Scope, depth: int) -> Any:
    name, part = m.draw(st.sampled_from(kind.fields))
    return replace(m.make(kind, scope, depth), **{name: m.make(part, scope, depth)})


def _variant(m: Maker, kind: Union, scope: Scope, depth: int) -> Any:
    tag, shape = m.draw(st.sampled_from(kind.variants))
    return of(kind, tag, **{name: m.make(part, scope, depth) for name, part in shape.fields})


def _built_map(m: Maker, kind: Map, scope: Scope, depth: int) -> Any:
    return map_of(kind.key, lambda key: m.make(kind.value, (*scope, key), depth))


def _changed_map(m: Maker, kind: Map, scope: Scope, depth: int) -> Any:
    return m.make(kind, scope, depth).set(m.make(kind.key, scope, depth), m.make(kind.value, scope, depth))


def _listed(m: Maker, kind: Seq, scope: Scope, depth: int) -> Any:
    return of(kind, *(m.make(kind.item, scope, depth) for _ in range(m.draw(st.integers(0, kind.capacity)))))


def _joined(m: Maker, kind: Seq, scope: Scope, depth: int) -> Any:
    whole = m.make(kind, scope, depth)
    if m.draw(st.booleans()):
        return whole.append(m.make(kind.item, scope, depth))
    return whole.concat(m.make(kind, scope, depth))


def _cut(m: Maker, kind: Seq, scope: Scope, depth: int) -> Any:
    return m.make(kind, scope, depth).slice(m.integer(scope, depth), m.integer(scope, depth))


def _changed_seq(m: Maker, kind: Seq, scope: Scope, depth: int) -> Any:
    return m.make(kind, scope, depth).set(m.integer(scope, depth), m.make(kind.item, scope, depth))


def _kept_items(m: Maker, kind: Seq, scope: Scope, depth: int) -> Any:
    return m.make(kind, scope, depth).filter(lambda x: m.bool((*scope, x), depth))


_SEQUENCES: list[Way] = [_listed, _joined, _cut, _changed_seq, _kept_items]

# -- sets -------------------------------------------------------------------------------------------


def _set_of(m: Maker, kind: Set, scope: Scope, depth: int) -> Any:
    return of(kind, *(m.make(kind.item, scope, depth) for _ in range(m.draw(st.integers(0, 2)))))


def _all_of_type(m: Maker, kind: Set, scope: Scope, depth: int) -> Any:
    return kind.item


def _set_operation(m: Maker, kind: Set, scope: Scope, depth: int) -> Any:
    left, right = m.make(kind, scope, depth), m.make(kind, scope, depth)
    ways: tuple[Callable[[], Any], ...] = (lambda: left | right, lambda: left & right, lambda: left - right)
    return m.draw(st.sampled_from(ways))()


def _kept(m: Maker, kind: Set, scope: Scope, depth: int) -> Any:
    return m.make(kind, scope, depth).filter(lambda x: m.bool((*scope, x), depth))


def _image(m: Maker, kind: Set, scope: Scope, depth: int) -> Any:
    source = Set(m.few(scope))
    return m.make(source, scope, depth).map(lambda x: m.make(kind.item, (*scope, x), depth))


def _flattened(m: Maker, kind: Set, scope: Scope, depth: int) -> Any:
    if kind.item.cardinality > 3:
        return m.leaf(kind, scope)
    return m.make(Set(kind), scope, depth).flatten()


_SETS: list[Way] = [_set_of, _all_of_type, _set_operation, _kept, _image, _flattened]


def _span_of_integers(m: Maker, kind: Set, scope: Scope, depth: int) -> Any:
    return int_range(m.integer(scope, depth), m.integer(scope, depth))


_INTEGER_SETS: list[Way] = [_span_of_integers]


def ways_of(kind: Type) -> list[Way]:
    """The ways that make a value of this very type, `ANYWHERE` aside."""
    match kind:
        case Bool():
            return _BOOLEANS
        case Int():
            return _INTEGERS
        case Option():
            return [_some]
        case Tuple():
            return [_tuple]
        case Record(fields=fields):
            return [_record, _replaced] if fields else []
        case Union():
            return [_variant]
        case Map():
            return [_built_map, _changed_map]
        case Seq():
            return _SEQUENCES
        case Set(item=item):
            return _SETS + (_INTEGER_SETS if isinstance(item, Int) else [])
    return []
