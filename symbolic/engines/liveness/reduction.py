"""Claims about runs, answered by engines that know invariants only: the claim becomes one, in another model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from leadline.symbolic.concrete import Runs, Semantics
from leadline.symbolic.engines.engine import Engine, NewSolver
from leadline.symbolic.engines.limits import Limits
from leadline.symbolic.engines.liveness.changing import Changing
from leadline.symbolic.engines.liveness.formulas import normal, split
from leadline.symbolic.engines.liveness.history import bounds_model, history_model
from leadline.symbolic.engines.liveness.loops import SAVE, loop_model
from leadline.symbolic.engines.liveness.product import STUTTER, product_of
from leadline.symbolic.engines.query import Listener, Query
from leadline.symbolic.engines.result import Answer, Result, Verdict
from leadline.symbolic.lang import Model, OutOfBounds, Property
from leadline.symbolic.lang.temporal import Temporal, expanded, expressions, is_step
from leadline.symbolic.trace import Step, Trace, TraceEnd, disagreement, end_reason, replay
from leadline.symbolic.trace.trace import action_named

Ask: TypeAlias = Callable[[Model, str], Result]
"""Has an engine answer about the one property of a model, which is named."""


def answered(
    engine: Engine, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
) -> Answer:
    """Have an engine answer a query, its claims about runs reduced to invariants one by one.

    The arguments are those of `Engine.answer`.
    """
    claims = query.chosen(model)
    runs = [one for one in claims if one.temporal is not None]
    if not runs or engine.knows_runs:
        return engine.answer(model, query, new_solver, limits, listener)
    names = tuple(one.name for one in claims if one.temporal is None)
    first = Answer(())
    if names or query.deadlock:
        first = engine.answer(model, replace(query, properties=names), new_solver, limits, listener)

    def ask(other: Model, name: str) -> Result:
        asked = replace(query, properties=(name,), deadlock=False)
        # Results about other models are not for the listener; progress is.
        only = Listener(listener.progress)
        return engine.answer(other, asked, new_solver, limits, only).results[0]

    found = {one.property: one for one in first.results}
    for one in runs:
        found[one.name] = _Claim(model, one).judged(ask)
        listener.done(found[one.name])
    return replace(first, results=[found[name] for name in query.names(model)])


class _Claim:
    """A claim about runs of a model."""

    def __init__(self, model: Model, claim: Property) -> None:
        assert claim.temporal is not None
        self.model = model
        self.name = claim.name
        self.formula: Temporal = claim.temporal
        self.semantics = Semantics(model)

    def judged(self, ask: Ask) -> Result:
        """The answer of an engine.

        Args:
            ask: has the engine answer about the one property of another model.
        """
        safety, rest = split(self.formula)
        if rest is None:
            return self._asked(ask, history_model(self.model, self.name, safety))
        found = [] if safety.empty else [self._asked(ask, history_model(self.model, self.name, safety))]
        if not any(one.verdict is Verdict.VIOLATED for one in found):
            product = product_of(self.model, normal(rest, negated=True), Changing(self.model))
            found.append(self._asked(ask, loop_model(product, self.name)))
        if not any(one.verdict >= Verdict.OUT_OF_BOUNDS for one in found):
            nodes = expressions(expanded(self.formula))
            states, steps = [x for x in nodes if not is_step(x)], [x for x in nodes if is_step(x)]
            found.append(self._asked(ask, bounds_model(self.model, self.name, states, steps)))
        worst = max(found, key=lambda one: one.verdict)
        effort = found[0].effort
        for one in found[1:]:
            effort = effort.plus(one.effort)
        return replace(worst, effort=effort, depth=min(one.depth for one in found))

    def _asked(self, ask: Ask, other: Model) -> Result:
        """The result about another model, as one about the claim."""
        result = ask(other, self.name)
        if result.trace is None:
            # The certificate is about the other model.
            return replace(result, certificate=None)
        trace = self._restored(result.trace)
        verdict = Verdict.VIOLATED if trace.ends is TraceEnd.VIOLATES else Verdict.OUT_OF_BOUNDS
        reason = end_reason(self.semantics, trace)
        return replace(result, verdict=verdict, trace=trace, steps=trace.length, reason=reason)

    # -- counterexamples ------------------------------------------------------------------------------

    def _restored(self, trace: Trace) -> Trace:
        """A counterexample of another model as one of the model itself, replayed."""
        steps: list[Step] = []
        saved: int | None = None
        for step in trace.steps:
            if step.action == SAVE:
                saved = len(steps)
            elif step.action != STUTTER:
                steps.append(self._own(step))
        begun = self._own(Step("init", trace.initial_picks, trace.initial))
        plain = Trace(begun.picks, begun.state, tuple(steps), TraceEnd.VIOLATES, self.name)
        if trace.ends is TraceEnd.VIOLATES:
            found = self._outside(plain) or self._going_on(plain, saved)
        else:
            found = self._out_of_bounds(plain)
        replay(self.semantics, found)
        return found

    def _own(self, step: Step) -> Step:
        """A step without the monitor's part."""
        action = action_named(self.model, step.action)
        picks = {one.name: step.picks[one.name] for one in action.picks if one.name in step.picks}
        state = None if step.state is None else step.state[: len(self.model.variables)]
        return Step(step.action, picks, state)

    def _going_on(self, trace: Trace, saved: int | None) -> Trace:
        """The run with its loop, if the formula needs one: back to the state that was saved, or stopping."""
        places = [trace.length] if saved is None else [saved, trace.length]
        forms = [replace(trace, loop=place) for place in places]
        return next((x for x in (*forms, trace) if disagreement(self.semantics, x) is None), forms[0])

    def _out_of_bounds(self, trace: Trace) -> Trace:
        """A run out of bounds: by a step of the model from its last state, or by the evaluation of the formula."""
        if trace.last is None:
            trace = replace(trace, steps=trace.steps[:-1])
        trace = replace(trace, ends=TraceEnd.OUT_OF_BOUNDS)
        last = trace.last
        for outcome in self.semantics.initial() if last is None else self.semantics.successors(last):
            if outcome.state is None and last is None:
                return replace(trace, initial_picks=dict(outcome.picks), property=None)
            if outcome.state is None:
                step = Step(outcome.action, dict(outcome.picks), None)
                return replace(trace, steps=(*trace.steps, step), property=None)
        return trace

    def _outside(self, trace: Trace) -> Trace | None:
        """The run up to the first state or step in which the evaluation of the formula goes out of bounds."""
        runs, nodes = Runs(self.semantics), expressions(expanded(self.formula))
        for number in range(trace.length + 1):
            visited = [stage.state for stage in trace.stages[: number + 1] if stage.state is not None]
            try:
                for node in nodes:
                    runs.evaluate(node, visited[-2:])
            except OutOfBounds:
                return replace(trace, steps=trace.steps[:number], ends=TraceEnd.OUT_OF_BOUNDS)
        return None
