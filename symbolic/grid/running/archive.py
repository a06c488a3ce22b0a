"""Where a run's answers go: its store, and what becomes of them if that takes no more."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.running.task import UNKNOWN, Answer, unanswered
from leadline.symbolic.grid.store.rows import MOOT, Row
from leadline.symbolic.grid.store.store import Store


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
    """

    store: Store
    run: str
    predicted: Mapping[str, float]
    unsaved: list[Answer] = field(default_factory=list)

    def keep(self, answer: Answer) -> None:
        """Store an answer.

        Raises:
            OSError: if that fails; it is among the `unsaved` then.
        """
        try:
            self.store.keep(answer.row, answer.documents)
        except OSError:
            self.unsaved.append(answer)
            raise

    def moot(self, query: GridQuery, reason: str) -> None:
        """Store that a query is moot."""
        self.keep(Answer(self._row(query, MOOT, reason)))

    def lost(self, query: GridQuery, reason: str) -> None:
        """Store that a query is unknown, since what ran it was lost."""
        self.keep(Answer(self._row(query, UNKNOWN, reason)))

    def again(self) -> None:
        """Try once more to store what could not be stored."""
        left, self.unsaved = self.unsaved, []
        for answer in left:
            try:
                self.store.keep(answer.row, answer.documents)
            except OSError:
                self.unsaved.append(answer)

    def _row(self, query: GridQuery, verdict: str, reason: str) -> Row:
        return unanswered(query, self.run, self.predicted.get(query.id), verdict, reason)
