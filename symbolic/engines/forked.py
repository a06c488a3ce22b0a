"""Processes that are copies of a fork server, as their parent sees them.

A Python process has one fork server, started when it is first needed; `leadline.symbolic.engines.forkserver`
says what it does.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

import leadline
from leadline.symbolic.lang import InternalError

_TRIES = 2  # a server that was killed is found dead once
_MOMENT = 1.0  # seconds


class Forked:
    """A copy of the fork server at work on a job.

    Args:
        job: what it is to do (`leadline.symbolic.engines.child`).
        errors: where its standard error goes.

    Attributes:
        output: where it is heard.

    Raises:
        InternalError: if there is no starting a server.
    """

    def __init__(self, job: Mapping[str, Any], errors: IO[bytes]) -> None:
        self._heard: dict[str, Any] = {}
        self._rest = b""
        with ExitStack() as stack:
            read_job, write_job = os.pipe()
            stack.callback(os.close, read_job)
            self.output, write_output = os.pipe()
            stack.callback(os.close, write_output)
            folder = os.open(".", os.O_RDONLY)
            stack.callback(os.close, folder)
            self._line, there = socket.socketpair()
            stack.enter_context(there)
            self._server = _send(read_job, write_output, errors.fileno(), folder, there.fileno())
        with os.fdopen(write_job, "wb") as pipe, suppress(BrokenPipeError):
            # If it died at once, how is told by its exit status.
            pipe.write(json.dumps({**job, "parent": self._server.process.pid}).encode() + b"\n")

    @property
    def pid(self) -> int | None:
        """The number of its process, for which this waits; None if there never was one."""
        while "pid" not in self._heard and self._hear():
            pass
        return self._heard.get("pid")

    def end(self) -> tuple[int, float]:
        """Kill it if it still runs.

        Returns:
            Its exit status, negative for the signal that ended it, and its peak memory in megabytes.

        Raises:
            InternalError: if there never was a process.
        """
        with self._line:
            # Perhaps the server has gone.
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_WR)
            while self._hear():
                pass
        # Not before it is gone: it would complain that nobody listens.
        os.close(self.output)
        if "pid" not in self._heard and not self._server.was_killed():
            raise InternalError(self._heard.get("failed") or f"the fork server failed: {self._server.says()}")
        # Without a last word the server was killed, and its copies with it.
        return self._heard.get("status", -signal.SIGKILL), self._heard.get("peak_mb", 0.0)

    def _hear(self) -> bool:
        """Wait for a word of the server's; False if there will be none."""
        try:
            chunk = self._line.recv(1 << 16)
        except ConnectionError:
            return False
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._heard.update(json.loads(line))
        return bool(chunk)


class _ForkServer:
    """The server's process and the way to it."""

    def __init__(self) -> None:
        self.control, there = socket.socketpair()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # for as long as the server lives
        self._said = ""
        # The server must find the same package, wherever this process has it from.
        own = str(Path(leadline.__file__).parent.parent)
        path = os.pathsep.join([own, *filter(None, [os.environ.get("PYTHONPATH")])])
        with there:
            self.process = subprocess.Popen(
                # -P: a file in the working directory, perhaps a user's `token.py`, is no module of anybody's.
                [sys.executable, "-P", "-m", "leadline.symbolic.engines.forkserver", str(there.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env={**os.environ, "PYTHONPATH": path},
                pass_fds=[there.fileno()],
                start_new_session=True,
            )

    def says(self) -> str:
        """What it wrote to its standard error, perhaps before it was closed."""
        if not self._errors.closed:
            self._errors.seek(0)
            self._said = self._errors.read().decode(errors="replace")
        return self._said

    def was_killed(self) -> bool:
        """Whether a signal ended it; waits a moment for one that is on its way."""
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(_MOMENT) < 0
        return False

    def leave(self) -> None:
        """Forget it in a copy of this process: it is not ours to end, nor to wait for."""
        self.control.close()
        self._errors.close()
        self.process.returncode = 0

    def close(self) -> None:
        """End it, and with it all its copies."""
        self.control.close()
        self.process.kill()
        self.process.wait()
        self.says()
        self._errors.close()


_lock = threading.Lock()
_servers: list[_ForkServer] = []  # none or one


def _send(*descriptors: int) -> _ForkServer:
    """Have the server, perhaps a new one, make a copy with these descriptors."""
    with _lock:
        for _ in range(_TRIES):
            if _servers and _servers[0].process.poll() is not None:
                _close()
            if not _servers:
                _servers.append(_ForkServer())
            with suppress(ConnectionError):
                socket.send_fds(_servers[0].control, [b"q"], descriptors)
                return _servers[0]
            _close()
    raise InternalError("the fork server ends as soon as it is started")


@atexit.register
def _close() -> None:
    while _servers:
        _servers.pop().close()


def _forget() -> None:
    """In a copy of this process: the server is its parent's."""
    global _lock
    _lock = threading.Lock()
    while _servers:
        server = _servers.pop()
        server.leave()


os.register_at_fork(after_in_child=_forget)
