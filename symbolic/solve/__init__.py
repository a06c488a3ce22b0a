"""The solvers, behind one small interface: add, check, model, interrupt, statistics. Floor 2.

Z3 is the default and the reference, CaDiCaL takes the same clauses. Assumptions are used rather than push
and pop, so learned clauses survive. A query with limits runs in a child process that can be killed, since a
solver's own limits are only requests; what travels to it is names and numbers, never a Z3 object.
"""

from leadline.symbolic.solve.cadical_solver import CadicalSolver
from leadline.symbolic.solve.formula import Formula
from leadline.symbolic.solve.gates import TRUE
from leadline.symbolic.solve.proof import refute
from leadline.symbolic.solve.solver import Answer, Solver
from leadline.symbolic.solve.z3_solver import Z3Solver

SOLVERS: dict[str, type[Solver]] = {"z3": Z3Solver, "cadical": CadicalSolver}
"""The solvers by the name that the command line knows."""

__all__ = ["SOLVERS", "TRUE", "Answer", "CadicalSolver", "Formula", "Solver", "Z3Solver", "refute"]
