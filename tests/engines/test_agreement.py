"""Both explorers, steps and PDR on the same random protocols.

`LEADLINE_RANDOM_PROTOCOLS` is the number of protocols.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import Model
from tests.engines import comparison, test_circuits as explorers, test_pdr_on_random_protocols as proofs
from tests.strategies import models

MANY = int(os.environ.get("LEADLINE_RANDOM_PROTOCOLS", "1000"))


@pytest.mark.slow
@settings(
    max_examples=MANY,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(models())
def test_engines_agree(model: Model) -> None:
    explorers.compare(model)
    comparison.compare(model, "cadical")
    proofs.compare(model, PdrOptions(samples=10))
