"""Exploration on circuits: the numbers, verdicts and lengths of the search on values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from leadline.symbolic.bits import NoCircuits
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.lang import Model, ModelError, UserError
from tests.comparing import check_same
from tests.random_symmetric import symmetric_model
from tests.strategies import models

SMALL: list[tuple[str, dict[str, Any], int | None]] = [
    ("kafka-replication", {"replicas": 2}, None),
    ("kafka-replication", {"replicas": 2, "variant": "kip-320-first-try"}, None),
    ("kafka-replication", {"replicas": 2, "variant": "truncate-to-high-watermark"}, None),
    ("kafka-transactions", {"clients": 1, "max_coordinator_changes": 2}, 8),
    ("kafka-transactions", {"clients": 1, "variant": "mended-become-leader"}, 8),
    ("pulsar-compaction", {"keys": 0, "values": 0}, None),
    ("pulsar-compaction", {}, None),
    ("spanner-leases", {"replicas": 2}, None),
    ("spanner-transactions", {}, 12),
    ("spanner-transactions", {"transactions": "circular"}, 12),
    ("two-phase-commit", {}, None),
    ("two-phase-commit", {"variant": "backup-manager"}, None),
]
"""Protocols, their parameters, and a bound on depth."""


@pytest.mark.parametrize(("name", "settings", "depth"), SMALL, ids=str)
def test_built_in_protocols(name: str, settings: dict[str, Any], depth: int | None) -> None:
    assert check_same(model_of(find(name), settings), depth) is not None


MOST = 3_000


def compare(model: Model) -> None:
    try:
        check_same(model, most=MOST)
    except NoCircuits:
        pass
    except ModelError as error:
        assert "has no initial state" in str(error)


@pytest.mark.parametrize("seed", range(60))
def test_random_protocols(seed: int) -> None:
    try:
        model = symmetric_model(seed)
    except UserError:
        return
    compare(model)


@settings(
    max_examples=60,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(models())
def test_more_random_protocols(model: Model) -> None:
    compare(model)
