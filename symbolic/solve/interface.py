"""Sinks and solvers: the interfaces through which clauses and gates reach a solver.

A literal is a non-zero integer as in DIMACS: `-x` is the negation of `x`. Variable 1 is the constant true.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import TextIO, TypeAlias

TRUE = 1
"""The variable that is constantly true in every sink."""

Clause: TypeAlias = tuple[int, ...]


class Sink(ABC):
    """A receiver of clauses and gates. A gate becomes clauses unless a subclass overrides that.

    G. S. Tseitin: On the complexity of derivation in propositional calculus, 1968.

    Attributes:
        variables: the number of variables, and the last of them.
    """

    variables = TRUE

    def new_variables(self, count: int) -> int:
        """Reserve variables with consecutive numbers.

        Returns:
            The first of them.
        """
        first = self.variables + 1
        self.variables += count
        return first

    @abstractmethod
    def add(self, clauses: Sequence[Clause]) -> None:
        """Assert clauses."""

    def define(self, clauses: Sequence[Clause]) -> None:
        """Add the clauses that define a gate; any values of its operands satisfy them."""
        self.add(clauses)

    def conj(self, literals: Sequence[int]) -> int:
        """A new variable for the conjunction of several literals."""
        x = self.new_variables(1)
        if len(literals) == 2:  # Most gates have two operands, and this takes half the time.
            left, right = literals
            self.define(((-x, left), (-x, right), (x, -left, -right)))
            return x
        self.define([*((-x, literal) for literal in literals), (x, *(-literal for literal in literals))])
        return x

    def xor(self, left: int, right: int) -> int:
        """A new variable for the exclusive or of two literals."""
        x = self.new_variables(1)
        self.define(((-x, left, right), (-x, -left, -right), (x, -left, right), (x, left, -right)))
        return x

    def mux(self, condition: int, then: int, orelse: int) -> int:
        """A new variable that equals `then` where the condition holds, and `orelse` elsewhere."""
        x, c, a, b = self.new_variables(1), condition, then, orelse
        # The last two clauses follow from the others. They propagate a value on which both arms agree.
        self.define(((-c, -a, x), (-c, a, -x), (c, -b, x), (c, b, -x), (-a, -b, x), (a, b, -x)))
        return x

    def named(self, literals: Sequence[int]) -> tuple[int, ...]:
        """Equivalent literals for a row on which many gates will be built, such as a state's."""
        return tuple(literals)


class Formula(Sink):
    """A sink that keeps its clauses, to write them to a file.

    Attributes:
        clauses: the clauses in the order in which they came.
    """

    def __init__(self) -> None:
        self.clauses: list[Clause] = [(TRUE,)]
        self._guard = TRUE

    def add(self, clauses: Sequence[Clause]) -> None:
        if self._guard == TRUE:
            self.clauses += clauses
        else:
            self.clauses += [(-self._guard, *clause) for clause in clauses]

    def define(self, clauses: Sequence[Clause]) -> None:
        # Gates are never guarded: clauses outside the guard share them.
        self.clauses += clauses

    @contextmanager
    def under(self, guard: int) -> Iterator[None]:
        """Guard the assertions made inside the block: they need to hold only where `guard` is true."""
        before, self._guard = self._guard, guard
        try:
            yield
        finally:
            self._guard = before

    def write(self, file: TextIO, comments: Iterable[str] = ()) -> None:
        """Write the formula in the DIMACS format, below comments of one line each."""
        file.writelines(f"c {comment}\n" for comment in comments)
        file.write(f"p cnf {self.variables} {len(self.clauses)}\n")
        file.writelines(" ".join(map(str, (*clause, 0))) + "\n" for clause in self.clauses)


class Satisfiability(Enum):
    """The outcome of one check."""

    SATISFIABLE = "sat"
    UNSATISFIABLE = "unsat"
    UNKNOWN = "unknown"


class Solver(Sink):
    """An incremental SAT solver. Clauses are never removed.

    Args:
        seed: the seed of the solver's random choices; 0 unless `SOLVERS` says that it takes one.

    Attributes:
        clauses: the number of clauses given; a gate counts as the clauses that define it.
    """

    name: str
    clauses: int

    @abstractmethod
    def __init__(self, seed: int = 0) -> None: ...

    @abstractmethod
    def check(self, assumptions: Sequence[int]) -> Satisfiability:
        """Whether the clauses can be satisfied under assumptions, which count for this call only."""

    @abstractmethod
    def true(self, literal: int) -> bool:
        """Whether a literal is true in the model of the last satisfiable check."""

    @abstractmethod
    def reason(self) -> str:
        """Why the last check answered UNKNOWN."""
