"""The fork server: a process with all that queries need, of which their processes are copies.

`python -m leadline.symbolic.engines.forkserver FD`, where FD is a socket of its parent's. A fresh interpreter
needs a quarter of a second to load what a copy has at once. The server never answers a query itself, so that
each starts from the same few megabytes. `leadline.symbolic.engines.forked` is the other side.

For each query the parent sends one byte with five descriptors: the process's standard input, output and
error, its working directory, and a line to the parent. On the line the server says the process's number once
it is there, and how it ended once it has. When the parent hangs up the line, the process is killed; when the
parent is no more, so is the server with all its copies.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress

from leadline.symbolic.engines import child  # and with it all that queries need

DESCRIPTORS = 5
"""What comes with each query."""


def main() -> None:
    """Serve until the parent hangs up."""
    gc.collect()
    # A copy whose collector writes to no page of ours shares them all.
    gc.freeze()
    _Server(socket.socket(fileno=int(sys.argv[1]))).serve()


class _Server:
    """Starts processes and says how they end.

    Args:
        control: where queries come from.
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
        """Start a process, if one is asked for and the parent has not gone."""
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
        """The parent wants no more of a process, which is still there until it is reaped."""
        if pid not in self._lines:
            return
        self._selector.unregister(self._lines[pid])
        os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        """Tell of each process that has ended how it did."""
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
    # Perhaps nobody listens any more.
    with suppress(OSError):
        line.send(json.dumps(words).encode() + b"\n")


def _become_child(own: list[int]) -> None:
    """Go on as a query's process, which sees nothing of the server's but its memory; does not return."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, folder = own
    os.fchdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(len(streams), os.sysconf("SC_OPEN_MAX"))
    child.main()


if __name__ == "__main__":
    main()
