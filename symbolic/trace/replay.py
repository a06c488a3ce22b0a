"""Traces run by the concrete meaning: replay, which checks every step of a trace, and shortening."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from leadline.symbolic.concrete import MissingPick, Semantics, State
from leadline.symbolic.concrete.runs import ModelReplayer
from leadline.symbolic.lang import InternalError, Model, OutOfBounds, Span, UserError
from leadline.symbolic.meaning import Step
from leadline.symbolic.meaning.replay import Departs, Replayer
from leadline.symbolic.meaning.trace import Cti, Trace, TraceEnd, states
from leadline.symbolic.trace.document import Stored


def replay(semantics: Semantics, trace: Trace) -> None:
    """Take every step of a trace and check its end.

    Raises:
        InternalError: if the model cannot take a step, reaches another state, or does not end as claimed.
    """
    wrong = disagreement(semantics, trace)
    if wrong is not None:
        raise InternalError(f"a counterexample of {semantics.model.protocol} does not replay: {wrong}")


def replayed(semantics: Semantics, stored: Stored) -> Trace:
    """The trace of a file, replayed.

    Raises:
        UserError: if a value or a name in it is not the model's, or it is no run of the model.
    """
    trace = stored.trace(semantics.model)
    wrong = disagreement(semantics, trace)
    if wrong is not None:
        raise UserError(f"{stored.place} does not replay: {wrong}")
    return trace


def disagreement(semantics: Semantics, trace: Trace) -> str | None:
    """The first step at which a trace departs from the model, with the reason; None if it is a run of it.

    Of a model that was made of a specification in another language, the specification takes the run too.
    """
    wrong, model = ModelReplayer(semantics).disagreement(trace), semantics.model
    if wrong is None and model.origin is not None:
        return model.origin.disagreement(model, trace)
    return wrong


def runs_to_others(semantics: Semantics, trace: Trace, names: Iterable[str]) -> Iterator[Trace]:
    """For each property of states that is false somewhere on a run, the run to the first such state, replayed.

    Args:
        semantics: the concrete meaning of the model.
        trace: a run of the model.
        names: the properties to look at. One that has no value in a state before the first such state is left out.
    """
    known = semantics.model.properties
    for name in names:
        if name in known and known[name].temporal is None:
            place = None
            with suppress(OutOfBounds):
                false = (x for x, state in enumerate(states(trace)) if not semantics.holds(name, state))
                place = next(false, None)
            if place is not None:
                ends = TraceEnd.VIOLATES
                run = replace(trace, steps=trace.steps[:place], ends=ends, property=name, loop=None, why=None)
                replay(semantics, run)
                yield run


def end_reason(semantics: Semantics, trace: Trace) -> str | None:
    """The reason why the end of a trace is out of bounds; None for other ends.

    It is the error of the specification that the model was made of, if there is one, else the concrete meaning's.
    """
    if trace.ends is not TraceEnd.OUT_OF_BOUNDS:
        return None
    told = own_error(semantics.model, trace)
    return _end(semantics, trace)[0] if told is None else told


def end_place(semantics: Semantics, trace: Trace) -> Span | None:
    """The assignment, guard or property at which the end of a trace is out of bounds, if it is known."""
    return _end(semantics, trace)[1] if trace.ends is TraceEnd.OUT_OF_BOUNDS else None


def _end(semantics: Semantics, trace: Trace) -> tuple[str | None, Span | None]:
    """The error of the concrete meaning at the end of a trace, and its place."""
    last = trace.last
    if last is None:
        before = trace.stages[-2].state if trace.steps else None
        stage = trace.stages[-1]
        outcome = semantics.outcome(before, stage.action, stage.picks)
        return (outcome.why, outcome.place) if outcome is not None else (None, None)
    try:
        ModelReplayer(semantics).satisfied(trace, last)
    except OutOfBounds as error:
        return str(error), error.place
    return None, None


def own_error(model: Model, trace: Trace) -> str | None:
    """The error at the end of a trace of the specification that a model was made of; None if it has none there."""
    if model.origin is None or trace.ends is not TraceEnd.OUT_OF_BOUNDS:
        return None
    if trace.why is not None:
        return trace.why
    claim = trace.property if trace.last is not None else None
    return model.origin.complaint(model, list(states(trace)), claim)


# -- counterexamples to induction ----------------------------------------------------------------------


def replay_cti(semantics: Semantics, cti: Cti) -> None:
    """Take the step of a counterexample to induction and check both states.

    Raises:
        InternalError: if the first state does not satisfy all conjuncts (or should be an initial state and is
            not), if the model cannot take the step, or if the end is no error.
    """
    wrong = cti_disagreement(semantics, cti)
    if wrong is not None:
        raise InternalError(
            f"a counterexample to induction of {semantics.model.protocol} ({cti.obligation}) does not "
            f"replay: {wrong}"
        )


def cti_disagreement(semantics: Semantics, cti: Cti) -> str | None:
    """The reason why a counterexample to induction is refuted by the model; None if the model confirms it."""
    begin, *steps = cti.fragment.stages
    if len(steps) > 1:
        return f"it has {len(steps)} steps, and the most is 1"
    if begin.state is None and (cti.conjuncts or steps):
        return "there is no first state"
    for name in cti.conjuncts:
        assert begin.state is not None
        try:
            if not semantics.holds(name, begin.state):
                return f"the first state: {name} is false"
        except OutOfBounds as error:
            return f"the first state: the evaluation of {name} goes out of bounds ({error})"
    by, place = ModelReplayer(semantics), "the initial state"
    try:
        if not cti.conjuncts:
            by.taken(None, begin)
        place = "the step"
        for step in steps:
            by.taken(begin.state, step)
    except Departs as departs:
        return f"{place}: {departs}"
    wrong = by.wrong_end(cti.fragment, cti.fragment.last)
    return f"the end: {wrong}" if wrong is not None else None


# -- shorter traces --------------------------------------------------------------------------------------

DROPS = 100_000
"""The most steps that are taken while some are dropped, about a second; a search then tries half as many."""


def shortening(semantics: Semantics, trace: Trace) -> tuple[Trace, bool]:
    """A run of a model without the steps that it does not need: see `shortened`."""
    return shortened(ModelReplayer(semantics), trace, DROPS)


def shortened(by: Replayer, trace: Trace, drops: int) -> tuple[Trace, bool]:
    """A trace with the same kind of end, without the steps that it does not need.

    First the steps between two visits of a state are dropped. Then steps are dropped while the rest still leads to
    the error, halves first (A. Zeller, R. Hildebrandt: Simplifying and isolating failure-inducing input, TSE 28,
    2002). The rest is 1-minimal: no single step can be dropped. It need not be the shortest, so a short
    breadth-first search follows that takes the same steps in any order.

    Args:
        by: takes steps again.
        trace: a run.
        drops: the most steps that are taken while some are dropped.

    Returns:
        The trace, and whether the end was reached: of a very long run only part is tried.
    """
    if trace.initial is None:
        return trace, True
    work = _Dropping(by, trace, drops)
    steps = _without_cycles(trace.initial, work.run(trace.steps) or trace.steps)
    size = max(1, len(steps) // 2)
    while steps and work.left > 0:
        fewer = _without_cycles(trace.initial, work.without_some(steps, size))
        if len(fewer) < len(steps):
            steps, size = fewer, min(size, max(1, len(fewer) // 2))
        elif size == 1:
            break
        else:
            size //= 2
    best = replace(trace, steps=steps)
    return _reordered(by, best, drops // 2) or best, work.left > 0


def _without_cycles(initial: State, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps of a run without those between two visits of a state."""
    kept: dict[State | None, Step | None] = {initial: None}
    for step in steps:
        if step.state in kept:
            while next(reversed(kept)) != step.state:
                kept.popitem()
        else:
            kept[step.state] = step
    return tuple(step for step in kept.values() if step is not None)


class _Dropping:
    """Attempts to drop steps of a run.

    Attributes:
        left: how many more steps may be taken.
    """

    def __init__(self, by: Replayer, trace: Trace, drops: int) -> None:
        self.left = drops
        self._by, self._trace = by, trace

    def without_some(self, steps: tuple[Step, ...], size: int) -> tuple[Step, ...]:
        """The steps without blocks of a size, as many as can be dropped from front to back."""
        start = 0
        while start + size <= len(steps) and self.left > 0:
            fewer = self.run(steps, start, size)
            if fewer is None:
                start += max(1, size // 8)
            else:
                steps = fewer
        return steps

    def run(self, steps: tuple[Step, ...], start: int = 0, size: int = 0) -> tuple[Step, ...] | None:
        """The run without a block of steps, cut at the first error; None if there is no error."""
        state = steps[start - 1].state if start else self._trace.initial
        taken = list(steps[:start])
        if not start and _ends(self._by, self._trace, state):
            return ()
        for place in range(start + size, len(steps)):
            if state is None:
                return None
            if size and state == steps[place - 1].state:
                return (*taken, *steps[place:])
            self.left -= 1
            outcome = _outcome(self._by, state, steps[place])
            if outcome is None:
                return None
            state = outcome.state
            taken.append(outcome)
            if _ends(self._by, self._trace, state):
                return tuple(taken)
        return None


def _reordered(by: Replayer, trace: Trace, most: int) -> Trace | None:
    """A shorter run of the same actions and picks, each any number of times; None if none is found in time.

    Args:
        by: takes steps again.
        trace: the run.
        most: the most steps to try.
    """
    calls = list({(x.action, tuple(x.picks.items())): x for x in trace.steps}.values())
    if trace.initial is None or len(calls) < 2:
        return None
    reached: dict[State, tuple[Step, ...]] = {trace.initial: ()}
    layer = [trace.initial]
    tries = 0
    for _ in range(trace.length - 1):
        after: list[State] = []
        for state in layer:
            tries += len(calls)
            if tries > most:
                return None
            for call in calls:
                outcome = _outcome(by, state, call)
                if outcome is None or outcome.state in reached:
                    continue
                steps = (*reached[state], outcome)
                if _ends(by, trace, outcome.state):
                    return replace(trace, steps=steps)
                if outcome.state is not None:
                    reached[outcome.state] = steps
                    after.append(outcome.state)
        layer = after
    return None


def _outcome(by: Replayer, state: State, call: Step) -> Step | None:
    """The outcome of a step's action and picks in another state; None if it is not enabled there.

    A step that goes out of bounds has only the picks made before; elsewhere they may be too few.
    """
    try:
        return by.meaning.outcome(state, call.action, call.picks)
    except MissingPick:
        return None


def _ends(by: Replayer, trace: Trace, state: State | None) -> bool:
    """Whether a run to this state, None if out of bounds, ends as the trace ends."""
    return (state is not None or trace.last is None) and by.wrong_end(trace, state) is None
