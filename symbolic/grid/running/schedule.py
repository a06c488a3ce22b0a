"""Running a grid: what is asked next, what its answers make moot, and what becomes of each query.

It knows nothing of Spark: an `Executor` runs the queries, and an `Archive` keeps what is found. In the end
every query is answered, moot with a reason that names an answer, or unknown with the reason why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.running.chains import Queue
from leadline.symbolic.grid.running.progress import Tally
from leadline.symbolic.grid.running.pruning import Finding, Pruning
from leadline.symbolic.grid.running.task import Answer

_LOOKS = 0.5  # seconds between two looks at the clock


@dataclass(frozen=True)
class Ended:
    """A query that runs no more.

    Attributes:
        query: the query.
        finding: what was found; None if nothing was.
        answer: the answer, if it is not stored yet.
        lost: why there is no finding; None if there is one.
    """

    query: GridQuery
    finding: Finding | None = None
    answer: Answer | None = None
    lost: str | None = None


class Executor(Protocol):
    """What runs queries, several at once."""

    def width(self) -> int:
        """How many queries to give it, so that it is never idle: at least 1."""

    def start(self, query: GridQuery) -> None:
        """Run a query."""

    def cancel(self, query: GridQuery) -> None:
        """Stop a query that runs; it ends in any case, perhaps with a finding. Again does no harm."""

    def wait(self, seconds: float) -> Ended | None:
        """A query that has ended; None if none does within so many seconds."""


class Archive(Protocol):
    """What keeps the answers."""

    def keep(self, answer: Answer) -> None:
        """Store an answer that no machine of the executor could store."""

    def moot(self, query: GridQuery, reason: str) -> None:
        """Store that a query is moot."""

    def lost(self, query: GridQuery, reason: str) -> None:
        """Store that a query is unknown, since what ran it was lost."""


class Schedule:
    """The course of one run.

    Args:
        queries: what is to be asked, in the plan's order.
        predicted: seconds that each is expected to take, by its id; may lack some.
        archive: where answers go.
        pruning: what has learned of all answers so far; None to ask whatever they say.
    """

    def __init__(
        self,
        queries: Iterable[GridQuery],
        predicted: Mapping[str, float],
        archive: Archive,
        pruning: Pruning | None,
    ) -> None:
        self._waiting = {query.id: query for query in queries}
        self._queue = Queue(self._waiting.values(), predicted, chains=pruning is not None)
        self._running: dict[str, GridQuery] = {}
        self._moot: dict[str, str] = {}  # of those that run, why they should not
        self._archive = archive
        self._pruning = pruning
        self.tally = Tally.of(self._waiting, predicted)

    def run(self, executor: Executor, tell: Callable[[Tally], None]) -> None:
        """Ask until every query is answered, moot or lost.

        Args:
            executor: what runs the queries.
            tell: told how far it is, each time that changes and from time to time.

        Raises:
            OSError: what the archive raises: then nothing more is asked.
        """
        while self._running or len(self._queue):
            self._fill(executor)
            ended = executor.wait(_LOOKS)
            if ended is not None:
                self._end(ended, executor)
            for query in self._moot:
                # Again: a job that had not begun when it was cancelled has begun since.
                executor.cancel(self._running[query])
            tell(self.tally)

    def _fill(self, executor: Executor) -> None:
        width = executor.width()
        while len(self._running) < width:
            query = self._queue.take()
            if query is None:
                break
            del self._waiting[query.id]
            self._running[query.id] = query
            self.tally.started(query.id)
            executor.start(query)
        self.tally.width = width

    def _end(self, ended: Ended, executor: Executor) -> None:
        query = ended.query
        del self._running[query.id]
        self._queue.ended(query)
        moot = self._moot.pop(query.id, None)
        finding = ended.finding
        if finding is None:
            self._give_up(query, moot, ended.lost or "nothing is known of it")
            return
        self.tally.answered(finding)
        if ended.answer is not None:
            self._archive.keep(ended.answer)
        if self._pruning is not None:
            self._prune(self._pruning.learn(finding), executor)

    def _give_up(self, query: GridQuery, moot: str | None, lost: str) -> None:
        if moot is not None:
            self.tally.pruned(query.id)
            self._archive.moot(query, moot)
        else:
            self.tally.lost(query.id)
            self._archive.lost(query, lost)

    def _prune(self, moot: Mapping[str, str], executor: Executor) -> None:
        for name, reason in moot.items():
            if name in self._running:
                # Its row is for later: it may be answered before it is stopped, which is better.
                self._moot[name] = reason
                executor.cancel(self._running[name])
            elif name in self._waiting:
                query = self._waiting.pop(name)
                self._queue.drop(query)
                self.tally.pruned(name)
                self._archive.moot(query, reason)
