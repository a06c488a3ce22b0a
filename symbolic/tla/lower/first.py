"""CHOOSE among members that are too many to list: each place where one may be is compared with the first so far.

`shapes.choice_key` has the same order for constants.
"""

from __future__ import annotations

from collections.abc import Sequence

from leadline.symbolic.lang import (
    BOOL,
    Int,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    Union,
    is_total,
    nodes as n,
    sorts_in,
)
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.builder import Body, Unlowerable, has_value
from leadline.symbolic.tla.lower.terms import Terms

_MOST_RANKED = 64
"""The most values of a type, or of the members of a set, that are compared by their places among all of them."""


class First:
    """The first of some elements in the order of CHOOSE.

    Args:
        terms: makes the nodes.
        ranks: the places of names in that order.
    """

    def __init__(self, terms: Terms, ranks: shapes.Ranks) -> None:
        self._t = terms
        self._ranks = ranks

    def of(self, elements: Sequence[tuple[n.Node, n.Node]], kind: Type, body: Body) -> n.Node:
        """The first element for which the body holds; out of bounds where there is none, or a test before fails.

        Args:
            elements: values that may be there, each with whether it is; at least one.
            kind: the type of all.
            body: the test.

        Raises:
            Unlowerable: if the order of the values depends on sizes that the type does not tell.
        """
        t = self._t
        first = t.convert(elements[0][1], kind)
        found: n.Node = t.boolean(False)
        sound: n.Node = t.boolean(True)
        for here, element in elements:
            x = t.convert(element, kind)
            test = body(x)
            known = t.boolean(True) if is_total(test) else has_value(test)
            # TLC ends where the test of an element has no value.
            fits = t.conj([here, t.disj([t.negation(known), test])])
            taken = t.conj([fits, t.disj([t.negation(found), self._precedes(x, first)])])
            first, sound = t.ite(taken, x, first), t.ite(taken, known, sound)
            found = t.disj([found, fits])
        return t.ite(t.conj([found, sound]), first, t.undefined(kind, "there is nothing to CHOOSE"))

    def _precedes(self, a: n.Node, b: n.Node) -> n.Node:
        """Whether a value comes before another of its type."""
        t, kind = self._t, a.type
        if isinstance(kind, Int):
            return t.lt(a, b)
        if kind.capped <= _MOST_RANKED:
            return t.lt(self._place(a), self._place(b))
        match kind:
            case Record():
                places = sorted(range(len(kind.parts)), key=shapes.field_keys(kind, self._ranks).__getitem__)
                return self._one_by_one([(t.component(a, place), t.component(b, place)) for place in places])
            case Tuple():
                return self._one_by_one([*zip(t.components(a), t.components(b), strict=True)])
            case Seq():
                return self._after(t.length(a), t.length(b), self._precedes_as_items(a, b, kind))
            case Set(item=item) if item.capped <= _MOST_RANKED:
                return self._after(t.cardinality(a), t.cardinality(b), self._precedes_as_set(a, b, item))
            case Map(value=value) if not isinstance(value, Option):
                keys = [t.const(kind.key, key) for key in self._in_order(kind.key, kind.keys)]
                return self._one_by_one([(t.apply(a, key), t.apply(b, key)) for key in keys])
            case Union() if (tags := shapes.kinds_in_order(kind, self._ranks)) is not None:
                return self._precedes_by_kind(a, b, tags)
        raise Unlowerable(f"CHOOSE among values of {kind!r}, of which some are larger than others")

    def _in_order(self, kind: Type, values: Sequence[object]) -> list[object]:
        if sorts_in(kind):
            raise Unlowerable("a choice by order names interchangeable values")
        return sorted(values, key=lambda x: shapes.choice_key(kind, x, self._ranks))

    def _place(self, node: n.Node) -> n.Node:
        """The place of a value of a small type among all of them."""
        t, kind = self._t, node.type
        values = [*kind.values()]
        places = {value: place for place, value in enumerate(self._in_order(kind, values))}
        number = Int(0, len(values) - 1)
        table = t.const(Map(kind, number), tuple(places[value] for value in values))
        return t.make(n.Apply, number, table, node)

    def _one_by_one(self, pairs: Sequence[tuple[n.Node, n.Node]]) -> n.Node:
        """Whether the first of two lists is before the other: the first difference decides."""
        result: n.Node = self._t.boolean(False)
        for a, b in reversed(pairs):
            result = self._after(a, b, result)
        return result

    def _after(self, a: n.Node, b: n.Node, rest: n.Node) -> n.Node:
        return self._t.ite(self._t.same(a, b), rest, self._precedes(a, b))

    def _precedes_as_items(self, a: n.Node, b: n.Node, kind: Seq) -> n.Node:
        t = self._t
        result: n.Node = t.boolean(False)
        for place in range(kind.capacity, 0, -1):
            inside = t.le(t.integer(place), t.length(a))
            result = t.ite(inside, self._after(t.item(a, place), t.item(b, place), result), result)
        return result

    def _precedes_as_set(self, a: n.Node, b: n.Node, item: Type) -> n.Node:
        """As `_precedes`, of sets of one size: the least member that only one of them has decides."""
        t = self._t
        result: n.Node = t.boolean(False)
        for value in reversed(self._in_order(item, [*item.values()])):
            here, there = (t.make(n.Member, BOOL, t.const(item, value), one) for one in (a, b))
            result = t.ite(t.same(here, there), result, here)
        return result

    def _precedes_by_kind(self, a: n.Node, b: n.Node, tags: Sequence[str]) -> n.Node:
        t = self._t
        result: n.Node = t.boolean(False)
        later = list[n.Node]()
        for tag in reversed(tags):
            same = t.has_tag(b, tag)
            alike = t.conj([same, self._precedes(t.variant(a, tag), t.variant(b, tag))])
            result = t.ite(t.has_tag(a, tag), t.disj([*later, alike]), result)
            later.append(same)
        return result
