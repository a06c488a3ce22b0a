"""The simplest condition on the parameters that holds at exactly the points where a property is violated.

Conditions are built from thresholds and equalities of single parameters with `and` and `or`. They are
enumerated by their number of tests, and for each set of points only the first condition is kept, so the
condition found has the fewest tests possible. This is bottom-up enumeration modulo observational equivalence,
as in program synthesis (Udupa et al., PLDI 2013); the points are the observations.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, NamedTuple, TypeAlias

from leadline.symbolic.grid.query import ParameterValues
from leadline.symbolic.lang import InternalError, Setting

LONGEST = 4
"""The most tests in a condition."""

_ALTERNATIVES = 4
_WORK = 2_000_000  # the most pairs of conditions joined for one length: some seconds
_SIGNS: dict[str, Any] = {">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne}


class ParameterTest(NamedTuple):
    """A comparison of a parameter with a value by a sign, such as `>=`."""

    name: str
    sign: str
    value: Setting


class Compound(NamedTuple):
    """Conditions joined by a word, "and" or "or"; without any, it is true or false."""

    word: str
    parts: frozenset[Condition] = frozenset()


Condition: TypeAlias = "ParameterTest | Compound"


@dataclass(frozen=True)
class Separation:
    """Conditions that hold at exactly the violated points.

    Attributes:
        conditions: conditions with the same number of tests; the first is the one to show. None if no condition
            of at most `LONGEST` tests fits.
        length: the number of tests in each; 0 for true and false.
    """

    conditions: tuple[Condition, ...]
    length: int = 0


def separate(violated: Sequence[ParameterValues], others: Sequence[ParameterValues]) -> Separation:
    """The simplest conditions that hold at the violated points and at no other.

    Args:
        violated: the points where the property is violated.
        others: the points where it is not.
    """
    points = [*violated, *others]
    if not violated or not others:
        return Separation((Compound("and" if violated else "or"),))
    length, found = _shortest(list(_tests(points)), (1 << len(violated)) - 1, (1 << len(points)) - 1)
    for condition in found:
        # By the exact meaning: the search has only bit sets.
        if [holds_at(condition, point) for point in points] != [True] * len(violated) + [False] * len(others):
            raise InternalError(f"the condition {condition} does not separate the points it was found for")
    return Separation(tuple(dict.fromkeys(found)), length)


def holds_at(condition: Condition, point: ParameterValues) -> bool:
    """Whether a condition holds at a point.

    >>> holds_at(Compound("or", frozenset({ParameterTest("n", ">=", 3)})), {"n": 3, "fast": False})
    True
    """
    if isinstance(condition, Compound):
        held = (holds_at(part, point) for part in condition.parts)
        return all(held) if condition.word == "and" else any(held)
    return bool(_SIGNS[condition.sign](point[condition.name], condition.value))


_Sets = dict[int, Condition]
"""A condition for each set of points where it holds; a set has one bit for each point."""


def _tests(points: Sequence[ParameterValues]) -> Iterator[tuple[int, ParameterTest]]:
    """The tests of each parameter, thresholds first, with the set of points where each holds."""
    for name in sorted({name for point in points for name in point}):
        values = [value for point in points if (value := point.get(name)) is not None]
        kinds = {type(value) for value in values}
        if len(values) < len(points) or len(kinds) > 1:
            continue  # a test needs a value at every point
        for sign, value in _comparisons(sorted(set(values)), kinds.pop()):
            test = ParameterTest(name, sign, value)
            yield sum(1 << place for place, point in enumerate(points) if holds_at(test, point)), test


def _comparisons(values: Sequence[Any], kind: type) -> Iterator[tuple[str, Setting]]:
    """The comparisons that tell values of one kind apart, in the order in which conditions prefer them."""
    if kind is bool:
        yield from (("==", True), ("==", False))
        return
    if kind is int:
        yield from ((">=", bound) for bound in values[1:])
        yield from (("<=", bound) for bound in values[:-1])
    yield from product(("==", "!="), values)


def _shortest(
    tests: Sequence[tuple[int, ParameterTest]], target: int, everything: int
) -> tuple[int, Sequence[Condition]]:
    """The shortest conditions that hold at exactly the target, and their number of tests."""
    alone: dict[str, Condition] = {}
    first: _Sets = {}
    for bits, test in tests:
        first.setdefault(bits, test)
        if bits == target:
            alone.setdefault(test.name, test)
    if alone:
        return 1, [*alone.values()][:_ALTERNATIVES]
    seen = {0, everything, *first}
    by_length: list[_Sets] = [{}, {bits: test for bits, test in first.items() if bits not in (0, everything)}]
    for length in range(2, LONGEST + 1):
        if found := list(islice(_joined(by_length, length, target), _ALTERNATIVES)):
            return length, found
        if length == LONGEST or (larger := _larger(by_length, length, seen)) is None:
            break
        by_length.append(larger)
    return 0, []


def _joined(by_length: Sequence[_Sets], length: int, target: int) -> Iterator[Condition]:
    """The conditions of that length that hold at exactly the target.

    An outermost `or` joins subsets of the target, an outermost `and` supersets.
    """
    for shorter in range(1, length // 2 + 1):
        for word in ("and", "or"):
            sides = [
                [x for x in by_length[size].items() if x[0] & target == (target if word == "and" else x[0])]
                for size in (shorter, length - shorter)
            ]
            for place, (left, one) in enumerate(sides[0]):
                # Where both sides are of one length, each pair comes once.
                for right, other in sides[1][place + 1 if 2 * shorter == length else 0 :]:
                    if (left & right if word == "and" else left | right) == target:
                        yield _join(word, one, other)


def _larger(by_length: Sequence[_Sets], length: int, seen: set[int]) -> _Sets | None:
    """The sets that need this number of tests; None if there are too many to go on."""
    found: _Sets = {}
    for shorter in range(1, length // 2 + 1):
        left, right = by_length[shorter], by_length[length - shorter]
        if len(left) * len(right) > _WORK:
            return None
        for (bits, one), (others, other) in product(left.items(), right.items()):
            for word, both in (("and", bits & others), ("or", bits | others)):
                if both not in seen:
                    seen.add(both)
                    found[both] = _join(word, one, other)
    return found


def _join(word: str, *conditions: Condition) -> Compound:
    """Conditions joined by a word; the parts of one that it joins already become its own."""
    own = (x.parts if isinstance(x, Compound) and x.word == word else {x} for x in conditions)
    return Compound(word, frozenset().union(*own))


def condition_text(condition: Condition) -> str:
    """A condition as text, in the syntax of constraints in grid files.

    >>> condition_text(Compound("and", frozenset({ParameterTest("n", ">=", 3), ParameterTest("fast", "==", False)})))
    'n >= 3 and not fast'
    """
    if isinstance(condition, Compound):
        texts = (
            condition_text(x) if isinstance(x, ParameterTest) else f"({condition_text(x)})"
            for x in condition.parts
        )
        told = f" {condition.word} ".join(sorted(texts, key=lambda text: (text[0] == "(", text)))
        return told or ("true" if condition.word == "and" else "false")
    if isinstance(condition.value, bool):
        return condition.name if condition.value else f"not {condition.name}"
    value = f'"{condition.value}"' if isinstance(condition.value, str) else condition.value
    return f"{condition.name} {condition.sign} {value}"
