"""Proofs for all depths as engines: property-directed reachability and k-induction."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leadline.symbolic.catalog import Entry, find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.engine import Engine, NewSolver
from leadline.symbolic.engines.invariants import (
    WITHIN_BOUNDS,
    Clauses,
    invariant_certificate,
    scope,
    spelled,
    targets,
    understood,
)
from leadline.symbolic.engines.k_induction import KInductionOptions, k_induction
from leadline.symbolic.engines.limits import Limits, own_peak_mb
from leadline.symbolic.engines.liveness.parts import METHODS
from leadline.symbolic.engines.pdr import (
    Invariant,
    PdrOptions,
    PdrProgress,
    PdrResult,
    minimized,
    pdr,
)
from leadline.symbolic.engines.pdr.bounds import enough, outside
from leadline.symbolic.engines.pdr.words import formulas
from leadline.symbolic.engines.pdr.written import constraint_lines
from leadline.symbolic.engines.query import Listener, Options, Query, option
from leadline.symbolic.engines.result import Answer, Effort, Progress, Result, Table, Verdict
from leadline.symbolic.lang import Model, Property, PropertyKind, UserError
from leadline.symbolic.lang.names import counted
from leadline.symbolic.trace import Trace, call_of, replay, shortened

_INDUCTIVE = f"inductive_{WITHIN_BOUNDS}"


class _Prover(Engine):
    """An engine that proves each property by itself."""

    commands = ("prove", "check")
    doing = "proving"
    proves = True

    def refuses(self, kind: str) -> str | None:
        proved = [one for one in PropertyKind if one.about_runs or one is PropertyKind.INVARIANT]
        return None if kind in proved else "only invariants and claims about runs are proved"

    def as_json(self, model: Model, query: Query, answer: Answer) -> dict[str, Any]:
        results = [
            {
                **self.result_json(model, query, one),
                "engine": one.engine,
                "solver": one.solver,
                **one.effort.to_json(),
                **answer.facts.get(one.property, {}),
                "reason": one.reason,
            }
            for one in answer.results
        ]
        told = {
            "fingerprint": model.fingerprint,
            **(results[0] if len(results) == 1 else {"results": results}),
        }
        return {**self.model_json(model), **told}


# -- property-directed reachability --------------------------------------------------------------------


@dataclass(frozen=True)
class PdrQuery(Options):
    """The options of property-directed reachability.

    Attributes:
        strengthenings: whether the property's strengthenings are tried as candidate lemmas.
        symmetry: whether a clause is learnt for all its images under the sorts that the model treats alike.
        show: whether the invariant is minimized and told as formulas.
        within_bounds: whether a step that leaves its bounds counts as no step.
        lemmas: orbits of clauses to begin with, which need not hold.
        questions: the number of questions to solvers after which to give up; 0 is never.
    """

    engine = "pdr"

    strengthenings: bool = option(True, negated="no-strengthenings", doc="do not use the strengthenings")
    symmetry: bool = option(True, negated="no-symmetry", doc="disable symmetry reduction")
    show: bool = option(False, flag="show-invariant", doc="minimize the invariant, and show it as formulas")
    within_bounds: bool = option(
        False,
        doc="prove it of the states reached within bounds: a step that leaves them counts as none (pdr)",
    )
    lemmas: Clauses = ()
    questions: int = 0


class Pdr(_Prover):
    """Property-directed reachability: a proof without help, or a counterexample."""

    name = PdrQuery.engine
    summary = "whether a property holds in every reachable state: a proof for all depths"
    kind = "pdr"
    options = PdrQuery
    in_portfolio = PdrQuery()
    certifies = True
    takes_solver = False

    def suits(self, model: Model, goal: str, options: Options) -> bool:
        return True

    def patient(self, options: Options, questions: int) -> Options:
        assert isinstance(options, PdrQuery)
        return replace(options, questions=questions)

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options
        assert isinstance(options, PdrQuery)
        facts: dict[str, Any] = {}
        results = []
        for target in targets(model, query):
            begin = time.process_time()

            def told(now: PdrProgress) -> None:
                text = f"{counted(now.frames, 'frame')}, {now.lemmas} orbits of clauses"
                listener.progress(Progress(now.frames, now.seconds, text=text))

            orbits = understood(model, (), options.lemmas).orbits
            lemmas = tuple(cube for orbit in orbits for cube in orbit)
            asked = PdrOptions(
                options.symmetry,
                options.strengthenings,
                lemmas,
                options.within_bounds,
                questions=options.questions,
                seed=query.seed,
            )
            found = pdr(model, target, asked, told=told)
            if options.show and found.verdict is Verdict.PROVED and found.invariant is not None:
                found = replace(found, invariant=minimized(model, target, found.invariant))
            result, about = _told(model, target, query, found, options.show)
            facts[target.name] = {**about, "cpu_seconds": round(time.process_time() - begin, 3)}
            results.append(result)
            listener.done(result)
        return Answer(results, facts)

    def describe(self, model: Model, query: Query, answer: Answer) -> Sequence[str | Table]:
        rows = []
        for one in answer.results:
            about = answer.facts.get(one.property, {})
            sizes = [str(about.get(name, "-")) for name in ("frames", "clauses", "orbits", "cpu_seconds")]
            steps = "-" if one.steps is None else str(one.steps)
            within = " within bounds" if about.get(WITHIN_BOUNDS) else ""
            rows.append([one.property, f"{one.verdict}{within}", steps, *sizes])
        header = ["property", "verdict", "steps", "frames", "clauses", "orbits", "CPU seconds"]
        told: list[str | Table] = [Table(header, rows)]
        for one in answer.results:
            about = answer.facts.get(one.property, {})
            if about.get(_INDUCTIVE) and one.trace is not None:
                told += ["", *_only_bounds(model, one, about)]
            if about.get(METHODS):
                told += [
                    "",
                    f"{one.property} is proved by {' and '.join(about[METHODS])}; --out writes the proof.",
                ]
            if "formulas" in about:
                assumed = (one.certificate or {}).get("strengthenings", ())
                told += ["", f"{one.property} follows from the conjunction of these, which is inductive:"]
                told += [f"  {text}" for text in [*assumed, *about["formulas"]] or ["TRUE"]]
        return told


def _told(
    model: Model, target: Property, query: Query, found: PdrResult, show: bool
) -> tuple[Result, dict[str, Any]]:
    """A result of PDR, and the facts about it."""
    invariant = found.invariant if found.verdict is Verdict.PROVED else None
    clauses = None if invariant is None else spelled(model, invariant)
    trace = found.trace
    if trace is not None and trace.length:
        # A random walk, or a chain of cubes, may have steps to spare.
        semantics = Semantics(model)
        trace = shortened(semantics, trace)
        replay(semantics, trace)
    result = Result(
        property=target.name,
        engine=PdrQuery.engine,
        verdict=found.verdict,
        effort=Effort(total=found.progress.seconds, memory_mb=own_peak_mb()),
        depth=found.progress.frames,
        steps=None if trace is None else trace.length,
        trace=trace,
        reason=found.reason
        or (scope(model, in_bounds=invariant.in_bounds) if invariant is not None else None),
        certificate=None
        if invariant is None or clauses is None
        else invariant_certificate(model, target.name, query.source, invariant, clauses),
    )
    facts: dict[str, Any] = {"frames": found.progress.frames, "questions": found.progress.questions}
    if found.invariant is not None and not found.invariant.in_bounds:
        facts[WITHIN_BOUNDS if invariant is not None else _INDUCTIVE] = True
    if _INDUCTIVE in facts and trace is not None and trace.steps and model.origin is None:
        facts |= _bound(model, target, query, found.invariant, trace)
    if invariant is not None:
        facts |= {"clauses": invariant.clauses, "orbits": len(invariant.orbits)}
    if show and invariant is not None:
        facts |= {"invariant": clauses, "formulas": [one.tla(model) for one in formulas(model, invariant)]}
    return result, facts


def _bound(
    model: Model, target: Property, query: Query, invariant: Invariant | None, trace: Trace
) -> dict[str, Any]:
    """The bound that the last step of a run leaves, and the lines of a constraint under which no step does."""
    assert invariant is not None
    before, step = trace.stages[-2].state, trace.stages[-1]
    assert before is not None
    facts: dict[str, Any] = {}
    beyond = outside(model, before, step)
    if beyond is not None:
        facts["bound"] = beyond.text()
    conjuncts = enough(model, target, invariant, before, step)
    entry = _entry_of(model, query) if conjuncts else None
    if entry is not None:
        facts["constraint"] = constraint_lines(entry, model, conjuncts)
    return facts


def _entry_of(model: Model, query: Query) -> Entry | None:
    """The protocol that a model was made of.

    None if it is another model, such as one that counts the rounds of a run, or none that the catalog knows.
    """
    try:
        entry = find(query.source, tried=True)
    except UserError:
        return None
    return entry if model_of(entry, query.settings).fingerprint == model.fingerprint else None


def _only_bounds(model: Model, result: Result, about: Mapping[str, Any]) -> list[str]:
    """The advice where a step that leaves its bounds is all that stands against a proof."""
    assert result.trace is not None
    step = call_of(model, result.trace.stages[-1])
    left = [f"{about['bound']}."] if "bound" in about else []
    return [
        f"{result.property} is inductive within bounds: it holds in every state that is reached within them.",
        f"Only a bound stands against a proof: {step} leaves it from the last state below",
        f"({result.reason}).",
        *left,
        "You can",
        *within_bounds_advice(about.get("constraint", ())),
    ]


def within_bounds_advice(constraint: Sequence[str] = ()) -> list[str]:
    """The ways on where only bounds stand against a proof.

    Args:
        constraint: the lines of a constraint that suffices, if one is known.
    """
    if constraint:
        declare = ["- or declare this constraint, under which no step leaves its bounds:"]
        declare += [f"    {line}".rstrip() for line in constraint]
    else:
        declare = ["- or declare a @constraint that is false in such a state: no step is then taken from it;"]
    return [
        "- widen the bound;",
        *declare,
        "- or prove it of the states that are reached within bounds, and of no others: give",
        f"  --engine {PdrQuery.engine} --within-bounds.",
    ]


# -- k-induction ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KInductionQuery(Options):
    """The options of k-induction.

    Attributes:
        depth: the most steps to look ahead, 0 or more.
        simple: whether only runs count that visit no state twice.
    """

    engine = "k-induction"

    depth: int = option(
        10, metavar="K", most=100_000, doc="steps to look ahead at most (k-induction; default: 10)"
    )
    simple: bool = option(
        True, negated="any-path", doc="also consider runs that visit a state twice (k-induction)"
    )


class KInduction(_Prover):
    """k-induction: quick where a property holds after a few steps along which it held."""

    name = KInductionQuery.engine
    summary = "proof by k-induction"
    kind = "k-induction"
    options = KInductionQuery

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options
        assert isinstance(options, KInductionQuery)
        results = []
        for target in targets(model, query):
            asked = KInductionOptions(options.depth, options.simple)
            result = k_induction(model, target, asked, new_solver)
            if result.verdict is Verdict.SAFE:
                why = f"depth: neither proved nor violated within {counted(options.depth, 'step')}"
                result = replace(result, verdict=Verdict.UNKNOWN, reason=why)
            results.append(result)
            listener.done(result)
        return Answer(results)
