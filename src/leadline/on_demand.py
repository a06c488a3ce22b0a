"""Packages that load a module when one of its names is used, and not before (PEP 562)."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType


def on_demand(package: str) -> Callable[[str], object]:
    """The function `__getattr__` of a package; sets the package's `__all__` too.

    The package has the names that it imports under `if TYPE_CHECKING:`, where type checkers read them. A module
    that writes `from leadline.symbolic.engines import liveness` and `liveness.answered(...)` loads the package at
    once, and what is in it with the first call.

    Args:
        package: the package's name. A name in it must not be that of one of its modules, since Python would then
            take it for that module.
    """
    module = sys.modules[package]
    holders = {alias.name: imported.module for imported in _typed(module) for alias in imported.names}
    setattr(module, "__all__", sorted(holders))  # noqa: B010  # no attribute, to mypy

    def get(name: str) -> object:
        if name not in holders:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(str(holders[name])), name)
        setattr(module, name, found)
        return found

    return get


def _typed(module: ModuleType) -> list[ast.ImportFrom]:
    """The imports of a module under `if TYPE_CHECKING:`."""
    # Not by the loader: an executor of a Spark cluster has one of its own, which gives no source.
    body = ast.parse("".join(linecache.getlines(str(module.__file__), vars(module)))).body
    guarded = [line for one in body if isinstance(one, ast.If) for line in one.body]
    return [line for line in guarded if isinstance(line, ast.ImportFrom)]


def load_whole(package: ModuleType) -> None:
    """Load all that a package has, before any of it is used."""
    for name in package.__all__:
        getattr(package, name)
