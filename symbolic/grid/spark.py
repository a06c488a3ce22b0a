"""Queries on Spark: one a partition, on this machine's processors or on any master.

All that Spark and its machines say goes to a file: what a user must know of it is told here.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway

import leadline
from leadline.symbolic.grid.java import require_java
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import answer
from leadline.symbolic.lang import LeadlineError, UserError

MASTER = "local[*]"
"""This machine, with as many tasks at once as it has processors."""

_LOOKS = 0.2  # seconds between two looks at what is there


class SparkGaveUp(LeadlineError, RuntimeError):
    """Spark ended before all queries were answered; what was answered is stored."""


def run(queries: Sequence[GridQuery], store: Store, master: str, progress: Callable[[int], None]) -> None:
    """Answer queries and store their rows, each as soon as it exists.

    Args:
        queries: what to ask; at least one.
        store: where the rows go; a folder that the machines share, or the rows are stored at the end.
        master: Spark's master.
        progress: called from time to time with the number of rows stored.

    Raises:
        UserError: if there is no Java or Spark does not start.
        SparkGaveUp: if Spark ends before all are answered.
        OSError: if a row cannot be stored.
    """
    require_java()
    log = store.folder / "spark.log"
    waiting = {query.id for query in queries}
    with ThreadPoolExecutor(1) as pool, _spark(master, log) as spark:
        job = pool.submit(_collect, spark, queries, store)
        while not wait([job], _LOOKS).done:
            waiting = {query for query in waiting if not store.path(query).exists()}
            progress(len(queries) - len(waiting))
        error = job.exception()
        if error is not None:
            raise SparkGaveUp(f"Spark gave up: {_gist(error)} (its log is {log})") from error
        for row in job.result():
            # What a machine could not store itself, or stored on a disk of its own.
            if row.query not in store.find([row.query]).rows:
                store.keep(row)


def _collect(spark: SparkContext, queries: Sequence[GridQuery], store: Store) -> list[Row]:
    return spark.parallelize(queries, numSlices=len(queries)).map(partial(_answer, store=store)).collect()


def _answer(query: GridQuery, store: Store) -> Row:
    return answer(query, store)


@contextmanager
def _spark(master: str, log: Path) -> Iterator[SparkContext]:
    """A Spark of our own, ended with its Java process when the work is."""
    conf = _configuration(master)
    interrupt = signal.getsignal(signal.SIGINT)
    if master.startswith("local"):
        os.environ["PYSPARK_PYTHON"] = sys.executable
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        with log.open("wb") as file:
            gateway = launch_gateway(conf, {"stdout": file, "stderr": file})  # type: ignore[no-untyped-call]  # pyspark leaves it so
    except (OSError, PySparkException) as error:
        raise UserError(
            f"Spark does not start: {_complaint(log) or _gist(error)} (its log is {log})"
        ) from error
    try:
        try:
            with warnings.catch_warnings():
                # What pyspark thinks of the pandas that it finds: nothing here uses pandas.
                warnings.simplefilter("ignore", FutureWarning)
                spark = SparkContext(conf=conf, gateway=gateway)
        except Exception as error:
            raise UserError(f"Spark does not start on {master}: {_gist(error)} (its log is {log})") from error
        try:
            yield spark
        finally:
            spark.stop()
    finally:
        signal.signal(signal.SIGINT, interrupt)
        gateway.shutdown()
        # The Java process ends when its standard input does.
        gateway.proc.stdin.close()
        gateway.proc.wait()
        SparkContext._gateway = SparkContext._jvm = None


def _configuration(master: str) -> SparkConf:
    conf = SparkConf().setMaster(master).setAppName("leadline grid")
    conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
    # Whoever runs the tasks finds the same package, wherever this process has it from.
    conf.setExecutorEnv("PYTHONPATH", str(Path(leadline.__file__).parent.parent))
    if master.startswith("local"):
        # Nothing leaves the machine, so no network and no name of the host is needed.
        conf.set("spark.driver.host", "localhost").set("spark.driver.bindAddress", "127.0.0.1")
    return conf


def _gist(error: BaseException) -> str:
    """The line of an error of Spark's that says most: of Java's the first cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    java = [line for line in lines if not line.startswith(("at ", "An error occurred", ":"))]
    named = [line.removeprefix(": ") for line in lines if line.startswith(": ")]
    return (named or java or lines or [type(error).__name__])[0]


def _complaint(log: Path) -> str:
    """What Java said before it ended: its exception, else its last line."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    said = [line.strip() for line in lines if line.strip()]
    thrown = [line for line in said if line.startswith(("Exception in thread", "Error"))]
    return (thrown or said[-1:] or [""])[0]
