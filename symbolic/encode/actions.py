"""The symbolic meaning of actions: when they are enabled, when they go out of bounds, and the next state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.evaluation import Outcome
from leadline.symbolic.encode.expressions import Expressions
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.updates import Updates
from leadline.symbolic.encode.values import Shape
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.model import Action, Model, Pick
from leadline.symbolic.lang.types import Bool, Type
from leadline.symbolic.lang.walk import substitute

_BOOL = Bool()


@dataclass(frozen=True)
class Effect:
    """What an action does in a symbolic state for symbolic picks.

    Attributes:
        enabled: the literal that it takes a step to `next`; false where it goes out of bounds.
        out_of_bounds: the literal that its outcome is out of bounds.
        next: the shapes of the variables that it assigns.
    """

    enabled: int
    out_of_bounds: int
    next: Mapping[str, Shape]


class PickSlots:
    """The symbols that picks stand for, shared by the actions of a layer: the i-th pick of a type in one
    action is the same symbol as the i-th pick of that type in another.

    Attributes:
        shapes: the symbol of each slot.
        types: its type: that of the picks, less what their guards rule out at once.
        slot_of: the slot of each pick, by the names of its action and its own.
    """

    def __init__(self, circuit: Circuit) -> None:
        self.layout = Layout(circuit)
        self.shapes: dict[str, Shape] = {}
        self.types: dict[str, Type] = {}
        self.slot_of: dict[tuple[str, str], str] = {}
        self._numbers: dict[Type, int] = {}

    def add(self, action: Action) -> None:
        """Give every pick of an action a slot."""
        used: dict[Type, int] = {}
        for pick in action.picks:
            # An action that receives one kind of message costs what that kind costs, not what all do.
            kind = action.possible(pick)
            number = self._numbers.setdefault(kind, len(self._numbers))
            place = used.get(kind, 0)
            used[kind] = place + 1
            slot = f"{number}.{place}"
            self.slot_of[action.name, pick.name] = slot
            if slot not in self.shapes:
                self.shapes[slot] = self.layout.free(kind)
                self.types[slot] = kind

    def valid(self) -> int:
        """That every slot holds a value of its type.

        A type without values must not rule out the actions that do not pick from it.
        """
        return self.layout.circuit.conj(
            [
                self.layout.valid(shape, self.types[slot])
                for slot, shape in self.shapes.items()
                if self.types[slot].cardinality
            ]
        )


class Actions:
    """Evaluates actions over one symbolic state; all share the pick slots and the memo of expressions."""

    def __init__(self, circuit: Circuit, model: Model, state: Mapping[str, Shape], slots: PickSlots) -> None:
        self.circuit = circuit
        self.model = model
        self.slots = slots
        self.expressions = Expressions(circuit, state, slots.shapes)
        self.updates = Updates(self.expressions)

    def effect(self, action: Action, taken: int = TRUE) -> Effect:
        """The effect of an action whose picks have slots; where it is not taken, nothing changes."""
        renaming = self._renaming(action)
        reached, errors = TRUE, []
        conj = self.circuit.conj
        for item in action.body:
            if isinstance(item, Pick):
                if item.domain is None:
                    if not item.type.cardinality:
                        reached = FALSE
                        break
                    continue
                test: n.Node = n.make(
                    n.Member,
                    _BOOL,
                    item.span,
                    n.make(n.PickVar, item.type, item.span, item.name),
                    item.domain,
                )
            else:
                test = item
            shape, error = self.expressions.evaluate(substitute(test, renaming))
            errors.append(conj((reached, error)))
            reached = conj((reached, -error, shape))
            if reached == FALSE:
                break
        updates: dict[str, Shape] = {}
        wrong = []
        for name, node in action.updates if reached != FALSE else ():
            updates[name], error = self._next(name, substitute(node, renaming), taken)
            wrong.append(error)
        outside = self.circuit.disj(wrong)
        errors.append(conj((reached, outside)))
        return Effect(conj((reached, -outside)), self.circuit.disj(errors), updates)

    def _next(self, name: str, value: n.Node, taken: int) -> Outcome:
        """The next value of a variable; an initial state is made of nothing."""
        if name not in self.expressions.state:
            return self.expressions.evaluate(value)
        return self.updates.evaluate(n.make(n.StateVar, value.type, value.span, name), value, taken)

    def _renaming(self, action: Action) -> dict[n.Node, n.Node]:
        return {
            n.make(n.PickVar, pick.type, pick.span, pick.name): n.make(
                n.PickVar, pick.type, pick.span, self.slots.slot_of[action.name, pick.name]
            )
            for pick in action.picks
        }
