"""A run of a grid: the queries that are answered already, and the place where new answers go."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from leadline.symbolic.grid.pruning import Moot, Pruning
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.spool import Spool, beside
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import TaskResult, unanswered
from leadline.symbolic.grid.witnesses import answers

LOG = "spark.log"
"""The name of the file with the output of Spark and its machines."""


def new_run() -> str:
    """A name for a run: its time of start and a random part."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


@dataclass
class StoreArchive:
    """Keeps answers in a store.

    Attributes:
        store: the store.
        run: the name of the run.
        predicted: seconds that each query is expected to take, by its id.
        unsaved: the answers that could not be stored.
        spool: sends the answers to a store that is elsewhere; None for one in a folder.
        rows: the answers before this run and those of this run, by query.
    """

    store: Store
    run: str
    predicted: Mapping[str, float]
    unsaved: list[TaskResult] = field(default_factory=list)
    spool: Spool | None = None
    rows: dict[str, Row] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder on this machine for the files of the store."""
        if isinstance(self.store.folder, Path):
            return self.store.folder
        return beside(self.store)

    def keep(self, result: TaskResult) -> None:
        """Store an answer, unless it is stored.

        Raises:
            OSError: if that fails; it is among the `unsaved` then.
        """
        self.rows[result.row.query] = result.row
        if result.stored:
            return
        try:
            (self.store if self.spool is None else self.spool).keep(result.row, result.documents)
        except OSError:
            self.unsaved.append(result)
            raise

    def unanswered(self, query: GridQuery, why: Moot | str) -> None:
        """Store that a query is moot, or unknown since the machine that ran it was lost."""
        self.keep(TaskResult(unanswered(query, self.run, self.predicted.get(query.id), why)))

    def again(self) -> None:
        """Try once more to store the answers that could not be stored."""
        left, self.unsaved = self.unsaved, []
        for result in left:
            with suppress(OSError):
                self.keep(result)


@dataclass(frozen=True)
class Resumed:
    """The state of a grid before a run.

    Attributes:
        settled: the ids of the queries whose rows stand.
        rows: the latest rows, by query.
        left: the queries to ask, in the order given.
        moot: the queries that earlier answers make moot and that have no row which says so.
        pruning: has learned all answers so far; None if nothing is to be pruned.
        warnings: a sentence for each file of the store that cannot be read, and for each row that is not
            believed.
    """

    settled: frozenset[str]
    rows: Mapping[str, Row]
    left: tuple[GridQuery, ...]
    moot: tuple[tuple[GridQuery, Moot], ...]
    pruning: Pruning | None
    warnings: tuple[str, ...]


def resume(
    queries: Sequence[GridQuery], store: Store, *, prune: bool, refuted: Set[str] = frozenset()
) -> Resumed:
    """Compare the queries of a grid with the rows of a store.

    A moot row stands for as long as the answer stands that it names; without pruning it never stands.

    Args:
        queries: all queries of a grid.
        store: the store with the answers.
        prune: whether a query may be moot.
        refuted: the ids of queries whose rows are known to be wrong.
    """
    found = answers(store, (query.id for query in queries))
    rows = {query: row for query, row in found.rows.items() if query not in refuted}
    settled = {
        query.id: rows[query.id]
        for query in queries
        if query.id in rows and not rows[query.id].moot() and rows[query.id].settles(query)
    }
    pruning = Pruning(queries) if prune else None
    moot: dict[str, Moot] = {}
    if pruning is not None:
        for row in (*settled.values(), *_others(rows, store, refuted)):
            moot.update(pruning.learn(row))
    moot = {query: why for query, why in moot.items() if query not in settled}
    told = {query for query in moot if query in rows and rows[query].moot()}
    return Resumed(
        settled=frozenset(settled.keys() | told),
        rows=rows,
        left=tuple(query for query in queries if query.id not in settled and query.id not in moot),
        moot=tuple((query, moot[query.id]) for query in queries if query.id in moot.keys() - told),
        pruning=pruning,
        warnings=found.warnings,
    )


def _others(rows: Mapping[str, Row], store: Store, refuted: Set[str]) -> list[Row]:
    """The answers that moot rows name and that another grid with the same store asked for."""
    named = {row.moot_by for row in rows.values() if row.moot() and row.moot_by is not None}
    found = answers(store, named - rows.keys() - refuted).rows
    return [row for row in found.values() if not row.moot()]
