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

from leadline.symbolic.grid.query import ParameterValues

LONGEST = 4
"""The most tests in a condition."""

_ALTERNATIVES = 4
_WORK = 2_000_000  # the most pairs of conditions joined for one length: some seconds

_Tree: TypeAlias = "str | tuple[str, _Tree, _Tree]"
"""A test, or two trees joined by "and" or "or"."""

_Sets = dict[int, _Tree]
"""A condition for each set of points where it holds; a set has one bit for each point."""


def separate(violated: Sequence[ParameterValues], others: Sequence[ParameterValues]) -> list[str]:
    """The simplest conditions that hold at the violated points and at no other.

    Args:
        violated: the points where the property is violated, at least one.
        others: the points where it is not, at least one.

    Returns:
        Conditions in the syntax of constraints in grid files, all with the same number of tests; the first is the
        one to show. Empty if no condition of at most `LONGEST` tests fits.
    """
    points = [*violated, *others]
    target = (1 << len(violated)) - 1
    trees = _shortest(list(_tests(points)), target, (1 << len(points)) - 1)
    return list(dict.fromkeys(map(_text, trees)))


def _tests(points: Sequence[ParameterValues]) -> Iterator[tuple[int, str, str]]:
    """The tests of each parameter, thresholds first: the set of points where it holds, the parameter, its text."""
    for name in sorted({name for point in points for name in point}):
        values = [point.get(name) for point in points]
        if None in values:
            continue  # a test needs a value at every point
        for text, held in _tests_of(name, values):
            yield sum(1 << place for place, holds in enumerate(held) if holds), name, text


def _tests_of(name: str, values: Sequence[Any]) -> Iterator[tuple[str, list[bool]]]:
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        yield name, list(values)
        yield f"not {name}", [not value for value in values]
        return
    distinct = sorted(set(values)) if len(kinds) == 1 else []
    thresholds = distinct if kinds == {int} else []
    relations: list[tuple[str, Callable[[Any, Any], bool], list[Any]]] = [
        (">=", operator.ge, thresholds[1:]),
        ("<=", operator.le, thresholds[:-1]),
        ("==", operator.eq, distinct),
        ("!=", operator.ne, distinct),
    ]
    for sign, holds, bounds in relations:
        for bound in bounds:
            shown = f'"{bound}"' if isinstance(bound, str) else bound
            yield f"{name} {sign} {shown}", [holds(value, bound) for value in values]


def _shortest(tests: Sequence[tuple[int, str, str]], target: int, everything: int) -> list[_Tree]:
    """The shortest conditions that hold at exactly the target."""
    alone: dict[str, _Tree] = {}
    for bits, name, text in tests:
        if bits == target:
            alone.setdefault(name, text)
    if alone:
        return [*alone.values()][:_ALTERNATIVES]
    first: _Sets = {}
    for bits, _, text in tests:
        first.setdefault(bits, text)
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
        for join in ("and", "or"):
            sides = [
                [x for x in by_length[size].items() if x[0] & target == (target if join == "and" else x[0])]
                for size in (shorter, length - shorter)
            ]
            for place, (left, one) in enumerate(sides[0]):
                # Where both sides are of one length, each pair comes once.
                for right, other in sides[1][place + 1 if 2 * shorter == length else 0 :]:
                    if (left & right if join == "and" else left | right) == target:
                        yield join, one, other


def _larger(by_length: Sequence[_Sets], length: int, seen: set[int]) -> _Sets | None:
    """The sets that need this number of tests; None if there are too many to go on."""
    found: _Sets = {}
    for shorter in range(1, length // 2 + 1):
        left, right = by_length[shorter], by_length[length - shorter]
        if len(left) * len(right) > _WORK:
            return None
        for (bits, one), (others, other) in product(left.items(), right.items()):
            for join, both in (("and", bits & others), ("or", bits | others)):
                if both not in seen:
                    seen.add(both)
                    found[both] = (join, one, other)
    return found


def _text(tree: _Tree) -> str:
    """The text of a condition; parts in parentheses come last.

    >>> _text(("and", ("or", "a", "b"), ("and", "n >= 3", "not fast")))
    'n >= 3 and not fast and (a or b)'
    """
    if isinstance(tree, str):
        return tree
    parts = sorted(_operands(tree, tree[0]), key=lambda text: (text[0] == "(", text))
    return f" {tree[0]} ".join(parts)


def _operands(tree: tuple[str, _Tree, _Tree], join: str) -> Iterator[str]:
    """The operands of a tree; those of an `and` within an `and` are its own."""
    for part in tree[1:]:
        if isinstance(part, tuple) and part[0] == join:
            yield from _operands(part, join)
        else:
            yield part if isinstance(part, str) else f"({_text(part)})"
