"""Leadline: SMT-based bounded model checking of distributed protocols.

`import leadline` gives the language of protocols, which `leadline.symbolic.lang` documents, and the questions
about them: `check`, `prove`, `explore`, `simulate` and `grid`. Nothing is loaded before it is used.

    import leadline

    results = leadline.check("two-phase-commit", variant="backup-manager", depth=24)
    assert results["consistency"].verdict == "violated"
    print(results["consistency"].trace[24].rm_state)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leadline.symbolic.api import *  # noqa: F403  # its __all__ is the library
    from leadline.symbolic.lang.language import *  # noqa: F403  # and this the language

__version__: str

_HOLDERS = ("leadline.symbolic.lang", "leadline.symbolic.api")
_FOLDERS = ("symbolic", "encodings", "properties", "benchmarks")


def __getattr__(name: str) -> object:
    # Not before it is asked for: a protocol's file needs no solver, and a test suite perhaps nothing.
    if name == "__version__":
        found: object = _version()
    elif name == "__all__":
        found = [*(one for holder in _HOLDERS for one in import_module(holder).__all__), "__version__"]
    else:
        found = _exported(name)
    globals()[name] = found
    return found


def _exported(name: str) -> object:
    if not name.startswith("_") and name not in _FOLDERS:
        for holder in map(import_module, _HOLDERS):
            if name in holder.__all__:
                return getattr(holder, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})  # type: ignore[misc]  # a list of names


def _version() -> str:
    # Looking through the installed packages takes a while.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("leadline")
    except PackageNotFoundError:  # a source tree on the path that was never installed
        return "0+uninstalled"
