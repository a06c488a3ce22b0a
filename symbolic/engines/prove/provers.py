"""Proofs for all depths as engines: property-directed reachability and k-induction."""

from __future__ import annotations

import time
from dataclasses import replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.ask.engine import Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query
from leadline.symbolic.engines.ask.result import Answer, Cause, Effort, Progress, Result, Verdict
from leadline.symbolic.engines.prove import pdr
from leadline.symbolic.engines.prove.invariants import (
    invariant_certificate,
    scope,
    spelled,
    targets,
)
from leadline.symbolic.engines.prove.k_induction import KInductionOptions, k_induction
from leadline.symbolic.engines.prove.pdr.results import (
    PdrOptions,
    PdrProgress,
    PdrResult,
    ProofFacts,
    ProofSize,
)
from leadline.symbolic.engines.run.limits import Limits, own_peak_mb
from leadline.symbolic.lang import Model, Property, counted
from leadline.symbolic.trace import replay, shortened

LONGEST_SHORTENED = 300
"""Steps of the longest trace whose steps to spare are looked for: that takes the square of their number."""


class _Prover(Engine):
    """An engine that proves each property by itself."""


# -- property-directed reachability --------------------------------------------------------------------


class Pdr(_Prover):
    """Property-directed reachability: a proof without help, or a counterexample."""

    name = PdrOptions.engine
    options = PdrOptions
    facts = ProofFacts
    in_portfolio = PdrOptions()
    takes_solver = False
    suited = "no strengthenings are written for it"

    def suits(self, model: Model, goal: str, options: Options) -> bool:
        return True

    def patient(self, options: Options, questions: int) -> Options:
        assert isinstance(options, PdrOptions)
        return replace(options, questions=questions)

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
    trace = found.trace
    if trace is not None and 0 < trace.length <= LONGEST_SHORTENED:
        # A random walk, or a chain of cubes, may have steps to spare.
        semantics = Semantics(model)
        trace = shortened(semantics, trace)
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
    return result, size


# -- k-induction ---------------------------------------------------------------------------------------


class KInduction(_Prover):
    """k-induction: quick where a property holds after a few steps along which it held."""

    name = KInductionOptions.engine
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
