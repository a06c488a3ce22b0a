"""How many literals encode a value of a type, and how many values it has, over several models at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from leadline.symbolic.grid.cost.growth import NoFormula
from leadline.symbolic.grid.grammar.arithmetic import Choice, Number, choice, number
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.types import Bool, Int, Named, Never, Option, Type

Size = Any
"""An int, or a sympy expression in the parameters."""

Kinds = tuple[Type, ...]
"""The same type in several models: it differs in numbers only."""

_CAP = 1 << 40
"""What is larger than this is as good as endless."""


def aligned(rows: Sequence[Sequence[Any]]) -> Iterable[tuple[Any, ...]]:
    """The first ones of all rows, the second ones, and so on.

    Raises:
        NoFormula: if the rows are not equally long.
    """
    if len({len(row) for row in rows}) > 1:
        raise NoFormula("the models have not the same shape")
    return zip(*rows, strict=True)


class TypeSizes:
    """Sizes of types that differ in numbers only."""

    def __init__(self, formula: Callable[[Sequence[int]], Size]) -> None:
        self._formula = formula
        self._literals: dict[Kinds, Size] = {}
        self._counts: dict[Kinds, Size] = {}
        self._numbers: dict[tuple[int, ...], Size] = {}

    def number(self, row: tuple[int, ...]) -> Size:
        """A number of the types' own."""
        if row not in self._numbers:
            self._numbers[row] = self._formula(row)
        return self._numbers[row]

    def literals(self, kinds: Kinds) -> Size:
        """How many literals encode a value."""
        if kinds not in self._literals:
            self._literals[kinds] = self._count_literals(kinds)
        return self._literals[kinds]

    def _count_literals(self, kinds: Kinds) -> Size:
        first = _alike(kinds)
        parts = [self.literals(part) for part in aligned([kind.parts for kind in kinds])]
        match first:
            case Bool():
                return 1
            case Never():
                return 0
            case Int():
                return _made(Number, number, self.count(kinds))
            case Named():
                return _made(Choice, choice, self.count(kinds))
            case Option():
                return 1 + parts[0]
            case Set():
                return self.count(tuple(kind.parts[0] for kind in kinds))
            case Map():
                return self.count(tuple(kind.parts[0] for kind in kinds)) * parts[1]
            case Seq():
                capacity = self.number(tuple(kind.capacity for kind in kinds))  # type: ignore[attr-defined]  # all are Seq
                return capacity + 1 + capacity * parts[0]
            case Union():
                return choice(len(parts)) + sum(parts)
        return sum(parts)

    def count(self, kinds: Kinds) -> Size:
        """How many values there are."""
        if kinds not in self._counts:
            self._counts[kinds] = self._count(kinds)
        return self._counts[kinds]

    def _count(self, kinds: Kinds) -> Size:
        first = _alike(kinds)
        if isinstance(first, (Int, Named)):
            return self.number(tuple(kind.cardinality for kind in kinds))
        parts = [self.count(part) for part in aligned([kind.parts for kind in kinds])]
        match first:
            case Bool():
                return 2
            case Option():
                return parts[0] + 1
            case Union():
                return sum(parts)
            case Tuple() | Record():
                return math.prod(parts)
            case Set():
                return _power(2, parts[0])
            case Map():
                return _power(parts[1], parts[0])
            case Seq():
                return _power(parts[0] + 1, self.number(tuple(kind.capacity for kind in kinds)))  # type: ignore[attr-defined]  # all are Seq
        return 0


def _alike(kinds: Kinds) -> Type:
    if len({type(kind) for kind in kinds}) > 1:
        raise NoFormula("the models have not the same shape")
    return kinds[0]


def _made(function: Any, plain: Callable[[int], int], count: Size) -> Size:
    return plain(count) if isinstance(count, int) else function(count)


def _power(base: Size, exponent: Size) -> Size:
    endless = isinstance(exponent, int) and isinstance(base, int) and exponent * base.bit_length() > 40
    return _CAP if endless else base**exponent
