"""The check of an invariant that proves a property, by a solver and on a fresh encoding.

The clauses of an invariant are data: texts over the parts of the state.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import leadline
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines import runs as liveness
from leadline.symbolic.engines.ask.engine import AboutRuns, Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query
from leadline.symbolic.engines.ask.result import Answer, Cause, Effort, Result, Verdict
from leadline.symbolic.engines.bounded.search import targets_of
from leadline.symbolic.engines.prove import pdr
from leadline.symbolic.engines.prove.cone import part_about
from leadline.symbolic.engines.run.limits import Limits, own_peak_mb
from leadline.symbolic.lang import Model, Property, UserError, shortened
from leadline.symbolic.notation.types import set_text

VERSION = 2
"""The version of the certificates written here."""

WITHIN_BOUNDS = "within_bounds"
"""The member of a certificate that is true where steps may leave their bounds."""

LEARNED = "learned"
"""The member of a certificate that has the types of a module's variables: see `Origin.learned`."""

Clauses = Sequence[Sequence[Sequence[str]]]
"""Orbits of clauses. A clause is the cube that it excludes: facts that do not hold all at once, as texts."""


def scope(model: Model, *, in_bounds: bool) -> str | None:
    """The assumptions that a proof depends on, in words; None if there are none."""
    types = ", ".join(f"{one.tla} \\in {set_text(one.type).text}" for one in model.variables)
    # The author of a module has not stated these bounds: they are those that runs have shown.
    bounds = "bounds" if model.origin is None else f"these bounds: {shortened(types, 500)}"
    within = None if in_bounds else f"of the states reached within {bounds}; what is beyond is not said"
    return "; ".join(x for x in (model.scope, within) if x) or None


@dataclass(frozen=True)
class InvariantQuery(Options):
    """An invariant to check.

    Attributes:
        strengthenings: the names of the model's strengthenings that are conjuncts.
        clauses: the orbits of clauses.
        within_bounds: whether steps may leave their bounds.
        proofs: if the property is about runs, the parts of its proof in place of these, each with its invariant.
    """

    engine = "invariant"

    strengthenings: Sequence[str] = ()
    clauses: Clauses = ()
    within_bounds: bool = False
    proofs: tuple[tuple[liveness.Part, InvariantQuery], ...] = ()


class InvariantCheck(Engine):
    """The check that an invariant is inductive, within bounds, and implies a property."""

    options = InvariantQuery
    runs = AboutRuns.ANSWERED

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options_as(InvariantQuery)
        results = []
        for target in targets_of(model, query):
            begin = time.perf_counter()
            failing: list[str] = []
            found = invariants(model, target, options)
            for other, goal, invariant in found:
                failing += pdr.recheck(other, goal, invariant, new_solver)
            result = Result(
                property=target.name,
                engine=self.name,
                verdict=Verdict.UNKNOWN if failing else Verdict.PROVED,
                effort=Effort(total=time.perf_counter() - begin, memory_mb=own_peak_mb()),
                solver=query.solver,
                reason=f"the invariant does not prove it: {', '.join(failing)}"
                if failing
                else scope(model, in_bounds=all(one.in_bounds for _, _, one in found)),
                cause=Cause.NOT_INDUCTIVE if failing else None,
                refuted=bool(failing),
            )
            results.append(result)
            listener.done(result)
        return Answer(results)


def invariants(
    model: Model, target: Property, options: InvariantQuery
) -> list[tuple[Model, Property, pdr.Invariant]]:
    """The invariants that prove a property, each with the model and the property of it that it is about.

    Raises:
        UserError: if they are about something else.
    """

    def read(one: Model, own: InvariantQuery) -> pdr.Invariant:
        return understood(one, own.strengthenings, own.clauses, in_bounds=not own.within_bounds)

    if target.temporal is None:
        part = part_about(model, target)
        return [(part, target, read(part, options))]
    reduction = liveness.Reduction(model, target)
    reduction.check([part for part, _ in options.proofs])
    made = [(reduction.stated(part), one) for part, one in options.proofs]
    return [(other, other.properties[target.name], read(other, one)) for other, one in made]


def spelled(model: Model, invariant: pdr.Invariant) -> Clauses:
    """The clauses of an invariant as texts."""
    facts = Facts(model)
    return tuple(
        tuple(tuple(facts.text(literal) for literal in cube) for cube in orbit) for orbit in invariant.orbits
    )


def understood(
    model: Model, strengthenings: Sequence[str], clauses: Clauses, *, in_bounds: bool = True
) -> pdr.Invariant:
    """The invariant that clauses as texts spell.

    Raises:
        UserError: if one of them is about something that the model does not have.
    """
    numbers = Facts(model).by_text()
    for text in (text for orbit in clauses for cube in orbit for text in cube):
        if text not in numbers:
            raise UserError(f"the invariant speaks of {text!r}, and {model.protocol} has no such part")
    orbits = tuple(tuple(tuple(numbers[text] for text in cube) for cube in orbit) for orbit in clauses)
    return pdr.Invariant(tuple(strengthenings), orbits, in_bounds)


def certificate_head(model: Model, goal: str, source: str) -> dict[str, object]:
    """The members with which every certificate begins: what is proved, and of which model."""
    return {
        "version": VERSION,
        "leadline": leadline.__version__,
        "protocol": model.protocol,
        "source": source,
        "parameters": dict(model.parameters),
        "fingerprint": model.fingerprint,
        "property": goal,
        "verdict": str(Verdict.PROVED),
        **({LEARNED: model.learned} if model.learned else {}),
    }


def invariant_certificate(
    model: Model, goal: str, source: str, invariant: pdr.Invariant, clauses: Clauses
) -> dict[str, object]:
    """A proof by an invariant, whose clauses are given as texts too, as a JSON object that
    `certificates.read_certificate` reads.
    """
    return {
        **certificate_head(model, goal, source),
        "strengthenings": list(invariant.strengthenings),
        "clauses": [[list(cube) for cube in orbit] for orbit in clauses],
        **({} if invariant.in_bounds else {WITHIN_BOUNDS: True}),
    }
