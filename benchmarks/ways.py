"""The ways to an answer that are compared: unrollings, solvers, and checkers that go from state to state."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.symbolic.engines.bmc import STEPS, SWEEPS
from leadline.symbolic.engines.query import AUTO


@dataclass(frozen=True)
class Way:
    """A way to an answer.

    Attributes:
        name: as the command line and the records call it.
        engine: "bmc", "explore", or a command that is run if it is on the PATH: "tlc", "apalache-mc".
        unroll: what a layer holds, for bmc.
        solver: the solver, for bmc.
        symmetry: whether members of a sort that the model treats alike are picked in the order of first use.
    """

    name: str
    engine: str
    unroll: str | None = None
    solver: str | None = None
    symmetry: bool = False


def _bmc(unroll: str, solver: str, *, symmetry: bool = True) -> Way:
    # Symmetry is used by sweeps alone.
    name = f"{unroll}/{solver}" + ("" if symmetry else "/no-symmetry")
    return Way(name, "bmc", unroll, solver, symmetry and unroll == SWEEPS)


_ALL = (
    _bmc(STEPS, "z3"),
    _bmc(STEPS, "cadical"),
    _bmc(SWEEPS, "z3"),
    _bmc(SWEEPS, "cadical"),
    _bmc(SWEEPS, AUTO),
    _bmc(SWEEPS, "z3", symmetry=False),
    _bmc(SWEEPS, "cadical", symmetry=False),
    Way("explore", "explore"),
    Way("tlc", "tlc"),
    Way("apalache", "apalache-mc"),
)

WAYS = {way.name: way for way in _ALL}
"""The ways by name, in the order of the tables."""

BASELINE = "steps/z3"
"""The way that the others are measured against: the plain unrolling with the default solver."""

USUAL = tuple(name for name in WAYS if name != "sweeps/z3/no-symmetry")
"""The ways of a case that does not say otherwise."""

WITHOUT_SORTS = tuple(name for name in USUAL if not name.endswith("/no-symmetry"))
"""The same for a protocol without interchangeable values."""

SEARCHES = tuple(name for name in USUAL if name.startswith("sweeps/") and not name.endswith("/no-symmetry"))
"""Sweeps as they are meant to be used, by any solver."""
