"""Spark's workers: whether a master can be reached, and whether any worker is left to wait for."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from leadline.symbolic.lang import LeadlineError

PATIENCE = 600.0
"""Seconds that a grid waits for a worker when there is none, unless the user says otherwise."""

_TOLD_AFTER = 30.0  # seconds without a worker
_KNOCK = 5.0  # seconds for each address of a master
_STANDALONE = "spark://"
_CHANCE = 10  # refusals: where hosts are idle, chance decides which of them gets a query
_REPAIR = "docs/clusters.md says what each host needs"


class SparkGaveUp(LeadlineError, RuntimeError):
    """Spark did not start, or ended before all queries were answered. The answers so far are stored."""


def knock(master: str) -> None:
    """Check that one address of a standalone master answers: Spark itself tries for over a minute.

    Args:
        master: Spark's master; one of another kind is not looked for.

    Raises:
        SparkGaveUp: if none does, with what was tried.
    """
    if master.startswith(_STANDALONE):
        knock_at(master.removeprefix(_STANDALONE).split(","), f"the master {master}")


def knock_at(addresses: Iterable[str], whom: str) -> None:
    """Check that one of these addresses, each as HOST:PORT, answers.

    Raises:
        SparkGaveUp: if none does, with what was tried.
    """
    tried = []
    for address in addresses:
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), _KNOCK):
                return
        except (OSError, ValueError, OverflowError) as error:
            tried.append(f"{address}: {getattr(error, 'strerror', None) or error}")
    raise SparkGaveUp(f"{whom} cannot be reached (tried {'; '.join(tried)}): is it running?")


class Watch:
    """Watches for a time without any worker.

    Args:
        count: the number of workers; it may raise any error if that is unknown.
        patience: the most seconds to wait without one.
        warn: takes messages to the user.
        master: Spark's master or server, for the messages.
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

    def answered(self) -> None:
        """Note that there is a worker, since it has answered."""
        if self._told:
            self._warn("there are workers again: the grid goes on")
        self._since, self._told = self._clock(), False

    def look(self) -> None:
        """Note whether there are workers, while queries wait.

        Raises:
            SparkGaveUp: if there has been none for longer than the patience.
        """
        found = 0
        with suppress(Exception):  # py4j raises several kinds while Java is busy or gone, which others report
            found = self._count()
        if found:
            self.answered()
            return
        away = self._clock() - self._since
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


class Lacks:
    """Hosts that lack what queries need. Their queries go to other hosts while there are any.

    Args:
        warn: takes messages to the user.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._told: dict[str, None] = {}
        self._waiting: list[str] = []
        self._refused: list[str] = []  # since the last answer

    def refused(self, query: str, lack: str) -> None:
        """Note that a query came to a host that lacks something; any thread may."""
        self._waiting.append(lack)
        self._refused.append(query)

    def ended(self) -> None:
        """Note that a query has ended; any thread may."""
        self._refused = []

    def look(self, running: int) -> None:
        """Tell of hosts that were not told of yet.

        Args:
            running: the number of queries that run.

        Raises:
            SparkGaveUp: if no host answers any of them.
        """
        while self._waiting:
            lack = self._waiting.pop(0)
            if lack not in self._told:
                self._told[lack] = None
                self._warn(f"{lack}: its queries go to other hosts ({_REPAIR})")
        # A host that can answer takes a query when it has answered one, and that is refused no more.
        refused = self._refused
        if len(refused) >= 2 * running + _CHANCE and len(set(refused)) == running:
            raise SparkGaveUp(f"no host answers: {'; '.join(self._told)}: {_REPAIR}")
