"""The coverage of an exploration of a TLA+ specification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from leadline.symbolic.engines.ask.result import Result, Verdict
from leadline.symbolic.engines.explore.facts import ExploreFacts, VacuousPart
from leadline.symbolic.meaning import Explorer, State
from leadline.symbolic.tla.read.coverage import Suspect, excerpt, suspects
from leadline.symbolic.tla.read.syntax import Place
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.values import FAILURES


class CoveringModule(Explorer[Behaviour]):
    """An exploration of a specification that also looks for invariants that hold vacuously.

    Its behaviour counts how often conjuncts are true.
    """

    attributing = True

    def __post_init__(self) -> None:
        super().__post_init__()
        predicate = self.semantics.interpreter.predicate
        asserted = suspects(self.semantics.specification)
        self._suspects = [(one, predicate(one.weakened)) for one in asserted]

    def keep(self, state: State, parent: int) -> None:
        super().keep(state, parent)
        if self._suspects and not self.full:
            self._suspects = [(one, holds) for one, holds in self._suspects if _holds(holds, state)]

    def covered(self, facts: ExploreFacts, results: Sequence[Result]) -> ExploreFacts:
        """The facts of an answer with these verdicts, with the coverage."""
        holding = {one.property for one in results if one.verdict is Verdict.SAFE}
        left = [one for one, _ in self._suspects if one.invariant in holding]
        parts = {(one.invariant, one.place) for one in left}
        outermost = [one for one in left if not any((one.invariant, place) in parts for place in one.around)]
        names = [action.name for action in self.semantics.actions]
        return replace(
            facts,
            vacuous=[_vacuous(one) for one in outermost],
            first_reached=dict(zip(names, self.first[1:], strict=True)),
            guards=[
                {
                    "action": one.action,
                    "guard": excerpt(one.formula),
                    "place": _short(one.formula.place),
                    "evaluated": one.counts[0],
                    "true": one.counts[1],
                }
                for one in self.semantics.interpreter.conjuncts.values()
            ],
        )


def _vacuous(found: Suspect) -> VacuousPart:
    text, place = excerpt(found.formula), _short(found.place)
    if found.is_set:
        return {"property": found.invariant, "empty": text, "partly": found.partly, "place": place}
    return {"property": found.invariant, "never_true": text, "partly": found.partly, "place": place}


def _holds(holds: Callable[[State], bool], state: State) -> bool:
    try:
        return bool(holds(state))
    except FAILURES:
        return False


def _short(place: Place) -> str:
    return f"{Path(place.file).name}:{place.line}"
