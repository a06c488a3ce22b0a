"""Certificates: inductive proofs in files, to be checked again by another solver.

A certificate names the model (protocol, parameters, fingerprint), the property, the conjuncts of the
inductive invariant with their text, and every obligation with the solver that found that it holds and its
seconds. It is data: nothing in it is evaluated or trusted. `recheck` takes from it which property of which
model is proved by which conjuncts, and has every obligation answered anew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from leadline.symbolic.engines.ask.query import SILENT, Listener, Options, Query
from leadline.symbolic.engines.ask.result import Answer, JsonObject, Result, Verdict
from leadline.symbolic.engines.ask.table import ENGINES
from leadline.symbolic.engines.prove.induction import InductionOptions
from leadline.symbolic.engines.prove.induction.obligation import conjuncts, obligations
from leadline.symbolic.engines.prove.invariants import (
    LEARNED,
    VERSION,
    WITHIN_BOUNDS,
    InvariantQuery,
    certificate_head,
    invariants,
)
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.engines.run.parallel import answer_in_children
from leadline.symbolic.engines.runs import PARTS, Method, Part
from leadline.symbolic.files import Readable
from leadline.symbolic.lang import InternalError, Model, Setting, UserError
from leadline.symbolic.notation.expressions import to_tla
from leadline.symbolic.solve import DEFAULT, SOLVERS
from leadline.symbolic.trace.document import Shape, checked, read_object, settings_of

_HEAD: dict[str, Shape] = {
    "version": int,
    "leadline": str,
    "protocol": str,
    "source": str,
    "parameters": dict,
    "fingerprint": str,
    "property": str,
    "verdict": str,
    f"{LEARNED}?": dict,
}
_OF_INVARIANT: dict[str, Shape] = {"strengthenings": [str], "clauses": [[[str]]], f"{WITHIN_BOUNDS}?": bool}
_PART: dict[str, Shape] = {
    "method": Method,
    "rounds?": int,
    "settled?": [[str]],
    "conjunct?": int,
    **_OF_INVARIANT,
}
_OF_INDUCTION: dict[str, Shape] = {
    "conjuncts": [{"name": str, "formula": str}],
    "obligations": [{"name": str, "solver": str, "seconds": float, "verdict": str}],
}
_HOLDS = "holds"


def certificate(model: Model, goal: str, results: Sequence[Result], *, source: str) -> dict[str, object]:
    """The certificate of a proof, as a JSON object.

    Args:
        model: the model.
        goal: the name of the property that is proved.
        results: an answer for each obligation, in any order, all of which hold.
        source: the protocol as the catalog finds it: its name or path.

    Raises:
        InternalError: if the results prove nothing: one is missing or does not hold.
    """
    by_name = {one.part: one for one in results}
    wanted = obligations(model, goal)
    for one in wanted:
        if one.name not in by_name or not by_name[one.name].holds:
            raise InternalError(f"{goal} is not proved: the {one.name} is not known to hold")
    return {
        **certificate_head(model, goal, source),
        "conjuncts": _conjuncts(model, goal),
        "obligations": [
            {"name": one.name, "solver": by.solver, "seconds": round(by.effort.total, 3), "verdict": _HOLDS}
            for one in wanted
            for by in [by_name[one.name]]
        ],
    }


def _conjuncts(model: Model, goal: str) -> list[dict[str, str]]:
    names = {variable.name: variable.tla for variable in model.variables}
    return [{"name": one.name, "formula": to_tla(one.formula, names)} for one in conjuncts(model, goal)]


@dataclass(frozen=True)
class Certificate(ABC):
    """A certificate as a file holds it, its outline checked; `queries` says whether it fits a model.

    Attributes:
        place: the file.
        protocol: the protocol's name.
        source: the protocol as the catalog found it.
        settings: the parameters; those that the protocol derives from others are left out.
        fingerprint: the model's when it was proved.
        property: the property's name.
        learned: the types that had been learned of a module's variables, with which its model is made. That
            no run leaves them is a part of the proof, so these are not trusted either.
    """

    place: str
    protocol: str
    source: str
    settings: Mapping[str, Setting]
    fingerprint: str
    property: str
    learned: JsonObject
    asked: Options

    @abstractmethod
    def queries(self, model: Model, source: str) -> list[Query]:
        """The queries that recheck the proof, each by another solver than found it.

        Args:
            model: the model, made from the certificate's parameters.
            source: the protocol as the catalog finds it: its name or path.

        Raises:
            UserError: if the certificate is of another model than this one, or does not prove its property.
        """

    def whole(self, source: str) -> Query:
        """One query for all that the queries ask together."""
        return Query(source, self.settings, (self.property,), self.asked)

    def fit(self, model: Model) -> None:
        """Compare the certificate with a model.

        Raises:
            UserError: if it is of another one.
        """
        if model.fingerprint != self.fingerprint:
            mend = ", or give the --config that it was proved with" if ".tla" in self.source else ""
            raise UserError(
                f"{self.place} is a proof about another model: {self.protocol}, its parameters or its "
                f"properties have changed since (fingerprint {self.fingerprint[:12]}, now "
                f"{model.fingerprint[:12]}); prove it again{mend}"
            )
        if self.property not in model.properties:
            raise UserError(f"{self.place}.property: {model.protocol} has no property {self.property!r}")


@dataclass(frozen=True)
class InductionCertificate(Certificate):
    """A proof by the obligations of an induction.

    Attributes:
        conjuncts: the conjuncts, each with name and text.
        obligations: the obligations, each with name, solver, seconds and verdict.
    """

    conjuncts: Sequence[Mapping[str, str]]
    obligations: Sequence[JsonObject]

    def queries(self, model: Model, source: str) -> list[Query]:
        self.fit(model)
        if list(self.conjuncts) != _conjuncts(model, self.property):
            raise UserError(
                f"{self.place}.conjuncts: these are not the conjuncts by which {self.property} is proved "
                "now; prove it again"
            )
        given = [one["name"] for one in self.obligations]
        wanted = [one.name for one in obligations(model, self.property)]
        if given != wanted:
            wrong = next((x for x in wanted if x not in given), None)
            what = (
                f"the {wrong} is missing" if wrong else "there are others than should be, or in another order"
            )
            raise UserError(f"{self.place}.obligations: {what}, so this proves nothing")
        found: dict[str, list[str]] = {}
        for one in self.obligations:
            found.setdefault(SOLVERS[one["solver"]].rechecked_by, []).append(one["name"])
        whole = self.whole(source)
        return [
            replace(whole, options=InductionOptions(tuple(names)), solver=solver)
            for solver, names in found.items()
        ]


@dataclass(frozen=True)
class InvariantCertificate(Certificate):
    """A proof by an inductive invariant of clauses or, of a claim about runs, by one of each of other models."""

    asked: InvariantQuery

    def queries(self, model: Model, source: str) -> list[Query]:
        self.fit(model)
        target = model.properties[self.property]
        if self.asked.proofs and target.temporal is None:
            raise UserError(f"{self.place}.{PARTS}: {self.property} is not about runs")
        invariants(model, target, self.asked)
        # A solver of another kind than those that search for invariants.
        return [self.whole(source).by(DEFAULT)]


def recheck(
    model: Model,
    found: Certificate,
    limits: Limits,
    *,
    source: str,
    solver: str | None = None,
    listener: Listener = SILENT,
) -> Answer:
    """Answer every obligation of a certificate anew, by the solver that did not answer it before.

    Args:
        model: the model, made from the certificate's parameters.
        found: the certificate.
        limits: wall clock and address space of each solver.
        source: the protocol as the catalog finds it: its name or path.
        solver: the solver that checks an invariant which a search has found; None for the usual one.
        listener: is told of progress and results.

    Returns:
        The answers in the obligations' fixed order. The certificate stands if all hold.

    Raises:
        UserError: if the certificate is of another model than this one, or does not prove its property.
        InternalError: if a child process fails for another reason than its limits.
    """
    whole = found.whole(source)
    asked = found.queries(model, source)
    if solver is not None and solver in SOLVERS:
        asked = [one.by(solver) for one in asked]
    answer = answer_in_children(model, asked, limits, listener)
    results = {one.about: one for one in answer.results}
    return replace(answer, results=[results[part] for part in ENGINES[whole.engine].parts(model, whole)])


def read_certificate(path: Path | Readable) -> Certificate:
    """The certificate of a file.

    Raises:
        UserError: if the file cannot be read or is no certificate; the message names the place.
    """
    data = read_object(path)
    runs, invariant = PARTS in data, "clauses" in data
    own: dict[str, Shape] = {PARTS: [_PART]} if runs else _OF_INVARIANT if invariant else _OF_INDUCTION
    checked(data, {**_HEAD, **own}, str(path), "certificate")
    if data["version"] != VERSION:
        told = f"this Leadline reads version {VERSION}, not {data['version']}: prove the property again"
        raise UserError(f"{path}.version: {told}")
    if data["verdict"] != str(Verdict.PROVED):
        raise UserError(f"{path}.verdict: {Verdict.PROVED} is needed, not {data['verdict']!r}")
    common: dict[str, Any] = {
        "place": str(path),
        "protocol": data["protocol"],
        "source": data["source"],
        "settings": settings_of(data["parameters"], f"{path}.parameters"),
        "fingerprint": data["fingerprint"],
        "property": data["property"],
        "learned": data.get(LEARNED, {}),
    }
    if runs:
        proofs = tuple(_part(one, f"{path}.{PARTS}[{number}]") for number, one in enumerate(data[PARTS]))
        return InvariantCertificate(**common, asked=InvariantQuery(proofs=proofs))
    if invariant:
        return InvariantCertificate(**common, asked=_invariant(data))
    for number, one in enumerate(data["obligations"]):
        place = f"{path}.obligations[{number}]"
        if one["solver"] not in SOLVERS:
            raise UserError(f"{place}.solver: one of {', '.join(SOLVERS)} is needed, not {one['solver']!r}")
        if one["verdict"] != _HOLDS:
            raise UserError(f"{place}.verdict: a proof needs {_HOLDS}, not {one['verdict']!r}")
    found = {name: data[name] for name in ("conjuncts", "obligations")}
    return InductionCertificate(**common, asked=InductionOptions(), **found)


def _invariant(data: JsonObject) -> InvariantQuery:
    return InvariantQuery(data["strengthenings"], data["clauses"], data.get(WITHIN_BOUNDS, False))


def _part(data: JsonObject, place: str) -> tuple[Part, InvariantQuery]:
    """A part of a proof about runs, and its invariant."""
    if data.get("rounds", 0) < 0:
        raise UserError(f"{place}.rounds: an integer, 0 or more, is needed")
    settled = tuple(tuple(level) for level in data.get("settled", ()))
    part = Part(Method(data["method"]), data.get("rounds", 0), settled, data.get("conjunct"))
    return part, _invariant(data)
