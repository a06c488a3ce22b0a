"""Property-directed reachability: a proof for all depths, or a counterexample, without unrolling.

A. Bradley: SAT-Based Model Checking without Unrolling, VMCAI 2011; N. Eén, A. Mishchenko, R. Brayton:
Efficient Implementation of Property Directed Reachability, FMCAD 2011.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.encode import Encoding
from leadline.symbolic.engines.ask.result import Verdict
from leadline.symbolic.engines.prove.induction.engine import (
    Context,
    InitialContext,
    ProofFormulas,
    StepContext,
)
from leadline.symbolic.engines.prove.induction.obligation import Obligation, ObligationKind
from leadline.symbolic.engines.prove.lemmas import lemmas
from leadline.symbolic.engines.prove.pdr.frames import Frames, Lemma
from leadline.symbolic.engines.prove.pdr.generalize import Generalizer
from leadline.symbolic.engines.prove.pdr.invariant import Invariant
from leadline.symbolic.engines.prove.pdr.memory import FoundStep, Memory
from leadline.symbolic.engines.prove.pdr.results import USUAL, PdrOptions, PdrProgress, PdrResult
from leadline.symbolic.engines.prove.pdr.samples import Samples, choices_to
from leadline.symbolic.engines.prove.pdr.system import BadCause, Choice, Cube, System
from leadline.symbolic.lang import InternalError, Model, OutOfBounds, Property
from leadline.symbolic.meaning import Steps
from leadline.symbolic.meaning.walks import MOST_SECONDS, Walks
from leadline.symbolic.solve import PROVER, TRUE, Satisfiability
from leadline.symbolic.solve.cores import CoreSolver
from leadline.symbolic.trace import DEADLOCK, Step, Trace, TraceEnd, end_reason, replay, trace_of_path
from leadline.symbolic.trace.replay import own_error

_PAIRS_AFTER = 200
"""The questions after which pairs of literals are excluded that no sample has: an easy search needs none."""

_MOST_PAIRS = 500
"""The most pairs that are tried, with up to a hundred times as many images."""


class _Stopped(Exception):
    """The search was asked to stop."""


class Seen:
    """Knowledge of a model that does not depend on the property, such as the states that searches have found.

    Args:
        model: the model.
        options: how to search.
        seed: the seed of random choices.
        steps: steps that are those of the model, but quicker; None if there are none.
        size: the number of states that can be reached by these, if it is known.
    """

    def __init__(
        self,
        model: Model,
        options: PdrOptions,
        seed: int,
        steps: Steps | None = None,
        size: int | None = None,
    ) -> None:
        self.semantics = Semantics(model)
        self._options, self._seed, self._steps, self._size = options, seed, steps, size
        self._inductive: dict[tuple[str, ...], tuple[Property, ...]] = {}

    @cached_property
    def encoding(self) -> Encoding:
        """The model's encoding."""
        return Encoding(self.semantics.model)

    def inductive_part(self, candidates: tuple[Property, ...]) -> tuple[Property, ...]:
        """The largest part of some formulas that is inductive together; see the function of that name."""
        names = tuple(one.name for one in candidates)
        if names not in self._inductive:
            self._inductive[names] = inductive_part(self.encoding, candidates)
        return self._inductive[names]

    @cached_property
    def walks(self) -> Walks[State]:
        """Random walks, which searches make longer."""
        samples = self._options.samples
        if self._steps is not None:
            walks: Walks[State] = Walks(self._steps, samples, Random(self._seed))
            if self._size is not None:
                walks.walk(self._size + 1, math.inf)
            # Only the model itself tells where it leaves its bounds.
            if walks.outside is None:
                return walks
        return Walks(self.semantics, samples, Random(self._seed))


class _Walked(Exception):
    """Longer walks found the trace of a violation, the argument, or all reachable states; then it is None."""


@dataclass(frozen=True)
class _Obligation:
    """A cube whose states all lead to a bad state.

    Attributes:
        cube: the cube.
        choice: the step from any state of the cube; from a bad state, the one out of bounds if there is one.
        then: the obligation that the step leads into; how its states are bad if there is none.
    """

    cube: Cube
    choice: Choice
    then: _Obligation | BadCause

    def chain(self) -> Iterator[_Obligation]:
        """This obligation and those that it leads into, one after the other."""
        at: _Obligation | BadCause = self
        while isinstance(at, _Obligation):
            yield at
            at = at.then


def pdr(
    model: Model,
    target: Property,
    options: PdrOptions = USUAL,
    *,
    seed: int = 0,
    told: Callable[[PdrProgress], None] = lambda _: None,
    seen: Seen | None = None,
) -> PdrResult:
    """Prove a property of every reachable state, or find a counterexample.

    A proof says besides that no step from a reachable state, and no evaluation of the property, is out of
    bounds. If one is, the search goes on for a violation within bounds, which is the worse answer. On request
    steps that are out of bounds count as none, and a proof is of the states that are reached without them.

    Args:
        model: the model.
        target: the property; one of the model's, or that of deadlocks.
        options: how to search.
        seed: the seed of random choices.
        told: called after each frame.
        seen: what earlier searches know of the model; None if there was none.

    Raises:
        ModelError: if the model has no initial state.
        InternalError: if a counterexample does not replay.
    """
    search = _Search(model, target, options, seed, told, seen or Seen(model, options, seed))
    try:
        return search.result(*search.run())
    except _Stopped as why:
        return search.result(None, str(why))


class _Search:
    """One search; see `pdr`."""

    def __init__(
        self,
        model: Model,
        target: Property,
        options: PdrOptions,
        seed: int,
        told: Callable[[PdrProgress], None],
        seen: Seen,
    ) -> None:
        self._model, self._target, self._options = model, target, options
        self._dice = Random(seed)
        self._told = told
        self._begin, self._began = time.perf_counter(), time.process_time()
        self._semantics = seen.semantics
        self._seen = seen
        self._outside: Trace | None = None
        self._frames: Frames | None = None
        self._looked_at = 0
        self._has_pairs = False
        # A deadlock's formula is out of bounds where a step is, which is asked anyway.
        self._open = [x for x in BadCause if x is not BadCause.UNDEFINED or target.name != DEADLOCK]
        self._undefined = False
        if options.within_bounds:
            self._open.remove(BadCause.STEP_OUTSIDE)

    # -- the search --------------------------------------------------------------------------------

    def run(self) -> tuple[Invariant | Trace | None, str | None]:
        """The invariant, the trace of a violation, or neither and why."""
        options = self._options
        self._walks = walks = self._seen.walks
        self._longer = [] if walks.complete else list(options.longer)
        trace = self._bad_sample()
        if trace is not None:
            return trace, None
        self._outside_sample()
        kept = self._candidates() if options.strengthenings else ()
        encoding = self._seen.encoding
        system = System(self._model, self._target, kept, symmetric=options.symmetry, encoding=encoding)
        self._start_outside(system)
        try:
            self._begin_frames(system)
            if not walks.states and (walks.complete or not self.frames.begins_in(())):
                if self._outside is None:
                    raise Semantics(self._model).no_initial_state()
                return None, None
            trace = self._bad_beginning()
            if trace is None and not walks.complete:
                self._begin_with_known(system)
                return self._by_frames(system), None
        except _Walked as walked:
            (trace,) = walked.args
            if trace is None:
                self._begin_frames(system)
        return (self._close(system) if trace is None else trace), None

    @property
    def frames(self) -> Frames:
        """The frames, once they have begun."""
        assert self._frames is not None
        return self._frames

    def _begin_frames(self, system: System) -> None:
        options, before, dice = self._options, self._frames, self._dice
        most = None if self._walks.complete else options.samples
        self._samples = Samples(system, self._walks, most, self._semantics, dice)
        self._frames = frames = Frames(system, self._watch, Memory(system, dice))
        if before is not None:
            frames.questions = before.questions
        self._generalizer = Generalizer(system, frames, self._samples, dice)

    def _begin_with_known(self, system: System) -> None:
        """Begin with the cubes that a search with narrower types has excluded and the first frame excludes too."""
        frames, known = self.frames, self._options.known
        numbers = system.facts.by_text() if known else {}
        for texts in known:
            cube = tuple(sorted(numbers[one] for one in texts if one in numbers))
            if len(cube) < len(texts) or self._samples.hits(cube) or frames.begins_in(cube):
                continue
            if frames.ruled_out(0, cube) is not None:
                frames.add(1, frames.lemma(cube))

    def _by_frames(self, system: System) -> Invariant | Trace | None:
        frames = self.frames
        while True:
            trace = self._clean()
            if trace is not None:
                return trace
            frames.append()
            proof = self._propagate()
            self._told(self._progress())
            if proof is not None:
                return self._invariant(system, [*frames.from_frame(proof)])

    def _add_pairs(self, frames: Frames) -> None:
        """Exclude the pairs of literals that no sample has together, as far as that is inductive by itself."""
        self._has_pairs = True
        known, candidates = set[Cube](), list[Lemma]()
        for cube in self._samples.pairs():
            if len(candidates) >= _MOST_PAIRS or len(known) >= _MOST_PAIRS * 100:
                break
            if cube not in known and not frames.begins_in(cube):
                candidates.append(frames.lemma(cube))
                known.update(candidates[-1].orbit)
        frames.keep(frames.inductive_part(candidates))

    def _invariant(self, system: System, lemmas: Iterable[Lemma]) -> Invariant | None:
        """The invariant of the lemmas that are needed; None where evaluating the property leaves its bounds."""
        in_bounds = self._outside is None and not self._options.within_bounds
        cubes = [one.cube for one in self.frames.needed(lemmas, self._open)]
        return None if self._undefined else Invariant.of(system, cubes, in_bounds=in_bounds)

    def _candidates(self) -> tuple[Property, ...]:
        """The lemmas that are inductive together; the property may be among them."""
        alone = self._model.origin is None
        means = [x for x in lemmas(self._model, self._target.name) if not alone or x != self._target]
        return self._seen.inductive_part(tuple(means))

    def _clean(self) -> Trace | None:
        """Exclude every bad state from the last frame; the trace of a violation if one is reached."""
        frames = self.frames
        for how in BadCause:
            while how in self._open:
                found = frames.bad(frames.last, how)
                if found is None:
                    break
                end = _Obligation(frames.lift(found, how), frames.choice(found), how)
                trace = self._block(end)
                if trace is not None and how is BadCause.VIOLATED:
                    return trace
                if trace is not None:
                    self._leave_bounds(trace, how)
        return None

    def _close(self, system: System) -> Invariant | Trace | None:
        """Describe the reachable states, all of which are known, well enough for an induction.

        A clause that excludes none of them is true of all, so what was shown to follow stays so.
        """
        frames = self.frames
        trace = self._clean()
        if trace is not None:
            return trace
        waiting = list(frames.lemmas[1])
        while waiting:
            lemma = waiting[-1]
            answer = frames.step_into(1, lemma.cube, other=False)
            if isinstance(answer, FoundStep):
                waiting.append(self._generalizer.learn_from_samples(frames.lift(answer, lemma.cube)))
            else:
                waiting.pop()
        return self._invariant(system, frames.lemmas[1])

    def _block(self, end: _Obligation) -> Trace | None:
        """Exclude a bad cube from the last frame; a run to it if that cannot be."""
        frames = self.frames
        count = itertools.count()
        waiting = [(frames.last, next(count), end)]
        trace = self._reached(end)
        if trace is None and self._walks.complete:
            self._generalizer.learn_from_samples(end.cube)
            return None
        while waiting and trace is None:
            if frames.questions > _PAIRS_AFTER and not self._has_pairs:
                self._add_pairs(frames)
            frame, _, one = heapq.heappop(waiting)
            if not frames.meets(frame, one.cube):
                continue
            answer = frames.step_into(frame - 1, one.cube)
            if not isinstance(answer, FoundStep):
                frame, _ = self._generalizer.learn(frame - 1, answer, one.cube)
                if frame < frames.last:
                    heapq.heappush(waiting, (frame + 1, next(count), one))
            elif frame == 1:
                trace = self._trace(frames.beginning_into(one.cube), one)
            else:
                before = _Obligation(frames.lift(answer, one.cube), frames.choice(answer), one)
                heapq.heappush(waiting, (frame, next(count), one))
                heapq.heappush(waiting, (frame - 1, next(count), before))
                trace = self._reached(before)
        return trace

    def _propagate(self) -> int | None:
        """Push lemmas to the next frame where they hold there too; a frame that has all of the one before."""
        frames = self.frames
        for frame in range(1, frames.last):
            for lemma in sorted(frames.lemmas[frame], key=lambda x: len(x.cube)):
                if lemma in frames.lemmas[frame]:
                    self._push(frames, frame, lemma)
            if not frames.lemmas[frame]:
                return frame + 1
        return None

    def _push(self, frames: Frames, frame: int, lemma: Lemma) -> None:
        """Push a lemma if it holds in the next frame too."""
        # The frame has the lemma, so a step into the cube comes from outside of it.
        answer = frames.ruled_out(frame, lemma.cube, other=False)
        if answer is None:
            return
        core = self._generalizer.apart(answer, lemma.cube)
        frames.promote(frame, lemma, lemma if core == lemma.cube else frames.lemma(core))

    # -- counterexamples -----------------------------------------------------------------------------

    def _start_outside(self, system: System) -> None:
        """Look for an initial state out of bounds."""
        start = system.start
        solver = CoreSolver(start.formula.clauses, start.formula.variables)
        if not self._options.within_bounds and solver.check([start.outside]):
            true = {TRUE, *solver.model()}
            trace = self._trace([("init", start.picks(lambda x: x in true))], BadCause.STEP_OUTSIDE)
            self._leave_bounds(trace, BadCause.STEP_OUTSIDE)
        solver.close()

    def _bad_beginning(self) -> Trace | None:
        """The trace of an initial state that violates the property. Other bad ones are noted."""
        for how in BadCause:
            found = self.frames.bad_beginning(how) if how in self._open else []
            if not found:
                continue
            trace = self._trace(found[: 1 + (how is BadCause.STEP_OUTSIDE)], how)
            if how is BadCause.VIOLATED:
                return trace
            self._leave_bounds(trace, how)
        return None

    def _bad_sample(self) -> Trace | None:
        """The trace of a sample that violates the property: bugs that are not deep are found at once.

        The evaluation of samples ends after some seconds.
        """
        walks, end = self._walks, time.process_time() + MOST_SECONDS
        for state in walks.states[self._looked_at :]:
            if time.process_time() > end:
                return None
            self._looked_at += 1
            try:
                if not self._semantics.evaluate(self._target.formula, state):
                    return self._trace(choices_to(self._semantics, walks, state), BadCause.VIOLATED)
            except OutOfBounds:
                continue
        return None

    def _outside_sample(self) -> None:
        """Note a step out of bounds that walks have met, if it is not yet known that there is one."""
        state, semantics = self._walks.outside, self._semantics
        if state is None or BadCause.STEP_OUTSIDE not in self._open:
            return
        step = next(one for one in semantics.successors(state) if one.state is None)
        choices = [*choices_to(semantics, self._walks, state), (step.action, step.picks)]
        self._leave_bounds(self._trace(choices, BadCause.STEP_OUTSIDE), BadCause.STEP_OUTSIDE)

    def _leave_bounds(self, trace: Trace, how: BadCause) -> None:
        """Note a run out of bounds; from now on only what is worse is looked for.

        Raises:
            _Stopped: if the run only leaves types that were learned: with wider ones the search begins again.
        """
        self._outside = trace
        if self._model.origin is not None and own_error(self._model, trace) is None:
            raise _Stopped("a run leaves the types learned so far")
        self._undefined = how is BadCause.UNDEFINED
        if how in self._open:
            del self._open[self._open.index(how) :]

    def _reached(self, one: _Obligation) -> Trace | None:
        """A run through an obligation that is known to be reached: from an initial state, or by a sample."""
        hits = self._samples.hits(one.cube)
        if hits:
            return self._trace(self._samples.run(hits), one)
        if self.frames.begins_in(one.cube):
            return self._trace(self.frames.beginning_in(one.cube)[:1], one)
        return None

    def _trace(self, choices: list[Choice], then: _Obligation | BadCause) -> Trace:
        """The run of some choices and those of obligations, by the concrete meaning."""
        chain = list(then.chain()) if isinstance(then, _Obligation) else []
        how = chain[-1].then if chain else then
        assert isinstance(how, BadCause)
        # The last choice is a step out of bounds, or is not made: what is bad is the state.
        more = [one.choice for one in chain]
        choices = [*choices, *(more if how is BadCause.STEP_OUTSIDE else more[:-1])]
        steps = list[Step]()
        for action, picks in choices:
            outcome = self._semantics.outcome(steps[-1].state if steps else None, action, picks)
            if outcome is None:
                raise InternalError(f"{action} is not enabled in a counterexample of {self._target.name}")
            steps.append(outcome)
        trace = trace_of_path(tuple(steps), *self._ending(how))
        replay(self._semantics, trace)
        return trace

    def _ending(self, how: BadCause) -> tuple[TraceEnd, str | None]:
        if how is BadCause.STEP_OUTSIDE:
            return TraceEnd.OUT_OF_BOUNDS, None
        if self._target.name == DEADLOCK:
            return TraceEnd.DEADLOCK, None
        ends = TraceEnd.VIOLATES if how is BadCause.VIOLATED else TraceEnd.OUT_OF_BOUNDS
        return ends, self._target.name

    # -- telling ---------------------------------------------------------------------------------------

    def _watch(self) -> None:
        most, asked = self._options.questions, 0 if self._frames is None else self._frames.questions
        if 0 < most <= asked:
            raise _Stopped(f"no answer after {most:,} questions")
        if self._longer and asked >= self._longer[0][0]:
            # A search that takes long may as well look for states half as long.
            took = time.process_time() - self._began
            self._walks.walk(self._longer.pop(0)[1], max(MOST_SECONDS, took / 2))
            trace = self._bad_sample()
            self._outside_sample()
            if trace is not None or self._walks.complete:
                self._longer.clear()
                raise _Walked(trace)

    def _progress(self) -> PdrProgress:
        frames = self._frames
        seconds = time.perf_counter() - self._begin
        if frames is None:
            return PdrProgress(0, 0, 0, seconds)
        lemmas = sum(map(len, frames.lemmas))
        return PdrProgress(frames.last - 1, lemmas, frames.questions, seconds)

    def result(self, found: Invariant | Trace | None, why: str | None) -> PdrResult:
        """The answer, as things stand."""
        progress = self._progress()
        if isinstance(found, Trace):
            return PdrResult(Verdict.VIOLATED, None, found, None, progress)
        if self._outside is not None:
            reason = end_reason(self._semantics, self._outside)
            excluded = () if self._frames is None or found is not None else self._frames.excluded()
            return PdrResult(Verdict.OUT_OF_BOUNDS, found, self._outside, reason, progress, excluded)
        verdict = Verdict.UNKNOWN if found is None else Verdict.PROVED
        return PdrResult(verdict, found, None, why, progress)


def inductive_part(encoding: Encoding, candidates: Sequence[Property]) -> tuple[Property, ...]:
    """The largest part of some formulas that is inductive together: candidate lemmas.

    C. Flanagan, K. Leino: Houdini, an Annotation Assistant for ESC/Java, FME 2001.

    Every initial state satisfies them, and so does the state after a step from a state that does. A state
    satisfies a formula if its evaluation is within bounds and true.

    Args:
        encoding: the model's encoding.
        candidates: the formulas.
    """
    if not candidates:
        return ()
    formulas = ProofFormulas.of(encoding, candidates, candidates[0])
    kept = _unbroken(InitialContext(formulas, PROVER()), formulas.conjuncts)
    waiting = list(encoding.model.actions)
    while kept and waiting:
        context = StepContext(replace(formulas, conjuncts=kept), PROVER(), waiting[0])
        fewer = _unbroken(context, kept)
        waiting = waiting[1:] if fewer == kept else list(encoding.model.actions)
        kept = fewer
    return tuple(one for one in candidates if one.name in kept)


def _unbroken(context: Context, names: tuple[str, ...]) -> tuple[str, ...]:
    """The formulas, by their names, that no state of a context breaks."""
    kept, solver = names, context.solver
    # All at once: a literal that is new would end the solver's model.
    failures = {name: context.failure(Obligation(name, ObligationKind.CONSECUTION, name)) for name in names}
    for name, failure in failures.items():
        if name in kept and -TRUE not in failure and solver.check(failure) is Satisfiability.SATISFIABLE:
            kept = tuple(one for one in kept if not solver.true(failures[one][-1]))
    return kept
