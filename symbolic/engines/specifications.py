"""Exploration of TLA+ specifications: breadth-first search over the states of their interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from leadline.symbolic.concrete import Exploration, Explorer, Level, Outcome, Path, Semantics
from leadline.symbolic.engines.engine import Interrupted
from leadline.symbolic.engines.explore import ExploreOptions, facts_of
from leadline.symbolic.engines.limits import Limits, TimeIsOver, limited, stop_reason
from leadline.symbolic.engines.result import Answer, Result, Verdict
from leadline.symbolic.tla.behaviour import Behaviour
from leadline.symbolic.trace import DEADLOCK, Trace, TraceEnd, trace_of_path

RUNS = "it speaks of whole runs, which are not looked at here"


def explore_specification(
    behaviour: Behaviour,
    options: ExploreOptions,
    limits: Limits,
    progress: Callable[[Level], None],
    *,
    deadlock: bool,
) -> Answer:
    """Explore a specification breadth-first.

    The states of traces are the interpreter's, and their actions are found by a second translation of the steps.

    Args:
        behaviour: its states and steps.
        options: the bounds.
        limits: the limits on time and memory.
        progress: called after each level.
        deadlock: whether a state without a step is an error.

    Raises:
        Interrupted: on Ctrl-C, with the answer so far.
        ModelError: if there is no initial state.
    """
    specification = behaviour.specification
    names = (*specification.invariants, *specification.properties)
    semantics = cast(Semantics, behaviour)  # it has all that breadth-first search asks for
    explorer = Explorer(semantics, names, options.depth, progress, options.max_states)
    stopped, interrupted = None, False
    try:
        with limited(limits):
            explorer.run()
    except KeyboardInterrupt:
        stopped, interrupted = "interrupted", True
    except (TimeIsOver, MemoryError) as error:
        stopped = stop_reason(error, limits)
    found = explorer.summary(stopped)
    judge = _Judge(behaviour, explorer, found)
    results = [judge.property(name) for name in names]
    if deadlock:
        results.append(judge.result(DEADLOCK, found.deadlock, TraceEnd.DEADLOCK))
    answer = Answer(results, facts_of(found), judge.beyond)
    if interrupted:
        raise Interrupted(answer)
    return answer


class _Judge:
    """The verdicts about an exploration."""

    def __init__(self, behaviour: Behaviour, explorer: Explorer, found: Exploration) -> None:
        self.behaviour = behaviour
        self.explorer = explorer
        self.found = found
        self.beyond = _trace(found.out_of_bounds, TraceEnd.OUT_OF_BOUNDS, None)
        self.why = found.out_of_bounds[-1].why if found.out_of_bounds is not None else None

    def property(self, name: str) -> Result:
        """The verdict about an invariant, or about a property of states and steps."""
        checked = self.found.properties[name]
        violation, step = checked.violation, self._broken(name)
        if step is not None and (violation is None or len(step) < len(violation)):
            violation = step
        if violation is None and checked.out_of_bounds is not None:
            return self.result(name, checked.out_of_bounds, TraceEnd.OUT_OF_BOUNDS, checked.why)
        result = self.result(name, violation, TraceEnd.VIOLATES)
        specification = self.behaviour.specification
        runs = name in specification.properties and self.behaviour.safety(name).rest is not None
        if runs and result.verdict is Verdict.SAFE:
            return Result(name, result.engine, Verdict.UNKNOWN, depth=result.depth, reason=RUNS)
        return result

    def result(self, name: str, path: Path | None, ends: TraceEnd, why: str | None = None) -> Result:
        """The verdict with this path to an error; without one it is that of the steps."""
        verdict = Verdict.SAFE if self.found.stopped is None else Verdict.UNKNOWN
        trace = _trace(path, ends, name)
        if trace is not None:
            verdict = Verdict.OUT_OF_BOUNDS if ends is TraceEnd.OUT_OF_BOUNDS else Verdict.VIOLATED
        elif self.beyond is not None:
            verdict, trace, why = Verdict.OUT_OF_BOUNDS, self.beyond, self.why
        return Result(
            property=name,
            engine=ExploreOptions.engine,
            verdict=verdict,
            depth=self.found.diameter,
            steps=None if trace is None else trace.length,
            trace=trace,
            reason=why,
        )

    def _broken(self, name: str) -> Path | None:
        """A path to a step of which a property is false."""
        if name not in self.behaviour.broken:
            return None
        before, after = self.behaviour.broken[name]
        path: Path = ()
        if before is not None:
            path = self.explorer.path(self.explorer.order.index(before))
        outcomes = self.behaviour.initial() if before is None else self.behaviour.successors(before)
        last = next(one for one in outcomes if one.state == after)
        return (*path, cast(Outcome, last))  # it has the same attributes


def _trace(path: Path | None, ends: TraceEnd, name: str | None) -> Trace | None:
    return None if path is None else trace_of_path(path, ends, name)
