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

import fcntl
import io
import json
import os
import platform
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial, reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import leadline
from leadline.symbolic.files import file_bytes, is_folder
from leadline.symbolic.grid.cells import Obligations, obligations_of
from leadline.symbolic.grid.durable import write_bytes, write_text
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.remote import Place, Remote, at_once
from leadline.symbolic.grid.rows import SCHEMA, SCHEMA_VERSION, Row, from_table, solver_version, to_table
from leadline.symbolic.lang import UserError

# -- the manifest -------------------------------------------------------------------------------------------

# In a folder it is one file, which a run writes anew while it holds the store's lock. An object store has no
# locks, so that each run has a file of its own there, `manifest.<run>.json`. Readers put together what they find,
# and a compaction makes one file of several.
_MANIFEST = "manifest.json"
_MANIFESTS = re.compile(r"manifest(?:\.[A-Za-z0-9_-]{1,100})?\.json")
_MERGED = "merged-"
_RUN = re.compile(rf"manifest\.(.{{1,60}}?)(?:-{_MERGED}\w+)?\.json")
_LOCK = ".lock"
_LOOKS = 3  # files that go away while they are read are in a merged or compacted one by the next look
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
            data = json.loads(file_bytes(folder / name))
            version = data["schema"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        if version != SCHEMA_VERSION:
            raise UserError(
                f"the store {folder} is of version {version}, and this Leadline reads version "
                f"{SCHEMA_VERSION}: choose another folder, or the Leadline that wrote it"
            )
        parts = [data.get(name) for name in _PARTS]
        whole = all(
            isinstance(part, dict) and all(isinstance(one, dict) for one in part.values()) for part in parts
        )
        return cls(*parts) if whole else None

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
        name = _MANIFEST if run is None else f"manifest.{run}.json"
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
    return sorted(path.name for path in found if _MANIFESTS.fullmatch(path.name))


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


# -- files of rows ------------------------------------------------------------------------------------------

# A file that cannot be read is left out with a warning: its query counts as unanswered.
_NAME = re.compile(r"(?P<query>[A-Za-z0-9_-]{1,100})\.(?P<run>[A-Za-z0-9_-]{1,100})\.parquet")
_COMPACTED = "compacted"
_FIRST_DATE, _LAST_DATE = -62_135_596_800_000_000, 253_402_300_799_999_999  # Python's, of the years 1 to 9999
_LARGEST = 1 << 30  # bytes of a file of rows, and of its columns before they are compressed
_TOLD_ALONE = 3  # the most files with the same mistake that get a warning each


@dataclass(frozen=True)
class RowFile:
    """A file of rows by its name.

    Attributes:
        path: the file.
        query: the query whose row it holds; None if it holds many rows.
        run: the run that wrote the row; for many rows a name that no other file has.
    """

    path: Place
    query: str | None
    run: str

    @classmethod
    def of(cls, folder: Place, query: str, run: str) -> RowFile:
        """The file of a run's row for a query.

        Raises:
            ValueError: if one of the two is no name.
        """
        name = f"{query}.{run}.parquet"
        if query == _COMPACTED or not _NAME.fullmatch(name):
            raise ValueError(f"{query!r} and {run!r} make no file name: letters, digits, - and _ do")
        return cls(folder / name, query, run)

    @classmethod
    def compacted(cls, folder: Place, run: str) -> RowFile:
        """A file for many rows."""
        return cls(folder / f"{_COMPACTED}.{run}.parquet", None, run)

    def table(self) -> pa.Table:
        """The rows of the file.

        Raises:
            OSError: if it cannot be read.
            ValueError: if its rows are not those that its name tells.
        """
        # To read a few kilobytes, a file in memory and one thread are the quickest.
        whole = pa.BufferReader(file_bytes(self.path, _LARGEST))
        file = pq.ParquetFile(whole, page_checksum_verification=True)
        groups = range(file.metadata.num_row_groups)
        if sum(file.metadata.row_group(group).total_byte_size for group in groups) > _LARGEST:
            raise ValueError(f"its columns have more than {_LARGEST >> 20} MB")
        table = file.read(use_threads=False)
        table.validate(full=True)
        if not table.schema.equals(SCHEMA):
            raise ValueError("its columns are not those of this version")
        dates = pc.min_max(table["started"].cast(pa.int64())).as_py()
        if dates["min"] is not None and not _FIRST_DATE <= dates["min"] <= dates["max"] <= _LAST_DATE:
            raise ValueError("it holds a date that is none")
        if self.query is not None:
            if table.num_rows != 1:
                raise ValueError(f"it holds {table.num_rows} rows")
            query, run = table["query"][0].as_py(), table["run"][0].as_py()
            if (query, run) != (self.query, self.run):
                raise ValueError(f"it holds the row of another query: {query}, of the run {run}")
        return table

    def row(self) -> Row:
        """The row of a file of one row.

        Raises:
            OSError: if it cannot be read.
            ValueError: if it is not the row that the file's name tells.
        """
        (row,) = from_table(self.table())
        return row


def stamps(folder: Place, files: Iterable[RowFile]) -> dict[RowFile, tuple[int, int] | None]:
    """Numbers that change when a file of rows in a folder is replaced; None if it is gone.

    Raises:
        OSError: if the folder cannot be read.
        StoreAway: if it is elsewhere and cannot be reached.
    """
    if isinstance(folder, Remote):
        found = folder.stamps()
        return {file: found.get(file.path.name) for file in files}
    return {file: _stamp(folder / file.path.name) for file in files}


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


@dataclass
class Reading:
    """The tables of some files of rows, and the mistakes in these files.

    Attributes:
        tables: the tables that could be read, one for each file.
        whole: the files that could be read.
        gone: whether a file was removed in the meantime, as by a compaction.
    """

    tables: list[pa.Table] = field(default_factory=list)
    whole: list[RowFile] = field(default_factory=list)
    gone: bool = False
    _wrong: dict[str, list[Place]] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Iterable[RowFile]) -> Reading:
        """Read files.

        Raises:
            StoreAway: if they are elsewhere and cannot be reached.
        """
        reading = cls()
        wanted = [*files]
        elsewhere = any(isinstance(file.path, Remote) for file in wanted)
        found = at_once(_tried, wanted) if elsewhere else map(_tried, wanted)
        for file, table in zip(wanted, found, strict=True):
            if isinstance(table, pa.Table):
                reading.tables.append(table)
                reading.whole.append(file)
            elif isinstance(table, FileNotFoundError):
                reading.gone = True
            else:
                why = getattr(table, "strerror", None) or str(table).strip().partition("\n")[0]
                reading._wrong.setdefault(why, []).append(file.path)
        return reading

    def rows(self, queries: Iterable[str] | None = None) -> list[Row]:
        """The rows; only those of these queries if they are given."""
        if not self.tables:
            return []
        table = pa.concat_tables(self.tables)
        if queries is not None:
            table = table.filter(pc.is_in(table["query"], value_set=pa.array([*queries], pa.string())))
        return from_table(table)

    def warnings(self) -> Iterator[str]:
        """A sentence for each file that cannot be read, or one for many with the same mistake."""
        for why, paths in self._wrong.items():
            if len(paths) <= _TOLD_ALONE:
                yield from (f"{path} is ignored, it is no row of this version: {why}" for path in paths)
            else:
                such = f"{len(paths)} files such as {paths[0]} are ignored"
                yield f"{such}, they are no rows of this version: {why}"


def _tried(file: RowFile) -> pa.Table | Exception:
    try:
        return file.table()
    except (OSError, ValueError, pa.ArrowException) as error:
        return error


def packed(rows: Iterable[Row]) -> bytes:
    """Rows as the content of a file."""
    table, made = to_table(rows), io.BytesIO()
    many = table.num_rows > 1
    # For one row, dictionaries and statistics would be larger than the values.
    pq.write_table(
        table,
        made,
        compression="zstd" if many else "none",
        use_dictionary=many,
        write_statistics=many,
        store_schema=many,
        write_page_checksum=True,
    )
    return made.getvalue()


# -- the store ----------------------------------------------------------------------------------------------

_FOLDERS = ("results", "traces", "certificates")
_MARK = ".store"  # in the results of a store elsewhere, where folders are only names


_DOCUMENT = re.compile(r"(traces|certificates)/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}")


def certificate_place(query: str) -> str:
    """The path in the store of the certificate of a proof that is the answer to one query, by its id."""
    return f"certificates/{query}.json"


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
    """A store of results in a folder."""

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
        """The files of rows: those with many rows first, then one of each query.

        Args:
            wanted: the queries whose own files are wanted; all if left out.

        Raises:
            UserError: if the folder cannot be read.
        """
        try:
            paths = [*self.results.iterdir()]
        except OSError as error:
            raise UserError(f"{self.results} cannot be read: {error.strerror}") from error
        named = ((path, _NAME.fullmatch(path.name)) for path in paths)
        found = [
            RowFile(path, None if match["query"] == _COMPACTED else match["query"], match["run"])
            for path, match in named
            if match is not None
        ]
        asked = None if wanted is None else {None, *wanted}
        files = [file for file in found if asked is None or file.query in asked]
        return sorted(files, key=lambda file: (file.query is not None, file.path.name))

    def _read(self, wanted: list[str] | None) -> StoredRows:
        for _ in range(_LOOKS):
            reading = Reading.of(self.files(wanted))
            if not reading.gone:
                break
        rows = sorted(reading.rows(wanted), key=lambda row: (row.started, row.run))
        found = {row.query: row for row in rows}
        wrong = {query: row.contradiction() for query, row in found.items()}
        return StoredRows(found, tuple(reading.warnings())).without(wrong)


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
            gone = [file.path for file in reading.whole if now[file] == seen[file]]
            # An object store answers many requests at once, and a folder one after the other.
            removed = at_once if isinstance(store.folder, Remote) else map
            for _ in removed(lambda path: path.unlink(missing_ok=True), gone):
                pass
    return Compacted(len(rows), len(reading.whole), tuple(warnings))
