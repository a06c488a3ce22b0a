"""The table of engines. A new engine is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from leadline.symbolic.engines.bmc import Bmc
from leadline.symbolic.engines.engine import Engine
from leadline.symbolic.engines.explore import Explore
from leadline.symbolic.engines.induction import Induction
from leadline.symbolic.engines.invariants import InvariantCheck
from leadline.symbolic.engines.portfolio import Portfolio
from leadline.symbolic.engines.provers import KInduction, Pdr
from leadline.symbolic.engines.refutation import Refutation
from leadline.symbolic.engines.simulate import Simulate

ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        engine.name: engine
        for engine in (
            Portfolio(),
            Bmc(),
            Explore(),
            Induction(),
            Pdr(),
            KInduction(),
            InvariantCheck(),
            Refutation(),
            Simulate(),
        )
    }
)
"""The engines by name."""


def engines_of(command: str) -> dict[str, Engine]:
    """The engines that a command offers, by name, the default first."""
    return {name: one for name, one in ENGINES.items() if command in one.commands}
