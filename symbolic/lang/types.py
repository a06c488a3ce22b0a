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

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

Value = Any
"""A concrete value; its shape follows from its type (see the module's table)."""


class Type:
    """A finite set of values in a fixed order."""

    @cached_property
    def cardinality(self) -> int:
        """How many values there are."""
        raise NotImplementedError

    def values(self) -> Iterator[Value]:
        """Every value once, by ascending rank."""
        raise NotImplementedError

    @cached_property
    def first(self) -> Value:
        """The value of rank 0, without listing the others.

        Raises:
            ValueError: if the type has no value.
        """
        if self.cardinality == 0:
            raise ValueError(f"{self!r} has no value")
        return next(iter(self.values()))

    def rank(self, value: Value) -> int:
        """The place of a value in the fixed order, from 0."""
        raise NotImplementedError

    def contains(self, value: Value) -> bool:
        """Whether a value belongs to the type (shape and bounds)."""
        raise NotImplementedError

    def tla(self, value: Value) -> str:
        """A value as TLA+ writes it."""
        raise NotImplementedError

    def join(self, other: Type) -> Type | None:
        """The least type that holds both types' values, or None where there is none."""
        if self == other or isinstance(other, Never):
            return self
        if isinstance(self, Never):
            return other
        if isinstance(other, Option) and not isinstance(self, Option):
            inner = self.join(other.item)
            return Option(inner) if inner is not None else None
        if isinstance(self, Option) and not isinstance(other, Option):
            return other.join(self)
        return self._join(other) if type(self) is type(other) else None

    def _join(self, other: Any) -> Type | None:
        return None

    def includes(self, other: Type) -> bool:
        """Whether every value of the other type is a value of this one."""
        return self.join(other) == self

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        """The types that this one is built from."""
        return ()

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        # The cached hash of strings differs from process to process, so it must not travel.
        return {name: getattr(self, name) for name in _field_names(type(self))}

    @cached_property
    def _hash(self) -> int:
        kind = type(self)
        return hash((kind.__name__, *(getattr(self, name) for name in _field_names(kind))))


_FIELD_NAMES: dict[str, tuple[str, ...]] = {}


def _field_names(kind: type[Type]) -> tuple[str, ...]:
    names = _FIELD_NAMES.get(kind.__qualname__)
    if names is None:
        names = tuple(field.name for field in fields(kind))  # type: ignore[arg-type]  # every type is a dataclass
        _FIELD_NAMES[kind.__qualname__] = names
    return names


@dataclass(frozen=True, repr=False)
class Never(Type):
    """The type without values: what an empty set holds."""

    __hash__ = Type.__hash__

    @cached_property
    def cardinality(self) -> int:
        return 0

    def values(self) -> Iterator[Value]:
        return iter(())

    def contains(self, value: Value) -> bool:
        return False

    def __repr__(self) -> str:
        return "Never"


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
    stem = prefix if prefix is not None else name[0].lower()
    return Sort(name, tuple(f"{stem}{place}" for place in range(1, size + 1)))


@dataclass(frozen=True, repr=False)
class Option(Type):
    """None, or a value of the item type."""

    item: Type

    __hash__ = Type.__hash__

    def __post_init__(self) -> None:
        if isinstance(self.item, Option):
            raise TypeError("an option of an option: None would be ambiguous; wrap the inner one in a record")

    @cached_property
    def cardinality(self) -> int:
        return 1 + self.item.cardinality

    def values(self) -> Iterator[Value]:
        return itertools.chain((None,), self.item.values())

    def rank(self, value: Value) -> int:
        return 0 if value is None else 1 + self.item.rank(value)

    def contains(self, value: Value) -> bool:
        return value is None or self.item.contains(value)

    def tla(self, value: Value) -> str:
        return "None" if value is None else self.item.tla(value)

    def _join(self, other: Option) -> Type | None:
        item = self.item.join(other.item)
        return Option(item) if item is not None else None

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        return (self.item,)

    def __repr__(self) -> str:
        return f"Option({self.item!r})"
