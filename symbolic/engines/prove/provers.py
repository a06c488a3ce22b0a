"""Proofs for all depths as an engine: property-directed reachability."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.ask.engine import Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query
from leadline.symbolic.engines.ask.result import Answer, Cause, Effort, Progress, Result, Verdict
from leadline.symbolic.engines.bounded.search import targets_of
from leadline.symbolic.engines.prove import pdr
from leadline.symbolic.engines.prove.cone import part_about, whole_run
from leadline.symbolic.engines.prove.invariants import invariant_certificate, scope, spelled
from leadline.symbolic.engines.prove.pdr.results import (
    PdrOptions,
    PdrProgress,
    PdrResult,
    ProofFacts,
    ProofSize,
)
from leadline.symbolic.engines.run.limits import Limits, own_peak_mb
from leadline.symbolic.lang import Model, Property, Variable, counted
from leadline.symbolic.meaning import Steps
from leadline.symbolic.trace import TraceEnd, end_reason, replay, shortening
from leadline.symbolic.trace.replay import own_error


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

        def told(now: PdrProgress) -> None:
            text = f"{counted(now.frames, 'frame')}, {now.lemmas} orbits of clauses"
            listener.progress(Progress(now.frames, now.seconds, text=text))

        whole = pdr.Seen(model, options, query.seed, self._steps, self._size)
        searches = _Searches(model, query, told, {model.variables: whole})
        for target in targets_of(model, query):
            begin = time.process_time()
            part, found = searches.about(target)
            result, size = _told(model, part, target, query, found)
            sizes[target.name] = replace(size, cpu_seconds=round(time.process_time() - begin, 3))
            results.append(result)
            excluded |= dict.fromkeys(found.excluded)
            listener.done(result)
        return Answer(results, ProofFacts(sizes, tuple(excluded)))


@dataclass
class _Searches:
    """The searches for proofs of a model's properties, each in the part of the model that the property depends on.

    Attributes:
        model: the model.
        query: how to search.
        told: is told of each frame.
        seen: what searches have found of each part, by its variables.
    """

    model: Model
    query: Query
    told: Callable[[PdrProgress], None]
    seen: dict[tuple[Variable, ...], pdr.Seen]

    def about(self, target: Property) -> tuple[Model, PdrResult]:
        """The part of the model, and the answer about it, whose run is one of the whole model."""
        part = part_about(self.model, target)
        found = self._answer(part, target)
        if part is self.model or found.trace is None:
            return part, found
        run, semantics = whole_run(self.model, found.trace), Semantics(self.model)
        replay(semantics, run)
        if run.ends is not TraceEnd.OUT_OF_BOUNDS:
            return part, replace(found, trace=run)
        if own_error(self.model, run) is not None:
            # Violations within bounds are looked for, and those of the part may lie behind the error.
            return self.model, self._answer(self.model, target)
        outside = replace(found, verdict=Verdict.OUT_OF_BOUNDS, invariant=None, trace=run)
        return part, replace(outside, reason=end_reason(semantics, run))

    def _answer(self, part: Model, target: Property) -> PdrResult:
        options, seed = self.query.options_as(PdrOptions), self.query.seed
        if part.variables not in self.seen:
            self.seen[part.variables] = pdr.Seen(part, options, seed)
        seen = self.seen[part.variables]
        return pdr.pdr(part, target, options, seed=seed, told=self.told, seen=seen)


def _told(
    model: Model, part: Model, target: Property, query: Query, found: PdrResult
) -> tuple[Result, ProofSize]:
    """A result about a model, with the size of its proof, which is about a part of it."""
    invariant = found.invariant if found.verdict is Verdict.PROVED else None
    clauses = None if invariant is None else spelled(part, invariant)
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
    if invariant is not None and query.options_as(PdrOptions).show:
        formulas = [one.tla(part) for one in pdr.formulas(part, invariant)]
        size = replace(size, invariant=clauses, formulas=formulas)
    return result.unless_minimal(minimal), size
