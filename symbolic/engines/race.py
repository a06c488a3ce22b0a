"""Two solvers at one query, each in its own process: the first complete answer wins.

Which solver is the faster one, and by how much, is hard to foretell. Where two cores are free, asking both
takes hardly longer than asking the better one.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from leadline.symbolic.engines.limited import Conversation, deadline_of, unfinished
from leadline.symbolic.engines.process import QueryProcess, listen
from leadline.symbolic.engines.query import AUTO, SILENT, Limits, Listener, Query
from leadline.symbolic.engines.verdict import Progress, Result, Verdict
from leadline.symbolic.lang import Model

RACERS = ("cadical", "z3")


def cores() -> int:
    """How many cores this process may run on: those of its affinity mask, where the system has one.

    What other processes do there is not looked at, nor are a container's quotas.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def answer_race(model: Model, query: Query, limits: Limits, listener: Listener = SILENT) -> list[Result]:
    """Answer a query by the first of `RACERS` with a complete answer; the others are ended.

    An answer is complete when no property is unknown. Each process has the limits for itself.

    Args:
        model: the model that the query speaks of.
        query: what is asked; its solver is not looked at.
        limits: wall clock and address space.
        listener: who is told on the way: of each depth when the first gets there, of each violation once.

    Returns:
        A result for each property, the deadlock's last, which name the solver that won. If none of the
        solvers has a complete answer, the best known of each property; of one that is unknown the solver is
        "auto", and the reason is that of every solver.

    Raises:
        ModelError: if the model has no initial state.
        InternalError: if a child failed for another reason than its limits.
    """
    news = _News(listener)
    with ExitStack() as stack:
        talks = {
            stack.enter_context(QueryProcess(model, replace(query, solver=solver), limits)): Conversation(
                model, Listener(news.progress, news.told)
            )
            for solver in RACERS
        }
        for process, message in listen(talks, deadline_of(limits)):
            talk = talks[process]
            talk.hear(message)
            if talk.results is not None and _complete(talk.results):
                return talk.results
        for process in talks:
            process.end()
        answers = [talk.results or unfinished(process, talk) for process, talk in talks.items()]
    return [_best(results) for results in zip(*answers, strict=True)]


@dataclass
class _News:
    """Passes on what is new, whichever solver it comes from."""

    listener: Listener
    depth: int = -1
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def progress(self, now: Progress) -> None:
        if now.depth > self.depth:
            self.depth = now.depth
            self.listener.progress(now)

    def told(self, result: Result) -> None:
        if result.verdict > self.verdicts.get(result.property, Verdict.UNKNOWN):
            self.verdicts[result.property] = result.verdict
            self.listener.told(result)


def _complete(results: list[Result]) -> bool:
    return all(result.verdict is not Verdict.UNKNOWN for result in results)


def _best(results: tuple[Result, ...]) -> Result:
    """What is best known of one property, by solvers none of which knows everything."""
    known = [result for result in results if result.verdict is not Verdict.UNKNOWN]
    if known:
        return max(known, key=lambda result: (result.verdict, result.depth))
    deepest = max(results, key=lambda result: result.depth)
    reasons = "; ".join(f"{result.solver}: {result.reason}" for result in results)
    return replace(deepest, solver=AUTO, reason=reasons)
