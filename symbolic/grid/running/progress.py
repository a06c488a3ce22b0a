"""How far a grid is, and how long the rest will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from leadline.symbolic.grid.running.pruning import Finding


@dataclass
class Tally:
    """What has become of the queries of a run so far.

    Attributes:
        total: the number of queries of this run.
        done: how many are answered, or lost.
        moot: how many are pruned.
        violated: how many of the answers are violations; probes count.
        width: how many run at once at most.
    """

    total: int
    predicted: Mapping[str, float]
    done: int = 0
    moot: int = 0
    violated: int = 0
    width: int = 1
    clock: Callable[[], float] = time.monotonic
    _running: dict[str, float] = field(default_factory=dict)
    _left: float = 0.0
    _foreseen: float = 0.0
    _measured: float = 0.0

    @classmethod
    def of(
        cls,
        queries: Iterable[str],
        predicted: Mapping[str, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> Tally:
        """The tally before anything runs."""
        names = [*queries]
        left = sum(predicted.get(name, 0.0) for name in names)
        return cls(len(names), predicted, clock=clock, _left=left)

    @property
    def running(self) -> int:
        """How many are under way."""
        return len(self._running)

    @property
    def share(self) -> float:
        """The share of the queries that is done, 0 to 1."""
        return (self.done + self.moot) / self.total if self.total else 1.0

    def started(self, query: str) -> None:
        """A query is under way."""
        self._running[query] = self.clock()

    def answered(self, finding: Finding) -> None:
        """A query is answered."""
        expected = self._close(finding.query)
        if expected > 0:
            self._foreseen += expected
            self._measured += finding.seconds
        self.done += 1
        self.violated += finding.violated

    def lost(self, query: str) -> None:
        """A query ended without an answer."""
        self._close(query)
        self.done += 1

    def pruned(self, query: str) -> None:
        """A query need not be answered."""
        self._close(query)
        self.moot += 1

    def _close(self, query: str) -> float:
        self._running.pop(query, None)
        expected = self.predicted.get(query, 0.0)
        self._left -= expected
        return expected

    def seconds_left(self) -> float | None:
        """How long the rest will take: what was predicted, scaled by what was measured so far.

        None until something is measured, and where nothing is predicted.
        """
        if not self._foreseen or self._left <= 0:
            return None
        scale = self._measured / self._foreseen
        now, spent = self.clock(), 0.0
        longest = 0.0
        for query, begun in self._running.items():
            expected = scale * self.predicted.get(query, 0.0)
            spent += min(now - begun, expected)
            longest = max(longest, expected - (now - begun))
        return max(longest, (scale * self._left - spent) / self.width)

    def text(self) -> str:
        """The tally in words.

        >>> Tally.of(["a", "b"], {}).text()
        '0 of 2 queries, 0 running'
        """
        parts = [f"{self.done + self.moot} of {self.total} queries", f"{self.running} running"]
        parts += [f"{self.moot} pruned"] if self.moot else []
        parts += [f"{self.violated} violated"] if self.violated else []
        left = self.seconds_left()
        parts += [f"about {_spelled(left)} left"] if left is not None else []
        return ", ".join(parts)


def _spelled(seconds: float) -> str:
    """A time for people.

    >>> [_spelled(x) for x in (0.2, 75, 4000)]
    ['1 s', '2 min', '1 h 7 min']
    """
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = -int(-seconds // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
