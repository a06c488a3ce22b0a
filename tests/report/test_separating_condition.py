"""Where a property breaks: the condition separates exactly, and none is shorter."""

import itertools
import operator
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import assume, given, strategies as st

from leadline.symbolic.conditions import Name, read_condition
from leadline.symbolic.grid.query import ParameterValues
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.report.separating_condition import separate

GRID: list[ParameterValues] = [
    {"replicas": replicas, "log": log, "variant": variant, "strict": strict}
    for replicas, log, variant, strict in itertools.product(
        (2, 3, 4, 5), (1, 2, 4), ("kip-101", "kip-279", "kip-320"), (False, True)
    )
]


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        (lambda x: x["replicas"] >= 3, "replicas >= 3"),
        (lambda x: x["replicas"] == 3, "replicas == 3"),
        (lambda x: x["replicas"] != 3, "replicas != 3"),
        (lambda x: not x["strict"], "not strict"),
        (lambda x: x["variant"] == "kip-101", 'variant == "kip-101"'),
        (lambda x: x["replicas"] >= 3 and x["log"] >= 2, "log >= 2 and replicas >= 3"),
        (lambda x: x["replicas"] <= 2 or x["strict"], "replicas <= 2 or strict"),
        (
            lambda x: x["strict"] and (x["log"] == 2 or x["variant"] != "kip-101"),
            'strict and (log == 2 or variant != "kip-101")',
        ),
    ],
)
def test_conditions(broken: Callable[[ParameterValues], bool], text: str) -> None:
    violated = [point for point in GRID if broken(point)]
    others = [point for point in GRID if not broken(point)]
    assert separate(violated, others)[0] == text


def test_no_simple_condition() -> None:
    odd = [point for point in GRID if (hash_of(point) % 2)]
    even = [point for point in GRID if not hash_of(point) % 2]
    assert separate(odd, even) == []


def hash_of(point: ParameterValues) -> int:
    """A parity of everything: as far from a threshold as can be."""
    return sum(int(str(value)[-1]) if isinstance(value, str) else int(value or 0) for value in point.values())


def test_all_that_fit_are_told() -> None:
    found = separate([{"a": 2, "b": 5, "c": "y"}], [{"a": 1, "b": 4, "c": "x"}])
    assert found == ["a >= 2", "b >= 5", 'c == "y"']


def test_points_that_cannot_be_told_apart() -> None:
    assert separate([{"a": 1}], [{"a": 1}]) == []
    assert separate([{}], [{}]) == []


def test_a_parameter_that_is_not_set_everywhere_is_no_ground() -> None:
    found = separate([{"a": None, "b": 2}], [{"a": 1, "b": 1}])
    assert found == ["b >= 2"]
    assert separate([{"a": 1}], [{"a": "x"}]) == []


VALUES: dict[str, Sequence[Setting]] = {
    "n": (1, 2, 3, 4),
    "m": (2, 3, 7),
    "v": ("x", "y", "z"),
    "on": (False, True),
}


@st.composite
def single(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(sorted(VALUES)))
    value = draw(st.sampled_from(VALUES[name]))
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if isinstance(value, str):
        return f'{name} {draw(st.sampled_from(("==", "!=")))} "{value}"'
    return f"{name} {draw(st.sampled_from(('>=', '<=', '==', '!=')))} {value}"


@st.composite
def planted(draw: st.DrawFn) -> tuple[int, str]:
    """A condition and the number of its tests."""
    count = draw(st.integers(1, 4))
    condition = draw(single())
    for _ in range(count - 1):
        condition = f"({condition}) {draw(st.sampled_from(('and', 'or')))} {draw(single())}"
    return count, condition


def holds_at(text: str, point: ParameterValues) -> bool:
    condition = read_condition(
        "a condition", text, lambda name: Name(operator.itemgetter(name), frozenset()), pytest.fail
    )
    assert condition is not None
    return condition.holds(point)


@given(planted(), st.data())
def test_a_planted_condition_is_found(plant: tuple[int, str], data: st.DataObject) -> None:
    length, condition = plant
    space = [dict(zip(VALUES, values, strict=True)) for values in itertools.product(*VALUES.values())]
    known = data.draw(st.lists(st.sampled_from(space), min_size=2, max_size=40, unique_by=repr))
    violated = [x for x in known if holds_at(condition, x)]
    others = [x for x in known if x not in violated]
    assume(violated and others)
    found = separate(violated, others)
    assert found, condition
    for one in found:
        assert len(re.split(" and | or ", one)) <= length
        assert all(holds_at(one, point) for point in violated)
        assert not any(holds_at(one, point) for point in others)
