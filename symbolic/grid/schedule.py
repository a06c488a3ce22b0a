"""The schedule of a grid: it chooses the next query, prunes moot ones, and measures the progress.

The schedule knows nothing of Spark: an `Executor` runs the queries, and an `Archive` keeps the answers. In
the end every query is answered, moot with a reason that names an answer, or unknown with a reason.

The order prunes much, and leaves no long query for the end. The queries about one goal form a chain, the
cheapest first: a bug that a cheap query finds makes the dear ones moot, and where there is no bug all of them
are asked anyway. The next query comes from the chain with the fewest running queries, since two queries of a
chain may find the same bug at once; among those, from the chain with the most work left, as in T. C. Hu:
Parallel Sequencing and Assembly Line Problems, Operations Research 9, 1961. Chains of one query each are thus
asked longest first.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from leadline.symbolic.grid.cells import Goal
from leadline.symbolic.grid.pruning import Moot, Pruning
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import VIOLATED, Row
from leadline.symbolic.grid.task import TaskResult


@dataclass
class _Chain:
    """The queries about one goal.

    Attributes:
        waiting: the queries that wait, the most expensive first.
        left: the seconds that these are expected to take.
        running: the number of queries that run.
        version: the number of the chain's only valid entry in the heap.
    """

    waiting: list[GridQuery] = field(default_factory=list)
    left: float = 0.0
    running: int = 0
    version: int = 0


class Queue:
    """The queries that wait, in chains.

    Args:
        queries: the queries to ask; their order decides between equal predictions.
        predicted: seconds that each query is expected to take, by its id; 0 where it is missing.
        chains: whether the queries about one goal form a chain; without pruning each is a chain of its own.

    Attributes:
        waiting: the queries, by their ids.
    """

    def __init__(
        self, queries: Iterable[GridQuery], predicted: Mapping[str, float], *, chains: bool = True
    ) -> None:
        self._predicted = predicted
        self._chained = chains
        self._chains: dict[Hashable, _Chain] = {}
        self.waiting = {query.id: query for query in queries}
        for query in self.waiting.values():
            chain = self._chains.setdefault(self._key(query), _Chain())
            chain.waiting.append(query)
            chain.left += self._cost(query)
        self._order = {key: place for place, key in enumerate(self._chains)}
        self._heap: list[tuple[int, float, int, int, Hashable]] = []
        for key, chain in self._chains.items():
            chain.waiting.sort(key=lambda query: (self._cost(query), query.depth or 0))
            chain.waiting.reverse()
            self._push(key, chain)

    def take(self) -> GridQuery | None:
        """The next query, which counts as running until `ended` is called; None if none waits."""
        while self._heap:
            *_, version, key = heapq.heappop(self._heap)
            chain = self._chains[key]
            if version == chain.version:
                chain.running += 1
                return self._left(chain.waiting[-1])
        return None

    def drop(self, name: str) -> GridQuery:
        """Remove a query that waits, by its id."""
        return self._left(self.waiting[name])

    def _left(self, query: GridQuery) -> GridQuery:
        """Note that a query waits no more."""
        del self.waiting[query.id]
        chain = self._chains[self._key(query)]
        chain.waiting.remove(query)
        chain.left -= self._cost(query)
        self._push(self._key(query), chain)
        return query

    def ended(self, query: GridQuery) -> None:
        """Note that a query that was taken runs no more."""
        chain = self._chains[self._key(query)]
        chain.running -= 1
        self._push(self._key(query), chain)

    def _push(self, key: Hashable, chain: _Chain) -> None:
        chain.version += 1
        if chain.waiting:
            heapq.heappush(self._heap, (chain.running, -chain.left, self._order[key], chain.version, key))

    def _key(self, query: GridQuery) -> Hashable:
        return Goal.of(query) if self._chained else query.id

    def _cost(self, query: GridQuery) -> float:
        return self._predicted.get(query.id, 0.0)


_LOOKS = 0.5  # seconds between two looks at the clock


@dataclass(frozen=True)
class EndedQuery:
    """A query that runs no more.

    Attributes:
        query: the query.
        result: the result of its task; None if it was lost.
        lost: why it was lost.
    """

    query: GridQuery
    result: TaskResult | None
    lost: str = "nothing is known of it"


class Executor(Protocol):
    """Runs queries, several at once."""

    def width(self) -> int:
        """The number of queries that keep it busy: at least 1."""

    def start(self, query: GridQuery) -> None:
        """Run a query."""

    def cancel(self, query: GridQuery) -> None:
        """Stop a query that runs; it still ends, perhaps with a result. Cancelling twice does no harm."""

    def wait(self, seconds: float) -> EndedQuery | None:
        """A query that has ended; None if no query ends within the time."""


class Archive(Protocol):
    """Keeps the answers."""

    def keep(self, result: TaskResult) -> None:
        """Store a result, unless a machine of the executor has stored it."""

    def unanswered(self, query: GridQuery, why: Moot | str) -> None:
        """Store that a query is moot, or unknown since the machine that ran it was lost."""


class Schedule:
    """The course of one run.

    Args:
        queries: the queries to ask, in the plan's order.
        predicted: seconds that each is expected to take, by its id; may lack some.
        archive: keeps the answers.
        pruning: has learned all answers so far; None to prune nothing.
    """

    def __init__(
        self,
        queries: Iterable[GridQuery],
        predicted: Mapping[str, float],
        archive: Archive,
        pruning: Pruning | None,
    ) -> None:
        self._queue = Queue(queries, predicted, chains=pruning is not None)
        self._running: dict[str, GridQuery] = {}
        self._moot: dict[str, Moot] = {}  # the running queries that are moot
        self._archive = archive
        self._pruning = pruning
        self.progress = RunProgress([*self._queue.waiting], predicted)

    def run(self, executor: Executor, tell: Callable[[RunProgress], None]) -> None:
        """Ask until every query is answered, moot or lost.

        Args:
            executor: runs the queries.
            tell: called with the progress, each time that it changes and from time to time.

        Raises:
            OSError: if the archive raises it; then nothing more is asked.
        """
        while self._running or self._queue.waiting:
            self._fill(executor)
            ended = executor.wait(_LOOKS)
            if ended is not None:
                self._end(ended, executor)
            for query in self._moot:
                # Once more: a job that had not begun when it was cancelled may have begun since.
                executor.cancel(self._running[query])
            tell(self.progress)

    def _fill(self, executor: Executor) -> None:
        width = executor.width()
        while len(self._running) < width:
            query = self._queue.take()
            if query is None:
                break
            self._running[query.id] = query
            self.progress.started(query.id)
            executor.start(query)
        self.progress.width = width

    def _end(self, ended: EndedQuery, executor: Executor) -> None:
        query = ended.query
        del self._running[query.id]
        self._queue.ended(query)
        moot = self._moot.pop(query.id, None)
        if ended.result is not None:
            self.progress.answered(ended.result.row)
            self._archive.keep(ended.result)
            if self._pruning is not None:
                self._prune(self._pruning.learn(ended.result.row), executor)
        elif moot is not None:
            self.progress.pruned(query.id)
            self._archive.unanswered(query, moot)
        else:
            self.progress.lost(query.id)
            self._archive.unanswered(query, ended.lost)

    def _prune(self, moot: Mapping[str, Moot], executor: Executor) -> None:
        for name, why in moot.items():
            if name in self._running:
                # It gets no row yet: it may be answered before it is stopped, which is better.
                self._moot[name] = why
                executor.cancel(self._running[name])
            elif name in self._queue.waiting:
                self.progress.pruned(name)
                self._archive.unanswered(self._queue.drop(name), why)


class RunProgress:
    """The progress of a run.

    Args:
        queries: the ids of the queries of this run.
        predicted: seconds that each is expected to take, by its id; may lack some.
        clock: the time in seconds.

    Attributes:
        total: the number of queries of this run.
        done: the number that are answered, or lost.
        moot: the number that are pruned.
        violated: the number of answers that are violations; probes count.
        width: the most queries that run at once.
    """

    def __init__(
        self,
        queries: Collection[str],
        predicted: Mapping[str, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total = len(queries)
        self.done = self.moot = self.violated = 0
        self.width = 1
        self._predicted = predicted
        self._clock = clock
        self._running: dict[str, float] = {}
        self._left = sum(predicted.get(query, 0.0) for query in queries)
        self._foreseen = self._measured = 0.0

    @property
    def running(self) -> int:
        """The number of queries that are under way."""
        return len(self._running)

    @property
    def share(self) -> float:
        """The share of the queries that is done, 0 to 1."""
        return (self.done + self.moot) / self.total if self.total else 1.0

    def started(self, query: str) -> None:
        """Note that a query is under way."""
        self._running[query] = self._clock()

    def answered(self, row: Row) -> None:
        """Note that a query is answered."""
        expected = self._close(row.query)
        if expected > 0:
            self._foreseen += expected
            self._measured += row.task_seconds
        self.done += 1
        self.violated += row.verdict == VIOLATED

    def lost(self, query: str) -> None:
        """Note that a query ended without an answer."""
        self._close(query)
        self.done += 1

    def pruned(self, query: str) -> None:
        """Note that a query is moot."""
        self._close(query)
        self.moot += 1

    def _close(self, query: str) -> float:
        self._running.pop(query, None)
        expected = self._predicted.get(query, 0.0)
        self._left -= expected
        return expected

    def seconds_left(self) -> float | None:
        """The seconds that the rest will take: the prediction, scaled by the measurements so far.

        None until something is measured, and where nothing is predicted.
        """
        if not self._foreseen or self._left <= 0:
            return None
        scale = self._measured / self._foreseen
        now, spent = self._clock(), 0.0
        longest = 0.0
        for query, begun in self._running.items():
            expected = scale * self._predicted.get(query, 0.0)
            spent += min(now - begun, expected)
            longest = max(longest, expected - (now - begun))
        return max(longest, (scale * self._left - spent) / self.width)

    def text(self) -> str:
        """The progress in words.

        >>> RunProgress(["a", "b"], {}).text()
        '0 of 2 queries, 0 running'
        """
        parts = [f"{self.done + self.moot} of {self.total} queries", f"{self.running} running"]
        parts += [f"{self.moot} pruned"] if self.moot else []
        parts += [f"{self.violated} violated"] if self.violated else []
        left = self.seconds_left()
        parts += [f"about {_spelled(left)} left"] if left is not None else []
        return ", ".join(parts)


def _spelled(seconds: float) -> str:
    """A time for a person.

    >>> [_spelled(x) for x in (0.2, 75, 4000)]
    ['1 s', '2 min', '1 h 7 min']
    """
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = -int(-seconds // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
