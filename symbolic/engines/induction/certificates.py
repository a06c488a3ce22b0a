"""Certificates: inductive proofs in files, to be checked again by another solver.

A certificate names the model (protocol, parameters, fingerprint), the property, the conjuncts of the
inductive invariant with their text, and every obligation with the solver that found that it holds and its
seconds. It is data: nothing in it is evaluated or believed. `recheck` takes from it which property of which
model is proved by which conjuncts, and has every obligation answered anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import leadline
from leadline.symbolic.engines.induction.children import answer_shares
from leadline.symbolic.engines.induction.obligation import conjuncts, obligations
from leadline.symbolic.engines.induction.results import ObligationResult, ObligationVerdict
from leadline.symbolic.engines.query import Limits
from leadline.symbolic.engines.verdict import Verdict
from leadline.symbolic.lang import InternalError, Model, UserError
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.lang.tla import to_tla
from leadline.symbolic.trace.document import read_object

VERSION = 1
"""The version of the certificates written here."""

_OTHER = {"z3": "cadical", "cadical": "z3"}
_FIELDS: dict[str, type] = {
    "version": int,
    "leadline": str,
    "protocol": str,
    "source": str,
    "parameters": dict,
    "fingerprint": str,
    "property": str,
    "verdict": str,
    "conjuncts": list,
    "obligations": list,
}
_CONJUNCT: dict[str, type] = {"name": str, "formula": str}
_OBLIGATION: dict[str, type] = {"name": str, "solver": str, "seconds": float, "verdict": str}
_WORDS = {int: "an integer", str: "text", dict: "an object", list: "an array", float: "a number"}


def certificate(
    model: Model, goal: str, results: Sequence[ObligationResult], *, source: str
) -> dict[str, Any]:
    """The certificate of a proof, as a JSON object.

    Args:
        model: the model.
        goal: the name of the property that is proved.
        results: an answer for each obligation, in any order, all of which hold.
        source: the protocol as the catalog finds it: its name or path.

    Raises:
        InternalError: if the results prove nothing: one is missing or does not hold.
    """
    by_name = {one.name: one for one in results}
    wanted = obligations(model, goal)
    for one in wanted:
        if one.name not in by_name or by_name[one.name].verdict is not ObligationVerdict.HOLDS:
            raise InternalError(f"{goal} is not proved: it is not known that the {one.name} holds")
    return {
        "version": VERSION,
        "leadline": leadline.__version__,
        "protocol": model.protocol,
        "source": source,
        "parameters": dict(model.parameters),
        "fingerprint": model.fingerprint,
        "property": goal,
        "verdict": str(Verdict.PROVED),
        "conjuncts": _conjuncts(model, goal),
        "obligations": [_obligation(by_name[one.name]) for one in wanted],
    }


def _conjuncts(model: Model, goal: str) -> list[dict[str, str]]:
    names = {variable.name: variable.tla for variable in model.variables}
    return [{"name": one.name, "formula": to_tla(one.formula, names)} for one in conjuncts(model, goal)]


def _obligation(result: ObligationResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "solver": result.solver,
        "seconds": round(result.effort.total, 3),
        "verdict": str(result.verdict),
    }


@dataclass(frozen=True)
class Certificate:
    """A certificate as a file holds it, its outline checked; whether it fits a model says `shares`.

    Attributes:
        place: the file.
        protocol: the protocol's name.
        source: the protocol as the catalog found it.
        settings: the parameters; those that the protocol derives from others are left out.
        fingerprint: the model's when it was proved.
        property: the property's name.
        conjuncts: the conjuncts, each with name and text.
        obligations: the obligations, each with name, solver, seconds and verdict.
    """

    place: str
    protocol: str
    source: str
    settings: Mapping[str, Setting]
    fingerprint: str
    property: str
    conjuncts: Sequence[Mapping[str, str]]
    obligations: Sequence[Mapping[str, Any]]

    def shares(self, model: Model) -> dict[str, list[str]]:
        """For each solver, the obligations that it is to check: those that the other one answered.

        Raises:
            UserError: if the certificate is of another model than this one, or does not prove its property.
        """
        if model.fingerprint != self.fingerprint:
            raise UserError(
                f"{self.place} is a proof about another model: {self.protocol}, its parameters or its "
                f"properties have changed since (fingerprint {self.fingerprint[:12]}, now "
                f"{model.fingerprint[:12]}); prove it again"
            )
        if self.property not in model.properties:
            raise UserError(f"{self.place}.property: {model.protocol} has no property {self.property!r}")
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
            found.setdefault(other_solver(one["solver"]), []).append(one["name"])
        return found


def other_solver(name: str) -> str:
    """The solver that checks what a solver found."""
    return _OTHER[name]


def recheck(
    model: Model,
    found: Certificate,
    limits: Limits,
    *,
    source: str,
    told: Callable[[ObligationResult], None] = lambda _: None,
) -> list[ObligationResult]:
    """Answer every obligation of a certificate anew, each by the solver that did not answer it then.

    Args:
        model: the model, made from the certificate's parameters.
        found: the certificate.
        limits: wall clock and address space; for each solver, if there were two.
        source: the protocol as the catalog finds it: its name or path.
        told: called with each answer as it is found.

    Returns:
        The answers in the obligations' fixed order. The certificate stands if all hold.

    Raises:
        UserError: if the certificate is of another model than this one, or does not prove its property.
        InternalError: if a child process fails for another reason than its limits.
    """
    shares = found.shares(model)
    return answer_shares(model, found.property, shares, limits, source=source, told=told)


def read_certificate(path: Path) -> Certificate:
    """The certificate of a file.

    Raises:
        UserError: if the file cannot be read or is no certificate: what is wrong, with its place.
    """
    data = read_object(path)
    _outline(data, _FIELDS, str(path))
    if data["version"] != VERSION:
        raise UserError(f"{path}.version: this Leadline reads version {VERSION}, not {data['version']}")
    if data["verdict"] != str(Verdict.PROVED):
        raise UserError(f"{path}.verdict: {Verdict.PROVED} is needed, not {data['verdict']!r}")
    for number, one in enumerate(data["conjuncts"]):
        _outline(one, _CONJUNCT, f"{path}.conjuncts[{number}]")
    for number, one in enumerate(data["obligations"]):
        place = f"{path}.obligations[{number}]"
        _outline(one, _OBLIGATION, place)
        if one["solver"] not in _OTHER:
            raise UserError(f"{place}.solver: one of {', '.join(_OTHER)} is needed, not {one['solver']!r}")
        if one["verdict"] != str(ObligationVerdict.HOLDS):
            raise UserError(
                f"{place}.verdict: a proof needs {ObligationVerdict.HOLDS}, not {one['verdict']!r}"
            )
    return Certificate(
        place=str(path),
        protocol=data["protocol"],
        source=data["source"],
        settings=_settings(data["parameters"], f"{path}.parameters"),
        fingerprint=data["fingerprint"],
        property=data["property"],
        conjuncts=data["conjuncts"],
        obligations=data["obligations"],
    )


def _outline(data: Any, fields: Mapping[str, type], place: str) -> None:
    if not isinstance(data, dict):
        raise UserError(f"{place}: an object is needed")
    for name, kind in fields.items():
        if name not in data:
            raise UserError(f"{place}: {name} is missing, so this is no certificate of Leadline's")
        fits = (int, float) if kind is float else (kind,)
        if type(data[name]) not in fits:
            raise UserError(f"{place}.{name}: {_WORDS[kind]} is needed")
    for name in data:
        if name not in fields:
            raise UserError(f"{place}.{name} has no meaning in a certificate")


def _settings(data: Mapping[str, Any], place: str) -> dict[str, Setting]:
    found = {name: value for name, value in data.items() if value is not None}
    for name, value in found.items():
        if not isinstance(value, (bool, int, str)):
            raise UserError(f"{place}.{name}: an integer, true, false or text is needed")
    return found
