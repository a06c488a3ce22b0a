"""Models of specifications in other languages, whose types become wider where a run leaves them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from leadline.symbolic.engines.limits import Limits
from leadline.symbolic.engines.result import Answer, Verdict
from leadline.symbolic.lang import Endless, Model
from leadline.symbolic.trace import TraceEnd
from leadline.symbolic.trace.trace import states


def widening(
    model: Model,
    limits: Limits,
    ask: Callable[[Model, Limits], Answer],
    told: Callable[[Model, Answer], object] = lambda model, answer: None,
) -> tuple[Model, Answer]:
    """The answer about a model whose types no run leaves, and that model.

    Args:
        model: the model to begin with. It is the last one unless it has an origin.
        limits: the limits of all questions together.
        ask: answers a question about a model within limits.
        told: is told of each wider model, and of the answer that led to it.
    """
    begin = time.monotonic()
    answer = ask(model, limits)
    try:
        while (wider := _wider(model, answer)) is not None:
            left = limits.after(time.monotonic() - begin)
            if left is None:
                why = f"time: stopped after {limits.seconds or 0:g} s"
                return model, _without_bounds(answer, f"{why}, when a run had left the types learned so far")
            told(wider, answer)
            model, answer = wider, ask(wider, left)
    except Endless as endless:
        answer = _without_bounds(answer, str(endless))
    return model, answer


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


def _without_bounds(answer: Answer, why: str) -> Answer:
    """An answer without the verdicts that only narrow types have led to."""
    results = [
        replace(one, verdict=Verdict.UNKNOWN, trace=None, steps=None, reason=why)
        if one.verdict is Verdict.OUT_OF_BOUNDS
        else one
        for one in answer.results
    ]
    return replace(answer, results=results, out_of_bounds=None)
