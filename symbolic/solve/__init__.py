"""The solvers, behind one small interface: add, check, model, statistics. Floor 2.

Checks take assumptions in place of push and pop, so learned clauses survive. A query with limits runs in a
child process that can be killed, since a solver's own limits are only requests. Names and numbers travel to
the child, never a solver's objects. Importing this package loads no solver's library.
"""

from leadline.symbolic.solve.interface import TRUE, Clause, Formula, Satisfiability, Sink, Solver
from leadline.symbolic.solve.solvers import DEFAULT, LONE, PROVER, RACERS, SOLVERS, refute
