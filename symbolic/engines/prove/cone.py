"""The cone of influence of a property: the part of a model that decides whether it holds.

Only models of specifications in another language have parts, since their bounds are nobody's claim: where a
variable grows without end that the property does not depend on, no types would ever hold its values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import (
    ERRORS,
    GUARDS,
    Action,
    InternalError,
    Model,
    Origin,
    Pick,
    Property,
    is_total_beyond,
    nodes as n,
)
from leadline.symbolic.lang.nodes import postorder
from leadline.symbolic.lang.rules import connective
from leadline.symbolic.trace import Step, Trace, TraceEnd, trace_of_path


class PartOf(Origin):
    """The origin of a part of a model, whose runs the whole model takes again: see `whole_run`."""

    def disagreement(self, model: Model, run: Trace) -> None:
        return None

    def retaken(self, model: Model, run: Trace) -> Trace:
        return run

    def complaint(self, model: Model, states: Sequence[object], claim: str | None) -> None:
        return None

    def widened(self, model: Model, states: Sequence[object], others: Sequence[object] = ()) -> None:
        return None


def part_about(model: Model, target: Property) -> Model:
    """The model with only those variables that a property of states depends on, with the same runs in these.

    A step is as the model's. The values that it gives to other variables are evaluated as far as the specification
    may have none there, and need be of no type.

    Args:
        model: the model.
        target: the property; one of the model's, or that of deadlocks.
    """
    if model.origin is None:
        return model
    kept, mattering = _influencing(model, target)
    if len(kept) == len(model.variables):
        return model
    return replace(
        model,
        variables=tuple(one for one in model.variables if one.name in kept),
        init=_within(model.init, kept),
        actions=tuple(_within(one, kept) for one in model.actions if one.tla in mattering),
        properties={one.name: part for one in model.properties.values() if (part := _of_states(one, kept))},
        origin=PartOf(),
        view=None,
        symmetry=(),
        aliases=(),
        fairness=(),
    )


def whole_run(model: Model, run: Trace) -> Trace:
    """A run of a part of a model as one of the model, up to the first step that leaves the bounds of its types."""
    semantics, steps = Semantics(model), tuple[Step, ...]()
    for stage in run.stages:
        before = steps[-1].state if steps else None
        outcome = semantics.outcome(before, stage.action, stage.picks)
        if outcome is None:
            raise InternalError(f"{stage.action} is not enabled in a run of a part of {model.protocol}")
        steps = (*steps, outcome)
        if outcome.state is None:
            return trace_of_path(steps, TraceEnd.OUT_OF_BOUNDS)
    return trace_of_path(steps, run.ends, run.property)


def _influencing(model: Model, target: Property) -> tuple[set[str], set[str]]:
    """The names of the variables that a property depends on, and of the actions that matter to these."""
    assert model.origin is not None
    told = model.origin.influences
    of_name: dict[str, list[Action]] = {name: [] for name in told}
    for action in model.actions:
        of_name.setdefault(action.tla, []).append(action)
    known = {name: _Influence(some, told.get(name, {})) for name, some in of_name.items()}
    named = target.name in model.properties
    of_claim = [model.origin.influencing(target.name)] if named else [one.of_guards for one in known.values()]
    kept, more = set[str](), _read(target.nodes).union(*of_claim)
    while True:
        kept |= more
        more = set[str]().union(*(one.on(kept) or () for one in known.values()))
        if more <= kept:
            break
    return kept, {name for name, one in known.items() if one.on(kept) is not None}


class _Influence:
    """The variables that decide the steps of one name: those that the model's actions and the specification read.

    The model lacks an action if the types decide that a guard is false.

    Attributes:
        of_guards: the names of the variables that decide whether a step can be taken.
    """

    def __init__(self, actions: Sequence[Action], told: Mapping[str, Collection[str]]) -> None:
        self.of_guards, self._always = {*told.get(GUARDS, ())}, False
        self._by_name = {name: {*read} for name, read in told.items() if name != GUARDS}
        self._errors = {name: read for name, read in self._by_name.items() if name == ERRORS}
        for action in actions:
            parts = (one.domain if isinstance(one, Pick) else one for one in action.body)
            guards = [one for one in parts if one is not None]
            self.of_guards |= _read(guards)
            self._always |= not all(is_total_beyond(one, action) for one in guards)
            for name, value in action.updates:
                self._by_name.setdefault(name, set()).update(_read([value]))
            for name, value in action.defined.items():
                self._errors.setdefault(name, set()).update(_read([value]))

    def on(self, kept: set[str]) -> set[str] | None:
        """The names of the variables that decide the next values of some variables, and whether others have any.

        None if no step changes one of these variables or may have an error.
        """
        mattering = [read for name, read in self._by_name.items() if name in kept]
        mattering += [read for name, read in self._errors.items() if name not in kept]
        return self.of_guards.union(*mattering) if mattering or self._always else None


def _read(expressions: Iterable[n.Node]) -> set[str]:
    return {one.name for one in postorder(*expressions) if isinstance(one, n.StateVar)}


def _within(action: Action, kept: set[str]) -> Action:
    """An action with only the updates of some variables.

    A step stays out of bounds where the specification has no next value for one of the others.
    """
    defined = [
        action.defined[name] for name, _ in action.updates if name not in kept and name in action.defined
    ]
    updates = tuple(one for one in action.updates if one[0] in kept)
    return replace(action, body=(*action.body, *defined), updates=updates, defined={})


def _of_states(one: Property, kept: set[str]) -> Property | None:
    """A property of states as far as it is about some variables: its conjuncts that are; None without any."""
    items = one.formula.items if isinstance(one.formula, n.And) else (one.formula,)
    parts = [] if one.temporal is not None else [x for x in items if _read([x]) <= kept]
    return replace(one, formula=connective(n.And, parts)) if parts else None
