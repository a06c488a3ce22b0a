"""The way to Spark's machines: Leadline as an archive, and a query as bytes.

A machine may lack Leadline or a solver. A query that comes there returns a `Lack`, which names the machine; the
driver asks it again, and other machines answer it.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import marshal
import os
import pickle
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from pyspark import cloudpickle

import leadline
from leadline.symbolic.grid.task import Errand, TaskResult
from leadline.symbolic.solve import SOLVERS

_PACKAGE = "leadline"
_NEVER_CHECKED = b"\x01\x00\x00\x00"  # PEP 552: compiled code that is not compared with its source
_HOLD = 2.0  # seconds; a machine that refuses at once would be handed every query


@dataclass(frozen=True)
class Lack:
    """A machine that cannot answer a query.

    Attributes:
        host: its name.
        python: the path of its Python.
        what: the package that it lacks.
    """

    host: str
    python: str
    what: str

    def __str__(self) -> str:
        return f"host {self.host} lacks {self.what} in {self.python}"


def write_archive(path: Path) -> None:
    """Write Leadline as an archive that Python imports from, with the code compiled for this Python.

    Args:
        path: the archive, which should end in `.zip`: Spark's workers look past other names.

    Raises:
        OSError: if it cannot be written.
    """
    with ZipFile(path, "w", ZIP_DEFLATED) as to:
        for file in _files():
            place = str(Path(_PACKAGE, file.relative_to(_root())))
            to.write(file, place)
            if file.suffix == ".py":
                to.writestr(f"{place}c", _compiled(file))
        # Python finds a package in an archive by this file, which a source tree's `encodings` has not.
        held = set(to.namelist())
        folders = {str(Path(name).parent) for name in held if name.endswith(".py")}
        for name in sorted({f"{folder}/__init__.py" for folder in folders} - held):
            to.writestr(name, "")
        # The ids of queries depend on the version.
        about = f"Metadata-Version: 2.1\nName: {_PACKAGE}\nVersion: {leadline.__version__}\n"
        to.writestr(f"{_PACKAGE}-{leadline.__version__}.dist-info/METADATA", about)


def _root() -> Path:
    return Path(leadline.__file__).parent


def _files() -> Iterator[Path]:
    """Leadline's own files; in a source tree its folders are links."""
    for folder, folders, files in os.walk(_root(), followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
        yield from (Path(folder, name) for name in sorted(files) if not name.startswith("."))


def _compiled(file: Path) -> bytes:
    """A module's code, as Python keeps it in a `.pyc` file."""
    name = ".".join([_PACKAGE, *file.relative_to(_root()).with_suffix("").parts])
    code = importlib.machinery.SourceFileLoader(name, str(file)).get_code(name)
    return importlib.util.MAGIC_NUMBER + _NEVER_CHECKED + bytes(8) + marshal.dumps(code)


def packed_errand(errand: Errand) -> Callable[[], bytes]:
    """A function that a machine runs to answer a query, whatever that machine lacks; `unpacked` reads its result.

    The function is sent by value, and loads Leadline only when it runs.
    """
    payload: bytes = cloudpickle.dumps(errand)  # type: ignore[no-untyped-call]  # pyspark leaves it so
    version, hold = leadline.__version__, _HOLD

    def work() -> bytes:
        import pickle
        import platform
        import sys
        import time

        try:
            from leadline.symbolic.grid.shipping import answer_here
        except ImportError as error:
            time.sleep(hold)
            what = f"the Python package {error.name or error}"
            return pickle.dumps((platform.node(), sys.executable, what))
        return answer_here(payload, version)

    return work


def packed_work(errand: object) -> Callable[[int], bytes]:
    """The method `do` of an errand as a function that is sent by value, and loads Leadline only when it runs."""
    payload: bytes = cloudpickle.dumps(errand)  # type: ignore[no-untyped-call]  # pyspark leaves it so

    def work(number: int) -> bytes:
        import pickle

        found: bytes = pickle.loads(payload).do(number)
        return found

    return work


def answer_here(payload: bytes, version: str) -> bytes:
    """Answer a query on this machine, if it has what that needs.

    Args:
        payload: the errand.
        version: the driver's version of Leadline.
    """
    what = _lacks(version)
    if what is not None:
        return refused(platform.node(), sys.executable, what)
    errand: Errand = pickle.loads(payload)
    return pickle.dumps(errand.do())


def refused(host: str, python: str, what: str) -> bytes:
    """A `Lack` as `unpacked` reads it, after a while."""
    time.sleep(_HOLD)
    return pickle.dumps((host, python, what))


def _lacks(version: str) -> str | None:
    if leadline.__version__ != version:
        return f"Leadline {version} (it has {leadline.__version__})"
    for solver in SOLVERS.values():
        try:
            importlib.metadata.version(solver.package)
        except importlib.metadata.PackageNotFoundError:
            return f"the Python package {solver.package}"
    return None


def unpacked(found: bytes) -> TaskResult | Lack:
    """The result of a packed errand."""
    result: TaskResult | tuple[str, str, str] = pickle.loads(found)
    return result if isinstance(result, TaskResult) else Lack(*result)
