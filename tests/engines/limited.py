"""Queries that take long, for limits and processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.engines import (
    Limits,
    Listener,
    Query,
    Result,
    answer_in_child,
)
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.engines.run.process import Message, QueryProcess
from tests.asking import bounded_query, model_for

FILE = Path(__file__).parent / "protocols.py"


HARD = {"holes": 11}


HOUR = 3600.0


def over_after(monkeypatch: pytest.MonkeyPatch, last: Callable[[Message], bool]) -> None:
    """Have limits of less than an hour end after a message of a child process, however busy the machine is.

    Args:
        monkeypatch: sets the clock forward by an hour then.
        last: whether a message is the last before the end.
    """
    ahead, now, read = 0.0, time.monotonic, QueryProcess.read

    def heard(process: QueryProcess) -> list[Message]:
        nonlocal ahead
        messages = read(process)
        ahead += HOUR * sum(map(last, messages))
        return messages

    monkeypatch.setattr(QueryProcess, "read", heard)
    monkeypatch.setattr(time, "monotonic", lambda: now() + ahead)


def is_at_depth_0(message: Message) -> bool:
    """Whether it tells that layer 0 is done."""
    return message.kind == "progress" and message.body.depth == 0


def query(name: str, depth: int = 6, **options: Any) -> Query:
    return bounded_query(f"{FILE}:{name}", depth, **options)


def limited(asked: Query, limits: Limits, listener: Listener = SILENT) -> Sequence[Result]:
    return answer_in_child(model_for(asked), asked, limits, listener).results
