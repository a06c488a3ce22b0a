"""Proofs by induction of the built-in protocols: quick ones, those by the other solver, and some that fail.

The slow proofs of what the tables beside the properties say are in `test_known_tables.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.prove.induction.engine import Checker
from leadline.symbolic.engines.prove.induction.obligation import conjuncts, obligations
from leadline.symbolic.lang import Model
from leadline.symbolic.solve import SOLVERS
from tests.exploring import explore

KAFKA_TRANSACTIONS = ("as-published", "mended-become-leader")
SPANNER_SETS = ("nonconflict", "read-only", "circular")
KAFKA_REPLICATION = ("truncate-to-high-watermark", "kip-101", "kip-279", "kip-320-first-try", "kip-320")


def failing(model: Model, goal: str, solver: str = "cadical") -> list[str]:
    checker = Checker(model, goal, SOLVERS[solver])
    results = [checker.check(one) for one in obligations(model, goal)]
    assert all(one.definite for one in results)
    return [str(one.part) for one in results if one.fails]


def made(protocol: str, **settings: Any) -> Model:
    return model_of(find(protocol), settings)


@pytest.mark.parametrize("managers", [2, 4, pytest.param(7, marks=pytest.mark.slow)])
def test_consistency_of_two_phase_commit(managers: int) -> None:
    assert failing(made("two-phase-commit", resource_managers=managers), "consistency") == []


@pytest.mark.parametrize("rm_may_fail", [True, False])
@pytest.mark.parametrize("tm_may_fail", [True, False])
@pytest.mark.parametrize("variant", ["crashing-managers", "backup-manager"])
def test_types_of_two_phase_commit(variant: str, rm_may_fail: bool, tm_may_fail: bool) -> None:
    model = made("two-phase-commit", variant=variant, rm_may_fail=rm_may_fail, tm_may_fail=tm_may_fail)
    assert failing(model, "type-ok") == []


def test_consistency_with_a_backup_manager_is_not_proved() -> None:
    """It is false."""
    assert failing(made("two-phase-commit", variant="backup-manager"), "consistency")


@pytest.mark.parametrize("name", ["down-while-recovering", "commit-is-decided", "all-stay-prepared"])
def test_each_strengthening_of_consistency_is_needed(name: str) -> None:
    model = made("two-phase-commit")
    assert name in [one.name for one in conjuncts(model, "consistency")]
    fewer = {key: one for key, one in model.properties.items() if key != name}
    assert failing(replace(model, properties=fewer), "consistency")


@pytest.mark.parametrize("replicas", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", ["as-published", "mended-handle-vote"])
def test_disjointness_of_leases(variant: str, replicas: int) -> None:
    assert failing(made("spanner-leases", variant=variant, replicas=replicas), "disjointness") == []


@pytest.mark.slow
def test_disjointness_of_leases_of_five_replicas_is_proved_by_the_other_solver_too() -> None:
    model = made("spanner-leases", variant="mended-handle-vote", replicas=5)
    assert failing(model, "disjointness", "z3") == []


def test_the_mended_leases_are_led() -> None:
    """Replicas become leaders, so that the claim about their leases is not vacuous."""
    model = made("spanner-leases", variant="mended-handle-vote", tt_max_si=3)
    found = explore(Semantics(model), ["disjointness"])
    assert found.actions["become_leader"] and not found.properties["disjointness"].violations


@pytest.mark.slow
def test_disjointness_of_leases_of_five_replicas_as_published_is_not_proved() -> None:
    """The step that fails is of a majority without the other leader."""
    assert failing(made("spanner-leases", replicas=5), "disjointness") == [
        "consecution of disjointness under become_leader"
    ]


@pytest.mark.parametrize(
    "transactions",
    ["nonconflict", *(pytest.param(x, marks=pytest.mark.slow) for x in ("circular", "read-only"))],
)
def test_strict_serializability_of_transactions(transactions: str) -> None:
    model = made("spanner-transactions", transactions=transactions, tt_max_si=16)
    assert failing(model, "strict-serializability") == []


@pytest.mark.slow
@pytest.mark.parametrize("transactions", SPANNER_SETS)
def test_strict_serializability_of_transactions_is_proved_by_the_other_solver_too(transactions: str) -> None:
    model = made("spanner-transactions", transactions=transactions, tt_max_si=1)
    assert failing(model, "strict-serializability", "z3") == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nothing-is-written-before-reads"])
def test_each_strengthening_of_serializability_is_needed(name: str) -> None:
    model = made("spanner-transactions", transactions="read-only", tt_max_si=0)
    assert name in [one.name for one in conjuncts(model, "strict-serializability")]
    fewer = {key: one for key, one in model.properties.items() if key != name}
    assert failing(replace(model, properties=fewer), "strict-serializability")


@pytest.mark.parametrize("variant", KAFKA_REPLICATION)
@pytest.mark.parametrize("replicas", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_types_of_kafka_replication(variant: str, replicas: int) -> None:
    assert failing(made("kafka-replication", variant=variant, replicas=replicas), "type-ok") == []


@pytest.mark.slow
@pytest.mark.parametrize("variant", KAFKA_REPLICATION)
def test_types_of_kafka_replication_of_more(variant: str) -> None:
    sizes = {"log_size": 4, "max_records": 4, "max_leader_epoch": 4}
    assert failing(made("kafka-replication", variant=variant, replicas=5, **sizes), "type-ok") == []


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"model_producer": True, "model_consumer": True},
        {"max_crash_times": 3, "retain_null_key": False},
        {
            "message_sent_limit": 5,
            "compaction_times_limit": 5,
            "keys": 3,
            "values": 3,
            "model_producer": True,
        },
        {"keys": 0, "values": 0},
    ],
    ids=str,
)
def test_types_of_pulsar_compaction(settings: dict[str, Any]) -> None:
    assert failing(made("pulsar-compaction", **settings), "type-safe") == []


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["weak-isr", "strong-isr"])
@pytest.mark.parametrize("variant", ["kip-320", "kip-279", "kip-320-first-try"])
def test_what_is_committed_stays_so_with_two_replicas(variant: str, goal: str) -> None:
    assert failing(made("kafka-replication", variant=variant, replicas=2), goal) == []
    assert failing(made("kafka-replication", variant=variant, replicas=1), goal) == []


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["weak-isr", "strong-isr"])
def test_what_is_committed_stays_so_with_longer_logs(goal: str) -> None:
    sizes = {"log_size": 4, "max_records": 4, "max_leader_epoch": 4}
    assert failing(made("kafka-replication", **sizes), goal) == []


@pytest.mark.parametrize(
    "variant", ["as-published", pytest.param("mended-become-leader", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "settings",
    [
        {"clients": 1},
        pytest.param({"clients": 1, "max_coordinator_changes": 0}, marks=pytest.mark.slow),
        pytest.param({"brokers": 1}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_types_of_small_kafka_transactions(variant: str, settings: dict[str, Any]) -> None:
    assert failing(made("kafka-transactions", variant=variant, **settings), "type-ok") == []


@pytest.mark.slow
def test_producer_ids_of_small_kafka_transactions_are_known() -> None:
    sizes = {"clients": 1, "transaction_ids": 2, "log_partitions": 2}
    model = made("kafka-transactions", variant="mended-become-leader", **sizes)
    assert failing(model, "no-invalid-producer-id-mapping") == []


def test_producer_ids_that_a_leader_forgets_are_not_known() -> None:
    model = made("kafka-transactions", clients=1, transaction_ids=2, log_partitions=2)
    assert failing(model, "no-invalid-producer-id-mapping")


@pytest.mark.slow
@pytest.mark.parametrize("variant", KAFKA_TRANSACTIONS)
@pytest.mark.parametrize("goal", ["type-ok", "no-bad-state-response", "no-invalid-producer-id-mapping"])
def test_types_of_kafka_transactions_are_proved_by_the_other_solver_too(goal: str, variant: str) -> None:
    assert failing(made("kafka-transactions", variant=variant), goal, "z3") == []


def test_types_of_kafka_transactions_of_many_changes_are_not_proved() -> None:
    """The bounds are estimates there, and what the counts rest on is false."""
    assert failing(made("kafka-transactions", max_coordinator_changes=2, clients=1), "type-ok")


@pytest.mark.parametrize(
    ("protocol", "settings", "goal"),
    [
        pytest.param("two-phase-commit", {"resource_managers": 7}, "consistency", marks=pytest.mark.slow),
        pytest.param("spanner-leases", {"replicas": 3}, "disjointness", marks=pytest.mark.slow),
        ("kafka-replication", {}, "type-ok"),
        ("pulsar-compaction", {}, "type-safe"),
    ],
    ids=str,
)
def test_the_other_solver_proves_it_too(protocol: str, settings: dict[str, Any], goal: str) -> None:
    assert failing(made(protocol, **settings), goal, "z3") == []
