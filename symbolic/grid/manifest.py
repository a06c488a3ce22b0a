"""The manifest of a store: the runs so far and the models that they asked about.

In a folder it is one file, which a run writes anew while it holds the store's lock. An object store has no
locks, so that each run has a file of its own there, `manifest.<run>.json`. Readers put together
what they find, and a compaction makes one file of several.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial, reduce
from typing import Any

import leadline
from leadline.symbolic.files import file_bytes
from leadline.symbolic.grid.cells import Obligations, obligations_of
from leadline.symbolic.grid.durable import write_text
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.remote import Place, Remote, at_once
from leadline.symbolic.grid.rows import SCHEMA_VERSION, solver_version
from leadline.symbolic.lang import UserError

_NAME = "manifest.json"
_NAMES = re.compile(r"manifest(?:\.[A-Za-z0-9_-]{1,100})?\.json")
_MERGED = "merged-"
_RUN = re.compile(rf"manifest\.(.{{1,60}}?)(?:-{_MERGED}\w+)?\.json")
_LOCK = ".lock"
_LOOKS = 3  # files that go away while they are read are in a merged one by the next look
_PARTS = ("runs", "fingerprints", "obligations")


@dataclass(frozen=True)
class Manifest:
    """The runs and models of a store, for people and reports: each row has its own versions too.

    Attributes:
        runs: the grid's name, if it has one, and the versions of Leadline, of Python and of the solvers on the
            machine that started each run.
        fingerprints: the model's latest fingerprint, by protocol and by parameters as rows spell them.
        obligations: the number of obligations of each inductive proof, by fingerprint and property.
    """

    runs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    fingerprints: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    obligations: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def proofs(self) -> Obligations:
        """The number of obligations of each proof."""
        return {(of, name): count for of, found in self.obligations.items() for name, count in found.items()}

    @classmethod
    def read(cls, folder: Place) -> Manifest:
        """The manifest of a store; what cannot be read of it is left out, and the next run writes it anew.

        Raises:
            UserError: if the store's rows have columns of another version.
            OSError: if the store is elsewhere and may not be read.
            StoreAway: if it is elsewhere and cannot be reached.
        """
        found: list[Manifest | None] = []
        for _ in range(_LOOKS):
            names = _files_of(folder)
            part = partial(cls.part, folder)
            found = at_once(part, names) if isinstance(folder, Remote) else [*map(part, names)]
            if None not in found or names == _files_of(folder):
                break
        return reduce(cls.plus, filter(None, found), cls())

    @classmethod
    def part(cls, folder: Place, name: str) -> Manifest | None:
        """The manifest in one file; None if it cannot be read.

        Raises:
            UserError: if it is of another version.
        """
        try:
            return cls._whole(folder, name)
        except UserError:
            raise
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    @classmethod
    def _whole(cls, folder: Place, name: str) -> Manifest:
        """The manifest in one file, all of it.

        Raises:
            OSError: if it cannot be read.
            ValueError, KeyError, TypeError, RecursionError: if it is none.
            UserError: if it is of another version.
        """
        data = json.loads(file_bytes(folder / name))
        version = data["schema"]
        if version != SCHEMA_VERSION:
            raise UserError(
                f"the store {folder} is of version {version}, and this Leadline reads version "
                f"{SCHEMA_VERSION}: choose another folder, or the Leadline that wrote it"
            )
        parts = [data.get(name) for name in _PARTS]
        whole = all(
            isinstance(part, dict) and all(isinstance(one, dict) for one in part.values()) for part in parts
        )
        if not whole:
            raise ValueError("its parts are no objects")
        return cls(*parts)

    def plus(self, later: Manifest) -> Manifest:
        """Both together; of two entries the later one counts."""
        points, proofs = self.fingerprints, self.obligations
        newer = {name: {**points.get(name, {}), **more} for name, more in later.fingerprints.items()}
        counts = {of: {**proofs.get(of, {}), **more} for of, more in later.obligations.items()}
        return Manifest({**self.runs, **later.runs}, {**points, **newer}, {**proofs, **counts})

    def grids(self) -> list[str]:
        """The names of the grids that were run, in order."""
        names = (run.get("grid") for _, run in sorted(self.runs.items()))
        return list(dict.fromkeys(name for name in names if isinstance(name, str) and name))

    @classmethod
    def of(cls, run: str, queries: Iterable[GridQuery], grid: str) -> Manifest:
        """The manifest of one run of these queries."""
        asked = [*queries]
        points: dict[str, dict[str, str]] = {}
        for query in asked:
            points.setdefault(query.protocol, {})[query.parameters] = query.fingerprint
        proofs: dict[str, dict[str, int]] = {}
        for (of, name), count in obligations_of(asked).items():
            proofs.setdefault(of, {})[name] = count
        solvers = {query.solver for query in asked} - {""}
        versions = {
            **({"grid": grid} if grid else {}),
            "leadline": leadline.__version__,
            "python": platform.python_version(),
            "solvers": [solver_version(solver) for solver in sorted(solvers)],
        }
        return cls({run: versions}, points, proofs)

    def write(self, folder: Place, run: str | None = None) -> None:
        """Write the manifest.

        Args:
            folder: the store's folder.
            run: the run whose own manifest it is; None if it is that of all runs.

        Raises:
            OSError: if that fails; a manifest that was there is as it was.
            StoreAway: if the store is elsewhere and cannot be reached.
        """
        name = _NAME if run is None else f"manifest.{run}.json"
        write_text(folder / name, json.dumps({"schema": SCHEMA_VERSION, **asdict(self)}, indent=1) + "\n")


def merge(folder: Remote) -> None:
    """Make one manifest of those of many runs; those that cannot be read stay as they are.

    Nothing is lost if this is stopped, or done twice at once: a manifest is removed once a merged one is listed.

    Raises:
        OSError: if the store cannot be written.
        StoreAway: if it cannot be reached.
    """
    names = _files_of(folder)
    read = at_once(partial(Manifest.part, folder), names)
    found = {name: one for name, one in zip(names, read, strict=True) if one is not None}
    if len(found) < 2:
        return
    # Named after the last run, so that its entries still count more than those of runs before.
    (last,) = _RUN.findall([*found][-1]) or ("",)
    merged = f"{last}-{_MERGED}{uuid.uuid4().hex[:8]}"
    reduce(Manifest.plus, found.values()).write(folder, merged)
    if f"manifest.{merged}.json" in _files_of(folder):
        at_once(lambda name: (folder / name).unlink(missing_ok=True), found)


def _files_of(folder: Place) -> list[str]:
    """The names of the manifests of a store, in the order of their runs."""
    found = folder.iterdir() if isinstance(folder, Remote) else folder.glob("manifest*.json")
    return sorted(path.name for path in found if _NAMES.fullmatch(path.name))


@contextmanager
def locked(folder: Place) -> Iterator[None]:
    """Hold the lock of a folder: one process at a time writes the manifest or compacts the rows.

    An object store has none: several may compact it at once, and each removes only what it has merged.

    Raises:
        OSError: if the folder cannot be written to.
    """
    if isinstance(folder, Remote):
        yield
        return
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
