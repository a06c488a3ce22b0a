"""What is known of the obligations of a proof, as text and as JSON."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.cli.output import Report
from leadline.symbolic.cli.verdicts import counted, effort_json
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.induction import (
    ObligationResult,
    ObligationVerdict,
    conjuncts,
    obligations,
)
from leadline.symbolic.lang import Model
from leadline.symbolic.trace import cti_lines, read_cti
from leadline.symbolic.trace.trace import title


class Findings:
    """The answers about the obligations of one goal.

    Args:
        model: the model.
        goal: the property's name.
        source: the protocol as the catalog finds it.

    Attributes:
        results: the answers so far, in the obligations' order.

    Raises:
        UserError: if the model has no property of that name.
    """

    def __init__(self, model: Model, goal: str, source: str) -> None:
        self.model = model
        self.goal = goal
        self.source = source
        self.conjuncts = tuple(one.name for one in conjuncts(model, goal))
        self.wanted = [one.name for one in obligations(model, goal)]
        self.results: list[ObligationResult] = []

    def _are(self, verdict: ObligationVerdict) -> list[ObligationResult]:
        return [one for one in self.results if one.verdict is verdict]

    @property
    def verdict(self) -> Verdict:
        """Proved if every obligation holds, else unknown: that one fails says nothing of the property."""
        held = {one.name for one in self._are(ObligationVerdict.HOLDS)}
        return Verdict.PROVED if held >= set(self.wanted) else Verdict.UNKNOWN

    def extent(self) -> str:
        """How many of the obligations hold."""
        held = len(self._are(ObligationVerdict.HOLDS))
        return f"{held} of {counted(len(self.wanted), 'obligation')} hold"

    def report(self) -> Report:
        """For a person: the verdict, every obligation, and the first counterexample to induction."""
        report = Report()
        report.say(title(self.model))
        total = sum(one.effort.total for one in self.results)
        report.table(
            ["property", "verdict", "conjuncts", "obligations", "seconds"],
            [[self.goal, str(self.verdict), str(len(self.conjuncts)), self.extent(), f"{total:.1f}"]],
        )
        report.say()
        rows = [[x.name, str(x.verdict), x.solver, f"{x.effort.total:.2f}"] for x in self.results]
        report.table(["obligation", "verdict", "solver", "seconds"], rows)
        for reason in dict.fromkeys(x.reason for x in self._are(ObligationVerdict.UNKNOWN) if x.reason):
            report.say(f"unknown: {reason}")
        failing = self._are(ObligationVerdict.FAILS)
        if failing:
            self._add_cti(report, failing)
        return report

    def _add_cti(self, report: Report, failing: list[ObligationResult]) -> None:
        first, *others = failing
        assert first.cti is not None, "an obligation that fails has a counterexample to induction"
        report.say()
        report.trace(cti_lines(Semantics(self.model), read_cti(self.model, first.cti)))
        if others:
            report.say(f"{counted(len(others), 'more obligation')} failed: see one with --obligation")

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "protocol": self.model.protocol,
            "parameters": dict(self.model.parameters),
            "fingerprint": self.model.fingerprint,
            "property": self.goal,
            "verdict": str(self.verdict),
            "conjuncts": list(self.conjuncts),
            "obligations": [_json(one) for one in self.results],
        }


def _json(result: ObligationResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "verdict": str(result.verdict),
        "solver": result.solver,
        "reason": result.reason,
        **effort_json(result.effort),
        "cti": result.cti,
    }
