"""Queries on Spark: each is a job of its own, so that each can be named, cancelled and lost alone."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from pyspark import SparkContext

from leadline.symbolic.catalog import packed
from leadline.symbolic.grid.durable import write_text
from leadline.symbolic.grid.pruning import Pruning
from leadline.symbolic.grid.query import GridQuery, point_text
from leadline.symbolic.grid.remote import Place, StoreAway
from leadline.symbolic.grid.runs import StoreArchive
from leadline.symbolic.grid.schedule import EndedQuery, RunProgress, Schedule
from leadline.symbolic.grid.session import SparkSetup, gist, session
from leadline.symbolic.grid.task import Errand, Task, TaskResult, answer
from leadline.symbolic.grid.workers import SparkGaveUp, Watch

_THREADS = 4096  # an upper bound: there are as many as queries that run
_REASON = 400  # characters of Spark's message about a lost query


def run(
    queries: Iterable[GridQuery],
    archive: StoreArchive,
    setup: SparkSetup,
    pruning: Pruning | None,
    tell: Callable[[RunProgress], None],
    *,
    started: Callable[[SparkContext], None] = lambda _: None,
    warn: Callable[[str], None] = lambda _: None,
    task: Task = answer,
) -> None:
    """TaskResult queries and store their rows, each as soon as it exists.

    Args:
        queries: the queries to ask, at least one.
        archive: keeps the rows. Machines that share its folder store their rows themselves.
        setup: the settings of Spark.
        pruning: has learned all answers so far; None to prune nothing.
        tell: called with the progress, from time to time.
        started: called with Spark once it has started.
        warn: takes messages to the user while the run goes on.
        task: answers a query.

    Raises:
        UserError: if there is no Java or Spark does not start.
        SparkGaveUp: if Spark ends before all are answered.
        OSError: if a row cannot be stored; all such rows are in the archive's `unsaved`.
    """
    schedule = Schedule(queries, archive.predicted, archive, pruning)
    log = archive.folder / "spark.log"
    with _sign(archive) as sign, session(setup, log) as spark:
        started(spark)
        with _begun(setup.master):
            executor = SparkExecutor(spark, archive, sign, task)
        if not setup.local:
            executor.watch = Watch(executor.workers, setup.patience, warn, setup.master)
        try:
            schedule.run(executor, tell)
        except SparkGaveUp as error:
            raise SparkGaveUp(f"{error} (its log is {log})") from error
        finally:
            executor.close()
            # However the run ends, the answers so far are stored, if that is possible.
            archive.unsaved += executor.answered()
            archive.again()


@contextmanager
def _begun(master: str) -> Iterator[None]:
    """The first calls of Spark, which may have stopped itself meanwhile."""
    try:
        yield
    except Exception as error:
        raise SparkGaveUp(f"Spark gave up on {master}: {gist(error)[:_REASON]}") from error


@contextmanager
def _sign(archive: StoreArchive) -> Iterator[str]:
    """A file in the store that shows a machine that it shares the folder."""
    path = archive.store.folder / f".run-{archive.run}"
    with suppress(StoreAway):
        write_text(path, "")
    try:
        yield path.name
    finally:
        with suppress(StoreAway):
            path.unlink(missing_ok=True)


class SparkExecutor:
    """Runs queries on Spark: each in a job of one partition, in a job group of its own.

    Args:
        spark: Spark.
        archive: keeps the rows.
        sign: the name of the run's sign in the store's folder; see `Errand`.
        task: answers a query.
    """

    def __init__(self, spark: SparkContext, archive: StoreArchive, sign: str, task: Task) -> None:
        self._spark = spark
        self._archive = archive
        folder = archive.store.folder
        self._folder: Place = folder.resolve() if isinstance(folder, Path) else folder
        self._sign = sign
        self._task = task
        # One partition with one element, on which every job works.
        self._one = spark.parallelize([None], 1)
        self._threads = ThreadPoolExecutor(_THREADS, "query")
        self._packed: dict[str, str | None] = {}
        self._ended: queue.SimpleQueue[EndedQuery] = queue.SimpleQueue()
        self.watch: Watch | None = None

    def width(self) -> int:
        """The number of Spark's processors and a few more: a query that waits in Spark costs nothing.

        Raises:
            SparkGaveUp: if Spark is no more.
        """
        with self._asking():
            slots = self._spark.defaultParallelism
        return slots + 1 + slots // 8

    def start(self, query: GridQuery) -> None:
        """Run a query.

        Raises:
            UserError: if its protocol is a class that cannot be sent.
        """
        if query.source not in self._packed:
            self._packed[query.source] = packed(query.source)
        self._threads.submit(self._ask, query)

    def cancel(self, query: GridQuery) -> None:
        """Stop a query that runs.

        Raises:
            SparkGaveUp: if Spark is no more.
        """
        with self._asking():
            self._spark.cancelJobGroup(self._group(query))

    def wait(self, seconds: float) -> EndedQuery | None:
        """A query that has ended; None if none ends within so many seconds.

        Raises:
            SparkGaveUp: if Spark is no more.
        """
        try:
            ended = self._ended.get(timeout=seconds)
        except queue.Empty:
            if self.watch is not None:
                self.watch.look()
            return None
        if ended.result is None:
            self._check(ended.lost)
        return ended

    def workers(self) -> int:
        """The number of Spark's executors besides the driver."""
        return int(self._spark._jsc.sc().getExecutorMemoryStatus().size()) - 1

    def answered(self) -> list[TaskResult]:
        """The answers that have come in since the last `wait` and that are not stored."""
        found = []
        with suppress(queue.Empty):
            while True:
                ended = self._ended.get_nowait()
                found += [ended.result] if ended.result is not None and not ended.result.stored else []
        return found

    def close(self) -> None:
        """Start no more queries; those that run end with Spark."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _ask(self, query: GridQuery) -> None:
        archive = self._archive
        predicted = archive.predicted.get(query.id)
        protocol = self._packed[query.source]
        errand = Errand(query, archive.run, predicted, self._folder, self._sign, self._task, protocol)
        try:
            # The group belongs to the thread.
            self._spark.setJobGroup(self._group(query), title(query), interruptOnCancel=True)
            (result,) = self._one.map(errand.do).collect()
            self._ended.put(EndedQuery(query, result))
        except Exception as error:
            self._ended.put(EndedQuery(query, None, f"lost: {gist(error)[:_REASON]}"))

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """A call of Spark, which may have ended since the last one."""
        try:
            yield
        except Exception as error:
            self._check(gist(error)[:_REASON])
            raise

    def _check(self, complaint: str) -> None:
        """Check that Spark has not ended.

        Raises:
            SparkGaveUp: if it has, with the reason if it is known, else with the complaint of a lost query.
        """
        try:
            stopped = self._spark._jsc.sc().isStopped()
        except Exception as error:  # py4j raises several kinds without Java
            hint = "killed, or out of memory (--conf spark.driver.memory=4g gives it more)"
            raise SparkGaveUp(f"Spark gave up: its Java process has ended: {hint}") from error
        if stopped:
            raise SparkGaveUp(f"Spark gave up: {complaint}")

    def _group(self, query: GridQuery) -> str:
        return f"{self._archive.run}/{query.id}"


def title(query: GridQuery) -> str:
    """A query as Spark's pages show it, so that a person finds what is slow or stuck."""
    point = point_text(dict(query.settings), "defaults")
    question = query.question if query.unroll is None else f"within {query.question}"
    asked = ", ".join(filter(None, [query.property, question, query.solver]))
    return f"{query.protocol} ({point}): {asked}"
