"""What every type of the language can do, how large one may be, and the types that fit beside any other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from leadline.symbolic.lang.errors import Mistake, ModelError
from leadline.symbolic.lang.span import caller_span

MOST_PARTS = 100_000
"""The most keys of a map, members of a sort and parts of a variable.

The largest model that is known to be answered has a few thousand; a formula has a bit or more for each part,
so one of a million would not be read by a solver, and a slip of the keyboard is more likely.
"""
TOO_MANY = MOST_PARTS + 1
"""Stands for every larger number."""
DEEPEST = 50
"""The most types within types: what walks them takes a few Python calls for each, and Python allows 1,000."""

Value = Any
"""A concrete value; its shape follows from its type (see the module's table)."""


def too_large(what: str) -> ModelError:
    """The mistake of something so large that nothing of that size is to be built."""
    repair = "narrow its ranges, or give smaller parameters"
    return ModelError([Mistake(caller_span(), f"{what}: {repair}")])


class Type:
    """A finite set of values in a fixed order."""

    def __post_init__(self) -> None:
        for part in self.parts:
            if not isinstance(part, Type):
                kind = type(self).__name__
                raise TypeError(f"{kind} is built of types, such as Int(0, 3), and {part!r} is none")
        if self.depth > DEEPEST:
            text = f"a type nested deeper than {DEEPEST}: give the state fewer types within types"
            raise ModelError([Mistake(caller_span(), text)])

    @cached_property
    def depth(self) -> int:
        """How deep types lie within it, this one included."""
        return 1 + max((part.depth for part in self.parts), default=0)

    @cached_property
    def capped(self) -> int:
        """How many values there are, or `TOO_MANY`: never a number that is itself large."""
        return min(TOO_MANY, self.cardinality)

    @cached_property
    def width(self) -> int:
        """How many parts a value has: keys of maps, possible members of sets, places of sequences, or
        `TOO_MANY`."""
        return min(TOO_MANY, sum(part.width for part in self.parts)) if self.parts else 1

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
class Option(Type):
    """None, or a value of the item type."""

    item: Type

    __hash__ = Type.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.item, Option):
            raise TypeError("an option of an option: None would be ambiguous; wrap the inner one in a record")

    @cached_property
    def cardinality(self) -> int:
        return 1 + self.item.cardinality

    @cached_property
    def capped(self) -> int:
        return min(TOO_MANY, 1 + self.item.capped)

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
