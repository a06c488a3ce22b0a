"""The store of results: a folder with one small Parquet file for each query.

A row is written whole or not at all, so that the store can be read at any moment, and several runs can share
it. Names that begin with a point are files half-written: Spark and this module look past them.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from leadline.symbolic.grid.rows import Row, from_table, to_table
from leadline.symbolic.lang import UserError


@dataclass(frozen=True)
class Found:
    """What a store holds.

    Attributes:
        rows: the rows by their queries' ids.
        warnings: a sentence for each file that cannot be read.
    """

    rows: dict[str, Row]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Store:
    """A store of results.

    Attributes:
        folder: where it is.
    """

    folder: Path

    @property
    def results(self) -> Path:
        """The folder of the rows, which Spark reads as one table."""
        return self.folder / "results"

    def create(self) -> None:
        """Make the folders, where they are missing.

        Raises:
            UserError: if they cannot be made or written to.
        """
        try:
            self.results.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"the store {self.folder} cannot be made: {error.strerror}") from error
        if not os.access(self.results, os.W_OK):
            raise UserError(f"the store {self.folder} is not writable")

    def path(self, query: str) -> Path:
        """The file of a query's row."""
        return self.results / f"{query}.parquet"

    def keep(self, row: Row) -> None:
        """Store a row durably; one that is there already is replaced.

        Raises:
            OSError: if that fails; the row that was there, if any, is as it was.
        """
        part = self.results / f".{row.query}.{uuid.uuid4().hex}.part"
        try:
            with part.open("xb") as file:
                pq.write_table(to_table(row), file)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path(row.query))
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def forget(self, queries: Iterable[str]) -> None:
        """Remove the rows of queries that are to be run again, so that a new row shows that they were.

        Raises:
            OSError: if that fails.
        """
        for query in queries:
            self.path(query).unlink(missing_ok=True)

    def find(self, queries: Iterable[str]) -> Found:
        """The rows of these queries, as far as they are there."""
        return self._read(path for query in queries if (path := self.path(query)).exists())

    def all(self) -> Found:
        """Every row.

        Raises:
            UserError: if the folder is no store.
        """
        if not self.results.is_dir():
            raise UserError(f"{self.folder} is no store of results: `leadline grid` writes one")
        return self._read(sorted(self.results.glob("[!.]*.parquet")))

    def _read(self, paths: Iterable[Path]) -> Found:
        rows: dict[str, Row] = {}
        warnings: list[str] = []
        for path in paths:
            try:
                with path.open("rb") as file:
                    row = from_table(pq.ParquetFile(file).read())
                if row.query != path.stem:
                    raise ValueError(f"it holds the row of another query: {row.query}")
                rows[row.query] = row
            except (OSError, ValueError, pa.ArrowException) as error:
                why = str(error).strip().partition("\n")[0]
                warnings.append(f"{path} is ignored, it is no row of this version: {why}")
        return Found(rows, tuple(warnings))
