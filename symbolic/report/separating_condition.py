"""The simplest condition on the parameters that holds at exactly the points where a property is violated.

Conditions are built from thresholds and equalities of single parameters with `and` and `or`. They are
enumerated by their number of tests, and for each set of points only the first condition is kept, so the
condition found has the fewest tests possible. This is bottom-up enumeration modulo observational equivalence,
as in program synthesis (Udupa et al., PLDI 2013); the points are the observations.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Any, TypeAlias

import sympy
from sympy.core.symbol import Str

from leadline.symbolic.grid.query import ParameterValues
from leadline.symbolic.lang import InternalError

Condition: TypeAlias = Any
"""A Boolean of sympy, which has no types."""

LONGEST = 4
"""The most tests in a condition."""

_ALTERNATIVES = 4
_WORK = 2_000_000  # the most pairs of conditions joined for one length: some seconds


def separate(violated: Sequence[ParameterValues], others: Sequence[ParameterValues]) -> list[Condition]:
    """The simplest conditions that hold at the violated points and at no other.

    Args:
        violated: the points where the property is violated, at least one.
        others: the points where it is not, at least one.

    Returns:
        Sympy Booleans over the parameters' names, all with the same number of tests; the first is the one to show.
        Empty if no condition of at most `LONGEST` tests fits.
    """
    points = [*violated, *others]
    target = (1 << len(violated)) - 1
    trees = _shortest(list(_tests(points)), target, (1 << len(points)) - 1)
    found = list(dict.fromkeys(_built(tree) for tree in trees))
    for condition in found:
        # By the exact meaning: the search has only bit sets.
        if [holds_at(condition, point) for point in points] != [True] * len(violated) + [False] * len(others):
            raise InternalError(f"the condition {condition} does not separate the points it was found for")
    return found


_RELATIONS: dict[type, Callable[[Any, Any], bool]] = {
    sympy.Ge: operator.ge,
    sympy.Le: operator.le,
    sympy.Eq: operator.eq,
    sympy.Ne: operator.ne,
}


def holds_at(condition: Condition, point: ParameterValues) -> bool:
    """Whether a condition that `separate` has found holds at a point. sympy's own `subs` takes a millisecond.

    >>> holds_at(sympy.Ge(sympy.Symbol("n"), 3) & sympy.Symbol("fast"), {"n": 3, "fast": True})
    True
    """
    match condition:
        case sympy.And():
            return all(holds_at(part, point) for part in condition.args)
        case sympy.Or():
            return any(holds_at(part, point) for part in condition.args)
        case sympy.Not():
            return not holds_at(condition.args[0], point)
        case sympy.Symbol():
            return bool(point[condition.name])
    left, right = condition.args
    value = right.name if isinstance(right, Str) else int(right)
    return bool(_RELATIONS[condition.func](point[left.name], value))


_Tree: TypeAlias = Condition | tuple[type, Any, Any]
"""A test, or (sympy.And or sympy.Or, tree, tree): millions of sympy's own objects would cost too much."""

_Sets = dict[int, _Tree]
"""A condition for each set of points where it holds; a set has one bit for each point."""


def _tests(points: Sequence[ParameterValues]) -> Iterator[tuple[int, Condition]]:
    """The tests of each parameter, thresholds first, with the set of points where each holds."""
    for name in sorted({name for point in points for name in point}):
        values = [point.get(name) for point in points]
        if None in values:
            continue  # a test needs a value at every point
        for condition, held in _tests_of(sympy.Symbol(name), values):
            yield sum(1 << place for place, holds in enumerate(held) if holds), condition


def _tests_of(symbol: Condition, values: Sequence[Any]) -> Iterator[tuple[Condition, list[bool]]]:
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        yield symbol, list(values)
        yield sympy.Not(symbol), [not value for value in values]
        return
    distinct = sorted(set(values)) if len(kinds) == 1 else []
    if kinds == {int}:
        for bound in distinct[1:]:
            yield sympy.Ge(symbol, bound), [value >= bound for value in values]
        for bound in distinct[:-1]:
            yield sympy.Le(symbol, bound), [value <= bound for value in values]
    constants = [(one, sympy.Integer(one) if kinds == {int} else Str(one)) for one in distinct]
    for one, constant in constants:
        yield sympy.Eq(symbol, constant, evaluate=False), [value == one for value in values]
    for one, constant in constants:
        yield sympy.Ne(symbol, constant, evaluate=False), [value != one for value in values]


def _shortest(tests: Sequence[tuple[int, Condition]], target: int, everything: int) -> list[_Tree]:
    """The shortest conditions that hold at exactly the target."""
    alone: dict[Condition, Condition] = {}
    for bits, condition in tests:
        if bits == target:
            alone.setdefault(condition.free_symbols.copy().pop(), condition)
    if alone:
        return [*alone.values()][:_ALTERNATIVES]
    first: _Sets = {}
    for bits, condition in tests:
        first.setdefault(bits, condition)
    seen = {0, everything, *first}
    by_length: list[_Sets] = [{}, {bits: tree for bits, tree in first.items() if bits not in (0, everything)}]
    for length in range(2, LONGEST + 1):
        if found := list(islice(_joined(by_length, length, target), _ALTERNATIVES)):
            return found
        if length == LONGEST or (larger := _larger(by_length, length, seen)) is None:
            break
        by_length.append(larger)
    return []


def _joined(by_length: Sequence[_Sets], length: int, target: int) -> Iterator[_Tree]:
    """The conditions of that length that hold at exactly the target.

    An outermost `or` joins subsets of the target, an outermost `and` supersets.
    """
    for shorter in range(1, length // 2 + 1):
        for join in (sympy.And, sympy.Or):
            sides = [
                [item for item in by_length[size].items() if _may_join(join, item[0], target)]
                for size in (shorter, length - shorter)
            ]
            for place, (left, one) in enumerate(sides[0]):
                # Where both sides are of one length, each pair comes once.
                for right, other in sides[1][place + 1 if 2 * shorter == length else 0 :]:
                    if (left & right if join is sympy.And else left | right) == target:
                        yield join, one, other


def _may_join(join: type, bits: int, target: int) -> bool:
    return bits & target == (target if join is sympy.And else bits)


def _larger(by_length: Sequence[_Sets], length: int, seen: set[int]) -> _Sets | None:
    """The sets that need this number of tests; None if there are too many to go on."""
    found: _Sets = {}
    for shorter in range(1, length // 2 + 1):
        left, right = by_length[shorter], by_length[length - shorter]
        if len(left) * len(right) > _WORK:
            return None
        for (bits, one), (others, other) in product(left.items(), right.items()):
            for join, both in ((sympy.And, bits & others), (sympy.Or, bits | others)):
                if both not in seen:
                    seen.add(both)
                    found[both] = (join, one, other)
    return found


def _built(tree: _Tree) -> Condition:
    """The sympy Boolean of a tree."""
    if not isinstance(tree, tuple):
        return tree
    join = tree[0]
    return join(*_operands(tree, join), evaluate=False)


def _operands(tree: _Tree, join: type) -> Iterator[Condition]:
    """The operands of a tree; those of an `and` within an `and` are its own."""
    for part in tree[1:]:
        if isinstance(part, tuple) and part[0] is join:
            yield from _operands(part, join)
        else:
            yield _built(part)


def condition_text(condition: Condition) -> str:
    """A condition as text, in the syntax of constraints in grid files.

    >>> n, fast = sympy.symbols("n fast")
    >>> condition_text(sympy.And(sympy.Ge(n, 3), sympy.Not(fast)))
    'n >= 3 and not fast'
    """
    match condition:
        case sympy.And() | sympy.Or():
            word = " and " if isinstance(condition, sympy.And) else " or "
            return word.join(sorted(map(_within, condition.args), key=lambda text: (text[0] == "(", text)))
        case sympy.Not():
            return f"not {condition_text(condition.args[0])}"
        case sympy.core.relational.Relational():
            left, right = condition.args
            value = f'"{right.name}"' if isinstance(right, Str) else str(right)
            return f"{left} {condition.rel_op} {value}"
    return str(condition)


def _within(condition: Condition) -> str:
    text = condition_text(condition)
    return f"({text})" if isinstance(condition, sympy.And | sympy.Or) else text
