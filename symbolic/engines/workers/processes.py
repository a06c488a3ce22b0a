"""The processes of workers: their start, their end, and how their parent sees them."""

from __future__ import annotations

import gc
import os
import resource
import signal
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

from leadline.symbolic.concrete import Explorer
from leadline.symbolic.engines.limits import size_mb
from leadline.symbolic.engines.workers.lines import Line, Pool, pair, ready
from leadline.symbolic.engines.workers.worker import Found, Owner, Report, Worker
from leadline.symbolic.lang import InternalError

_HELD = (signal.SIGINT, signal.SIGALRM)


class WorkerDied(Exception):
    """A worker was ended by something else; the text says how."""


@contextmanager
def signals_held() -> Iterator[None]:
    """Let Ctrl-C and the alarm of a time limit wait."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Member:
    """A worker as its parent sees it.

    Args:
        pid: the number of its process.
        line: the line to it.
        report: an empty report.

    Attributes:
        report: what it reported last.
        reported: whether it has reported since it was last told to go on.
        heard: its answers to questions.
    """

    def __init__(self, pid: int, line: Line, report: Report) -> None:
        self.pid = pid
        self.line = line
        self.report = report
        self.reported = False
        self.heard: list[Any] = []
        self._ended: str | None = None

    @property
    def alive(self) -> bool:
        """Whether it may still answer."""
        return not self.line.closed

    def hear(self) -> None:
        """Take what it has sent.

        Raises:
            InternalError: if it failed.
        """
        for message in self.line.receive():
            if isinstance(message, Report):
                self.report, self.reported = message, True
            elif isinstance(message, str):
                raise InternalError(f"a worker failed:\n{message}")
            else:
                self.heard.append(message)

    def end(self) -> str:
        """Kill it if it still runs, wait for its end, and tell how it came."""
        if self._ended is None:
            if self.alive:
                with suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            self.line.close()
            self.line.closed = True
            name = signal.Signals(-status).name if status < 0 else ""
            self._ended = f"was ended by {name}" if name else f"exited with {status}"
        return self._ended


@dataclass
class _Seat:
    """The lines of a worker: to its parent, and to each other worker."""

    parent: Line
    peers: dict[int, Line] = field(default_factory=dict)

    def close(self) -> None:
        """Close them in this process."""
        for line in (self.parent, *self.peers.values()):
            line.close()


def started(whole: Explorer, workers: int, owner: Owner, start: int) -> list[Member]:
    """Start the workers of an exploration.

    Args:
        whole: the exploration, which has found all states of a level.
        workers: their number.
        owner: the owner of each state.
        start: the index of the first state of the level.
    """
    pool = None if whole.max_states is None else Pool(whole.max_states - len(whole.seen))
    lines = [pair() for _ in range(workers)]
    seats = [_Seat(there) for _, there in lines]
    for one, seat in enumerate(seats):
        for other in range(one):
            seat.peers[other], seats[other].peers[one] = pair()
    nothing = (Found(None, 0, None, None),) * len(whole.properties)
    empty = Report(0, 0, 0, 0, (0,) * len(whole.fired), 0, None, 0, None, nothing, None, 0.0)
    members = []
    for number, seat in enumerate(seats):
        with warnings.catch_warnings():
            # The thread that shows progress has no lock that a worker takes.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            for line, _ in lines:
                line.close()
            for another in seats:
                if another is not seat:
                    another.close()
            _work(Worker(whole, number, owner, seat.parent, seat.peers, pool), start)
        members.append(Member(pid, lines[number][0], empty))
    for seat in seats:
        seat.close()
    if pool is not None:
        pool.close()
    return members


def _work(worker: Worker, start: int) -> NoReturn:
    """The life of a worker's process."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD)
        _limit_memory(worker.workers)
        # Objects that the collector does not touch stay shared with the parent.
        gc.freeze()
        worker.work(start)
    except BaseException:
        worker.parent.send(traceback.format_exc())
        while worker.parent.unsent:
            ready([worker.parent], None)
    finally:
        os._exit(0)


def _limit_memory(workers: int) -> None:
    """Limit this process to its share of the memory that its parent may still take."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    size = size_mb()
    if soft != resource.RLIM_INFINITY and size is not None:
        own = int(size) << 20
        resource.setrlimit(resource.RLIMIT_AS, (own + max(0, soft - own) // workers, hard))
