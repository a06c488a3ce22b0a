"""A query's child process as its parent sees it: start it, listen to it, end it."""

from __future__ import annotations

import json
import os
import selectors
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from leadline.symbolic.engines.forked import Forked
from leadline.symbolic.engines.query import Limits, Query
from leadline.symbolic.engines.wire import model_error_from
from leadline.symbolic.lang import InternalError, Model, UserError


@dataclass(frozen=True)
class Message:
    """Something that a child process said: a word for what it is, and the rest."""

    kind: str
    body: Any


_NO_MEMORY = ("cannot allocate memory", "out of memory", "bad_alloc")
"""What the C library, Python and C++ say when they end a process that gets no more memory."""


class QueryProcess:
    """A child process at work on a query. It is to be used in a `with`, at whose end it is killed.

    Args:
        model: the model that the query speaks of; the child makes it anew, and compares.
        query: what is asked; its solver is one by name.
        limits: the child limits its own address space. The time is the caller's to watch.
        job: what else the child is to know (`leadline.symbolic.engines.child`).

    Attributes:
        silent: whether it has said its last.
        seconds: how long it ran, once it has ended.
        peak_mb: its peak memory in megabytes, once it has ended.
    """

    def __init__(self, model: Model, query: Query, limits: Limits, **job: Any) -> None:
        self.query = query
        self.limits = limits
        self.silent = False
        self.seconds = 0.0
        self.peak_mb = 0.0
        self._begin = time.monotonic()
        self._status = 0
        self._out_of_memory = False
        self._rest = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed in __exit__
        same = {"query": query.to_json(), "fingerprint": model.fingerprint, "memory_mb": limits.memory_mb}
        self._child: Forked | None = Forked({**same, **job}, self._errors)
        self._output = self._child.output

    @property
    def pid(self) -> int | None:
        """The number of the process while it is there; waits until it is."""
        return None if self._child is None else self._child.pid

    def __enter__(self) -> QueryProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._errors.close()

    def fileno(self) -> int:
        """Where it is heard."""
        return self._output

    def read(self) -> list[Message]:
        """What there is to hear now; waits if there is nothing.

        Raises:
            UserError: what the child says that the user got wrong.
            InternalError: if the child failed.
        """
        chunk = os.read(self.fileno(), 1 << 16)
        self.silent = not chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        messages = [Message(kind, body) for line in lines for kind, body in json.loads(line).items()]
        for message in messages:
            if message.kind == "stopped":
                self._out_of_memory = True
            elif message.kind == "model_error":
                raise model_error_from(message.body)
            elif message.kind == "user_error":
                raise UserError(message.body)
            elif message.kind == "internal_error":
                raise InternalError(f"a query's child process failed:\n{message.body}")
        return messages

    def end(self) -> None:
        """Kill it if it still runs, and take note of how it ended.

        Raises:
            InternalError: if it could not be started.
        """
        if self._child is None:
            return
        child, self._child = self._child, None
        self._status, self.peak_mb = child.end()
        self.seconds = time.monotonic() - self._begin

    def reason(self) -> str:
        """Why it ended, or was ended, without an answer."""
        if not self.silent:
            return f"time: stopped after {self.limits.seconds:g} s" + self._last_words()
        megabytes = self.limits.memory_mb
        if self._out_of_memory or any(sign in self._last_words().lower() for sign in _NO_MEMORY):
            limit = "for lack of it" if megabytes is None else f"at the limit of {megabytes} MB"
            return f"memory: stopped {limit}" + self._last_words()
        ended = self._status
        how = f"was ended by {signal.Signals(-ended).name}" if ended < 0 else f"exited with {ended}"
        hint = f", perhaps at the memory limit of {megabytes} MB" if megabytes is not None else ""
        return f"crash: the query's process {how}{hint}" + self._last_words()

    def _last_words(self) -> str:
        """The last line of what it wrote to its standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip()]
        return f" ({said[-1][:200]})" if said else ""


def listen(
    processes: Iterable[QueryProcess], deadline: float | None
) -> Iterator[tuple[QueryProcess, Message]]:
    """What the processes say, as they say it, until all are silent or the time is over.

    Args:
        processes: who is heard.
        deadline: when the time is over, as `time.monotonic` tells it; None is never.
    """
    with selectors.DefaultSelector() as selector:
        for process in processes:
            selector.register(process, selectors.EVENT_READ, process)
        while selector.get_map():
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return
            for key, _ in selector.select(left):
                heard: QueryProcess = key.data
                for message in heard.read():
                    yield heard, message
                if heard.silent:
                    selector.unregister(heard)
