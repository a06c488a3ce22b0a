"""Reachable states as samples: no clause that excludes one of them is an invariant.

The sample is kept by literal: for each literal a number whose bit i says that it is true in sample i, so that
a cube is compared with all samples by a few operations on long numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from random import Random

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.engines.prove.pdr.system import Choice, Cube, System
from leadline.symbolic.lang import Permutation, permuted
from leadline.symbolic.meaning import path_of
from leadline.symbolic.meaning.walks import Walks

_MOST = 150_000
"""Samples that are kept at most, with their images under permutations."""

_MOST_COMPARED = 200_000
"""Pairs of literals that are looked for in the samples at most, those first whose first literal most have."""


def choices_to(semantics: Semantics, walks: Walks[State], state: State) -> list[Choice]:
    """The choices of a run to a state that walks have found, that of the initial state first."""
    return [(one.action, one.picks) for one in path_of(semantics, walks.states_to(state))]


class Samples:
    """Reachable states, and their images under the permutations that map runs to runs.

    Args:
        system: the model's transition system.
        walks: the states.
        most: the number of these, the first ones, to take; None for all.
        semantics: the model's concrete meaning.
        dice: what the permutations are drawn from where there are too many.
    """

    def __init__(
        self, system: System, walks: Walks[State], most: int | None, semantics: Semantics, dice: Random
    ) -> None:
        self._system, self._walks, self._semantics = system, walks, semantics
        self._states = walks.states[:most]
        own = self._by_literal()
        self._images = system.permutations(max(1, _MOST // max(1, len(self._states))), dice)
        self._columns, self._all = self._with_images(own)

    # -- by literal --------------------------------------------------------------------------------

    def _by_literal(self) -> dict[int, int]:
        size = self._system.size
        pairs = [self._system.facts.packed(state) for state in self._states]
        every = (1 << size) - 1
        # A literal that does not matter is false. One that a permutation may negate is both true and false.
        moved = sum(1 << place for place, said in enumerate(self._system.facts.literals) if said.moved)
        true = _transposed([true | (moved & ~matters) for true, matters in pairs], size)
        false = _transposed([every & ~true for true, _ in pairs], size)
        return {x: true[x - TRUE - 1] if x > 0 else false[-x - TRUE - 1] for x in self._literals()}

    def _literals(self) -> Iterable[int]:
        return (sign * x for x in self._system.row for sign in (1, -1))

    def _with_images(self, own: dict[int, int]) -> tuple[dict[int, int], int]:
        count = len(self._states)
        found = dict.fromkeys(own, 0)
        for place, permutation in enumerate(self._images):
            image = self._system.images_under(permutation)
            for literal, column in own.items():
                found[image[literal]] |= column << place * count
        return found, (1 << count * len(self._images)) - 1

    # -- questions ---------------------------------------------------------------------------------

    def hits(self, cube: Iterable[int]) -> int:
        """The samples and images of samples that are in a cube, as the bits of a number."""
        found = self._all
        for literal in cube:
            found &= self._columns[literal]
            if not found:
                return 0
        return found

    def within(self, hits: int, literal: int) -> int:
        """Those among some samples of which a literal is true."""
        return hits & self._columns[literal]

    def pairs(self) -> list[Cube]:
        """Pairs of literals that no sample has together, those first that one would expect most often.

        The first literal of each is the least of its images under permutations. One that no sample has is alone.
        """
        counts = {x: column.bit_count() for x, column in self._columns.items()}
        firsts = sorted(set(self._system.kind.values()), key=lambda x: -counts[x])
        found: list[tuple[float, Cube]] = [(inf, (x,)) for x in firsts if not counts[x]]
        for x in firsts[: _MOST_COMPARED // len(counts)]:
            column = self._columns[x]
            found += [
                (counts[x] * counts[y], (x, y) if x < y else (y, x))
                for y, other in self._columns.items()
                if counts[x] and counts[y] and abs(x) != abs(y) and not column & other
            ]
        return [cube for _, cube in sorted(found, reverse=True)]

    def run(self, hits: int) -> list[Choice]:
        """The choices of a run to one of some samples, that of the initial state first."""
        image, place = divmod((hits & -hits).bit_length() - 1, len(self._states))
        return self._moved(choices_to(self._semantics, self._walks, self._states[place]), self._images[image])

    def _moved(self, choices: Sequence[Choice], permutation: Permutation) -> list[Choice]:
        """The choices of a run's image under a permutation."""
        model = self._system.model
        types = {
            (action.name, pick.name): pick.type
            for action in (model.init, *model.actions)
            for pick in action.picks
        }
        return [
            (action, {name: permuted(types[action, name], x, permutation) for name, x in picks.items()})
            for action, picks in choices
        ]


def _transposed(rows: Sequence[int], width: int) -> list[int]:
    """For each of the bits of several numbers, the number whose bit i is that of the i-th."""
    if not rows or not width:
        return [0] * width
    text = "".join([f"{row:0{width}b}" for row in reversed(rows)])
    return [int(text[place::width], 2) for place in range(width - 1, -1, -1)]
