"""Steps that the solver found, kept to answer questions about other cubes without asking.

As long as the state before a step is in a frame, no cube with the state after it can be ruled out there. Most
questions of a search have that answer, and it is the one that takes a solver longest: it assigns every
variable. Steps are kept by literal, as the bits of numbers, so that a cube is compared with all of them
by a few operations. Frames are closed under permutations that map runs to runs, so images of the cube may be
compared as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from leadline.symbolic.engines.prove.pdr.system import Cube, System

_MOST = 8192
"""Steps that are kept; a later one takes the place of one of the oldest."""

_PART = 1024
"""Steps that are forgotten at once, to make place."""

_IMAGES = 24
"""Images of a cube that are compared at most, itself among them."""


@dataclass(frozen=True)
class FoundStep:
    """A state with a step from it, or a bad state, in a solver's model.

    Attributes:
        state: the literals of the row that are true.
        inputs: those of the inputs.
    """

    state: tuple[int, ...]
    inputs: tuple[int, ...]


class Memory:
    """The last steps that were found, each by the place of a bit.

    Args:
        system: the transition system.
        dice: what permutations are drawn from where there are too many.
    """

    def __init__(self, system: System, dice: Random) -> None:
        self._images = [system.images_under(x) for x in system.permutations(_IMAGES, dice)]
        self._before = dict.fromkeys(system.row, 0)
        self._after = dict.fromkeys(system.row, 0)
        self._found: list[FoundStep] = []
        self._place = 0
        self._every = 0
        self._known = [0, 0]
        """For each frame the steps whose state before is known to be in it."""

    def append(self) -> None:
        """One more frame, which has every state."""
        self._known.append(self._every)

    def add(self, frame: int, found: FoundStep, after: Iterable[int]) -> None:
        """Keep a step from a state of a frame, the first aside.

        Args:
            frame: the frame.
            found: the step.
            after: the literals of the row that are true after it.
        """
        if self._place % _PART == 0:
            self._forget()
        bit = 1 << self._place
        self._found[self._place : self._place + 1] = [found]
        for x in found.state:
            if x > 0:
                self._before[x] |= bit
        for x in after:
            self._after[x] |= bit
        for k in range(frame, len(self._known)):
            self._known[k] |= bit
        self._every |= bit
        self._place = (self._place + 1) % _MOST

    def step_into(self, frame: int, cube: Cube, *, other: bool) -> FoundStep | None:
        """A step that is kept from a frame, the first aside, into a cube.

        Args:
            frame: the frame.
            cube: the cube.
            other: whether only steps from outside of the cube count.
        """
        found = self._into(frame, cube, other)
        return self._found[found.bit_length() - 1] if found else None

    def leads_into(self, frame: int, cube: Cube, *, other: bool) -> bool:
        """Whether there is such a step, or an image of one."""
        return any(self._into(frame, [image[x] for x in cube], other) for image in self._images)

    def apart(self, frame: int, part: Cube, cube: Cube) -> Cube:
        """Literals of a cube to keep it apart from the steps that are kept from a frame, and their images.

        Args:
            frame: the frame, the first aside.
            part: literals that are kept.
            cube: the cube. No step from outside of it leads into it, unless the state before is in an image of a
                lemma that the frame does not have; then all of the cube may be too little.
        """
        kept = list(part)
        for image in self._images:
            while len(kept) < len(cube) and (hits := self._into(frame, [image[x] for x in kept], True)):
                left = [(_in((image[x],), self._after, hits).bit_count(), x) for x in cube if x not in kept]
                kept.append(min(left)[1])
        return tuple(sorted(kept))

    def _into(self, frame: int, cube: Sequence[int], other: bool) -> int:
        found = _in(cube, self._after, self._known[frame])
        return found & ~_in(cube, self._before, found) if found and other else found

    def exclude(self, frame: int, orbit: Sequence[Cube]) -> None:
        """Frames up to one lose the states of a cube's orbit."""
        lost = 0
        for cube in orbit:
            lost |= _in(cube, self._before, self._every)
        if lost:
            for k in range(1, frame + 1):
                self._known[k] &= ~lost

    def _forget(self) -> None:
        """Forget the steps that begin at the next place."""
        kept = ~((1 << _PART) - 1 << self._place)
        for columns in (self._before, self._after):
            for x in columns:
                columns[x] &= kept
        self._every &= kept
        self._known = [x & kept for x in self._known]


def _in(cube: Sequence[int], columns: Mapping[int, int], found: int) -> int:
    """Those of some rows that are in a cube."""
    for x in cube:
        found = found & columns[x] if x > 0 else found & ~columns[-x]
        if not found:
            break
    return found
