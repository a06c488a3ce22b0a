"""Queries on Spark: each is a job of its own, so each can be named, cancelled and lost alone."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from pyspark import SparkContext

from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.running.archive import StoreArchive
from leadline.symbolic.grid.running.progress import Tally
from leadline.symbolic.grid.running.pruning import Pruning
from leadline.symbolic.grid.running.schedule import Ended, Schedule
from leadline.symbolic.grid.running.session import Setup, gist, session
from leadline.symbolic.grid.running.task import Answer, answer
from leadline.symbolic.grid.running.worker import Errand, Task
from leadline.symbolic.grid.store.summary import layers
from leadline.symbolic.lang import LeadlineError

_THREADS = 4096  # they exist only where as many queries run
_REASON = 400  # characters of what Spark says of a lost query


class SparkGaveUp(LeadlineError, RuntimeError):
    """Spark ended before all queries were answered; what was answered is stored."""


def run(
    queries: Iterable[GridQuery],
    archive: StoreArchive,
    setup: Setup,
    pruning: Pruning | None,
    tell: Callable[[Tally], None],
    *,
    started: Callable[[SparkContext], None] = lambda _: None,
    task: Task = answer,
) -> None:
    """Answer queries and store their rows, each as soon as it exists.

    Args:
        queries: what to ask, at least one.
        archive: where the rows go. Machines that share its folder store their rows themselves.
        setup: where and how Spark runs.
        pruning: what has learned of all answers so far; None to ask whatever they say.
        tell: told how far it is, from time to time.
        started: told of Spark once it is there.
        task: answers a query.

    Raises:
        UserError: if there is no Java or Spark does not start.
        SparkGaveUp: if Spark ends before all are answered.
        OSError: if a row cannot be stored; it is among the archive's `unsaved`, with all others of which
            that is so.
    """
    schedule = Schedule(queries, archive.predicted, archive, pruning)
    log = archive.store.folder / "spark.log"
    with _sign(archive) as sign, session(setup, log) as spark:
        started(spark)
        executor = SparkExecutor(spark, archive, sign, task)
        try:
            schedule.run(executor, tell)
        except SparkGaveUp as error:
            raise SparkGaveUp(f"{error} (its log is {log})") from error
        finally:
            executor.close()
            # However it ends, what was answered by then is stored, if that can be.
            archive.unsaved += executor.answered()
            archive.again()


@contextmanager
def _sign(archive: StoreArchive) -> Iterator[str]:
    """A file in the store by which a machine sees that it shares the folder."""
    path = archive.store.folder / f".run-{archive.run}"
    path.touch()
    try:
        yield path.name
    finally:
        path.unlink(missing_ok=True)


class SparkExecutor:
    """Runs queries on Spark: each in a job of one partition, in a job group of its own.

    Args:
        spark: the Spark.
        archive: what is stored where, by which run.
        sign: the name of the run's sign in the store's folder.
        task: answers a query.
    """

    def __init__(self, spark: SparkContext, archive: StoreArchive, sign: str, task: Task) -> None:
        self._spark = spark
        self._archive = archive
        self._folder: Path = archive.store.folder.resolve()
        self._sign = sign
        self._task = task
        # One partition with one element, on which every job works.
        self._one = spark.parallelize([None], 1)
        self._threads = ThreadPoolExecutor(_THREADS, "query")
        self._ended: queue.SimpleQueue[Ended] = queue.SimpleQueue()

    def width(self) -> int:
        """Spark's processors and a few more: a query that waits at Spark's costs nothing.

        Raises:
            SparkGaveUp: if Spark is no more.
        """
        with self._asking():
            slots = self._spark.defaultParallelism
        return slots + 1 + slots // 8

    def start(self, query: GridQuery) -> None:
        """Run a query."""
        self._threads.submit(self._ask, query)

    def cancel(self, query: GridQuery) -> None:
        """Stop a query that runs.

        Raises:
            SparkGaveUp: if Spark is no more.
        """
        with self._asking():
            self._spark.cancelJobGroup(self._group(query))

    def wait(self, seconds: float) -> Ended | None:
        """A query that has ended; None if none does within so many seconds.

        Raises:
            SparkGaveUp: if Spark is no more.
        """
        try:
            ended = self._ended.get(timeout=seconds)
        except queue.Empty:
            return None
        if ended.lost is not None:
            self._check(ended.lost)
        return ended

    def answered(self) -> list[Answer]:
        """The answers that have come in, that nobody has waited for and that are not stored."""
        found = []
        with suppress(queue.Empty):
            while True:
                ended = self._ended.get_nowait()
                found += [ended.answer] if ended.answer is not None else []
        return found

    def close(self) -> None:
        """Start nothing more; what runs ends with Spark."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _ask(self, query: GridQuery) -> None:
        archive = self._archive
        predicted = archive.predicted.get(query.id)
        errand = Errand(query, archive.run, predicted, self._folder, self._sign, self._task)
        try:
            # The group belongs to the thread.
            self._spark.setJobGroup(self._group(query), title(query), interruptOnCancel=True)
            (told,) = self._one.map(errand.do).collect()
            self._ended.put(Ended(query, told.finding, told.answer))
        except Exception as error:
            self._ended.put(Ended(query, lost=f"lost: {gist(error)[:_REASON]}"))

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """A question to Spark, which may have ended since it was heard of last."""
        try:
            yield
        except Exception as error:
            self._check(gist(error)[:_REASON])
            raise

    def _check(self, complaint: str) -> None:
        """See that Spark is there.

        Raises:
            SparkGaveUp: if it is not, with why or else with what a query that was lost says.
        """
        try:
            stopped = self._spark._jsc.sc().isStopped()
        except Exception as error:  # whatever py4j says where there is no Java any more
            hint = "killed, or out of memory (--conf spark.driver.memory=4g gives it more)"
            raise SparkGaveUp(f"Spark gave up: its Java process has ended: {hint}") from error
        if stopped:
            raise SparkGaveUp(f"Spark gave up: {complaint}")

    def _group(self, query: GridQuery) -> str:
        return f"{self._archive.run}/{query.id}"


def title(query: GridQuery) -> str:
    """A query as Spark's pages show it: its protocol and point, and what is asked.

    A person finds by it what is slow or stuck.
    """
    point = ", ".join(f"{name} = {value}" for name, value in query.settings)
    asked = f"within {layers(query.depth, query.unroll)}" if query.depth is not None else query.obligation
    return f"{query.protocol} ({point or 'defaults'}): {query.property}, {asked}, {query.solver}"
