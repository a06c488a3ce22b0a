"""The ways to Spark: a classic one, whose SparkContext is in this process, and Spark Connect.

Both run a query as a job of one task, named by a tag by which it is cancelled.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pyspark import SparkContext

from leadline.symbolic.grid.session import reason

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
