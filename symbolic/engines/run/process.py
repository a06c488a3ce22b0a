"""A query's process as its parent sees it: start it, listen to it, end it.

It is a copy of a fork server (`leadline.symbolic.engines.run.forkserver`). A Python process has one fork server,
which is started when the first query needs it.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from leadline.symbolic.catalog import packed
from leadline.symbolic.engines.ask.query import Query
from leadline.symbolic.engines.ask.result import Cause, Stop
from leadline.symbolic.engines.run.limits import Limits, memory_stop, size_mb, time_stop
from leadline.symbolic.files import environment
from leadline.symbolic.lang import InternalError, Model

_TRIES = 2  # a server that was killed is found dead once
_MOMENT = 1.0  # seconds


class Forked:
    """A copy of the fork server at work on a job.

    Args:
        job: its job, as `leadline.symbolic.engines.run.forkserver` describes it.
        errors: the file for its standard error.

    Attributes:
        output: the descriptor of its messages.

    Raises:
        InternalError: if no server can be started.
    """

    def __init__(self, job: Mapping[str, object], errors: IO[bytes]) -> None:
        self._heard: dict[str, Any] = {}
        self._rest = b""
        with ExitStack() as stack:
            read_job, write_job = os.pipe()
            stack.callback(os.close, read_job)
            self.output, write_output = os.pipe()
            stack.callback(os.close, write_output)
            folder = os.open(".", os.O_PATH)  # it may be unreadable
            stack.callback(os.close, folder)
            self._line, there = socket.socketpair()
            stack.enter_context(there)
            self._server = _send(read_job, write_output, errors.fileno(), folder, there.fileno())
        with os.fdopen(write_job, "wb") as pipe, suppress(BrokenPipeError):
            # If it died at once, its exit status is reported in the end.
            pipe.write(pickle.dumps({**job, "parent": self._server.process.pid}))

    @property
    def pid(self) -> int | None:
        """The number of its process, once it is started; None if it could not be."""
        while not self._heard and self._hear():
            pass
        return self._heard.get("pid")

    def end(self) -> tuple[int, float]:
        """Kill it if it still runs.

        Returns:
            Its exit status, negative for the signal that ended it, and its peak memory in megabytes.

        Raises:
            InternalError: if no process could be started.
        """
        with self._line:
            # The server may have ended.
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_WR)
            # Its last message is its end. The line may be open longer: another copy holds it while it starts.
            while self._heard.keys().isdisjoint(("status", "failed")) and self._hear():
                pass
        # Only now that it has ended: writing to a closed pipe would be its error.
        os.close(self.output)
        if "pid" not in self._heard and not self._server.was_killed():
            raise InternalError(self._heard.get("failed") or f"the fork server failed: {self._server.says()}")
        # Without a last message the server was killed, and its copies with it.
        return self._heard.get("status", -signal.SIGKILL), self._heard.get("peak_mb", 0.0)

    def _hear(self) -> bool:
        """Wait for a message from the server; False if no more will come."""
        try:
            chunk = self._line.recv(1 << 16)
        except ConnectionError:
            return False
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._heard.update(json.loads(line))
        return bool(chunk)


class Branched:
    """A copy of this very process at work on a query, with the model that this process has made.

    Args:
        model: the model.
        query: the query.
        memory_mb: its limit on the address space; None for none.
        errors: the file for its standard error.
        leads: whether it leads a group of processes of its own, so that Ctrl-C does not reach it.

    Attributes:
        output: the descriptor of its messages.
        pid: the number of its process.
    """

    def __init__(
        self, model: Model, query: Query, memory_mb: int | None, errors: IO[bytes], *, leads: bool
    ) -> None:
        # Here, since the server's program imports this module.
        from leadline.symbolic.engines.run.forkserver import die_with, serve

        parent = os.getpid()
        self.output, there = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                die_with(parent)
                gc.freeze()
                if leads:
                    os.setpgid(0, 0)
                os.dup2(there, 1)
                os.dup2(errors.fileno(), 2)
                serve(memory_mb, lambda: (model, query))
            finally:
                os._exit(1)  # it must never go on as a second parent
        os.close(there)

    def end(self) -> tuple[int, float]:
        """Kill it if it still runs: its exit status and its peak memory in megabytes, as of `Forked`."""
        os.close(self.output)
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        _, status, usage = os.wait4(self.pid, 0)
        return os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024


class _ForkServer:
    """The server's process and the way to it."""

    def __init__(self) -> None:
        self.control, there = socket.socketpair()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # for as long as the server lives
        self._said = ""
        with there:
            self.process = subprocess.Popen(
                # -P: a file in the working directory, perhaps a user's `token.py`, must hide no module.
                [sys.executable, "-P", "-m", "leadline.symbolic.engines.run.forkserver", str(there.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=environment(),
                pass_fds=[there.fileno()],
                start_new_session=True,
            )

    def says(self) -> str:
        """The text of its standard error, also after `close`."""
        if not self._errors.closed:
            self._errors.seek(0)
            self._said = self._errors.read().decode(errors="replace")
        return self._said

    def was_killed(self) -> bool:
        """Whether a signal ended it; waits a moment for a signal that is pending."""
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(_MOMENT) < 0
        return False

    def leave(self) -> None:
        """Forget it, in a fork of this process, which may neither end it nor wait for it."""
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
    """Have the server make a copy with these descriptors; start the server if there is none."""
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


def start_server() -> None:
    """Start the fork server if there is none, so that it loads while the caller makes the model."""
    with _lock:
        if not _servers:
            _servers.append(_ForkServer())


@atexit.register
def _close() -> None:
    while _servers:
        _servers.pop().close()


def _forget() -> None:
    """Forget the server in a fork of this process: it belongs to the parent."""
    global _lock
    _lock = threading.Lock()
    while _servers:
        server = _servers.pop()
        server.leave()


os.register_at_fork(after_in_child=_forget)


LENGTH = 8
"""The bytes before a message that have its length."""


@dataclass(frozen=True)
class Message:
    """A message from a child process: its kind, and the rest."""

    kind: str
    body: Any


_NO_MEMORY = ("cannot allocate memory", "out of memory", "bad_alloc")
"""Words with which the C library, Python and C++ end a process that gets no more memory."""


def _job(model: Model, query: Query, limits: Limits) -> dict[str, object]:
    """The job of a copy of the fork server."""
    return {
        "query": replace(query, settings=dict(query.settings)),
        "fingerprint": model.fingerprint,
        "alone": model.alone,
        "memory_mb": limits.memory_mb,
        "protocol": packed(query.source),
        "learned": model.learned,
    }


class QueryProcess:
    """A child process at work on a query. Use it in a `with` statement, whose end kills the process.

    Args:
        model: the model of the query; the child makes it anew and compares the fingerprints.
        query: the question, with a solver by name.
        limits: the child limits its address space itself; the caller has to watch the time.
        branches: whether the child is a copy of this process, which has the model: to make it anew may take
            long. This process may have no threads then.
        beside: whether other engines are asked as well. It is a copy of this process then, if that may be: the
            start of the fork server costs more than the few modules that this process has not loaded. So is each
            about a specification in another language, whose model takes longer to make than the engines to load.

    Raises:
        UserError: if the protocol is a class that cannot be sent.

    Attributes:
        silent: whether it has closed its output.
        seconds: its wall-clock time, once it has ended.
        peak_mb: its peak memory in megabytes, once it has ended.
    """

    def __init__(
        self, model: Model, query: Query, limits: Limits, branches: bool = False, beside: bool = False
    ) -> None:
        self.query = query
        self.limits = limits
        self.silent = False
        self.seconds = 0.0
        self.peak_mb = 0.0
        self._begin = time.monotonic()
        self._status = 0
        self._out_of_memory = False
        self._rest = b""
        self._waits = False
        self._leads = not branches
        copied = branches or ((beside or model.origin is not None) and _may_branch())
        # A protocol that cannot be sent is told before anything is open.
        job = None if copied else _job(model, query, limits)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed in __exit__
        self._child: Forked | Branched | None
        if job is None:
            self._child = Branched(model, query, limits.memory_mb, self._errors, leads=self._leads)
        else:
            self._child = Forked(job, self._errors)
        self._output = self._child.output

    @property
    def pid(self) -> int | None:
        """The number of the process until `end`; waits for its start."""
        return None if self._child is None else self._child.pid

    def __enter__(self) -> QueryProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._errors.close()

    def fileno(self) -> int:
        """The descriptor of its messages."""
        return self._output

    def cpu_seconds(self) -> float:
        """The seconds of the processor that it has used; of the clock where the system does not tell."""
        used = used_by(self.pid or 0)
        return time.monotonic() - self._begin if used is None else used

    def wait(self, waits: bool) -> None:
        """Have it wait, with the processes that it has started, or go on."""
        # One that waits already is told again: its whole group may have waited, and gone on, meanwhile.
        if (waits or self._waits) and (pid := self.pid) is not None:
            self._waits = waits
            # It may have ended, or not lead its group yet.
            with suppress(ProcessLookupError):
                (os.killpg if self._leads else os.kill)(pid, signal.SIGSTOP if waits else signal.SIGCONT)

    def read(self) -> list[Message]:
        """The messages that have arrived; waits if there is none.

        Raises:
            UserError: if the child reports a mistake of the user's.
            InternalError: if the child failed.
        """
        chunk = os.read(self.fileno(), 1 << 16)
        self.silent = not chunk
        self._rest += chunk
        messages = []
        while len(self._rest) >= (end := LENGTH + int.from_bytes(self._rest[:LENGTH])):
            messages.append(Message(*pickle.loads(self._rest[LENGTH:end])))
            self._rest = self._rest[end:]
        for message in messages:
            if message.kind == "stopped":
                self._out_of_memory = True
            elif message.kind == "raised":
                raise message.body
        return messages

    def end(self) -> None:
        """Kill it if it still runs, and record how it ended.

        Raises:
            InternalError: if it could not be started.
        """
        if self._child is None:
            return
        child, self._child = self._child, None
        self._status, self.peak_mb = child.end()
        self.seconds = time.monotonic() - self._begin

    def stop(self) -> Stop:
        """The cause for which it ended, or was ended, without an answer."""
        stop = self._stop()
        # Where the time is over, the last words are no reason: a warning, perhaps.
        return stop if stop.cause is Cause.TIME else replace(stop, text=stop.text + self._last_words())

    def _stop(self) -> Stop:
        if not self.silent:
            return time_stop(self.limits)
        megabytes = self.limits.memory_mb
        if self._out_of_memory or any(sign in self._last_words().lower() for sign in _NO_MEMORY):
            return memory_stop(self.limits)
        ended = self._status
        how = f"was ended by {signal.Signals(-ended).name}" if ended < 0 else f"exited with {ended}"
        given = megabytes is not None and not self.limits.assumed
        hint = f", perhaps at the memory limit of {megabytes} MB" if given else ""
        return Stop(Cause.CRASH, f"crash: the query's process {how}{hint}")

    def _last_words(self) -> str:
        """The last line of its standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip()]
        return f" ({said[-1][:200]})" if said else ""


def used_by(process: int) -> float | None:
    """The seconds of the processor that a process and those that it has started have used.

    0 once it has ended; None where the system does not tell.
    """
    if not Path("/proc/self/stat").exists():
        return None
    pids, ticks = [process], 0
    for pid in pids:
        # It may have ended.
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
            pids += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return ticks / os.sysconf("SC_CLK_TCK")


_SMALL_MB = 1024
"""The address space up to which a process is small."""


def _may_branch() -> bool:
    """Whether a copy of this process may answer a query: it has one thread, native ones included, and is small."""
    try:
        alone = sum(1 for _ in Path("/proc/self/task").iterdir()) == 1
    except OSError:
        return False
    return alone and (size_mb() or 0) < _SMALL_MB


_TICK = 1.0
"""Seconds after which a listener who hears nothing has a turn."""


def listen(
    processes: Iterable[QueryProcess],
    deadline: Callable[[], float | None],
    idle: Callable[[], None] = lambda: None,
) -> Iterator[tuple[QueryProcess, Message]]:
    """The messages of processes as they arrive, until all have closed their output or the time is over.

    Args:
        processes: the processes.
        deadline: tells the end of the time on the clock `time.monotonic`, which may change; None for no end.
        idle: called again and again, about every second.
    """
    with selectors.DefaultSelector() as selector:
        for process in processes:
            selector.register(process, selectors.EVENT_READ, process)
        over = False
        while selector.get_map() and not over:
            end = deadline()
            left = _TICK if end is None else min(_TICK, end - time.monotonic())
            # The pipes are read once more at the end: this process may have been waiting for the processor.
            over = left <= 0
            idle()
            for key, _ in selector.select(max(left, 0)):
                heard: QueryProcess = key.data
                for message in heard.read():
                    yield heard, message
                if heard.silent:
                    selector.unregister(heard)
