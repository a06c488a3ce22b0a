"""The manifest of a store: which runs filled it, with which versions, and what the protocols were."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.store.cells import Obligations, obligations_of
from leadline.symbolic.grid.store.durable import write_text
from leadline.symbolic.grid.store.rows import SCHEMA_VERSION
from leadline.symbolic.grid.versions import leadline_version, python_version, solver_version
from leadline.symbolic.lang import UserError

_NAME = "manifest.json"
_LOCK = ".lock"
_PARTS = ("runs", "fingerprints", "obligations")


@dataclass(frozen=True)
class Manifest:
    """What a store says of itself. It is a help to people and reports: each row has its own versions too.

    Attributes:
        runs: for each run, the versions of Leadline, of Python and of the solvers where it was started.
        fingerprints: for each protocol, by its parameters as rows spell them, the model's latest fingerprint.
        obligations: for each fingerprint, by property, of how many obligations its inductive proof consists.
    """

    runs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    fingerprints: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    obligations: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def proofs(self) -> Obligations:
        """Of how many obligations each proof consists."""
        return {(of, name): count for of, found in self.obligations.items() for name, count in found.items()}

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of a store; empty if none can be read: the next run writes it anew.

        Raises:
            UserError: if the store's rows have columns of another version.
        """
        try:
            data = json.loads((folder / _NAME).read_text(encoding="utf-8"))
            version = data["schema"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return cls()
        if version != SCHEMA_VERSION:
            raise UserError(
                f"the store {folder} is of version {version}, and this Leadline reads version "
                f"{SCHEMA_VERSION}: choose another folder, or the Leadline that wrote it"
            )
        parts = [data.get(name) for name in _PARTS]
        whole = all(
            isinstance(part, dict) and all(isinstance(one, dict) for one in part.values()) for part in parts
        )
        return cls(*parts) if whole else cls()

    def with_run(self, run: str, queries: Iterable[GridQuery]) -> Manifest:
        """The manifest with one more run of these queries."""
        asked = [*queries]
        points = {name: {**found} for name, found in self.fingerprints.items()}
        for query in asked:
            points.setdefault(query.protocol, {})[query.parameters] = query.fingerprint
        proofs = {of: {**found} for of, found in self.obligations.items()}
        for (of, name), count in obligations_of(asked).items():
            proofs.setdefault(of, {})[name] = count
        versions = {
            "leadline": leadline_version(),
            "python": python_version(),
            "solvers": [solver_version(solver) for solver in sorted({query.solver for query in asked})],
        }
        return Manifest({**self.runs, run: versions}, points, proofs)

    def write(self, folder: Path) -> None:
        """Write the manifest.

        Raises:
            OSError: if that fails; the one that was there, if any, is as it was.
        """
        write_text(folder / _NAME, json.dumps({"schema": SCHEMA_VERSION, **asdict(self)}, indent=1) + "\n")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one process at a time changes what all runs of a store share.

    Raises:
        OSError: if the folder cannot be written to.
    """
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
