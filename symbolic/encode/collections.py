"""Operations on whole symbolic sets, maps and sequences, and conversion between types."""

from __future__ import annotations

from functools import cache

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.integers import Integers
from leadline.symbolic.encode.keyed import several
from leadline.symbolic.encode.values import Items, Maybe, Shape, Tagged, Values, component_types, is_binary
from leadline.symbolic.lang import (
    Atoms,
    Int,
    KeyedSet,
    Map,
    Never,
    Option,
    Seq,
    Set,
    Type,
    Union,
    Value,
    nodes as n,
)


class Collections:
    """Operations on symbolic sets, maps and sequences, and conversion between types of one shape."""

    def __init__(self, values: Values, integers: Integers) -> None:
        self.values = values
        self.integers = integers
        self.circuit: Circuit = values.circuit

    # -- conversion -------------------------------------------------------------------------------

    def coerce(self, shape: Shape, source: Type, target: Type) -> tuple[Shape, int]:
        """A value as one of another type of the same shape, and the literal that it is outside that type."""
        if source == target:
            return shape, FALSE
        match source, target:
            case Never(), _:
                return self.values.arbitrary(target), FALSE
            case Int(), Int():
                return self.integers.convert(shape, source, target)
            case Atoms(), Atoms():
                known = {value: literal for value, literal in shape.items() if target.contains(value)}
                unknown = [literal for value, literal in shape.items() if value not in known]
                return known, self.circuit.disj(unknown)
            case Option(), _ if not isinstance(target, Option):
                if shape.present == FALSE:
                    return self.values.arbitrary(target), TRUE
                item, outside = self.coerce(shape.item, source.item, target)
                return item, self.circuit.disj((-shape.present, outside))
            case Option(), Option():
                if shape.present == FALSE:
                    return Maybe(FALSE, None), FALSE
                item, outside = self.coerce(shape.item, source.item, target.item)
                return Maybe(shape.present, item), self.circuit.conj((shape.present, outside))
            case _, Option():
                item, outside = self.coerce(shape, source, target.item)
                return Maybe(TRUE, item), outside
            case Set(), Set():
                return self._coerce_set(shape, target)
            case Seq(), Seq():
                return self._coerce_sequence(shape, source, target)
            case Union(), Union():
                return self._coerce_union(shape, source, target)
        parts = zip(shape, component_types(source), component_types(target), strict=True)
        converted = [self.coerce(part, a, b) for part, a, b in parts]
        return tuple(x for x, _ in converted), self.circuit.disj([outside for _, outside in converted])

    def _coerce_set(self, shape: dict[Value, int], target: Set) -> tuple[Shape, int]:
        inside = {value: literal for value, literal in shape.items() if target.item.contains(value)}
        outside = [literal for value, literal in shape.items() if value not in inside]
        if isinstance(target, KeyedSet):
            outside.append(several(self.circuit, target, inside))
        return inside, self.circuit.disj(outside)

    def _coerce_sequence(self, shape: Items, source: Seq, target: Seq) -> tuple[Shape, int]:
        length = {size: literal for size, literal in shape.length.items() if size <= target.capacity}
        errors = [literal for size, literal in shape.length.items() if size not in length]
        items = []
        for place, item in enumerate(shape.items):
            converted, outside = self.coerce(item, source.item, target.item)
            errors.append(self.circuit.conj((self.values.longer(shape, place), outside)))
            items.append(converted)
        return Items(length, tuple(items[: target.capacity])), self.circuit.disj(errors)

    def _coerce_union(self, shape: Tagged, source: Union, target: Union) -> tuple[Shape, int]:
        payloads, errors = {}, []
        for tag, payload in shape.payloads.items():
            payloads[tag], outside = self.coerce(payload, source.by_tag[tag], target.by_tag[tag])
            errors.append(self.circuit.conj((shape.tags[tag], outside)))
        return Tagged(shape.tags, payloads), self.circuit.disj(errors)

    # -- sets and maps ----------------------------------------------------------------------------

    def set_from(self, found: dict[Value, list[int]]) -> dict[Value, int]:
        """The set of the members for which at least one of several literals is true."""
        members = {value: self.circuit.disj(literals) for value, literals in found.items()}
        return {value: literal for value, literal in members.items() if literal != FALSE}

    def combine(self, kind: type[n.Node], left: dict[Value, int], right: dict[Value, int]) -> Shape:
        """Union, intersection or difference, or the literal that left is a subset of right."""
        circuit = self.circuit
        if kind is n.Subset:
            return circuit.conj([circuit.implies(a, right.get(x, FALSE)) for x, a in left.items()])
        if kind is n.SetUnion:
            return {x: circuit.disj((left.get(x, FALSE), right.get(x, FALSE))) for x in {**left, **right}}
        sign = 1 if kind is n.SetIntersect else -1
        made = {x: circuit.conj((a, sign * right.get(x, FALSE))) for x, a in left.items()}
        return {x: literal for x, literal in made.items() if literal != FALSE}

    def count(self, literals: list[int], kind: Int) -> Shape:
        """The number of true literals, as a value of the type."""
        counts = {0: TRUE}
        for literal in literals:
            counts = self._counted(counts, literal)
        return self.as_integer(counts, kind)

    def _counted(self, counts: dict[int, int], literal: int) -> dict[int, int]:
        """A one-hot count, increased if one more literal is true."""
        conj = self.circuit.conj
        grown: dict[int, int] = {}
        for number in range(min(counts), max(counts) + 2):
            stay = conj((counts.get(number, FALSE), -literal))
            step = conj((counts.get(number - 1, FALSE), literal))
            grown[number] = self.circuit.disj((stay, step))
        return {number: bit for number, bit in grown.items() if bit != FALSE}

    def as_integer(self, one_hot: dict[int, int], kind: Int) -> Shape:
        """A one-hot number as a value of the type, which may be binary."""
        if not is_binary(kind):
            return one_hot
        return self.values.mux([(a, self.values.constant(kind, x)) for x, a in one_hot.items()], kind)

    @staticmethod
    @cache
    def places(kind: Map) -> dict[Value, int]:
        """The position of each key."""
        return {key: place for place, key in enumerate(kind.keys)}

    # -- sequences --------------------------------------------------------------------------------

    def place(self, items: Items, place: Shape, kind: Type) -> tuple[dict[int, int], int]:
        """The literal of each possible place, and the literal that the place is outside 1..Len."""
        assert isinstance(kind, Int)
        most = len(items.items)
        chosen = self.integers.one_hot(place, kind, 1, most) if most else {}
        inside = [self.circuit.conj((a, self.values.longer(items, at - 1))) for at, a in chosen.items()]
        return chosen, -self.circuit.disj(inside)

    def concat(self, left: Items, right: Items, kind: Seq) -> Items:
        """Two sequences of the item type, one after the other."""
        if right.length == {1: TRUE}:
            return self.append(left, right.items[0], kind)
        conj, disj = self.circuit.conj, self.circuit.disj
        found: dict[int, list[int]] = {}
        for a, x in left.length.items():
            for b, y in right.length.items():
                found.setdefault(a + b, []).append(conj((x, y)))
        items = []
        for place in range(min(kind.capacity, len(left.items) + len(right.items))):
            arms = [(self.values.longer(left, place), left.items[place])] if place < len(left.items) else []
            for a, x in left.length.items():
                if 0 <= place - a < len(right.items):
                    arms.append((x, right.items[place - a]))
            items.append(self.values.mux(arms, kind.item))
        return Items({size: disj(found[size]) for size in sorted(found)}, tuple(items))

    def append(
        self, left: Items, item: Shape, kind: Seq, here: int = TRUE, orelse: Items | None = None
    ) -> Items:
        """A sequence with one more item where `here` holds, `orelse` elsewhere (default: the sequence).

        Places past the end keep their don't-cares. A sequence that was full gets no length.
        """
        orelse = left if orelse is None else orelse
        grown = {size + 1: literal for size, literal in left.length.items() if size < kind.capacity}
        items = list(orelse.items)
        for place in range(min(kind.capacity, len(left.items) + 1)):
            last = self.circuit.conj((here, left.length.get(place, FALSE)))
            if place < len(items):
                items[place] = self.values.ite(last, item, items[place], kind.item)
            else:
                items.append(item)
        return Items(self.values.ite_one_hot(here, grown, orelse.length), tuple(items))

    def slice(
        self, items: Items, first: tuple[Shape, Type], last: tuple[Shape, Type], kind: Seq
    ) -> tuple[Items, int]:
        """The items from place `first` to place `last`, and the literal that one lies outside."""
        assert isinstance(first[1], Int) and isinstance(last[1], Int)
        conj, disj = self.circuit.conj, self.circuit.disj
        most = len(items.items)
        empty = self.integers.less((last[0], last[1]), (first[0], first[1]))
        begins, outside = self.place(items, *first)
        ends, beyond = self.place(items, *last)
        found: dict[int, list[int]] = {0: [empty]}
        for a, x in begins.items():
            for b, y in ends.items():
                if a <= b:
                    found.setdefault(b - a + 1, []).append(conj((x, y)))
        length = {size: disj(found[size]) for size in sorted(found)}
        shifted = []
        for place in range(most):
            arms = [(x, items.items[a - 1 + place]) for a, x in begins.items() if a - 1 + place < most]
            shifted.append(self.values.mux(arms, kind.item))
        return Items(length, tuple(shifted)), conj((-empty, disj((outside, beyond))))

    def compressed(self, items: Items, keep: list[int], kind: Seq) -> Items:
        """The items whose literal in `keep` is true, in their order."""
        conj = self.circuit.conj
        counts: dict[int, int] = {0: TRUE}
        arms: list[list[tuple[int, Shape]]] = [[] for _ in keep]
        for item, kept in zip(items.items, keep, strict=True):
            for before, literal in counts.items():
                arms[before].append((conj((literal, kept)), item))
            counts = self._counted(counts, kept)
        return Items(counts, tuple(self.values.mux(arm, kind.item) for arm in arms))
