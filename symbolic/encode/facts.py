"""Facts: each literal of a state's row as a statement about a part of a variable.

A fact is a key: the variable's name, the way to the part, and a test of it. A permutation of a sort's members
maps facts to facts, and so literals to literals. A fact *matters* only where its part is there: the item of
an option that is present, a place within a sequence's length, the payload of the union's tag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from leadline.symbolic.encode.circuit import TRUE, Circuit
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
    Sort,
    Type,
    Union,
    Value,
    in_tla,
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
Needs = tuple[tuple[int, ...], ...]
"""Clauses over the literals of a row, by number."""
Packed = tuple[int, int]
"""The literals that are true and those that matter, each as the bits of a number: the row's first is bit 0."""
Pack = Callable[[Value], Packed]
"""Packs the value of a part."""


@dataclass(frozen=True)
class Literal:
    """A literal of a row.

    Attributes:
        fact: what it says where it is true.
        needs: the fact matters where all of these hold.
    """

    fact: Fact
    needs: Needs

    @property
    def moved(self) -> bool:
        """Whether a permutation may negate it: it says which member of a sort of two a part is."""
        _, (*_, test) = self.fact
        return test.kind == "is" and isinstance(test.type, Sort) and test.type.cardinality == 2

    def needed(self, circuit: Circuit, row: Sequence[int], begin: int = 0) -> list[int]:
        """The literals of a state that are all true where this one matters; the row begins with number `begin`."""

        def at(number: int) -> int:
            there = row[abs(number) - TRUE - 1 - begin]
            return there if number > 0 else -there

        return [circuit.disj(map(at, clause)) for clause in self.needs]


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
        # Most steps change few variables.
        self._packs = [cache(self._add(x.type, (x.name, ()), ())) for x in model.variables]

    # -- the row, in the order of `Layout.literals` --------------------------------------------------

    def _say(self, fact: Fact, word: FactPart, needs: Needs) -> int:
        name, way = fact
        said = (name, (*way, word))
        self.literals.append(Literal(said, needs))
        self._numbers[said] = number = TRUE + len(self.literals)
        return number

    def _one_hot(self, fact: Fact, words: Sequence[FactPart], needs: Needs) -> tuple[Sequence[int], Pack]:
        """The literal of each of several facts of which exactly one is true, and what packs their values."""
        some, bits = [0] * len(words), [0] * len(words)
        if len(words) == 2:
            second = self._say(fact, words[1], needs)
            self._numbers[fact[0], (*fact[1], words[0])] = -second
            some, bits[1] = [-second, second], _bit(second)
        elif len(words) > 2:
            some = [self._say(fact, word, needs) for word in words]
            bits = list(map(_bit, some))
        every = sum(bits)
        return some, {x.value: (bit, every) for x, bit in zip(words, bits, strict=True)}.__getitem__

    def _add(self, kind: Type, fact: Fact, needs: Needs) -> Pack:
        """Add the literals of a part; what packs its values."""
        match kind:
            case Bool():
                here = _bit(self._say(fact, FactPart("true", None, True), needs))
                return lambda value: (here if value else 0, here)
            case Int() if is_binary(kind):
                bits = [_bit(self._say(fact, FactPart("bit", None, x), needs)) for x in range(width(kind))]
                least, every = bits[0], sum(bits)
                return lambda value: ((value - kind.low) * least, every)
            case Int() | Named():
                return self._one_hot(fact, [FactPart("is", kind, x) for x in kind.values()], needs)[1]
            case Option():
                return self._add_option(kind, fact, needs)
            case Set():
                words = {x: FactPart("has", kind.item, x) for x in kind.item.values()}
                has = {x: _bit(self._say(fact, word, needs)) for x, word in words.items()}
                every = sum(has.values())
                return lambda value: (sum([has[x] for x in value]), every)
            case Seq():
                return self._add_sequence(kind, fact, needs)
            case Union():
                return self._add_union(kind, fact, needs)
        ways = zip(_ways(kind), component_types(kind), strict=True)
        parts = [self._inner(inner, fact, word, needs) for word, inner in ways]
        return lambda value: _joined([pack(x) for pack, x in zip(parts, value, strict=True)])

    def _inner(self, kind: Type, fact: Fact, word: FactPart, needs: Needs) -> Pack:
        name, way = fact
        return self._add(kind, (name, (*way, word)), needs)

    def _add_option(self, kind: Option, fact: Fact, needs: Needs) -> Pack:
        if not kind.item.capped:
            return lambda value: (0, 0)
        there = self._say(fact, FactPart("present", None, True), needs)
        item = self._inner(kind.item, fact, FactPart("item", None, None), (*needs, (there,)))
        here = _bit(there)
        return lambda value: (0, here) if value is None else _joined([(here, here), item(value)])

    def _add_sequence(self, kind: Seq, fact: Fact, needs: Needs) -> Pack:
        sizes = range(kind.capacity + 1) if kind.item.capped else range(1)
        lengths, sized = self._one_hot(fact, [FactPart("length", None, size) for size in sizes], needs)
        longer = [(*needs, tuple(lengths[place + 1 :])) for place in range(sizes[-1])]
        items = [self._inner(kind.item, fact, FactPart("place", None, x), y) for x, y in enumerate(longer)]
        return lambda x: _joined([sized(len(x)), *(pack(y) for pack, y in zip(items, x, strict=False))])

    def _add_union(self, kind: Union, fact: Fact, needs: Needs) -> Pack:
        tags = [tag for tag, record in kind.variants if record.capped]
        literals, tagged = self._one_hot(fact, [FactPart("tag", None, tag) for tag in tags], needs)
        payloads = {
            tag: self._inner(
                kind.by_tag[tag], fact, FactPart("payload", None, tag), (*needs, (x,)) if x else needs
            )
            for tag, x in zip(tags, literals, strict=True)
        }
        return lambda value: _joined([tagged(value[0]), payloads[value[0]](value[1])])

    def masked(self, circuit: Circuit, row: Sequence[int]) -> list[int]:
        """The literals of a state. Each that does not matter is false, unless a permutation may negate it."""
        return [
            literal if said.moved else circuit.conj([literal, *said.needed(circuit, row)])
            for literal, said in zip(row, self.literals, strict=True)
        ]

    def text(self, literal: int) -> str:
        """A literal in the words of the protocol: `r1 in quorum.isr`, `term[n2] != 0`."""
        name, (*way, test) = self.literals[abs(literal) - TRUE - 1].fact
        part = name + "".join(way_text(word) for word in way)
        shown = str(test.value) if test.type is None else in_tla(test.type, test.value)
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

    def by_text(self) -> dict[str, int]:
        """Every literal, positive and negative, by its text."""
        numbers = range(TRUE + 1, TRUE + 1 + len(self.literals))
        return {self.text(literal): literal for number in numbers for literal in (number, -number)}

    # -- permutations and values ---------------------------------------------------------------------

    def image(self, permutation: Permutation) -> list[int]:
        """For each literal of the row, in order, the literal that says the same of the images."""
        return [self._numbers[_image(literal.fact, permutation)] for literal in self.literals]

    def packed(self, state: Sequence[Value]) -> Packed:
        """The literals that are true in a state, and those that matter."""
        return _joined([pack(value) for pack, value in zip(self._packs, state, strict=True)])


def _bit(number: int) -> int:
    """The bit of a literal's number."""
    return 1 << number - TRUE - 1


def _joined(parts: Iterable[Packed]) -> Packed:
    """The literals of several parts."""
    true = matters = 0
    for one, here in parts:
        true |= one
        matters |= here
    return true, matters


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
            return f"[{in_tla(word.type, word.value)}]"
        case "part" | "place":
            return f"[{word.value}]"
    return f".{word.value}" if word.kind == "field" else ""
