"""Lines between processes: objects are sent without waiting, and come as they arrive."""

from __future__ import annotations

import os
import pickle
import select
import socket
from collections.abc import Iterable, Sequence
from typing import Any

_CHUNK = 1 << 18
_LENGTH = 8  # bytes before each object


class Line:
    """One end of a line to another process.

    Args:
        end: a socket; the line takes it over.

    Attributes:
        closed: whether the other process has hung up, or ended.
    """

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end
        self._out = bytearray()
        self._in = bytearray()
        self._chunk = memoryview(bytearray(_CHUNK))
        self.closed = False

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._end.fileno()

    @property
    def unsent(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._out)

    def send(self, what: Any) -> None:
        """Send an object, or as much of it as the other process has room for; `flush` sends the rest."""
        data = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
        self._out += len(data).to_bytes(_LENGTH, "big") + data
        self.flush()

    def flush(self) -> None:
        """Send more of what waits."""
        try:
            while self._out:
                sent = self._end.send(memoryview(self._out)[:_CHUNK])
                del self._out[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
            self._out.clear()

    def receive(self) -> list[Any]:
        """The objects that have arrived in full."""
        try:
            while True:
                size = self._end.recv_into(self._chunk)
                if not size:
                    self.closed = True
                    break
                self._in += self._chunk[:size]
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
        found = []
        while len(self._in) >= _LENGTH:
            end = _LENGTH + int.from_bytes(self._in[:_LENGTH], "big")
            if len(self._in) < end:
                break
            found.append(pickle.loads(memoryview(self._in)[_LENGTH:end]))
            del self._in[:end]
        return found

    def close(self) -> None:
        """Hang up."""
        self._end.close()


def pair() -> tuple[Line, Line]:
    """Both ends of a new line."""
    here, there = socket.socketpair()
    return Line(here), Line(there)


def ready(lines: Iterable[Line], seconds: float | None) -> Sequence[Line]:
    """The lines on which something has arrived, or that were hung up; sends what waits meanwhile.

    Args:
        lines: the lines.
        seconds: the most seconds to wait for one; None to wait for ever.
    """
    poll = select.poll()
    by_number = {}
    for line in lines:
        if not line.closed:
            by_number[line.fileno()] = line
            poll.register(line.fileno(), select.POLLIN | (select.POLLOUT if line.unsent else 0))
    arrived = []
    for number, event in poll.poll(None if seconds is None else seconds * 1000) if by_number else ():
        if event & select.POLLOUT:
            by_number[number].flush()
        if event & ~select.POLLOUT:
            arrived.append(by_number[number])
    return arrived


class Pool:
    """A number that several processes take from, the rest of a bound on states.

    Args:
        number: the number at first.
    """

    def __init__(self, number: int) -> None:
        # It goes round as a message: who has read it is the only one to know it.
        self._read, self._write = os.pipe()
        os.write(self._write, number.to_bytes(_LENGTH, "big"))

    def take(self, wanted: int) -> int:
        """Take so much, or what there is; tells how much it was."""
        left = int.from_bytes(os.read(self._read, _LENGTH), "big")
        taken = min(left, wanted)
        os.write(self._write, (left - taken).to_bytes(_LENGTH, "big"))
        return taken

    def close(self) -> None:
        """Close it in this process."""
        os.close(self._read)
        os.close(self._write)
