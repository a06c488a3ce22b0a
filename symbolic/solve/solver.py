"""The one interface of solvers: clauses in, an answer under assumptions out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum

from leadline.symbolic.solve.gates import TRUE, Gates

__all__ = ["TRUE", "Answer", "Solver"]


class Answer(Enum):
    """What a solver says of its clauses under assumptions."""

    SATISFIABLE = "sat"
    UNSATISFIABLE = "unsat"
    UNKNOWN = "unknown"


class Solver(Gates):
    """An incremental SAT solver over integer literals as in DIMACS. Clauses only accumulate.

    Args:
        seed: what it draws its random choices from; one that draws none takes only 0.
    """

    name: str

    @abstractmethod
    def __init__(self, seed: int = 0) -> None: ...

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
