"""The fork server: a process with all that queries need, of which their processes are copies.

`python -m leadline.symbolic.engines.run.forkserver FD`, where FD is a socket to its parent. A fresh interpreter
needs a quarter of a second to load what a copy has at once. The server never answers a query itself, so that
each starts from the same few megabytes. `leadline.symbolic.engines.run.process` is the other side;
docs/decisions/0009-fork-server.md compares it with Python's own.

For each query the parent sends one byte with five descriptors: the process's standard input, output and
error, its working directory, and a line to the parent. On the line the server reports the process's number
once it runs, and its exit status once it has ended. The process is killed when the parent hangs up the line.
When the parent ends, so do the server and all its copies.

A query's process reads its job from its standard input: the query, the model's fingerprint, `memory_mb`, the
protocol by value or None, and the number of the parent's process. A solver's own limits are only requests, so
the process limits its address space, and the parent kills it when its time is over. Results are sent as they are
found: those that were sent outlive the process. A job and messages are pickles, a message behind its length.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import json
import os
import pickle
import resource
import selectors
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from leadline.on_demand import load_whole
from leadline.symbolic.catalog import made_again
from leadline.symbolic.engines import runs as liveness
from leadline.symbolic.engines.ask.query import Listener, Query
from leadline.symbolic.engines.ask.result import Progress, is_near
from leadline.symbolic.engines.ask.table import ENGINES
from leadline.symbolic.engines.prove import pdr
from leadline.symbolic.engines.run.limits import settable, size_mb
from leadline.symbolic.engines.run.parallel import answer_here
from leadline.symbolic.engines.run.process import LENGTH
from leadline.symbolic.lang import (
    AssumptionFailed,
    InternalError,
    Model,
    ModelError,
    OutOfBounds,
    UserError,
)
from leadline.symbolic.solve import SOLVERS

_PR_SET_PDEATHSIG = 1

Say = Callable[[str, object], None]
"""Sends a message of a kind to the parent."""


def serve(memory_mb: int | None, asked: Callable[[], tuple[Model, Query]]) -> NoReturn:
    """Answer a query within a limit on the address space, with messages on standard output, and exit.

    Args:
        memory_mb: the limit in megabytes; None for none.
        asked: makes the model, and gives the query about it.
    """
    # Prints of libraries must not mix with the messages: send them to standard error.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def say(kind: str, body: object) -> None:
        content = pickle.dumps((kind, body))
        channel.write(len(content).to_bytes(LENGTH) + content)
        channel.flush()

    if memory_mb is not None:
        size = settable(memory_mb) << 20
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        if memory_mb is not None and (size_mb() or 0) >= memory_mb:
            raise MemoryError  # The libraries, which are loaded, leave no room.
        _answer(*asked(), say)
    except MemoryError:
        say("stopped", "memory")
    except Exception as error:
        say(*_told(error))
    # Without cleaning up: after a failed allocation a destructor of the solver may never return.
    os._exit(0)


def _asked(request: Mapping[str, Any]) -> tuple[Model, Query]:
    query: Query = request["query"]
    model = made_again(
        query.source,
        query.settings,
        request["fingerprint"],
        protocol=request["protocol"],
        learned=request["learned"],
        alone=request["alone"],
    )
    return model, query


_SELDOM = 0.05
"""Seconds between two messages on the progress of a search: levels may be many and small."""


def _answer(model: Model, query: Query, say: Say) -> None:
    last, was_near = 0.0, False

    def progress(now: Progress) -> None:
        nonlocal last, was_near
        moment, near = time.monotonic(), is_near(now.left)
        if not now.text or now.depth < 0 or near != was_near or moment - last > _SELDOM:
            last, was_near = moment, near
            say("progress", now)

    told, done, printed = (partial(say, kind) for kind in ("told", "done", "printed"))
    listener = Listener(progress=progress, told=told, done=done, printed=printed)
    # The parent has the model itself.
    say("answer", replace(answer_here(model, query, listener), model=None))


def _told(error: Exception) -> tuple[str, object]:
    """The message on an error: the error that the parent is to raise, or that memory has run out."""
    if "out of memory" in str(error).lower():
        return "stopped", "memory"
    # The parent tells its user that the system refuses more files or processes.
    refused = isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.EAGAIN)
    if refused or isinstance(error, (AssumptionFailed, ModelError, OutOfBounds)):
        return "raised", error
    if isinstance(error, UserError):
        return "raised", UserError(str(error))
    return "raised", InternalError(f"a query's child process failed:\n{traceback.format_exc()}")


def die_with(parent: int) -> None:
    """Have this process killed when its parent ends, in whatever way."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


DESCRIPTORS = 5
"""The number of descriptors that come with each query."""


def main() -> None:
    """Serve until the parent hangs up."""
    # Copies share the engines and the solvers' libraries, and need no time and memory of their own to load them.
    for engine in ENGINES:
        ENGINES[engine]
    for package in (liveness, pdr):
        load_whole(package)
    for kind in SOLVERS.values():
        kind.load()
    gc.collect()
    # Frozen objects are not touched by the collector of a copy, so that their pages stay shared.
    gc.freeze()
    _Server(socket.socket(fileno=int(sys.argv[1]))).serve()


class _Server:
    """Starts processes and reports how they end.

    Args:
        control: the socket on which queries arrive.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._lines: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._woken, wake = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)

    def serve(self) -> None:
        """Start, end and reap processes until the parent hangs up."""
        while True:
            for key, _ in self._selector.select():
                if key.data is not None:
                    self._kill(key.data)
                elif key.fileobj is self._control:
                    if not self._start():
                        return
                else:
                    self._reap()

    def _start(self) -> bool:
        """Start a process for a query that has arrived; False if the parent has closed the socket."""
        word, given, _, _ = socket.recv_fds(self._control, 1, DESCRIPTORS)
        if not word:
            for pid in self._lines:
                os.kill(pid, signal.SIGKILL)
            return False
        *own, line_number = given
        try:
            pid = os.fork()
        except OSError as error:
            with socket.socket(fileno=line_number) as line:
                _say(line, failed=f"no process can be started: {error.strerror}")
            pid = -1
        if pid == 0:
            _become_child(own)
        for descriptor in own:
            os.close(descriptor)
        if pid > 0:
            line = self._lines[pid] = socket.socket(fileno=line_number)
            self._selector.register(line, selectors.EVENT_READ, pid)
            _say(line, pid=pid)
        return True

    def _kill(self, pid: int) -> None:
        """Kill a process whose line the parent has hung up; it exists until it is reaped."""
        if pid not in self._lines:
            return
        self._selector.unregister(self._lines[pid])
        os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        """Report the exit status of each process that has ended."""
        os.read(self._woken, 1 << 16)
        while self._lines:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if not pid:
                return
            line = self._lines.pop(pid)
            if line in self._selector.get_map():
                self._selector.unregister(line)
            _say(line, status=os.waitstatus_to_exitcode(status), peak_mb=usage.ru_maxrss / 1024)
            line.close()


def _say(line: socket.socket, **words: object) -> None:
    # The parent may have closed the line.
    with suppress(OSError):
        line.send(json.dumps(words).encode() + b"\n")


def _become_child(own: list[int]) -> None:
    """Go on as a query's process, with none of the server's descriptors and handlers; does not return."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, folder = own
    os.fchdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(len(streams), os.sysconf("SC_OPEN_MAX"))
    # The parent may stop this process with all that it starts from now on, since no other waits for what it holds.
    os.setpgid(0, 0)
    request = pickle.load(sys.stdin.buffer)
    die_with(request["parent"])
    serve(request["memory_mb"], lambda: _asked(request))


if __name__ == "__main__":
    main()
