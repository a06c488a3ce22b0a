"""Steps against exploration on random small protocols: the same reachable bad depths, one by one."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from leadline.symbolic.lang import Model
from leadline.symbolic.solve import SOLVERS
from tests.engines.comparison import compare
from tests.random_symmetric import symmetric_model
from tests.strategies import models

SLOW_TO_MAKE = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.parametrize("solver", ["cadical", pytest.param("z3", marks=pytest.mark.slow)])
@given(models())
@settings(max_examples=8, deadline=None, suppress_health_check=SLOW_TO_MAKE)
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
    for seed in range(10):
        compare(symmetric_model(seed), "cadical", 1 + seed % 4)


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_members_are_picked_in_the_order_of_first_use_at_length(solver: str) -> None:
    for seed in range(25, 500):
        compare(symmetric_model(seed), solver, 1 + seed % 5)
