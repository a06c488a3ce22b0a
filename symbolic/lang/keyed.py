"""Sets of records in which one field is a key: no two records of a set have the same value of it.

Such a set is a table, which has one record or none for each key. It takes far fewer bits than a set of which
each record may be a member or not. Only whole variables have such a type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from leadline.symbolic.lang import nodes as n, rules
from leadline.symbolic.lang.coercion import BOOL
from leadline.symbolic.lang.structures import Map, Record, Set
from leadline.symbolic.lang.types import Option, Type, Value


class KeyedSet(Set):
    """The sets of records of which no two agree in a field.

    Attributes:
        key: the name of the field; the items are records that have it.
    """

    key: str

    @cached_property
    def place(self) -> int:
        """The position of the key among the fields."""
        assert isinstance(self.item, Record)
        return self.item.positions[self.key]

    @cached_property
    def plain(self) -> Set:
        """The type of all sets of these records."""
        return Set(self.item)

    @cached_property
    def table(self) -> Map:
        """The type of the same sets as maps from keys to what else is in the key's record."""
        assert isinstance(self.item, Record)
        rest = tuple(field for field in self.item.fields if field[0] != self.key)
        return Map(
            self.item.parts[self.place],
            Option(replace(self.item, name=f"{self.item.name}_rest", fields=rest)),
        )

    def split(self, record: Value) -> tuple[Value, Value]:
        """The key of a record, and the rest."""
        return record[self.place], record[: self.place] + record[self.place + 1 :]

    def whole(self, key: Value, rest: Value) -> Value:
        """The record of a key and the rest."""
        return (*rest[: self.place], key, *rest[self.place :])

    def entries(self, value: Value) -> Value:
        """A set as a value of the table's type."""
        known = dict(map(self.split, value))
        return tuple(known.get(key) for key in self.table.keys)

    def gathered(self, entries: Value) -> Value:
        """A value of the table's type as a set."""
        pairs = zip(self.table.keys, entries, strict=True)
        return frozenset(self.whole(key, rest) for key, rest in pairs if rest is not None)

    @cached_property
    def cardinality(self) -> int:
        return self.table.cardinality

    @cached_property
    def capped(self) -> int:
        return self.table.capped

    @cached_property
    def width(self) -> int:
        return self.table.width

    def values(self) -> Iterator[Value]:
        return map(self.gathered, self.table.values())

    def rank(self, value: Value) -> int:
        return self.table.rank(self.entries(value))

    def contains(self, value: Value) -> bool:
        return super().contains(value) and len({x[self.place] for x in value}) == len(value)

    def _join(self, other: Set) -> Type | None:
        if not isinstance(other, KeyedSet) or other.key != self.key:
            return None
        item = self.item.join(other.item)
        return KeyedSet(item, self.key) if item is not None else None


def entry_of(node: n.Node, key: n.Node) -> n.Node:
    """The entry of a set of a keyed type at a key, as an option."""
    kind = node.type
    assert isinstance(kind, KeyedSet) and isinstance(kind.item, Record)
    item, option = kind.item, kind.table.value
    assert isinstance(option, Option)

    def component(record: n.Node, place: int) -> n.Node:
        return n.make(n.Component, item.parts[place], node.span, record, place)

    def here(record: n.Node) -> n.Node:
        return rules.equality(component(record, kind.place), key)

    there = rules.bind(n.Exists, item, "x", here, lambda _: BOOL, node)
    found = rules.bind(n.Choose, item, "x", here, lambda _: item, node)
    parts = tuple(component(found, place) for place in range(len(item.parts)) if place != kind.place)
    rest = n.make(n.Coerce, option, node.span, n.make(n.MakeRecord, option.item, node.span, parts))
    return n.make(n.Ite, option, node.span, there, rest, n.make(n.Const, option, node.span, None))
