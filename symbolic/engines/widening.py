"""Types that were learned from runs: where a run leaves them, the question is asked again with wider ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from leadline.symbolic.engines.limits import Limits
from leadline.symbolic.engines.result import Answer, Verdict
from leadline.symbolic.lang import Endless, Model
from leadline.symbolic.trace import TraceEnd
from leadline.symbolic.trace.trace import states


def widened_answers(
    model: Model, limits: Limits, ask: Callable[[Model, Limits], Answer]
) -> Iterator[tuple[Model, Answer]]:
    """The answers about a model, then about models with wider types, until no run leaves these.

    If the time is over before, or types grow without end, the last answer has unknown in place of out of bounds.

    Args:
        model: the model.
        limits: the most that all answers may use.
        ask: answers the question about a model within what is left of the limits.

    Raises:
        Exception: those of `ask`.
    """
    begin, rest = time.monotonic(), limits
    while True:
        answer = ask(model, rest)
        yield model, answer
        try:
            wider = _wider(model, answer)
        except Endless as endless:
            yield model, _unfinished(answer, str(endless))
            return
        if wider is None:
            return
        left = limits.after(time.monotonic() - begin)
        if left is None:
            why = f"time: stopped after {limits.seconds or 0:g} s"
            yield model, _unfinished(answer, f"{why}, when a run had left the types learned so far")
            return
        model, rest = wider, left


def _wider(model: Model, answer: Answer) -> Model | None:
    """The model with wider types, if it is made of a specification that a run has left the types of."""
    if model.origin is None:
        return None
    for trace in (*(result.trace for result in answer.results), answer.out_of_bounds):
        if trace is not None and trace.ends is TraceEnd.OUT_OF_BOUNDS:
            wider = model.origin.widened(model, list(states(trace)))
            if wider is not None:
                return wider
    return None


def _unfinished(answer: Answer, why: str) -> Answer:
    """An answer without the verdicts that only narrow types have led to."""
    results = [
        replace(one, verdict=Verdict.UNKNOWN, trace=None, steps=None, reason=why)
        if one.verdict is Verdict.OUT_OF_BOUNDS
        else one
        for one in answer.results
    ]
    return replace(answer, results=results, out_of_bounds=None)
