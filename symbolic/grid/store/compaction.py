"""Compaction: the rows of a store in one file, which reads a hundred times as fast as ten thousand files."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from leadline.symbolic.grid.store.durable import write_whole
from leadline.symbolic.grid.store.manifest import locked
from leadline.symbolic.grid.store.rowfiles import Reading, RowFile, row_files, writer
from leadline.symbolic.grid.store.store import Store
from leadline.symbolic.lang import UserError


@dataclass(frozen=True)
class Compacted:
    """What a compaction did.

    Attributes:
        rows: how many rows are in the one file now.
        files: how many files they came from.
        warnings: a sentence for each file that cannot be read; it stays as it is.
    """

    rows: int
    files: int
    warnings: tuple[str, ...]


def compact(store: Store) -> Compacted:
    """Merge the rows of a store, those of earlier runs too, into one file.

    Nothing is lost if it is stopped: the merged file is there before a file that it replaces goes, and a row
    that is there twice counts once. A grid may write to the store meanwhile.

    Raises:
        UserError: if the folder is no store or cannot be written to.
    """
    store.check()
    try:
        with locked(store.folder):
            return _merged(store)
    except OSError as error:
        raise UserError(f"the store {store.folder} cannot be written: {error.strerror}") from error


def _merged(store: Store) -> Compacted:
    files = row_files(store.results)
    # A row that a repeated task writes again while this goes on must not go with the old one.
    seen = {file.path: file.stamp() for file in files}
    reading = Reading.of(files)
    rows = {(row.query, row.run, row.started): row for row in reading.rows()}
    if len(reading.whole) > 1:
        merged = RowFile.compacted(store.results, uuid.uuid4().hex)
        write_whole(merged.path, writer(rows[key] for key in sorted(rows)))
        for file in reading.whole:
            if file.stamp() == seen[file.path]:
                file.path.unlink(missing_ok=True)
    return Compacted(len(rows), len(reading.whole), tuple(reading.warnings()))
