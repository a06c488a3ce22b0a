"""CaDiCaL's refutation of a formula, with a proof that others can check.

CaDiCaL 1.9.5 adds only clauses that follow by reverse unit propagation, so its proofs are DRUP, which every
DRAT checker takes too (N. Wetzler, M. Heule, W. Hunt: DRAT-trim, SAT 2014). A search under assumptions has no
such proof: the formula must be refutable by itself.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

import pysolvers
from pysat.solvers import Solver as PySatSolver


def refute(clauses: Iterable[tuple[int, ...]], proof: Path) -> bool:
    """Whether CaDiCaL refutes the clauses.

    Args:
        clauses: the formula, as literals of DIMACS.
        proof: the file for the proof, as text: a line for each clause added or, after "d", deleted.

    Returns:
        True if they cannot be satisfied and the proof is complete; False if they can be, and the proof is of
        nothing.

    Raises:
        OSError: if the proof cannot be written.
    """
    with proof.open("w+b") as file, PySatSolver(name="cadical195") as solver:
        own = solver.solver
        # python-sat itself asks for the proof in binary, in a file of its own, and reads it back as a list.
        own.configure({"binary": 0})
        own.prfile, own.prfp = file, pysolvers.cadical195_tracepr(own.cadical, file)
        for clause in clauses:
            own.add_clause(clause)
        satisfiable = own.solve()
        pysolvers.flushpr(own.prfp)
    if not satisfiable and not _is_complete(proof):
        # CaDiCaL does not look whether its writing succeeds.
        raise OSError(errno.EIO, "the proof was cut off, as when the disk is full")
    return not satisfiable


def _is_complete(proof: Path) -> bool:
    """Whether the proof adds the empty clause near its end."""
    with proof.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
        return b"0" in file.read().split(b"\n")
