"""A Spark of our own: started with the settings that grids need, ended with its Java process.

All that Spark and its machines say goes to a file: what a user must know of it is told by who uses it.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway

import leadline
from leadline.symbolic.grid.running.java import require_java
from leadline.symbolic.lang import UserError

MASTER = "local[*]"
"""This machine, with as many tasks at once as it has processors."""

RETRIES = 2
"""How often a query is tried again whose worker was lost."""

_LOCAL = re.compile(r"local(?:\[(?P<cores>\*|\d+)\])?")
_CONNECT = re.compile(r"sc://|connect$")

_SETTINGS = {
    "spark.ui.showConsoleProgress": "false",
    # What is shown of jobs that are over is kept in the driver's memory.
    "spark.ui.retainedJobs": "300",
    "spark.ui.retainedStages": "300",
    "spark.ui.retainedTasks": "300",
    "spark.driver.memory": "512m",
    # The driver passes small messages on: compiling its code well costs more than it gains.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # No query reads data that lies on some machine.
    "spark.locality.wait": "0",
    # A query that is cancelled gives its processor back at once.
    "spark.python.task.killTimeout": "100ms",
}


@dataclass(frozen=True)
class Setup:
    """Where and how Spark runs.

    Attributes:
        master: Spark's master.
        retries: how often a query is tried again whose worker was lost, 0 or more.
        ui: whether Spark shows its pages.
        conf: further settings of Spark's, by name; they win over ours.
    """

    master: str = MASTER
    retries: int = RETRIES
    ui: bool = False
    conf: Mapping[str, str] = field(default_factory=dict)

    @property
    def local(self) -> bool:
        """Whether all runs on this machine, in one Java process."""
        return self.master.startswith("local") and not self.master.startswith("local-cluster")

    @property
    def spark_master(self) -> str:
        """The master as Spark takes it: on this machine nothing is tried again unless its name says so."""
        plain = _LOCAL.fullmatch(self.master)
        return f"local[{plain['cores'] or 1},{self.retries + 1}]" if plain else self.master

    def check(self) -> None:
        """Look at what can be known before Spark starts.

        Raises:
            UserError: if there is no Java, or the master is one that grids cannot use.
        """
        if _CONNECT.match(self.master) or "SPARK_REMOTE" in os.environ:
            raise UserError(
                "grids need a classic Spark, whose jobs can be named and cancelled one by one, and not Spark "
                "Connect: give --master spark://HOST:PORT, yarn or k8s://..., and unset SPARK_REMOTE"
            )
        require_java()

    def spark_conf(self) -> SparkConf:
        """The settings."""
        conf = SparkConf().setMaster(self.spark_master).setAppName("leadline grid")
        for name, value in _SETTINGS.items():
            conf.set(name, value)
        conf.set("spark.ui.enabled", str(self.ui).lower())
        conf.set("spark.task.maxFailures", str(self.retries + 1))
        # Whoever runs the tasks finds the same package, wherever this process has it from.
        conf.setExecutorEnv("PYTHONPATH", str(Path(leadline.__file__).parent.parent))
        # A file in the working directory, perhaps a user's `token.py`, is no module of anybody's.
        conf.setExecutorEnv("PYTHONSAFEPATH", "1")
        if self.local:
            # Nothing leaves the machine, so no network and no name of the host is needed.
            conf.set("spark.driver.host", "localhost").set("spark.driver.bindAddress", "127.0.0.1")
        for name, value in self.conf.items():
            conf.set(name, value)
        return conf


@contextmanager
def session(setup: Setup, log: Path) -> Iterator[SparkContext]:
    """A Spark for a while.

    Args:
        setup: where and how it runs.
        log: the file for what it says.

    Raises:
        UserError: if it does not start.
    """
    setup.check()
    conf = setup.spark_conf()
    interrupt = signal.getsignal(signal.SIGINT)
    if setup.local:
        os.environ["PYSPARK_PYTHON"] = sys.executable
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with _held_back() as interrupts:
        # Whoever interrupted this would leave a Java process that nobody knows.
        gateway = _launched(conf, log)
    # What goes wrong between Python and Java is an error here; py4j prints it a second time if nobody logs.
    nobody = logging.NullHandler()
    logging.getLogger().addHandler(nobody)
    try:
        if interrupts:
            raise KeyboardInterrupt
        spark = _context(conf, gateway, f"on {setup.master}", log)
        try:
            yield spark
        finally:
            _stop(spark)
    finally:
        signal.signal(signal.SIGINT, interrupt)
        gateway.shutdown()
        # The Java process ends when its standard input does.
        gateway.proc.stdin.close()
        gateway.proc.wait()
        logging.getLogger().removeHandler(nobody)
        SparkContext._gateway = SparkContext._jvm = None


@contextmanager
def _held_back() -> Iterator[list[int]]:
    """A while in which a first Ctrl-C is only noted; who does not want to wait presses it again."""
    noted: list[int] = []
    usual = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        if noted and callable(usual):
            usual(number, frame)
        noted.append(number)

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, usual)


def _launched(conf: SparkConf, log: Path) -> Any:
    """The way to a Java process of our own."""
    try:
        with log.open("wb") as file:
            return launch_gateway(conf, {"stdout": file, "stderr": file})  # type: ignore[no-untyped-call]  # pyspark leaves it so
    except (OSError, PySparkException) as error:
        raise UserError(
            f"Spark does not start: {_complaint(log) or gist(error)} (its log is {log})"
        ) from error


def _context(conf: SparkConf, gateway: Any, where: str, log: Path) -> SparkContext:
    """A Spark in that process."""
    try:
        with warnings.catch_warnings():
            # What pyspark thinks of the pandas that it finds: nothing here uses pandas.
            warnings.simplefilter("ignore", FutureWarning)
            spark = SparkContext(conf=conf, gateway=gateway)
    except Exception as error:
        raise UserError(f"Spark does not start {where}: {gist(error)} (its log is {log})") from error
    # A Java that is gone is told once, and not by the traceback of a thread that hears nothing any more.
    setattr(spark._accumulatorServer, "handle_error", lambda *_: None)  # noqa: B010  # a method, to mypy
    return spark


def _stop(spark: SparkContext) -> None:
    """Stop a Spark, also one whose Java is gone."""
    with warnings.catch_warnings():
        # That it cannot be shut down cleanly: who runs the queries sees that Java is gone, and says so.
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            spark.stop()
        except OSError:
            spark._jsc = None
            spark.stop()


def gist(error: BaseException) -> str:
    """The line of an error of Spark's that says most: of Python's the last, of Java's the first cause."""
    _, traceback, after = str(error).partition("Traceback (most recent call last):")
    python = [line for line in after.splitlines() if line.strip() and not line.startswith((" ", "\t"))]
    if traceback and python:
        return python[0]
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
