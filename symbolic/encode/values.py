"""Symbolic values: for each type a shape of literals.

=================  ==================================================================================
type               shape
=================  ==================================================================================
Bool               a literal
Int, Enum, Sort    one-hot: a dict from each possible value to its literal, exactly one of them true;
                   an integer type of more than `ONE_HOT_LIMIT` values is a `Bits` instead
Tuple, Record      a tuple of the components' shapes
Map                a tuple of the values' shapes in the order of the keys
Option             `Maybe`: a literal that there is a value, and its shape
Set                a dict from each possible member to the literal that it is one (absent: never)
Seq                `Items`: the length's one-hot, and the shapes of the places
Union              `Tagged`: the tag's one-hot, and the payload's shape of each possible tag
=================  ==================================================================================

The item of a `Maybe` that is absent, places past the length and payloads of other tags are don't-cares and
may have any shape. Dicts are sparse: values that are left out cannot occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat, zip_longest
from typing import Any

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.lang import (
    NOWHERE,
    Bool,
    Int,
    Map,
    Mistake,
    ModelError,
    Named,
    Never,
    Option,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    Union,
    Value,
)

Shape = Any
"""A symbolic value: see the module's table."""

ONE_HOT_LIMIT = 3
"""Integer types with more values than this are encoded in binary: see docs/decisions/0004."""

ENUMERATION_LIMIT = 1 << 16
"""The number of values that an expression may take where each must be listed."""


_LEFT_OUT = object()


@dataclass(frozen=True, slots=True)
class Bits:
    """An integer: `low` of its type plus the binary number, least significant bit first."""

    bits: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Maybe:
    """An option; `item` is None only where `present` is constantly false."""

    present: int
    item: Shape


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence."""

    length: dict[int, int]
    items: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value of a tagged union."""

    tags: dict[str, int]
    payloads: dict[str, Shape]


def is_binary(kind: Type) -> bool:
    """Whether values of the type are `Bits`."""
    return isinstance(kind, Int) and kind.cardinality > ONE_HOT_LIMIT


def width(kind: Type) -> int:
    """The number of bits of a binary integer type."""
    return (kind.cardinality - 1).bit_length()


def component_types(kind: Type) -> tuple[Type, ...]:
    """The component types of a tuple, record or map."""
    if isinstance(kind, Map):
        return (kind.value,) * kind.key.cardinality
    return kind.parts


class Values:
    """Operations on symbolic values, type by type."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit

    def constant(self, kind: Type, value: Value) -> Shape:
        """The shape of a concrete value."""
        match kind:
            case Bool():
                return TRUE if value else FALSE
            case Int() if is_binary(kind):
                number = value - kind.low
                return Bits(tuple(TRUE if number >> i & 1 else FALSE for i in range(width(kind))))
            case Int() | Named():
                return {value: TRUE}
            case Option():
                return Maybe(FALSE, None) if value is None else Maybe(TRUE, self.constant(kind.item, value))
            case Set():
                return dict.fromkeys(value, TRUE)
            case Seq():
                return Items({len(value): TRUE}, tuple(self.constant(kind.item, x) for x in value))
            case Union():
                tag, payload = value
                return Tagged({tag: TRUE}, {tag: self.constant(kind.by_tag[tag], payload)})
        parts = zip(component_types(kind), value, strict=True)
        return tuple(self.constant(part, x) for part, x in parts)

    def arbitrary(self, kind: Type) -> Shape:
        """Some value of the type, for a don't-care; None if the type is empty."""
        return None if kind.capped == 0 else self.constant(kind, kind.first)

    def placeholder(self, kind: Type) -> Shape:
        """A don't-care that can be taken apart like a value; some value unless the type is empty."""
        match kind:
            case _ if kind.capped:
                return self.arbitrary(kind)
            case Map() | Record() | Tuple():
                return tuple(self.placeholder(part) for part in component_types(kind))
            case Union():
                return Tagged({}, {})
        return {}

    # -- choosing between values ------------------------------------------------------------------

    def ite(self, condition: int, then: Shape, orelse: Shape, kind: Type) -> Shape:
        """`then` where the condition holds, `orelse` elsewhere."""
        return self.mux([(condition, then), (-condition, orelse)], kind)

    def mux(self, arms: list[tuple[int, Shape]], kind: Type) -> Shape:
        """The value of the arm whose literal is true, of which there is at most one; else a don't-care."""
        arms = [(literal, shape) for literal, shape in arms if literal != FALSE and shape is not None]
        if not arms:
            return self.placeholder(kind)
        if len(arms) == 1 or arms[0][0] == TRUE or all(shape is arms[0][1] for _, shape in arms):
            return arms[0][1]
        match kind:
            case Bool():
                return self._select([(literal, shape) for literal, shape in arms])
            case Int() if is_binary(kind):
                columns = zip(*(shape.bits for _, shape in arms), strict=True)
                literals = [literal for literal, _ in arms]
                return Bits(tuple(self._select(list(zip(literals, bits, strict=True))) for bits in columns))
            case Int() | Named() | Set():
                return self.mux_dicts([(literal, shape) for literal, shape in arms])
            case Option():
                present = self._select([(literal, shape.present) for literal, shape in arms])
                inner = [(literal, shape.item) for literal, shape in arms if shape.present != FALSE]
                return Maybe(present, self.mux(inner, kind.item) if inner else None)
            case Seq():
                length = self.mux_dicts([(literal, shape.length) for literal, shape in arms])
                return Items(length, self._mux_parts(arms, [x.items for _, x in arms], repeat(kind.item)))
            case Union():
                tags = self.mux_dicts([(literal, shape.tags) for literal, shape in arms])
                payloads = {tag: [(literal, x.payloads.get(tag)) for literal, x in arms] for tag in tags}
                return Tagged(tags, {tag: self.mux(payloads[tag], kind.by_tag[tag]) for tag in tags})
        return self._mux_parts(arms, [shape for _, shape in arms], component_types(kind))

    def _mux_parts(
        self, arms: list[tuple[int, Shape]], rows: list[Sequence[Shape]], kinds: Iterable[Type]
    ) -> tuple[Shape, ...]:
        """`mux` part by part; a row that is too short has don't-cares at its end."""
        literals = [literal for literal, _ in arms]
        columns = zip(kinds, zip_longest(*rows), strict=False)
        return tuple([self.mux(list(zip(literals, column, strict=True)), kind) for kind, column in columns])

    def _select(self, arms: list[tuple[int, int]]) -> int:
        if any(value == FALSE for _, value in arms) and (len(arms) > 2 or arms[-1][0] == FALSE):
            return self.circuit.disj([self.circuit.both(*arm) for arm in arms])
        # If no literal is true, the value is a don't-care. So the last literal need not be tested.
        chosen = arms[-1][1]
        for literal, value in reversed(arms[:-1]):
            chosen = self.circuit.mux(literal, value, chosen)
        return chosen

    def mux_dicts(self, arms: list[tuple[int, dict[Value, int]]]) -> dict[Value, int]:
        """`mux` for one-hots of any values, and for sets."""
        found: dict[Value, list[tuple[int, int]]] = {}
        for literal, shape in arms:
            for key, inner in shape.items():
                found.setdefault(key, []).append((literal, inner))
        # Where some arms lack a key, those that have it decide; in the others it is false.
        made = {
            key: self._select(own if len(own) == len(arms) else [*own, (FALSE, FALSE)])
            for key, own in found.items()
        }
        return {key: literal for key, literal in made.items() if literal != FALSE}

    # -- comparing --------------------------------------------------------------------------------

    def equal(self, left: Shape, right: Shape, kind: Type) -> int:
        """The literal that two values of the same type are equal."""
        if left == right:
            return TRUE
        circuit = self.circuit
        match kind:
            case Bool():
                return circuit.same(left, right)
            case Never():
                return TRUE
            case Int() if is_binary(kind):
                return circuit.conj(map(circuit.same, left.bits, right.bits))
            case Int() | Named():
                return circuit.disj([circuit.conj((a, right[x])) for x, a in left.items() if x in right])
            case Set():
                keys = {**left, **right}
                return circuit.conj([circuit.same(left.get(x, FALSE), right.get(x, FALSE)) for x in keys])
            case Option():
                if FALSE in (left.present, right.present):
                    return circuit.same(left.present, right.present)
                same = self.equal(left.item, right.item, kind.item)
                both = circuit.conj((left.present, right.present, same))
                return circuit.disj((both, circuit.conj((-left.present, -right.present))))
            case Seq():
                return self._equal_sequences(left, right, kind)
            case Union():
                alike = (
                    (a, right.tags[x], self.equal(left.payloads[x], right.payloads[x], kind.by_tag[x]))
                    for x, a in left.tags.items()
                    if x in right.tags
                )
                return circuit.disj(map(circuit.conj, alike))
        parts = zip(left, right, component_types(kind), strict=True)
        return circuit.conj([self.equal(a, b, part) for a, b, part in parts])

    def _equal_sequences(self, left: Items, right: Items, kind: Seq) -> int:
        circuit = self.circuit
        # Lengths are always one-hot.
        sizes = [circuit.conj((a, right.length[n])) for n, a in left.length.items() if n in right.length]
        agree = [circuit.disj(sizes)]
        for place, (a, b) in enumerate(zip(left.items, right.items, strict=False)):
            agree.append(circuit.implies(self.longer(left, place), self.equal(a, b, kind.item)))
        return circuit.conj(agree)

    def longer(self, items: Items, length: int) -> int:
        """The literal that a sequence has more than so many items."""
        return self.circuit.disj([literal for n, literal in items.length.items() if n > length])

    def has_value(self, shape: Shape, value: Value, kind: Type) -> int:
        """The literal that a symbolic value equals a concrete one, which may have a wider type."""
        return self.has_values(shape, [value], kind)[0]

    def has_values(self, shape: Shape, values: Sequence[Value], kind: Type) -> list[int]:
        """For each of several concrete values, the literal that a symbolic value equals it.

        Many values share parts, each of which is compared once.
        """
        conj = self.circuit.conj
        match kind:
            case Bool():
                return [int(shape if value else -shape) for value in values]
            case Int() if is_binary(kind):
                return [self._has_number(shape, value, kind) for value in values]
            case Int() | Named():
                return [int(shape.get(value, FALSE)) for value in values]
            case Option():
                some = [value for value in values if value is not None] if shape.present != FALSE else []
                inside = self._has_parts(shape.item, some, kind.item)
                return [
                    -shape.present if value is None else conj((shape.present, inside.get(value, FALSE)))
                    for value in values
                ]
            case Union():
                payloads = {
                    tag: self._has_parts(
                        shape.payloads[tag], [x for one, x in values if one == tag], kind.by_tag[tag]
                    )
                    for tag, here in shape.tags.items()
                    if here != FALSE
                }
                return [
                    conj((shape.tags[tag], payloads[tag][x])) if tag in payloads else FALSE
                    for tag, x in values
                ]
            case Set():
                return [self.equal(shape, self.constant(kind, value), kind) for value in values]
            case Seq():
                sizes = [shape.length.get(len(value), FALSE) for value in values]
                return self._has_columns([(item, kind.item) for item in shape.items], values, sizes)
        parts = [*zip(shape, component_types(kind), strict=True)]
        return self._has_columns(parts, values, [TRUE] * len(values))

    def _has_columns(
        self, parts: Sequence[tuple[Shape, Type]], values: Sequence[Value], fits: Sequence[int]
    ) -> list[int]:
        """For each of several tuples or sequences, the literal that it fits and that all parts are its own.

        Each part is compared only with the values that the parts before it have left: a known part leaves few.
        """
        found = [[literal] for literal in fits]
        left = [at for at, literal in enumerate(fits) if literal != FALSE]
        for place, (shape, kind) in enumerate(parts):
            having = [at for at in left if len(values[at]) > place]
            here = self._has_parts(shape, [values[at][place] for at in having], kind)
            for at in having:
                found[at].append(here[values[at][place]])
            left = [at for at in left if found[at][-1] != FALSE]
        conj = self.circuit.conj
        kept = {at: conj(found[at]) for at in left}
        return [kept.get(at, FALSE) for at in range(len(values))]

    def _has_parts(self, shape: Shape, values: Sequence[Value], kind: Type) -> dict[Value, int]:
        distinct = [*dict.fromkeys(values)]
        return dict(zip(distinct, self.has_values(shape, distinct, kind) if distinct else (), strict=True))

    def _has_number(self, shape: Shape, value: Value, kind: Int) -> int:
        if not kind.contains(value):
            return FALSE
        number = value - kind.low
        return self.circuit.conj(bit if number >> i & 1 else -bit for i, bit in enumerate(shape.bits))

    # -- listing ----------------------------------------------------------------------------------

    def cases(self, shape: Shape, kind: Type) -> list[tuple[Value, int]]:
        """Every value that a shape may take, with the literal that the shape has this value.

        Raises:
            ModelError: if there are more than `ENUMERATION_LIMIT`.
        """
        found = []
        for case in self._cases(shape, kind):
            found.append(case)
            if len(found) > ENUMERATION_LIMIT:
                text = (
                    f"an expression of type {kind!r} may take over {ENUMERATION_LIMIT} values, and each must "
                    "be listed (as a member of a set or a key of a map): use a smaller type or parameters"
                )
                raise ModelError([Mistake(NOWHERE, text)])
        return found

    def _cases(self, shape: Shape, kind: Type) -> Iterator[tuple[Value, int]]:
        match kind:
            case Bool():
                pairs = [(False, -shape), (True, shape)]
                yield from ((value, literal) for value, literal in pairs if literal != FALSE)
            case Int() if is_binary(kind):
                for value in kind.values():
                    literal = self.has_value(shape, value, kind)
                    if literal != FALSE:
                        yield value, literal
            case Int() | Named():
                yield from shape.items()
            case Option():
                if shape.present != TRUE:
                    yield None, -shape.present
                if shape.present != FALSE:
                    for value, literal in self._cases(shape.item, kind.item):
                        yield value, self.circuit.conj((shape.present, literal))
            case Set():
                members = list(shape.items())
                yield from self._product(members, frozenset, lambda m: ((_LEFT_OUT, -m[1]), (m[0], m[1])))
            case Seq():
                for length, literal in shape.length.items():
                    for value, inner in self._tuples(shape.items[:length], (kind.item,) * length):
                        yield value, self.circuit.conj((literal, inner))
            case Union():
                for tag, literal in shape.tags.items():
                    record = kind.by_tag[tag]
                    for value, inner in self._tuples(shape.payloads[tag], record.parts):
                        yield (tag, value), self.circuit.conj((literal, inner))
            case Never():
                return
            case Map() | Record() | Tuple():
                yield from self._tuples(shape, component_types(kind))

    def _tuples(self, shapes: tuple[Shape, ...], kinds: tuple[Type, ...]) -> Iterator[tuple[Value, int]]:
        parts = list(zip(shapes, kinds, strict=True))
        return self._product(parts, tuple, lambda part: self._cases(*part))

    def _product(
        self, parts: list[Any], gather: Callable[[list[Value]], Value], options: Callable[[Any], Any]
    ) -> Iterator[tuple[Value, int]]:
        """Every combination of the parts' options."""
        conj = self.circuit.conj
        partial: list[tuple[list[Value], int]] = [([], TRUE)]
        for part in parts:
            listed = list(options(part))
            partial = [
                (chosen if value is _LEFT_OUT else [*chosen, value], literal)
                for chosen, so_far in partial
                for value, one in listed
                if (literal := conj((so_far, one))) != FALSE
            ]
            if len(partial) > ENUMERATION_LIMIT:
                break
        return ((gather(chosen), literal) for chosen, literal in partial)
