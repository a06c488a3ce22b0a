"""Safety of runs as an invariant: a variable that says whether the run so far is good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.symbolic.engines.prove.lemmas import claiming
from leadline.symbolic.engines.runs.formulas import Safety
from leadline.symbolic.engines.runs.product import Step
from leadline.symbolic.lang import BOOL, NOWHERE, Action, Model, Property, PropertyKind, Variable, nodes as n
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.lang.rules import connective, equality, negation

GOOD = "(good)"
"""The variable. No variable of a protocol can have the name."""


def history_model(model: Model, name: str, safety: Safety) -> Model:
    """A model with one property: that no run so far violates the safety.

    Args:
        model: the model.
        name: the name of the property.
        safety: what runs satisfy.
    """
    formula = connective(n.And, list(safety.states))
    if not safety.initial and not safety.steps:
        return _stated(model, model, name, formula)
    good = n.make(n.StateVar, BOOL, NOWHERE, GOOD)
    begun: dict[n.Node, n.Node] = {_variable(model, x): value for x, value in model.init.updates}
    first = connective(n.And, [replaced(node, begun) for node in safety.initial])
    return _stated(
        model,
        replace(
            model,
            variables=(*model.variables, Variable(GOOD, GOOD, BOOL, NOWHERE)),
            init=_noting(model.init, first),
            actions=tuple(_noting(x, _allowed(model, x, safety.steps, good)) for x in model.actions),
        ),
        name,
        connective(n.And, [good, formula]),
    )


def _stated(base: Model, model: Model, name: str, formula: n.Node) -> Model:
    claim = Property(name, name, PropertyKind.INVARIANT, "", NOWHERE, formula)
    # The run is replayed by the origin once it is one of the model itself again.
    return replace(model, properties=claiming(base, claim), fairness=(), origin=None)


def _noting(action: Action, good: n.Node) -> Action:
    return replace(action, updates=(*action.updates, (GOOD, good)))


def _variable(model: Model, name: str) -> n.Node:
    one = model.variable(name)
    return n.make(n.StateVar, one.type, one.span, name)


def _allowed(model: Model, action: Action, steps: Sequence[n.Node], good: n.Node) -> n.Node:
    step = Step(model, action)
    return connective(n.And, [good, *(negation(step.happens(node)) for node in steps)])


def bounds_model(model: Model, name: str, nodes: Sequence[n.Node], steps: Sequence[n.Node]) -> Model:
    """A model with one property, always true: evaluating it goes out of bounds where one of the nodes does.

    Args:
        model: the model.
        name: the name of the property.
        nodes: predicates over states.
        steps: predicates over steps.
    """
    states = tuple(equality(node, node) for node in nodes)
    moves = tuple(negation(equality(node, node)) for node in steps)
    return history_model(model, name, Safety((), states, moves))
