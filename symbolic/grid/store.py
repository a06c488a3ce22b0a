"""The store of results: a folder with the answers to queries, which can be read at any moment.

    manifest.json                          versions, and the fingerprint of each protocol at each point
    results/<query>.<run>.parquet          a row for each query and run that answered it, written as it ends
    results/compacted.<id>.parquet         many such rows, merged by `leadline results STORE --compact`
    traces/<name>.json                     counterexamples, which `leadline trace` reads
    certificates/<name>.json               proofs, which `leadline prove --recheck` reads

A row is there whole or not at all, and the documents that it names are there before it. Several runs can
share a store: of the rows of one query the latest counts. A name that begins with a point is a file
half-written, which this module, Spark and DuckDB skip. `docs/store.md` has the columns.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from leadline.symbolic.files import is_folder
from leadline.symbolic.grid.durable import write_bytes, write_text
from leadline.symbolic.grid.manifest import Manifest, locked, merge
from leadline.symbolic.grid.parquet_files import Reading, RowFile, packed, row_files, stamps
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.remote import Place, Remote, at_once
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.lang import UserError

_FOLDERS = ("results", "traces", "certificates")
_MARK = ".store"  # in the results of a store elsewhere, where folders are only names


def certificate_place(query: str) -> str:
    """The path in the store of the certificate of a proof that is the answer to one query, by its id."""
    return f"certificates/{query}.json"


_DOCUMENT = re.compile(r"(traces|certificates)/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}")
_LOOKS = 3  # files that go away while they are read are in a compacted file by the next look


@dataclass(frozen=True)
class StoredRows:
    """Rows read from a store.

    Attributes:
        rows: the latest row of each query, by the query's id.
        warnings: a sentence for each file that cannot be read and for each row that is not believed.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def without(self, wrong: Mapping[str, str | None]) -> StoredRows:
        """The same without rows that are not believed.

        Args:
            wrong: the reason why the row of a query is not believed, or None, by the query's id.
        """
        told = [self.rows[query].disbelief(why) for query, why in wrong.items() if why is not None]
        if not told:
            return self
        kept = {query: row for query, row in self.rows.items() if wrong.get(query) is None}
        return StoredRows(kept, (*self.warnings, *told))


@dataclass(frozen=True)
class Store:
    """A store of results.

    Attributes:
        folder: its folder.
    """

    folder: Place

    @property
    def results(self) -> Place:
        """The folder of the rows, which other tools read as one table."""
        return self.folder / "results"

    def create(self) -> None:
        """Make the folders, where they are missing.

        Raises:
            UserError: if they cannot be made or written to, or are of another version.
            StoreAway: if the store is elsewhere and cannot be reached.
        """
        folder = self.folder
        if isinstance(folder, Remote):
            self._mark(folder)
            return
        try:
            for name in _FOLDERS:
                (folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"the store {folder} cannot be made: {error.strerror}") from error
        for one in (folder, *(folder / name for name in _FOLDERS)):
            if not os.access(one, os.W_OK):
                raise UserError(f"the store {folder} is not writable")
        self.manifest()

    def _mark(self, folder: Remote) -> None:
        """Write a file into a store elsewhere, which shows that it is one and that it can be written."""
        self.manifest()
        try:
            for name in _FOLDERS:
                (folder / name).mkdir()
            if not (self.results / _MARK).exists():
                write_text(self.results / _MARK, "")
        except OSError as error:
            raise UserError(f"the store {folder} cannot be written: {error.strerror}") from error

    def manifest(self) -> Manifest:
        """The versions and fingerprints of the runs so far; empty before the first.

        Raises:
            UserError: if another version of Leadline wrote it, whose rows have other columns, or it may not
                be read.
            StoreAway: if the store is elsewhere and cannot be reached.
        """
        try:
            return Manifest.read(self.folder)
        except OSError as error:
            raise UserError(f"the store {self.folder} cannot be read: {error.strerror}") from error

    def record(self, run: str, queries: Iterable[GridQuery], grid: str = "") -> None:
        """Add a run to the manifest: its versions, the models' fingerprints, the size of the proofs.

        Args:
            run: the run's name.
            queries: all queries of its plan, also those that are answered already.
            grid: the grid's name, if it has one.

        Raises:
            OSError: if it cannot be written.
        """
        made = Manifest.of(run, queries, grid)
        if isinstance(self.folder, Remote):
            made.write(self.folder, run)
            return
        with locked(self.folder):
            Manifest.read(self.folder).plus(made).write(self.folder)

    def path(self, query: str, run: str) -> Place:
        """The file of a run's row for a query.

        Raises:
            ValueError: if one of the two is no name: letters, digits, - and _ make one.
        """
        return RowFile.of(self.results, query, run).path

    def keep(self, row: Row, documents: Mapping[str, str] | None = None) -> None:
        """Store a row durably, after the documents that it names. To repeat the call changes nothing.

        Args:
            row: the row; one of the same query and run is replaced.
            documents: texts by their paths in the store: `traces/<name>` or `certificates/<name>`.

        Raises:
            OSError: if that fails; a row that was there is as it was.
            ValueError: if a path or the row's query or run is no name.
        """
        path = self.path(row.query, row.run)
        for place, text in (documents or {}).items():
            self.put(place, text)
        write_bytes(path, packed([row]))

    def put(self, place: str, text: str) -> None:
        """Store a document durably; one that is there already is replaced.

        Args:
            place: its path in the store: `traces/<name>` or `certificates/<name>`.
            text: its content.

        Raises:
            OSError: if that fails.
            ValueError: if the path is not of this form.
        """
        write_text(self.document(place), text)

    def document(self, place: str) -> Place:
        """The file of a document that a row names.

        Raises:
            ValueError: if the path leads elsewhere: rows are not to be trusted.
        """
        if not _DOCUMENT.fullmatch(place):
            raise ValueError(f"{place!r} is no document of a store: write traces/NAME or certificates/NAME")
        return self.folder / place

    def find(self, queries: Iterable[str]) -> StoredRows:
        """The latest rows of these queries, as far as there are any."""
        wanted = [*queries]
        missing = not isinstance(self.results, Remote) and not is_folder(self.results)
        return StoredRows() if missing else self._read(wanted)

    def all(self) -> StoredRows:
        """The latest row of every query.

        Raises:
            UserError: if the folder is no store or of another version.
        """
        self.check()
        return self._read(None)

    def check(self) -> None:
        """Check that the folder is a store.

        Raises:
            UserError: if it is no store, or one of another version.
        """
        self.manifest()
        try:
            if isinstance(self.results, Remote):
                there = (self.results / _MARK).exists() or bool(self.results.stamps())
            else:
                there = is_folder(self.results)
        except OSError as error:
            raise UserError(f"the store {self.folder} cannot be read: {error.strerror}") from error
        if not there:
            raise UserError(f"{self.folder} is no store of results: `leadline grid` writes one")

    def files(self, wanted: list[str] | None = None) -> list[RowFile]:
        """The files of rows, as `row_files` lists them.

        Raises:
            UserError: if the folder cannot be read.
        """
        try:
            return row_files(self.results, wanted)
        except OSError as error:
            raise UserError(f"{self.results} cannot be read: {error.strerror}") from error

    def _read(self, wanted: list[str] | None) -> StoredRows:
        for _ in range(_LOOKS):
            reading = Reading.of(self.files(wanted))
            if not reading.gone:
                break
        found: dict[str, Row] = {}
        for row in sorted(reading.rows(wanted), key=lambda row: (row.started, row.run)):
            found[row.query] = row
        return StoredRows(found, tuple(reading.warnings())).without(
            {x: y.contradiction() for x, y in found.items()}
        )


@dataclass(frozen=True)
class Compacted:
    """The result of a compaction.

    Attributes:
        rows: the number of rows in the one file.
        files: the number of files that they came from.
        warnings: a sentence for each file that cannot be read; it stays as it is.
    """

    rows: int
    files: int
    warnings: tuple[str, ...]


def compact(store: Store) -> Compacted:
    """Merge all rows of a store into one file, which reads a hundred times as fast as ten thousand files.

    Nothing is lost if this is stopped: the merged file is there before a file that it replaces is removed,
    and a row that is there twice counts once. A grid may write to the store meanwhile.

    Raises:
        UserError: if the folder is no store or cannot be written to.
    """
    store.check()
    try:
        with locked(store.folder):
            if isinstance(store.folder, Remote):
                merge(store.folder)
            return _merged(store)
    except OSError as error:
        raise UserError(f"the store {store.folder} cannot be written: {error.strerror}") from error


def _merged(store: Store) -> Compacted:
    files = store.files()
    # A row that a repeated task writes again meanwhile must not be removed with the old one.
    seen = stamps(store.results, files)
    reading = Reading.of(files)
    warnings = [*reading.warnings()]
    rows = {(row.query, row.run, row.started): row for row in reading.rows()}
    if len(reading.whole) > 1:
        merged = RowFile.compacted(store.results, uuid.uuid4().hex)
        write_bytes(merged.path, packed(rows[key] for key in sorted(rows)))
        now = stamps(store.results, [merged, *reading.whole])
        if now[merged] is None:  # as in object stores that list what is new only after a while
            warnings.append(
                f"{merged.path} is not listed yet: the files merged in it stay until the next time"
            )
        else:
            _remove([file.path for file in reading.whole if now[file] == seen[file]])
    return Compacted(len(rows), len(reading.whole), tuple(warnings))


def _remove(paths: list[Place]) -> None:
    if any(isinstance(path, Remote) for path in paths):
        at_once(lambda path: path.unlink(missing_ok=True), paths)
    else:
        for path in paths:
            path.unlink(missing_ok=True)
