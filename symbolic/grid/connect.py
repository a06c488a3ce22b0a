"""Spark Connect: Spark on a server that is reached over the network; no Java runs on this machine.

The server's session gets Leadline as an archive. The progress that the server reports of each query tells
whether any worker is at work. While the server is away, a query's thread tries to reach it until patience ends.
Importing this needs the packages of the extra `connect`.
"""

from __future__ import annotations

import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any
from unittest import mock

from leadline.symbolic.grid.durable import scratch_folder
from leadline.symbolic.grid.session import SparkSetup, gist
from leadline.symbolic.grid.shipping import refused, write_archive
from leadline.symbolic.grid.spark import REASON, Work
from leadline.symbolic.grid.workers import SparkGaveUp, knock_at
from leadline.symbolic.lang import UserError

# PySpark takes a process whose main module has no file, as that of `python -c`, for a run of its own doctests,
# and may end it.
with warnings.catch_warnings(), mock.patch.object(sys.modules["__main__"], "__file__", "-", create=True):
    warnings.simplefilter(
        "ignore"
    )  # PySpark warns of the version of pandas, which it needs and grids do not use
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession

_BACKOFF = 5_000  # milliseconds; the most between two tries
_CALM = 60.0  # seconds without a failure after which the next one begins another outage
_SLOTS = re.compile(r"splits=(\d+)")
_PLAN = "EXPLAIN SELECT * FROM range(1000000)"  # shows in how many parts Spark would work, and runs nothing
_REPORTS = "spark.connect.progress.reportInterval"
_STALE = 20.0  # seconds after which a report tells nothing more
_LOOKS = 5.0  # seconds between two looks at the number of slots
_NO_ARROW = "No module named 'pyarrow'"  # Spark's own code needs it, and says no more than this
_UNNAMED = ("of the server (which one, Spark does not tell)", "its Python")
_LOST = ("SESSION_CHANGED", "SESSION_CLOSED", "SESSION_NOT_FOUND", "NO_ACTIVE_SESSION")


@contextmanager
def connected(setup: SparkSetup) -> Iterator[ConnectLink]:
    """A session on a Spark Connect server, which ends with all its queries in the end.

    Args:
        setup: the settings, with the address of a server.

    Raises:
        UserError: if the address or a setting is one that Spark refuses.
        SparkGaveUp: if the server cannot be reached.
    """
    try:
        builder = DefaultChannelBuilder(setup.remote or "")
    except Exception as error:  # its text may hold a token
        form = "sc://HOST:PORT, or sc://HOST:PORT/;NAME=VALUE;..."
        raise UserError(f"--remote {setup.where}: the address of a Spark Connect server is {form}") from error
    knock_at([f"{builder.host}:{builder._port}"], f"the Spark Connect server {setup.where}")
    try:
        spark = SparkSession.builder.channelBuilder(builder).create()
    except Exception as error:
        raise SparkGaveUp(f"{setup.where} refuses a session: {gist(error)[:REASON]}") from error
    policy = Patience(setup.patience)
    spark.client.set_retry_policies([policy])
    link: ConnectLink | None = None
    try:
        _configure(spark, setup)
        try:
            with scratch_folder() as folder:
                write_archive(folder / "leadline.zip")
                spark.addArtifacts(str(folder / "leadline.zip"), pyfile=True)
            link = ConnectLink(spark, policy)
        except Exception as error:
            raise SparkGaveUp(f"{setup.where} gives no session: {gist(error)[:REASON]}") from error
        yield link
    finally:
        policy.over = True
        if link is not None:
            link.close()
        # It ends the queries too; a server that is away does that by itself.
        spark.stop()


def _configure(spark: Any, setup: SparkSetup) -> None:
    """Give the session its settings; most of Spark's are the server's, set when that starts."""
    for name, value in setup.conf.items():
        try:
            spark.conf.set(name, value)
        except Exception as error:
            raise UserError(f"--conf {name}={value}: {gist(error)[:REASON]}") from error


class Patience(DefaultPolicy):
    """Tries again while the server is away, in the threads that are `patient`; elsewhere it never does.

    Args:
        seconds: how long a thread tries.

    Attributes:
        over: whether nobody waits for an answer any more.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(max_retries=None, max_backoff=_BACKOFF)
        self.over = False
        self._seconds = seconds
        self._of = threading.local()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Be patient in this thread."""
        self._of.patient, self._of.began, self._of.last = True, None, 0.0
        try:
            yield
        finally:
            self._of.patient = False

    def can_retry(self, e: BaseException) -> bool:
        if self.over or not getattr(self._of, "patient", False) or not super().can_retry(e):
            return False
        now = time.monotonic()
        if self._of.began is None or now - self._of.last > _CALM:
            self._of.began = now
        self._of.last = now
        return bool(now - self._of.began < self._seconds)


class ConnectLink:
    """A session of Spark Connect, as a `Link`.

    Args:
        spark: the session.
        policy: says how long a thread tries to reach the server.
        clock: gives seconds.
    """

    pages = None

    def __init__(self, spark: Any, policy: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self._spark = spark
        self._policy = policy
        self._clock = clock
        self._at_work: dict[int, tuple[int, float]] = {}  # by the thread
        # Without reports nothing is known of workers, and nobody is told that there are none.
        self._silent = not _reports(spark)
        spark.registerProgressHandler(self._heard)
        self._width = self._asked_slots()
        # The schedule never waits for the server: these calls may.
        self._calls = ThreadPoolExecutor(1, "spark")
        self._over = threading.Event()
        threading.Thread(target=self._look, name="slots", daemon=True).start()

    def slots(self) -> int:
        return self._width

    def run(self, tag: str, title: str, work: Work) -> bytes:
        # The tag belongs to the thread, which may have run another job before.
        self._spark.clearTags()
        self._spark.addTag(tag)
        self._at_work[threading.get_ident()] = 0, self._clock()
        try:
            with self._policy.patient():
                found = self._spark.range(0, 1, 1, 1).mapInArrow(_in_arrow(work), "found binary").toArrow()
        except Exception as error:
            if _NO_ARROW in str(error):
                return refused(*_UNNAMED, "the Python package pyarrow")
            raise
        finally:
            del self._at_work[threading.get_ident()]
        result: bytes = found.column(0)[0].as_py()
        return result

    def cancel(self, tag: str) -> None:
        with suppress(RuntimeError):  # it is closed
            self._calls.submit(self._interrupt, tag)

    def _interrupt(self, tag: str) -> None:
        # The schedule cancels again while the query runs.
        with suppress(Exception):
            self._spark.interruptTag(tag)

    def workers(self) -> int:
        if self._silent:
            return 1
        now = self._clock()
        return sum(count for count, when in [*self._at_work.values()] if now - when < _STALE)

    def gone(self, error: BaseException) -> str | None:
        text = str(error)
        if any(name in text for name in _LOST):
            return "the server was started anew, or has closed the session"
        code = getattr(error, "getGrpcStatusCode", None)
        away = code is not None and code().name == "UNAVAILABLE"
        if away or "stopped SparkContext" in text or "SparkContext was shut down" in text:
            return gist(error)[:REASON]
        return None

    def close(self) -> None:
        """Stop asking the server."""
        self._over.set()
        self._calls.shutdown(wait=False, cancel_futures=True)

    def _heard(self, *, inflight_tasks: int, done: bool, **_: Any) -> None:
        """Record the server's report on a query, in the thread that waits for it; others are ignored."""
        if not done and threading.get_ident() in self._at_work:
            self._at_work[threading.get_ident()] = inflight_tasks, self._clock()

    def _look(self) -> None:
        while not self._over.wait(_LOOKS):
            with suppress(Exception):  # the queries' own threads notice if it is away
                self._width = self._asked_slots()

    def _asked_slots(self) -> int:
        plan = self._spark.sql(_PLAN).toArrow().column(0)[0].as_py()
        found = _SLOTS.search(plan)
        return int(found[1]) if found else 1


def _reports(spark: Any) -> bool:
    """Whether the server reports the progress of queries."""
    with suppress(Exception):  # the server has no such setting
        # Given a default, a server tells that in place of its own.
        found = re.match(r"\d+", spark.conf.get(_REPORTS))
        return found is not None and int(found[0]) > 0
    return False


def _in_arrow(work: Work) -> Callable[[Any], Iterator[Any]]:
    """The task as `mapInArrow` takes it; it is sent by value, since the machine may lack Leadline."""

    def batches(given: Any) -> Iterator[Any]:
        import pyarrow

        for _ in given:
            pass
        yield pyarrow.RecordBatch.from_pydict({"found": [work()]})

    return batches
