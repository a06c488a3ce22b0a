"""The types with an inner structure: tuples, records, tagged unions, sets, maps and sequences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from leadline.symbolic.lang.products import (
    Record,
    Tuple,
    Union,
    product_contains,
    product_rank,
    record,
    union,
)
from leadline.symbolic.lang.types import MOST_PARTS, TOO_MANY, Type, Value, too_large

__all__ = ["Map", "Record", "Seq", "Set", "Tuple", "Union", "record", "union"]


def capped_power(base: int, exponent: int) -> int:
    """A power, or `TOO_MANY`."""
    if base < 2 or exponent < TOO_MANY.bit_length():
        return int(min(TOO_MANY, base**exponent))
    return TOO_MANY


def _up_to(base: int, longest: int) -> int:
    """How many sequences there are of at most so many items out of `base`."""
    return int((base ** (longest + 1) - 1) // (base - 1)) if base > 1 else 1 + base * longest


@dataclass(frozen=True, repr=False)
class Set(Type):
    """All sets of items. In the fixed order a set is the binary number of its members' ranks."""

    item: Type

    __hash__ = Type.__hash__

    @cached_property
    def cardinality(self) -> int:
        return 1 << self.item.cardinality

    @cached_property
    def first(self) -> Value:
        return frozenset()

    @cached_property
    def capped(self) -> int:
        return capped_power(2, self.item.capped)

    @cached_property
    def width(self) -> int:
        return self.item.capped

    def values(self) -> Iterator[Value]:
        universe = tuple(self.item.values())
        for mask in range(1 << len(universe)):
            yield frozenset(x for place, x in enumerate(universe) if mask >> place & 1)

    def rank(self, value: Value) -> int:
        return sum(1 << self.item.rank(x) for x in value)

    def contains(self, value: Value) -> bool:
        return isinstance(value, frozenset) and all(self.item.contains(x) for x in value)

    def tla(self, value: Value) -> str:
        return "{" + ", ".join(self.item.tla(x) for x in sorted(value, key=self.item.rank)) + "}"

    def _join(self, other: Set) -> Type | None:
        item = self.item.join(other.item)
        return Set(item) if item is not None else None

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return (self.item,)

    def __repr__(self) -> str:
        return f"Set({self.item!r})"


@dataclass(frozen=True, repr=False)
class Map(Type):
    """A total map from the values of the key type: TLA+'s function."""

    key: Type
    value: Type

    __hash__ = Type.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.key.capped == TOO_MANY:
            told = f"a map from {self.key!r} would have more than {MOST_PARTS:,} keys"
            raise too_large(told)

    @cached_property
    def keys(self) -> tuple[Value, ...]:
        """The keys in their fixed order: that of the concrete tuple."""
        return tuple(self.key.values())

    @cached_property
    def cardinality(self) -> int:
        return int(self.value.cardinality**self.key.cardinality)

    @cached_property
    def first(self) -> Value:
        return tuple(self.value.first for _ in self.keys)

    @cached_property
    def capped(self) -> int:
        return capped_power(self.value.capped, self.key.capped)

    @cached_property
    def width(self) -> int:
        return min(TOO_MANY, self.key.capped * max(1, self.value.width))

    def values(self) -> Iterator[Value]:
        return itertools.product(tuple(self.value.values()), repeat=self.key.cardinality)

    def rank(self, value: Value) -> int:
        return product_rank((self.value,) * self.key.cardinality, value)

    def contains(self, value: Value) -> bool:
        return product_contains((self.value,) * self.key.cardinality, value)

    def tla(self, value: Value) -> str:
        if not value:
            return "<<>>"
        pairs = zip(self.keys, value, strict=True)
        return "(" + " @@ ".join(f"{self.key.tla(k)} :> {self.value.tla(v)}" for k, v in pairs) + ")"

    def _join(self, other: Map) -> Type | None:
        value = self.value.join(other.value)
        return Map(self.key, value) if self.key == other.key and value is not None else None

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return (self.key, self.value)

    def __repr__(self) -> str:
        return f"Map({self.key!r}, {self.value!r})"


@dataclass(frozen=True, repr=False)
class Seq(Type):
    """Sequences of at most `capacity` items. Shorter ones come first in the fixed order."""

    item: Type
    capacity: int

    __hash__ = Type.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.capacity) is not int or self.capacity < 0:
            raise TypeError(f"a sequence's capacity is an integer from 0, and this is {self.capacity!r}")

    @cached_property
    def cardinality(self) -> int:
        return _up_to(self.item.cardinality, self.capacity)

    @cached_property
    def capped(self) -> int:
        if self.item.capped < 2:
            return min(TOO_MANY, 1 + self.item.capped * self.capacity)
        if capped_power(self.item.capped, self.capacity) == TOO_MANY:
            return TOO_MANY
        return min(TOO_MANY, _up_to(self.item.capped, self.capacity))

    @cached_property
    def width(self) -> int:
        return min(TOO_MANY, 1 + self.capacity * max(1, self.item.width))

    @cached_property
    def first(self) -> Value:
        return ()

    def values(self) -> Iterator[Value]:
        items = tuple(self.item.values())
        for length in range(self.capacity + 1):
            yield from itertools.product(items, repeat=length)

    def rank(self, value: Value) -> int:
        shorter = _up_to(self.item.cardinality, len(value) - 1) if value else 0
        return shorter + product_rank((self.item,) * len(value), value)

    def contains(self, value: Value) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) <= self.capacity
            and all(self.item.contains(x) for x in value)
        )

    def tla(self, value: Value) -> str:
        return "<<" + ", ".join(self.item.tla(x) for x in value) + ">>"

    def _join(self, other: Seq) -> Type | None:
        item = self.item.join(other.item)
        return Seq(item, max(self.capacity, other.capacity)) if item is not None else None

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return (self.item,)

    def __repr__(self) -> str:
        return f"Seq({self.item!r}, {self.capacity})"
