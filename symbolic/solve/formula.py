"""Clauses kept as one formula, for other programs to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from leadline.symbolic.solve.gates import TRUE, Gates


class Formula(Gates):
    """Keeps the clauses that it is given.

    Attributes:
        variables: the number of variables.
        clauses: the clauses in the order in which they came.
    """

    def __init__(self) -> None:
        self.variables = TRUE
        self.clauses: list[tuple[int, ...]] = [(TRUE,)]
        self._guard = TRUE

    def new_variables(self, count: int) -> int:
        first = self.variables + 1
        self.variables += count
        return first

    def add(self, clauses: Sequence[tuple[int, ...]]) -> None:
        if self._guard == TRUE:
            self.clauses += clauses
        else:
            self.clauses += [(-self._guard, *clause) for clause in clauses]

    def define(self, clauses: Sequence[tuple[int, ...]]) -> None:
        # Gates are shared, also with what is not under the guard.
        self.clauses += clauses

    @contextmanager
    def under(self, guard: int) -> Iterator[None]:
        """What is asserted within needs to hold only where the guard, a literal, is true."""
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
