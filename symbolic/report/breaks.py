"""Where a property breaks: the simplest condition on the parameters that tells violated points from others.

Conditions are built from thresholds and equalities of single parameters with `and` and `or`. Those of one
test come first, then those of two, and so on, each set of points that can be picked out being kept once: what
is found has the fewest tests there can be. This is bottom-up enumeration modulo observational equivalence, as
in program synthesis (Udupa et al., PLDI 2013), the observations being the points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import sympy
from sympy.core.symbol import Str

from leadline.symbolic.grid.grammar.arithmetic import evaluator
from leadline.symbolic.lang import InternalError
from leadline.symbolic.lang.parameters import Setting

Point = Mapping[str, Setting | None]
"""The parameters' values by name."""

LONGEST = 4
"""How many tests a condition may have."""

_ALTERNATIVES = 4
_WORK = 2_000_000  # pairs of conditions that are joined for one length: some seconds


@dataclass(frozen=True)
class Separation:
    """Conditions that hold at exactly the violated points.

    Attributes:
        conditions: sympy Booleans over the parameters' names, all of the same length, the first the one to
            tell; none if no condition of at most `LONGEST` tests fits.
        length: of how many tests each consists; 0 for true and false.
    """

    conditions: tuple[Any, ...]
    length: int = 0


def separate(violated: Sequence[Point], others: Sequence[Point]) -> Separation:
    """The simplest conditions that hold at the violated points and at no other.

    Args:
        violated: the points where the property is violated.
        others: the points where it is not.
    """
    points = [*violated, *others]
    target = (1 << len(violated)) - 1
    if not violated or not others:
        return Separation((sympy.true if violated else sympy.false,))
    length, trees = _shortest(list(_tests(points)), target, (1 << len(points)) - 1)
    found = tuple(dict.fromkeys(_built(tree) for tree in trees))
    for condition in found:
        _verify(condition, violated, others)
    return Separation(found, length)


def _verify(condition: Any, violated: Sequence[Point], others: Sequence[Point]) -> None:
    """See with the exact meaning of conditions that it separates: the search knows only its bit sets."""
    holds = evaluator(condition)
    if not all(holds(point) for point in violated) or any(holds(point) for point in others):
        raise InternalError(f"the condition {condition} does not separate the points it was found for")


_Tree = Any
"""A test, or (sympy.And or sympy.Or, tree, tree): sympy's objects cost too much to make by the million."""

_Sets = dict[int, _Tree]
"""A condition for each set of points that it picks out, with a bit for each point."""


def _tests(points: Sequence[Point]) -> Iterator[tuple[int, Any]]:
    """The tests of one parameter, thresholds first, with the points that each picks out."""
    for name in sorted({name for point in points for name in point}):
        values = [point.get(name) for point in points]
        if None in values:
            continue  # a parameter that is not set everywhere says nothing of where it is not
        for condition, held in _tests_of(sympy.Symbol(name), values):
            yield sum(1 << place for place, holds in enumerate(held) if holds), condition


def _tests_of(symbol: Any, values: Sequence[Any]) -> Iterator[tuple[Any, list[bool]]]:
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


def _shortest(tests: Sequence[tuple[int, Any]], target: int, everything: int) -> tuple[int, list[_Tree]]:
    """The shortest conditions that pick out the target, and of how many tests they are."""
    alone: dict[Any, Any] = {}
    for bits, condition in tests:
        if bits == target:
            alone.setdefault(condition.free_symbols.copy().pop(), condition)
    if alone:
        return 1, [*alone.values()][:_ALTERNATIVES]
    first: _Sets = {}
    for bits, condition in tests:
        first.setdefault(bits, condition)
    seen = {0, everything, *first}
    by_length: list[_Sets] = [{}, {bits: tree for bits, tree in first.items() if bits not in (0, everything)}]
    for length in range(2, LONGEST + 1):
        if found := list(islice(_joined(by_length, length, target), _ALTERNATIVES)):
            return length, found
        if length == LONGEST or (larger := _larger(by_length, length, seen)) is None:
            break
        by_length.append(larger)
    return 0, []


def _joined(by_length: Sequence[_Sets], length: int, target: int) -> Iterator[_Tree]:
    """The conditions of that length that pick out the target.

    If the last thing done is an `or`, it joins subsets of the target; if it is an `and`, supersets.
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


def _may_join(join: Any, bits: int, target: int) -> bool:
    return bits & target == (target if join is sympy.And else bits)


def _larger(by_length: Sequence[_Sets], length: int, seen: set[int]) -> _Sets | None:
    """The sets that so many tests pick out, and no fewer; None if there are too many to go on."""
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


def _built(tree: _Tree) -> Any:
    """The sympy Boolean of a tree."""
    if not isinstance(tree, tuple):
        return tree
    join = tree[0]
    return join(*_operands(tree, join), evaluate=False)


def _operands(tree: _Tree, join: Any) -> Iterator[Any]:
    """What a tree joins, an `and` within an `and` being one with it."""
    for part in tree[1:]:
        if isinstance(part, tuple) and part[0] is join:
            yield from _operands(part, join)
        else:
            yield _built(part)


def condition_text(condition: Any) -> str:
    """A condition in words, as a constraint of a grid file is written.

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
    return str(condition).lower() if condition in (sympy.true, sympy.false) else str(condition)


def _within(condition: Any) -> str:
    text = condition_text(condition)
    return f"({text})" if isinstance(condition, sympy.And | sympy.Or) else text
