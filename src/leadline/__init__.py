"""Leadline: SMT-based bounded model checking of distributed protocols."""

from functools import cache

__version__: str


@cache
def __getattr__(name: str) -> str:
    # Not before it is asked for: looking through the installed packages takes a while.
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("leadline")
    except PackageNotFoundError:  # a source tree on the path that was never installed
        return "0+uninstalled"
