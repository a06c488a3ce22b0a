"""The types of the language: all finite once a protocol's parameters are known.

A value of a type is a plain hashable Python value:

=============  ==========================================================================
type           value
=============  ==========================================================================
Bool           ``bool``
Int            ``int``
Enum, Sort     ``str``, the member's name
Option         ``None`` or the value
Tuple, Record  ``tuple`` of the components in their declared order
Union          ``(tag, payload)``, the payload a record's tuple
Set            ``frozenset``
Map            ``tuple`` of the values in the order of the keys
Seq            ``tuple``
=============  ==========================================================================

Every type counts its values (`cardinality`), lists them in one fixed order (`values`), says where in
that order a value stands (`rank`), and prints a value as TLA+ does (`tla`). `join` gives the least type
that holds the values of two types, `includes` says whether that is a type itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from leadline.symbolic.lang.type_base import (
    DEEPEST,
    MOST_PARTS,
    TOO_MANY,
    Never,
    Option,
    Type,
    Value,
    too_large,
)

__all__ = [
    "DEEPEST",
    "MOST_PARTS",
    "TOO_MANY",
    "Bool",
    "Enum",
    "Int",
    "Named",
    "Never",
    "Option",
    "Sort",
    "Type",
    "Value",
    "enum",
    "sort",
    "too_large",
]


@dataclass(frozen=True, repr=False)
class Bool(Type):
    """FALSE and TRUE, in this order."""

    __hash__ = Type.__hash__

    @cached_property
    def cardinality(self) -> int:
        return 2

    def values(self) -> Iterator[Value]:
        return iter((False, True))

    def rank(self, value: Value) -> int:
        return int(value)

    def contains(self, value: Value) -> bool:
        return isinstance(value, bool)

    def tla(self, value: Value) -> str:
        return "TRUE" if value else "FALSE"

    def __repr__(self) -> str:
        return "Bool"


@dataclass(frozen=True, repr=False)
class Int(Type):
    """The integers from `low` to `high`, both included."""

    low: int
    high: int

    __hash__ = Type.__hash__

    def __post_init__(self) -> None:
        if type(self.low) is not int or type(self.high) is not int:
            raise TypeError(f"Int({self.low!r}, {self.high!r}): the bounds of an integer type are integers")

    @cached_property
    def cardinality(self) -> int:
        return max(0, self.high - self.low + 1)

    def values(self) -> Iterator[Value]:
        return iter(range(self.low, self.high + 1))

    def rank(self, value: Value) -> int:
        return int(value) - self.low

    def contains(self, value: Value) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    def tla(self, value: Value) -> str:
        return str(value)

    def _join(self, other: Int) -> Type:
        return Int(min(self.low, other.low), max(self.high, other.high))

    def __repr__(self) -> str:
        return f"Int({self.low}, {self.high})"


@dataclass(frozen=True, repr=False)
class Named(Type):
    """What enumerations and sorts share: distinct members, each known by its name."""

    name: str
    members: tuple[str, ...]

    __hash__ = Type.__hash__

    def __post_init__(self) -> None:
        if len(self.members) > MOST_PARTS:
            raise too_large(f"{self.name} has {len(self.members):,} members, and {MOST_PARTS:,} is the most")
        if len(set(self.members)) < len(self.members):
            twice = sorted({member for member in self.members if self.members.count(member) > 1})
            raise TypeError(f"{self.name} has a member twice: {', '.join(twice)}")

    @cached_property
    def cardinality(self) -> int:
        return len(self.members)

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {member: place for place, member in enumerate(self.members)}

    def values(self) -> Iterator[Value]:
        return iter(self.members)

    def rank(self, value: Value) -> int:
        return self._ranks[value]

    def contains(self, value: Value) -> bool:
        return isinstance(value, str) and value in self._ranks

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class Enum(Named):
    """Named values that differ in kind, such as the states of a process."""

    __hash__ = Type.__hash__

    def tla(self, value: Value) -> str:
        return f'"{value}"'


@dataclass(frozen=True, repr=False)
class Sort(Named):
    """Interchangeable model values, such as replicas: equality and quantifiers only, no order."""

    __hash__ = Type.__hash__

    def tla(self, value: Value) -> str:
        return str(value)


def enum(name: str, *members: str) -> Enum:
    """An enumeration, in the order given (which `choose` follows)."""
    return Enum(name, members)


def sort(name: str, size: int, prefix: str | None = None) -> Sort:
    """A sort of `size` members, named by the prefix (by default the name's first letter) and 1, 2, ..."""
    if size > MOST_PARTS:
        raise too_large(f"the sort {name} would have {size:,} members, and {MOST_PARTS:,} is the most")
    stem = prefix if prefix is not None else name[0].lower()
    return Sort(name, tuple(f"{stem}{place}" for place in range(1, size + 1)))
