"""Facts: each literal of a state's row as a statement about a part of a variable.

A fact is a key: the variable's name, the way to the part, and a test of it. A permutation of a sort's members
maps facts to facts, and so literals to literals. A fact *matters* only where its part is there: the item of
an option that is present, a place within a sequence's length, the payload of the union's tag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.values import component_types, is_binary, width
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Named,
    Option,
    Permutation,
    Record,
    Seq,
    Set,
    Type,
    Union,
    Value,
    permuted,
)


class FactPart(NamedTuple):
    """A part of a fact.

    Attributes:
        kind: "key" (of a map), "field" (of a record), "part" (of a tuple), "place" (of a sequence), "item"
            (of an option) or "payload" (of a union) on the way; "true", "is", "bit", "has" (a member),
            "present", "length" or "tag" as a test.
        type: the type of the value, where a permutation may change it.
        value: the key, the field's name, the number, the member, the tag; None for "item".
    """

    kind: str
    type: Type | None
    value: Value


Fact = tuple[str, tuple[FactPart, ...]]
"""A variable's name and the parts."""


@dataclass(frozen=True)
class Literal:
    """A literal of a row.

    Attributes:
        fact: what it says where it is true.
        needs: clauses over the literals of the row, by number; the fact matters where all hold.
    """

    fact: Fact
    needs: tuple[tuple[int, ...], ...]


class Facts:
    """The facts of a model's states. The row's literals are numbered from 2, as the first variables of a
    formula are behind the constant true; `-x` is the negation of `x`.

    Args:
        model: the model.

    Attributes:
        literals: what each literal of the row says, in the row's order.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.literals: list[Literal] = []
        self._numbers: dict[Fact, int] = {}
        for variable in model.variables:
            self._add(variable.type, (variable.name, ()), ())

    def number(self, fact: Fact) -> int:
        """The literal that says a fact."""
        return self._numbers[fact]

    # -- the row, in the order of `Layout.literals` --------------------------------------------------

    def _say(self, fact: Fact, word: FactPart, needs: tuple[tuple[int, ...], ...]) -> int:
        name, way = fact
        said = (name, (*way, word))
        self.literals.append(Literal(said, needs))
        self._numbers[said] = number = TRUE + len(self.literals)
        return number

    def _one_hot(
        self, fact: Fact, words: Sequence[FactPart], needs: tuple[tuple[int, ...], ...]
    ) -> Sequence[int]:
        """The literal of each of several facts of which exactly one is true."""
        if len(words) == 2:
            second = self._say(fact, words[1], needs)
            self._numbers[fact[0], (*fact[1], words[0])] = -second
            return (-second, second)
        return [self._say(fact, word, needs) for word in words] if len(words) > 2 else [0] * len(words)

    def _add(self, kind: Type, fact: Fact, needs: tuple[tuple[int, ...], ...]) -> None:
        name, way = fact
        match kind:
            case Bool():
                self._say(fact, FactPart("true", None, True), needs)
            case Int() if is_binary(kind):
                for place in range(width(kind)):
                    self._say(fact, FactPart("bit", None, place), needs)
            case Int() | Named():
                self._one_hot(fact, [FactPart("is", kind, value) for value in kind.values()], needs)
            case Option():
                if kind.item.cardinality:
                    there = self._say(fact, FactPart("present", None, True), needs)
                    self._add(kind.item, (name, (*way, FactPart("item", None, None))), (*needs, (there,)))
            case Set():
                for value in kind.item.values():
                    self._say(fact, FactPart("has", kind.item, value), needs)
            case Seq():
                self._add_sequence(kind, fact, needs)
            case Union():
                tags = [tag for tag, record in kind.variants if record.cardinality]
                literals = self._one_hot(fact, [FactPart("tag", None, tag) for tag in tags], needs)
                for tag, literal in zip(tags, literals, strict=True):
                    inner = (*needs, (literal,)) if literal else needs
                    self._add(kind.by_tag[tag], (name, (*way, FactPart("payload", None, tag))), inner)
            case _:
                for word, inner_kind in zip(_ways(kind), component_types(kind), strict=True):
                    self._add(inner_kind, (name, (*way, word)), needs)

    def _add_sequence(self, kind: Seq, fact: Fact, needs: tuple[tuple[int, ...], ...]) -> None:
        name, way = fact
        sizes = range(kind.capacity + 1) if kind.item.cardinality else range(1)
        lengths = self._one_hot(fact, [FactPart("length", None, size) for size in sizes], needs)
        for place in range(sizes[-1]):
            longer = tuple(lengths[place + 1 :])
            self._add(kind.item, (name, (*way, FactPart("place", None, place))), (*needs, longer))

    def text(self, literal: int) -> str:
        """A literal in the words of the protocol: `r1 in quorum.isr`, `term[n2] != 0`."""
        name, (*way, test) = self.literals[abs(literal) - TRUE - 1].fact
        part = name + "".join(way_text(word) for word in way)
        shown = str(test.value) if test.type is None else test.type.tla(test.value)
        holds = literal > 0
        match test.kind:
            case "true":
                return part if holds else f"not {part}"
            case "bit":
                return f"bit {shown} of {part} {'=' if holds else '!='} 1"
            case "has":
                return f"{shown} {'in' if holds else 'not in'} {part}"
            case "present":
                return f"{part} {'!=' if holds else '='} none"
            case "length":
                part = f"length of {part}"
            case "tag":
                part = f"kind of {part}"
        return f"{part} {'=' if holds else '!='} {shown}"

    # -- permutations and values ---------------------------------------------------------------------

    def image(self, permutation: Permutation) -> list[int]:
        """For each literal of the row, in order, the literal that says the same of the images."""
        return [self.number(_image(literal.fact, permutation)) for literal in self.literals]

    @cached_property
    def packed(self) -> Callable[[Sequence[Value]], tuple[int, int]]:
        """Gives for a state the literals that are true and those that matter, each as the bits of a number;
        the row's first literal is bit 0."""
        return _product([variable.type for variable in self.model.variables])[1]


def _ways(kind: Type) -> Iterator[FactPart]:
    if isinstance(kind, Map):
        return (FactPart("key", kind.key, key) for key in kind.key.values())
    if isinstance(kind, Record):
        return (FactPart("field", None, name) for name, _ in kind.fields)
    return (FactPart("part", None, place) for place in range(len(kind.parts)))


def _image(fact: Fact, permutation: Permutation) -> Fact:
    name, words = fact
    return name, tuple(
        word if word.type is None else word._replace(value=permuted(word.type, word.value, permutation))
        for word in words
    )


def way_text(word: FactPart) -> str:
    """A word of the way to a part, in the words of the protocol; nothing for the item of an option."""
    match word.kind:
        case "key":
            assert word.type is not None
            return f"[{word.type.tla(word.value)}]"
        case "part" | "place":
            return f"[{word.value}]"
    return f".{word.value}" if word.kind == "field" else ""


# -- concrete values as literals -----------------------------------------------------------------------

_Pack = Callable[[Value], tuple[int, int]]
"""Gives a value's true literals and those that matter."""

_Packed = tuple[int, _Pack]
"""How many literals a type has, and what gives those of a value."""


def _packer(kind: Type) -> _Packed:
    """The literals of a type's values; what was seen is remembered, since most steps change little."""
    size, pack = _pack(kind)
    known: dict[Value, tuple[int, int]] = {}

    def remembered(value: Value) -> tuple[int, int]:
        found = known.get(value)
        if found is None:
            found = known[value] = pack(value)
        return found

    return size, remembered


def _pack(kind: Type) -> _Packed:
    match kind:
        case Bool():
            return 1, lambda value: (int(value), 1)
        case Int() if is_binary(kind):
            bits = width(kind)
            return bits, lambda value: (value - kind.low, (1 << bits) - 1)
        case Int() | Named():
            return _pack_one_hot(list(kind.values()))
        case Set():
            members = list(kind.item.values())
            bit = {value: 1 << place for place, value in enumerate(members)}
            return len(members), lambda value: (sum(bit[x] for x in value), (1 << len(members)) - 1)
        case Option() if not kind.item.cardinality:
            return 0, lambda value: (0, 0)
        case Option():
            size, item = _packer(kind.item)
            present = _joined(
                lambda value: (int(value is not None), 1),
                lambda value: [] if value is None else [(1, item, value)],
            )
            return 1 + size, present
        case Seq():
            sizes = list(range(kind.capacity + 1)) if kind.item.cardinality else [0]
            head, length = _pack_one_hot(sizes)
            size, item = _packer(kind.item) if sizes[-1] else (0, length)
            items = _joined(
                lambda value: length(len(value)),
                lambda value: [(head + place * size, item, x) for place, x in enumerate(value)],
            )
            return head + sizes[-1] * size, items
        case Union():
            return _pack_union(kind)
    return _product(component_types(kind))


def _pack_one_hot(values: Sequence[Value]) -> _Packed:
    if len(values) < 3:
        second = values[-1]
        size = len(values) - 1 if values else 0
        return size, lambda value: (int(value == second) & size, size)
    place = {value: 1 << i for i, value in enumerate(values)}
    every = (1 << len(values)) - 1
    return len(values), lambda value: (place[value], every)


def _pack_union(kind: Union) -> _Packed:
    tags = [tag for tag, record in kind.variants if record.cardinality]
    head, tagged = _pack_one_hot(tags)
    end, places = _placed([kind.by_tag[tag] for tag in tags], head)
    payloads = dict(zip(tags, places, strict=True))
    return end, _joined(lambda value: tagged(value[0]), lambda value: [(*payloads[value[0]], value[1])])


def _placed(kinds: Sequence[Type], start: int) -> tuple[int, list[tuple[int, _Pack]]]:
    """The end of the literals of several types, one type's behind the other's, and where each begins."""
    places = []
    for kind in kinds:
        size, pack = _packer(kind)
        places.append((start, pack))
        start += size
    return start, places


def _product(kinds: Sequence[Type]) -> _Packed:
    end, places = _placed(kinds, 0)
    return end, _joined(
        lambda value: (0, 0), lambda value: [(*at, part) for at, part in zip(places, value, strict=True)]
    )


def _joined(head: _Pack, parts: Callable[[Value], list[tuple[int, _Pack, Value]]]) -> _Pack:
    """The literals of a value's head, and behind them those of its parts, each from some place on."""

    def joined(value: Value) -> tuple[int, int]:
        true, matters = head(value)
        for start, pack, part in parts(value):
            own, own_matters = pack(part)
            true |= own << start
            matters |= own_matters << start
        return true, matters

    return joined
