"""Z3 behind the solver interface.

Clauses are built with the raw calls of z3's C interface: the Python layer above them costs ten times as much.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

import z3

from leadline.symbolic.solve.solver import TRUE, Answer, Solver


class Z3Solver(Solver):
    """Z3's incremental solver for finite domains.

    Args:
        seed: the random seed.
    """

    name = "z3"

    def __init__(self, seed: int = 0) -> None:
        self._context = z3.Context()
        self._solver = z3.SolverFor("QF_FD", ctx=self._context)
        self._solver.set("random_seed", seed)
        self._raw = self._context.ref()
        self._bool = z3.BoolSort(self._context)
        self._literals: dict[int, ctypes.c_void_p] = {}
        self._count = 0
        self._clauses = 0
        self._model: z3.ModelRef | None = None
        self.new_variables(1)
        self.add([(TRUE,)])

    def new_variables(self, count: int) -> int:
        first = self._count + 1
        raw, sort = self._raw, self._bool.ast
        for number in range(first, first + count):
            symbol = z3.Z3_mk_int_symbol(raw, number)
            positive = z3.Z3_mk_const(raw, symbol, sort)
            z3.Z3_inc_ref(raw, positive)
            negative = z3.Z3_mk_not(raw, positive)
            z3.Z3_inc_ref(raw, negative)
            self._literals[number] = positive
            self._literals[-number] = negative
        self._count += count
        return first

    def add(self, clauses: Sequence[tuple[int, ...]]) -> None:
        raw, solver, literals = self._raw, self._solver.solver, self._literals
        for clause in clauses:
            if len(clause) == 1:
                z3.Z3_solver_assert(raw, solver, literals[clause[0]])
                continue
            operands = (z3.Ast * len(clause))(*(literals[x] for x in clause))
            z3.Z3_solver_assert(raw, solver, z3.Z3_mk_or(raw, len(clause), operands))
        self._clauses += len(clauses)

    def check(self, assumptions: Sequence[int]) -> Answer:
        operands = (z3.Ast * len(assumptions))(*(self._literals[x] for x in assumptions))
        answer = z3.Z3_solver_check_assumptions(self._raw, self._solver.solver, len(assumptions), operands)
        if answer == z3.Z3_L_TRUE:
            self._model = self._solver.model()
            return Answer.SATISFIABLE
        return Answer.UNSATISFIABLE if answer == z3.Z3_L_FALSE else Answer.UNKNOWN

    def true(self, literal: int) -> bool:
        assert self._model is not None
        variable = z3.BoolRef(self._literals[abs(literal)], self._context)
        # A variable that the model leaves open may have either value: false then, as without completion.
        return bool(z3.is_true(self._model[variable])) == (literal > 0)

    def interrupt(self) -> None:
        self._context.interrupt()

    def reason(self) -> str:
        return str(self._solver.reason_unknown())

    def statistics(self) -> Mapping[str, int]:
        return {"variables": self._count, "clauses": self._clauses}
