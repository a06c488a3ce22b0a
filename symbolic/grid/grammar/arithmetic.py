"""Exact values of sympy expressions over a point of the parameters.

An expression is turned into nested Python functions, one for each node: no text is made of it and none run.
`sympify`, `lambdify` and `subs` are not used: the first two evaluate text, the last takes a millisecond.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import sympy
from sympy.core.symbol import Str

from leadline.symbolic.encode.values import ONE_HOT_LIMIT
from leadline.symbolic.lang import InternalError

Values = Mapping[str, Any]
"""The parameters' values by name."""

Evaluator = Callable[[Values], Any]
"""Gives the value of an expression at a point."""


class FloorDiv(sympy.Function):  # type: ignore[misc]  # sympy has no annotations
    """The quotient rounded down, as Python's `//`."""

    nargs = 2


class Remainder(sympy.Function):  # type: ignore[misc]  # sympy has no annotations
    """What `FloorDiv` leaves, as Python's `%`: its sign is the divisor's."""

    nargs = 2


class Choice(sympy.Function):  # type: ignore[misc]  # sympy has no annotations
    """The literals that encode one of so many named values: none, one or, one-hot, as many as there are."""

    nargs = 1

    @classmethod
    def eval(cls, count: Any) -> Any:
        return sympy.Integer(choice(int(count))) if count.is_Integer else None


class Number(sympy.Function):  # type: ignore[misc]  # sympy has no annotations
    """The literals that encode one of so many successive integers: one-hot if they are few, else binary."""

    nargs = 1

    @classmethod
    def eval(cls, count: Any) -> Any:
        return sympy.Integer(number(int(count))) if count.is_Integer else None


def choice(count: int) -> int:
    """The value of `Choice`.

    >>> [choice(count) for count in (1, 2, 3, 4)]
    [0, 1, 3, 4]
    """
    return max(0, count - 1) if count <= 2 else count


def number(count: int) -> int:
    """The value of `Number`.

    >>> [number(count) for count in (2, 3, 4, 65)]
    [1, 3, 2, 7]
    """
    return choice(count) if count <= ONE_HOT_LIMIT else (count - 1).bit_length()


def evaluator(expression: Any) -> Evaluator:
    """The function that gives an expression's value at a point.

    A division by zero has no value (`ZeroDivisionError`), and neither has what depends on one: `and` and `or`
    do not where another operand decides, whichever comes first.

    Args:
        expression: of integers, names, texts, truth values, and the operations of constraints and sizes.
    """
    match expression:
        case sympy.Symbol():
            return operator.itemgetter(expression.name)
        case Str():
            return _constant(expression.name)
        case sympy.Integer():
            return _constant(int(expression))
        case sympy.Rational():
            return _constant(float(expression))
        case sympy.logic.boolalg.BooleanAtom():
            return _constant(bool(expression))
    parts = tuple(map(evaluator, expression.args))
    match expression:
        case sympy.And():
            return _deciding(parts, False)
        case sympy.Or():
            return _deciding(parts, True)
        case sympy.Not():
            return lambda values: not parts[0](values)
    return _strict(expression, parts)


_OPERATIONS: dict[Any, Callable[..., Any]] = {
    FloorDiv: operator.floordiv,
    Remainder: operator.mod,
    Choice: choice,
    Number: number,
    sympy.Pow: operator.pow,
    sympy.Eq: operator.eq,
    sympy.Ne: operator.ne,
    sympy.Lt: operator.lt,
    sympy.Le: operator.le,
    sympy.Gt: operator.gt,
    sympy.Ge: operator.ge,
}
_FOLDS: dict[Any, Callable[..., Any]] = {
    sympy.Add: operator.add,
    sympy.Mul: operator.mul,
    sympy.Min: min,
    sympy.Max: max,
}


def _strict(expression: Any, parts: tuple[Evaluator, ...]) -> Evaluator:
    """An operation that needs all its operands."""
    if (fold := _FOLDS.get(expression.func)) is not None:
        return lambda values: reduce(fold, [part(values) for part in parts])
    if (operation := _OPERATIONS.get(expression.func)) is None:
        raise InternalError(f"no value is defined for {expression.func} in {expression}")
    if len(parts) == 1:
        return lambda values: operation(parts[0](values))
    left, right = parts
    return lambda values: operation(left(values), right(values))


def _constant(value: Any) -> Evaluator:
    return lambda values: value


def _deciding(parts: tuple[Evaluator, ...], decided: bool) -> Evaluator:
    """A conjunction (decided by a false operand) or a disjunction (by a true one)."""

    def value(values: Values) -> bool:
        failed: ZeroDivisionError | None = None
        for part in parts:
            try:
                if bool(part(values)) is decided:
                    return decided
            except ZeroDivisionError as error:
                failed = error
        if failed is not None:
            raise failed
        return not decided

    return value
