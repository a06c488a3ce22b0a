"""How much memory a process has used at most, and how often Python looks for garbage."""

from __future__ import annotations

import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_YOUNG = 100_000
"""New objects after which Python looks for garbage among them; 700 otherwise."""


def own_peak_mb() -> float:
    """The peak memory of this process in megabytes."""
    peak = peak_mb("self")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 if peak is None else peak


def peak_mb(process: int | str) -> float | None:
    """The peak memory of a process in megabytes; None where the system does not tell or it has ended.

    Not what `getrusage` says of a child: there its parent's memory counts too, from before its own program
    was loaded.
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


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Within, Python looks for garbage in cycles only seldom.

    Clauses are many and form no cycles: looking through them again and again takes a third of the time that
    it takes to make them.
    """
    before = gc.get_threshold()
    # What is there already, modules above all, stays: no need to look through it either.
    ours = gc.get_freeze_count() == 0
    gc.freeze()
    gc.set_threshold(_YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if ours:
            gc.unfreeze()
