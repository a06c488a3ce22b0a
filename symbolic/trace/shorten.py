"""Shorter counterexamples: drop steps for as long as the rest still leads to something wrong, then reorder.

A. Zeller, R. Hildebrandt: Simplifying and isolating failure-inducing input, TSE 28, 2002. What is left is
1-minimal: no single step can be dropped. It need not be the shortest there is, so a short breadth-first
search follows that takes the same steps in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import OutOfBounds
from leadline.symbolic.trace.trace import Step, Trace, TraceEnd

TRIES = 50_000
"""Steps that the breadth-first search tries at most: it takes some tenths of a second."""


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
    return _reordered(semantics, best) or best


def _reordered(semantics: Semantics, trace: Trace) -> Trace | None:
    """A shorter run of the same actions and picks, each as often as it likes; None if none is found."""
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
            if tries > TRIES:
                return None
            for call in calls:
                outcome = semantics.outcome(state, call.action, call.picks)
                if outcome is None or outcome.state in reached:
                    continue
                steps = (*reached[state], Step(call.action, call.picks, outcome.state))
                if _ends(semantics, trace, outcome.state):
                    return replace(trace, steps=steps)
                if outcome.state is not None:
                    reached[outcome.state] = steps
                    after.append(outcome.state)
        layer = after
    return None


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
        if _ends(semantics, trace, state):
            return replace(trace, steps=tuple(taken))
        if state is None:
            return None
    return None


def _ends(semantics: Semantics, trace: Trace, state: State | None) -> bool:
    """Whether a step to a state, or to None out of bounds, ends a run as the trace ends."""
    if state is None:
        return trace.ends is TraceEnd.OUT_OF_BOUNDS and trace.last is None
    return _bad(semantics, trace, state)


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
