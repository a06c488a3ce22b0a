"""Runs of `leadline grid` in processes of their own, and whether each ends as it should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak.processes import Process, below

_ENDS = (0, 20)  # all are answered; some are not
_BY_SIGNAL = {signal.SIGKILL: (-9,), signal.SIGINT: (130,), signal.SIGTERM: (143,)}
_FAULTS = ("Traceback", "a fault of Leadline", "Exception ignored", "InternalError")


@dataclass
class Driver:
    """A run of `leadline grid`.

    Attributes:
        name: its name in the log.
        process: its process.
        errors: the file with its standard error.
        started: when it was started, in seconds since the epoch.
        ended: when its end was seen; None before.
        sent: the signals that it was sent.
    """

    name: str
    process: subprocess.Popen[bytes]
    errors: Path
    started: float
    ended: float | None = None
    sent: list[int] = field(default_factory=list)

    @classmethod
    def start(
        cls,
        name: str,
        folder: Path,
        grid: Path,
        store: Path,
        options: Sequence[str],
        environment: Mapping[str, str],
    ) -> Driver:
        """Start `leadline grid`; its output goes to files in a folder that are named after it."""
        command = [sys.executable, "-m", "leadline", "grid", str(grid), "--store", str(store)]
        errors = folder / f"{name}.err"
        with errors.open("wb") as err, (folder / f"{name}.json").open("wb") as out:
            started = time.time()
            process = subprocess.Popen(
                [*command, "--no-prune", "--format", "json", *options],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        return cls(name, process, errors, started)

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    @property
    def begun(self) -> bool:
        """Whether it has read the store and starts, or has started, to ask."""
        return "starting Spark" in self.said() or " running" in self.said()

    def said(self) -> str:
        """Its standard error so far."""
        return self.errors.read_text(errors="replace")

    def java(self) -> list[Process]:
        """Its Java process, if it has one."""
        return [
            one
            for one in below(self.process.pid, "org.apache.spark.deploy.SparkSubmit")
            if one.parent == self.process.pid
        ]

    def send(self, number: int) -> None:
        """Send it a signal."""
        self.sent.append(number)
        self.process.send_signal(number)

    def stop(self) -> None:
        """Kill it, and wait for its end."""
        self.process.kill()
        self.process.wait()

    def summary(self) -> str:
        """How it ended: its exit code and its last line."""
        lines = [line for line in self.said().splitlines() if line.strip()]
        return f"{self.name} ended with {self.process.returncode}: {lines[-1] if lines else 'nothing said'}"

    def findings(self, harmed: bool) -> Iterator[str]:
        """Mistakes in how it ended.

        Args:
            harmed: whether something was done that may end it early, or keep it from its start.
        """
        code, said = self.process.returncode, self.said()
        allowed = {*_ENDS, *(end for number in self.sent for end in _BY_SIGNAL[signal.Signals(number)])}
        if harmed:
            allowed.add(2)  # the store cannot be made, or Spark does not start
        if code not in allowed:
            yield f"{self.name} ended with {code}, not with one of {sorted(allowed)} ({self.errors})"
        if code != -signal.SIGKILL and code != 0 and not said.strip():
            yield f"{self.name} ended with {code} and said nothing"
        told = next((line for line in said.splitlines() if any(x in line for x in _FAULTS)), None)
        if told is not None:
            yield f"{self.name} tells of a fault: {told.strip()} ({self.errors})"
