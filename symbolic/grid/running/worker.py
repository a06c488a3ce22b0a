"""What runs on Spark's machines: a query is answered and, where the store's folder is shared, stored."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.running.pruning import Finding
from leadline.symbolic.grid.running.task import Answer
from leadline.symbolic.grid.store.store import Store

Task = Callable[[GridQuery, str, float | None], Answer]
"""Answers a query, as `leadline.symbolic.grid.running.task.answer` does."""


@dataclass(frozen=True)
class Told:
    """What a machine tells the driver.

    Attributes:
        finding: what was found.
        answer: all of the answer; None if the row is stored.
    """

    finding: Finding
    answer: Answer | None


@dataclass(frozen=True)
class Errand:
    """A query on its way to some machine.

    Attributes:
        query: the query.
        run: the name of the run.
        predicted: seconds that it is expected to take.
        store: the store's folder as the driver names it.
        sign: a file in it that only this run has made: who sees it shares the folder.
        task: answers the query.
    """

    query: GridQuery
    run: str
    predicted: float | None
    store: Path
    sign: str
    task: Task

    def do(self, _: None = None) -> Told:
        """Answer the query and store the row, if that can be done here; the driver stores it otherwise."""
        _freeze()
        answer = self.task(self.query, self.run, self.predicted)
        finding = Finding.of(answer.row)
        if (self.store / self.sign).exists():
            # The driver stores what is not there, and tells if it cannot either.
            with suppress(OSError):
                Store(self.store).keep(answer.row, answer.documents)
                return Told(finding, None)
        return Told(finding, answer)


@cache
def _freeze() -> None:
    """Spark's worker collects garbage after each task: it need not look through every library each time."""
    gc.freeze()
