"""The symbolic meaning gives every expression of the corpus its value."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.expressions import Expressions
from leadline.symbolic.encode.layout import Layout, decode
from leadline.symbolic.encode.values import Values
from leadline.symbolic.lang import (
    Int,
    InternalError,
    OutOfBounds,
    Set,
    UserError,
    exists,
    nodes as n,
    set_of,
    wrap,
)
from leadline.symbolic.lang.coercion import invalid
from tests.corpus import NOW, ROWS, VARIABLES, Row
from tests.encode.truth import Solved


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_value_in_a_constant_state(row: Row) -> None:
    circuit = Circuit()
    values = Values(circuit)
    state = {name: values.constant(kind, value) for name, (kind, value) in VARIABLES.items()}
    shape, error = Expressions(circuit, state, {}).evaluate(row.node)
    assert circuit.gates == {}, "constants fold"
    if row.expected is OutOfBounds:
        assert error == TRUE
    else:
        assert error == FALSE
        assert decode(shape, row.node.type, lambda literal: literal == TRUE) == row.expected


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_value_in_a_state_that_only_the_solver_knows(row: Row) -> None:
    """Whatever the don't-cares of the state are."""
    circuit = Circuit()
    layout, values = Layout(circuit), Values(circuit)
    state = {name: layout.free(kind) for name, (kind, _) in VARIABLES.items()}
    known = []
    for name, (kind, value) in VARIABLES.items():
        known.append(layout.valid(state[name], kind))
        known.append(values.equal(state[name], values.constant(kind, value), kind))
    shape, error = Expressions(circuit, state, {}).evaluate(row.node)
    kind = row.node.type
    if row.expected is OutOfBounds:
        solved = Solved(circuit, [error], known)
        assert solved.possible(error) and not solved.possible(-error)
        return
    right = values.has_value(shape, row.expected, kind)
    # Of two values the layout has one literal, and decoding asks for both.
    solved = Solved(circuit, [error, right, *layout.literals(shape, kind), *circuit.gates], known)
    assert solved.possible(-error, right)
    assert decode(shape, kind, solved.true) == row.expected
    assert not solved.possible(error) and not solved.possible(-right)


def test_every_kind_has_a_rule() -> None:
    assert set(Expressions.rules) == set(n.KINDS)
    assert all(callable(getattr(Expressions, rule)) for rule in Expressions.rules.values())


def test_a_mistake_of_the_model_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match="a mistake of the model reached the encoding: unheard of"):
        Expressions(Circuit(), {}, {}).evaluate(invalid("unheard of"))


@pytest.mark.slow
def test_more_values_than_can_be_listed_are_refused() -> None:
    circuit = Circuit()
    layout = Layout(circuit)
    state = {name: layout.free(kind) for name, (kind, _) in VARIABLES.items()}
    expressions = Expressions(circuit, state, {})
    for expression in (huge_set_of_sets(NOW), huge_quantifier(NOW)):
        with pytest.raises(UserError, match=r"listed.* use a smaller type"):
            expressions.evaluate(expression.node)


@pytest.mark.parametrize("written", [True, False])
def test_a_union_lists_no_sets(written: bool) -> None:
    circuit = Circuit()
    state = {name: Layout(circuit).free(kind) for name, (kind, _) in VARIABLES.items()}
    wide = wrap(huge_set_of_sets(NOW).node.items[0])
    union = (set_of(wide, wide) if written else NOW.few.map(lambda _: wide)).flatten()
    shape, _ = Expressions(circuit, state, {}).evaluate(union.node)
    assert set(shape) == set(range(18))


def huge_set_of_sets(now: Any) -> Any:
    """A set with one member that may be any of 2^18 sets."""
    wide = now.few.map(lambda x: x) | now.few.map(lambda x: x + 6) | now.few.map(lambda x: x + 12)
    return set_of(wide)


def huge_quantifier(now: Any) -> Any:
    """About each of 2^30 sets."""
    return exists(Set(Int(0, 29)), lambda x: x == now.few)
