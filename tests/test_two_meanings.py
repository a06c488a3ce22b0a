"""The concrete and the symbolic meaning agree, on random expressions and on the steps of random protocols.

The circuits are simulated here, so no solver takes part: each input is set to what the concrete state or pick
says, and the outcome is read back.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding
from leadline.symbolic.encode.actions import Actions, PickSlots
from leadline.symbolic.encode.circuit import And, Circuit, Mux, Xor
from leadline.symbolic.encode.expressions import Expressions
from leadline.symbolic.encode.layout import Layout, decode
from leadline.symbolic.encode.values import Shape, Values
from leadline.symbolic.lang import Action, Model, OutOfBounds, Protocol, Type, build
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.span import NOWHERE
from leadline.symbolic.lang.types import Value
from leadline.symbolic.lang.value import wrap
from tests.random_expressions import literal
from tests.strategies import expressions, models, states, types

OUT = "out of bounds"
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(FEW, max_examples=3000)


class Simulation:
    """A circuit under one assignment of its inputs."""

    def __init__(self, circuit: Circuit, inputs: Mapping[int, bool]) -> None:
        self._true = {1: True, **inputs}
        for variable, gate in sorted(circuit.gates.items()):
            match gate:
                case And(operands=operands):
                    self._true[variable] = all(map(self, operands))
                case Xor(left=left, right=right):
                    self._true[variable] = self(left) != self(right)
                case Mux(condition=condition, then=then, orelse=orelse):
                    self._true[variable] = self(then) if self(condition) else self(orelse)

    def __call__(self, one: int) -> bool:
        """Whether a literal is true; an input that nobody set is false."""
        return self._true.get(abs(one), False) == (one > 0)


def inputs_of(circuit: Circuit, shape: Shape, kind: Type, value: Value) -> dict[int, bool]:
    """What the inputs of a free value must be for it to be the concrete one."""
    layout = Layout(circuit)
    wanted = layout.literals(Values(circuit).constant(kind, value), kind)
    pairs = zip(layout.literals(shape, kind), wanted, strict=True)
    return {abs(one): (one > 0) == (constant == 1) for one, constant in pairs if abs(one) != 1}


def holder(kinds: Mapping[str, Type]) -> Model:
    """A model with the variables, to evaluate expressions in."""

    def init(self: Any, start: Any) -> None:
        for name, kind in kinds.items():
            setattr(start, name, literal(kind, next(kind.values())))

    def define(self: Any, state: Any) -> None:
        for name, kind in kinds.items():
            state.declare(name, kind)

    return build(type("Holder", (Protocol,), {"define": define, "init": init})())


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


@FEW
@given(st.data())
def test_expressions(data: st.DataObject) -> None:
    check_expression(data)


@pytest.mark.slow
@MANY
@given(st.data())
def test_many_expressions(data: st.DataObject) -> None:
    check_expression(data)


class Steps:
    """The effects of the actions of a model, to be simulated in any state for any picks."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.circuit = Circuit()
        layout = Layout(self.circuit)
        self.state = {x.name: layout.free(x.type) for x in model.variables}
        self.slots = PickSlots(self.circuit)
        self.effects = {}
        for action in (model.init, *model.actions):
            self.slots.add(action)
        actions = Actions(self.circuit, model, self.state, self.slots)
        for action in (model.init, *model.actions):
            self.effects[action.name] = actions.effect(action)

    def outcome(self, action: Action, state: tuple[Value, ...] | None, picks: Mapping[str, Value]) -> Any:
        """The next state, `OUT`, or None where the action is not enabled."""
        inputs: dict[int, bool] = {}
        for variable, value in zip(self.model.variables, state or (), strict=False):
            inputs |= inputs_of(self.circuit, self.state[variable.name], variable.type, value)
        for pick in action.picks:
            shape = self.slots.shapes[self.slots.slot_of[action.name, pick.name]]
            inputs |= inputs_of(self.circuit, shape, pick.type, picks[pick.name])
        true = Simulation(self.circuit, inputs)
        effect = self.effects[action.name]
        if true(effect.out_of_bounds):
            assert not true(effect.enabled)
            return OUT
        if not true(effect.enabled):
            return None
        after = {**self.state, **effect.next}
        return tuple(decode(after[x.name], x.type, true) for x in self.model.variables)


def concrete_outcome(semantics: Semantics, action: Action, state: Any, picks: Mapping[str, Value]) -> Any:
    found = semantics.outcome(state, action.name, picks)
    if found is None:
        return None
    return OUT if found.state is None else found.state


def pick_values(action: Action) -> list[dict[str, Value]]:
    """All values of an action's picks, or the first hundred."""
    names = [pick.name for pick in action.picks]
    products = itertools.product(*(tuple(pick.type.values()) for pick in action.picks))
    return [dict(zip(names, values, strict=True)) for values in itertools.islice(products, 100)]


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


@settings(FEW, max_examples=25)
@given(models(), st.data())
def test_steps(model: Model, data: st.DataObject) -> None:
    check_steps(model, data)


@pytest.mark.slow
@settings(MANY, max_examples=800)
@given(models(), st.data())
def test_many_steps(model: Model, data: st.DataObject) -> None:
    check_steps(model, data)


@FEW
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
