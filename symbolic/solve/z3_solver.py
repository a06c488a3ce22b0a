"""Z3 behind the solver interface.

Clauses go in as DIMACS text, which Z3 parses itself: building the same terms through the Python binding
takes ten times as long. Z3 names the variable of number n `k!n`, which is the symbol of the integer n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import z3

from leadline.symbolic.solve.solver import TRUE, Answer, Solver

_CTRL_C = "interrupted from keyboard"
"""Z3's reason when it took the signal for itself, which Python then never sees."""


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
        self._sort = z3.BoolSort(self._context)
        self._variables: dict[int, z3.BoolRef] = {}
        self._count = 0
        self._clauses = 0
        self._waiting: list[str] = []
        self._model: z3.ModelRef | None = None
        self.new_variables(1)
        self.add([(TRUE,)])

    def new_variables(self, count: int) -> int:
        first = self._count + 1
        self._count += count
        return first

    def add(self, clauses: Sequence[tuple[int, ...]]) -> None:
        self._clauses += len(clauses)
        self._waiting += [" ".join(map(str, clause)) for clause in clauses]

    def _flush(self) -> None:
        if self._waiting:
            self._waiting.append("")
            head = f"p cnf {self._count} {len(self._waiting) - 1}\n"
            self._solver.from_string(head + " 0\n".join(self._waiting))
            self._waiting = []

    def _variable(self, number: int) -> z3.BoolRef:
        known = self._variables.get(number)
        if known is None:
            raw = self._context.ref()
            constant = z3.Z3_mk_const(raw, z3.Z3_mk_int_symbol(raw, number), self._sort.ast)
            known = self._variables[number] = z3.BoolRef(constant, self._context)
        return known

    def check(self, assumptions: Sequence[int]) -> Answer:
        self._flush()
        literals = [self._variable(x) if x > 0 else z3.Not(self._variable(-x)) for x in assumptions]
        answer = self._solver.check(*literals)
        if answer == z3.sat:
            self._model = self._solver.model()
            return Answer.SATISFIABLE
        if answer == z3.unknown and self.reason() == _CTRL_C:
            raise KeyboardInterrupt
        return Answer.UNSATISFIABLE if answer == z3.unsat else Answer.UNKNOWN

    def true(self, literal: int) -> bool:
        assert self._model is not None, "there is a model only after a satisfiable check"
        # A variable that the model leaves open may have either value: false then.
        return bool(z3.is_true(self._model[self._variable(abs(literal))])) == (literal > 0)

    def interrupt(self) -> None:
        self._context.interrupt()

    def reason(self) -> str:
        return str(self._solver.reason_unknown())

    def statistics(self) -> Mapping[str, int]:
        return {"variables": self._count, "clauses": self._clauses}
