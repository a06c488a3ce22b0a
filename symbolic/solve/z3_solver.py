"""Z3 behind the solver interface.

Z3 gets gates as terms, not as clauses: its search then follows what is relevant to the question, which finds deep
counterexamples many times faster than the same gates in clauses. Terms are built with the raw calls of Z3's C
interface, since the Python layer above them costs ten times as much.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

import z3
from z3 import z3core

from leadline.symbolic.solve.solver import TRUE, Answer, Solver


class Z3Solver(Solver):
    """Z3's incremental solver.

    Args:
        seed: the random seed.
    """

    name = "z3"

    def __init__(self, seed: int = 0) -> None:
        self._context = z3.Context()
        self._solver = z3.Solver(ctx=self._context)
        self._solver.set("random_seed", seed)
        self._raw = self._context.ref()
        self._sort = z3.BoolSort(self._context).ast
        self._terms: dict[int, ctypes.c_void_p] = {}
        self._count = 0
        self._assertions = 0
        self._gates = 0
        self._model: z3.ModelRef | None = None
        self._keep(z3core.Z3_mk_true(self._raw))

    def _keep(self, term: ctypes.c_void_p) -> int:
        """The number of a term; terms and their negations live as long as the solver."""
        self._count += 1
        negation = z3core.Z3_mk_not(self._raw, term)
        for kept in (term, negation):
            z3core.Z3_inc_ref(self._raw, kept)
        self._terms[self._count], self._terms[-self._count] = term, negation
        return self._count

    def new_variables(self, count: int) -> int:
        first = self._count + 1
        for number in range(first, first + count):
            symbol = z3core.Z3_mk_int_symbol(self._raw, number)
            self._keep(z3core.Z3_mk_const(self._raw, symbol, self._sort))
        return first

    def _array(self, literals: Sequence[int]) -> ctypes.Array[ctypes.c_void_p]:
        array: ctypes.Array[ctypes.c_void_p] = (z3.Ast * len(literals))(*map(self._terms.__getitem__, literals))
        return array

    def add(self, clauses: Sequence[tuple[int, ...]]) -> None:
        self._assertions += len(clauses)
        for clause in clauses:
            if len(clause) == 1:
                term = self._terms[clause[0]]
            else:
                term = z3core.Z3_mk_or(self._raw, len(clause), self._array(clause))
            z3core.Z3_solver_assert(self._raw, self._solver.solver, term)

    def conj(self, literals: Sequence[int]) -> int:
        self._gates += 1
        return self._keep(z3core.Z3_mk_and(self._raw, len(literals), self._array(literals)))

    def xor(self, left: int, right: int) -> int:
        self._gates += 1
        return self._keep(z3core.Z3_mk_xor(self._raw, self._terms[left], self._terms[right]))

    def mux(self, condition: int, then: int, orelse: int) -> int:
        self._gates += 1
        terms = self._terms
        return self._keep(z3core.Z3_mk_ite(self._raw, terms[condition], terms[then], terms[orelse]))

    def check(self, assumptions: Sequence[int]) -> Answer:
        # Z3 takes literals of constants as assumptions: a gate gets a constant that implies it.
        literals = [self._assumable(x) for x in assumptions]
        answer = z3core.Z3_solver_check_assumptions(
            self._raw, self._solver.solver, len(literals), self._array(literals)
        )
        if answer == z3.Z3_L_TRUE:
            self._model = self._solver.model()
            return Answer.SATISFIABLE
        return Answer.UNSATISFIABLE if answer == z3.Z3_L_FALSE else Answer.UNKNOWN

    def _assumable(self, literal: int) -> int:
        fresh = self.new_variables(1)
        self.add([(-fresh, literal)])
        return fresh

    def true(self, literal: int) -> bool:
        assert self._model is not None, "there is a model only after a satisfiable check"
        if abs(literal) == TRUE:
            return literal == TRUE
        term = z3.BoolRef(self._terms[abs(literal)], self._context)
        # A variable that the model leaves open may have either value: completion makes it false.
        return bool(z3.is_true(self._model.eval(term, model_completion=True))) == (literal > 0)

    def interrupt(self) -> None:
        self._context.interrupt()

    def reason(self) -> str:
        return str(self._solver.reason_unknown())

    def statistics(self) -> Mapping[str, int]:
        return {"variables": self._count, "clauses": self._assertions + self._gates}
