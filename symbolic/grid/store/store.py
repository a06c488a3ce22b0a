"""The store of results: a folder that holds what is known of each query, and that can be read at any moment.

    manifest.json                          versions, and the fingerprint of each protocol at each point
    results/<query>.<run>.parquet          a row for each query and run that answered it, written as it ends
    results/compacted.<id>.parquet         many such rows, merged by `leadline results STORE --compact`
    traces/<name>.json                     counterexamples, which `leadline trace` reads
    certificates/<name>.json               proofs, which `leadline prove --recheck` reads

A row is there whole or not at all, and what it points at is there before it. Several runs can share a
store: their rows lie beside each other, and of the rows of one query the latest counts. Names that begin with
a point are files half-written: this module, Spark and DuckDB look past them. `docs/store.md` has the columns.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.store.durable import write_text, write_whole
from leadline.symbolic.grid.store.manifest import Manifest, locked
from leadline.symbolic.grid.store.rowfiles import Reading, RowFile, row_files, writer
from leadline.symbolic.grid.store.rows import Row
from leadline.symbolic.lang import UserError

_FOLDERS = ("results", "traces", "certificates")
_DOCUMENT = re.compile(r"(traces|certificates)/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}")
_LOOKS = 3  # files that go away while they are read are in a compacted file by the next look


@dataclass(frozen=True)
class Found:
    """What a store holds.

    Attributes:
        rows: the latest row of each query, by the queries' ids.
        warnings: a sentence for each file that cannot be read.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Store:
    """A store of results.

    Attributes:
        folder: where it is.
    """

    folder: Path

    @property
    def results(self) -> Path:
        """The folder of the rows, which Spark, pandas and DuckDB read as one table."""
        return self.folder / "results"

    def create(self) -> None:
        """Make the folders, where they are missing.

        Raises:
            UserError: if they cannot be made or written to, or are of another version.
        """
        try:
            for name in _FOLDERS:
                (self.folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"the store {self.folder} cannot be made: {error.strerror}") from error
        for folder in (self.folder, *(self.folder / name for name in _FOLDERS)):
            if not os.access(folder, os.W_OK):
                raise UserError(f"the store {self.folder} is not writable")
        self.manifest()

    def manifest(self) -> Manifest:
        """The versions and fingerprints of the runs so far; empty before the first.

        Raises:
            UserError: if another version of Leadline wrote it, whose rows have other columns.
        """
        return Manifest.read(self.folder)

    def record(self, run: str, queries: Iterable[GridQuery]) -> None:
        """Add a run to the manifest: its versions, the models' fingerprints, of what the proofs consist.

        Args:
            run: the run's name.
            queries: all queries of its plan, those that are answered already too.

        Raises:
            OSError: if it cannot be written.
        """
        with locked(self.folder):
            self.manifest().with_run(run, queries).write(self.folder)

    def path(self, query: str, run: str) -> Path:
        """The file of a run's row for a query.

        Raises:
            ValueError: if one of the two is no name: letters, digits, - and _ make one.
        """
        return RowFile.of(self.results, query, run).path

    def keep(self, row: Row, documents: Mapping[str, str] | None = None) -> None:
        """Store a row durably, after the documents that it points at. The same again changes nothing.

        Args:
            row: the row; one of the same query and run is replaced.
            documents: texts by their paths in the store: `traces/<name>` or `certificates/<name>`.

        Raises:
            OSError: if that fails; the row that was there, if any, is as it was.
            ValueError: if a path or the row's query or run is no name.
        """
        path = self.path(row.query, row.run)
        for place, text in (documents or {}).items():
            self.put(place, text)
        write_whole(path, writer([row]))

    def put(self, place: str, text: str) -> None:
        """Store a document durably; one that is there already is replaced.

        Args:
            place: its path in the store: `traces/<name>` or `certificates/<name>`.
            text: what it says.

        Raises:
            OSError: if that fails.
            ValueError: if the path is another.
        """
        write_text(self.document(place), text)

    def document(self, place: str) -> Path:
        """The file of a document that a row points at.

        Raises:
            ValueError: if the path leads elsewhere: what a row says is not to be trusted.
        """
        if not _DOCUMENT.fullmatch(place):
            raise ValueError(f"{place!r} is no document of a store: write traces/NAME or certificates/NAME")
        return self.folder / place

    def find(self, queries: Iterable[str]) -> Found:
        """The rows of these queries, as far as they are there."""
        wanted = [*queries]
        return self._read(wanted) if self.results.is_dir() else Found()

    def all(self) -> Found:
        """The latest row of every query.

        Raises:
            UserError: if the folder is no store or of another version.
        """
        self.check()
        return self._read(None)

    def check(self) -> None:
        """See that the folder is a store.

        Raises:
            UserError: if it is none or of another version.
        """
        if not self.results.is_dir():
            raise UserError(f"{self.folder} is no store of results: `leadline grid` writes one")
        self.manifest()

    def _read(self, wanted: list[str] | None) -> Found:
        for _ in range(_LOOKS):
            reading = Reading.of(row_files(self.results, wanted))
            if not reading.gone:
                break
        found: dict[str, Row] = {}
        for row in sorted(reading.rows(wanted), key=lambda row: (row.started, row.run)):
            found[row.query] = row
        return Found(found, tuple(reading.warnings()))
