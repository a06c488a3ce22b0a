"""Runs of a model, taken again: a step is found by its action and picks."""

from __future__ import annotations

from leadline.symbolic.concrete.runs import Runs, neglected
from leadline.symbolic.concrete.semantics import Semantics, State
from leadline.symbolic.lang import InternalError, Model, expanded, expressions
from leadline.symbolic.meaning import Step, is_refuted, satisfies
from leadline.symbolic.meaning.replay import Departs, Replayer
from leadline.symbolic.meaning.trace import Trace, TraceEnd, action_named, call_of, states, word_of


class ModelReplayer(Replayer):
    """A model's replay, by its concrete meaning."""

    meaning: Semantics

    def taken(self, before: State | None, step: Step) -> Step:
        model = self.meaning.model
        wrong = _wrong_picks(model, step)
        if wrong is not None:
            raise Departs(wrong)
        try:
            outcome = self.meaning.outcome(before, step.action, step.picks)
        except InternalError as error:  # a pick is missing
            raise Departs(str(error)) from error
        if outcome is None:
            raise Departs(f"{call_of(model, step)} is not enabled")
        if step.state == outcome.state:
            return outcome
        if outcome.state is None:
            raise Departs(f"{call_of(model, step)} goes out of bounds ({outcome.why})")
        if step.state is None:
            raise Departs(f"{call_of(model, step)} stays within bounds")
        raise Departs(_difference(model, outcome.state, step.state))

    def satisfied(self, run: Trace, last: State) -> bool:
        claim = self.meaning.model.properties.get(run.property or "")
        if claim is None:
            raise Departs(f"there is no property {run.property}")
        formula = claim.temporal
        if formula is None:
            return self.meaning.holds(claim.name, last)
        runs, visited = Runs(self.meaning, claim), list(states(run))
        if run.loop is not None:
            return satisfies(runs, formula, word_of(run))
        if run.ends is TraceEnd.OUT_OF_BOUNDS:
            # Every expression of the formula is evaluated in some state of a run, or of some step.
            for node in expressions(expanded(formula)):
                runs.evaluate(node, visited)
        return not is_refuted(runs, formula, visited)

    def unfair(self, run: Trace) -> str | None:
        runs, word = Runs(self.meaning), word_of(run)
        for fair in self.meaning.model.fairness:
            keys = neglected(runs, fair, word)
            if keys is not None:
                at = ", ".join(kind.tla(key) for kind, key in zip(fair.types, keys, strict=True))
                kind = "strong" if fair.strong else "weak"
                return f"{kind} fairness of {fair.name}{f' at {at}' if at else ''} is violated"
        return None


def _wrong_picks(model: Model, step: Step) -> str | None:
    name, picks = step.action, step.picks
    if name != "init" and name not in {action.name for action in model.actions}:
        return f"there is no action {name}"
    action = action_named(model, name)
    made = tuple(pick for pick in action.picks if pick.name in picks)
    # A step may go out of bounds before it has made all its picks.
    needed = action.picks if step.state is not None else action.picks[: len(made)]
    if made != needed or len(made) != len(picks):
        wanted = ", ".join(pick.name for pick in action.picks) or "nothing"
        return f"{name} picks {wanted}, and the trace {', '.join(picks) or 'nothing'}"
    for pick in made:
        if not pick.type.contains(picks[pick.name]):
            return f"the pick {pick.name} is not a value of its type: {picks[pick.name]!r}"
    return None


def _difference(model: Model, done: State, told: State) -> str:
    """The first variable of two unequal states that differs, in words."""
    if len(done) != len(told):
        return f"the state has {len(told)} values, and the model {len(model.variables)} variables"
    triples = zip(model.variables, done, told, strict=True)
    variable, one, other = next(x for x in triples if x[1] != x[2])
    shown = variable.type.tla(other) if variable.type.contains(other) else repr(other)
    return f"{variable.tla} becomes {variable.type.tla(one)}, and the trace says {shown}"
