"""A search that several processes of one machine divide by the hash of states.

A search begins in one process. Once it has many states, this process and copies of it have a *share* each: the
states whose hash falls to it. The process itself coordinates them, too: one more would take turns with the
shares on cores that are all in use, and let them wait for milliseconds.

A level is gone through in rounds. In a round each share looks up the states that were sent to it in the round
before, the last of which may begin a level. Then it finds successors of its own states of the level. It looks up
those that fall to itself at once, and writes the others, with their hashes, where all shares read. There are two
places to write, used in turn, so that a round needs no more than a message to each share and one back.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from mmap import mmap
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from tempfile import TemporaryFile
from traceback import format_exc
from typing import Any, NamedTuple, NoReturn
from weakref import finalize

import numpy as np

from leadline.symbolic.bits.lanes import WORD, Indices, Words
from leadline.symbolic.bits.search import (
    Begun,
    Findings,
    Moves,
    Search,
    Table,
    Tests,
    falling_to,
    hashes,
    occurring,
)
from leadline.symbolic.lang import InternalError

ALONE = 1 << 15
"""The number of states up to which one process searches: copies of it would not be ready before."""
_ROUND = 1 << 19
"""The number of successors after which a share ends its round; half of them are looked up or sent together."""
_ROOM = 1 << 19
"""The number of states for which a share has room beside its own: more than a round adds."""
_PLACES = 32
"""The bits of a state's number within its share; the number of the share, from 1, comes before them."""
_OWN = (1 << _PLACES) - 1
_GROWN = 1 << 24
"""The bytes by which the memory that shares write to grows at least."""


class Chunk(NamedTuple):
    """Successors in a `Box`: where they begin there, in bytes, and how many they are."""

    start: int
    length: int


class Columns(NamedTuple):
    """Successors, as parts of a `Box`.

    Attributes:
        marks: their hashes.
        parents: the numbers of the states before them.
        states: the states.
        moves: one more than the place of the step that leads to each.
    """

    marks: Words
    parents: Indices
    states: Words
    moves: Moves

    def at(self, places: Indices, out: Columns | None = None) -> Columns:
        """The columns of the successors at some places, written to `out` if it is given."""
        marks, parents, states, moves = out or (None,) * 4
        return Columns(
            self.marks.take(places, out=marks, mode="clip"),  # which needs no buffer
            self.parents.take(places, out=parents, mode="clip"),
            self.states.take(places, axis=0, out=states, mode="clip"),
            self.moves.take(places, out=moves, mode="clip"),
        )


class Box:
    """Memory in which one share writes successors and all shares read them.

    It has no name, so nothing of it stays when the processes have ended. It is made before they become several.

    Args:
        width: the number of words of a state.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        if hasattr(os, "memfd_create"):
            self._file = os.memfd_create("leadline")
        else:  # macOS has none
            with TemporaryFile(buffering=0) as file:
                self._file = os.dup(file.fileno())
        finalize(self, os.close, self._file)
        self._bytes: mmap | bytes = b""
        self._end = 0

    def clear(self) -> None:
        """Have room for other successors."""
        self._end = 0

    def room(self, length: int) -> tuple[Chunk, Columns]:
        """Room for more successors."""
        chunk = Chunk(self._end, length)
        self._end += -(-length * self._bytes_each // WORD) * WORD
        if self._end > len(self._bytes):
            os.ftruncate(self._file, self._end + max(_GROWN, self._end // 2))
        return chunk, self.columns(chunk)

    @property
    def _bytes_each(self) -> int:
        return 8 * (2 + self._width) + 2

    def columns(self, chunk: Chunk) -> Columns:
        """Successors, to be read or written."""
        start, length = chunk
        if start + length * self._bytes_each > len(self._bytes):
            # Columns of the smaller memory may still be in use, and stay.
            self._bytes = mmap(self._file, 0)
        words = np.frombuffer(self._bytes, np.uint64, length * (2 + self._width), start)
        moves = np.frombuffer(self._bytes, np.uint16, length, start + words.nbytes)
        states = words[2 * length :].reshape(-1, self._width)
        return Columns(words[:length], words[length : 2 * length].view(np.int64), states, moves)


def _renumbered(counts: Findings, number: Callable[[int], int]) -> Findings:
    """Findings in which states have other numbers."""

    def new(old: int | None) -> int | None:
        return None if old is None else number(old)

    return counts._replace(
        deadlock=new(counts.deadlock),
        failure=new(counts.failure),
        found=[(violations, new(one), new(other)) for violations, one, other in counts.found],
    )


class Round(NamedTuple):
    """The work of a share in a round.

    Attributes:
        sends: the successors written for each share.
        more: whether there are more states of the level.
        begun: the findings before any step of the round.
        found: those after all.
    """

    sends: Sequence[Sequence[Chunk]]
    more: bool
    begun: Findings
    found: Findings


class WorkerSearch(Search):
    """The part of a search that one process does.

    Args:
        search: the search, of which this process has a copy.
        start: the number of its first state whose steps are to be looked at.
        numbers: the numbers of its states in all shares.
        place: the number of this share, from 0.
        boxes: for each of both turns the boxes of all shares.
    """

    def __init__(
        self, search: Search, start: int, numbers: Indices, place: int, boxes: Sequence[Sequence[Box]]
    ) -> None:
        vars(self).update(vars(search))  # with its compiled programs, which took long
        self._place, self._shares, self._boxes, self._turn = place, len(boxes[0]), boxes, 0
        self._numbered, self._together = place + 1 << _PLACES, _ROUND // 2
        self._sends: list[list[Chunk]] = []
        self._made = 0
        own = np.flatnonzero(numbers >> _PLACES == place + 1)
        parents = np.frombuffer(search.parents, np.int32)[own]
        self.parents = array("q", np.where(parents < 0, -1, numbers[parents]).tobytes())
        self.table = Table(self.width)
        self.table.add(search.states[own])
        self.expanded = self._next = int(np.searchsorted(own, start))
        self._came = array("H")
        if len(search._came) == search.table.size - start:
            came = np.frombuffer(search._came, np.uint16)[own[self._next :] - start]
            self._came.frombytes(came.tobytes())
        self._start, self._end = self._next, self.table.size
        self._count_anew()

    def serve(self, line: Connection) -> None:
        """Answer requests, each a method's name with arguments, until there are no more."""
        while True:
            name, arguments = line.recv()
            answer: tuple[Exception | None, Any]
            try:
                answer = None, getattr(self, name)(*arguments)
            except MemoryError as error:
                answer = error, None
            except Exception:
                answer = InternalError(f"a process of a search failed:\n{format_exc()}"), None
            line.send(answer)

    # -- requests ----------------------------------------------------------------------------------

    def go(self, sent: Sequence[Sequence[Chunk]], new_level: bool, steps: bool, room: int) -> Round:
        """Do a round.

        Args:
            sent: for each share the successors that it wrote for this one in the last round.
            new_level: whether a level begins, with the states that are known once these are looked up.
            steps: whether to look at the steps of states.
            room: the number of states for which to have room.
        """
        self.table.make_room(room)
        for box, chunks in zip(self._boxes[self._turn], sent, strict=True):
            for columns in map(box.columns, chunks):
                self._own(columns)
        if new_level:
            self._end = self.table.size
            self._begin_level(self._next, self._end)
        begun = self._findings()
        self._turn ^= 1
        self._boxes[self._turn][self._place].clear()
        self._sends, self._made = [[] for _ in sent], 0
        while steps and self._next < self._end and self._made < _ROUND:
            begin, self._next = self._next, min(self._end, self._next + self._steps.lanes)
            self._expand(begin, self._next)
            self._add()
        return Round(self._sends, self._next < self._end, begun, self._findings())

    def _findings(self) -> Findings:
        return _renumbered(self.findings(), lambda place: place | (self._place + 1) << _PLACES)

    def state_at(self, place: int) -> tuple[Words, int]:
        """A state and the number of its parent."""
        return self.states[place], self.parents[place]

    def leaving_here(self) -> list[Words]:
        """`leaving` of this share."""
        return self.leaving

    def level_states(self) -> tuple[Words, array[int], int]:
        """The states at the beginning of the level, with their parents, and the number of those before it."""
        return self.states[: self._end], self.parents[: self._end], self._start

    def occurring_in(self, columns: Sequence[range]) -> list[tuple[Words, Indices]]:
        """`occurring` as a list, which a message can carry."""
        return list(self.occurring(columns))

    # -- states ------------------------------------------------------------------------------------

    def _own(self, own: Columns) -> None:
        """Look up some states that fall to this share."""
        before = self.table.size
        new = self._enter(own.states, own.marks)
        self._look_at_new(before, own.parents.take(new), own.moves.take(new))

    def _keep(self, states: Words, parents: Indices, marks: Words, takers: Moves) -> None:
        """Look up those of some states that fall to this share, and send the others."""
        if self.orbits is not None:
            states = self.orbits.least(states)
        found = Columns(hashes(states), parents, states, takers)
        self._made += len(states)
        for place, sends in enumerate(self._sends):
            those = falling_to(place, self._shares, found.marks)
            if place == self._place:
                self._own(found.at(those))
            elif len(those):
                chunk, columns = self._boxes[self._turn][self._place].room(len(those))
                found.at(those, columns)
                sends.append(chunk)


@dataclass
class DividedSearch(Search):
    """A search that goes on in several processes once it has many states.

    Searches that are bounded in states, kept, by a view, or with notes on steps stay in one.

    Args:
        workers: the number of processes.
    """

    workers: int = 1
    _own: WorkerSearch | None = field(default=None, init=False)
    _lines: list[Connection] = field(default_factory=list, init=False)
    _owing: set[Connection] = field(default_factory=set, init=False)
    _base: Findings | None = field(default=None, init=False)
    _sizes: Sequence[int] = field(default=(), init=False)
    _until: float = field(default=0.0, init=False)
    _runs: dict[int, Words] = field(default_factory=dict, init=False)

    @property
    def size(self) -> int:
        return sum(self._sizes) if self._sizes else super().size

    def _goes_elsewhere(self, start: int) -> bool:
        kept = self.checkpoint is not None or self.max_states is not None
        if self.workers == 1 or self.table.size < ALONE or kept or self.key is not None or self.notes:
            return False
        self._divide(start)
        with _part_of_memory(self.workers):
            self._run_rounds(start)
        return True

    def _divide(self, start: int) -> None:
        """Start the shares, for the level that begins with a state.

        An exception that ends it early, such as Ctrl-C, leaves the search as it was.
        """
        marks, numbers = hashes(self.states), np.empty(self.size, np.int64)
        owned = [falling_to(place, self.workers, marks) for place in range(self.workers)]
        for place, own in enumerate(owned):
            numbers[own] = np.arange(len(own)) + (place + 1 << _PLACES)
        boxes = [[Box(self.width) for _ in range(self.workers)] for _ in range(2)]
        lines: list[Connection] = []
        pids: list[int] = []
        finalize(self, _end, os.getpid(), lines, pids)
        for place in range(1, self.workers):
            here, there = Pipe()
            with _undisturbed():  # the copy leaves Ctrl-C and alarms to this process, which notes it first
                pid = os.fork()
                if pid == 0:
                    share = partial(WorkerSearch, self, start, numbers, place, boxes)
                    _serve(share, there, [here, *lines], self.workers)
                lines.append(here)
                pids.append(pid)
            there.close()
        first = WorkerSearch(self, start, numbers, 0, boxes)
        base = _renumbered(self.findings(), lambda number: int(numbers[number]))
        with _undisturbed():
            self._own, self._base, self._lines = first, base, lines
            self._count_anew()
            self.table, self.parents = Table(self.width), array("i")
            self._sizes = [*map(len, owned)]
            self._merge([base])

    def _run_rounds(self, before: int) -> None:
        """Search to the end.

        Args:
            before: the number of states that come before those whose steps are to be looked at.
        """
        assert self._base is not None
        sent: Sequence[Sequence[Sequence[Chunk]]] = [[()] * self.workers] * self.workers
        begins = True
        while True:
            # At the last depth a round shows first whether a level begins.
            steps = not begins or self.depth is None or len(self.within) < self.depth
            # Shares that make room in the same round do not wait for each other.
            room = max(self._sizes) + _ROOM
            requests = [(one, begins, steps, room) for one in zip(*sent, strict=True)]
            rounds: Sequence[Round] = self._answers("go", dict(enumerate(requests)))
            if begins:
                self._merge([self._base, *(one.begun for one in rounds)])
                self._sizes = [one.begun.size for one in rounds]
                self.complete = self.size == before
                if self.complete:
                    return
                before = self.size
                self._close_level()
                if self.depth is not None and len(self.within) > self.depth:
                    return
                self.begun = Begun(0, None, self.findings())
            self._merge([self._base, *(one.found for one in rounds)])
            self._sizes = [one.found.size for one in rounds]
            sent, begins = [one.sends for one in rounds], not any(one.more for one in rounds)
            if self._ends and (begins or self._has_looked_ahead()):
                self.leaving = list(chain(*self._ask("leaving_here")))
                return

    def _has_looked_ahead(self) -> bool:
        """Whether the search has gone on long enough since a step left the types; a false claim ends it."""
        if self._false:
            return True
        assert self.until_outside is not None
        now = time.process_time()
        self._until = self._until or now + self.until_outside
        return now >= self._until

    def _merge(self, parts: Sequence[Findings]) -> None:
        """Take over the findings of the search before it was divided, and of all shares."""
        for name in ("beyond", "weighed", "deadlocks", "failures"):
            setattr(self, name, sum(getattr(one, name) for one in parts))
        for name in ("fired", "first"):
            columns = zip(*(getattr(one, name) for one in parts), strict=True)
            setattr(self, name, list(map(sum, columns)))
        # Findings of one round are equally deep, and those of earlier ones at most as deep.
        for name in ("deadlock", "failure"):
            self._note(self, name, [getattr(one, name) for one in parts])
        for place, found in enumerate(self.found):
            violations, violated, outside = zip(*(one.found[place] for one in parts), strict=True)
            found.violations = sum(violations)
            self._note(found, "violated_at", violated)
            self._note(found, "outside_at", outside)

    def _note(self, where: object, name: str, numbers: Sequence[int | None]) -> None:
        """Take over the number of a first state, unless there is one, and the run to it: no share may lose it."""
        number = next((x for x in numbers if x is not None), None)
        if getattr(where, name) is None and number is not None:
            self._runs[number] = self.states_to(number)
            setattr(where, name, number)

    # -- the states of all shares --------------------------------------------------------------------

    def states_to(self, number: int) -> Words:
        if not self._lines:
            return super().states_to(number)
        if number in self._runs:
            return self._runs[number]
        found = []
        while number >= 0:
            ((state, number),) = self._answers("state_at", {(number >> _PLACES) - 1: [number & _OWN]})
            found.append(state)
        return np.stack(found[::-1])

    def before_outside(self) -> tuple[Begun, Words, array[int]]:
        if not self._lines:
            return super().before_outside()
        assert self.begun is not None
        shares = self._ask("level_states")
        sizes = np.array([len(states) for states, _, _ in shares])
        low = np.cumsum(sizes) - sizes

        def together(numbers: Indices) -> Indices:
            return np.where(numbers < 0, -1, (numbers & _OWN) + low[(numbers >> _PLACES) - 1])

        states, parents = (np.concatenate([share[part] for share in shares]) for part in (0, 1))
        parents = together(parents)
        # In the order of their depths, so that the first state of a kind is one of the least depth.
        order = np.argsort(_depths(parents), kind="stable")
        places = np.empty(len(order) + 1, np.int32)  # of each state in this order; the last of no parent, -1
        places[order], places[-1] = np.arange(len(order)), -1
        findings = self.begun.findings
        findings = _renumbered(findings, lambda number: int(places[together(np.array([number]))[0]]))
        begun = Begun(sum(start for _, _, start in shares), None, findings)
        return begun, states[order], array("i", places[parents[order]].tobytes())

    def occurring(self, columns: Sequence[range]) -> Iterator[tuple[Words, Indices]]:
        if not self._lines:
            yield from super().occurring(columns)
            return
        for bits, found in zip(columns, zip(*self._ask("occurring_in", columns), strict=True), strict=True):
            states, counts = map(np.concatenate, zip(*found, strict=True))
            yield from occurring(states, [bits], [counts])

    def tested(self, reached: bool) -> Tests:
        if not self._lines:
            return super().tested(reached)
        shares: Sequence[Tests] = self._ask("tested", reached)
        return {
            key: (sum(one[key][0] for one in shares), sum(one[key][1] for one in shares)) for key in shares[0]
        }

    # -- messages ------------------------------------------------------------------------------------

    def _ask(self, name: str, *arguments: object) -> list[Any]:
        """The answers of all shares to a request."""
        return self._answers(name, dict.fromkeys(range(self.workers), arguments))

    def _answers(self, name: str, arguments: Mapping[int, Sequence[object]]) -> list[Any]:
        """The answers of some shares, by their places, to a request with arguments for each.

        Raises:
            MemoryError: if a share gets no more memory, or the system has ended its process.
        """
        assert self._own is not None
        others = {self._lines[place - 1]: own for place, own in arguments.items() if place}
        answers = []
        try:
            # An exception such as Ctrl-C may have come before the last answers.
            for line in [*self._owing]:
                self._hear(line)
            for line, own in others.items():
                with _undisturbed():
                    line.send((name, own))
                    self._owing.add(line)
            if 0 in arguments:
                answers.append(getattr(self._own, name)(*arguments[0]))
            answers += map(self._hear, others)
        except (EOFError, ConnectionError) as error:
            raise MemoryError("the system ended a process of the search") from error
        return answers

    def _hear(self, line: Connection) -> Any:
        line.poll(None)
        with _undisturbed():
            failure, answer = line.recv()
            self._owing.discard(line)
        if failure is not None:
            raise failure
        return answer


def _depths(parents: Indices) -> Indices:
    """For each state the number of steps from the initial one that its parents go back to; -1 is no parent."""
    depths = (parents >= 0).astype(np.int64)
    ahead = np.where(parents < 0, np.arange(len(parents)), parents)
    while (further := depths[ahead]).any():
        depths += further
        ahead = ahead[ahead]
    return depths


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let no signal of the user's or of a clock interrupt what must be done whole."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGALRM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _address_space() -> int:
    """The bytes of this process's address space; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


@contextmanager
def _part_of_memory(shares: int) -> Iterator[None]:
    """Limit this process's address space to what is in use and its part of what the limit leaves.

    Copies of a process have the address space that is in use already.
    """
    limit, most = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        now = _address_space()
        resource.setrlimit(resource.RLIMIT_AS, (now + max(0, limit - now) // shares, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _serve(
    new_share: Callable[[], WorkerSearch], line: Connection, others: Sequence[Connection], shares: int
) -> NoReturn:
    """Be a share in this process, until the process that it is a copy of needs it no more."""
    try:
        for one in others:
            one.close()
        with _part_of_memory(shares):
            new_share().serve(line)
    finally:
        os._exit(0)


def _end(parent: int, lines: Sequence[Connection], pids: Sequence[int]) -> None:
    if os.getpid() != parent:
        return
    for line in lines:
        line.close()
    for pid in pids:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
