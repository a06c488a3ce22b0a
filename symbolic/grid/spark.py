"""Queries on Spark: each is a job of its own, so that each can be named, cancelled and lost alone."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from pyspark import SparkContext

from leadline.symbolic.catalog import packed, split_path
from leadline.symbolic.grid.durable import held, scratch_folder, sweep, write_text
from leadline.symbolic.grid.pruning import Pruning
from leadline.symbolic.grid.query import GridQuery, point_text
from leadline.symbolic.grid.remote import Place, StoreAway
from leadline.symbolic.grid.runs import LOG, StoreArchive
from leadline.symbolic.grid.schedule import EndedQuery, RunProgress, Schedule
from leadline.symbolic.grid.session import SparkSetup, gist, reason, session
from leadline.symbolic.grid.shipping import Lack, packed_errand, unpacked, write_archive
from leadline.symbolic.grid.store import locked
from leadline.symbolic.grid.task import Errand, Task, TaskResult, answer
from leadline.symbolic.grid.workers import Lacks, SparkGaveUp, Watch
from leadline.symbolic.lang import UserError

REASON = 400
"""The most characters of a message of Spark's that are shown."""

Work = Callable[[], bytes]
"""Runs on one of Spark's machines."""


class Link(Protocol):
    """A way to Spark."""

    @property
    def pages(self) -> str | None:
        """The address of Spark's web pages, if they are served."""

    def slots(self) -> int:
        """The number of tasks that Spark runs at once, as far as it is known."""

    def run(self, tag: str, title: str, work: Work) -> bytes:
        """Run a job of one task, and wait for it.

        Args:
            tag: the name by which `cancel` finds the job.
            title: the description of the job on Spark's pages, where these show one.
            work: the task.
        """

    def cancel(self, tag: str) -> None:
        """Cancel the job with this tag, if it runs."""

    def workers(self) -> int:
        """The number of workers, as far as it is known; 0 if nothing is at work."""

    def gone(self, error: BaseException) -> str | None:
        """The reason why Spark has ended, after a call of this link raised an error; None if it still runs."""


class ClassicLink:
    """A SparkContext.

    Args:
        spark: Spark.
        log: the file with its output.
    """

    def __init__(self, spark: SparkContext, log: Path) -> None:
        self.spark = spark
        self._log = log
        # One partition with one element, on which every job works.
        self._one = spark.parallelize([None], 1)

    @property
    def pages(self) -> str | None:
        return self.spark.uiWebUrl

    def slots(self) -> int:
        return self.spark.defaultParallelism

    def run(self, tag: str, title: str, work: Work) -> bytes:
        # These belong to the thread, which may have run another job before.
        self.spark.clearJobTags()
        self.spark.addJobTag(tag)
        self.spark.setInterruptOnCancel(True)
        self.spark.setJobDescription(title)
        found: list[bytes] = self._one.map(lambda _: work()).collect()
        return found[0]

    def each(self, title: str, number: int, work: Callable[[int], bytes]) -> list[bytes]:
        """Run a job of several tasks, each with its number, and wait for all."""
        self.spark.setJobDescription(title)
        found: list[bytes] = self.spark.parallelize(range(number), number).map(work).collect()
        return found

    def cancel(self, tag: str) -> None:
        self.spark.cancelJobsWithTag(tag)

    def workers(self) -> int:
        # The driver is one of them.
        return int(self.spark._jsc.sc().getExecutorMemoryStatus().size()) - 1

    def gone(self, error: BaseException) -> str | None:
        try:
            stopped = self.spark._jsc.sc().isStopped()
        except Exception:  # py4j raises several kinds without Java
            hint = "killed, or out of memory (--conf spark.driver.memory=4g gives it more)"
            return f"its Java process has ended: {hint}"
        return reason(self._log, error)[:REASON] if stopped else None


_SIGN = ".run-"
_THREADS = 4096  # an upper bound: there are as many as queries that run


def run(
    queries: Iterable[GridQuery],
    archive: StoreArchive,
    setup: SparkSetup,
    pruning: Pruning | None,
    tell: Callable[[RunProgress], None],
    *,
    started: Callable[[Link], None] = lambda _: None,
    warn: Callable[[str], None] = lambda _: None,
    task: Task = answer,
) -> None:
    """Ask queries and store their rows, each as soon as it exists.

    Args:
        queries: the queries to ask, at least one.
        archive: keeps the rows. Machines that share its folder store their rows themselves.
        setup: the settings of Spark.
        pruning: has learned all answers so far; None to prune nothing.
        tell: called with the progress, from time to time.
        started: called with the way to Spark once it has started.
        warn: takes messages to the user while the run goes on.
        task: answers a query.

    Raises:
        UserError: if there is no Java or Spark does not start.
        SparkGaveUp: if Spark ends before all are answered.
        OSError: if a row cannot be stored; all such rows are in the archive's `unsaved`.
    """
    schedule = Schedule(queries, archive.predicted, archive, pruning)
    log = archive.folder / LOG
    hint = f" (its log is {log})" if setup.remote is None else ""
    with _sign(archive) as sign, opened(setup, log) as link:
        started(link)
        executor = SparkExecutor(link, archive, sign, task, warn, sends=not setup.local)
        if not setup.local:
            executor.watch = Watch(link.workers, setup.patience, warn, setup.where)
        try:
            schedule.run(executor, tell)
        except SparkGaveUp as error:
            raise SparkGaveUp(f"{error}{hint}") from error
        finally:
            executor.close()
            # However the run ends, the answers so far are stored, if that is possible.
            archive.unsaved += executor.answered()
            archive.again()


@contextmanager
def opened(setup: SparkSetup, log: Path) -> Iterator[Link]:
    """A way to Spark, which ends with Spark in the end."""
    setup.check()
    if setup.remote is not None:
        try:  # here, since a classic Spark needs none of it
            from leadline.symbolic.grid.connect import connected
        except ImportError as error:
            what = error.name or gist(error)
            text = f"Spark Connect needs more packages ({what}): pip install 'leadline[connect]'"
            raise UserError(text) from error
        with connected(setup) as remote:
            yield remote
        return
    with scratch_folder() as folder, session(setup, log) as spark:
        try:
            link = ClassicLink(spark, log)
            if not setup.local:
                shipped = folder / "leadline.zip"
                write_archive(shipped)
                spark.addPyFile(str(shipped))
        except Exception as error:  # Spark may have stopped itself meanwhile
            why = reason(log, error)[:REASON]
            raise SparkGaveUp(f"Spark gave up on {setup.master}: {why} (its log is {log})") from error
        yield link


@contextmanager
def _sign(archive: StoreArchive) -> Iterator[str]:
    """A file in the store that shows a machine that it shares the folder."""
    folder = archive.store.folder
    path = folder / f"{_SIGN}{archive.run}"
    if isinstance(path, Path) and isinstance(folder, Path):
        with ExitStack() as stack:
            # Under the lock no other run takes a sign that is not held yet for one that is left.
            with locked(folder):
                sweep(folder, f"{_SIGN}*")
                stack.enter_context(held(path))
            yield path.name
        return
    with suppress(StoreAway):
        write_text(path, "")
    try:
        yield path.name
    finally:
        with suppress(StoreAway):
            path.unlink(missing_ok=True)


class SparkExecutor:
    """Runs queries on Spark: each in a job of one task, which has a tag of its own.

    Args:
        link: the way to Spark.
        archive: keeps the rows.
        sign: the name of the run's sign in the store's folder; see `Errand`.
        task: answers a query.
        warn: takes messages to the user.
        sends: whether the machines may lack the user's files.
    """

    def __init__(
        self,
        link: Link,
        archive: StoreArchive,
        sign: str,
        task: Task,
        warn: Callable[[str], None] = lambda _: None,
        *,
        sends: bool = False,
    ) -> None:
        self._link = link
        self._archive = archive
        folder = archive.store.folder
        self._folder: Place = folder.resolve() if isinstance(folder, Path) else folder
        self._sign = sign
        self._task = task
        self._warn = warn
        self._sends = sends
        self._threads = ThreadPoolExecutor(_THREADS, "query")
        self._packed: dict[str, str | None] = {}
        self._ended: queue.SimpleQueue[EndedQuery] = queue.SimpleQueue()
        self._running = 0
        self._lacks = Lacks(warn)
        self._gone: str | None = None
        self._closed = False
        self.watch: Watch | None = None

    def width(self) -> int:
        """The number of Spark's processors and a few more: a query that waits in Spark costs nothing.

        Raises:
            SparkGaveUp: if Spark is no more.
        """
        with self._asking():
            slots = self._link.slots()
        return slots + 1 + slots // 8

    def start(self, query: GridQuery) -> None:
        """Run a query.

        Raises:
            UserError: if its protocol is a class that cannot be sent.
        """
        if query.source not in self._packed:
            self._packed[query.source] = self._protocol(query.source)
        self._running += 1
        self._threads.submit(self._ask, query)

    def cancel(self, query: GridQuery) -> None:
        """Stop a query that runs.

        Raises:
            SparkGaveUp: if Spark is no more.
        """
        with self._asking():
            self._link.cancel(self._tag(query))

    def wait(self, seconds: float) -> EndedQuery | None:
        """A query that has ended; None if no query ends within the time.

        Raises:
            SparkGaveUp: if Spark is no more, or no worker can answer.
        """
        try:
            ended = self._ended.get(timeout=seconds)
        except queue.Empty:
            self._lacks.look(self._running)
            if self.watch is not None:
                self.watch.look()
            return None
        if ended.result is None and self._gone is not None:
            raise SparkGaveUp(f"Spark gave up: {self._gone}")
        self._running -= 1
        if ended.result is not None and self.watch is not None:
            # A server of Spark Connect tells nothing of queries that are short.
            self.watch.answered()
        return ended

    def answered(self) -> list[TaskResult]:
        """The answers that have come in since the last `wait`."""
        found = []
        with suppress(queue.Empty):
            while True:
                ended = self._ended.get_nowait()
                found += [ended.result] if ended.result is not None else []
        return found

    def close(self) -> None:
        """Start no more queries; those that run end with Spark."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _ask(self, query: GridQuery) -> None:
        archive = self._archive
        predicted = archive.predicted.get(query.id)
        protocol = self._packed[query.source]
        result, lost = None, ""
        try:
            files = query.query.options.contents() if self._sends else ()
            errand = Errand(
                query, archive.run, predicted, self._folder, self._sign, self._task, protocol, files
            )
            work = packed_errand(errand)
            while result is None and not self._closed:
                found = unpacked(self._link.run(self._tag(query), title(query), work))
                if isinstance(found, Lack):
                    self._lacks.refused(query.id, str(found))
                else:
                    result = found
        except Exception as error:
            self._gone = self._link.gone(error) or self._gone
            lost = f"lost: {gist(error)[:REASON]}"
        self._lacks.ended()
        self._ended.put(EndedQuery(query, result, lost))

    def _protocol(self, source: str) -> str | None:
        """The protocol as it is sent to the machines; None if they find it by its source."""
        try:
            return packed(source, whole=self._sends)
        except UserError as error:
            if not self._sends or split_path(source) is None:
                raise
            self._warn(f"{error}: {source} must be at the same path on every host")
            return None

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """A call of Spark, which may have ended since the last one."""
        try:
            yield
        except Exception as error:
            why = self._link.gone(error)
            if why is not None:
                raise SparkGaveUp(f"Spark gave up: {why}") from error
            raise

    def _tag(self, query: GridQuery) -> str:
        return f"{self._archive.run}/{query.id}"


def title(query: GridQuery) -> str:
    """A query as Spark's pages show it, so that a person finds what is slow or stuck."""
    point = point_text(dict(query.settings), "defaults")
    question = query.question if query.unroll is None else f"within {query.question}"
    asked = ", ".join(filter(None, [query.property, question, query.solver]))
    return f"{query.protocol} ({point}): {asked}"
