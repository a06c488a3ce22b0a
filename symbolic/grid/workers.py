"""Spark's workers: whether a master can be reached, and whether any worker is left to wait for."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress

from leadline.symbolic.lang import LeadlineError

PATIENCE = 600.0
"""Seconds that a grid waits for a worker when there is none, unless the user says otherwise."""

_TOLD_AFTER = 30.0  # seconds without a worker
_KNOCK = 5.0  # seconds for each address of a master
_STANDALONE = "spark://"


class SparkGaveUp(LeadlineError, RuntimeError):
    """Spark does not start, or ended before all queries were answered; the answers so far are stored."""


def knock(master: str) -> None:
    """Check that one address of a standalone master answers: Spark itself tries for over a minute.

    Args:
        master: Spark's master; one of another kind is not looked for.

    Raises:
        SparkGaveUp: if none does, with what was tried.
    """
    if not master.startswith(_STANDALONE):
        return
    tried = []
    for address in master.removeprefix(_STANDALONE).split(","):
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), _KNOCK):
                return
        except (OSError, ValueError, OverflowError) as error:
            tried.append(f"{address}: {getattr(error, 'strerror', None) or error}")
    raise SparkGaveUp(f"the master {master} cannot be reached (tried {'; '.join(tried)}): is it running?")


class Watch:
    """Watches for a time without any worker.

    Args:
        count: the number of workers; it may raise any error if that is unknown.
        patience: the most seconds to wait without one.
        warn: takes messages to the user.
        master: Spark's master, for the messages.
        clock: gives seconds.
    """

    def __init__(
        self,
        count: Callable[[], int],
        patience: float,
        warn: Callable[[str], None],
        master: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._count = count
        self._patience = patience
        self._warn = warn
        self._master = master
        self._clock = clock
        self._since = clock()
        self._told = False

    def look(self) -> None:
        """Note whether there are workers, while queries wait.

        Raises:
            SparkGaveUp: if there has been none for longer than the patience.
        """
        found = 0
        with suppress(Exception):  # py4j raises several kinds while Java is busy or gone, which others report
            found = self._count()
        now = self._clock()
        if found:
            if self._told:
                self._warn("there are workers again: the grid goes on")
            self._since, self._told = now, False
            return
        away = now - self._since
        if away > self._patience:
            raise SparkGaveUp(
                f"Spark gave up: no worker of {self._master} for {away:.0f} s (--patience allows "
                f"{self._patience:g} s)"
            )
        if away > _TOLD_AFTER and not self._told:
            self._told = True
            self._warn(
                f"no worker of {self._master} for {away:.0f} s: waiting up to {self._patience:g} s for one "
                "(see the master's page; --patience S sets the limit)"
            )
