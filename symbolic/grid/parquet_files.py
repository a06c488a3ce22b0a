"""Parquet files of rows: their names, and reading ten thousand of them quickly.

A query's row has a file of its own, `<query>.<run>.parquet`; `compacted.<id>.parquet` has many rows. A file
that cannot be read is left out with a warning: its query counts as unanswered.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from leadline.symbolic.files import file_bytes
from leadline.symbolic.grid.remote import Place, Remote, at_once
from leadline.symbolic.grid.rows import SCHEMA, Row, from_table, to_table

_NAME = re.compile(r"(?P<query>[A-Za-z0-9_-]{1,100})\.(?P<run>[A-Za-z0-9_-]{1,100})\.parquet")
_COMPACTED = "compacted"
_FIRST_DATE, _LAST_DATE = -62_135_596_800_000_000, 253_402_300_799_999_999  # of the years 1 to 9999
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
        if any(not _dates_in_range(chunk) for chunk in table["started"].chunks):
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


def _dates_in_range(column: pa.Array) -> bool:
    """Whether Python has every date of a column of microseconds."""
    found = pc.min_max(column.cast(pa.int64()))
    low, high = found["min"].as_py(), found["max"].as_py()
    return low is None or _FIRST_DATE <= low <= high <= _LAST_DATE


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


def row_files(folder: Place, queries: Iterable[str] | None = None) -> list[RowFile]:
    """The files of rows in a folder: those with many rows first, then one of each query.

    Args:
        folder: the folder.
        queries: the queries whose own files are wanted; all if left out.

    Raises:
        OSError: if the folder cannot be read.
    """
    wanted = None if queries is None else {*queries}
    found = []
    for path in folder.iterdir():
        match = _NAME.fullmatch(path.name)
        if match is None:
            continue
        query = None if match["query"] == _COMPACTED else match["query"]
        if query is None or wanted is None or query in wanted:
            found.append(RowFile(path, query, match["run"]))
    return sorted(found, key=lambda file: (file.query is not None, file.path.name))


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
    """The rows of a file, or why they cannot be read."""
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
