"""Circuits and clauses told apart from the code under test: simulation of gates, and truth tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from leadline.symbolic.encode.circuit import TRUE, And, Circuit, Mux
from leadline.symbolic.encode.layout import Layout, decode
from leadline.symbolic.encode.template import Instance, Unrolled, template
from leadline.symbolic.encode.values import Values
from leadline.symbolic.lang import Type
from leadline.symbolic.solve import Satisfiability
from leadline.symbolic.solve.cadical import CadicalSolver

Columns = Callable[[int], int]
"""From a literal to its column of a truth table: bit n is its value in row n."""


def simulate(circuit: Circuit, inputs: Mapping[int, int], rows: int) -> Columns:
    """The truth table of every gate, from the columns of the inputs (false where none is given)."""
    everywhere = (1 << rows) - 1
    columns = {TRUE: everywhere}

    def look(literal: int) -> int:
        return columns[literal] if literal > 0 else everywhere ^ columns[-literal]

    for variable in range(2, circuit.variables + 1):
        gate = circuit.gates.get(variable)
        if gate is None:
            columns[variable] = inputs.get(variable, 0)
        elif isinstance(gate, And):
            columns[variable] = everywhere
            for operand in gate.operands:
                columns[variable] &= look(operand)
        elif isinstance(gate, Mux):
            chosen = look(gate.condition)
            columns[variable] = chosen & look(gate.then) | ~chosen & look(gate.orelse) & everywhere
        else:
            columns[variable] = look(gate.left) ^ look(gate.right)
    return look


def column(values: Sequence[bool]) -> int:
    """The column with these values."""
    return sum(1 << row for row, value in enumerate(values) if value)


def all_rows(inputs: Sequence[int]) -> tuple[dict[int, int], int]:
    """The columns of inputs that take every combination of values, and the number of rows."""
    rows = 1 << len(inputs)
    columns = {x: column([bool(row >> place & 1) for row in range(rows)]) for place, x in enumerate(inputs)}
    return columns, rows


def input_columns(circuit: Circuit, shape: Any, kind: Type, values: Sequence[Any]) -> dict[int, int]:
    """The columns of a free value's inputs that make it these values, one a row."""
    layout = Layout(circuit)
    free = layout.literals(shape, kind)
    rows = [layout.literals(Values(circuit).constant(kind, value), kind) for value in values]
    return {x: column([row[place] == TRUE for row in rows]) for place, x in enumerate(free)}


def decoded(shape: Any, kind: Type, columns: Columns, row: int) -> Any:
    """A shape's value in a row."""
    return decode(shape, kind, lambda literal: bool(columns(literal) >> row & 1))


class Solved:
    """A part of a circuit in a solver, its constraints asserted."""

    def __init__(self, circuit: Circuit, roots: Iterable[int], constraints: Iterable[int] = ()) -> None:
        self.solver = CadicalSolver()
        wanted = list(roots)
        self.instance = Instance(template(circuit, (), wanted, constraints), (), Unrolled(self.solver))
        for literal in wanted:  # an answer tells of what there was when it was asked for
            self.instance(literal)

    def possible(self, *literals: int) -> bool:
        """Whether the constraints allow all these literals of the circuit."""
        return self.solver.check([self.instance(x) for x in literals]) is Satisfiability.SATISFIABLE

    def true(self, literal: int) -> bool:
        """Whether a literal of the circuit is true in the last answer."""
        return self.solver.true(self.instance(literal))
