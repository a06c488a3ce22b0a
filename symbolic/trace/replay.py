"""Traces run by the concrete meaning: replay, which checks every step of a trace, and shortening."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from leadline.symbolic.concrete import MissingPick, Runs, Semantics, State, neglected
from leadline.symbolic.lang import InternalError, Model, OutOfBounds, Span, UserError, expanded, expressions
from leadline.symbolic.meaning import Outcome, is_refuted, satisfies
from leadline.symbolic.trace.document import Stored
from leadline.symbolic.trace.fair import word_of
from leadline.symbolic.trace.trace import Cti, Step, Trace, TraceEnd, action_named, call_of, states


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
    """The first step at which a trace departs from the model, with the reason; None if it is a run of it."""
    model = semantics.model
    before: State | None = None
    for number, stage in enumerate(trace.stages):
        at_end = number == trace.length
        wrong = wrong_step(semantics, before, stage, at_end)
        if wrong is not None:
            place = f"step {number} ({stage.action})" if number else "the initial state"
            return f"{place}: {wrong}"
        before = stage.state
    wrong = wrong_loop(semantics, trace) if trace.loop is not None else None
    wrong = wrong or wrong_end(semantics, trace, trace.last)
    if wrong is not None:
        return f"the end, after step {trace.length} of {model.protocol}: {wrong}"
    if model.origin is None:
        return None
    claim = trace.property if trace.ends is TraceEnd.VIOLATES else None
    return model.origin.disagreement(model, list(states(trace)), claim, trace.loop)


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
            place = _first_refuting(semantics, name, states(trace))
            if place is not None:
                ends = TraceEnd.VIOLATES
                run = replace(trace, steps=trace.steps[:place], ends=ends, property=name, loop=None, why=None)
                replay(semantics, run)
                yield run


def _first_refuting(semantics: Semantics, name: str, visited: Iterable[State]) -> int | None:
    """The place of the first state in which a property is false; None if there is none before it has no value."""
    try:
        return next((place for place, state in enumerate(visited) if not semantics.holds(name, state)), None)
    except OutOfBounds:
        return None


def wrong_step(semantics: Semantics, before: State | None, stage: Step, at_end: bool) -> str | None:
    """The reason why the model does not take this step from the state before it; None if it does."""
    model = semantics.model
    wrong = _wrong_picks(model, stage)
    if wrong is not None:
        return wrong
    try:
        outcome = semantics.outcome(before, stage.action, stage.picks)
    except InternalError as error:  # a pick is missing
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
            return f"the pick {pick.name} is not a value of its type: {picks[pick.name]!r}"
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


def wrong_end(semantics: Semantics, trace: Trace, last: State | None) -> str | None:
    """The reason why a trace that ends in this state does not end as claimed; None if it does.

    Args:
        last: the state; None if the last step goes out of bounds.
    """
    out_of_bounds = trace.ends is TraceEnd.OUT_OF_BOUNDS
    if last is None:
        return (
            None if out_of_bounds else f"the last step goes out of bounds, and the trace says `{trace.ends}`"
        )
    if trace.ends is TraceEnd.DEADLOCK:
        if not _is_within(semantics, last):
            return "the last state is beyond a constraint: this is not a deadlock"
        enabled = next(iter(semantics.successors(last)), None)
        return None if enabled is None else f"{enabled.action} is enabled: this is not a deadlock"
    if trace.ends is TraceEnd.STOPS:
        return None
    name = trace.property
    if name is None or name not in semantics.model.properties:
        return f"there is no property {name}" if name else "the trace names no property"
    try:
        holds = _holds(semantics, trace, name, last)
    except OutOfBounds as error:
        return None if out_of_bounds else f"the evaluation of {name} goes out of bounds ({error})"
    if out_of_bounds:
        return f"{name} evaluates within bounds"
    return f"{name} holds" if holds else None


def _holds(semantics: Semantics, trace: Trace, name: str, last: State) -> bool:
    """Whether a property holds in the last state or, if it is about runs, may hold of a run that goes on so."""
    formula = semantics.model.properties[name].temporal
    if formula is None:
        return semantics.holds(name, last)
    runs, visited = Runs(semantics, semantics.model.properties[name]), list(states(trace))
    if trace.loop is not None:
        return satisfies(runs, formula, word_of(trace))
    if trace.ends is TraceEnd.OUT_OF_BOUNDS:
        # Every expression of the formula is evaluated in some state of a run, or of some step.
        for node in expressions(expanded(formula)):
            runs.evaluate(node, visited)
    return not is_refuted(runs, formula, visited)


def _is_within(semantics: Semantics, state: State) -> bool:
    """Whether a state is within the constraints."""
    try:
        return semantics.constraint is None or semantics.constraint(state, {})
    except OutOfBounds:
        return False


def wrong_loop(semantics: Semantics, trace: Trace) -> str | None:
    """The reason why a run does not go on for ever as it says, or is not fair; None if it does and is."""
    visited = list(states(trace))
    if trace.loop is None or trace.loop not in range(len(visited)) or len(visited) <= trace.length:
        return f"there is no state {trace.loop} to go back to"
    if visited[trace.loop] != visited[-1]:
        return f"the last state is not the one after step {trace.loop}"
    if trace.stutters and not _is_within(semantics, visited[-1]):
        return "the last state is beyond a constraint"
    runs, word = Runs(semantics), word_of(trace)
    for fair in semantics.model.fairness:
        keys = neglected(runs, fair, word)
        if keys is not None:
            at = ", ".join(kind.tla(key) for kind, key in zip(fair.types, keys, strict=True))
            kind = "strong" if fair.strong else "weak"
            return f"{kind} fairness of {fair.name}{f' at {at}' if at else ''} is violated"
    return None


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
        _holds(semantics, trace, trace.property or "", last)
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
    if not cti.conjuncts:
        wrong = wrong_step(semantics, None, begin, at_end=not steps)
        if wrong is not None:
            return f"the initial state: {wrong}"
    elif begin.state is None:
        return "there is no first state"
    else:
        for name in cti.conjuncts:
            wrong = _not_satisfied(semantics, name, begin.state)
            if wrong is not None:
                return f"the first state: {wrong}"
    for step in steps:
        wrong = wrong_step(semantics, begin.state, step, at_end=True)
        if wrong is not None:
            return f"the step: {wrong}"
    wrong = wrong_end(semantics, cti.fragment, cti.fragment.last)
    return f"the end: {wrong}" if wrong is not None else None


def _not_satisfied(semantics: Semantics, name: str, state: State) -> str | None:
    try:
        return None if semantics.holds(name, state) else f"{name} is false"
    except OutOfBounds as error:
        return f"the evaluation of {name} goes out of bounds ({error})"


# -- shorter traces --------------------------------------------------------------------------------------

TRIES = 50_000
"""The most steps that the breadth-first search tries: some tenths of a second."""


DROPS = 100_000
"""The most steps that are taken while some are dropped: about a second."""


def shortening(semantics: Semantics, trace: Trace) -> tuple[Trace, bool]:
    """A trace with the same kind of end, without the steps that it does not need.

    First the steps between two visits of a state are dropped. Then steps are dropped while the rest still leads to
    the error, halves first (A. Zeller, R. Hildebrandt: Simplifying and isolating failure-inducing input, TSE 28,
    2002). The rest is 1-minimal: no single step can be dropped. It need not be the shortest, so a short
    breadth-first search follows that takes the same steps in any order.

    Args:
        semantics: the concrete meaning of the model.
        trace: a run of the model.

    Returns:
        The trace, and whether the end was reached: of a very long run only part is tried.
    """
    if trace.initial is None:
        return trace, True
    work = _Dropping(semantics, trace)
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
    return _reordered(semantics, best) or best, work.left > 0


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

    def __init__(self, semantics: Semantics, trace: Trace) -> None:
        self.left = DROPS
        self._semantics, self._trace = semantics, trace

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
        if not start and _ends(self._semantics, self._trace, state):
            return ()
        for place in range(start + size, len(steps)):
            if state is None:
                return None
            if size and state == steps[place - 1].state:
                return (*taken, *steps[place:])
            self.left -= 1
            outcome = _outcome(self._semantics, state, steps[place])
            if outcome is None:
                return None
            state = outcome.state
            taken.append(Step(steps[place].action, steps[place].picks, state))
            if _ends(self._semantics, self._trace, state):
                return tuple(taken)
        return None


def _reordered(semantics: Semantics, trace: Trace) -> Trace | None:
    """A shorter run of the same actions and picks, each any number of times; None if none is found."""
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
                outcome = _outcome(semantics, state, call)
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


def _outcome(semantics: Semantics, state: State, call: Step) -> Outcome | None:
    """The outcome of a step's action and picks in another state; None if it is not enabled there.

    A step that goes out of bounds has only the picks made before; elsewhere they may be too few.
    """
    try:
        return semantics.outcome(state, call.action, call.picks)
    except MissingPick:
        return None


def _ends(semantics: Semantics, trace: Trace, state: State | None) -> bool:
    """Whether a run to this state, None if out of bounds, ends as the trace ends."""
    return (state is not None or trace.last is None) and wrong_end(semantics, trace, state) is None
