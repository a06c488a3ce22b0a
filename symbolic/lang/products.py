"""The types whose values have a fixed number of components: tuples, records and tagged unions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.types import TOO_MANY, Enum, Type, Value

_TAKEN = ("node", "is_in")
"""Attributes that every expression has, which therefore cannot be a record's field."""


def capped_product(parts: tuple[Type, ...]) -> int:
    """How many tuples of values there are, or `TOO_MANY`."""
    if any(part.capped == 0 for part in parts):
        return 0
    product = 1
    for part in parts:
        product = min(TOO_MANY, product * part.capped)
    return product


def product_rank(parts: tuple[Type, ...], value: Value) -> int:
    rank = 0
    for part, component in zip(parts, value, strict=True):
        rank = rank * part.cardinality + part.rank(component)
    return rank


def product_contains(parts: tuple[Type, ...], value: Value) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == len(parts)
        and all(part.contains(component) for part, component in zip(parts, value, strict=True))
    )


class _Product(Type):
    """A type whose values have a component of each of its parts, and nothing else."""

    __hash__ = Type.__hash__

    @cached_property
    def cardinality(self) -> int:
        return math.prod(part.cardinality for part in self.parts)

    @cached_property
    def first(self) -> Value:
        return tuple(part.first for part in self.parts)

    @cached_property
    def capped(self) -> int:
        return capped_product(self.parts)

    def values(self) -> Iterator[Value]:
        return itertools.product(*(tuple(part.values()) for part in self.parts))

    def rank(self, value: Value) -> int:
        return product_rank(self.parts, value)

    def contains(self, value: Value) -> bool:
        return product_contains(self.parts, value)


@dataclass(frozen=True, repr=False)
class Tuple(_Product):
    """A fixed number of components by position."""

    items: tuple[Type, ...]

    __hash__ = Type.__hash__

    def tla(self, value: Value) -> str:
        return "<<" + ", ".join(part.tla(x) for part, x in zip(self.items, value, strict=True)) + ">>"

    def _join(self, other: Tuple) -> Type | None:
        if len(self.items) != len(other.items):
            return None
        joined = [a.join(b) for a, b in zip(self.items, other.items, strict=True)]
        return Tuple(tuple(part for part in joined if part is not None)) if None not in joined else None

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return self.items

    def __repr__(self) -> str:
        return f"Tuple({', '.join(map(repr, self.items))})"


@dataclass(frozen=True, repr=False)
class Record(_Product):
    """Components by field name. Two records with the same fields are the same type, whatever their names."""

    name: str
    fields: tuple[tuple[str, Type], ...]

    __hash__ = Type.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, _ in self.fields:
            if name in _TAKEN or name.startswith("_"):
                raise TypeError(f"a record cannot have a field `{name}`: every expression uses that name")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.fields == other.fields

    @cached_property
    def _hash(self) -> int:
        return hash(("Record", self.fields))

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each field."""
        return {name: place for place, (name, _) in enumerate(self.fields)}

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return tuple(part for _, part in self.fields)

    def tla(self, value: Value) -> str:
        return f"[{self._tla_fields(value)}]" if self.fields else "<<>>"

    def _tla_fields(self, value: Value) -> str:
        pairs = zip(self.fields, value, strict=True)
        return ", ".join(f"{camel(name)} |-> {part.tla(x)}" for (name, part), x in pairs)

    def _join(self, other: Record) -> Type | None:
        if [name for name, _ in self.fields] != [name for name, _ in other.fields]:
            return None
        joined = [(name, a.join(b)) for (name, a), b in zip(self.fields, other.parts, strict=True)]
        sound = tuple((name, part) for name, part in joined if part is not None)
        return Record(self.name, sound) if len(sound) == len(joined) else None

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class Union(Type):
    """Records of several shapes, told apart by a tag: messages, say.

    Two unions with the same variants are the same type, whatever their names.
    """

    name: str
    variants: tuple[tuple[str, Record], ...]

    __hash__ = Type.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Union) and self.variants == other.variants

    @cached_property
    def _hash(self) -> int:
        return hash(("Union", self.variants))

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
        tag, record = next((tag, record) for tag, record in self.variants if record.cardinality)
        return tag, record.first

    @cached_property
    def capped(self) -> int:
        return min(TOO_MANY, sum(record.capped for _, record in self.variants))

    def values(self) -> Iterator[Value]:
        return ((tag, payload) for tag, record in self.variants for payload in record.values())

    def rank(self, value: Value) -> int:
        tag, payload = value
        before = 0
        for name, record in self.variants:
            if name == tag:
                return before + record.rank(payload)
            before += record.cardinality
        raise KeyError(tag)

    def contains(self, value: Value) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == 2
            and isinstance(value[0], str)
            and value[0] in self.by_tag
            and self.by_tag[value[0]].contains(value[1])
        )

    def tla(self, value: Value) -> str:
        tag, payload = value
        fields = self.by_tag[tag]._tla_fields(payload)
        return f'[type |-> "{tag}"' + (f", {fields}]" if fields else "]")

    def _join(self, other: Union) -> Type | None:
        if self.tags.members != other.tags.members:
            return None
        joined = [(tag, a.join(b)) for (tag, a), (_, b) in zip(self.variants, other.variants, strict=True)]
        sound = tuple((tag, part) for tag, part in joined if isinstance(part, Record))
        return Union(self.name, sound) if len(sound) == len(joined) else None

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return tuple(record for _, record in self.variants)

    def __repr__(self) -> str:
        return self.name


def record(name: str, /, **fields: Type) -> Record:
    """A record type; the fields in the order given."""
    return Record(name, tuple(fields.items()))


def union(name: str, /, **variants: Mapping[str, Type]) -> Union:
    """A tagged union, each variant's fields by name: `union("Message", ping={}, pong={"n": Int(0, 3)})`."""
    return Union(name, tuple((tag, Record(tag, tuple(shape.items()))) for tag, shape in variants.items()))
