"""The table of solvers: what each can do, and how to make one. Reading it loads no solver's library."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from leadline.symbolic.solve.interface import Clause, Solver


@dataclass(frozen=True)
class SolverKind:
    """A kind of solver. Calling it with a seed makes a solver.

    Attributes:
        name: its name on the command line and in results.
        title: its name in a sentence.
        package: the distribution that brings it.
        module: the module of Leadline that wraps it.
        wrapper: the class of that module that wraps it.
        takes_seed: whether it takes a seed other than 0.
        writes_proofs: whether its module has a function `refute`, which writes a proof.
        rechecked_by: the solver that answers again what this one has answered.
    """

    name: str
    title: str
    package: str
    module: str
    wrapper: str
    takes_seed: bool
    writes_proofs: bool
    rechecked_by: str

    def __call__(self, seed: int = 0) -> Solver:
        """Make a fresh solver; the first call loads its library."""
        made: Solver = getattr(self.load(), self.wrapper)(seed)
        return made

    def load(self) -> Any:
        """The module of Leadline that wraps the solver."""
        return importlib.import_module(f"leadline.symbolic.solve.{self.module}")

    @property
    def version(self) -> str:
        """The solver's distribution and its version, such as `z3-solver 5.4.0`."""
        return f"{self.package} {importlib.metadata.version(self.package)}"


_KINDS = (
    SolverKind(
        "z3",
        "Z3",
        package="z3-solver",
        module="z3_solver",
        wrapper="Z3Solver",
        takes_seed=True,
        writes_proofs=False,
        rechecked_by="cadical",
    ),
    SolverKind(
        "cadical",
        "CaDiCaL",
        package="python-sat",
        module="cadical",
        wrapper="CadicalSolver",
        takes_seed=False,
        writes_proofs=True,
        rechecked_by="z3",
    ),
)

SOLVERS: Mapping[str, SolverKind] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""The solvers by name."""

DEFAULT = "z3"
"""The solver of a query that names none: the reference."""

RACERS = ("cadical", "z3")
"""The solvers that race for the choice "auto", the one that is usually faster first."""

LONE = RACERS[0]
"""The solver for the choice "auto" where only one can run."""

PROVER = next(kind for kind in _KINDS if kind.writes_proofs)
"""The solver that writes proofs."""


def refute(clauses: Iterable[Clause], proof: Path) -> bool:
    """Whether the clauses cannot be satisfied; if so, `PROVER` writes a proof of it.

    Args:
        clauses: the formula.
        proof: the file for the proof (DRUP as text): a line for each clause added or, after "d", deleted.

    Returns:
        True if the clauses cannot be satisfied and the proof is complete. False if they can be; the file then
        proves nothing.

    Raises:
        OSError: if the proof cannot be written.
    """
    refuted: bool = PROVER.load().refute(clauses, proof)
    return refuted
