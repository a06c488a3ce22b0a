"""Replay: a trace is believed only once the concrete meaning has taken every step of it."""

from __future__ import annotations

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import InternalError, Model, OutOfBounds
from leadline.symbolic.trace.trace import Step, Trace, TraceEnd, action_named, call_of


def replay(semantics: Semantics, trace: Trace) -> None:
    """Take every step of a trace and look at its end.

    Raises:
        InternalError: if the model does not do what the trace says, or its end is not what the trace claims.
    """
    wrong = disagreement(semantics, trace)
    if wrong is not None:
        raise InternalError(f"a counterexample of {semantics.model.protocol} does not replay: {wrong}")


def disagreement(semantics: Semantics, trace: Trace) -> str | None:
    """Where and how a trace departs from what the model does, or None if it is a run of the model."""
    model = semantics.model
    before: State | None = None
    for number, stage in enumerate(trace.stages):
        at_end = number == trace.length
        wrong = wrong_step(semantics, before, stage, at_end)
        if wrong is not None:
            place = f"step {number} ({stage.action})" if number else "the initial state"
            return f"{place}: {wrong}"
        before = stage.state
    wrong = wrong_end(semantics, trace)
    return f"the end, after step {trace.length} of {model.protocol}: {wrong}" if wrong else None


def wrong_step(semantics: Semantics, before: State | None, stage: Step, at_end: bool) -> str | None:
    """How a step departs from what the model does in the state before it; None if it does not."""
    model = semantics.model
    wrong = _wrong_picks(model, stage)
    if wrong is not None:
        return wrong
    try:
        outcome = semantics.outcome(before, stage.action, stage.picks)
    except InternalError as error:  # the step goes on beyond the picks that it has
        return str(error)
    if outcome is None:
        return f"{call_of(model, stage)} is not enabled"
    if outcome.state is None and stage.state is not None:
        return f"{call_of(model, stage)} goes out of bounds ({outcome.why})"
    if stage.state is None:
        if outcome.state is not None:
            return f"{call_of(model, stage)} stays within bounds"
        return None if at_end else "the trace goes on after a step that goes out of bounds"
    return _difference(model, outcome.state, stage.state)


def _wrong_picks(model: Model, stage: Step) -> str | None:
    name, picks = stage.action, stage.picks
    if name != "init" and name not in {action.name for action in model.actions}:
        return f"there is no action {name}"
    action = action_named(model, name)
    made = tuple(pick for pick in action.picks if pick.name in picks)
    # A step may go out of bounds before it has made all its picks.
    needed = action.picks if stage.state is not None else action.picks[: len(made)]
    if made != needed or len(made) != len(picks):
        wanted = ", ".join(pick.name for pick in action.picks) or "nothing"
        return f"{name} picks {wanted}, and the trace {', '.join(picks) or 'nothing'}"
    for pick in made:
        if not pick.type.contains(picks[pick.name]):
            return f"the pick {pick.name} is no value of its type: {picks[pick.name]!r}"
    return None


def _difference(model: Model, done: State | None, told: State) -> str | None:
    if done == told:
        return None
    if done is None or len(done) != len(told):
        return f"the state has {len(told)} values, and the model {len(model.variables)} variables"
    for variable, one, other in zip(model.variables, done, told, strict=True):
        if one != other:
            shown = variable.type.tla(other) if variable.type.contains(other) else repr(other)
            return f"{variable.tla} becomes {variable.type.tla(one)}, and the trace says {shown}"
    return None


def wrong_end(semantics: Semantics, trace: Trace) -> str | None:
    """Why the end of a trace is not what it claims to be; None if it is."""
    last = trace.last
    if last is None:
        if trace.ends is TraceEnd.OUT_OF_BOUNDS:
            return None
        return f"the last step goes out of bounds, and the trace says `{trace.ends}`"
    if trace.ends is TraceEnd.DEADLOCK:
        enabled = next(iter(semantics.successors(last)), None)
        return None if enabled is None else f"{enabled.action} is enabled: this is no deadlock"
    return _wrong_claim(semantics, trace, last)


def _wrong_claim(semantics: Semantics, trace: Trace, last: State) -> str | None:
    name = trace.property
    if name is None or name not in semantics.model.properties:
        return f"there is no property {name}" if name else "the trace names no property"
    try:
        holds = semantics.holds(name, last)
    except OutOfBounds as error:
        if trace.ends is TraceEnd.OUT_OF_BOUNDS:
            return None
        return f"the evaluation of {name} goes out of bounds ({error})"
    if trace.ends is TraceEnd.OUT_OF_BOUNDS:
        return f"{name} evaluates within bounds"
    return f"{name} holds" if holds else None


def end_reason(semantics: Semantics, trace: Trace) -> str | None:
    """Why the end of a trace is out of bounds, in the words of the concrete meaning; None for other ends."""
    if trace.ends is not TraceEnd.OUT_OF_BOUNDS:
        return None
    last = trace.last
    if last is None:
        before = trace.stages[-2].state if trace.steps else None
        stage = trace.stages[-1]
        outcome = semantics.outcome(before, stage.action, stage.picks)
        return outcome.why if outcome is not None else None
    try:
        semantics.holds(trace.property or "", last)
    except OutOfBounds as error:
        return str(error)
    return None
