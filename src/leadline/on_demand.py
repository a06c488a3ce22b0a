"""Packages that load a module when one of its names is used, and not before (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType


def on_demand(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The function `__getattr__` of a package.

    A module that writes `from leadline.symbolic.engines import liveness` and `liveness.answered(...)` loads
    the package at once, and what is in it with the first call.

    Args:
        package: the package's name.
        names: for each module, such as `.reduction`, the names that the package has from there. A name must not
            be that of a module in the package, since Python would then take it for that module.
    """
    holders = {name: module for module, own in names.items() for name in own}

    def get(name: str) -> object:
        if name not in holders:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(holders[name], package), name)
        setattr(sys.modules[package], name, found)
        return found

    return get


def load_whole(package: ModuleType) -> None:
    """Load all that a package has, before any of it is used."""
    for name in package.__all__:
        getattr(package, name)
