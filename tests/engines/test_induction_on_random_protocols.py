"""Obligations against every state of the declared types, on random small protocols."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.prove.induction.engine import Checker
from leadline.symbolic.engines.prove.induction.obligation import conjuncts, obligations
from leadline.symbolic.lang import Model, ModelError, OutOfBounds, PropertyKind
from leadline.symbolic.solve import SOLVERS
from tests.exploring import explore
from tests.strategies import models

MOST = 2000
"""States of the declared types, reachable or not."""

SLOW_TO_MAKE = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def typed_states(model: Model) -> Iterator[State]:
    return itertools.product(*(variable.type.values() for variable in model.variables))


def satisfied(semantics: Semantics, name: str, state: State) -> bool:
    try:
        return semantics.holds(name, state)
    except OutOfBounds:
        return False


def failing(model: Model, goal: str) -> set[str]:
    """The obligations that fail, by looking at every state and every step."""
    semantics = Semantics(model)
    names = [one.name for one in conjuncts(model, goal)]
    wrong: set[str] = set()
    for begin in semantics.initial():
        if begin.state is None:
            wrong.add("initial states in bounds")
            continue
        wrong |= {f"initiation of {x}" for x in names if not satisfied(semantics, x, begin.state)}
    for state in typed_states(model):
        if not all(satisfied(semantics, name, state) for name in names):
            continue
        if not satisfied(semantics, goal, state):
            wrong.add("implication")
        for step in semantics.successors(state):
            if step.state is None:
                wrong.add(f"in bounds under {step.action}")
                continue
            wrong |= {
                f"consecution of {x} under {step.action}"
                for x in names
                if not satisfied(semantics, x, step.state)
            }
    return wrong


def strengthened(model: Model, goal: str) -> Model:
    """The model with its other properties as strengthenings of the goal."""
    kind = PropertyKind.STRENGTHENING
    return replace(
        model,
        properties={
            name: one if name == goal else replace(one, kind=kind, strengthens=(goal,))
            for name, one in model.properties.items()
        },
    )


def compare(model: Model, solver: str) -> None:
    """Each obligation holds if and only if it does by enumeration; what is proved holds by exploration."""
    sizes = [variable.type.cardinality for variable in model.variables]
    assume(all(sizes))
    total = 1
    for size in sizes:
        total *= size
    assume(total <= MOST)
    goal = next(iter(model.properties))
    for one in (model, strengthened(model, goal)):
        wanted = obligations(one, goal)
        checker = Checker(one, goal, SOLVERS[solver])
        try:
            seen = explore(Semantics(one), [goal])
        except ModelError:
            with pytest.raises(ModelError, match="has no initial state"):
                checker.check(wanted[0])
            continue
        found = {x.name: checker.check(x) for x in wanted}
        wrong = {name for name, x in found.items() if x.fails}
        assert wrong == failing(one, goal)
        assert all((x.cti is not None) == (name in wrong) for name, x in found.items())
        if not wrong:
            checked = seen.properties[goal]
            assert seen.complete
            assert (checked.violations, checked.out_of_bounds, seen.out_of_bounds) == (0, None, None)


@given(models())
@settings(max_examples=8, deadline=None, suppress_health_check=SLOW_TO_MAKE)
def test_obligations_are_those_of_enumeration(model: Model) -> None:
    compare(model, "cadical")


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@given(models())
@settings(max_examples=500, deadline=None, suppress_health_check=SLOW_TO_MAKE)
def test_obligations_are_those_of_enumeration_often(solver: str, model: Model) -> None:
    compare(model, solver)
