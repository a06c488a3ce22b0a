"""What Z3 holds of the variables of a solver: their terms, and what the gates among them combine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import z3
from z3 import z3core

from leadline.symbolic.solve.z3_calls import inc_ref, mk_const, mk_not, mk_symbol
from leadline.symbolic.solve.z3_copies import Copies


class Terms(dict[int, int]):
    """The address of each literal's term, which lives as long as the context.

    What nothing has mentioned so far is made when it is: a negation, or a constant of the literal's number;
    or it is looked up, if it is a gate that was copied.
    """

    def __init__(self, context: z3.Context) -> None:
        super().__init__()
        self._context = context
        self._ref: int = context.ref().value
        self._sort: int = z3.BoolSort(context).ast.value
        self.copies = Copies()

    def kept(self, term: int | None) -> int:
        """A term that was just made, which from now on lives as long as the context.

        Raises:
            z3.Z3Exception: if it could not be made: there is no memory left.
        """
        if term is None:
            self.failed()
        inc_ref(self._ref, term)
        return term

    def __missing__(self, literal: int) -> int:
        if -literal not in self:
            made, term = self._gate_or_constant(abs(literal))
            self[made] = term
            if made == literal:
                return term
        self[literal] = self.kept(mk_not(self._ref, self[-literal]))
        return self[literal]

    def _gate_or_constant(self, variable: int) -> tuple[int, int]:
        """A literal of a variable that has no term yet, and its term."""
        copy = self.copies.of(variable)
        if copy is not None:
            return copy.term(self._ref, variable)
        return variable, self.kept(mk_const(self._ref, mk_symbol(self._ref, variable), self._sort))

    def failed(self) -> NoReturn:
        """A term could not be made."""
        ref = self._context.ref()
        raise z3.Z3Exception(z3core.Z3_get_error_msg(ref, z3core.Z3_get_error_code(ref)))


class GateTable:
    """The gates, and the literals that each combines.

    Args:
        copies: the gates that were copied.

    Attributes:
        conjunctions: the operands of each conjunction that is no copy.
        choices: those of each multiplexer, and of each exclusive or as one.
    """

    def __init__(self, copies: Copies) -> None:
        self.conjunctions: dict[int, Sequence[int]] = {}
        self.choices: dict[int, tuple[int, int, int]] = {}
        self._copies = copies

    def is_gate(self, variable: int) -> bool:
        """Whether a variable is a gate."""
        own = variable in self.conjunctions or variable in self.choices
        return own or self._copies.of(variable) is not None

    def operands(self, variable: int) -> Sequence[int]:
        """The literals that a gate combines; none of what is no gate."""
        own = self.conjunctions.get(variable) or self.choices.get(variable)
        if own is not None:
            return own
        copy = self._copies.of(variable)
        return () if copy is None else copy.operands(variable)

    def is_choice(self, gate: int) -> bool:
        """Whether a gate is a multiplexer, or an exclusive or as one, and no conjunction."""
        copy = self._copies.of(gate)
        return gate in self.choices if copy is None else self.is_choice(copy.original(gate))

    def clauses_of(self, gate: int) -> int:
        """How many clauses define a gate."""
        operands = self.operands(gate)
        if self.is_choice(gate):
            return 4 if operands[1] == -operands[2] else 6
        return len(operands) + 1
