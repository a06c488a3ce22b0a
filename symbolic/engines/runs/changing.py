"""Actions that always change the state: ENABLED of their steps is shorter to say."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from leadline.symbolic.encode import Encoding, Unrolled
from leadline.symbolic.encode.actions import Actions, PickSlots
from leadline.symbolic.encode.circuit import Circuit
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.template import Instance, template
from leadline.symbolic.lang import Action, Model
from leadline.symbolic.solve import LONE, SOLVERS, Satisfiability


class Changing:
    """Asks a solver which actions change some variables of any state, reachable or not.

    Args:
        model: the model.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._encoding = Encoding(model)
        self._known: dict[tuple[str, frozenset[str]], bool] = {}

    def __call__(self, action: Action, names: Collection[str]) -> bool:
        """Whether each step of the action changes one of the variables, wherever these stay in bounds.

        Whether the other variables do makes no difference.
        """
        key = action.name, frozenset(names)
        if key not in self._known:
            self._known[key] = self._asked(action, names)
        return self._known[key]

    def _asked(self, action: Action, names: Collection[str]) -> bool:
        circuit = Circuit()
        state, before = self._encoding.free_state(circuit)
        slots = PickSlots(circuit)
        slots.add(action)
        alone = replace(action, updates=tuple(pair for pair in action.updates if pair[0] in names))
        effect = Actions(circuit, self._model, state, slots).effect(alone)
        after = self._encoding.rows_after(circuit, effect.next)
        pairs = [
            pair for name in names for pair in zip(before[name], after.get(name, before[name]), strict=True)
        ]
        stays = circuit.conj([effect.enabled, *(circuit.same(old, new) for old, new in pairs)])
        layout = Layout(circuit)
        valid = [layout.valid(state[x.name], x.type) for x in self._model.variables]
        solver = SOLVERS[LONE]()
        free = [literal for row in before.values() for literal in row]
        made = Instance(template(circuit, (), [stays, *free], [slots.valid(), *valid]), (), Unrolled(solver))
        return solver.check([made(stays)]) is Satisfiability.UNSATISFIABLE
