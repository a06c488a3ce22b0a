"""The first-use rule: members of a sort that a model treats alike are picked in their order of first use."""

from __future__ import annotations

from leadline.symbolic.encode.actions import PickSlots
from leadline.symbolic.encode.circuit import FALSE, Circuit
from leadline.symbolic.lang.model import Action
from leadline.symbolic.lang.types import Sort

Used = dict[Sort, list[int]]
"""For each symmetric sort and each of its members, in order, the literal that it was picked before."""


def first_use(circuit: Circuit, action: Action, slots: PickSlots, used: Used) -> tuple[int, Used]:
    """That the picks respect the first-use rule, and what is used after them.

    Members of a symmetric sort are interchangeable, so a run may name them in the order of first use: the
    i-th may be picked only once members 1..i-1 have been.
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
