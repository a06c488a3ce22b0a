"""Shorter counterexamples: drop steps for as long as the rest is still a run to something wrong.

A. Zeller, R. Hildebrandt: Simplifying and isolating failure-inducing input, TSE 28, 2002. What is left is
1-minimal: no single step can be dropped. It need not be the shortest there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import OutOfBounds
from leadline.symbolic.trace.trace import Step, Trace, TraceEnd


def shortened(semantics: Semantics, trace: Trace) -> Trace:
    """A trace to the same kind of end, without the steps that it does not need.

    Args:
        semantics: the concrete meaning of the model.
        trace: a run of the model.
    """
    best = _attempt(semantics, trace, trace.steps) or trace
    size = max(1, best.length // 2)
    while best.length:
        shorter = _without_some(semantics, best, size)
        if shorter is not None:
            best, size = shorter, min(size, max(1, shorter.length // 2))
        elif size == 1:
            break
        else:
            size //= 2
    return best


def _without_some(semantics: Semantics, trace: Trace, size: int) -> Trace | None:
    for start in range(trace.length - size + 1):
        rest = (*trace.steps[:start], *trace.steps[start + size :])
        found = _attempt(semantics, trace, rest)
        if found is not None:
            return found
    return None


def _attempt(semantics: Semantics, trace: Trace, calls: Sequence[Step]) -> Trace | None:
    """The run that takes these actions and picks, cut where it first goes wrong; None if it never does."""
    state = trace.initial
    if state is None:
        return trace
    if _bad(semantics, trace, state):
        return replace(trace, steps=())
    taken: list[Step] = []
    for call in calls:
        outcome = semantics.outcome(state, call.action, call.picks)
        if outcome is None:
            return None
        state = outcome.state
        taken.append(Step(call.action, call.picks, state))
        if state is None:
            at_step = trace.ends is TraceEnd.OUT_OF_BOUNDS and trace.last is None
            return replace(trace, steps=tuple(taken)) if at_step else None
        if _bad(semantics, trace, state):
            return replace(trace, steps=tuple(taken))
    return None


def _bad(semantics: Semantics, trace: Trace, state: State) -> bool:
    """Whether a state is what the trace's end is said to be."""
    if trace.ends is TraceEnd.DEADLOCK:
        return next(iter(semantics.successors(state)), None) is None
    if trace.property is None:
        return False
    try:
        holds = semantics.holds(trace.property, state)
    except OutOfBounds:
        return trace.ends is TraceEnd.OUT_OF_BOUNDS
    return not holds and trace.ends is TraceEnd.VIOLATES
