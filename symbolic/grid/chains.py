"""The order in which queries are asked: it prunes much, and leaves no long query for the end.

The queries about one goal form a chain, the cheapest first: a bug that a cheap query finds makes the dear
ones moot, and where there is no bug all of them are asked anyway. The next query comes from the chain with
the fewest running queries, since two queries of a chain may find the same bug at once; among those, from the
chain with the most work left, as in T. C. Hu: Parallel Sequencing and Assembly Line Problems, Operations
Research 9, 1961. Chains of one query each are thus asked longest first.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from leadline.symbolic.grid.cells import Goal
from leadline.symbolic.grid.query import GridQuery


@dataclass
class _Chain:
    """The queries about one goal.

    Attributes:
        waiting: the queries that wait, the dearest first.
        left: the seconds that these are expected to take.
        running: the number of queries that run.
        version: the number of the chain's only valid entry in the heap.
    """

    waiting: list[GridQuery] = field(default_factory=list)
    left: float = 0.0
    running: int = 0
    version: int = 0


class Queue:
    """The queries that wait.

    Args:
        queries: the queries to ask; their order decides between equal predictions.
        predicted: seconds that each query is expected to take, by its id; 0 where it is missing.
        chains: whether the queries about one goal form a chain; without pruning each is a chain of its own.
    """

    def __init__(
        self, queries: Iterable[GridQuery], predicted: Mapping[str, float], *, chains: bool = True
    ) -> None:
        self._predicted = predicted
        self._chained = chains
        self._chains: dict[Hashable, _Chain] = {}
        self._gone: set[str] = set()
        self._count = 0
        for query in queries:
            self._count += 1
            chain = self._chains.setdefault(self._key(query), _Chain())
            chain.waiting.append(query)
            chain.left += self._cost(query)
        self._order = {key: place for place, key in enumerate(self._chains)}
        self._heap: list[tuple[int, float, int, int, Hashable]] = []
        for key, chain in self._chains.items():
            chain.waiting.sort(key=lambda query: (self._cost(query), query.depth or 0))
            chain.waiting.reverse()
            self._push(key, chain)

    def __len__(self) -> int:
        return self._count

    def take(self) -> GridQuery | None:
        """The next query, which counts as running until `ended` is called; None if none waits."""
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
        """Remove a query that waits."""
        chain = self._chains[self._key(query)]
        self._gone.add(query.id)
        self._count -= 1
        chain.left -= self._cost(query)
        self._push(self._key(query), chain)

    def ended(self, query: GridQuery) -> None:
        """Note that a query that was taken runs no more."""
        chain = self._chains[self._key(query)]
        chain.running -= 1
        self._push(self._key(query), chain)

    def _push(self, key: Hashable, chain: _Chain) -> None:
        chain.version += 1
        if chain.waiting:
            heapq.heappush(self._heap, (chain.running, -chain.left, self._order[key], chain.version, key))

    def _key(self, query: GridQuery) -> Hashable:
        return Goal.of(query) if self._chained else query.id

    def _cost(self, query: GridQuery) -> float:
        return self._predicted.get(query.id, 0.0)
