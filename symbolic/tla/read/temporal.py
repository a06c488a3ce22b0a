"""Temporal formulas of modules as those of the language."""

from __future__ import annotations

from collections.abc import Callable

from leadline.symbolic.lang import Always, Both, Either, Eventually, LeadsTo, Negated, Temporal
from leadline.symbolic.tla.read import syntax as s


def connected(
    e: s.Expression,
    formula: Callable[[s.Expression], Temporal],
    steps: Callable[[s.Subscripted], Temporal],
    decided: Callable[[s.Expression], bool | None],
) -> Temporal | None:
    """A formula that an operator or IF makes of others; None of any other expression.

    Args:
        e: the formula.
        formula: gives the meaning of a part.
        steps: gives the formula about the steps `<<A>>_v`.
        decided: gives the truth of a constant formula. What one decides is left out, so that fairness is told from
            other premises: `IF Strong THEN SF_v(A) ELSE WF_v(A)`, `Fair => WF_v(A)`.
    """
    match e:
        case s.Apply("/\\", items):
            return Both(tuple(map(formula, items)))
        case s.Apply("\\/", items):
            return Either(tuple(map(formula, items)))
        case s.Apply("~", (item,)):
            return Negated(formula(item))
        case s.Apply("=>", (left, right)) if decided(left):
            return formula(right)
        case s.Case(((test, then),), s.Expression() as other) if (known := decided(test)) is not None:
            return formula(then if known else other)
        case s.Apply("=>", (left, right)):
            return Either((Negated(formula(left)), formula(right)))
        case s.Apply("<=>", (left, right)):
            a, b = formula(left), formula(right)
            return Both((Either((Negated(a), b)), Either((Negated(b), a))))
        case s.Apply("~>", (left, right)):
            return LeadsTo(formula(left), formula(right))
        case s.Apply("[]", (s.Subscripted("[]_", action, subscript),)):
            negation = s.Apply("~", (action,), place=e.place)
            return Always(Negated(steps(s.Subscripted("<<>>_", negation, subscript, place=e.place))))
        case s.Apply("<>", (s.Subscripted("<<>>_") as step,)):
            return Eventually(steps(step))
        case s.Apply("[]", (item,)):
            return Always(formula(item))
        case s.Apply("<>", (item,)):
            return Eventually(formula(item))
        case s.Case(((test, then),), s.Expression() as other):
            holds, *arms = map(formula, (test, then, other))
            return Either((Both((holds, arms[0])), Both((Negated(holds), arms[1]))))
    return None
