"""The table of engines. A new engine is a module and a line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from leadline.symbolic.engines.ask.engine import Engine

_CLASSES = {
    "portfolio": "engines.run.portfolio.Portfolio",
    "formulas": "engines.run.formulas.Formulas",
    "bmc": "engines.bounded.bmc.Bmc",
    "explore": "engines.explore.explore.Explore",
    "induction": "engines.prove.induction.engine.Induction",
    "pdr": "engines.prove.provers.Pdr",
    "invariant": "engines.prove.invariants.InvariantCheck",
    "refutation": "engines.bounded.refutation.Refutation",
    "simulate": "engines.explore.simulate.Simulate",
    "novelty": "engines.explore.novelty.NoveltySearch",
    "conform": "conform.engine.Conform",
}
"""The class of each engine, by room; its module is loaded when the engine is first used."""

_COMMANDS = {
    "check": ("portfolio", "bmc", "explore", "pdr", "novelty"),
    "explore": ("explore",),
    "prove": ("induction", "pdr"),
    "simulate": ("simulate",),
}
"""The engines that each command offers, the default first."""


class _Engines(Mapping[str, Engine]):
    """The engines by name, each made once."""

    def __getitem__(self, name: str) -> Engine:
        return _engine(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)

    def __contains__(self, name: object) -> bool:
        return name in _CLASSES


@cache
def _engine(name: str) -> Engine:
    module, _, kind = _CLASSES[name].rpartition(".")
    made: Engine = getattr(import_module(f"leadline.symbolic.{module}"), kind)()
    return made


ENGINES: Mapping[str, Engine] = _Engines()
"""The engines by name."""


def engines_of(command: str) -> dict[str, Engine]:
    """The engines that a command offers, by name, the default first."""
    return {name: ENGINES[name] for name in _COMMANDS[command]}
