"""A trace as text: the initial state in full, then of each step its action and only what changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from leadline.symbolic.concrete import State
from leadline.symbolic.lang import Model, PropertyKind
from leadline.symbolic.trace.changes import in_full, state_changes
from leadline.symbolic.trace.trace import Step, Trace, TraceEnd, call_of, in_steps, title


class LineKind(StrEnum):
    """What a line says, so that a terminal can set it apart."""

    HEAD = "head"
    STEP = "step"
    PART = "part"
    END = "end"


@dataclass(frozen=True)
class Line:
    """One line of the text, its indentation included."""

    kind: LineKind
    text: str

    def __str__(self) -> str:
        return self.text


def lines(model: Model, trace: Trace, reason: str | None = None) -> Iterator[Line]:
    """The text of a trace, line by line.

    Args:
        model: the model it is a run of.
        trace: the run.
        reason: why its end is out of bounds, as `end_reason` says.
    """
    yield Line(LineKind.HEAD, headline(model, trace))
    before: State | None = None
    for number, stage in enumerate(trace.stages):
        yield Line(LineKind.STEP, f"{number:>3}  {call_of(model, stage)}")
        yield from (Line(LineKind.PART, f"       {text}") for text in parts(model, before, stage))
        before = stage.state
    yield Line(LineKind.END, f"     {ending(model, trace, reason)}")


def headline(model: Model, trace: Trace) -> str:
    """What the trace shows, on one line."""
    return f"{title(model)}: {_finding(trace)}"


def _finding(trace: Trace) -> str:
    if trace.ends is TraceEnd.DEADLOCK:
        return f"deadlock {after(trace.length)}"
    if trace.ends is TraceEnd.OUT_OF_BOUNDS and trace.last is not None:
        return f"{trace.property} out of bounds {in_steps(trace.length)}"
    if trace.ends is TraceEnd.OUT_OF_BOUNDS:
        return f"out of bounds {in_steps(trace.length)}"
    return f"{trace.property} violated {in_steps(trace.length)}"


def after(length: int) -> str:
    """`after 3 steps`, or where there is none, `in the initial state`."""
    return in_steps(length).replace("in ", "after ", 1) if length else in_steps(0)


def parts(model: Model, before: State | None, stage: Step) -> list[str]:
    """The lines below a step: what it changes, or without a state before it all of its state."""
    if stage.state is None:
        return []
    if before is None:
        pairs = zip(model.variables, stage.state, strict=True)
        return [text for variable, value in pairs for text in in_full(variable.type, variable.tla, value)]
    return state_changes(model, before, stage.state) or ["(nothing changes)"]


def ending(model: Model, trace: Trace, reason: str | None) -> str:
    """What is wrong at the end of a trace, as a sentence; `reason` is why it is out of bounds."""
    why = f": {reason}" if reason else ""
    if trace.ends is TraceEnd.DEADLOCK:
        return "Deadlock: no action is enabled."
    if trace.ends is TraceEnd.OUT_OF_BOUNDS and trace.last is None:
        which = f"Step {trace.length}" if trace.steps else "The initial state"
        return f"{which} goes out of bounds{why}."
    if trace.ends is TraceEnd.OUT_OF_BOUNDS:
        return f"The evaluation of {trace.property} goes out of bounds{why}."
    claim = model.properties[trace.property or ""]
    expected = " It is a probe: this was expected." if claim.kind is PropertyKind.PROBE else ""
    return f"{claim.tla} is false.{expected}"
