"""Answering a query in a child process with limits that hold."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import leadline
from leadline.symbolic.engines.query import SILENT, Limits, Listener, Query
from leadline.symbolic.engines.verdict import Effort, Progress, Result, Verdict
from leadline.symbolic.engines.wire import progress_from, result_from
from leadline.symbolic.lang import InternalError, Model, UserError
from leadline.symbolic.trace import DEADLOCK


@dataclass
class _Conversation:
    """What the child has said so far."""

    model: Model
    listener: Listener
    told: dict[str, Result] = field(default_factory=dict)
    reached: Progress | None = None
    results: list[Result] | None = None
    stopped: str | None = None

    def hear(self, message: Mapping[str, Any]) -> None:
        """Take in one message."""
        ((kind, body),) = message.items()
        match kind:
            case "progress":
                self.reached = progress_from(body)
                self.listener.progress(self.reached)
            case "told":
                result = result_from(self.model, body)
                self.told[result.property] = result
                self.listener.told(result)
            case "results":
                self.results = [result_from(self.model, one) for one in body]
            case "stopped":
                self.stopped = body
            case "user_error":
                raise UserError(body)
            case _:
                raise InternalError(f"a query's child process failed:\n{body}")


def answer_limited(
    model: Model, query: Query, limits: Limits, listener: Listener = SILENT
) -> list[Result]:  # frozen
    """Answer a query in a child process that is killed once it passes a limit.

    Args:
        model: the model that the query speaks of.
        query: what is asked.
        limits: wall clock and address space; the time counts from the start of the process.
        listener: who is told on the way.

    Returns:
        A result for each property, the deadlock's last. What was not answered in time is unknown, its
        reason says which limit it was, its depth how deep the search got.

    Raises:
        UserError: if the model has no initial state.
        InternalError: if the child failed for another reason than its limits.
    """
    begin = time.monotonic()
    deadline = begin + limits.seconds if limits.seconds is not None else None
    talk = _Conversation(model, listener)
    with tempfile.TemporaryFile() as errors:
        child = _start(query, limits, errors)
        try:
            in_time = _listen(child, talk, deadline)
        finally:
            ended, peak_mb = _end(child)
        if talk.results is not None:
            return talk.results
        reason = _reason(talk, limits, ended, in_time) + _last_words(errors)
    return _unfinished(model, query, talk, reason, time.monotonic() - begin, peak_mb)


def _last_words(errors: IO[bytes]) -> str:
    """The last line of what the child wrote to its standard error."""
    errors.seek(0)
    lines = errors.read().decode(errors="replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return f" ({said[-1][:200]})" if said else ""


def _start(query: Query, limits: Limits, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    # The child must find the same package, wherever this process has it from.
    own = str(Path(leadline.__file__).parent.parent)
    path = os.pathsep.join([own, *filter(None, [os.environ.get("PYTHONPATH")])])
    child = subprocess.Popen(
        [sys.executable, "-m", "leadline.symbolic.engines.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )
    request = {"query": query.to_json(), "memory_mb": limits.memory_mb, "parent": os.getpid()}
    assert child.stdin is not None
    try:
        child.stdin.write(json.dumps(request).encode() + b"\n")
        child.stdin.close()
    except BrokenPipeError:
        pass  # It died at once; how is told by its exit status.
    return child


def _listen(child: subprocess.Popen[bytes], talk: _Conversation, deadline: float | None) -> bool:
    """Take in what the child says until it ends; False if the deadline came first."""
    assert child.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        buffer = b""
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if (left is not None and left <= 0) or not selector.select(left):
                return False
            chunk = _read(child.stdout)
            if not chunk:
                return True
            *lines, buffer = (buffer + chunk).split(b"\n")
            for one in lines:
                talk.hear(json.loads(one))
            if talk.results is not None:
                return True


def _read(stream: IO[bytes]) -> bytes:
    return os.read(stream.fileno(), 1 << 16)


def _end(child: subprocess.Popen[bytes]) -> tuple[int, float]:
    """End the child if it still runs; the status it ended with, and its peak memory in megabytes."""
    # Not child.kill(), which reaps a child that has ended by itself: its usage would be lost.
    os.kill(child.pid, signal.SIGKILL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.stdout is not None
    child.stdout.close()
    return child.returncode, usage.ru_maxrss / 1024


def _reason(talk: _Conversation, limits: Limits, ended: int, in_time: bool) -> str:
    if not in_time:
        return f"time: stopped after {limits.seconds:g} s"
    if talk.stopped == "memory":
        return f"memory: stopped at the limit of {limits.memory_mb} MB"
    how = f"was ended by {signal.Signals(-ended).name}" if ended < 0 else f"exited with {ended}"
    hint = f", perhaps at the memory limit of {limits.memory_mb} MB" if limits.memory_mb is not None else ""
    return f"crash: the query's process {how}{hint}"


def _unfinished(
    model: Model, query: Query, talk: _Conversation, reason: str, seconds: float, peak_mb: float
) -> list[Result]:
    names = [one.name for one in model.choose_properties(query.properties)]
    reached = talk.reached.depth if talk.reached is not None else -1
    size = (talk.reached.variables, talk.reached.clauses) if talk.reached is not None else (0, 0)
    effort = Effort(0.0, 0.0, seconds, peak_mb, *size)
    results = []
    for name in [*names, *([DEADLOCK] if query.deadlock else [])]:
        told = talk.told.get(name)
        if told is None:
            told = Result(
                model.protocol, model.parameters, name, "bmc", query.unroll, query.solver,
                Verdict.UNKNOWN, reached, None, effort, reason=reason,
            )  # fmt: skip
        elif told.verdict is not Verdict.VIOLATED:
            told = replace(told, depth=reached, effort=effort)
        results.append(told)
    return results
