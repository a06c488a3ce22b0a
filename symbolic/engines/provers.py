"""Proofs for all depths as engines: property-directed reachability, k-induction, the check of an invariant.

An invariant that PDR finds is data: its clauses are written as texts over the parts of the state. The engine
`InvariantCheck` reads them back and has a solver check, on a fresh encoding, that they are inductive.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import leadline
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines.engine import Engine, NewSolver
from leadline.symbolic.engines.k_induction import KInductionOptions, k_induction
from leadline.symbolic.engines.limits import Limits, own_peak_mb
from leadline.symbolic.engines.liveness.parts import METHODS, Method, Part, Reduction
from leadline.symbolic.engines.pdr import (
    Invariant,
    PdrOptions,
    PdrProgress,
    PdrResult,
    minimized,
    pdr,
    recheck,
)
from leadline.symbolic.engines.pdr.words import formulas
from leadline.symbolic.engines.query import Listener, Options, Query, option
from leadline.symbolic.engines.result import Answer, Effort, Progress, Result, Table, Verdict
from leadline.symbolic.engines.search import deadlock_property
from leadline.symbolic.lang import Model, Property, PropertyKind, UserError
from leadline.symbolic.lang.names import counted
from leadline.symbolic.trace import call_of, replay, shortened

WITHIN_BOUNDS = "within_bounds"
"""The member of a certificate that is true where steps may leave their bounds."""

_INDUCTIVE = f"inductive_{WITHIN_BOUNDS}"

Clauses = tuple[tuple[tuple[str, ...], ...], ...]
"""Orbits of clauses. A clause is the cube that it excludes: facts that do not hold all at once, as texts."""


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


def _targets(model: Model, query: Query) -> list[Property]:
    return [*query.chosen(model), *([deadlock_property(model)] if query.deadlock else [])]


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
        for target in _targets(model, query):
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
            if about.get(_INDUCTIVE):
                told += ["", *_only_bounds(model, one)]
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
        or (_scope(model, in_bounds=invariant.in_bounds) if invariant is not None else None),
        certificate=None
        if invariant is None or clauses is None
        else invariant_certificate(model, target.name, query.source, invariant, clauses),
    )
    facts: dict[str, Any] = {"frames": found.progress.frames, "questions": found.progress.questions}
    if found.invariant is not None and not found.invariant.in_bounds:
        facts[WITHIN_BOUNDS if invariant is not None else _INDUCTIVE] = True
    if invariant is not None:
        facts |= {"clauses": invariant.clauses, "orbits": len(invariant.orbits)}
    if show and invariant is not None:
        facts |= {"invariant": clauses, "formulas": [one.tla(model) for one in formulas(model, invariant)]}
    return result, facts


def _scope(model: Model, *, in_bounds: bool) -> str | None:
    """What a proof depends on, in words."""
    within = None if in_bounds else "of the states reached within bounds; what is beyond is not said"
    return "; ".join(x for x in (model.scope, within) if x) or None


def _only_bounds(model: Model, result: Result) -> list[str]:
    """The advice where a step that leaves its bounds is all that stands against a proof."""
    assert result.trace is not None
    step = call_of(model, result.trace.stages[-1])
    return [
        f"{result.property} is inductive within bounds: it holds in every state that is reached within them.",
        f"Only a bound stands against a proof: {step} leaves it from the last state below",
        f"({result.reason}). You can",
        *within_bounds_advice(),
    ]


def within_bounds_advice() -> list[str]:
    """The ways on where only bounds stand against a proof."""
    return [
        "- widen the bound;",
        "- or declare a @constraint that is false in such a state: no step is then taken from it;",
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
        for target in _targets(model, query):
            asked = KInductionOptions(options.depth, options.simple)
            result = k_induction(model, target, asked, new_solver)
            if result.verdict is Verdict.SAFE:
                why = f"depth: neither proved nor violated within {counted(options.depth, 'step')}"
                result = replace(result, verdict=Verdict.UNKNOWN, reason=why)
            results.append(result)
            listener.done(result)
        return Answer(results)


# -- invariants as certificates --------------------------------------------------------------------------


@dataclass(frozen=True)
class InvariantQuery(Options):
    """An invariant to check.

    Attributes:
        strengthenings: the names of the model's strengthenings that are conjuncts.
        clauses: the orbits of clauses.
        within_bounds: whether steps may leave their bounds.
        proofs: if the property is about runs, the parts of its proof in place of these, as JSON objects.
    """

    engine = "invariant"

    strengthenings: tuple[str, ...] = ()
    clauses: Clauses = ()
    within_bounds: bool = False
    proofs: tuple[Mapping[str, Any], ...] = ()


class InvariantCheck(Engine):
    """The check that an invariant is inductive, within bounds, and implies a property."""

    name = InvariantQuery.engine
    doing = "checking"
    options = InvariantQuery
    knows_runs = True
    proves = True

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options
        assert isinstance(options, InvariantQuery)
        results = []
        for target in _targets(model, query):
            begin = time.perf_counter()
            failing: list[str] = []
            found = invariants(model, target, options)
            for other, goal, invariant in found:
                failing += recheck(other, goal, invariant, new_solver)
            result = Result(
                property=target.name,
                engine=self.name,
                verdict=Verdict.UNKNOWN if failing else Verdict.PROVED,
                effort=Effort(total=time.perf_counter() - begin, memory_mb=own_peak_mb()),
                solver=query.solver,
                reason=f"the invariant does not prove it: {', '.join(failing)}"
                if failing
                else _scope(model, in_bounds=all(one.in_bounds for _, _, one in found)),
                refuted=bool(failing),
            )
            results.append(result)
            listener.done(result)
        return Answer(results)


def invariants(
    model: Model, target: Property, options: InvariantQuery
) -> list[tuple[Model, Property, Invariant]]:
    """The invariants that prove a property, each with the model and the property of it that it is about.

    Raises:
        UserError: if they are about something else.
    """

    def read(one: Model, own: InvariantQuery) -> Invariant:
        return understood(one, own.strengthenings, own.clauses, in_bounds=not own.within_bounds)

    if target.temporal is None:
        return [(model, target, read(model, options))]
    reduction = Reduction(model, target)
    own = [_part(one) for one in options.proofs]
    reduction.check([part for part, _ in own])
    made = [(reduction.stated(part), one) for part, one in own]
    return [(other, other.properties[target.name], read(other, one)) for other, one in made]


def _part(data: Mapping[str, Any]) -> tuple[Part, InvariantQuery]:
    """A part of a proof about runs, and its invariant."""
    settled = tuple(tuple(level) for level in data.get("settled", ()))
    part = Part(Method(data["method"]), data.get("rounds", 0), settled)
    clauses = tuple(tuple(tuple(cube) for cube in orbit) for orbit in data["clauses"])
    names = tuple(data["strengthenings"])
    return part, InvariantQuery(names, clauses, data.get(WITHIN_BOUNDS, False))


def spelled(model: Model, invariant: Invariant) -> Clauses:
    """The clauses of an invariant as texts."""
    facts = Facts(model)
    return tuple(
        tuple(tuple(facts.text(literal) for literal in cube) for cube in orbit) for orbit in invariant.orbits
    )


def understood(
    model: Model, strengthenings: Sequence[str], clauses: Clauses, *, in_bounds: bool = True
) -> Invariant:
    """The invariant that clauses as texts spell.

    Raises:
        UserError: if one of them is about something that the model does not have.
    """
    facts = Facts(model)
    literals = [sign * (number + 2) for number in range(len(facts.literals)) for sign in (1, -1)]
    numbers = {facts.text(literal): literal for literal in literals}
    for text in (text for orbit in clauses for cube in orbit for text in cube):
        if text not in numbers:
            raise UserError(f"the invariant speaks of {text!r}, and {model.protocol} has no such part")
    orbits = tuple(tuple(tuple(numbers[text] for text in cube) for cube in orbit) for orbit in clauses)
    return Invariant(tuple(strengthenings), orbits, in_bounds)


def invariant_certificate(
    model: Model, goal: str, source: str, invariant: Invariant, clauses: Clauses
) -> dict[str, Any]:
    """A proof by an invariant, whose clauses are given as texts too, as a JSON object that
    `certificates.read_certificate` reads.
    """
    return {
        "version": 1,
        "leadline": leadline.__version__,
        "protocol": model.protocol,
        "source": source,
        "parameters": dict(model.parameters),
        "fingerprint": model.fingerprint,
        "property": goal,
        "verdict": str(Verdict.PROVED),
        "strengthenings": list(invariant.strengthenings),
        "clauses": [[list(cube) for cube in orbit] for orbit in clauses],
        **({} if invariant.in_bounds else {WITHIN_BOUNDS: True}),
    }
