"""CaDiCaL behind the solver interface, through python-sat."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial

import pysolvers
from pysat.solvers import Solver as PySatSolver

from leadline.symbolic.solve.solver import TRUE, Answer, Solver


class CadicalSolver(Solver):
    """CaDiCaL 1.9.5: an incremental solver for clauses, the better one at refuting.

    Args:
        seed: must be 0: python-sat offers no seed for CaDiCaL.
    """

    name = "cadical"

    def __init__(self, seed: int = 0) -> None:
        if seed:
            raise ValueError("CaDiCaL takes no seed")
        self._solver = PySatSolver(name="cadical195")
        self._add_clause = partial(pysolvers.cadical195_add_cl, self._solver.solver.cadical)
        self._count = 0
        self._clauses = 0
        self._model: list[int] = []
        self.new_variables(1)
        self.add([(TRUE,)])

    def new_variables(self, count: int) -> int:
        first = self._count + 1
        self._count += count
        return first

    def add(self, clauses: Sequence[tuple[int, ...]]) -> None:
        self._clauses += len(clauses)
        # What python-sat's own method calls, without the two calls on the way: half of a layer's time.
        deque(map(self._add_clause, clauses), maxlen=0)

    def check(self, assumptions: Sequence[int]) -> Answer:
        if not self._solver.solve(assumptions=list(assumptions)):
            return Answer.UNSATISFIABLE
        self._model = self._solver.get_model()
        return Answer.SATISFIABLE

    def true(self, literal: int) -> bool:
        place = abs(literal) - 1
        # A variable that no clause mentions may have either value: false then.
        value = place < len(self._model) and self._model[place] > 0
        return value == (literal > 0)

    def interrupt(self) -> None:
        raise NotImplementedError("python-sat cannot interrupt CaDiCaL: run it in a child process")

    def reason(self) -> str:
        return "CaDiCaL always answers"

    def statistics(self) -> Mapping[str, int]:
        return {"variables": self._count, "clauses": self._clauses}
