"""Proofs for all depths as engines: property-directed reachability and k-induction.

k-induction: a property that holds for k steps, and after any k steps along which it held, always holds.
M. Sheeran, S. Singh, G. Stålmarck: Checking Safety Properties Using Induction and a SAT-Solver, FMCAD 2000.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, Instance, StatePredicates, StepsUnrolling, Unrolled
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.engines.ask.engine import Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import Answer, Cause, Effort, Progress, Result, Verdict
from leadline.symbolic.engines.bounded.search import BoundedSearch, Clock
from leadline.symbolic.engines.prove import pdr
from leadline.symbolic.engines.prove.invariants import (
    invariant_certificate,
    scope,
    spelled,
    targets,
)
from leadline.symbolic.engines.prove.pdr.results import (
    PdrOptions,
    PdrProgress,
    PdrResult,
    ProofFacts,
    ProofSize,
)
from leadline.symbolic.engines.run.limits import Limits, own_peak_mb
from leadline.symbolic.lang import Model, Property, counted
from leadline.symbolic.solve import Satisfiability, Solver
from leadline.symbolic.trace import replay, shortening

# -- property-directed reachability --------------------------------------------------------------------


class Pdr(Engine):
    """Property-directed reachability: a proof without help, or a counterexample."""

    options = PdrOptions
    facts = ProofFacts
    takes_solver = False
    suited = "no strengthenings are written for it"

    def member(self, depth: int | None) -> Options | None:
        return PdrOptions() if depth is None else None

    def suits(self, model: Model, goal: str, options: Options) -> bool:
        return True

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options
        assert isinstance(options, PdrOptions)
        sizes: dict[str, ProofSize] = {}
        results = []
        for target in targets(model, query):
            begin = time.process_time()

            def told(now: PdrProgress) -> None:
                text = f"{counted(now.frames, 'frame')}, {now.lemmas} orbits of clauses"
                listener.progress(Progress(now.frames, now.seconds, text=text))

            found = pdr.pdr(model, target, options, seed=query.seed, told=told)
            if options.show and found.verdict is Verdict.PROVED and found.invariant is not None:
                found = replace(found, invariant=pdr.minimized(model, target, found.invariant))
            result, size = _told(model, target, query, found, options.show)
            sizes[target.name] = replace(size, cpu_seconds=round(time.process_time() - begin, 3))
            results.append(result)
            listener.done(result)
        return Answer(results, ProofFacts(sizes))


def _told(
    model: Model, target: Property, query: Query, found: PdrResult, show: bool
) -> tuple[Result, ProofSize]:
    """A result of PDR, and its size."""
    invariant = found.invariant if found.verdict is Verdict.PROVED else None
    clauses = None if invariant is None else spelled(model, invariant)
    trace, minimal = found.trace, True
    if trace is not None and trace.length:
        # A random walk, or a chain of cubes, may have steps to spare.
        semantics = Semantics(model)
        trace, minimal = shortening(semantics, trace)
        replay(semantics, trace)
    result = Result(
        property=target.name,
        engine=PdrOptions.engine,
        verdict=found.verdict,
        effort=Effort(total=found.progress.seconds, memory_mb=own_peak_mb()),
        depth=found.progress.frames,
        steps=None if trace is None else trace.length,
        trace=trace,
        reason=found.reason
        or (scope(model, in_bounds=invariant.in_bounds) if invariant is not None else None),
        # A search without an answer that is not killed has used up its questions.
        cause=Cause.QUESTIONS if found.verdict is Verdict.UNKNOWN else None,
        certificate=None
        if invariant is None or clauses is None
        else invariant_certificate(model, target.name, query.source, invariant, clauses),
    )
    inductive = found.invariant is not None and not found.invariant.in_bounds
    size = ProofSize(
        frames=found.progress.frames,
        questions=found.progress.questions,
        within_bounds=inductive and invariant is not None,
        inductive_within_bounds=inductive and invariant is None,
        clauses=None if invariant is None else invariant.clauses,
        orbits=None if invariant is None else len(invariant.orbits),
    )
    if show and invariant is not None:
        formulas = [one.tla(model) for one in pdr.formulas(model, invariant)]
        size = replace(size, invariant=clauses, formulas=formulas)
    return result.unless_minimal(minimal), size


# -- k-induction ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KInductionOptions(Options):
    """The options of k-induction.

    Attributes:
        depth: the most steps to look ahead, 0 or more.
        simple: whether only runs count that visit no state twice. Some properties are proved only so; it
            takes a clause for each pair of states.
    """

    engine = "k-induction"

    depth: int = option(
        10, metavar="K", most=100_000, doc="steps to look ahead at most (k-induction; default: 10)"
    )
    simple: bool = option(
        True, negated="any-path", doc="also consider runs that visit a state twice (k-induction)"
    )


class KInduction(Engine):
    """k-induction: quick where a property holds after a few steps along which it held."""

    options = KInductionOptions

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options
        assert isinstance(options, KInductionOptions)
        results = []
        for target in targets(model, query):
            result = k_induction(model, target, options, new_solver)
            if result.verdict is Verdict.SAFE:
                why = f"depth: neither proved nor violated within {counted(options.depth, 'step')}"
                result = replace(result, verdict=Verdict.UNKNOWN, reason=why, cause=Cause.DEPTH)
            results.append(result)
            listener.done(result)
        return Answer(results)


def k_induction(
    model: Model, target: Property, options: KInductionOptions, new_solver: Callable[[], Solver]
) -> Result:
    """Prove a property by k-induction with k = 1, 2, ... or find a shortest counterexample.

    A proof says besides that nothing goes out of bounds. If something does, only counterexamples are looked
    for from then on. Without an answer the property is safe within `options.depth` steps.

    Args:
        model: the model.
        target: the property.
        options: how far to go.
        new_solver: makes a fresh solver; two are needed.

    Raises:
        ModelError: if the model has no initial state.
        InternalError: if a counterexample does not replay.
    """
    clock = Clock()
    search = BoundedSearch(Semantics(model), [target], new_solver(), clock, StepsUnrolling)
    search.start()
    step = _InductionStep(search.encoding, search.predicates, new_solver(), simple=options.simple)
    proved = False
    for depth in range(options.depth + 1):
        search.look(depth, last=False)
        if not search.open or search.unknown is not None:
            break
        outside = search.out_of_bounds is not None or bool(search.own_out_of_bounds)
        if not outside and step.holds():
            proved = True
            break
        if depth < options.depth:
            search.advance()
    result = search.result(target.name, "k-induction", "steps")
    return replace(result, verdict=Verdict.PROVED) if proved else result


class _InductionStep:
    """The induction step: a row of states, any at first, of which only the last may be bad."""

    def __init__(
        self, encoding: Encoding, predicates: StatePredicates, solver: Solver, *, simple: bool
    ) -> None:
        self._encoding, self._predicates, self._simple = encoding, predicates, simple
        self._solver = solver
        self._circuit = Unrolled(solver)
        size = len(encoding.input_row)
        first = solver.new_variables(size)
        self._rows: list[Sequence[int]] = [range(first, first + size)]
        Instance(encoding.validity, self._rows[0], self._circuit)

    def holds(self) -> bool:
        """Whether, after one more step than when it was last asked, the last state cannot be bad."""
        here = Instance(self._predicates.template, self._rows[-1], self._circuit)
        broken = (here(self._predicates.violated[0]), here(self._predicates.out_of_bounds[0]))
        self._circuit.require([[-x] for x in broken])
        relation = self._encoding.step
        step = Instance(relation.template, self._rows[-1], self._circuit)
        self._circuit.require([[step(relation.taken)]])
        self._rows.append(self._solver.named(step.all(relation.state)))
        Instance(self._encoding.validity, self._rows[-1], self._circuit)
        if self._simple:
            self._be_new()
        there = Instance(self._predicates.template, self._rows[-1], self._circuit)
        after = Instance(relation.template, self._rows[-1], self._circuit)
        bad = self._circuit.disj(
            [
                there(self._predicates.violated[0]),
                there(self._predicates.out_of_bounds[0]),
                after(relation.out_of_bounds),
            ]
        )
        return bad == -TRUE or self._solver.check([bad]) is Satisfiability.UNSATISFIABLE

    def _be_new(self) -> None:
        """The last state is none of the earlier ones."""
        *earlier, last = self._rows
        for row in earlier:
            differences = [self._circuit.xor(x, y) for x, y in zip(row, last, strict=True)]
            self._circuit.require([differences])
