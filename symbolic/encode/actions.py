"""The symbolic meaning of actions: when they are enabled, when they go out of bounds, and the next state.

With symmetry, actions pick the members of a sort in their order of first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.expressions import Expressions, Partial
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.updates import Updates
from leadline.symbolic.encode.values import Shape
from leadline.symbolic.lang import BOOL, Action, Model, Pick, Sort, Span, Type, Work, nodes as n, site
from leadline.symbolic.lang.nodes import replacement


@dataclass(frozen=True)
class Effect:
    """The effect of an action in a symbolic state for symbolic picks.

    Attributes:
        enabled: the literal that it takes a step to `next`; false where it goes out of bounds.
        out_of_bounds: the literal that its outcome is out of bounds.
        next: the shapes of the variables that it assigns.
    """

    enabled: int
    out_of_bounds: int
    next: Mapping[str, Shape]


class PickSlots:
    """The symbols of picks. The actions of a layer share them: the i-th pick of a type in one action has the
    same slot as the i-th pick of that type in another.

    Attributes:
        shapes: the symbol of each slot.
        types: the type of each slot: that of the picks, without the values that their guards rule out.
        slot_of: the slot of each pick, by the action's name and the pick's.
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
            # The slot of an action that receives one kind of message is only as large as that kind.
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
        """The literal that every slot holds a value of its type; slots of empty types do not count.

        An empty type must not rule out the actions that do not pick from it.
        """
        kinds = {slot: kind for slot, kind in self.types.items() if kind.capped}
        return self.layout.circuit.conj([self.layout.valid(self.shapes[x], kinds[x]) for x in kinds])


def operator_at(model: Model, otherwise: str, place: Span) -> str:
    """The name of the operator that a place lies in, or another."""
    return (model.origin.operator_at(place) if model.origin is not None else "") or otherwise


class Actions:
    """Evaluates actions over one symbolic state. They share the pick slots and the memo of expressions."""

    def __init__(self, circuit: Circuit, model: Model, state: Mapping[str, Shape], slots: PickSlots) -> None:
        self.circuit = circuit
        self.model = model
        self.slots = slots
        self.expressions = Expressions(circuit, state, slots.shapes)
        self.updates = Updates(self.expressions)
        self._renamings: dict[tuple[tuple[n.Node, n.Node], ...], Callable[[n.Node], n.Node]] = {}

    @site(lambda known: Work(named=partial(operator_at, known["self"].model, known["action"].tla)))
    def effect(self, action: Action, taken: int = TRUE) -> Effect:
        """The effect of an action whose picks have slots.

        Args:
            action: the action.
            taken: the literal that it is taken; where it is false, the state stays the same.
        """
        renamed = self.renaming(action)
        reached, errors = TRUE, []
        conj = self.circuit.conj
        for item in action.body:
            if isinstance(item, Pick):
                if item.domain is None:
                    if not item.type.capped:
                        reached = FALSE
                        break
                    continue
                picked = item.node
                test: n.Node = n.make(n.Member, BOOL, item.span, picked, item.domain)
            else:
                test = item
            shape, error = self.expressions.evaluate(renamed(test))
            errors.append(conj((reached, error)))
            reached = conj((reached, -error, shape))
            if reached == FALSE:
                break
        updates: dict[str, Shape] = {}
        wrong = []
        for name, node in action.updates if reached != FALSE else ():
            updates[name], error = self._next(name, renamed(node), taken)
            wrong.append(error)
        outside = self.circuit.disj(wrong)
        errors.append(conj((reached, outside)))
        return Effect(conj((reached, -outside)), self.circuit.disj(errors), updates)

    def _next(self, name: str, value: n.Node, taken: int) -> Partial:
        """The next value of a variable. Before an initial state there is no value to update."""
        if name not in self.expressions.state:
            return self.expressions.evaluate(value)
        return self.updates.evaluate(n.make(n.StateVar, value.type, value.span, name), value, taken)

    def renaming(self, action: Action) -> Callable[[n.Node], n.Node]:
        """Gives expressions with slots for the picks. What actions with the same picks share is renamed once."""
        slots: dict[n.Node, n.Node] = {
            pick.node: n.make(n.PickVar, pick.type, pick.span, self.slots.slot_of[action.name, pick.name])
            for pick in action.picks
        }
        return self._renamings.setdefault(tuple(slots.items()), replacement(slots))


Used = dict[Sort, list[int]]
"""For each symmetric sort, the literals that its members, in order, were picked before."""


def first_use(circuit: Circuit, action: Action, slots: PickSlots, used: Used) -> tuple[int, Used]:
    """The first-use rule: the i-th member of a symmetric sort is picked only after members 1..i-1.

    The rule loses no behaviour, since a model does not distinguish the members: any run can be renamed to
    pick them in their order.

    Returns:
        The literal that the picks of the action obey the rule, and which members were used after them.
    """
    allowed = []
    now = {sort: list(literals) for sort, literals in used.items()}
    for pick in action.picks:
        if pick.type not in now:
            continue
        assert isinstance(pick.type, Sort)
        shape = slots.shapes[slots.slot_of[action.name, pick.name]]
        before = now[pick.type]
        chosen = [shape.get(member, FALSE) for member in pick.type.members]
        allowed += [circuit.implies(x, before[i]) for i, x in enumerate(chosen[1:])]
        now[pick.type] = [circuit.disj(pair) for pair in zip(before, chosen, strict=True)]
    return circuit.conj(allowed), now
