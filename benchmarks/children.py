"""Commands in child processes: with a deadline, and with their CPU seconds and their peak memory."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from leadline.symbolic.engines.run.limits import peak_mb

_PR_SET_CHILD_SUBREAPER = 36
_LOOK = 0.1
"""Seconds between two looks at the memory."""


@dataclass(frozen=True)
class Ended:
    """A command that has ended, or was ended at its deadline.

    Attributes:
        status: its exit code, below 0 for a signal; None if it was ended at the deadline.
        seconds: how long it ran.
        cpu_seconds: the CPU seconds of all its processes.
        memory_mb: the largest peak memory of one of its processes, in megabytes, as far as was seen.
        output: what it wrote to standard output.
        errors: what it wrote to standard error.
    """

    status: int | None
    seconds: float
    cpu_seconds: float
    memory_mb: float
    output: str
    errors: str

    @property
    def last_words(self) -> str:
        """The last line that it wrote, to standard error if it wrote there."""
        lines = [line.strip() for line in f"{self.output}\n{self.errors}".splitlines() if line.strip()]
        return lines[-1][:200] if lines else "it said nothing"


def run(
    command: Sequence[str],
    text: str,
    seconds: float,
    *,
    folder: Path | None = None,
    more: Mapping[str, str] | None = None,
) -> Ended:
    """Run a command, and end it and all its children at the deadline.

    Processes that it leaves behind become children of this one, so that their time counts.

    Args:
        command: the command with its arguments.
        text: its standard input.
        seconds: the time that it has.
        folder: where it runs; None is where this process does.
        more: environment variables to add.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, **(more or {})},
        start_new_session=True,
    )
    peak, late = 0.0, False
    waiting: bytes | None = text.encode()
    try:
        while True:
            left = begin + seconds - time.perf_counter()
            try:
                output, errors = child.communicate(waiting, timeout=min(_LOOK, max(left, 0.001)))
                break
            except subprocess.TimeoutExpired:
                waiting = None
            peak = max([peak, *(peak_mb(one) or 0.0 for one in _processes(child.pid))])
            if left <= 0 and not late:
                late = True
                os.killpg(child.pid, signal.SIGKILL)
    finally:
        _end(child)
    took, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    status = None if late else child.returncode
    return Ended(status, took, cpu, peak, output.decode(errors="replace"), errors.decode(errors="replace"))


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a child that still runs: whoever waited for it was interrupted."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    for orphan in _processes(child.pid):
        with suppress(ChildProcessError, ProcessLookupError):
            os.kill(orphan, signal.SIGKILL)
            os.waitpid(orphan, 0)


def _processes(session: int) -> Iterator[int]:
    """The numbers of the processes of a session, such as a script's and that of the Java it starts."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name before the bracket may hold anything.
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            yield int(status.parent.name)
