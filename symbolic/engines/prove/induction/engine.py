"""Induction as an engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from leadline.symbolic.engines.ask.engine import Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import Answer, Part
from leadline.symbolic.engines.prove.induction.checker import Checker
from leadline.symbolic.engines.prove.induction.obligation import chosen_obligations, conjuncts, obligations
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.lang import Model


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

    def beside(self) -> Self:
        """The second solver begins with the last obligation."""
        return replace(self, backwards=True)


class Induction(Engine):
    """Proof by induction with the strengthenings that a property has."""

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


def _names(query: Query, model: Model, goal: str) -> tuple[str, ...]:
    options = query.options
    assert isinstance(options, InductionOptions)
    names = tuple(one.name for one in chosen_obligations(model, goal, options.obligations))
    return names[::-1] if options.backwards else names
