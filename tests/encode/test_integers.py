"""Arithmetic one-hot, in binary and mixed: the same numbers as Python's."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from leadline.symbolic.encode import values as encoding
from leadline.symbolic.encode.circuit import FALSE, Circuit
from leadline.symbolic.encode.expressions import Expressions
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.values import Bits
from leadline.symbolic.lang import Int, Set, ite, maximum, minimum, nodes as n, of
from leadline.symbolic.lang.coercion import as_node
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.span import NOWHERE
from tests.encode.truth import decoded, input_columns, simulate

Pair = tuple[int, int]

# What goes out of bounds is None.
OPERATIONS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[int, int], Any]]] = {
    "add": (operator.add, operator.add),
    "sub": (operator.sub, operator.sub),
    "mul": (operator.mul, operator.mul),
    "div": (operator.floordiv, lambda x, y: x // y if y > 0 else None),
    "mod": (operator.mod, lambda x, y: x % y if y > 0 else None),
    "less": (operator.lt, operator.lt),
    "at most": (operator.le, operator.le),
    "equal": (operator.eq, operator.eq),
}
# A divisor whose type has no positive value is a mistake of the model, told before any encoding.
DIVISIONS = ("div", "mod")
RANGES = [(0, 0), (-1, -1), (0, 1), (-3, 4), (-8, -5), (2, 7), (-1, 2), (-4, 0)]


@pytest.fixture(params=[0, 3, 64], ids=["binary", "mixed", "one-hot"])
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many values an integer type may have before it is encoded in binary."""
    monkeypatch.setattr(encoding, "ONE_HOT_LIMIT", request.param)
    return int(request.param)


def compare(
    make: Callable[[Any, Any], Any],
    expected: Callable[[int, int], Any],
    kinds: tuple[Int, Int],
    rows: list[Pair],
) -> None:
    """Evaluate an expression over two free integers, and look at the rows of its truth table."""
    nodes = [n.make(n.StateVar, kind, NOWHERE, name) for kind, name in zip(kinds, "xy", strict=True)]
    node = make(*map(wrap, nodes)).node
    circuit = Circuit()
    layout = Layout(circuit)
    state = {name: layout.free(kind) for kind, name in zip(kinds, "xy", strict=True)}
    shape, error = Expressions(circuit, state, {}).evaluate(node)
    inputs: dict[int, int] = {}
    for place, name in enumerate("xy"):
        inputs |= input_columns(circuit, state[name], kinds[place], [row[place] for row in rows])
    columns = simulate(circuit, inputs, len(rows))
    for number, (x, y) in enumerate(rows):
        fails = bool(columns(error) >> number & 1)
        found = None if fails else decoded(shape, node.type, columns, number)
        assert found == expected(x, y), (x, y)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.usefixtures("limit")
def test_every_pair_of_small_numbers(name: str) -> None:
    for left, right in product(RANGES, RANGES):
        kinds = (Int(*left), Int(*right))
        if name not in DIVISIONS or kinds[1].high > 0:
            compare(*OPERATIONS[name], kinds, list(product(kinds[0].values(), kinds[1].values())))


@pytest.mark.usefixtures("limit")
def test_every_conversion_of_small_numbers() -> None:
    for source, target in product(RANGES, RANGES):
        convert(Int(*source), Int(*target), list(Int(*source).values()))


def convert(source: Int, target: Int, numbers: list[int], middle: Int | None = None) -> None:
    """Convert the numbers from a range to another, perhaps by way of one between, and look at what comes out."""
    ranges = [target] if middle is None else [middle, target]
    compare(
        lambda x, _: reduce(lambda found, kind: of(kind, found), ranges, x),
        lambda x, _: x if all(kind.contains(x) for kind in ranges) else None,
        (source, Int(0, 0)),
        [(x, 0) for x in numbers],
    )


@pytest.mark.usefixtures("limit")
def test_every_conversion_in_two_steps() -> None:
    for source, *ends in product(RANGES, RANGES, RANGES):
        middle, target = (Int(*one) for one in ends)
        convert(Int(*source), target, list(Int(*source).values()), middle)


@pytest.mark.parametrize("middle", [Int(-1, 4), Int(0, 5), Int(0, 9)])
@pytest.mark.parametrize("source", [Int(0, 1), Int(0, 2), Int(0, 4)])
def test_there_and_back_changes_nothing(source: Int, middle: Int) -> None:
    """An update of one member of a bag with numbers of a wider range has all other members as they were."""
    circuit = Circuit()
    state = {"x": Layout(circuit).free(source)}
    x = wrap(n.make(n.StateVar, source, NOWHERE, "x"))
    shape, error = Expressions(circuit, state, {}).evaluate(of(source, of(middle, x)).node)
    assert (shape, error) == (state["x"], FALSE)


@pytest.mark.usefixtures("limit")
def test_every_choice_between_small_numbers() -> None:
    for left, right in product(RANGES, RANGES):
        kinds = (Int(*left), Int(*right))
        rows = list(product(kinds[0].values(), kinds[1].values()))
        compare(lambda x, y: ite(x < y, y - x, x), lambda x, y: y - x if x < y else x, kinds, rows)
        compare(minimum, min, kinds, rows)
        compare(maximum, max, kinds, rows)


@st.composite
def ranges(draw: st.DrawFn) -> Int:
    low = draw(st.integers(-1000, 1000) | st.integers(-8, 8))
    return Int(low, low + draw(st.integers(0, 70) | st.integers(0, 1000)))


@given(st.data(), st.sampled_from(sorted(OPERATIONS)), ranges(), ranges())
def test_large_numbers(data: st.DataObject, name: str, left: Int, right: Int) -> None:
    assume(right.high > 0 or name not in DIVISIONS)
    numbers = st.tuples(st.integers(left.low, left.high), st.integers(right.low, right.high))
    rows = data.draw(st.lists(numbers, min_size=1, max_size=8))
    rows += [(x, y) for x in (left.low, left.high) for y in (right.low, right.high)]
    compare(*OPERATIONS[name], (left, right), rows)


@given(st.data(), ranges(), ranges())
def test_conversion_of_large_numbers(data: st.DataObject, source: Int, target: Int) -> None:
    numbers = data.draw(st.lists(st.integers(source.low, source.high), max_size=8))
    ends = (source.low, source.high, target.low, target.high)
    convert(source, target, [*numbers, *filter(source.contains, ends)])


def test_which_types_are_binary() -> None:
    layout = Layout(Circuit())
    assert isinstance(layout.free(Int(-1, 2)), Bits)
    assert not isinstance(layout.free(Int(-1, 1)), Bits)
    assert len(layout.free(Int(-1, 2)).bits) == 2
    assert len(layout.free(Int(-1, 63)).bits) == 7


@settings(max_examples=30)
@given(st.data(), st.sampled_from([3, 17, 40]), st.sampled_from(["less", "at most", "equal"]))
def test_the_number_of_members_is_compared(data: st.DataObject, members: int, name: str) -> None:
    """With constants and with numbers, on either side, with a few gates for each member if they are many."""
    operation = OPERATIONS[name][0]
    kind, numbers = Set(Int(1, members)), Int(0, members)
    bound, turned = data.draw(st.integers(0, members + 3)), data.draw(st.booleans())
    sets = data.draw(st.lists(st.sets(st.integers(1, members)).map(frozenset), min_size=1, max_size=8))
    circuit = Circuit()
    layout = Layout(circuit)
    state = {"s": layout.free(kind), "x": layout.free(numbers)}
    size, x = (wrap(n.make(n.StateVar, one, NOWHERE, var)) for one, var in ((kind, "s"), (numbers, "x")))
    for other, least in ((bound, 0), (x, min(bound, members))):
        pair = (other, size.size) if turned else (size.size, other)
        made = len(circuit.gates)
        literal, error = Expressions(circuit, state, {}).evaluate(as_node(operation(*pair)))
        assert error == FALSE and (
            other is x or len(circuit.gates) - made <= members * min(4 * bound + 8, 60)
        )
        inputs = input_columns(circuit, state["s"], kind, sets)
        inputs |= input_columns(circuit, state["x"], numbers, [least] * len(sets))
        columns = simulate(circuit, inputs, len(sets))
        right = [(least if other is x else bound, len(one)) for one in sets]
        expected = [operation(*(both if turned else both[::-1])) for both in right]
        assert [bool(columns(literal) >> row & 1) for row in range(len(sets))] == expected
