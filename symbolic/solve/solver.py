"""The one interface of solvers: clauses in, an answer under assumptions out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum

TRUE = 1
"""Variable 1 is the constant true in every solver."""


class Answer(Enum):
    """What a solver says of its clauses under assumptions."""

    SATISFIABLE = "sat"
    UNSATISFIABLE = "unsat"
    UNKNOWN = "unknown"


class Solver(ABC):
    """An incremental SAT solver over integer literals as in DIMACS. Clauses only accumulate."""

    name: str

    @abstractmethod
    def new_variables(self, count: int) -> int:
        """Reserve variables.

        Returns:
            The number of the first; the others follow it.
        """

    @abstractmethod
    def add(self, clauses: Sequence[tuple[int, ...]]) -> None:
        """Assert clauses."""

    def conj(self, literals: Sequence[int]) -> int:
        """A literal equivalent to the conjunction of several, by Tseitin's clauses unless overridden."""
        x = self.new_variables(1)
        self.add([*((-x, literal) for literal in literals), (x, *(-literal for literal in literals))])
        return x

    def xor(self, left: int, right: int) -> int:
        """A literal equivalent to the exclusive or of two."""
        x = self.new_variables(1)
        self.add([(-x, left, right), (-x, -left, -right), (x, -left, right), (x, left, -right)])
        return x

    def mux(self, condition: int, then: int, orelse: int) -> int:
        """A literal equivalent to `then` where the condition holds, to `orelse` elsewhere."""
        x, c, a, b = self.new_variables(1), condition, then, orelse
        # The last two follow from the others; they let the solver see what both arms agree on.
        self.add([(-c, -a, x), (-c, a, -x), (c, -b, x), (c, b, -x), (-a, -b, x), (a, b, -x)])
        return x

    @abstractmethod
    def check(self, assumptions: Sequence[int]) -> Answer:
        """Whether the clauses and the assumptions, which count for this call only, can be satisfied."""

    @abstractmethod
    def true(self, literal: int) -> bool:
        """Whether a literal is true in the model of the last satisfiable check."""

    @abstractmethod
    def interrupt(self) -> None:
        """Make a running check, in another thread, answer UNKNOWN soon."""

    @abstractmethod
    def reason(self) -> str:
        """Why the last check answered UNKNOWN."""

    @abstractmethod
    def statistics(self) -> Mapping[str, int]:
        """`variables` and `clauses` given so far."""
