"""The encoding of a model: templates of its initial states, of one step, and of the properties of a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any

from leadline.symbolic.encode.actions import Actions, PickSlots, Used, first_use, operator_at
from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.expressions import Claim, Expressions
from leadline.symbolic.encode.layout import Layout, decode
from leadline.symbolic.encode.template import Instance, Literals, Template, Unrolled, template
from leadline.symbolic.encode.values import Shape, Values, is_binary
from leadline.symbolic.lang import (
    Action,
    Int,
    Model,
    Named,
    Property,
    Sort,
    Value,
    Work,
    largest,
    site,
)

Truth = Callable[[int], bool]
"""An assignment: whether a literal is true."""

Decoded = dict[tuple[str, Literals], Value]
"""The values of variables under one assignment, by the variable's name and literals."""


@dataclass(frozen=True)
class InitialStates:
    """The initial states.

    Attributes:
        template: it has no inputs.
        possible: the literal that there is an initial state for the picks.
        out_of_bounds: the literal that the initial state is out of bounds.
        state: the literals of the state, in the model's fixed order.
        used: the literals that the initial state picked each member of each symmetric sort.
    """

    template: Template
    possible: int
    out_of_bounds: int
    state: tuple[int, ...]
    used: tuple[int, ...]
    slots: PickSlots
    action: Action

    def picks(self, true: Truth) -> dict[str, Value]:
        """The picks of the initial state under an assignment."""
        return decode_picks(self.slots, self.action, true)


@dataclass(frozen=True)
class StepRelation:
    """One step: exactly one action.

    Attributes:
        template: its inputs are the literals of the state before and, under the first-use rule, of the
            members used before.
        taken: the literal that the chosen action takes a step.
        out_of_bounds: the literal that the chosen action goes out of bounds.
        state: the literals of the state after and, under the first-use rule, of the members used by then.
        selectors: the literal that chooses each action, in the model's order.
    """

    template: Template
    taken: int
    out_of_bounds: int
    state: tuple[int, ...]
    selectors: tuple[int, ...]
    slots: PickSlots
    actions: tuple[Action, ...]

    def chosen(self, true: Truth) -> tuple[Action, dict[str, Value]]:
        """The action and its picks under an assignment."""
        action = next(a for a, x in zip(self.actions, self.selectors, strict=True) if true(x))
        return action, decode_picks(self.slots, action, true)

    def choices(self, made: Sequence[str]) -> Mapping[str, int]:
        """The next choice in a step: the action first, and then each of its picks that has a literal for each
        value.

        Args:
            made: the choices made in this step so far.

        Returns:
            The literal of each way to choose, by its text; none once every choice is made.
        """
        if not made:
            return {action.name: x for action, x in zip(self.actions, self.selectors, strict=True)}
        action = next(action for action in self.actions if action.name == made[0])
        slots = [(pick.name, self.slots.slot_of[action.name, pick.name]) for pick in action.picks]
        kinds = self.slots.types
        # The others have no literal for each value.
        one_hot = [x for x in slots if isinstance(kinds[x[1]], Named | Int) and not is_binary(kinds[x[1]])]
        left = one_hot[len(made) - 1 :]
        return {
            f"{name}={value}": x for name, slot in left[:1] for value, x in self.slots.shapes[slot].items()
        }

    def picked(self, action: str, pick: str, value: Value) -> list[int]:
        """The literals that are true where a pick of an action has a value, and may be wherever it has it."""
        slot = self.slots.slot_of[action, pick]
        kind = self.slots.types[slot]
        if not kind.contains(value):
            return [FALSE]
        layout = self.slots.layout
        free = layout.literals(self.slots.shapes[slot], kind)
        fixed = layout.literals(layout.values.constant(kind, value), kind)
        # Where the value has a don't-care, the pick has an input of its own that nothing else reads.
        return [x if y == TRUE else -x for x, y in zip(free, fixed, strict=True)]


@dataclass(frozen=True)
class StatePredicates:
    """Formulas over one state.

    Attributes:
        template: its inputs are the literals of the state.
        claims: the formulas.
    """

    template: Template
    claims: tuple[Claim, ...]

    def broken(self, row: Literals, circuit: Unrolled) -> list[int]:
        """For each formula, the literal that the state of a row does not satisfy it."""
        here = Instance(self.template, row, circuit)
        return [circuit.disj(map(here, one)) for one in self.claims]


def decode_picks(slots: PickSlots, action: Action, true: Truth) -> dict[str, Value]:
    """The picks of an action under an assignment of the slots' literals, up to one over an empty type."""
    found = {}
    for pick in action.picks:
        slot = slots.slot_of[action.name, pick.name]
        if not slots.types[slot].capped:
            break
        found[pick.name] = decode(slots.shapes[slot], slots.types[slot], true)
    return found


def _work(known: Mapping[str, Any]) -> Work:
    model: Model = known["self"].model
    name = known["one"].name if "one" in known else ""
    kinds = {one.tla: one.type for one in model.variables}
    return Work(
        "encoding", named=lambda place: operator_at(model, name, place), advice=lambda: largest(kinds)
    )


class Encoding:
    """A model's templates. Each is made once, when first asked for."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @cached_property
    def _free(self) -> tuple[int, dict[str, Shape], dict[str, Literals]]:
        """The number of inputs of a free state, the state, and the literals of each variable."""
        circuit = Circuit()
        layout = Layout(circuit)
        state = {variable.name: layout.free(variable.type) for variable in self.model.variables}
        rows: dict[str, Literals] = {
            v.name: tuple(layout.literals(state[v.name], v.type)) for v in self.model.variables
        }
        return circuit.variables - 1, state, rows

    def free_state(self, circuit: Circuit) -> tuple[Mapping[str, Shape], Mapping[str, Literals]]:
        """A state whose literals are new inputs of an empty circuit, and the literals of each variable."""
        count, state, rows = self._free
        assert circuit.variables == TRUE
        circuit.inputs(count)
        return state, rows

    def rows_after(
        self, circuit: Circuit, after: Mapping[str, Shape], layout: Layout | None = None
    ) -> dict[str, Literals]:
        """The literals of the variables that an action assigns, given a layout of the circuit if there is one."""
        layout = layout or Layout(circuit)
        kinds = {variable.name: variable.type for variable in self.model.variables}
        return {name: tuple(layout.literals(shape, kinds[name])) for name, shape in after.items()}

    def joined(self, rows: Mapping[str, Literals]) -> tuple[int, ...]:
        """The row of a state from those of its variables."""
        return tuple(literal for variable in self.model.variables for literal in rows[variable.name])

    @cached_property
    def initial(self) -> InitialStates:
        """The initial states."""
        return self.initial_under(())

    @site(_work)
    def initial_under(self, sorts: Sequence[Sort]) -> InitialStates:
        """The initial states under the first-use rule on the sorts."""
        circuit = Circuit()
        slots = PickSlots(circuit)
        slots.add(self.model.init)
        effect = Actions(circuit, self.model, {}, slots).effect(self.model.init)
        allowed, used = first_use(
            circuit, self.model.init, slots, {x: [FALSE] * x.cardinality for x in sorts}
        )
        values = Values(circuit)
        # If there is no initial state, nothing is assigned and the row is a don't-care.
        assigned = effect.next
        state = {
            v.name: assigned[v.name] if v.name in assigned else values.arbitrary(v.type)
            for v in self.model.variables
        }
        row = self.joined(self.rows_after(circuit, state))
        used_row = tuple(literal for literals in used.values() for literal in literals)
        roots = [*row, *used_row, effect.enabled, effect.out_of_bounds]
        made = template(circuit, (), roots, [slots.valid(), allowed])
        return InitialStates(
            made, effect.enabled, effect.out_of_bounds, row, used_row, slots, self.model.init
        )

    @cached_property
    def step(self) -> StepRelation:
        """One step of any action."""
        return self.step_under(())

    @site(_work)
    def step_under(self, sorts: Sequence[Sort]) -> StepRelation:
        """One step of any action, under the first-use rule on the sorts."""
        circuit = Circuit()
        state, before = self.free_state(circuit)
        used: Used = {sort: [circuit.input() for _ in sort.members] for sort in sorts}
        slots = PickSlots(circuit)
        for action in self.model.actions:
            slots.add(action)
        actions = Actions(circuit, self.model, state, slots)
        effects = [actions.effect(action) for action in self.model.actions]
        rules = [first_use(circuit, action, slots, used) for action in self.model.actions]
        selectors = [circuit.input() for _ in effects] if len(effects) != 1 else [TRUE]
        pairs = list(zip(selectors, effects, strict=True))
        enabled = circuit.conj([circuit.implies(x, effect.enabled) for x, effect in pairs])
        outside = circuit.disj([circuit.conj((x, effect.out_of_bounds)) for x, effect in pairs])
        after = [(x, self.rows_after(circuit, effect.next)) for x, effect in pairs]
        row = list(self.joined({name: row_after(circuit, name, old, after) for name, old in before.items()}))
        for sort, old in used.items():
            arms = [(x, {sort.name: now[sort]}) for x, (_, now) in zip(selectors, rules, strict=True)]
            row += row_after(circuit, sort.name, old, arms)
        if not selectors:
            # This must not be a constraint: questions about the state before share the instance's solver.
            enabled = FALSE
        chosen = circuit.exactly_one(selectors) if selectors else TRUE
        # Any action can be chosen with picks that obey the rule: the first member is always allowed.
        obeyed = [circuit.implies(x, allowed) for x, (allowed, _) in zip(selectors, rules, strict=True)]
        inputs = [*self.joined(before), *(literal for literals in used.values() for literal in literals)]
        made = template(circuit, inputs, [*row, enabled, outside], [slots.valid(), chosen, *obeyed])
        return StepRelation(made, enabled, outside, tuple(row), tuple(selectors), slots, self.model.actions)

    @site(_work)
    def predicates(self, properties: Sequence[Property]) -> StatePredicates:
        """The formulas of properties over one state."""
        expressions, row = self._over_state
        for one in properties:
            expressions.evaluate(one.formula)  # here first, since `_work` names the property
        claims = tuple(expressions.claims(one.formula for one in properties))
        return StatePredicates(template(expressions.circuit, row, chain(*claims), ()), claims)

    @cached_property
    def _over_state(self) -> tuple[Expressions, tuple[int, ...]]:
        """The expressions over one state, each encoded once, and the state's literals."""
        circuit = Circuit()
        state, before = self.free_state(circuit)
        return Expressions(circuit, state, {}), self.joined(before)

    @cached_property
    def validity(self) -> Template:
        """The constraint that a state is of its type. It holds in every unrolling, and helps the solver."""
        circuit = Circuit()
        state, before = self.free_state(circuit)
        layout = Layout(circuit)
        valid = [layout.valid(state[v.name], v.type) for v in self.model.variables]
        return template(circuit, self.joined(before), (), valid)

    def any_state(self, circuit: Unrolled) -> tuple[int, ...]:
        """The row of a state within the declared types, whose literals are new variables of a solver."""
        size = len(self.input_row)
        first = circuit.sink.new_variables(size)
        row = tuple(range(first, first + size))
        Instance(self.validity, row, circuit)
        return row

    @cached_property
    def input_row(self) -> tuple[int, ...]:
        """The literals of a free state in a template: its inputs, and constants."""
        _, _, rows = self._free
        return self.joined(rows)

    @property
    def columns(self) -> list[range]:
        """The places of each variable's literals in `input_row`."""
        _, _, rows = self._free
        ends = [0, *accumulate(len(rows[one.name]) for one in self.model.variables)]
        return [range(begin, end) for begin, end in pairwise(ends)]

    def decode(self, row: Literals, true: Truth, known: Decoded | None = None) -> tuple[Value, ...]:
        """The concrete state of a row of literals under an assignment.

        Args:
            row: the literals.
            true: the assignment.
            known: the values decoded under this assignment so far; new ones are added. Most steps change
                few variables.
        """
        known = {} if known is None else known
        _, shapes, rows = self._free
        values, end = [], 0
        for variable in self.model.variables:
            inputs = rows[variable.name]
            part = tuple(row[end : end + len(inputs)])
            end += len(inputs)
            key = variable.name, part
            if key not in known:
                known[key] = decode(shapes[variable.name], variable.type, _standing_for(inputs, part, true))
            values.append(known[key])
        return tuple(values)


def _standing_for(inputs: Literals, literals: Literals, true: Truth) -> Truth:
    """The assignment of inputs that equal other literals, given an assignment of those."""
    literal_of = dict(zip(inputs, literals, strict=True))

    def truth(literal: int) -> bool:
        if abs(literal) == TRUE:
            return literal == TRUE
        there = literal_of.get(literal)
        return true(there) if there is not None else not true(literal_of[-literal])

    return truth


def row_after(
    circuit: Circuit, name: str, before: Literals, arms: Sequence[tuple[int, Mapping[str, Literals]]]
) -> Literals:
    """A variable's literals after the arm that is taken. An unchanged literal costs nothing."""
    after = list(before)
    for taken, rows in arms:
        for place, new in enumerate(rows.get(name, ())):
            if new != before[place]:
                after[place] = circuit.update(taken, new, before[place], after[place])
    return after
