"""Steps against exploration on random small protocols: the same reachable bad depths, one by one."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from leadline.symbolic.concrete import Semantics, explore
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.bmc import BmcOptions, bounded_check
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.solve import SOLVERS
from tests.random_symmetric import symmetric_model
from tests.strategies import models

DEPTH = 6
"""Deep enough for layers that a solver copies from earlier ones."""


def compare(model: Model, solver: str, depth: int = DEPTH) -> None:
    """Explore a model and check it by steps; every shortest length within the depth must be the same."""
    names = list(model.properties)
    try:
        seen = explore(Semantics(model), names, depth=depth)
    except UserError:
        with pytest.raises(UserError):
            bounded_check(model, list(model.properties.values()), BmcOptions(depth), SOLVERS[solver])
        return
    results = bounded_check(model, list(model.properties.values()), BmcOptions(depth), SOLVERS[solver])
    for result in results:
        checked = seen.properties[result.property]
        ways = [len(path) - 1 for path in (checked.out_of_bounds, seen.out_of_bounds) if path is not None]
        if checked.steps is not None:
            assert (result.verdict, result.steps) == (Verdict.VIOLATED, checked.steps)
        elif ways:
            assert result.verdict is Verdict.OUT_OF_BOUNDS
        else:
            assert (result.verdict, result.depth) == (Verdict.SAFE, depth)


SLOW_TO_MAKE = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.parametrize("solver", SOLVERS)
@given(models())
@settings(max_examples=12, deadline=None, suppress_health_check=SLOW_TO_MAKE)
def test_reachable_bad_depths_are_the_same(solver: str, model: Model) -> None:
    compare(model, solver)


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@given(models())
@settings(max_examples=300, deadline=None, suppress_health_check=SLOW_TO_MAKE)
def test_reachable_bad_depths_are_the_same_at_length(solver: str, model: Model) -> None:
    compare(model, solver)


def test_members_are_picked_in_the_order_of_first_use() -> None:
    """Sorts that are treated alike, with the first-use rule."""
    for seed in range(25):
        compare(symmetric_model(seed), "cadical", 1 + seed % 4)


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_members_are_picked_in_the_order_of_first_use_at_length(solver: str) -> None:
    for seed in range(25, 500):
        compare(symmetric_model(seed), solver, 1 + seed % 5)
