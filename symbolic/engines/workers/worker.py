"""A worker: the process that owns a part of the states and expands them."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leadline.symbolic.concrete import Explorer, State
from leadline.symbolic.concrete.collector import collect_new
from leadline.symbolic.engines.workers.lines import Line, Pool, ready


@dataclass(frozen=True)
class Owner:
    """The worker that owns a state.

    Attributes:
        of: tells its number.
        places: those of two variables, or twice that of one, that alone decide it; None if all may.
    """

    of: Callable[[State], int]
    places: tuple[int, int] | None


_BATCH = 1_000
"""States that are sent together."""
_LOOKS = 256
"""States that are expanded between two looks at the lines."""

_NO_VALUE = object()

FULL, MEMORY = "full", "memory"
"""Reasons why a worker stops by itself."""


class Found(NamedTuple):
    """A worker's findings about a property: as those of `Explorer`, by its own numbers of states."""

    violated_at: int | None
    violations: int
    out_at: int | None
    why: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """The work of a worker since it began.

    Attributes:
        level: the number of levels that it has finished; the last one may have been cut short.
        counted: the states that it found within the constraints.
        weight: the states that these stand for.
        waiting: the states that it is to expand next.
        fired: as those of `Explorer`.
        deadlocks: their number.
        deadlock: the first of them, by its number.
        steps_out: the number of steps out of bounds.
        step_out: the state that the first of them begins in.
        properties: the findings about each property.
        stopped: why it has stopped in the middle of a level; None if it has not.
        seconds: the processor's time that it took.
    """

    level: int
    counted: int
    weight: int
    waiting: int
    fired: tuple[int, ...]
    deadlocks: int
    deadlock: int | None
    steps_out: int
    step_out: int | None
    properties: tuple[Found, ...]
    stopped: str | None
    seconds: float


class Worker(Explorer):
    """The part of an exploration that one process does.

    A state that it found has a number, its index. The predecessor of a state of its own is stored as that
    one's index times the number of workers, plus its owner. The states before `base` are known to all.

    Args:
        whole: the exploration that it takes part in, up to the level at which the workers begin.
        number: its number, from 0.
        owner: the owner of each state.
        parent: the line to the process that directs it.
        peers: the line to each other worker.
        pool: the states that may still be found; None if there is no bound.
    """

    def __init__(
        self,
        whole: Explorer,
        number: int,
        owner: Owner,
        parent: Line,
        peers: dict[int, Line],
        pool: Pool | None,
    ) -> None:
        super().__init__(whole.semantics, whole.properties)
        self.order, self.parents, self.seen = whole.order, whole.parents, whole.seen
        self.parts, self.beyond = whole.parts, whole.beyond
        self.base = self.unweighed = len(self.order)
        self.known_beyond = len(self.beyond)
        self.number, self.owner = number, owner
        self.parent, self.peers, self.pool = parent, peers, pool
        self.max_states = None if pool is None else len(self.seen)
        self.workers = 1 + len(peers)
        self.level = 0
        self.stopped: str | None = None
        self._halted = False
        self._to_send: dict[int, dict[State, int]] = {peer: {} for peer in peers}
        self._ended: set[int] = set()
        self._orders: list[tuple[str, int]] = []

    def work(self, start: int) -> None:
        """Work until the parent says that it is enough, or has ended.

        Args:
            start: the index of the first state of the level at which the workers begin.
        """
        todo = range(start + self.number, self.base, self.workers)
        begin = self.base
        while True:
            try:
                self._do_level(todo)
            except MemoryError:
                # These take most of it, and are needed no more.
                self.seen, self.parts = set(), []
                self._stop(MEMORY)
            # A peer that goes on before this worker does sends states of the level after.
            todo = range(begin, len(self.order))
            begin = len(self.order)
            collect_new()
            self.parent.send(self._report(len(todo)))
            if not self._obeys():
                return

    def _obeys(self) -> bool:
        """Answer the parent's questions until it says to go on, True, or to end, False."""
        while True:
            while self._orders:
                order, about = self._orders.pop(0)
                if order == "go":
                    return True
                if order == "trail":
                    self.parent.send(self._trail(about))
            if self.parent.closed:
                return False
            self._mail(None)

    def _do_level(self, todo: range) -> None:
        """Expand the states of a level, and take those that are sent."""
        for start in range(0, len(todo), _LOOKS):
            for index in todo[start : start + _LOOKS]:
                self.expand(index)
                if self.full:
                    self._stop(FULL)
                    return
            self._mail(0)
            if self._halted:
                return
        for peer, line in self.peers.items():
            self._send(peer)
            line.send(None)
        while True:
            # Also where the state without room came before this level began.
            if self.full:
                self._stop(FULL)
            if self._halted:
                return
            if len(self._ended) == len(self.peers) and not any(line.unsent for line in self.peers.values()):
                break
            self._mail(None)
        self._ended.clear()
        self.level += 1

    def _stop(self, why: str) -> None:
        self.stopped = self.stopped or why
        self._halted = True

    def _mail(self, seconds: float | None) -> None:
        """Take what has arrived; wait for something at most so many seconds."""
        arrived = ready([self.parent, *self.peers.values()], seconds)
        if self.parent in arrived:
            self._orders += self.parent.receive()
            if self.parent.closed:
                os._exit(1)
            self._halted = self._halted or ("halt", 0) in self._orders
        for peer, line in self.peers.items():
            for message in line.receive() if line in arrived else ():
                if message is None:
                    self._ended.add(peer)
                elif not self._halted:
                    self._accept(*message)
            # The parent is the one to know why a worker has ended.
            self._halted = self._halted or (line.closed and peer not in self._ended)

    # -- states -----------------------------------------------------------------------------------

    def take(self, found: list[State | None], parent: int) -> None:
        owner, own, seen = self.owner.of, self.number, self.seen
        reference = parent * self.workers + own
        # Values that a step leaves as they are stay the same objects: such states need no hash to tell the owner.
        (one, other), first, second = (0, 0), _NO_VALUE, _NO_VALUE
        if self.owner.places is not None and parent >= self.base:
            one, other = self.owner.places
            first, second = self.order[parent][one], self.order[parent][other]
        for state in found:
            if state is None:
                self.out_of_bounds.append(parent)
            elif state not in seen:
                if (state[one] is first and state[other] is second) or (whose := owner(state)) == own:
                    self.keep(state, reference)
                else:
                    batch = self._to_send[whose]
                    batch.setdefault(state, reference)
                    if len(batch) >= _BATCH:
                        self._send(whose)

    def has_room(self) -> bool:
        if self.pool is None or not self.pool.take(1):
            return False
        self.max_states = len(self.seen) + 1
        return True

    def _send(self, peer: int) -> None:
        """Send the states that belong to a peer."""
        if batch := self._to_send[peer]:
            self.peers[peer].send((list(batch), array("q", batch.values())))
            batch.clear()

    def _accept(self, states: Sequence[State], parents: Sequence[int]) -> None:
        """Keep what is new of the states that a peer has sent."""
        seen = self.seen
        for state, parent in zip(states, parents, strict=True):
            if state not in seen:
                self.keep(state, parent)

    # -- the parent's questions -------------------------------------------------------------------

    def _report(self, waiting: int) -> Report:
        self.weigh()
        return Report(
            level=self.level,
            counted=self.counted - self.base + self.known_beyond,
            weight=self.weighed,
            waiting=waiting,
            fired=tuple(self.fired),
            deadlocks=len(self.deadlocks),
            deadlock=self.deadlocks[0] if self.deadlocks else None,
            steps_out=len(self.out_of_bounds),
            step_out=self.out_of_bounds[0] if self.out_of_bounds else None,
            properties=tuple(Found(x.violated_at, x.violations, x.out_at, x.why) for x in self.watches),
            stopped=self.stopped,
            seconds=time.process_time(),
        )

    def _trail(self, index: int) -> tuple[list[State], int, int]:
        """The states that lead to a state, itself first, as far as they are this worker's own.

        Returns:
            These, and the index and the owner of the one before; an index before `base` is known to all.
        """
        states = []
        owner = self.number
        while index >= self.base and owner == self.number:
            states.append(self.order[index])
            index, owner = divmod(self.parents[index], self.workers)
        return states, index, owner
