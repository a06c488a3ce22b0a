"""Proofs for all depths as an engine: property-directed reachability."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.ask.engine import Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query
from leadline.symbolic.engines.ask.result import Answer, Cause, Effort, Progress, Result, Verdict
from leadline.symbolic.engines.bounded.search import targets_of
from leadline.symbolic.engines.prove import pdr
from leadline.symbolic.engines.prove.invariants import invariant_certificate, scope, spelled
from leadline.symbolic.engines.prove.pdr.results import (
    PdrOptions,
    PdrProgress,
    PdrResult,
    ProofFacts,
    ProofSize,
)
from leadline.symbolic.engines.run.limits import Limits, own_peak_mb
from leadline.symbolic.lang import Model, Property, counted
from leadline.symbolic.meaning import Steps
from leadline.symbolic.trace import replay, shortening


class Pdr(Engine):
    """Property-directed reachability: a proof without help, or a counterexample."""

    options = PdrOptions
    facts = ProofFacts
    takes_solver = False

    def __init__(self, steps: Steps | None = None, size: int | None = None) -> None:
        self._steps, self._size = steps, size

    def walking(self, steps: Steps, size: int | None) -> Engine:
        return Pdr(steps, size)

    def member(self, depth: int | None) -> Options | None:
        return PdrOptions() if depth is None else None

    def suits(self, model: Model, goal: str) -> str:
        return "no strengthenings are written for it"

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options_as(PdrOptions)
        sizes: dict[str, ProofSize] = {}
        results = []
        excluded: dict[Sequence[str], None] = {}
        seen = pdr.Seen(model, options, query.seed, self._steps, self._size)
        for target in targets_of(model, query):
            begin = time.process_time()

            def told(now: PdrProgress) -> None:
                text = f"{counted(now.frames, 'frame')}, {now.lemmas} orbits of clauses"
                listener.progress(Progress(now.frames, now.seconds, text=text))

            found = pdr.pdr(model, target, options, seed=query.seed, told=told, seen=seen)
            result, size = _told(model, target, query, found, options.show)
            sizes[target.name] = replace(size, cpu_seconds=round(time.process_time() - begin, 3))
            results.append(result)
            excluded |= dict.fromkeys(found.excluded)
            listener.done(result)
        return Answer(results, ProofFacts(sizes, tuple(excluded)))


def _told(
    model: Model, target: Property, query: Query, found: PdrResult, show: bool
) -> tuple[Result, ProofSize]:
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
