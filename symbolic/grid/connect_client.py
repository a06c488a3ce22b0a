"""The client of Spark Connect, as far as grids use it; importing it needs the packages of the extra `connect`."""

from __future__ import annotations

import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

# PySpark takes a process whose main module has no file, as that of `python -c`, for a run of its own doctests,
# and may end it.
with warnings.catch_warnings(), mock.patch.object(sys.modules["__main__"], "__file__", "-", create=True):
    warnings.simplefilter(
        "ignore"
    )  # PySpark warns of the version of pandas, which it needs and grids do not use
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession

__all__ = ["DefaultChannelBuilder", "Patience", "SparkSession"]

_BACKOFF = 5_000  # milliseconds; the most between two tries
_CALM = 60.0  # seconds without a failure after which the next one begins another outage


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
