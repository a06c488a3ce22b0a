"""The cone of influence of a property: the part of a model that decides whether it holds.

Only models of specifications in another language have parts, since their bounds are nobody's claim: where a
variable grows without end that the property does not depend on, no types would ever hold its values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import (
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

    def widened(self, model: Model, states: Sequence[object]) -> None:
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
    kept = _influencing(model, target)
    if len(kept) == len(model.variables):
        return model
    return replace(
        model,
        variables=tuple(one for one in model.variables if one.name in kept),
        init=_within(model.init, kept),
        actions=tuple(
            _within(one, kept) for one in model.actions if _Influence(model, one).on(kept) is not None
        ),
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


def _influencing(model: Model, target: Property) -> set[str]:
    """The names of the variables that a property depends on."""
    origin, known = _origin(model), [_Influence(model, one) for one in model.actions]
    named = target.name in model.properties
    of_claim = [origin.influencing(target.name)] if named else [one.of_guards for one in known]
    kept, before = _read(target.nodes).union(*of_claim), set[str]()
    while kept != before:
        before = kept
        kept = kept.union(*(one.on(kept) or () for one in known))
    return kept


def _origin(model: Model) -> Origin:
    assert model.origin is not None
    return model.origin


class _Influence:
    """What a step of an action depends on: by what its model reads, and by what the specification does.

    Attributes:
        of_guards: the names of the variables that decide whether it can be taken.
    """

    def __init__(self, model: Model, action: Action) -> None:
        self._action, told = action, _origin(model).influences(action)
        parts = (one.domain if isinstance(one, Pick) else one for one in action.body)
        guards = [one for one in parts if one is not None]
        self.of_guards = _read(guards).union(told.get("", ()))
        self._by_name = {name: {name}.union(read) for name, read in told.items() if name}
        for name, value in action.updates:
            self._by_name[name] = self._by_name.get(name, set()) | _read([value, *_defined(action, name)])
        changed = {name for name, read in self._by_name.items() if read != {name}}
        self._changed = changed.union(name for name, _ in action.updates)
        self._always = not all(is_total_beyond(one, action) for one in guards)

    def on(self, kept: set[str]) -> set[str] | None:
        """The names of the variables that decide the next values of some, and whether others have any.

        None if the action changes none of them, and certainly has no error.
        """
        mattering = [name for name in self._changed if name in kept or name in self._action.defined]
        if not mattering and not self._always:
            return None
        return self.of_guards.union(*(self._by_name[name] for name in mattering))


def _defined(action: Action, name: str) -> list[n.Node]:
    return [action.defined[name]] if name in action.defined else []


def _read(expressions: Iterable[n.Node]) -> set[str]:
    return {one.name for one in postorder(*expressions) if isinstance(one, n.StateVar)}


def _within(action: Action, kept: set[str]) -> Action:
    """An action with only the updates of some variables. The others are still evaluated."""
    defined = [
        action.defined[name] for name, _ in action.updates if name not in kept and name in action.defined
    ]
    updates = tuple(one for one in action.updates if one[0] in kept)
    return replace(action, body=(*action.body, *defined), updates=updates, defined={})


def _of_states(one: Property, kept: set[str]) -> Property | None:
    """A property of states as far as it is about some variables: its conjuncts that are; None without any."""
    parts = [] if one.temporal is not None else [x for x in _conjuncts(one.formula) if _read([x]) <= kept]
    return replace(one, formula=connective(n.And, parts)) if parts else None


def _conjuncts(node: n.Node) -> list[n.Node]:
    return [x for item in node.items for x in _conjuncts(item)] if isinstance(node, n.And) else [node]
