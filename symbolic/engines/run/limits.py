"""Limits on time and memory, the memory of processes, and Python's collection of garbage."""

from __future__ import annotations

import gc
import math
import os
import resource
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import ClassVar

from leadline.symbolic.catalog.trial import Trial
from leadline.symbolic.engines.ask.result import Cause, Stop
from leadline.symbolic.engines.run.watch import Lookout
from leadline.symbolic.lang import LeadlineError

_YOUNG = 100_000
"""The number of new objects after which Python looks for garbage among them; its default is 700."""


def cores() -> int:
    """The number of cores that this process may run on: those of its affinity mask, where the system has one.

    Other processes and a container's quotas are ignored.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def address_space_mb(limits: Limits) -> float:
    """The address space that this process may have under some limits and its own, in MB."""
    own = resource.getrlimit(resource.RLIMIT_AS)[0]
    process = math.inf if own == resource.RLIM_INFINITY else own / (1 << 20)
    return process if limits.memory_mb is None else min(process, limits.memory_mb)


def settable(memory_mb: int) -> int:
    """The limit on memory, or this process's hard limit, such as that of `ulimit -v`, if that is less."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    return memory_mb if hard == resource.RLIM_INFINITY else min(memory_mb, hard >> 20)


def own_peak_mb() -> float:
    """The peak memory of this process in megabytes."""
    peak = peak_mb("self")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 if peak is None else peak


def peak_mb(process: int | str) -> float | None:
    """The peak memory of a process in megabytes; None where the system does not tell or it has ended.

    `getrusage` of a child would not do: it counts the parent's memory too, from before the child loaded its
    own program.
    """
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0]) / 1024 if peaks else None


def size_mb() -> float | None:
    """The address space of this process in megabytes; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return None
    return pages * resource.getpagesize() / (1 << 20)


_SHARE = 0.75
"""The part of the available memory that searches without a limit may take: the machine stays alive."""

_LEAST_MB = 1024
"""The least limit that is set unasked: libraries take some of the address space and little of the memory."""

_CGROUPS = (
    ("", "memory/"),
    ("memory.max", "memory.limit_in_bytes"),
    ("memory.current", "memory.usage_in_bytes"),
)


def available_mb() -> int | None:
    """The megabytes that this machine or its container has left; None where the system does not tell."""
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return None
    told = [int(line.split()[1]) >> 10 for line in text.splitlines() if line.startswith("MemAvailable:")]
    for folder, most, used in zip(*_CGROUPS, strict=True):
        try:
            limit, now = (Path("/sys/fs/cgroup", folder, name).read_text().strip() for name in (most, used))
        except OSError:
            continue
        if limit.isdecimal():
            told.append(max(0, int(limit) - int(now)) >> 20)
    return min(told, default=None)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Make Python look for garbage in cycles less often.

    Clauses are many and form no cycles. Going through them again and again takes a third of the time that
    making them takes.
    """
    before = gc.get_threshold()
    gc.set_threshold(_YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@dataclass(frozen=True)
class Limits:
    """The most that a query may use; None is without limit.

    Attributes:
        seconds: wall-clock time, above 0 and at most `LONGEST`.
        memory_mb: address space in megabytes, at most `LARGEST`.
        assumed: whether `memory_mb` is a share of what was available, since nobody gave a limit.
        given: the seconds that were given, where `seconds` are what is left of them; None if none are used up.
    """

    LONGEST: ClassVar = 10_000_000
    """Seconds: four months."""

    LARGEST: ClassVar = 1 << 30
    """Megabytes: more than any machine has."""

    seconds: float | None = None
    memory_mb: int | None = None
    assumed: bool = False
    given: float | None = field(default=None, compare=False)

    def __bool__(self) -> bool:
        return self.seconds is not None or self.memory_mb is not None

    def after(self, seconds: float) -> Limits | None:
        """The limits that are left after some seconds; None if no time is left."""
        if self.seconds is None:
            return self
        if seconds >= self.seconds:
            return None
        return replace(self, seconds=self.seconds - seconds, given=self.given or self.seconds)

    def since(self, begin: float) -> Limits:
        """The limits that are left of those since a time of `time.monotonic`; at most a second if it is over."""
        left = self.after(time.monotonic() - begin)
        if left is not None:
            return left
        assert self.seconds is not None
        return replace(self, seconds=min(1.0, self.seconds), given=self.given or self.seconds)

    def within_machine(self, processes: int = 1) -> Limits:
        """These limits; where none is on memory, with a share of what is available now.

        Args:
            processes: the number of processes that share it, each with these limits.
        """
        free = available_mb()
        if self.memory_mb is not None or free is None:
            return self
        share = max(_LEAST_MB, int(free * _SHARE / processes))
        return replace(self, memory_mb=settable(share), assumed=True)


class TimeIsOver(LeadlineError):
    """A time limit has passed."""


_RINGS_AGAIN = 0.5
"""Seconds between two alarms."""


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Enforce limits: raise `TimeIsOver` or MemoryError. For the main thread only.

    Within another `limited` the end of its time, too, raises `TimeIsOver` here, and once more out there.
    """
    if not limits:
        yield
        return
    size = resource.getrlimit(resource.RLIMIT_AS)
    begin, (around, _) = time.monotonic(), signal.getitimer(signal.ITIMER_REAL)
    try:
        with _raising(TimeIsOver, signal.SIGALRM):
            try:
                if limits.memory_mb is not None:
                    resource.setrlimit(resource.RLIMIT_AS, (settable(limits.memory_mb) << 20, size[1]))
                seconds = min(limits.seconds or math.inf, around or math.inf)
                # Since the error may be dropped, the alarm rings again. It may ring before the next line.
                signal.setitimer(signal.ITIMER_REAL, 0 if seconds == math.inf else seconds, _RINGS_AGAIN)
                yield
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        if around:
            left = around - (time.monotonic() - begin)
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), _RINGS_AGAIN)
        resource.setrlimit(resource.RLIMIT_AS, size)


def within(seconds: float | None) -> AbstractContextManager[None]:
    """Raise `TimeIsOver` once some seconds are over; in the main thread only. None is no limit."""
    main = threading.current_thread() is threading.main_thread()
    return limited(Limits(seconds if main else None))


@contextmanager
def put_off(seconds: float) -> Iterator[None]:
    """Put off the end of the time around by some seconds: a search within that has the same end can then tell what
    it has found.
    """
    begin, (around, _) = time.monotonic(), signal.getitimer(signal.ITIMER_REAL)
    if around:
        signal.setitimer(signal.ITIMER_REAL, around + seconds, _RINGS_AGAIN)
    try:
        yield
    finally:
        if around:
            left = around - (time.monotonic() - begin)
            # It must not ring while an exception is on its way out.
            signal.setitimer(signal.ITIMER_REAL, max(left, _RINGS_AGAIN), _RINGS_AGAIN)


class NotWorthIt(LeadlineError):
    """A piece of work has taken the seconds of the processor that it may take."""


@contextmanager
def worth(seconds: float) -> Iterator[Callable[[], None]]:
    """Raise `NotWorthIt` once the work within has taken some seconds of the processor; in the main thread only.

    It yields a function that lifts the limit. Infinity is no limit.
    """

    def ends() -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    if seconds == math.inf or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    with _raising(NotWorthIt, signal.SIGVTALRM):
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds, _RINGS_AGAIN)
            yield ends
        finally:
            ends()


_UNINTERRUPTED = (Trial.start.__code__, weakref.finalize.__call__.__code__)
"""The functions that no time limit interrupts."""


@contextmanager
def _raising(error: type[LeadlineError], number: signal.Signals) -> Iterator[None]:
    """Raise an error at a signal. Python drops it within a finalizer or the callback of a weak reference.

    While a process is being started or ended, the handler ignores the signal, and the next one raises the error:
    the process would otherwise be left running, and its pipes open.
    """

    def handle(_: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code in _UNINTERRUPTED:
                return
            frame = frame.f_back
        raise error

    before, unraisable = signal.signal(number, handle), sys.unraisablehook
    sys.unraisablehook = lambda lost: None if lost.exc_type is error else unraisable(lost)
    try:
        yield
    finally:
        signal.signal(number, before)
        sys.unraisablehook = unraisable


@contextmanager
def timely(what: object, limits: Limits, before: str = "the model was made") -> Iterator[None]:
    """Hold what is loaded to the time of its question: a file may load for ever.

    Args:
        what: what is loaded, as the user named it; None if it has no name.
        limits: the limit on time, which holds in the main thread only.
        before: what was not done, for the message.

    Raises:
        TimeIsOver: if it takes longer.
    """
    watch = Lookout()
    try:
        with watch.looking(), within(limits.seconds):
            yield
    except TimeIsOver:
        told = ": ".join(filter(None, (f"{time_stop(limits).text}, before {before}", watch.text)))
        raise TimeIsOver(f"{what}: {told}" if what else told) from None


def stop_at(error: TimeIsOver | MemoryError, limits: Limits) -> Stop:
    """The end of a search at a limit."""
    return time_stop(limits) if isinstance(error, TimeIsOver) else memory_stop(limits)


def time_stop(limits: Limits) -> Stop:
    """The end of a search whose time is over."""
    return Stop(Cause.TIME, f"time: stopped after {limits.given or limits.seconds or 0:g} s")


def memory_stop(limits: Limits) -> Stop:
    """The end of a search that gets no more memory."""
    if limits.memory_mb is None:
        return Stop(Cause.MEMORY, "memory: stopped for lack of it")
    more = ", a share of what was available: --memory sets another" if limits.assumed else ""
    return Stop(Cause.MEMORY, f"memory: stopped at the limit of {limits.memory_mb} MB{more}")
