"""Orbits: the least images of many states at once under permutations of the members of sorts.

C. N. Ip, D. L. Dill: Better verification through symmetry, Formal Methods in System Design 9, 1996. A permutation
takes each bit of a state to another one, or to its negation where a sort has two members. So the image of a batch
of states is its rows in another order, and the least of all images stands for the orbit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from leadline.symbolic.bits.lanes import WORD, Indices, Words, sliced, unsliced, words_for
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.lang import Model, Permutation

_LANES = 1 << 14
"""The states whose rows are permuted at once: about as many as a core's cache holds."""


class Orbits:
    """The orbits of a model's states.

    Args:
        model: the model.
        group: all permutations but the identity.
    """

    def __init__(self, model: Model, group: Sequence[Permutation]) -> None:
        facts = Facts(model)
        self._bits = len(facts.literals)
        self._needs = [
            [[(abs(x) - 1 - TRUE, x < 0) for x in clause] for clause in literal.needs]
            for literal in facts.literals
        ]
        self._images = [self._image(facts.image(one)) for one in group]

    def _image(self, literals: Sequence[int]) -> tuple[Indices, list[int]]:
        """For each bit of an image the bit that it comes from, and the bits that are negated on the way."""
        source = np.zeros(self._bits, np.int64)
        for place, literal in enumerate(literals):
            source[abs(literal) - 1 - TRUE] = place
        return source, sorted(-x - 1 - TRUE for x in literals if x < 0)

    def _of(self, rows: Words) -> Iterator[Words]:
        """The images of some states as rows, but for the states themselves."""
        for source, negated in self._images:
            image = rows[source]
            # A part that is not there is zero, also in an image. It is there if others are, which come before.
            for bit in negated:
                image[bit] = ~image[bit]
                for clause in self._needs[bit]:
                    image[bit] &= np.bitwise_or.reduce([~image[x] if no else image[x] for x, no in clause])
            yield image

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
            least = rows.copy()
            own = least[: self._bits]
            for image in self._of(rows[: self._bits]):
                differs = image ^ own
                # The first bit that differs decides.
                before = np.bitwise_or.accumulate(differs, axis=0)
                first = differs
                first[1:] &= ~before[:-1]
                own ^= (image ^ own) & np.bitwise_or.reduce(first & own, axis=0)
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
