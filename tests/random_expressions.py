"""Random expressions: for each type the ways to make one, drawn by hypothesis."""

from __future__ import annotations

from typing import Any

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
    of,
)
from leadline.symbolic.lang.coercion import as_node, fits
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.nodes import Const, Invalid
from tests.random_ways import ANYWHERE, SMALL, Scope, leaf, ways_of


def literal(kind: Type, value: Any) -> Any:
    """A value as an author writes it."""
    match kind:
        case Option(item=item):
            return of(kind, None if value is None else literal(item, value))
        case Record(fields=fields):
            return of(kind, **{name: literal(part, x) for (name, part), x in zip(fields, value, strict=True)})
        case Union():
            tag, payload = value
            parts = zip(kind.by_tag[tag].fields, payload, strict=True)
            return of(kind, tag, **{name: literal(part, x) for (name, part), x in parts})
        case Map(value=item):
            return of(kind, {key: literal(item, x) for key, x in zip(kind.keys, value, strict=True)})
        case Set(item=item) | Seq(item=item):
            return of(kind, *(literal(item, x) for x in value))
        case Tuple(items=items):
            return of(kind, *(literal(part, x) for part, x in zip(items, value, strict=True)))
    return of(kind, value)


def _parts(whole: Any) -> list[Any]:
    """The parts that can be read from a value in one step; one may be out of bounds."""
    match whole.node.type:
        case Option():
            return [whole.value]
        case Tuple(items=items):
            return [whole[position] for position in range(len(items))]
        case Record(positions=positions):
            return [getattr(whole, name) for name in positions]
        case Union(variants=variants):
            return [part for tag, _ in variants for part in _parts(whole.as_a(tag))]
        case Map(key=key, keys=keys):
            return [whole[literal(key, one)] for one in keys[:2]]
        case Seq():
            return [whole.first, whole.last, whole.length]
        case Set(item=item):
            return [whole.size, *([whole.least] if isinstance(item, Int) else [])]
    return []


class Maker:
    """Makes expressions until its budget of operators is spent, then leaves only."""

    def __init__(self, draw: st.DrawFn, budget: int) -> None:
        self.draw = draw
        self.budget = budget

    def make(self, kind: Type, scope: Scope, depth: int) -> Any:
        """An expression of exactly this type over what is in scope, `depth` operators deep at most."""
        if depth <= 0 or self.budget <= 0:
            return self.leaf(kind, scope)
        self.budget -= 1
        ways = [*ways_of(kind), *ways_of(kind), *ANYWHERE, leaf]
        made = self.draw(st.sampled_from(ways))(self, kind, scope, depth - 1)
        node = as_node(made, kind)
        assert not isinstance(node, Invalid), node.mistake
        return wrap(node)

    def leaf(self, kind: Type, scope: Scope) -> Any:
        """Something in scope or a part of it, now and then converted from another range; or a constant."""
        known = [x for x in scope if not isinstance(x.node, Const)]
        near = [x for x in known if fits(x.node.type, kind)]
        if not near:
            near = [part for x in known for part in _parts(x) if fits(part.node.type, kind)]
        if near and self._number(5) > 0:
            # By number, since hypothesis would hash the expressions themselves.
            return wrap(as_node(near[self._number(len(near) - 1)], kind))
        if known and isinstance(kind, Bool) and self._number(5) > 0:
            some = known[self._number(len(known) - 1)]
            return some == literal(some.node.type, self.value(some.node.type))
        return literal(kind, self.value(kind))

    def value(self, kind: Type) -> Any:
        """Some value of the type."""
        match kind:
            case Option(item=item):
                return None if self.draw(st.booleans()) else self.value(item)
            case Tuple() | Record():
                return tuple(self.value(part) for part in kind.parts)
            case Union(variants=variants):
                tag, shape = self.draw(st.sampled_from(variants))
                return tag, self.value(shape)
            case Set(item=item):
                return frozenset(self.value(item) for _ in range(self._number(2)))
            case Map(value=item):
                return tuple(self.value(item) for _ in kind.keys)
            case Seq(item=item, capacity=capacity):
                return tuple(self.value(item) for _ in range(self._number(capacity)))
        return self.draw(st.sampled_from(tuple(kind.values())))

    def _number(self, most: int) -> int:
        return self.draw(st.integers(0, most))

    def bool(self, scope: Scope, depth: int) -> Any:
        """A Boolean."""
        return self.make(Bool(), scope, depth)

    def integer(self, scope: Scope, depth: int) -> Any:
        """An integer of a small range."""
        return self.make(self.draw(st.sampled_from((Int(0, 2), Int(-1, 1), Int(1, 3)))), scope, depth)

    def other(self, scope: Scope) -> Type:
        """The type of an operand: that of something in scope, or a small one."""
        return self._type(scope, 8)

    def few(self, scope: Scope) -> Type:
        """A type whose sets are small enough to go through."""
        return self._type(scope, 4)

    def _type(self, scope: Scope, most: int) -> Type:
        known: list[Type] = [x.node.type for x in scope if x.node.type.cardinality <= most]
        return self.draw(st.sampled_from([*SMALL, *known, *known, *known]))
