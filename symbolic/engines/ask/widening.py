"""Types that were learned from runs: where a run leaves them, the question is asked again with wider ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.orbits import in_order
from leadline.symbolic.engines.ask.engine import Interrupted
from leadline.symbolic.engines.ask.query import Query
from leadline.symbolic.engines.ask.result import Answer, Cause, EngineFacts, Result, Stop, Verdict
from leadline.symbolic.engines.run.limits import Limits, TimeIsOver, time_stop, within
from leadline.symbolic.lang import ALONE, Endless, InternalError, Model
from leadline.symbolic.meaning import path_of
from leadline.symbolic.meaning.trace import states
from leadline.symbolic.trace import DEADLOCK, Trace, TraceEnd, end_reason, trace_of_path
from leadline.symbolic.trace.replay import own_error, replay


@dataclass
class Kept:
    """Knowledge that stays where types widen: violations, and the steps within which there are no others.

    Attributes:
        violated: the result of each property that is known to be violated, with its run in the present types.
        refuted: the steps within which no other property is violated, and no run leaves the types; -1 for none.
        ends: whether the first run out of bounds ended the search, so that violations may lie deeper.
        facts: the facts of the last answer.
        whole: whether searches go on beyond runs out of bounds: they are errors of the specification.
    """

    violated: dict[str, Result] = field(default_factory=dict)
    refuted: int = -1
    ends: bool = False
    facts: EngineFacts | None = None
    whole: bool = False
    _names: Sequence[str] = ()

    def left(self, model: Model, query: Query) -> Query:
        """The query for what is not known of a model yet."""
        if model.origin is None:
            return query
        self._names = query.names(model)
        names = tuple(one.name for one in query.chosen(model) if one.name not in self.violated)
        about_runs = any(model.properties[name].temporal is not None for name in names)
        refuted = -1 if about_runs else self.refuted
        options = query.options.narrowly(refuted, ends=not self.whole)
        if options is None:
            return query
        self.ends = options != query.options.narrowly(refuted, ends=False)
        deadlock = query.deadlock and DEADLOCK not in self.violated
        return replace(query, properties=names, deadlock=deadlock, options=options.knowing(self.facts))

    def with_known(self, answer: Answer) -> Answer:
        """An answer to the query for what was not known, with what was."""
        told = {one.property: one for one in answer.results}
        wrong = {name for name, one in told.items() if one.verdict is Verdict.VIOLATED}
        known = {name: one for name, one in self.violated.items() if name not in wrong}
        if not known:
            return answer
        order = {name: place for place, name in enumerate(self._names)}
        results = {**told, **known}.values()
        return replace(answer, results=sorted(results, key=lambda one: order.get(one.property, len(order))))

    def note(self, narrow: Model, model: Model, answer: Answer) -> None:
        """Keep what an answer about a model with narrower types says of a wider one."""
        found = {one.property: one for one in answer.results if one.verdict is Verdict.VIOLATED}
        wide = {name: _in_wider(narrow, model, one) for name, one in found.items()}
        self.violated = {name: one for name, one in wide.items() if one is not None}
        others = [_refuted(one) for one in answer.results if one.property not in self.violated]
        self.refuted = max(self.refuted, min(others, default=-1))
        self.facts = answer.facts


def _in_wider(narrow: Model, model: Model, result: Result) -> Result | None:
    """A violation with its run as one of a model with wider types; None if it has no such."""
    trace = result.trace
    if model.origin is None or trace is None or trace.loop is not None:
        return None
    found = [model.origin.rewidened(narrow, model, one) for one in states(trace)]
    path = [one for one in found if one is not None]
    if len(path) < len(found):
        return None
    semantics = in_order(model)
    assert semantics.canonical is not None
    try:
        run = trace_of_path(path_of(semantics, [*map(semantics.canonical, path)]), trace.ends, trace.property)
        replay(Semantics(model), run)
    except InternalError:
        return None
    return replace(result, trace=run)


def widened_answers(
    model: Model, limits: Limits, ask: Callable[[Model, Limits], Answer], kept: Kept | None = None
) -> Iterator[tuple[Model, Answer]]:
    """The answers about a model, then about models with wider types, until no run leaves these.

    If the time is over before, types grow without end, or the model lacks a value that the specification has, the
    last answer has unknown in place of out of bounds.

    Args:
        model: the model.
        limits: the most that all answers may use.
        ask: answers the question about a model within what is left of the limits.
        kept: what stays known from one answer to the next, if `ask` asks only for what it leaves.

    Raises:
        Exception: those of `ask`.
    """
    begin, rest = time.monotonic(), limits
    refuted: dict[str, int] = {}
    while True:
        answer = _remembered(answer_with_known(ask, model, rest, kept), refuted)
        yield model, answer
        over = False
        try:
            with within(limits.since(begin).seconds):
                wider = _wider(model, answer)
        except TimeIsOver:
            wider, over = model, True
        except Endless as endless:
            stop = Stop(Cause.TYPES, str(endless))
            yield model, unfinished(model, answer, stop)
            return
        outside = any(one.verdict is Verdict.OUT_OF_BOUNDS for one in answer.results)
        if wider is None and kept is not None and kept.ends and outside:
            wider, kept.whole = model, True
        if wider is None:
            lack = _lack(model, answer)
            if lack is not None:
                yield model, unfinished(model, answer, Stop(Cause.NO_FORM, lack))
            return
        left = limits.after(time.monotonic() - begin)
        if left is None or over:
            stop = time_stop(limits)
            told = f"{stop.text}, when a run had left the types learned so far"
            yield model, _remembered(unfinished(model, answer, replace(stop, text=told)), refuted)
            return
        if kept is not None:
            kept.note(model, wider, answer)
        model, rest = wider, left


def answer_with_known(
    ask: Callable[[Model, Limits], Answer], model: Model, limits: Limits, kept: Kept | None
) -> Answer:
    """The answer about one model, with what is known apart from it, also if Ctrl-C ends the search."""
    if kept is None:
        return ask(model, limits)
    try:
        return kept.with_known(ask(model, limits))
    except Interrupted as interrupted:
        raise Interrupted(kept.with_known(interrupted.answer), interrupted.message) from None


def _wider(model: Model, answer: Answer) -> Model | None:
    """The model with wider types, if it is made of a specification that a run has left the types of."""
    if model.origin is None:
        return None
    for trace in answer.runs:
        # An error of the specification is one however wide the types are.
        if trace.ends is TraceEnd.OUT_OF_BOUNDS and own_error(model, trace) is None:
            wider = model.origin.widened(model, list(states(trace)), answer.leaving)
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
    for trace in answer.runs:
        outside = trace.ends is TraceEnd.OUT_OF_BOUNDS and trace.property not in about_runs
        if outside and own_error(model, trace) is None:
            return f"{ALONE}{end_reason(Semantics(model), trace)}"
    return None


def told_by_values(model: Model, result: Result) -> Result:
    """A result with its run as `by_values` tells it."""
    return replace(result, trace=None if result.trace is None else by_values(model, result.trace))


def by_values(model: Model, run: Trace) -> Trace:
    """A run of a model as the specification takes it that the model was made of, with the error of that."""
    assert model.origin is not None
    taken: Trace = model.origin.retaken(model, run)
    return replace(taken, why=own_error(model, run))


def unfinished(model: Model, answer: Answer, stop: Stop) -> Answer:
    """An answer without the verdicts that only narrow types have led to: unknown, because of `stop`."""

    def without_verdict(one: Result) -> Result:
        if one.verdict is not Verdict.OUT_OF_BOUNDS or (
            one.trace is not None and own_error(model, one.trace)
        ):
            return one
        nothing = replace(one, verdict=Verdict.UNKNOWN, trace=None, steps=None, depth=_refuted(one))
        return replace(nothing, reason=stop.text, cause=stop.cause)

    beyond = answer.out_of_bounds
    if beyond is not None and not own_error(model, beyond):
        beyond = None
    return replace(answer, results=[without_verdict(one) for one in answer.results], out_of_bounds=beyond)


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
