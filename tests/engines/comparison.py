"""Steps compared with exploration."""

from __future__ import annotations

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.bounded.bmc import BmcOptions
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.solve import SOLVERS
from tests.asking import bounded_check
from tests.exploring import explore

DEPTH = 6
"""Layers that both look at."""


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
