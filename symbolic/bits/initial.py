"""The initial states, listed by circuits: the picks of `init` bit by bit, many at a time.

All assignments of the first bits are at hand, side by side, and each is continued by either value of the next bit.
A part of the initial condition is evaluated as soon as all bits that it depends on are there, and drops those
that are wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from leadline.symbolic.bits import NoCircuits
from leadline.symbolic.bits.lanes import WORD, Words, where, words_for
from leadline.symbolic.bits.machine import Masks
from leadline.symbolic.bits.programs import Program, compiled, support
from leadline.symbolic.bits.search import Batches, mapped
from leadline.symbolic.encode import Instance, Unrolled
from leadline.symbolic.encode.actions import Actions, PickSlots
from leadline.symbolic.encode.circuit import FALSE, TRUE, And, Circuit
from leadline.symbolic.encode.encoding import Encoding, decode_picks
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.template import template
from leadline.symbolic.lang import Model, Value, Variable
from leadline.symbolic.solve import LONE, SOLVERS, Satisfiability

_MOST = 1 << 16
"""The number of assignments that are continued at once."""
MOST_DRAWN = 1 << 18
"""The number of initial states in which random runs begin at most."""


def drawn_states(model: Model, seed: int) -> tuple[Words, bool]:
    """All initial states, or some where there are too many; and whether there may be others.

    Assignments that are at hand are thinned out when they are too many. Where no initial state is left of them,
    the first ones stand for all.

    Args:
        model: the model.
        seed: the seed of what is drawn.

    Raises:
        NoCircuits: as `initial_states`.
        ModelError: likewise.
    """
    thinned, dice = False, np.random.default_rng(abs(seed))

    def thin(found: Words) -> Words:
        nonlocal thinned
        if len(found) <= MOST_DRAWN:
            return found
        thinned = True
        return found[dice.choice(len(found), MOST_DRAWN, replace=False)]

    states = [*initial_states(model, thin)]
    if thinned and not states:
        states = [*islice(initial_states(model), 1)]
    return np.concatenate(states or [np.empty((0, 1), np.uint64)]), thinned


def initial_states(model: Model, thin: Callable[[Words], Words] | None = None) -> Iterator[Words]:
    """The initial states in batches, a state for each way to choose the picks of `init`.

    Args:
        model: the model.
        thin: leaves out some of the assignments of the first bits; None to list all.

    Raises:
        NoCircuits: if an initial state may be out of bounds: circuits do not count those.
        ModelError: if an expression has no circuit.
    """
    circuit, _, allowed, row = _beginning(model)
    if allowed == FALSE:
        return iter(())
    inputs = tuple(circuit.free)
    states = Batches(compiled(circuit, inputs, [[FALSE, *row]]))
    return (mapped(states, picks)[0] for picks in _assignments(circuit, inputs, allowed, thin))


def _beginning(model: Model) -> tuple[Circuit, PickSlots, int, list[int]]:
    """A circuit, the picks of `init` in it, the literal that a state begins with these, and the state's literals.

    Raises:
        NoCircuits: as `initial_states`.
        ModelError: likewise.
    """
    circuit = Circuit()
    slots = PickSlots(circuit)
    slots.add(model.init)
    effect = Actions(circuit, model, {}, slots).effect(model.init)
    if _is_satisfiable(circuit, effect.out_of_bounds, slots.valid()):
        raise NoCircuits("an initial state may be out of bounds")
    allowed = circuit.conj((effect.enabled, slots.valid(), _only_what_matters(model, circuit, slots)))
    if allowed == FALSE:
        return circuit, slots, FALSE, []
    rows, masks = Encoding(model).rows_after(circuit, effect.next), Masks(model, circuit)
    row = [x for variable in model.variables for x in masks.row(variable.name, rows[variable.name])]
    return circuit, slots, allowed, row


def picks_to(model: Model, state: Words) -> dict[str, Value]:
    """The picks of `init` that lead to one of the `initial_states`, as a solver finds them."""
    circuit, slots, allowed, row = _beginning(model)
    number = int.from_bytes(state.tobytes(), "little")
    wanted = circuit.conj([allowed, *(x if number >> i & 1 else -x for i, x in enumerate(row))])
    solver = SOLVERS[LONE]()
    made = Instance(template(circuit, (), [wanted, *circuit.free], ()), (), Unrolled(solver))
    reached = solver.check([made(wanted)])
    assert reached is Satisfiability.SATISFIABLE, "it is an initial state"
    return decode_picks(slots, model.init, lambda x: solver.true(made(x)))


def _is_satisfiable(circuit: Circuit, literal: int, valid: int) -> bool:
    """Whether a literal is true for some picks that are values of their types, as a solver finds."""
    if literal == FALSE:
        return False
    solver = SOLVERS[LONE]()
    made = Instance(template(circuit, (), [literal], [valid]), (), Unrolled(solver))
    return solver.check([made(literal)]) is not Satisfiability.UNSATISFIABLE


def _only_what_matters(model: Model, circuit: Circuit, slots: PickSlots) -> int:
    """The literal that picks are zero where they do not matter, so that each is listed once."""
    layout = Layout(circuit)
    picks = tuple(Variable(slot, slot, kind, model.init.span) for slot, kind in slots.types.items())
    masks = Masks(replace(model, variables=picks), circuit)
    wanted = []
    for pick in picks:
        row = layout.literals(slots.shapes[pick.name], pick.type)
        wanted += [circuit.same(x, y) for x, y in zip(row, masks.row(pick.name, row), strict=True)]
    return circuit.conj(wanted)


def _assignments(
    circuit: Circuit, inputs: Sequence[int], allowed: int, thin: Callable[[Words], Words] | None
) -> Iterator[Words]:
    """The assignments of inputs that make a literal true, in batches of packed words."""
    tests = _tests(circuit, inputs, allowed)
    waiting = [(0, np.zeros((1, words_for(len(inputs))), np.uint64))]
    while waiting:
        place, found = waiting.pop()
        if thin is not None:
            found = thin(found)
        elif len(found) > _MOST:
            half = len(found) // 2
            waiting += [(place, found[half:]), (place, found[:half])]
            continue
        if place == len(inputs):
            yield found
            continue
        set_too = found.copy()
        set_too[:, place // WORD] |= np.uint64(1 << place % WORD)
        found = np.concatenate([found, set_too])
        program = tests[place]
        if program is not None:
            allowing = [where(rows[0]) + low for low, rows in Batches(program).over(found)]
            found = found[np.concatenate(allowing)]
        if len(found):
            waiting.append((place + 1, found))


def _tests(circuit: Circuit, inputs: Sequence[int], allowed: int) -> list[Program | None]:
    """For each input, the program of the parts of a conjunction that depend on no later one; None without any."""
    place = {variable: i for i, variable in enumerate(inputs)}
    parts: list[list[int]] = [[] for _ in inputs]
    waiting = [allowed]
    while waiting:
        literal = waiting.pop()
        gate = circuit.gates.get(literal)
        if isinstance(gate, And):
            waiting += gate.operands
        elif literal != TRUE:
            parts[max(place[x] for x in support(circuit, [literal]))].append(literal)
    return [compiled(circuit, inputs, [[circuit.conj(literals)]]) if literals else None for literals in parts]
