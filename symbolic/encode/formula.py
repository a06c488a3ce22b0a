"""Clauses kept as one formula, to be written for other programs to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.template import Clause


class Formula:
    """A clause sink that keeps what it is given. Variable 1 is the constant true.

    Attributes:
        variables: the number of variables.
        clauses: the clauses in the order in which they came.
        guard: the literal that clauses are under from now on: they need not hold where it is false.
    """

    def __init__(self) -> None:
        self.variables = TRUE
        self.clauses: list[Clause] = [(TRUE,)]
        self.guard: int = TRUE

    def new_variables(self, count: int) -> int:
        """Reserve variables; the first one's number."""
        first = self.variables + 1
        self.variables += count
        return first

    def add(self, clauses: Sequence[Clause]) -> None:
        """Assert clauses under the guard."""
        if self.guard == TRUE:
            self.clauses += clauses
        else:
            self.clauses += [(-self.guard, *clause) for clause in clauses]

    def write(self, file: TextIO, comments: Iterable[str] = ()) -> None:
        """Write the formula in the DIMACS format, below comments of one line each."""
        file.writelines(f"c {comment}\n" for comment in comments)
        file.write(f"p cnf {self.variables} {len(self.clauses)}\n")
        file.writelines(" ".join(map(str, (*clause, 0))) + "\n" for clause in self.clauses)
