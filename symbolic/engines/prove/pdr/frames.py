"""The frames of PDR, and the questions that are asked of them.

Frame 0 is the initial states; frame k holds clauses that are true of every state within k steps. A clause is
kept as the cube that it excludes, in the last frame that is known to have it; frame k has those of all frames
from k on. A cube stands for its *orbit*: its images under the permutations that map runs to runs. Frames are
closed under these, so what excludes a cube excludes its images, and all are added at once.

A. Goel, K. Sakallah: On Symmetry and Quantification, NFM 2021.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.engines.prove.pdr.memory import FoundStep, Memory
from leadline.symbolic.engines.prove.pdr.results import Cubes
from leadline.symbolic.engines.prove.pdr.system import BadCause, Choice, Cube, Layer, System
from leadline.symbolic.solve.cores import CoreSolver, simplified

_GARBAGE = 1500
"""Questions with a clause of their own after which a solver is made anew without those."""

_PATIENCE = 32
"""Questions between two looks at whether to stop."""

_MOST_IMAGES = 4_000
"""Images of a cube that are excluded at once. An unspecific cube has more, and nothing relies on all of them."""

Mask = int
"""A cube as the bits of a number, to see quickly whether one includes another."""


@dataclass(frozen=True, eq=False)
class Lemma:
    """A cube that a frame excludes, with its orbit.

    Attributes:
        orbit: the cube and its images.
        masks: the literals of each as bits.
        kinds: the orbits of the literals as bits, the same for all images.
    """

    orbit: tuple[Cube, ...]
    masks: tuple[Mask, ...]
    kinds: Mask

    @property
    def cube(self) -> Cube:
        """The cube itself."""
        return self.orbit[0]

    def covers(self, other: Lemma) -> bool:
        """Whether an image excludes every state of another lemma's cube."""
        if len(self.cube) > len(other.cube) or self.kinds & ~other.kinds:
            return False
        mask = other.masks[0]
        return any(image & mask == image for image in self.masks)


class Frames:
    """The frames.

    Args:
        system: the transition system.
        watch: called now and then; it may raise an exception to end the search.
        memory: where steps that are found are kept.

    Attributes:
        questions: the number of questions that were asked.
    """

    def __init__(self, system: System, watch: Callable[[], None], memory: Memory) -> None:
        self._system, self._watch = system, watch
        self._layer: Layer = system.layer
        pairs = zip(system.row, self._layer.after, strict=True)
        self._after = [(x, abs(y) - 1, y) for x, y in pairs]
        self.lemmas: list[list[Lemma]] = [[], []]
        self._always: list[Lemma] = []
        self._memory = memory
        self.questions = 0
        # Variables that no question names are eliminated once, for all solvers to come.
        self._clauses = simplified(self._layer.formula.clauses, self._frozen())
        self._solver = self._lifter = CoreSolver((), 0)
        self._rebuild()
        self._renew_lifter()
        # Frame 0 has no clauses: steps from it are asked of a solver that has the initial condition in front.
        start, first = system.first_layer()
        self._start, self._first_layer = start, first
        clauses = [*first.formula.clauses, (start.possible,)]
        self._first = CoreSolver(clauses, first.formula.variables)
        alone = system.start
        self._begins = CoreSolver([*alone.formula.clauses, (alone.possible,)], alone.formula.variables)

    def _frozen(self) -> set[int]:
        layer = self._layer
        outer = (*layer.inputs, *layer.after, layer.taken, *layer.bad.values())
        return {TRUE, *self._system.row, *map(abs, outer)}

    # -- the lemmas --------------------------------------------------------------------------------

    @property
    def last(self) -> int:
        """The number of the last frame."""
        return len(self.lemmas) - 1

    def append(self) -> None:
        """One more frame, without clauses."""
        self.lemmas.append([])
        self._switches.append(self._solver.new_variable())
        self._memory.append()
        for lemma in self._always:
            self._memory.exclude(self.last, lemma.orbit)

    def keep(self, lemmas: Sequence[Lemma]) -> None:
        """Exclude lemmas that are inductive together from all frames, those to come included."""
        self._always += lemmas
        for lemma in lemmas:
            self._memory.exclude(self.last, lemma.orbit)
            self._assert(lemma)

    def lemma(self, cube: Cube) -> Lemma:
        """The lemma that excludes a cube and its images."""
        orbit = self._system.orbit(cube, _MOST_IMAGES)
        kinds = self._mask(self._system.kind[x] for x in cube)
        return Lemma(orbit, tuple(map(self._mask, orbit)), kinds)

    def add(self, frame: int, lemma: Lemma, lowest: int = 1) -> None:
        """Exclude a lemma's orbit from a frame and those before it.

        Args:
            frame: the frame.
            lemma: the lemma.
            lowest: the first frame in which there may be lemmas that this one makes superfluous.
        """
        kinds = lemma.kinds
        for k in range(lowest, frame + 1):
            # The first test is one of `covers`: a call for each lemma costs a fifth of a long search.
            self.lemmas[k] = [x for x in self.lemmas[k] if kinds & ~x.kinds or not lemma.covers(x)]
        self.lemmas[frame].append(lemma)
        self._memory.exclude(frame, lemma.orbit)
        self._assert(lemma, -self._switches[frame])

    def _assert(self, lemma: Lemma, *switch: int) -> None:
        # One solver serves all frames: a question about frame k assumes the switches of k and all later frames.
        for image in lemma.orbit:
            self._solver.add([*switch, *[-x for x in image]])

    def promote(self, frame: int, lemma: Lemma, better: Lemma) -> None:
        """Move a lemma of a frame to the next one, as one that is as good or better."""
        self.lemmas[frame].remove(lemma)
        self.add(frame + 1, better, frame + 1 if better is lemma else 1)

    def from_frame(self, frame: int) -> Iterator[Lemma]:
        """The lemmas of a frame."""
        return (lemma for lemmas in (*self.lemmas[frame:], self._always) for lemma in lemmas)

    def excluded(self) -> Cubes:
        """The cubes that the frames exclude, one of each orbit, as texts."""
        text = self._system.facts.text
        return tuple(tuple(map(text, lemma.cube)) for lemma in self.from_frame(1))

    def _mask(self, literals: Iterable[int]) -> Mask:
        turn = self._system.size + TRUE + 1
        mask = 0
        for x in literals:
            mask |= 1 << (x if x > 0 else turn - x)
        return mask

    # -- questions ---------------------------------------------------------------------------------

    def _ask(self, solver: CoreSolver, assumptions: Sequence[int]) -> bool:
        if self.questions % _PATIENCE == 0:
            self._watch()
        self.questions += 1
        return solver.check(assumptions)

    def begins_in(self, cube: Cube) -> bool:
        """Whether some initial state is in a cube."""
        return self._begins.check(cube)

    def apart_from_start(self, cube: Cube) -> frozenset[int]:
        """Literals of a cube without initial states that exclude these, after `begins_in` said no."""
        return self._begins.core() & frozenset(cube)

    def bad(self, frame: int, how: BadCause) -> FoundStep | None:
        """A state of a frame, the first aside, that is bad in some way."""
        literal = self._layer.bad[how]
        if literal == -TRUE or not self._ask(self._solver, [*self._switches[frame:], literal]):
            return None
        return self._found(self._solver.model())

    def meets(self, frame: int, cube: Cube) -> bool:
        """Whether a frame, the first aside, has a state of a cube."""
        return self._ask(self._solver, [*self._switches[frame:], *cube])

    def step_into(self, frame: int, cube: Cube, *, other: bool = True) -> FoundStep | Cube:
        """A step from a frame into a cube; if there is none, literals of the cube that rule it out.

        Args:
            frame: the frame.
            cube: the cube.
            other: whether only steps from outside of the cube count, which is all that matters to a cube
                without initial states. A solver's clause is made for that, so it is not quite free.
        """
        if frame == 0:
            return self._first_step_into(cube)
        prime = self._layer.prime
        after = [prime[x] for x in cube]
        if other:
            self._garbage += 1
            if self._garbage > _GARBAGE:
                self._rebuild()  # It numbers the switches anew.
        assumptions = [*self._switches[frame:], self._layer.taken, *after]
        if other:
            # Relative induction: the cube may be assumed to be excluded already before the step, since a first
            # step into it comes from outside.
            outside = self._solver.new_variable()
            self._solver.add([-outside, *[-x for x in cube]])
            assumptions.append(outside)
        found = self._ask(self._solver, assumptions)
        answer = self._step(frame) if found else self._of_core(self._solver.core(), cube, after)
        if other:
            self._solver.add([-outside])  # Satisfied for ever: the solver drops the clause.
        return answer

    def known_step_into(self, frame: int, cube: Cube) -> FoundStep | None:
        return self._memory.step_into(frame, cube, other=True) if frame else None

    def apart(self, frame: int, part: Cube, cube: Cube) -> Cube:
        """Some literals of a cube that keep it apart from the steps of a frame that were found before."""
        return self._memory.apart(frame, part, cube) if frame else part

    def ruled_out(self, frame: int, cube: Cube, *, other: bool = True) -> Cube | None:
        """As `step_into`, with None for a step, which may be one that was found before."""
        if frame and self._memory.leads_into(frame, cube, other=other):
            return None
        answer = self.step_into(frame, cube, other=other)
        return None if isinstance(answer, FoundStep) else answer

    def _first_step_into(self, cube: Cube) -> FoundStep | Cube:
        prime, first = self._first_layer.prime, self._first
        after = [prime[x] for x in cube]
        if self._ask(first, [self._first_layer.taken, *after]):
            model = first.model()
            return FoundStep(tuple(model[1 : self._system.size + 1]), ())
        return self._of_core(first.core(), cube, after)

    @staticmethod
    def _of_core(core: frozenset[int], cube: Cube, after: Sequence[int]) -> Cube:
        return tuple([x for x, literal in zip(cube, after, strict=True) if literal in core])

    def _step(self, frame: int) -> FoundStep:
        model = self._solver.model()
        found = self._found(model)
        self._memory.add(frame, found, [x for x, place, y in self._after if model[place] == y])
        return found

    def _found(self, model: list[int]) -> FoundStep:
        return FoundStep(
            tuple(model[1 : self._system.size + 1]), tuple([model[x - 1] for x in self._layer.inputs])
        )

    def inductive_part(self, lemmas: Iterable[Lemma]) -> list[Lemma]:
        """The largest part of some lemmas that is inductive together; none of them has an initial state.

        C. Flanagan, K. Leino: Houdini, an Annotation Assistant for ESC/Java, FME 2001.
        """
        solver = CoreSolver(self._clauses, self._layer.formula.variables)
        switches = self._switched(solver, (one for one in lemmas if self._ask(solver, one.cube)))
        before = len(switches) + 1
        while len(switches) < before:
            before = len(switches)
            for one in list(switches):
                if one in switches and self._ask(solver, [*switches.values(), *self._into(one.cube)]):
                    model = solver.model()
                    after = {x if model[place] == y else -x for x, place, y in self._after}
                    for broken in [x for x in switches if any(map(after.issuperset, x.orbit))]:
                        del switches[broken]
        solver.close()
        return list(switches)

    def needed(self, lemmas: Iterable[Lemma], ways: Iterable[BadCause]) -> Iterable[Lemma]:
        """The lemmas that a proof needs: they exclude what is bad in some ways, and are inductive by themselves.

        Args:
            lemmas: lemmas that are inductive together, and exclude what is bad in these ways.
            ways: the ways to be bad.
        """
        solver, least = CoreSolver(self._clauses, self._layer.formula.variables), list[Lemma]()
        left = self._switched(solver, sorted(lemmas, key=lambda x: len(x.orbit)))
        waiting = [[self._layer.bad[how]] for how in ways]
        while waiting:
            goal = waiting.pop()
            # Those that are needed anyway suffice more often than not.
            if not solver.check(goal):
                continue
            most = 16
            while solver.check([*goal, *islice(left.values(), most)]):
                if most >= len(left):
                    # Images are needed that are not excluded at once.
                    solver.close()
                    return lemmas
                most *= 4
            core = solver.core()
            more = [one for one, switch in left.items() if switch in core]
            for one in more:
                solver.add([left.pop(one)])
            least += more
            waiting += [self._into(one.cube) for one in more]
        solver.close()
        return least

    @staticmethod
    def _switched(solver: CoreSolver, lemmas: Iterable[Lemma]) -> dict[Lemma, int]:
        """Lemmas with the literal of each that lets a solver exclude its orbit."""
        switches = {one: solver.new_variable() for one in lemmas}
        for one, switch in switches.items():
            for image in one.orbit:
                solver.add([-switch, *[-x for x in image]])
        return switches

    def _into(self, cube: Cube) -> list[int]:
        """Literals that say that a step leads into a cube."""
        return [self._layer.taken, *[self._layer.prime[x] for x in cube]]

    # -- lifting -----------------------------------------------------------------------------------

    def lift(self, found: FoundStep, into: Cube | BadCause) -> Cube:
        """Some literals of a state that, under the same inputs, lead all states with them to the same end.

        Args:
            found: the state, with a step into the cube, or bad.
            into: the cube, or the way in which it is bad.
        """
        goal = [self._layer.bad[into]] if isinstance(into, BadCause) else self._into(into)
        if self._lifter.variables > self._layer.formula.variables + _GARBAGE:
            self._renew_lifter()
        # State and inputs determine the step. So "this state, these inputs, and the end is missed" has no model,
        # and the core of the refutation has the literals of the state that the end depends on.
        missed = self._lifter.new_variable()
        self._lifter.add([-missed, *[-x for x in goal]])
        # Of a one-hot the literal that is true is worth most: it comes first.
        cube = sorted(found.state, reverse=True)
        # The second round begins at the other end, and drops literals that the first core had by chance.
        for _ in range(2):
            reached = not self._lifter.check([missed, *found.inputs, *cube])
            assert reached, "the end follows from the state and the inputs"
            core = self._lifter.core()
            cube = [x for x in reversed(cube) if x in core]
        self._lifter.add([-missed])
        return tuple(sorted(cube))

    def choice(self, found: FoundStep) -> Choice:
        """The action and the picks of a step."""
        true = {TRUE, *found.state, *found.inputs}
        return self._layer.choice(lambda x: x in true if x > 0 else -x not in true)

    # -- how runs begin ----------------------------------------------------------------------------

    def beginning_in(self, cube: Cube) -> list[Choice]:
        """An initial state in a cube, as its choice, and that of a step from it; none if none is in it."""
        return self._beginning(cube)

    def beginning_into(self, cube: Cube) -> list[Choice]:
        """Likewise, an initial state and a step from it into a cube."""
        layer = self._first_layer
        return self._beginning([layer.taken, *[layer.prime[x] for x in cube]])

    def bad_beginning(self, how: BadCause) -> list[Choice]:
        """Likewise, an initial state that is bad in some way."""
        return self._beginning([self._first_layer.bad[how]])

    def _beginning(self, assumptions: Sequence[int]) -> list[Choice]:
        if not self._ask(self._first, assumptions):
            return []
        true = {TRUE, *self._first.model()}
        return [
            ("init", self._start.picks(true.__contains__)),
            self._first_layer.choice(true.__contains__),
        ]

    # -- solvers -----------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        # Variables of clauses that were dropped stay, and slow every question down.
        self._solver.close()
        self._solver = CoreSolver(self._clauses, self._layer.formula.variables)
        self._garbage = 0
        self._switches = [TRUE, *[self._solver.new_variable() for _ in self.lemmas[1:]]]
        for frame, lemmas in enumerate(self.lemmas):
            for lemma in lemmas:
                self._assert(lemma, -self._switches[frame])
        for lemma in self._always:
            self._assert(lemma)

    def _renew_lifter(self) -> None:
        self._lifter.close()
        formula = self._layer.formula
        self._lifter = CoreSolver(formula.clauses, formula.variables)
