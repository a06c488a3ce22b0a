"""From a cube that no step of a frame reaches to a larger one: fewer literals, so a stronger clause.

Literals are dropped one by one. Before the solver is asked, the cube that is left must hold none of the
sampled reachable states: what excludes one is no invariant, though it may be true of a frame. Where a state
of the frame leads into the cube (a counterexample to generalization), that state is excluded first if it is
not reachable from the frame before.

Z. Hassan, A. Bradley, F. Somenzi: Better Generalization in IC3, FMCAD 2013.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

from leadline.symbolic.engines.prove.pdr.frames import Frames, Lemma
from leadline.symbolic.engines.prove.pdr.memory import FoundStep
from leadline.symbolic.engines.prove.pdr.samples import Samples
from leadline.symbolic.engines.prove.pdr.system import Cube, System

_EXCLUDED = 3
"""The counterexamples to generalization that are excluded for each literal."""

_GUESSES = 4
"""Questions about a guess from samples and steps, before the core that is known is taken."""

_MANY = 1_000
"""Lemmas among which those that a new one makes superfluous are no longer looked for."""


@dataclass
class Generalizer:
    """Makes cubes larger, and lemmas of them.

    Args:
        system: the transition system.
        frames: its frames.
        samples: reachable states.
        dice: what ties in the order of the literals are broken by.
    """

    system: System
    frames: Frames
    samples: Samples
    dice: Random

    def __post_init__(self) -> None:
        self._alike = Counter(self.system.kind.values())
        self._lemmas = dict.fromkeys(self._alike, 0.0)

    def learn(self, frame: int, core: Cube, cube: Cube) -> tuple[int, Lemma]:
        """Exclude what no step of a frame reaches, and as much more as can be, from later frames.

        Args:
            frame: the frame before, from which no step leads into the cube.
            core: literals of the cube that suffice for that.
            cube: the cube, which has no sample and no initial state.

        Returns:
            The last frame that the lemma was added to, and the lemma.
        """
        return self._learn(frame, self._guess(frame, core, cube), _EXCLUDED)

    def _guess(self, frame: int, core: Cube, cube: Cube) -> Cube:
        """Few literals of a cube that suffice to be reached by no step of a frame, as those of a core do.

        They begin as those that keep the cube apart from samples. As long as a step leads into what is left,
        one that is remembered or one that the solver tells, more are added that keep it apart from that too.
        """
        part = self.apart((), cube)
        for _ in range(_GUESSES if frame else 1):
            part = self.frames.apart(frame, part, cube)
            answer = self.frames.step_into(frame, part)
            if not isinstance(answer, FoundStep):
                return self.apart(answer, part)
        return self.apart(core, cube)

    def learn_from_samples(self, cube: Cube) -> Lemma:
        """Exclude a cube without samples from the first frame, and as much more as has none."""
        small = self.apart((), cube)
        # Literals of few lemmas are dropped first: those of many have proved to matter.
        for literal in sorted(small, key=self._activity):
            less = tuple([x for x in small if x != literal])
            if less and not self.samples.hits(less) and not self.frames.begins_in(less):
                small = less
        lemma = self.frames.lemma(small)
        few = len(self.frames.lemmas[1]) < _MANY
        self.frames.add(1, lemma, lowest=1 if few else 2)
        self._count(lemma)
        return lemma

    def _learn(self, frame: int, cube: Cube, most: int) -> tuple[int, Lemma]:
        lemma = self.frames.lemma(self._smaller(frame, cube, most))
        frame += 1
        # Where the clause also holds after steps of later frames, it belongs there: it need not be learned again.
        while frame < self.frames.last and self.frames.ruled_out(frame, lemma.cube) is not None:
            frame += 1
        self.frames.add(frame, lemma)
        self._count(lemma)
        return frame, lemma

    def _count(self, lemma: Lemma) -> None:
        for x in lemma.cube:
            self._lemmas[self.system.kind[x]] += len(lemma.orbit) / self._alike[self.system.kind[x]]

    def _activity(self, literal: int) -> float:
        """The number of clauses that have a literal. As many have each of its images."""
        return self._lemmas[self.system.kind[literal]]

    def _smaller(self, frame: int, cube: Cube, most: int) -> Cube:
        for literal in sorted(cube, key=lambda x: (self._activity(x), self.dice.random())):
            if literal in cube and len(cube) > 1:
                cube = self._excluded(frame, tuple([x for x in cube if x != literal]), most) or cube
        return self._unlike(frame, cube)

    def _unlike(self, frame: int, cube: Cube) -> Cube:
        """Say of parts that they are not a value that the cube names elsewhere, rather than what they are.

        "v1 is decided, and n1, n2 do not vote for it" is one orbit; "... and n1, n2 vote for v2", "... and n1
        has no vote and n2 votes for v2" and the like are many.
        """
        for literal in cube:
            for rival in self.system.rivals(cube, literal) if literal in cube else ():
                wider = self._excluded(frame, tuple(sorted({*cube, -rival} - {literal})), 0)
                if wider is not None:
                    cube = wider
                    break
        return cube

    def _excluded(self, frame: int, cube: Cube, most: int) -> Cube | None:
        """Literals of a cube that suffice to be reached by no step of a frame; None if it is not known."""
        # A reachable state lies in the cube: no invariant excludes it, and no solver need be asked.
        if self.samples.hits(cube) or self.frames.begins_in(cube):
            return None
        for left in range(most, -1, -1):
            if not left or not frame:
                # No more attempts to exclude what leads into the cube: one plain question decides.
                core = self.frames.ruled_out(frame, cube)
                return None if core is None else self.apart(core, cube)
            answer = self.frames.known_step_into(frame, cube) or self.frames.step_into(frame, cube)
            if not isinstance(answer, FoundStep):
                return self.apart(answer, cube)
            if not self._exclude(frame, answer, cube):
                break
        return None

    def _exclude(self, frame: int, found: FoundStep, cube: Cube) -> bool:
        """Exclude a state from a frame, if it is not reachable from the frame before."""
        before = self.frames.lift(found, cube)
        if self.samples.hits(before) or self.frames.begins_in(before):
            return False
        answer = self.frames.ruled_out(frame - 1, before)
        if answer is None:
            return False
        core = self._guess(frame - 1, answer, before)
        last = frame - 1
        while last + 1 < self.frames.last and self.frames.ruled_out(last + 1, core) is not None:
            last += 1
        self._learn(last, core, 0)
        return True

    def apart(self, core: Cube, cube: Cube) -> Cube:
        """Some literals of a cube to keep it apart from initial states and samples.

        Args:
            core: literals that are kept.
            cube: the cube, which is apart from them.
        """
        kept = set(core)
        # Greedily the literal that leaves the fewest samples: finding the least set of literals is hard, and a few
        # literals make a strong clause.
        hits = self.samples.hits(core)
        while hits:
            left = [(self.samples.within(hits, x).bit_count(), x) for x in cube if x not in kept]
            assert left, "the cube has no sample"
            _, best = min(left)
            hits = self.samples.within(hits, best)
            kept.add(best)
        if self.frames.begins_in(tuple(kept)):
            met = self.frames.begins_in(cube)
            assert not met, "the cube has no initial states"
            kept |= self.frames.apart_from_start(cube)
        return tuple(sorted(kept))
