"""Steps that commute, of which a search need not take both orders.

Two steps commute if neither reads or changes what the other one changes. Let a state be reached from
another one by step `a`, and let `b` be a step that can be taken in it, commutes with `a` and has the higher
place. The other state leads to the same end by `b` and then `a`, and the state between is no deeper. So a
breadth-first search, which knows the step that reached each state first, may leave out `b` here. If `a` is
left out there in turn, that is for a step whose place is lower still; so one of the steps to each state is
taken at last, and all states are found at their depths. P. Godefroid: Partial-Order Methods for the
Verification of Concurrent Systems, 1996, has the sleep sets of which this is a simple form.
"""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from leadline.symbolic.bits.machine import Machine
from leadline.symbolic.bits.programs import below
from leadline.symbolic.encode.circuit import operands

Flags = npt.NDArray[np.bool_]

_MOST = 1 << 28
"""The bits that what steps read and change may take."""


class Commuting:
    """The steps of a machine that commute.

    Args:
        machine: the machine.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.needed = cache(self._needed)

    def _needed(self, place: int) -> Flags:
        """Whether a step must be taken in a state, by the step that reached the state first.

        The first flag is for a state that no step has reached, the others are for the machine's steps in turn.
        """
        needed = np.ones(1 + len(self._machine.moves), np.bool_)
        if self._parts:
            read, changed = self._parts[place]
            for before, (own, others) in enumerate(self._parts[:place], start=1):
                needed[before] = changed & (own | others) or others & read
        return needed

    @cached_property
    def _parts(self) -> list[tuple[int, int]]:
        """The bits that each step reads, and those that it changes, as numbers; nothing if they are too many."""
        circuit, inputs, moves = self._machine.circuit, self._machine.inputs, self._machine.moves
        read = {variable: 1 << place for place, variable in enumerate(inputs)}
        gates = below(circuit, [x for one in moves for x in (one.enabled, *(x for _, x in one.changes))])
        if (len(gates) + len(moves)) * max(len(inputs), len(moves)) > _MOST:
            return []
        for gate in gates:
            found = 0
            for x in operands(circuit.gates[gate]):
                found |= read.get(abs(x), 0)
            read[gate] = found
        parts = []
        for move in moves:
            needs = read.get(abs(move.enabled), 0)
            for _, x in move.changes:
                needs |= read.get(abs(x), 0)
            parts.append((needs, sum(1 << bit for bit, _ in move.changes)))
        return parts
