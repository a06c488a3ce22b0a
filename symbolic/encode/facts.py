"""Facts: each literal of a state's row as a statement about a part of a variable.

A fact is a key: the variable's name, the way to the part, and a test of it. A permutation of a sort's members
maps facts to facts, and so literals to literals. A fact *matters* only where its part is there: the item of
an option that is present, a place within a sequence's length, the payload of the union's tag.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from leadline.symbolic.encode.circuit import TRUE, Circuit
from leadline.symbolic.encode.layout import Layout
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
Needs = tuple[tuple[int, ...], ...]
"""Clauses over the literals of a row, by number."""


@dataclass(frozen=True)
class Literal:
    """A literal of a row.

    Attributes:
        fact: what it says where it is true.
        needs: the fact matters where all of these hold.
    """

    fact: Fact
    needs: Needs


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
        # For each variable the place of its first literal, and those that matter together as the bits of a number.
        self._parts: list[tuple[int, dict[Needs, int]]] = []
        self._layout = Layout(Circuit())
        self._of_value = cache(self._new_of_value)
        for variable in model.variables:
            begin, together = len(self.literals), dict[Needs, int]()
            self._add(variable.type, (variable.name, ()), ())
            for place, one in enumerate(self.literals[begin:], start=begin):
                together[one.needs] = together.get(one.needs, 0) | 1 << place
            self._parts.append((begin, together))

    def number(self, fact: Fact) -> int:
        """The literal that says a fact."""
        return self._numbers[fact]

    # -- the row, in the order of `Layout.literals` --------------------------------------------------

    def _say(self, fact: Fact, word: FactPart, needs: Needs) -> int:
        name, way = fact
        said = (name, (*way, word))
        self.literals.append(Literal(said, needs))
        self._numbers[said] = number = TRUE + len(self.literals)
        return number

    def _one_hot(self, fact: Fact, words: Sequence[FactPart], needs: Needs) -> Sequence[int]:
        """The literal of each of several facts of which exactly one is true."""
        if len(words) == 2:
            second = self._say(fact, words[1], needs)
            self._numbers[fact[0], (*fact[1], words[0])] = -second
            return (-second, second)
        return [self._say(fact, word, needs) for word in words] if len(words) > 2 else [0] * len(words)

    def _add(self, kind: Type, fact: Fact, needs: Needs) -> None:
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

    def _add_sequence(self, kind: Seq, fact: Fact, needs: Needs) -> None:
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

    def packed(self, state: Sequence[Value]) -> tuple[int, int]:
        """The literals that are true in a state and those that matter, each as the bits of a number.

        The row's first literal is bit 0.
        """
        # Most steps change few variables.
        found = [self._of_value(*one) for one in enumerate(state)]
        return sum(true for true, _ in found), sum(matters for _, matters in found)

    def _new_of_value(self, variable: int, value: Value) -> tuple[int, int]:
        """As `packed`, for the literals of one variable, by its place."""
        kind, (begin, together) = self.model.variables[variable].type, self._parts[variable]
        row = self._layout.literals(self._layout.values.constant(kind, value), kind)

        def holds(number: int) -> bool:
            return (row[abs(number) - TRUE - 1 - begin] == TRUE) is (number > 0)

        true = sum(1 << place for place, literal in enumerate(row, start=begin) if literal == TRUE)
        matters = sum(
            part for needs, part in together.items() if all(any(map(holds, clause)) for clause in needs)
        )
        return true & matters, matters


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
