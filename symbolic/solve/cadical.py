"""CaDiCaL behind the solver interface, through python-sat, and its proofs.

CaDiCaL 1.9.5 adds only clauses that follow by reverse unit propagation, so its proofs are DRUP, which every
DRAT checker takes too (N. Wetzler, M. Heule, W. Hunt: DRAT-trim, SAT 2014). A search under assumptions has no
such proof: the formula must be refutable by itself.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import pysolvers
from pysat.solvers import Solver as PySatSolver

from leadline.symbolic.solve.interface import TRUE, Clause, Satisfiability, Solver

_NAME = "cadical195"
_CONFLICTS_AT_ONCE = 10_000
"""A search pauses after so many conflicts, so that Python can act on a signal, such as that the time is over."""


class CadicalSolver(Solver):
    """CaDiCaL 1.9.5: an incremental solver for clauses, usually the faster one at refuting.

    Args:
        seed: must be 0: python-sat offers no seed for CaDiCaL.
    """

    name = "cadical"

    def __init__(self, seed: int = 0) -> None:
        if seed:
            raise ValueError("CaDiCaL takes no seed")
        self._solver = PySatSolver(name=_NAME)
        self._add_clause = partial(pysolvers.cadical195_add_cl, self._solver.solver.cadical)
        self.clauses = 0
        self._model: list[int] = []
        self.add([(TRUE,)])

    def add(self, clauses: Sequence[Clause]) -> None:
        self.clauses += len(clauses)
        # This skips the two Python calls of python-sat's own method, which take half of a layer's time.
        deque(map(self._add_clause, clauses), maxlen=0)

    def check(self, assumptions: Sequence[int]) -> Satisfiability:
        given, found = list(assumptions), None
        while found is None:
            self._solver.conf_budget(_CONFLICTS_AT_ONCE)
            found = self._solver.solve_limited(given)
        if not found:
            return Satisfiability.UNSATISFIABLE
        self._model = self._solver.get_model()
        return Satisfiability.SATISFIABLE

    def true(self, literal: int) -> bool:
        place = abs(literal) - 1
        # A variable that no clause mentions may have either value; it counts as false.
        value = place < len(self._model) and self._model[place] > 0
        return value == (literal > 0)

    def reason(self) -> str:
        return "CaDiCaL always answers"


def refute(clauses: Iterable[Clause], proof: Path) -> bool:
    """See `leadline.symbolic.solve.refute`."""
    with proof.open("w+b") as file, PySatSolver(name=_NAME) as solver:
        own = solver.solver
        # python-sat itself asks for the proof in binary, in a file of its own, and reads it back as a list.
        own.configure({"binary": 0})
        own.prfile, own.prfp = file, pysolvers.cadical195_tracepr(own.cadical, file)
        for clause in clauses:
            own.add_clause(clause)
        satisfiable = own.solve()
        pysolvers.flushpr(own.prfp)
    if not satisfiable and not _is_complete(proof):
        # CaDiCaL does not notice that its writing failed.
        raise OSError(errno.EIO, "the proof was cut off, as when the disk is full")
    return not satisfiable


def _is_complete(proof: Path) -> bool:
    """Whether the proof adds the empty clause near its end."""
    with proof.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
        return b"0" in file.read().split(b"\n")
