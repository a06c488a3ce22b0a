"""Answering a query in a child process with limits that hold."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from leadline.symbolic.engines.process import Message, QueryProcess, listen
from leadline.symbolic.engines.query import SILENT, Limits, Listener, Query
from leadline.symbolic.engines.verdict import Effort, Progress, Result, Verdict
from leadline.symbolic.engines.wire import progress_from, result_from
from leadline.symbolic.lang import InternalError, Model
from leadline.symbolic.trace import DEADLOCK


@dataclass
class Conversation:
    """What a query's process has said so far, passed on to who listens.

    Attributes:
        told: the results that it told on the way, by property.
        reached: where it was when last heard.
        results: its answer, once there is one.
    """

    model: Model
    listener: Listener
    told: dict[str, Result] = field(default_factory=dict)
    reached: Progress | None = None
    results: list[Result] | None = None

    def hear(self, message: Message) -> None:
        """Take in one message."""
        match message.kind:
            case "progress":
                self.reached = progress_from(message.body)
                self.listener.progress(self.reached)
            case "told":
                result = result_from(self.model, message.body)
                self.told[result.property] = result
                self.listener.told(result)
            case "results":
                self.results = [result_from(self.model, one) for one in message.body]
            case "stopped":
                pass  # The process itself keeps why it ended.
            case _:
                raise InternalError(f"a query's process said {message.kind}, which nobody understands")


def answer_limited(model: Model, query: Query, limits: Limits, listener: Listener = SILENT) -> list[Result]:
    """Answer a query in a child process that is killed once it passes a limit.

    Args:
        model: the model that the query speaks of.
        query: what is asked; one core is enough, so "auto" is not a race here.
        limits: wall clock and address space; the time counts from the start of the process.
        listener: who is told on the way.

    Returns:
        A result for each property, the deadlock's last. What was not answered in time is unknown, its
        reason says which limit it was, its depth how deep the search got.

    Raises:
        ModelError: if the model has no initial state.
        UserError: if it is another one when the child makes it anew.
        InternalError: if the child failed for another reason than its limits.
    """
    talk = Conversation(model, listener)
    with QueryProcess(model, query.alone(), limits) as process:
        for _, message in listen([process], deadline_of(limits)):
            talk.hear(message)
            if talk.results is not None:
                return talk.results
        process.end()
        return unfinished(process, talk)


def deadline_of(limits: Limits) -> float | None:
    """When the time is over that starts now, as `time.monotonic` tells it; None is never."""
    return None if limits.seconds is None else time.monotonic() + limits.seconds


def unfinished(process: QueryProcess, talk: Conversation) -> list[Result]:
    """The results of a process that ended, or was ended, before its answer was complete."""
    query, reached = process.query, talk.reached
    depth = reached.depth if reached is not None else -1
    size = (reached.variables, reached.clauses) if reached is not None else (0, 0)
    effort = Effort(0.0, 0.0, process.seconds, process.peak_mb, *size)
    names = [one.name for one in query.chosen(talk.model)]
    names += [DEADLOCK] if query.deadlock else []
    return [_so_far(name, talk, query, depth, effort, process.reason()) for name in names]


def _so_far(name: str, talk: Conversation, query: Query, depth: int, effort: Effort, reason: str) -> Result:
    told = talk.told.get(name)
    if told is None:
        return Result(
            protocol=talk.model.protocol,
            parameters=talk.model.parameters,
            property=name,
            engine="bmc",
            unroll=query.unroll,
            solver=query.solver,
            verdict=Verdict.UNKNOWN,
            depth=depth,
            steps=None,
            effort=effort,
            reason=reason,
        )
    # A violation is final; a property that goes out of bounds was still searched for a violation.
    known = told if told.verdict is Verdict.VIOLATED else replace(told, depth=depth, effort=effort)
    shortened = query.shortest and query.unroll == "sweeps" and known.steps
    return known.perhaps_longer(reason) if shortened else known
