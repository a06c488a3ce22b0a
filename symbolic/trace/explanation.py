"""The reason why the property of a counterexample is false: in its last state, or in its run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from leadline.symbolic.lang import Model, Property
from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.lang.rules import negation
from leadline.symbolic.lang.temporal import (
    Always,
    Both,
    Eventually,
    Happens,
    Holds,
    Negated,
    Temporal,
    expanded,
    expressions,
    is_step,
)
from leadline.symbolic.trace.explainer import Explainer
from leadline.symbolic.trace.reason import Reason
from leadline.symbolic.trace.trace import Trace, TraceEnd, states


class Falsified(Enum):
    """Where a predicate must be false for a property to be false of a run."""

    LAST = "in the last state"
    FIRST = "in the first state"
    SOMEWHERE = "in some state, or step"
    EVERYWHERE = "in every state"
    SOMEWHERE_IN_THE_LOOP = "in some state of the loop"
    EVERYWHERE_IN_THE_LOOP = "in every state of the loop"


@dataclass(frozen=True)
class Demand:
    """A predicate that a property demands of a run.

    Attributes:
        formula: a predicate over states or steps.
        falsified: where it must be false for the property to be false.
    """

    formula: Node
    falsified: Falsified

    def refuted(self, values: Sequence[bool | None], loop: int | None) -> int | None:
        """The last place at which the predicate is false if the property is false for that; else None.

        Args:
            values: the predicate's value at each place of the run; None where it has none.
            loop: the place to which the run goes back; None if it does not.
        """
        if self.falsified in (Falsified.LAST, Falsified.FIRST):
            place = 0 if self.falsified is Falsified.FIRST else len(values) - 1
            return place if values[place] is False else None
        whole = self.falsified in (Falsified.SOMEWHERE, Falsified.EVERYWHERE)
        if loop is None and self.falsified is not Falsified.SOMEWHERE:
            return None
        start = 0 if whole else loop or 0
        false = [place for place in range(start, len(values)) if values[place] is False]
        somewhere = self.falsified in (Falsified.SOMEWHERE, Falsified.SOMEWHERE_IN_THE_LOOP)
        return false[-1] if false and (somewhere or len(false) == len(values) - start) else None


def demands(about: Property) -> list[Demand]:
    """The predicates that a property demands, as far as they can be blamed one by one."""
    if about.temporal is None:
        return [Demand(about.formula, Falsified.LAST)]
    return list(_demands(expanded(about.temporal)))


def _demands(formula: Temporal) -> Iterator[Demand]:
    match formula:
        case Both(items=items):
            for item in items:
                yield from _demands(item)
        case Holds(node=node):
            yield Demand(node, Falsified.FIRST)
        case Always(item=Holds(node=node)):
            yield Demand(node, Falsified.SOMEWHERE)
        case Always(item=Negated(item=Happens(node=node))):
            yield Demand(negation(node), Falsified.SOMEWHERE)
        case Eventually(item=Holds(node=node)):
            yield Demand(node, Falsified.EVERYWHERE)
        case Eventually(item=Always(item=Holds(node=node))):
            yield Demand(node, Falsified.SOMEWHERE_IN_THE_LOOP)
        case Always(item=Eventually(item=Holds(node=node))):
            yield Demand(node, Falsified.EVERYWHERE_IN_THE_LOOP)


def predicates(about: Property) -> list[Node]:
    """The predicates over states and steps in a property, those that it demands first."""
    found = dict.fromkeys(demand.formula for demand in demands(about))
    others = expressions(expanded(about.temporal)) if about.temporal is not None else []
    found |= dict.fromkeys(node for node in others if negation(node) not in found)
    return list(found)


@dataclass(frozen=True)
class Blame:
    """The predicate that makes a property false of a run.

    Attributes:
        demand: the predicate.
        explainer: evaluates its parts.
        place: the number of the last state in which it is false, or of the state after the last such step.
    """

    demand: Demand
    explainer: Explainer
    place: int


def blame(model: Model, trace: Trace) -> Blame | None:
    """The first predicate that makes the property of a trace false; None if there is none."""
    about = model.properties.get(trace.property or "")
    if trace.ends is not TraceEnd.VIOLATES or trace.last is None or about is None:
        return None
    for demand in demands(about):
        explainer = Explainer(model, demand.formula)
        views = explainer.views(list(states(trace)))
        values = [None if view is None else explainer.value(view) for view in views]
        place = demand.refuted(values, trace.loop)
        if place is not None:
            return Blame(demand, explainer, place)
    return None


def explanation(model: Model, trace: Trace) -> Reason | None:
    """The reason why the property of a trace is false; None if it ends otherwise, or no predicate is to blame.

    If the property is about runs, the reason has the number of the state or the step that it is about.
    """
    found = blame(model, trace)
    if found is None:
        return None
    view = found.explainer.views(list(states(trace)))[found.place]
    assert view is not None
    reason = found.explainer.reason(view)
    if found.demand.falsified is Falsified.LAST:
        return reason
    return replace(reason, chosen=("step" if is_step(found.demand.formula) else "state", str(found.place)))
