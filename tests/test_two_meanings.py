"""The concrete and the symbolic meaning agree, on random expressions and on the steps of random protocols.

The circuits are simulated here, so no solver takes part: each input is set to what the concrete state or pick
says, and the outcome is read back.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding
from leadline.symbolic.encode.circuit import Circuit
from leadline.symbolic.encode.expressions import Expressions
from leadline.symbolic.encode.layout import Layout, decode
from leadline.symbolic.encode.values import Values
from leadline.symbolic.lang import Model, OutOfBounds, is_total, nodes as n
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.span import NOWHERE
from tests.holder import holder
from tests.simulated import OUT, Simulation, Steps, concrete_outcome, inputs_of, pick_values
from tests.strategies import expressions, models, models_of_logs, states, types

FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(FEW, max_examples=3000)


def check_expression(data: st.DataObject) -> None:
    drawn = data.draw(st.lists(types(depth=3, most=32), min_size=1, max_size=3))
    kinds = {f"v{place}": kind for place, kind in enumerate(drawn, start=1)}
    variables = {name: wrap(n.make(n.StateVar, kind, NOWHERE, name)) for name, kind in kinds.items()}
    node = data.draw(expressions(variables, data.draw(types(depth=2)))).node
    state = data.draw(states(kinds))

    circuit = Circuit()
    shapes = {name: Layout(circuit).free(kind) for name, kind in kinds.items()}
    shape, error = Expressions(circuit, shapes, {}).evaluate(node)
    inputs: dict[int, bool] = {}
    for (name, kind), value in zip(kinds.items(), state, strict=True):
        inputs |= inputs_of(circuit, shapes[name], kind, value)
    true = Simulation(circuit, inputs)
    symbolic = OUT if true(error) else decode(shape, node.type, true)
    try:
        concrete = Semantics(holder(kinds)).evaluate(node, state)
    except OutOfBounds:
        concrete = OUT
    assert symbolic == concrete
    assert concrete is not OUT or not is_total(node)


@FEW
@given(st.data())
def test_expressions(data: st.DataObject) -> None:
    check_expression(data)


@pytest.mark.slow
@MANY
@given(st.data())
def test_many_expressions(data: st.DataObject) -> None:
    check_expression(data)


def check_steps(model: Model, data: st.DataObject) -> None:
    semantics = Semantics(model)
    steps = Steps(model)
    for picks in pick_values(model.init):
        assert steps.outcome(model.init, None, picks) == concrete_outcome(semantics, model.init, None, picks)
    seen = [outcome.state for outcome in semantics.initial() if outcome.state is not None][:2]
    kinds = {variable.name: variable.type for variable in model.variables}
    for state in (*seen, data.draw(states(kinds))):
        for action in model.actions:
            for picks in pick_values(action):
                symbolic = steps.outcome(action, state, picks)
                assert symbolic == concrete_outcome(semantics, action, state, picks), (
                    action.name,
                    state,
                    picks,
                )


@settings(FEW, max_examples=8)
@given(models() | models_of_logs(), st.data())
def test_steps(model: Model, data: st.DataObject) -> None:
    check_steps(model, data)


@pytest.mark.slow
@settings(MANY, max_examples=1200)
@given(models() | models_of_logs(), st.data())
def test_many_steps(model: Model, data: st.DataObject) -> None:
    check_steps(model, data)


@settings(FEW, max_examples=5)
@given(models(), st.data())
def test_a_state_survives_its_literals(model: Model, data: st.DataObject) -> None:
    state = data.draw(states({variable.name: variable.type for variable in model.variables}))
    encoding = Encoding(model)
    circuit = Circuit()
    values = Values(circuit)
    layout = Layout(circuit)
    row = [
        one
        for variable, value in zip(model.variables, state, strict=True)
        for one in layout.literals(values.constant(variable.type, value), variable.type)
    ]
    assert encoding.decode(row, lambda one: one == 1) == state
