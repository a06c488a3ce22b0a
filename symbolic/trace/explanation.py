"""The reason why the property of a counterexample is false: in its last state, or in its run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from leadline.symbolic.concrete import Runs, Semantics, State
from leadline.symbolic.lang import (
    Always,
    Both,
    Either,
    Eventually,
    Happens,
    Holds,
    LeadsTo,
    Model,
    Negated,
    OutOfBounds,
    Property,
    Temporal,
    expanded,
    expressions,
    is_step,
)
from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.lang.rules import negation
from leadline.symbolic.meaning import is_refuted, satisfies
from leadline.symbolic.meaning.trace import Trace, TraceEnd, states, word_of
from leadline.symbolic.trace.explainer import Explainer, Reason


class Falsified(Enum):
    """The places at which a predicate must be false for a property to be false of a run."""

    LAST = "in the last state"
    FIRST = "in the first state"
    SOMEWHERE = "in some state, or step"
    EVERYWHERE = "in every state"
    SOMEWHERE_IN_THE_LOOP = "in some state of the loop"
    EVERYWHERE_IN_THE_LOOP = "in every state of the loop"
    AFTER = "in a state where the premise holds, and in every state after it"


@dataclass(frozen=True)
class Demand:
    """A predicate that a property demands of a run.

    Attributes:
        formula: a predicate over states or steps.
        falsified: where it must be false for the property to be false.
        premise: the predicate after which it must hold, if it need not always.
    """

    formula: Node
    falsified: Falsified
    premise: Node | None = None

    def refuted(
        self, values: Sequence[bool | None], loop: int | None, premises: Sequence[bool | None] = ()
    ) -> int | None:
        """The last place at which the predicate is false, if that makes the property false; else None.

        Args:
            values: the predicate's value at each place of the run; None where it has none.
            loop: the place to which the run goes back; None if it does not.
            premises: the values of its premise, if it has one; the place is then one where that holds.
        """
        if self.falsified in (Falsified.LAST, Falsified.FIRST):
            place = 0 if self.falsified is Falsified.FIRST else len(values) - 1
            return place if values[place] is False else None
        if loop is None and self.falsified is not Falsified.SOMEWHERE:
            return None
        if self.falsified is Falsified.AFTER:
            asked = (place for place, premise in enumerate(premises) if premise)
            return next((x for x in asked if all(values[i] is False for i in _after(x, loop, values))), None)
        whole = self.falsified in (Falsified.SOMEWHERE, Falsified.EVERYWHERE)
        start = 0 if whole else loop or 0
        false = [place for place in range(start, len(values)) if values[place] is False]
        somewhere = self.falsified in (Falsified.SOMEWHERE, Falsified.SOMEWHERE_IN_THE_LOOP)
        return false[-1] if false and (somewhere or len(false) == len(values) - start) else None


def _after(place: int, loop: int | None, values: Sequence[object]) -> range:
    """The places that a run visits from a place on."""
    return range(place if loop is None else min(place, loop), len(values))


def demands(about: Property) -> list[Demand]:
    """The predicates that a property demands, as far as they can be blamed one by one."""
    if about.temporal is None:
        return [Demand(about.formula, Falsified.LAST)]
    return list(_demands(expanded(about.temporal)))


def narrowed(model: Model, trace: Trace, formula: Temporal) -> tuple[tuple[str, ...], Temporal]:
    """A part of a claim about runs that suffices to make it false of a run.

    Returns:
        The values of the quantifiers around the part, such as `c = c1`, and the part.
    """
    runs, visited = Runs(Semantics(model)), list(states(trace))
    chosen: list[str] = []

    def fails(item: Temporal) -> bool:
        try:
            if trace.loop is not None:
                return not satisfies(runs, item, word_of(trace))
            return is_refuted(runs, item, visited)
        except OutOfBounds:
            return False

    while True:
        match formula:
            case Both(items=items, names=names):
                place = next((place for place, item in enumerate(items) if fails(item)), None)
                if place is None:
                    return tuple(chosen), formula
                chosen += filter(None, names[place : place + 1])
                formula = items[place]
            case Either(items=(Negated(), conclusion)):
                formula = conclusion
            case Always(item=Both(items=items, names=names)):
                formula = Both(tuple(map(Always, items)), names)
            case Always(item=Always() | LeadsTo() as item):
                formula = item
            case _:
                return tuple(chosen), formula


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
        case LeadsTo(premise=Holds(node=premise), conclusion=Holds(node=node)):
            yield Demand(node, Falsified.AFTER, premise)


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
        place: the number of the last state in which it is false, or of the state after the last such step; of a
            predicate with a premise, of the first state after which it is never true though the premise was.
        chosen: the values of the quantifiers around it, for which the property is false, such as `c = c1`.
    """

    demand: Demand
    explainer: Explainer
    place: int
    chosen: tuple[str, ...] = ()


def blame(model: Model, trace: Trace) -> Blame | None:
    """The first predicate that makes the property of a trace false, or None."""
    about = model.properties.get(trace.property or "")
    if trace.ends is not TraceEnd.VIOLATES or trace.last is None or about is None:
        return None
    chosen: tuple[str, ...] = ()
    asked = demands(about)
    if about.temporal is not None:
        chosen, part = narrowed(model, trace, expanded(about.temporal))
        asked = list(_demands(part))
    visited = list(states(trace))
    for demand in asked:
        explainer = Explainer(model, demand.formula)
        values, premises = _values(explainer, visited), list[bool | None]()
        if demand.premise is not None:
            premises = _values(Explainer(model, demand.premise), visited)
        place = demand.refuted(values, trace.loop, premises)
        if place is not None:
            return Blame(demand, explainer, place, chosen)
    return None


def _values(explainer: Explainer, visited: Sequence[State]) -> list[bool | None]:
    return [None if view is None else explainer.value(view) for view in explainer.views(visited)]


def explanation(model: Model, trace: Trace) -> Reason | None:
    """The reason why the property of a trace is false; None if it ends otherwise, or no predicate is to blame.

    If the property is about runs, the reason has the number of the state or the step that it is about, and the
    values of the quantifiers for which the property is false.
    """
    found = blame(model, trace)
    if found is None:
        return _of_quantifiers(model, trace)
    visited = list(states(trace))
    view = found.explainer.views(visited)[found.place]
    assert view is not None
    reason = found.explainer.reason(view)
    if found.demand.falsified is Falsified.LAST:
        return reason
    if found.demand.premise is None:
        kind = "step" if is_step(found.demand.formula) else "state"
        return _chosen(replace(reason, chosen=(kind, str(found.place))), found.chosen)
    after = _after(found.place, trace.loop, visited)
    premise = Explainer(model, found.demand.premise).reason(visited[found.place])
    span = f"each of {after[0]} to {after[-1]}" if len(after) > 1 else str(after[0])
    parts = replace(premise, chosen=("state", str(found.place))), replace(reason, chosen=("state", span))
    text = f"{premise.formula} ~> {reason.formula}"
    return _chosen(Reason(text, "FALSE", parts=parts), found.chosen)


def _of_quantifiers(model: Model, trace: Trace) -> Reason | None:
    """The values of quantifiers for which a claim about runs is false, where no predicate is to blame."""
    about = model.properties.get(trace.property or "")
    if trace.ends is not TraceEnd.VIOLATES or about is None or about.temporal is None:
        return None
    chosen, _ = narrowed(model, trace, expanded(about.temporal))
    return _chosen(Reason(about.tla, "FALSE"), chosen) if chosen else None


def _chosen(reason: Reason, values: Sequence[str]) -> Reason:
    for value in reversed(values):
        name, _, shown = value.partition(" = ")
        if reason.chosen is None:
            reason = replace(reason, chosen=(name, shown))
        else:
            reason = Reason(reason.formula, reason.value, parts=(reason,), chosen=(name, shown))
    return reason
