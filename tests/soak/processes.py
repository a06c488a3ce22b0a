"""Processes as /proc tells of them: who started whom, who carries a mark, how much memory each has."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A process.

    Attributes:
        pid: its number.
        parent: the number of the process that started it.
        arguments: its command line.
    """

    pid: int
    parent: int
    arguments: tuple[str, ...]

    def named(self, text: str) -> bool:
        """Whether one of its arguments holds a text."""
        return any(text in argument for argument in self.arguments)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send it a signal, if it is still there."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)


def processes() -> dict[int, Process]:
    """All processes that run, by their numbers, zombies aside."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (path / "stat").read_text().rpartition(")")[2].split()[:2]
            arguments = tuple((path / "cmdline").read_text().split("\0"))
            if state != "Z":
                found[int(path.name)] = Process(int(path.name), int(parent), arguments)
    return found


def below(pid: int, named: str = "") -> list[Process]:
    """The processes that a process has started, and those that they have, the oldest first.

    Args:
        pid: the number of the process.
        named: text in an argument of those that are wanted.
    """
    known = processes()
    found: list[Process] = []
    layer = {pid}
    while layer:
        children = [one for one in known.values() if one.parent in layer]
        found += children
        layer = {one.pid for one in children}
    return [one for one in found if one.named(named)]


def marked(variable: str, value: str) -> list[Process]:
    """The processes whose environment sets a variable to a value: all that one with it has started."""
    text = f"{variable}={value}".encode()
    found = []
    for one in processes().values():
        with suppress(OSError):
            if text in Path(f"/proc/{one.pid}/environ").read_bytes().split(b"\0"):
                found.append(one)
    return sorted(found, key=lambda one: one.pid)


def resident_mb(pids: Iterable[int]) -> float:
    """The memory that processes have in RAM, in megabytes; one that has ended counts as nothing."""
    page = os.sysconf("SC_PAGE_SIZE")
    total = 0
    for pid in pids:
        with suppress(OSError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page
    return total / (1 << 20)
