"""In which order queries are asked, so that much is pruned and nobody waits at the end.

The queries of one subject form a chain, the cheapest first: a bug that a cheap query finds makes the dear
ones moot, and where there is no bug all of them are asked anyway. Of the chains goes next the one with the
fewest queries running, since two of a chain at once may well find the same bug; among those the one with the
most left to do, as in T. C. Hu: Parallel Sequencing and Assembly Line Problems, Operations Research 9, 1961.
Chains of one query each are thus asked longest first.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.running.pruning import Subject


@dataclass
class _Chain:
    """The queries of one subject: those that wait, the dearest first, and how many run."""

    waiting: list[GridQuery] = field(default_factory=list)
    left: float = 0.0
    running: int = 0
    version: int = 0


class Queue:
    """The queries that wait.

    Args:
        queries: what to ask, in the order that decides where predictions do not.
        predicted: seconds that each query is expected to take, by its id; 0 where it is missing.
        chains: whether the queries of one subject are a chain; without pruning each is one of its own.
    """

    def __init__(
        self, queries: Iterable[GridQuery], predicted: Mapping[str, float], *, chains: bool = True
    ) -> None:
        self._predicted = predicted
        self._chained = chains
        self._chains: dict[Hashable, _Chain] = {}
        self._gone: set[str] = set()
        self._count = 0
        places: dict[str, int] = {}
        for place, query in enumerate(queries):
            places[query.id] = place
            self._count += 1
            chain = self._chains.setdefault(self._key(query), _Chain())
            chain.waiting.append(query)
            chain.left += self._cost(query)
        self._order = {key: place for place, key in enumerate(self._chains)}
        self._heap: list[tuple[int, float, int, int, Hashable]] = []
        for key, chain in self._chains.items():
            chain.waiting.sort(key=lambda x: (self._cost(x), x.depth or 0, places[x.id]), reverse=True)
            self._push(key, chain)

    def __len__(self) -> int:
        return self._count

    def take(self) -> GridQuery | None:
        """The next query, which counts as running until it is `ended`; None if none waits."""
        while self._heap:
            *_, version, key = heapq.heappop(self._heap)
            chain = self._chains[key]
            if version != chain.version:
                continue
            while chain.waiting:
                query = chain.waiting.pop()
                if query.id in self._gone:
                    continue
                self._count -= 1
                chain.left -= self._cost(query)
                chain.running += 1
                self._push(key, chain)
                return query
        return None

    def drop(self, query: GridQuery) -> None:
        """Take a query that waits out of the queue."""
        chain = self._chains[self._key(query)]
        self._gone.add(query.id)
        self._count -= 1
        chain.left -= self._cost(query)
        self._push(self._key(query), chain)

    def ended(self, query: GridQuery) -> None:
        """A query that was taken runs no more."""
        chain = self._chains[self._key(query)]
        chain.running -= 1
        self._push(self._key(query), chain)

    def _push(self, key: Hashable, chain: _Chain) -> None:
        chain.version += 1
        if chain.waiting:
            heapq.heappush(self._heap, (chain.running, -chain.left, self._order[key], chain.version, key))

    def _key(self, query: GridQuery) -> Hashable:
        return Subject.of(query) if self._chained else query.id

    def _cost(self, query: GridQuery) -> float:
        return self._predicted.get(query.id, 0.0)
