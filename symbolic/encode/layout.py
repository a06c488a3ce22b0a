"""Free symbolic values, their literals in a row, and their concrete values in a solver's model."""

from __future__ import annotations

from collections.abc import Callable

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.values import (
    Bits,
    Items,
    Maybe,
    Shape,
    Tagged,
    Values,
    component_types,
    is_binary,
    width,
)
from leadline.symbolic.lang import (
    Bool,
    Int,
    Named,
    Option,
    Seq,
    Set,
    Type,
    Union,
    Value,
)


class Layout:
    """Makes values of every type and takes them apart. The type fixes the order of the literals."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.values = Values(circuit)
        self._kept: dict[int, tuple[Shape, Type, list[int]]] = {}

    def free(self, kind: Type) -> Shape:
        """A value whose literals are new inputs, or constants where the type leaves no choice."""
        match kind:
            case Bool():
                return self.circuit.input()
            case Int() if is_binary(kind):
                return Bits(tuple(self.circuit.input() for _ in range(width(kind))))
            case Int() | Named():
                return self._free_one_hot(list(kind.values()))
            case Option():
                if not kind.item.capped:
                    return Maybe(FALSE, None)
                return Maybe(self.circuit.input(), self.free(kind.item))
            case Set():
                return {value: self.circuit.input() for value in kind.item.values()}
            case Seq():
                sizes = list(range(kind.capacity + 1)) if kind.item.capped else [0]
                length = self._free_one_hot(sizes)
                return Items(length, tuple(self.free(kind.item) for _ in range(sizes[-1])))
            case Union():
                tags = [tag for tag, record in kind.variants if record.capped]
                return Tagged(self._free_one_hot(tags), {tag: self.free(kind.by_tag[tag]) for tag in tags})
        return tuple(self.free(part) for part in component_types(kind))

    def _free_one_hot(self, values: list[Value]) -> dict[Value, int]:
        if len(values) == 1:
            return {values[0]: TRUE}
        if len(values) == 2:
            literal = self.circuit.input()
            return {values[0]: -literal, values[1]: literal}
        return {value: self.circuit.input() for value in values}

    def valid(self, shape: Shape, kind: Type) -> int:
        """The literal that a value is one of its type: its one-hots are such and its numbers in range.

        Don't-cares are not constrained.
        """
        conj, implies = self.circuit.conj, self.circuit.implies
        match kind:
            case Bool() | Set():
                return TRUE
            case Int() if is_binary(kind):
                return self._in_range(shape, kind)
            case Int() | Named():
                return self._one(list(shape.values()))
            case Option():
                if shape.item is None:
                    return TRUE
                return implies(shape.present, self.valid(shape.item, kind.item))
            case Seq():
                items = [
                    implies(self.values.longer(shape, place), self.valid(item, kind.item))
                    for place, item in enumerate(shape.items)
                ]
                return conj([self._one(list(shape.length.values())), *items])
            case Union():
                payloads = [
                    implies(shape.tags[tag], self.valid(payload, kind.by_tag[tag]))
                    for tag, payload in shape.payloads.items()
                ]
                return conj([self._one(list(shape.tags.values())), *payloads])
        return conj(
            [self.valid(part, inner) for part, inner in zip(shape, component_types(kind), strict=True)]
        )

    def _one(self, literals: list[int]) -> int:
        if literals == [TRUE] or (len(literals) == 2 and literals[0] == -literals[1]):
            return TRUE
        return self.circuit.exactly_one(literals)

    def _in_range(self, shape: Bits, kind: Int) -> int:
        most = kind.cardinality - 1
        below = TRUE
        for place, bit in enumerate(shape.bits):
            join = self.circuit.disj if most >> place & 1 else self.circuit.conj
            below = join((-bit, below))
        return below

    def literals(self, shape: Shape, kind: Type) -> list[int]:
        """The literals of a value in the type's order; those of missing parts are constants."""
        row: list[int] = []
        self._lay(shape, kind, row)
        return row

    def keep(self, shape: Shape, kind: Type) -> None:
        """Keep the literals of a value, and of its parts: other values may share most of them."""
        if isinstance(kind, Bool | Int | Named):
            return
        self._kept[id(shape)] = shape, kind, self.literals(shape, kind)
        if not isinstance(kind, Option | Set | Seq | Union):
            for part, inner in zip(shape, component_types(kind), strict=True):
                self.keep(part, inner)

    def _lay(self, shape: Shape, kind: Type, row: list[int]) -> None:
        """Append a value's literals to a row."""
        kept = self._kept.get(id(shape))
        if kept is not None and kept[1] == kind:
            row += kept[2]
            return
        match kind:
            case Bool():
                row.append(shape)
            case Int() if is_binary(kind):
                row += shape.bits
            case Int() | Named():
                self._lay_one_hot(shape, list(kind.values()), row)
            case Option():
                if kind.item.capped:
                    row.append(shape.present)
                    self._lay_part(shape.item, kind.item, row)
            case Set():
                row += [shape.get(value, FALSE) for value in kind.item.values()]
            case Seq():
                sizes = list(range(kind.capacity + 1)) if kind.item.capped else [0]
                self._lay_one_hot(shape.length, sizes, row)
                for place in range(sizes[-1]):
                    self._lay_part(shape.items[place] if place < len(shape.items) else None, kind.item, row)
            case Union():
                tags = [tag for tag, record in kind.variants if record.capped]
                self._lay_one_hot(shape.tags, tags, row)
                for tag in tags:
                    self._lay_part(shape.payloads.get(tag), kind.by_tag[tag], row)
            case _:
                for part, inner in zip(shape, component_types(kind), strict=True):
                    self._lay(part, inner, row)

    def _lay_part(self, shape: Shape, kind: Type, row: list[int]) -> None:
        """Append the literals of a part that may be missing."""
        self._lay(self.values.arbitrary(kind) if shape is None else shape, kind, row)

    @staticmethod
    def _lay_one_hot(shape: dict[Value, int], values: list[Value], row: list[int]) -> None:
        if len(values) == 2:
            first, second = shape.get(values[0], FALSE), shape.get(values[1], FALSE)
            row.append(second if second != FALSE else -first)
        elif len(values) > 2:
            row += [shape.get(value, FALSE) for value in values]


def decode(shape: Shape, kind: Type, true: Callable[[int], bool]) -> Value:
    """The concrete value of a shape under an assignment of its literals."""
    match kind:
        case Bool():
            return true(shape)
        case Int() if is_binary(kind):
            return kind.low + sum(1 << place for place, bit in enumerate(shape.bits) if true(bit))
        case Int() | Named():
            return _holding(shape, true)
        case Option():
            return decode(shape.item, kind.item, true) if true(shape.present) else None
        case Set():
            return frozenset(value for value, literal in shape.items() if true(literal))
        case Seq():
            size = _holding(shape.length, true)
            return tuple(decode(item, kind.item, true) for item in shape.items[:size])
        case Union():
            tag = _holding(shape.tags, true)
            return tag, decode(shape.payloads[tag], kind.by_tag[tag], true)
    return tuple(decode(part, inner, true) for part, inner in zip(shape, component_types(kind), strict=True))


def _holding(one_hot: dict[Value, int], true: Callable[[int], bool]) -> Value:
    return next(value for value, literal in one_hot.items() if true(literal))
