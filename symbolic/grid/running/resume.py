"""What of a grid is answered already, and what that makes moot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.running.pruning import Finding, Pruning, cause
from leadline.symbolic.grid.store.rows import Row
from leadline.symbolic.grid.store.store import Store


@dataclass(frozen=True)
class Resumed:
    """Where a run begins.

    Attributes:
        settled: the ids of the queries whose rows stand.
        left: the queries to ask, in the order given.
        moot: those that earlier answers make moot and that have no row which says so, with the reason.
        pruning: what has learned of all answers so far; None if nothing is to be pruned.
        warnings: a sentence for each file of the store that cannot be read.
    """

    settled: frozenset[str]
    left: tuple[GridQuery, ...]
    moot: tuple[tuple[GridQuery, str], ...]
    pruning: Pruning | None
    warnings: tuple[str, ...]


def resume(queries: Sequence[GridQuery], store: Store, *, prune: bool) -> Resumed:
    """Look at what a store knows of queries.

    A row that says moot stands for as long as the answer does that it leans on; without pruning it never
    stands.

    Args:
        queries: all queries of a grid.
        store: where the answers are.
        prune: whether a query may be moot.
    """
    found = store.find(query.id for query in queries)
    rows = found.rows
    answers = {
        query.id: rows[query.id]
        for query in queries
        if query.id in rows and not rows[query.id].moot() and rows[query.id].settles(query)
    }
    pruning = Pruning(queries) if prune else None
    moot = {} if pruning is None else _learned(pruning, [*answers.values(), *_others(rows, store)])
    reasons = {query: reason for query, reason in moot.items() if query not in answers}
    said = {query for query in reasons if query in rows and rows[query].moot()}
    return Resumed(
        settled=frozenset(answers.keys() | said),
        left=tuple(query for query in queries if query.id not in answers and query.id not in reasons),
        moot=tuple((query, reasons[query.id]) for query in queries if query.id in reasons.keys() - said),
        pruning=pruning,
        warnings=found.warnings,
    )


def _learned(pruning: Pruning, rows: Sequence[Row]) -> dict[str, str]:
    """What rows make moot."""
    moot: dict[str, str] = {}
    for row in rows:
        moot.update(pruning.learn(Finding.of(row)))
    return moot


def _others(rows: dict[str, Row], store: Store) -> list[Row]:
    """The answers that moot rows lean on and that another grid in the same store asked for."""
    causes = {cause(row) for row in rows.values() if row.moot()} - {None} - rows.keys()
    found = store.find(name for name in causes if name is not None).rows
    return [row for row in found.values() if not row.moot()]
