"""Temporal formulas in the parts that the reductions take: safety apart from liveness, conjuncts, conditions."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.symbolic.lang import (
    Always,
    Both,
    Either,
    Eventually,
    ForEach,
    Happens,
    Holds,
    Negated,
    Temporal,
    instances,
    joined,
    nodes as n,
    normal,
)
from leadline.symbolic.lang.rules import negation


@dataclass(frozen=True)
class SafetyPart:
    """The part of a property that a finite run can violate.

    Attributes:
        initial: predicates over states that each initial state satisfies.
        states: predicates over states that each state satisfies.
        steps: predicates over steps of which no step that changes a variable satisfies any.
    """

    initial: tuple[n.Node, ...]
    states: tuple[n.Node, ...]
    steps: tuple[n.Node, ...]

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.initial or self.states or self.steps)


def split(formula: Temporal) -> tuple[SafetyPart, Temporal | None]:
    """A property as the conjunction of safety and of a formula in normal form; None if that is not needed."""
    found: dict[str, list[n.Node]] = {"initial": [], "states": [], "steps": []}
    rest: list[Temporal] = []
    waiting = [normal(formula)]
    while waiting:
        one = waiting.pop()
        match one:
            case Both(items=items):
                waiting += reversed(items)
            case ForEach(item=item) if not split(item)[0].empty:
                waiting += reversed(instances(one))
            case Holds(node=node):
                found["initial"].append(node)
            case Always(item=Both(items=items)):
                waiting += [Always(x) for x in reversed(items)]
            case Always(item=Holds(node=node)):
                found["states"].append(node)
            case Always(item=Negated(item=Happens(node=node))):
                found["steps"].append(node)
            case _:
                rest.append(one)
    safety = SafetyPart(*(tuple(x) for x in found.values()))
    return safety, joined(Both, rest) if rest else None


MOST_CONJUNCTS = 24
"""The most conjuncts that are proved one by one."""


def conjuncts(formula: Temporal) -> tuple[Temporal, ...]:
    """Formulas in normal form whose conjunction is the formula; the formula alone where they are too many.

    Where the last of some alternatives is a conjunction, as behind conditions of fairness, each of its conjuncts
    is that alternative in turn.
    """
    found = _conjuncts(formula)
    return tuple(found) if len(found) <= MOST_CONJUNCTS else (formula,)


def _conjuncts(formula: Temporal) -> list[Temporal]:
    match formula:
        case Both(items=items):
            return [x for item in items for x in _conjuncts(item)]
        case Either(items=(*others, Both() as last)):
            return [joined(Either, [*others, x]) for x in _conjuncts(last)]
    return [formula]


@dataclass(frozen=True)
class Strong:
    """A formula that says what strong fairness does: able infinitely often, taken infinitely often."""

    able: n.Node
    taken: Happens


def strong_premises(formula: Temporal) -> tuple[Temporal, list[Strong]]:
    """The conjuncts of the form `<>[]~able \\/ []<>taken`, apart from the rest.

    The fairness of a TLA+ specification is a premise of its claims: as conditions on runs these need neither
    variables nor choices of the monitor.
    """
    items = formula.items if isinstance(formula, Both) else (formula,)
    strong, rest = [], []
    for item in items:
        match item:
            case Either(
                items=(Eventually(item=Always(item=Holds(node=idle))), Always(item=Eventually(item=step)))
            ) if isinstance(step, Happens):
                strong.append(Strong(negation(idle), step))
            case _:
                rest.append(item)
    return Both(tuple(rest)), strong
