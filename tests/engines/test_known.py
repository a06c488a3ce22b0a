"""Bounded checks of the built-in protocols give TLC's verdicts, and its counterexamples' lengths."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.symbolic.engines import Verdict
from tests.asking import bounded_query, here
from tests.truth import Row, bounded, check_bounded, model_of_row, name_of, rows_where, shortest_violations


def verdicts(
    source: str, settings: dict[str, Any], depth: int, *properties: str, solver: str = "cadical"
) -> dict[str, tuple[Verdict, int | None]]:
    results = here(
        bounded_query(source, depth, settings=settings, properties=properties or None, solver=solver)
    )
    return {result.property: (result.verdict, result.steps) for result in results}


def kafka(variant: str, replicas: int = 2) -> dict[str, Any]:
    sizes = {"log_size": 2, "max_records": 2, "max_leader_epoch": 2}
    return {"variant": variant, "replicas": replicas, **sizes}


def test_truncating_to_the_high_watermark_loses_records() -> None:
    found = verdicts("kafka-replication", kafka("truncate-to-high-watermark"), 9, "weak-isr", "strong-isr")
    assert found == {"weak-isr": (Verdict.VIOLATED, 8), "strong-isr": (Verdict.VIOLATED, 9)}


@pytest.mark.slow
def test_kip_101_loses_records_by_z3_too() -> None:
    """The tables beside the properties are checked by CaDiCaL."""
    found = verdicts("kafka-replication", kafka("kip-101"), 12, "weak-isr", "strong-isr", solver="z3")
    assert found == {"weak-isr": (Verdict.VIOLATED, 11), "strong-isr": (Verdict.VIOLATED, 11)}


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["kip-279", "kip-320-first-try", "kip-320"])
def test_with_two_replicas_the_later_variants_are_safe(variant: str) -> None:
    found = verdicts("kafka-replication", kafka(variant), 9, "weak-isr", "strong-isr", "type-ok")
    assert set(found.values()) == {(Verdict.SAFE, None)}


def two_phase_commits() -> list[Any]:
    """The rows of two-phase commit; those whose managers fail are slow. Sweeps find all quickly."""
    rows = rows_where(lambda row: row["module"] in {"TPC", "TPCBTM"})
    slow = ["TRUE" in (row["parameters"]["RMMAYFAIL"], row["parameters"].get("TMMAYFAIL")) for row in rows]
    return [
        pytest.param(row, id=name_of(row), marks=[pytest.mark.slow] if long else [])
        for row, long in zip(rows, slow, strict=True)
    ]


@pytest.mark.parametrize("solver", [pytest.param("z3", marks=pytest.mark.slow), "cadical"])
@pytest.mark.parametrize("row", two_phase_commits())
def test_two_phase_commit(row: Row, solver: str) -> None:
    check_bounded(bounded(model_of_row(row), solver, 13), shortest_violations(row), 13)


@pytest.mark.slow
def test_a_backup_manager_that_crashes_too_breaks_consistency() -> None:
    settings = {"variant": "backup-manager", "rm_may_fail": True, "tm_may_fail": True}
    found = verdicts("two-phase-commit", {**settings, "resource_managers": 2}, 24, "consistency")
    assert found == {"consistency": (Verdict.VIOLATED, 24)}
