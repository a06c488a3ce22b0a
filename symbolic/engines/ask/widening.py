"""Types that were learned from runs: where a run leaves them, the question is asked again with wider ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.ask.result import Answer, Cause, Result, Stop, Verdict
from leadline.symbolic.engines.run.limits import Limits, time_stop
from leadline.symbolic.lang import Endless, Model
from leadline.symbolic.trace import TraceEnd, end_reason
from leadline.symbolic.trace.replay import own_error
from leadline.symbolic.trace.trace import states


def widened_answers(
    model: Model, limits: Limits, ask: Callable[[Model, Limits], Answer]
) -> Iterator[tuple[Model, Answer]]:
    """The answers about a model, then about models with wider types, until no run leaves these.

    If the time is over before, types grow without end, or the model lacks a value that the specification has, the
    last answer has unknown in place of out of bounds.

    Args:
        model: the model.
        limits: the most that all answers may use.
        ask: answers the question about a model within what is left of the limits.

    Raises:
        Exception: those of `ask`.
    """
    begin, rest = time.monotonic(), limits
    refuted: dict[str, int] = {}
    while True:
        answer = _remembered(ask(model, rest), refuted)
        yield model, answer
        try:
            wider = _wider(model, answer)
        except Endless as endless:
            stop = Stop(Cause.TYPES, str(endless))
            yield model, _unfinished(model, answer, stop)
            return
        if wider is None:
            lack = _lack(model, answer)
            if lack is not None:
                yield model, _unfinished(model, answer, Stop(Cause.NO_FORM, lack))
            return
        left = limits.after(time.monotonic() - begin)
        if left is None:
            stop = time_stop(limits)
            told = f"{stop.text}, when a run had left the types learned so far"
            yield model, _remembered(_unfinished(model, answer, replace(stop, text=told)), refuted)
            return
        model, rest = wider, left


def _wider(model: Model, answer: Answer) -> Model | None:
    """The model with wider types, if it is made of a specification that a run has left the types of."""
    if model.origin is None:
        return None
    for trace in (*(result.trace for result in answer.results), answer.out_of_bounds):
        # An error of the specification is one however wide the types are.
        if trace is not None and trace.ends is TraceEnd.OUT_OF_BOUNDS and own_error(model, trace) is None:
            wider = model.origin.widened(model, list(states(trace)))
            if wider is not None:
                return wider
    return None


def _lack(model: Model, answer: Answer) -> str | None:
    """The first place at which a specification has a value and its model has none; None if there is no such place.

    It is asked where no wider types help, such as at a string that the specification takes for a sequence.
    """
    if model.origin is None:
        return None
    # Of claims about runs the specification does not say whether the error is its own.
    about_runs = {one.name for one in model.properties.values() if one.temporal is not None}
    for trace in (*(result.trace for result in answer.results), answer.out_of_bounds):
        if trace is None or trace.ends is not TraceEnd.OUT_OF_BOUNDS or trace.property in about_runs:
            continue
        if own_error(model, trace) is None:
            why = end_reason(Semantics(model), trace)
            return f"no symbolic form, so that only exploration answers: {why}"
    return None


def _unfinished(model: Model, answer: Answer, stop: Stop) -> Answer:
    """An answer without the verdicts that only narrow types have led to."""

    def unfinished(one: Result) -> Result:
        if one.verdict is not Verdict.OUT_OF_BOUNDS or (
            one.trace is not None and own_error(model, one.trace)
        ):
            return one
        nothing = replace(one, verdict=Verdict.UNKNOWN, trace=None, steps=None, depth=_refuted(one))
        return replace(nothing, reason=stop.text, cause=stop.cause)

    beyond = answer.out_of_bounds
    if beyond is not None and not own_error(model, beyond):
        beyond = None
    return replace(answer, results=[unfinished(one) for one in answer.results], out_of_bounds=beyond)


def _refuted(one: Result) -> int:
    """The depth that stays refuted where types widen: shorter runs than the one that left them stay within.

    Steps find that run at its least depth, and go on deeper. Sweeps ask for what is out of bounds at the end.
    """
    if one.unroll != "steps" or one.loops or one.steps is None:
        return -1
    return min(one.depth, one.steps - 1)


def _remembered(answer: Answer, refuted: dict[str, int]) -> Answer:
    """An answer in which unknown verdicts have the depths that were refuted with narrower types.

    Args:
        answer: an answer about a model.
        refuted: the depth of each property, which those of the answer are added to.
    """
    for one in answer.results:
        if one.verdict is Verdict.OUT_OF_BOUNDS:
            refuted[one.property] = max(_refuted(one), refuted.get(one.property, -1))
    return replace(
        answer,
        results=[
            replace(one, depth=max(one.depth, refuted.get(one.property, -1)))
            if one.verdict is Verdict.UNKNOWN
            else one
            for one in answer.results
        ],
    )
