"""A Spark session: Java and Spark started with the settings that grids need, and ended together.

All output of Spark and its machines goes to a file; the caller reports what a user must know.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway

import leadline
from leadline.symbolic.grid.workers import PATIENCE, SparkGaveUp, knock
from leadline.symbolic.lang import UserError

MASTER = "local[*]"
"""This machine, with as many tasks at once as it has processors."""

RETRIES = 2
"""The number of times that a query whose worker was lost is tried again."""

_LOCAL = re.compile(r"local(?:\[(?P<cores>\*|\d+)\])?")
_GATEWAY = "PYSPARK_GATEWAY_PORT"
_WIDTH = "spark.default.parallelism"
_KILLED = re.compile(r"Application has been killed\. Reason: (.+)")
_CONNECT = "sc://"
_REMOTE = "SPARK_REMOTE"
# Spark's start script says the second where the Java that finds out its command line was killed.
_NOTHING = re.compile(r"^WARNING|/spark-class: line \d+: CMD: bad array subscript")

_SETTINGS = {
    "spark.ui.showConsoleProgress": "false",
    # The pages keep finished jobs in the driver's memory.
    "spark.ui.retainedJobs": "300",
    "spark.ui.retainedStages": "300",
    "spark.ui.retainedTasks": "300",
    "spark.driver.memory": "512m",
    # The driver passes small messages on: to compile its code well costs more than it gains.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # No query reads data that lies on some machine.
    "spark.locality.wait": "0",
    # A query that is cancelled gives its processor back at once.
    "spark.python.task.killTimeout": "100ms",
}


@dataclass(frozen=True)
class SparkSetup:
    """The settings of Spark.

    Attributes:
        master: Spark's master.
        retries: the number of times that a query whose worker was lost is tried again, 0 or more.
        ui: whether Spark shows its pages.
        conf: further settings of Spark, by name, which override all others.
        patience: the most seconds to wait for a worker of a cluster when there is none.
        remote: the address of a Spark Connect server, sc://HOST:PORT, in place of a master.
    """

    master: str = MASTER
    retries: int = RETRIES
    ui: bool = False
    conf: Mapping[str, str] = field(default_factory=dict)
    patience: float = PATIENCE
    remote: str | None = None

    @property
    def where(self) -> str:
        """The master or the server, for messages: the rest of a server's address may hold a token."""
        if self.remote is None:
            return self.master
        return _CONNECT + re.split("[/;]", self.remote.removeprefix(_CONNECT))[0]

    @property
    def local(self) -> bool:
        """Whether Spark runs on this machine, in one Java process."""
        if self.remote is not None:
            return False
        return self.master.startswith("local") and not self.master.startswith("local-cluster")

    @property
    def spark_master(self) -> str:
        """The master as Spark takes it: a local one needs the number of retries in its name."""
        plain = _LOCAL.fullmatch(self.master)
        return f"local[{plain['cores'] or 1},{self.retries + 1}]" if plain else self.master

    def check(self) -> None:
        """Check the settings that can be checked before Spark starts.

        Raises:
            UserError: if there is no Java, or the master or a setting is one that grids cannot use.
            SparkGaveUp: if the master cannot be reached.
        """
        if self.remote is not None:
            if not self.remote.startswith(_CONNECT):
                raise UserError("--remote: the address of a Spark Connect server is sc://HOST:PORT")
            return
        if not self.master.strip():
            raise UserError(
                "--master is empty: give spark://HOST:PORT, yarn, k8s://... or local[N], or leave it out"
            )
        if _GATEWAY in os.environ:
            raise UserError(
                f"{_GATEWAY} is set, and grids start a Java process of their own: unset it (spark-submit sets "
                "it: run leadline without, with --master)"
            )
        width = self.conf.get(_WIDTH, "1")
        if not (width.isascii() and width.isdecimal() and int(width[:9]) > 0 and len(width) < 10):
            raise UserError(f"--conf {_WIDTH}={width}: a number of tasks, at least 1, is needed")
        if self.master.startswith(_CONNECT):
            raise UserError("--master is for a classic Spark: give --remote sc://HOST:PORT for Spark Connect")
        if _REMOTE in os.environ:
            raise UserError(f"{_REMOTE} is set: give --remote sc://HOST:PORT too, or unset it")
        require_java()
        knock(self.master)

    def spark_conf(self) -> SparkConf:
        """The settings as Spark takes them."""
        conf = SparkConf().setMaster(self.spark_master).setAppName("leadline grid")
        for name, value in _SETTINGS.items():
            conf.set(name, value)
        conf.set("spark.ui.enabled", str(self.ui).lower())
        conf.set("spark.task.maxFailures", str(self.retries + 1))
        # A file in the working directory, such as a user's `token.py`, must not hide a module.
        conf.setExecutorEnv("PYTHONSAFEPATH", "1")
        if self.local:
            # The workers find the same package as this process; those of a cluster are sent it.
            conf.setExecutorEnv("PYTHONPATH", str(Path(leadline.__file__).parent.parent))
            # Nothing leaves the machine, so neither a network nor the host's name is needed.
            conf.set("spark.driver.host", "localhost").set("spark.driver.bindAddress", "127.0.0.1")
        for name, value in self.conf.items():
            conf.set(name, value)
        return conf


@contextmanager
def session(setup: SparkSetup, log: Path) -> Iterator[SparkContext]:
    """Start Spark, and stop it at the end.

    Args:
        setup: its settings, which are checked.
        log: the file for its output.

    Raises:
        UserError: if it does not start.
    """
    conf = setup.spark_conf()
    interrupt = signal.getsignal(signal.SIGINT)
    if setup.local:
        os.environ["PYSPARK_PYTHON"] = sys.executable
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with _held_back() as interrupts:
        # An interrupt here would leave a Java process that nothing ends.
        gateway = _launched(conf, log)
    # An error between Python and Java is raised here; without a log handler py4j prints it as well.
    nobody = logging.NullHandler()
    logging.getLogger().addHandler(nobody)
    try:
        if interrupts:
            signal.raise_signal(interrupts[0])
        spark = _context(conf, gateway, f"on {setup.master}", log)
        try:
            yield spark
        finally:
            _stop(spark)
    finally:
        signal.signal(signal.SIGINT, interrupt)
        with suppress(Exception):  # py4j raises several kinds if Java has ended
            gateway.shutdown()
        # The Java process ends when its standard input does.
        gateway.proc.stdin.close()
        gateway.proc.wait()
        logging.getLogger().removeHandler(nobody)
        SparkContext._gateway = SparkContext._jvm = None


@contextmanager
def _held_back() -> Iterator[list[int]]:
    """Only note a first Ctrl-C or SIGTERM; a second one interrupts."""
    noted: list[int] = []
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: FrameType | None) -> None:
        handler = usual[signal.Signals(number)]
        if noted and callable(handler):
            handler(number, frame)
        noted.append(number)

    for number, handler in usual.items():
        if callable(handler):
            signal.signal(number, note)
    try:
        yield noted
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


def _launched(conf: SparkConf, log: Path) -> Any:
    try:
        with log.open("wb") as file:
            return launch_gateway(conf, {"stdout": file, "stderr": file})  # type: ignore[no-untyped-call]  # pyspark leaves it so
    except (OSError, PySparkException) as error:
        why = _complaint(log)
        if not why and isinstance(error, PySparkException):
            text = f"Spark does not start: its Java process has ended, perhaps killed (its log is {log})"
            raise SparkGaveUp(text) from error
        raise UserError(f"Spark does not start: {why or gist(error)} (its log is {log})") from error


def _context(conf: SparkConf, gateway: Any, where: str, log: Path) -> SparkContext:
    try:
        with warnings.catch_warnings():
            # A warning about the version of pandas, which is not used here.
            warnings.simplefilter("ignore", FutureWarning)
            spark = SparkContext(conf=conf, gateway=gateway)
    except Exception as error:
        if gateway.proc.poll() is not None:
            text = (
                f"Spark does not start {where}: its Java process has ended, perhaps killed (its log is {log})"
            )
            raise SparkGaveUp(text) from error
        raise UserError(f"Spark does not start {where}: {gist(error)} (its log is {log})") from error
    # If Java has ended, that is reported once, and not by the traceback of a thread that reads from it.
    setattr(spark._accumulatorServer, "handle_error", lambda *_: None)  # noqa: B010  # a method, to mypy
    return spark


def _stop(spark: SparkContext) -> None:
    """Stop Spark, also if its Java process has ended."""
    with warnings.catch_warnings():
        # A warning that Java has ended, which the executor reports itself.
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            spark.stop()
        except OSError:
            spark._jsc = None
            spark.stop()


def gist(error: BaseException) -> str:
    """The most telling line of an error of Spark: the last line of Python's, the first cause of Java's."""
    _, traceback, after = str(error).partition("Traceback (most recent call last):")
    python = [line for line in after.splitlines() if line.strip() and not line.startswith((" ", "\t"))]
    if traceback and python:
        return python[0]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    java = [line for line in lines if not line.startswith(("at ", "An error occurred", ":"))]
    named = [line.removeprefix(": ") for line in lines if line.startswith(": ")]
    return (named or java or lines or [type(error).__name__])[0]


def _complaint(log: Path) -> str:
    """Java's last words in the log: its exception, else its last line."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    said = [line.strip() for line in lines if line.strip() and not _NOTHING.search(line)]
    thrown = [line for line in said if line.startswith(("Exception in thread", "Error"))]
    return (thrown or said[-1:] or [""])[0]


def reason(log: Path, error: BaseException) -> str:
    """Why Spark has ended: what its log says of that, else the error that a call of it has raised."""
    with suppress(OSError):
        told = _KILLED.findall(log.read_text(encoding="utf-8", errors="replace"))
        if told:
            return str(told[-1])
    return gist(error)


def require_java() -> None:
    """Check that Spark finds a Java.

    Raises:
        UserError: if it does not.
    """
    home = os.environ.get("JAVA_HOME")
    if home and not os.access(Path(home, "bin", "java"), os.X_OK):
        raise UserError(
            f"grids need Java 17 or newer, but JAVA_HOME is {home}, which has no bin/java: set it to one "
            "that has, or unset it after apt-get install default-jre-headless"
        )
    if not home and shutil.which("java") is None:
        raise UserError(
            "grids need Java 17 or newer: apt-get install default-jre-headless (or set JAVA_HOME)"
        )
