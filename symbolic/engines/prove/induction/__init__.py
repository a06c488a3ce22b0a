"""Proof by induction: an invariant that no step leaves, checked conjunct by conjunct and action by action.

Each obligation is a part of its own. `obligation` lists what must hold and why that suffices; `checker` puts
it to a solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from leadline.symbolic.engines.ask.engine import Engine, NewSolver
from leadline.symbolic.engines.ask.judgement import judgement, verdict_text
from leadline.symbolic.engines.ask.query import Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import Answer, Cause, Effort, Part, Result, Table, Verdict
from leadline.symbolic.engines.prove.induction.checker import Checker
from leadline.symbolic.engines.prove.induction.obligation import (
    ObligationKind,
    chosen_obligations,
    conjuncts,
    obligations,
)
from leadline.symbolic.engines.prove.provers import WITHIN_BOUNDS_ADVICE
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.lang import Model, counted


@dataclass(frozen=True)
class InductionOptions(Options):
    """The options of an inductive proof.

    Attributes:
        obligations: the names of the obligations to check; all if there are none.
        backwards: whether the last obligation is checked first.
    """

    engine = "induction"

    obligations: tuple[str, ...] = option(
        (),
        flag="obligation",
        metavar="NAME",
        doc="check only this obligation, which is no proof; repeat it for several",
    )
    backwards: bool = False

    @property
    def part(self) -> str | None:
        return self.obligations[0] if len(self.obligations) == 1 else None


class Induction(Engine):
    """Proof by induction with the strengthenings that a property has."""

    name = InductionOptions.engine
    doing = "proving"
    options = InductionOptions
    asks_states = True
    suited = "strengthenings are written for it"

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        results = []
        for goal in query.names(model):
            checker = Checker(model, goal, new_solver, query.source)
            known = {one.name: one for one in obligations(model, goal)}
            for name in _names(query, model, goal):
                results.append(checker.check(known[name]))
                listener.done(results[-1])
        return Answer(results)

    def suits(self, model: Model, goal: str, options: Options) -> bool:
        """Whether the property is of states and has strengthenings."""
        if goal in model.properties and model.properties[goal].temporal is not None:
            return False
        return [one.name for one in conjuncts(model, goal)] != [goal]

    def parts(self, model: Model, query: Query) -> tuple[Part, ...]:
        return tuple((goal, name) for goal in query.names(model) for name in _names(query, model, goal))

    def beside(self, query: Query) -> Query:
        """The second solver begins with the last obligation."""
        assert isinstance(query.options, InductionOptions)
        return replace(query, options=replace(query.options, backwards=True))

    def verdicts(self, model: Model, query: Query, answer: Answer) -> Sequence[Result]:
        """A property is proved if every obligation holds, else unknown, even if one fails."""
        found = []
        for goal in query.names(model):
            about = [one for one in answer.results if one.property == goal]
            held = {one.part for one in about if one.holds}
            proved = held >= {one.name for one in obligations(model, goal)}
            effort = reduce(Effort.plus, (one.effort for one in about), Effort())
            verdict = Verdict.PROVED if proved else Verdict.UNKNOWN
            cause = None if proved else next((one.cause for one in about if one.cause), Cause.PART)
            found.append(Result(goal, self.name, verdict, effort, cause=cause))
        return found

    def describe(self, model: Model, query: Query, answer: Answer) -> Sequence[str | Table]:
        rows = [
            [
                one.property,
                verdict_text(model, one),
                str(len(conjuncts(model, one.property))),
                extent(model, one.property, answer.results),
                f"{one.effort.total:.1f}",
            ]
            for one in self.verdicts(model, query, answer)
        ]
        parts = [[str(x.part), _word(x), str(x.solver), f"{x.effort.total:.2f}"] for x in answer.results]
        advice = [line for goal in query.names(model) for line in _only_bounds(model, goal, answer.results)]
        return [
            Table(["property", "verdict", "conjuncts", "obligations", "seconds"], rows),
            "",
            Table(["obligation", "verdict", "solver", "seconds"], parts),
            *(["", *advice] if advice else []),
        ]

    def extent(self, model: Model, query: Query, answer: Answer) -> str:
        return ", ".join(extent(model, goal, answer.results) for goal in query.names(model))

    def as_json(self, model: Model, query: Query, answer: Answer) -> dict[str, Any]:
        (verdict,) = self.verdicts(model, query, answer)
        return {
            "protocol": model.protocol,
            "parameters": dict(model.parameters),
            "constraints": [one.name for one in model.constraints],
            "fingerprint": model.fingerprint,
            "property": verdict.property,
            "verdict": str(verdict.verdict),
            "judgement": str(judgement(model, verdict)),
            "inductive_within_bounds": bool(_only_bounds(model, verdict.property, answer.results)),
            "conjuncts": [one.name for one in conjuncts(model, verdict.property)],
            "obligations": [
                {
                    "name": one.part,
                    "verdict": _word(one),
                    "solver": one.solver,
                    "reason": one.reason,
                    "cause": one.cause,
                    **one.effort.to_json(),
                    "cti": one.cti,
                }
                for one in answer.results
            ],
        }


def extent(model: Model, goal: str, results: Sequence[Result]) -> str:
    """The number of a goal's obligations that hold."""
    held = sum(one.holds for one in results if one.property == goal)
    return f"{held} of {counted(len(obligations(model, goal)), 'obligation')} hold"


def _only_bounds(model: Model, goal: str, results: Sequence[Result]) -> list[str]:
    """The advice where only steps that leave their bounds stand against a goal's proof; else nothing."""
    kinds = {one.name: one.kind for one in obligations(model, goal)}
    found = [one for one in results if one.property == goal]
    wrong = [one for one in found if not one.holds]
    bounds = (ObligationKind.INITIAL_IN_BOUNDS, ObligationKind.STEP_IN_BOUNDS)
    if (
        len(found) < len(kinds)
        or not wrong
        or any(not x.fails or kinds[str(x.part)] not in bounds for x in wrong)
    ):
        return []
    return [
        f"{goal} is inductive within bounds: all that fails is",
        *(f"  {one.part}: {one.reason}" for one in wrong),
        "The state before need not be reachable; --no-strengthenings decides whether it is, and looks for",
        "a constraint that suffices. If it is, you can",
        *WITHIN_BOUNDS_ADVICE,
    ]


def _word(result: Result) -> str:
    """The verdict about one obligation."""
    return "holds" if result.holds else "fails" if result.fails else "unknown"


def _names(query: Query, model: Model, goal: str) -> tuple[str, ...]:
    options = query.options
    assert isinstance(options, InductionOptions)
    names = tuple(one.name for one in chosen_obligations(model, goal, options.obligations))
    return names[::-1] if options.backwards else names
