"""A small solver for many small questions: clauses in; a model or a core of the assumptions out.

Property-directed reachability asks tens of thousands of questions of less than a millisecond each. Glucose
answers these faster than CaDiCaL does, which is made for long ones (docs/decisions/0007).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leadline.symbolic.solve.interface import TRUE

Clause = tuple[int, ...]


class CoreSolver:
    """An incremental solver for clauses over integer literals as in DIMACS.

    Args:
        clauses: the clauses to begin with.
        variables: the number of variables that there are at least.
    """

    def __init__(self, clauses: Iterable[Clause], variables: int) -> None:
        # Here, so that commands without a solver do not wait for the library.
        from pysat.solvers import Solver as PySatSolver

        self._solver = PySatSolver(name="glucose4", bootstrap_with=clauses)
        self.variables = variables

    def new_variable(self) -> int:
        """A variable that no clause mentions."""
        self.variables += 1
        return self.variables

    def add(self, clause: Sequence[int]) -> None:
        """Assert a clause."""
        self._solver.add_clause(clause)

    def check(self, assumptions: Sequence[int]) -> bool:
        """Whether the clauses and the assumptions, which count for this call only, can be satisfied."""
        return bool(self._solver.solve(assumptions=assumptions))

    def core(self) -> frozenset[int]:
        """Assumptions that cannot hold together, after a check that failed."""
        return frozenset(self._solver.get_core() or ())

    def model(self) -> list[int]:
        """The literal that is true of each variable, in order, after a check that succeeded."""
        found: list[int] = self._solver.get_model()
        # Variables that no clause mentions are left out at the end.
        found += range(-len(found) - 1, -self.variables - 1, -1)
        return found

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.delete()


def simplified(clauses: Sequence[Clause], frozen: Iterable[int]) -> list[Clause]:
    """Clauses without most of the variables, equivalent over those that are frozen.

    N. Eén, A. Biere: Effective Preprocessing in SAT through Variable and Clause Elimination, SAT 2005.

    Args:
        clauses: the clauses.
        frozen: the variables to keep: all that will be assumed, read or mentioned by other clauses.
    """
    from pysat.solvers import Cadical153

    off = dict.fromkeys(("decompose", "probe", "probehbr", "vivify"), False)
    # PySAT's `Processor` would do the same, and copy each clause twice more.
    with Cadical153(bootstrap_with=clauses) as solver:
        status, found = solver.process(freeze=sorted(frozen), **off)
    # 20 is unsatisfiable, as in the solvers' competitions.
    return list(clauses) if status == 20 else [(TRUE,), *map(tuple, found)]
