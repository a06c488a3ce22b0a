"""Explorations on circuits beside those on values."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.coverage import Counted, Guard, never_true, suspects_of
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.lang import Model
from leadline.symbolic.meaning import Exploration, Explorer
from tests.engines.numbers import names_of, numbers


def covering(semantics: Semantics, depth: int | None = None, most: int | None = None) -> Explorer[Semantics]:
    """An exploration on values that looks for coverage, after its end."""
    names = names_of(semantics.model)
    explorer = Explorer(
        semantics,
        names,
        depth,
        max_states=most,
        attributing=True,
        suspects=suspects_of(semantics, names),
    )
    explorer.run()
    return explorer


def coverage(
    explorer: CircuitExplorer | Explorer[Semantics], untrue: Sequence[Guard], guards: Sequence[Guard] | None
) -> Mapping[str, Any]:
    """The coverage but for which action was the first to reach a state."""
    found = {"vacuous": explorer.vacuous, "untrue": untrue, "guards": list(guards or ())}
    return {**found, "states": sum(explorer.first)}


def on_circuits(
    model: Model,
    depth: int | None = None,
    max_states: int | None = None,
    names: Sequence[str] | None = None,
    **more: Any,
) -> Exploration:
    """An exploration on circuits, of all claims about states."""
    names = names_of(model) if names is None else names
    explorer = CircuitExplorer(Semantics(model), names, depth, lambda _: None, max_states, **more)
    explorer.run()
    return explorer.summary()


def check_same(
    model: Model, depth: int | None = None, most: int | None = None, workers: int = 1
) -> Exploration | None:
    """Compare both explorers: numbers, lengths of paths, coverage; and paths are the protocol's own.

    Args:
        model: the model.
        depth: the number of steps to go; None for all.
        most: the number of states from which on nothing is compared, and the result is None.
        workers: the number of processes that explore on circuits.
    """
    names, semantics = names_of(model), Semantics(model)
    counted = Counted(model)
    values = covering(counted, depth, most)
    expected = values.summary()
    if expected.stopped is not None:
        return None
    # A search that is bounded in states stays in one process.
    bound = most if workers == 1 else None
    more: dict[str, Any] = {"vacuity": True, "counting": True, "workers": workers}
    circuits = CircuitExplorer(semantics, names, depth, lambda _: None, bound, **more)
    circuits.run()
    found = circuits.summary()
    assert numbers(found) == numbers(expected)
    own = coverage(circuits, circuits.never_true(), circuits.guards)
    assert own == coverage(values, never_true(values), counted.guards)
    for path in (found.deadlock, found.out_of_bounds, *(x.violation for x in found.properties.values())):
        if path is not None:
            assert path[0] in semantics.initial()
            for before, after in itertools.pairwise(path):
                assert before.state is not None and after in list(semantics.successors(before.state))
    for name, one in found.properties.items():
        assert one.why == expected.properties[name].why or one.why is not None
    return found
