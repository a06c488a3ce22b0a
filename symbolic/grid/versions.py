"""What answers: the versions of Leadline, of Python and of the solvers, as rows and manifests name them."""

from __future__ import annotations

import importlib.metadata
import platform
from functools import cache

import leadline

_PACKAGES = {"z3": "z3-solver", "cadical": "python-sat"}


@cache
def solver_version(solver: str) -> str:
    """The package of a solver and its version, such as `z3-solver 5.4.0`."""
    package = _PACKAGES[solver]
    return f"{package} {importlib.metadata.version(package)}"


def leadline_version() -> str:
    """The version of this Leadline."""
    return leadline.__version__


def python_version() -> str:
    """The version of this Python."""
    return platform.python_version()
