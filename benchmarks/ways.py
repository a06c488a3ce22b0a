"""The ways to an answer that are compared: unrollings, solvers, and checkers that go from state to state."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.symbolic.engines import UNROLLINGS, BmcOptions
from leadline.symbolic.engines.ask.query import AUTO
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.solve import DEFAULT, SOLVERS

STEPS, SWEEPS = UNROLLINGS

BESIDE = "beside"
"""A program of the user's: it takes PROTOCOL PROPERTY NAME=VALUE ... and exits as `leadline prove` does."""


@dataclass(frozen=True)
class Way:
    """A way to an answer.

    Attributes:
        name: as the command line and the records call it.
        engine: an engine of Leadline's; a command that is run if it is on the PATH: "tlc", "apalache-mc",
            "berkeley-abc"; or `BESIDE`.
        unroll: the content of a layer, for a bounded check.
        solver: the solver, for a bounded check.
        symmetry: whether members of a sort that the model treats alike are picked in the order of first use.
    """

    name: str
    engine: str
    unroll: str | None = None
    solver: str | None = None
    symmetry: bool = False


PDR = PdrOptions.engine


def _bmc(unroll: str, solver: str, *, symmetry: bool = True) -> Way:
    name = f"{unroll}/{solver}" + ("" if symmetry else "/no-symmetry")
    return Way(name, BmcOptions.engine, unroll, solver, symmetry)


_ALL = (
    *(_bmc(STEPS, solver) for solver in SOLVERS),
    *(_bmc(SWEEPS, solver) for solver in (*SOLVERS, AUTO)),
    *(_bmc(SWEEPS, solver, symmetry=False) for solver in SOLVERS),
    Way(PDR, PDR),
    Way("explore", "explore"),
    Way("tlc", "tlc"),
    Way("apalache", "apalache-mc"),
    Way("abc", "berkeley-abc"),
    Way(BESIDE, BESIDE),
)

WAYS = {way.name: way for way in _ALL}
"""The ways by name, in the order of the tables."""

BASELINE = f"steps/{DEFAULT}"
"""The way that the others are measured against: the plain unrolling with the default solver."""

PROOFS = (PDR, "explore", "tlc", "abc", BESIDE)
"""The ways of a proof."""

RUN_PROOFS = (PDR, "explore")
"""The ways of a proof of a claim about runs."""

LASSOS = (*(f"{SWEEPS}/{solver}" for solver in SOLVERS), "explore")
"""The ways to a run that violates a claim about runs."""

_ALONE = (f"sweeps/{DEFAULT}/no-symmetry", PDR, "abc", BESIDE)
USUAL = tuple(name for name in WAYS if name not in _ALONE)
"""The ways of a case that does not say otherwise."""

WITHOUT_SORTS = tuple(name for name in USUAL if not name.endswith("/no-symmetry"))
"""The same for a protocol without interchangeable values."""

SEARCHES = tuple(name for name in USUAL if name.startswith("sweeps/") and not name.endswith("/no-symmetry"))
"""Sweeps as they are meant to be used, by any solver."""
