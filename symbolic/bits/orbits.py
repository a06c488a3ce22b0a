"""Orbits: the least images of many states at once under permutations of the members of sorts.

C. N. Ip, D. L. Dill: Better verification through symmetry, Formal Methods in System Design 9, 1996. A permutation
takes each bit of a state to another one, or to its negation where a sort has two members. So the image of a batch
of states is its rows in another order, and the least of all images stands for the orbit.

In slots the same messages may lie in different places. A network puts them in order, in each image too, so that
equal sets are equal rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from leadline.symbolic.bits.lanes import WORD, Indices, Words, sliced, unsliced, words_for
from leadline.symbolic.encode.circuit import TRUE, Circuit
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.values import Shape, component_types
from leadline.symbolic.lang import Map, Model, Option, Permutation, Record, Seq, Slots, Tuple, Type, Union

_LANES = 1 << 14
"""The states whose rows are permuted at once: about as many as a core's cache holds."""


class Orbits:
    """The orbits of a model's states.

    Args:
        model: the model.
        group: all permutations but the identity; none if states are only put in order.
    """

    def __init__(self, model: Model, group: Sequence[Permutation]) -> None:
        facts = Facts(model)
        self._bits = len(facts.literals)
        self._needs = [
            [[(abs(x) - 1 - TRUE, x < 0) for x in clause] for clause in literal.needs]
            for literal in facts.literals
        ]
        self._images = [self._image(facts.image(one)) for one in group]
        self._slots = slots_of(model)

    def _image(self, literals: Sequence[int]) -> tuple[Indices, list[int]]:
        """For each bit of an image the bit that it comes from, and the bits that are negated on the way."""
        source = np.zeros(self._bits, np.int64)
        for place, literal in enumerate(literals):
            source[abs(literal) - 1 - TRUE] = place
        return source, sorted(-x - 1 - TRUE for x in literals if x < 0)

    @property
    def moved(self) -> set[int]:
        """The bits of a state that some permutation moves or negates."""
        places = np.arange(self._bits)
        return {
            int(x) for source, negated in self._images for x in (*np.flatnonzero(source != places), *negated)
        }

    def _of(self, rows: Words) -> Iterator[Words]:
        """The images of some states as rows, but for the states themselves."""
        for source, negated in self._images:
            image = rows[source]
            # A part that is not there is zero, also in an image. It is there if others are, which come before.
            for bit in negated:
                image[bit] = ~image[bit]
                for clause in self._needs[bit]:
                    image[bit] &= np.bitwise_or.reduce([~image[x] if no else image[x] for x, no in clause])
            self._put_in_order(image)
            yield image

    def _put_in_order(self, rows: Words) -> None:
        """Put what is in slots in order, the greatest first, so that free places come last."""
        for places in self._slots:
            # The rows of a place are compared bit by bit, and places that are in order already stay.
            for last in range(len(places) - 1, 0, -1):
                moved = False
                for left, right in pairwise(places[: last + 1]):
                    differs = rows[left] ^ rows[right]
                    swapped = _greater(differs, rows[right])
                    if swapped.any():
                        differs &= swapped
                        rows[left] ^= differs
                        rows[right] ^= differs
                        moved = True
                if not moved:
                    break

    def _batches(self, states: Words) -> Iterator[tuple[int, Words]]:
        """The rows of some states, with zero rows up to whole words, and the number of states in them."""
        for low in range(0, len(states), _LANES):
            batch = states[low : low + _LANES]
            rows = np.zeros((words_for(self._bits) * WORD, -(-len(batch) // WORD)), np.uint64)
            sliced(batch, rows[: self._bits])
            yield len(batch), rows

    def least(self, states: Words) -> Words:
        """The state that stands for the orbit of each of some states."""
        found = [states[:0]]
        for number, rows in self._batches(states):
            self._put_in_order(rows)
            least = rows.copy()
            own = least[: self._bits]
            for image in self._of(rows[: self._bits]):
                differs = image ^ own
                own ^= differs & _greater(differs, own)
            found.append(unsliced(least, number))
        return np.concatenate(found)

    def sizes(self, states: Words) -> Indices:
        """The number of states in the orbit of each of some states."""
        found = [np.empty(0, np.int64)]
        for number, rows in self._batches(states):
            # The permutations that change nothing.
            same = np.ones(number, np.int64)
            for image in self._of(rows[: self._bits]):
                differs = np.bitwise_or.reduce(image ^ rows[: self._bits], axis=0)
                same += np.unpackbits(~differs.view(np.uint8), bitorder="little")[:number]
            found.append((1 + len(self._images)) // same)
        return np.concatenate(found)


def _greater(differs: Words, rows: Words) -> Words:
    """Where some rows are greater than others, given the bits in which they differ: the first of these decides."""
    first = differs.copy()
    first[1:] &= ~np.bitwise_or.accumulate(differs, axis=0)[:-1]
    first &= rows
    found: Words = np.bitwise_or.reduce(first, axis=0)
    return found


def slots_of(model: Model) -> list[list[slice]]:
    """The bits of each place of all slots in a state, those of a variable one behind the other."""
    layout, begin = Layout(Circuit()), 0
    found = []
    for variable in model.variables:
        kind = variable.type
        shape = layout.free(kind)
        row = [abs(x) for x in layout.literals(shape, kind)]
        for entries, inner in _in_slots(shape, kind):
            bits = [[row.index(abs(x)) + begin for x in layout.literals(one, inner)] for one in entries]
            found.append([slice(one[0], one[-1] + 1) for one in bits])
        begin += len(row)
    return found


def _in_slots(shape: Shape, kind: Type) -> Iterator[tuple[Sequence[Shape], Type]]:
    """The slots in a value: what there is at each place, and its type."""
    match kind:
        case Slots(value=value):
            yield shape, value
        case Option(item=item) if shape.item is not None:
            yield from _in_slots(shape.item, item)
        case Seq(item=item):
            for part in shape.items:
                yield from _in_slots(part, item)
        case Union():
            for tag, payload in shape.payloads.items():
                yield from _in_slots(payload, kind.by_tag[tag])
        case Map() | Record() | Tuple():
            for part, inner in zip(shape, component_types(kind), strict=True):
                yield from _in_slots(part, inner)
