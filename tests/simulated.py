"""Circuits simulated without a solver: each input is set to what the concrete state or pick says."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode.actions import Actions, PickSlots
from leadline.symbolic.encode.circuit import And, Circuit, Mux, Xor
from leadline.symbolic.encode.layout import Layout, decode
from leadline.symbolic.encode.values import Shape, Values
from leadline.symbolic.lang import Action, Model, Type
from leadline.symbolic.lang.types import Value

OUT = "out of bounds"


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
    """The inputs of a free value that make it the concrete one."""
    layout = Layout(circuit)
    wanted = layout.literals(Values(circuit).constant(kind, value), kind)
    pairs = zip(layout.literals(shape, kind), wanted, strict=True)
    return {abs(one): (one > 0) == (constant == 1) for one, constant in pairs if abs(one) != 1}


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
        self.taken = self.circuit.input()
        actions = Actions(self.circuit, model, self.state, self.slots)
        for action in (model.init, *model.actions):
            self.effects[action.name] = actions.effect(action, self.taken)

    def outcome(self, action: Action, state: tuple[Value, ...] | None, picks: Mapping[str, Value]) -> Any:
        """The next state, `OUT`, or None where the action is not enabled.

        Where it could be taken and is not, nothing changes.
        """
        made = self._outcome(action, state, picks, taken=True)
        if state is not None:
            skipped = self._outcome(action, state, picks, taken=False)
            assert skipped == (made if made in (None, OUT) else state)
        return made

    def _outcome(
        self, action: Action, state: tuple[Value, ...] | None, picks: Mapping[str, Value], *, taken: bool
    ) -> Any:
        inputs: dict[int, bool] = {self.taken: taken}
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
