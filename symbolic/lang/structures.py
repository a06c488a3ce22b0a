"""The types with an inner structure: tuples, records, tagged unions, sets, maps and sequences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from leadline.symbolic.lang.errors import refuse
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.types import (
    MOST_PARTS,
    TOO_MANY,
    Enum,
    Mapped,
    Never,
    Option,
    Shared,
    Type,
    Value,
    too_large,
)

_TAKEN = ("node", "is_in")
"""Attributes that every expression has, which therefore cannot be a record's field."""


def product_contains(parts: tuple[Type, ...], value: Value) -> bool:
    """Whether a value is a tuple of values of the parts."""
    return (
        isinstance(value, tuple)
        and len(value) == len(parts)
        and all(part.contains(component) for part, component in zip(parts, value, strict=True))
    )


class _Product(Shared):
    """The mixin of tuples and records. Their values have one component for each part of the type."""

    @cached_property
    def cardinality(self) -> int:
        return math.prod(part.cardinality for part in self.parts)

    @cached_property
    def first(self) -> Value:
        return tuple(part.first for part in self.parts)

    @cached_property
    def capped(self) -> int:
        product = int(all(part.capped for part in self.parts))
        for part in self.parts:
            product = min(TOO_MANY, product * part.capped)
        return product

    def values(self) -> Iterator[Value]:
        return itertools.product(*(tuple(part.values()) for part in self.parts))

    def order(self, value: Value) -> Any:
        return tuple(part.order(x) for part, x in zip(self.parts, value, strict=True))

    def contains(self, value: Value) -> bool:
        return product_contains(self.parts, value)


class Tuple(_Product, Type):
    """A fixed number of components by position."""

    items: tuple[Type, ...]

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return self.items

    def __repr__(self) -> str:
        return f"Tuple({', '.join(map(repr, self.items))})"


class Record(_Product, Type):
    """Components by field name. Two records with the same fields are the same type, whatever their names.

    Attributes:
        verbatim: whether the fields are named as in a TLA+ module, not in snake_case.
    """

    name: str
    fields: tuple[tuple[str, Type], ...]
    verbatim: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, _ in self.fields:
            if name in _TAKEN or name.startswith("_"):
                raise TypeError(f"a record cannot have a field `{name}`: every expression uses that name")

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        return "Record", self.fields

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each field."""
        return {name: place for place, (name, _) in enumerate(self.fields)}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of the fields in TLA+."""
        return tuple(name.removeprefix("tla_") if self.verbatim else camel(name) for name in self.positions)

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return tuple(part for _, part in self.fields)

    def __repr__(self) -> str:
        return self.name


class Union(Type):
    """Records of several shapes, told apart by a tag: messages, say.

    Two unions with the same variants are the same type, whatever their names.
    """

    name: str
    variants: tuple[tuple[str, Record], ...]

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        return "Union", self.variants

    @cached_property
    def by_tag(self) -> dict[str, Record]:
        """The record of each tag."""
        return dict(self.variants)

    @cached_property
    def tags(self) -> Enum:
        """The tags as an enumeration."""
        return Enum(f"{self.name}Tag", tuple(tag for tag, _ in self.variants))

    @cached_property
    def cardinality(self) -> int:
        return sum(record.cardinality for _, record in self.variants)

    @cached_property
    def first(self) -> Value:
        tag, record = next((tag, record) for tag, record in self.variants if record.capped)
        return tag, record.first

    @cached_property
    def capped(self) -> int:
        return min(TOO_MANY, sum(record.capped for _, record in self.variants))

    def values(self) -> Iterator[Value]:
        return ((tag, payload) for tag, record in self.variants for payload in record.values())

    def order(self, value: Value) -> Any:
        tag, payload = value
        return [name for name, _ in self.variants].index(tag), self.by_tag[tag].order(payload)

    def contains(self, value: Value) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == 2
            and (isinstance(value[0], str) and value[0] in self.by_tag)
            and self.by_tag[value[0]].contains(value[1])
        )

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return tuple(record for _, record in self.variants)

    def __repr__(self) -> str:
        return self.name


class AnyOf(Union):
    """Values of several kinds, each told without its tag: each variant has the value as its only field."""


def capped_power(base: int, exponent: int) -> int:
    """A power, or `TOO_MANY`."""
    if base < 2 or exponent < TOO_MANY.bit_length():
        return int(min(TOO_MANY, base**exponent))
    return TOO_MANY


def _up_to(base: int, longest: int) -> int:
    """The number of sequences of up to a number of items, each one of `base` values."""
    return int((base ** (longest + 1) - 1) // (base - 1)) if base > 1 else 1 + base * longest


class Set(Type):
    """All sets of items. In the fixed order a set is the binary number of its members' places."""

    item: Type

    def __repr__(self) -> str:
        return "an empty set" if isinstance(self.item, Never) else f"{type(self).__name__}({self.item!r})"

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

    def order(self, value: Value) -> Any:
        return sorted(map(self.item.order, value), reverse=True)

    def contains(self, value: Value) -> bool:
        return isinstance(value, frozenset) and all(self.item.contains(x) for x in value)


class Graph(Set):
    """Functions of some arguments, each the set of its pairs of an argument and a value."""


class Map(Type):
    """A total map from the values of the key type: TLA+'s function."""

    key: Type
    value: Type

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.key.capped == TOO_MANY:
            raise too_large(f"a map from {self.key!r} would have more than {MOST_PARTS:,} keys")

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

    def order(self, value: Value) -> Any:
        return tuple(map(self.value.order, value))

    def contains(self, value: Value) -> bool:
        return product_contains((self.value,) * self.key.cardinality, value)

    def pairs(self, value: Value) -> Iterator[tuple[Value, Value]]:
        """The keys of a map's domain, each with what it gives."""
        partial = isinstance(self.value, Mapped)
        pairs = zip(self.keys, value, strict=True)
        return ((key, one) for key, one in pairs if one is not None or not partial)

    def _join(self, other: Map) -> Type | None:
        return super()._join(other) if self.key == other.key else None


class Slots(Map):
    """Sets of items, or functions given as pairs of an argument and a value, in a fixed number of places.

    Attributes:
        graph: whether the items are pairs.
    """

    graph: bool


def entry_of(slots: Slots) -> Type:
    """The type of what a place holds."""
    return slots.value.parts[0]


def without_places(slots: Slots) -> Set:
    """The type of the sets or functions that slots hold."""
    return (Graph if slots.graph else Set)(entry_of(slots))


class Seq(Type):
    """Sequences of at most `capacity` items. Shorter ones come first in the fixed order."""

    item: Type
    capacity: int

    def __repr__(self) -> str:
        return "an empty sequence" if isinstance(self.item, Never) else f"Seq({self.item!r}, {self.capacity})"

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.capacity) is not int or self.capacity < 0:
            raise TypeError(f"a sequence's capacity is an integer from 0, and this is {self.capacity!r}")

    @cached_property
    def cardinality(self) -> int:
        return _up_to(self.item.cardinality, self.capacity)

    @cached_property
    def capped(self) -> int:
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

    def order(self, value: Value) -> Any:
        return len(value), *map(self.item.order, value)

    def contains(self, value: Value) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) <= self.capacity
            and all(self.item.contains(x) for x in value)
        )

    def _join(self, other: Seq) -> Type | None:
        item = self.item.join(other.item)
        return Seq(item, max(self.capacity, other.capacity)) if item is not None else None


def record(name: str, /, **fields: Type) -> Record:
    """A record type; the fields in the order given."""
    return Record(name, tuple(fields.items()))


def union(name: str, /, **variants: Mapping[str, Type]) -> Union:
    """A tagged union, each variant's fields by name: `union("Message", ping={}, pong={"n": Int(0, 3)})`."""
    for tag, shape in variants.items():
        if not isinstance(shape, Mapping):
            text = f'the fields of {tag} are named: write {tag}={{"field": AType}}, and {tag}={{}} if it has none'
            refuse(text)
    return Union(name, tuple((tag, Record(tag, tuple(shape.items()))) for tag, shape in variants.items()))


def bits(kind: Type) -> float:
    """The binary logarithm of the number of a type's values; the number itself may not fit into memory."""
    match kind:
        case Tuple() | Record():
            return sum(map(bits, kind.parts))
        case Map():
            return kind.key.cardinality * bits(kind.value)
        case Set():
            exponent = bits(kind.item)
            return 2.0**exponent if exponent < 1000 else math.inf
        case Option():
            return _log_sum([0.0, bits(kind.item)])
        case Union():
            return _log_sum([bits(shape) for _, shape in kind.variants])
        case Seq():
            return _log_sum([length * bits(kind.item) for length in range(kind.capacity + 1)])
    return math.log2(kind.cardinality) if kind.cardinality else -math.inf


def _log_sum(exponents: list[float]) -> float:
    top = max(exponents)
    return top if math.isinf(top) else top + math.log2(sum(2.0 ** (x - top) for x in exponents))


def largest(kinds: Mapping[str, Type]) -> str:
    """A sentence about the variable that takes the most bits of a state, and how it would take fewer."""
    sizes = {name: bits(kind) for name, kind in kinds.items()}
    name = max(sizes, key=sizes.__getitem__, default="")
    whole = sum(sizes.values())
    if not name or not 0 < whole < math.inf:
        return "smaller values of constants make it less"
    share = f"{math.ceil(sizes[name]):,} of the {math.ceil(whole):,} bits of a state"
    return f"{name} has {share}: smaller values of constants, or a constraint on {name}, make it less"
