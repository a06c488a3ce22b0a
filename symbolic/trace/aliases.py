"""Aliases: expressions whose values are shown at every state of a trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import AliasValue, Model, OutOfBounds
from leadline.symbolic.meaning.trace import Trace
from leadline.symbolic.trace.values import Json, to_json


def alias_values(model: Model, trace: Trace) -> list[tuple[AliasValue, ...]]:
    """The values of the aliases at each stage of a trace; none at one without a state.

    A model that was made of a specification in another language shows what that wants to be shown.
    """
    visited = [stage.state for stage in trace.stages]
    there = [state for state in visited if state is not None]
    if model.origin is not None:
        found = model.origin.aliases(model, there, trace.loop)
    elif model.aliases:
        semantics = Semantics(model)
        found = [
            tuple(_value(semantics, place, state) for place in range(len(model.aliases))) for state in there
        ]
    else:
        found = []
    return [*found, *([()] * (len(visited) - len(found)))]


def _value(semantics: Semantics, place: int, state: State) -> AliasValue:
    one = semantics.model.aliases[place]
    name = one.name.replace("-", "_")
    try:
        return AliasValue(name, one.tla, one.formula.type, semantics.evaluate(one.formula, state))
    except OutOfBounds as error:
        return AliasValue(name, one.tla, one.formula.type, None, str(error))


def aliases_json(stages: Iterable[Sequence[AliasValue]]) -> list[dict[str, Json]]:
    """The values as an object for each state, by the aliases' names in TLA+; one without a value is left out."""
    return [{one.tla: to_json(one.type, one.value) for one in stage if one.why is None} for stage in stages]
