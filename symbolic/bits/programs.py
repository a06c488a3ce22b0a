"""Circuits as programs of bitwise operations on rows.

A program is a list of operations on numbered registers, each of which holds a row: one that is always true, the
inputs, the outputs, and then the rest, which are used again as soon as what they hold is needed no more. It has
sections. The first is always run; another one only where its outputs are wanted, which are taken before the next
section is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from leadline.symbolic.bits.lanes import Words
from leadline.symbolic.encode.circuit import TRUE, And, Circuit, Mux, Xor, operands

_Ufunc = Callable[..., Any]
Operation = tuple[_Ufunc, int, int, int]
"""An operation, the registers of its operands, and that of its result."""


@dataclass(frozen=True, eq=False)
class Program:
    """A circuit as operations.

    Attributes:
        inputs: the number of inputs: registers from 1 on.
        outputs: for each section, the registers of its literals, consecutive and in their order.
        registers: the number of registers.
        sections: the operations of each section.
    """

    inputs: int
    outputs: tuple[range, ...]
    registers: int
    sections: tuple[tuple[Operation, ...], ...]


class Registers:
    """A register file for one program and a number of lanes.

    Attributes:
        all: the registers, as one array.
        inputs: those of the inputs.
    """

    def __init__(self, program: Program, size: int) -> None:
        self.program = program
        self._room = np.empty(program.registers * size, np.uint64)
        self._bound: dict[int, list[tuple[_Ufunc, Words, Words, Words]]] = {}
        self.clear(size)

    def clear(self, size: int) -> None:
        """Forget all rows; the new ones, in the same memory, are no longer than the first ones were."""
        self.all = self._room[: self.program.registers * size].reshape(-1, size)
        self.all[0] = ~np.uint64(0)
        self.inputs = self.all[1 : self.program.inputs + 1]
        self._rows, self._bound = list(self.all), {}

    def run(self, section: int) -> Words:
        """Run a section.

        Returns:
            The rows of its literals.
        """
        bound = self._bound.get(section)
        if bound is None:
            rows, made = self._rows, self.program.sections[section]
            bound = self._bound[section] = [(f, rows[x], rows[y], rows[z]) for f, x, y, z in made]
        for operation, left, right, result in bound:
            operation(left, right, result)
        return self.outputs(section)

    def outputs(self, section: int) -> Words:
        """The rows of a section's literals, if it was the last one to be run but for the first."""
        own = self.program.outputs[section]
        return self.all[own.start : own.stop]


def compiled(circuit: Circuit, inputs: Sequence[int], sections: Sequence[Sequence[int]]) -> Program:
    """The program of some literals.

    A gate that several sections need goes into the first.

    Args:
        circuit: the circuit.
        inputs: the variables of the inputs.
        sections: the literals of each section.
    """
    compiler = _Compiler(circuit, inputs, sections)
    made = tuple(map(compiler.section, range(len(sections))))
    return Program(len(inputs), compiler.outputs, compiler.registers, made)


def _gates_of_sections(circuit: Circuit, sections: Sequence[Sequence[int]]) -> list[list[int]]:
    """The gates of each section, operands first."""
    gates = below(circuit, chain(*sections))
    home: dict[int, int] = {}
    # One after the other: the home of a gate is known when all that use it have been looked at.
    users = ((home[gate], operands(circuit.gates[gate])) for gate in reversed(gates))
    for place, literals in chain(enumerate(sections), users):
        for x in literals:
            home[abs(x)] = place if home.get(abs(x), place) == place else 0
    found: list[list[int]] = [[] for _ in sections]
    for gate in gates:
        found[home[gate]].append(gate)
    return found


def below(circuit: Circuit, literals: Iterable[int]) -> list[int]:
    """The gates that some literals depend on, operands first.

    Each comes as late as it is needed, so that it is read again while its row is in a core's cache.
    """
    found: dict[int, None] = {}
    entered: set[int] = set()
    waiting = [abs(x) for x in literals][::-1]
    while waiting:
        variable = waiting.pop()
        if variable in entered:
            found[variable] = None
        elif variable in circuit.gates:
            entered.add(variable)
            waiting.append(variable)
            waiting += (abs(x) for x in operands(circuit.gates[variable])[::-1])
    return [*found]


def support(circuit: Circuit, literals: Iterable[int]) -> set[int]:
    """The inputs that some literals depend on."""
    literals = [*literals]
    gates = below(circuit, literals)
    used = {abs(x) for gate in gates for x in operands(circuit.gates[gate])}.union(map(abs, literals))
    return used - set(gates) - {TRUE}


class _Compiler:
    """Emits the operations of gates, and gives them registers.

    A register holds a variable or its negation, whichever takes fewer operations.
    """

    def __init__(self, circuit: Circuit, inputs: Sequence[int], sections: Sequence[Sequence[int]]) -> None:
        self._circuit = circuit
        self._sections = sections
        self._gates = _gates_of_sections(circuit, sections)
        begin = 1 + len(inputs)
        # Outputs of later sections are taken as soon as they are there, so they share their registers.
        later = begin + len(sections[0])
        self.outputs = (range(begin, later), *(range(later, later + len(x)) for x in sections[1:]))
        self.registers = max(one.stop for one in self.outputs)
        self._fixed = self.registers
        self._free: list[int] = []
        # The register of a literal: of `-x`, if it holds the negation of `x`.
        self._held = {variable: place for place, variable in enumerate((TRUE, *inputs))}
        self._uses: dict[int, int] = {}
        self._made: list[Operation] = []

    def section(self, place: int) -> tuple[Operation, ...]:
        """The operations of a section."""
        gates, self._made = self._gates[place], []
        self._uses = dict.fromkeys(gates, 0)
        wanted: dict[int, int] = {}
        for x, register in zip(self._sections[place], self.outputs[place], strict=True):
            wanted.setdefault(x, register)
        read = [x for gate in gates for x in operands(self._circuit.gates[gate])]
        for x in (*read, *wanted, *(self._read_later() if place == 0 else ())):
            if abs(x) in self._uses:
                self._uses[abs(x)] += 1
        for gate in gates:
            self._gate(gate, wanted.get(gate))
        for x, register in zip(self._sections[place], self.outputs[place], strict=True):
            if self._held.get(x) != register:
                copy = np.bitwise_and if x in self._held else np.bitwise_xor
                self._emit(copy, self._register(x), 0, register)
        for x in wanted:
            self._release(x)
        return tuple(self._made)

    def _read_later(self) -> set[int]:
        """The variables of the first section that others read."""
        read = (operands(self._circuit.gates[gate]) for gate in chain(*self._gates[1:]))
        return {abs(x) for x in chain(*self._sections[1:], *read)}

    def _gate(self, variable: int, output: int | None) -> None:
        gate = self._circuit.gates[variable]
        match gate:
            case And():
                register, positive = self._conjunction(gate.operands)
            case Xor():
                register = self._emit(np.bitwise_xor, self._register(gate.left), self._register(gate.right))
                positive = (gate.left in self._held) == (gate.right in self._held)
            case Mux():
                register, positive = self._choice(gate)
        if positive and output is not None:
            # The last operation gives the result, so it can do so in the place of the output.
            self._made[-1] = (*self._made[-1][:3], output)
            self._free.append(register)
            register = output
        self._held[variable if positive else -variable] = register
        for x in operands(gate):
            self._release(x)

    def _conjunction(self, literals: Sequence[int]) -> tuple[int, bool]:
        """Conjunction; of negations only, the negation of their disjunction."""
        plain = [self._held[x] for x in literals if x in self._held]
        negated = [self._held[-x] for x in literals if x not in self._held]
        if not negated:
            return self._joined(np.bitwise_and, plain), True
        if not plain:
            return self._joined(np.bitwise_or, negated), False
        # x and not y = (x or y) xor y. The first operand may be wide: what is negated is read twice.
        both = self._joined(np.bitwise_and, plain) if len(plain) > 1 else plain[0]
        either = self._joined(np.bitwise_or, negated) if len(negated) > 1 else negated[0]
        result = self._emit(np.bitwise_or, both, either)
        self._emit(np.bitwise_xor, result, either, result)
        self._free += [x for x, parts in ((both, plain), (either, negated)) if len(parts) > 1]
        return result, True

    def _joined(self, operation: _Ufunc, registers: Sequence[int]) -> int:
        """Two registers or more under an operation."""
        result = self._emit(operation, registers[0], registers[1])
        for register in registers[2:]:
            self._emit(operation, result, register, result)
        return result

    def _choice(self, gate: Mux) -> tuple[int, bool]:
        """(then xor orelse) and condition xor orelse."""
        condition, then, orelse = gate
        if condition not in self._held:
            condition, then, orelse = -condition, orelse, then
        result = self._emit(np.bitwise_xor, self._register(then), self._register(orelse))
        if (then in self._held) != (orelse in self._held):
            self._emit(np.bitwise_xor, result, 0, result)
        self._emit(np.bitwise_and, result, self._register(condition), result)
        return self._emit(np.bitwise_xor, result, self._register(orelse), result), orelse in self._held

    def _register(self, x: int) -> int:
        """The register that holds a literal or its negation."""
        found = self._held.get(x)
        return self._held[-x] if found is None else found

    def _emit(self, operation: _Ufunc, left: int, right: int, result: int | None = None) -> int:
        if result is None:
            if not self._free:
                self._free.append(self.registers)
                self.registers += 1
            result = self._free.pop()
        self._made.append((operation, left, right, result))
        return result

    def _release(self, x: int) -> None:
        """Give up the register of a gate that is needed no more."""
        left = self._uses.get(abs(x))
        if left is None:
            return
        self._uses[abs(x)] = left - 1
        register = self._register(x)
        if left == 1 and register >= self._fixed:
            self._free.append(register)
