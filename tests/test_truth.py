"""The encodings reach the same states as the TLA+ modules they come from, in the same number of steps.

The figures are TLC's (`data/tlc.json`, which says how they were got).
"""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Exploration, Semantics, explore

# TLC's name of a module: ours of the protocol and the variant.
MODULES = {
    "KafkaTruncateToHighWatermark": ("kafka-replication", "truncate-to-high-watermark"),
    "Kip101": ("kafka-replication", "kip-101"),
    "Kip279": ("kafka-replication", "kip-279"),
    "Kip320FirstTry": ("kafka-replication", "kip-320-first-try"),
    "Kip320": ("kafka-replication", "kip-320"),
    "TPC": ("two-phase-commit", "crashing-managers"),
    "TPCBTM": ("two-phase-commit", "backup-manager"),
}
# TLC's name of a constant: ours of the parameter. None: the encoding has this value built in.
CONSTANTS = {
    "Replicas": "replicas",
    "LogSize": "log_size",
    "MaxRecords": "max_records",
    "MaxLeaderEpoch": "max_leader_epoch",
    "RM": "resource_managers",
    "RMMAYFAIL": "rm_may_fail",
    "TMMAYFAIL": "tm_may_fail",
    "SPONTANEOUS": None,
    "defaultInitValue": None,
}
PROPERTIES = {
    "TypeOk": "type-ok",
    "WeakIsr": "weak-isr",
    "StrongIsr": "strong-isr",
    "LeaderInIsr": "leader-in-isr",
    "Consistency": "consistency",
    "TypeOK": "type-ok",
    "NotCommitted": "not-committed",
}

Row = dict[str, Any]
ROWS: list[Row] = [
    row
    for row in json.loads((Path(__file__).parent / "data" / "tlc.json").read_text())["rows"]
    if row["module"] in MODULES
]
COMPLETE = [row for row in ROWS if row["complete"]]
INCOMPLETE = [row for row in ROWS if not row["complete"]]


def setting(value: int | str) -> int | bool:
    """A constant as TLC's configuration gives it, as a parameter's value; a set becomes its size."""
    if isinstance(value, int):
        return value
    return {"TRUE": True, "FALSE": False}[value] if value[0] != "{" else len(value.split(","))


def explored(row: Row, depth: int | None = None) -> Exploration:
    """The exploration of the row's protocol with the row's properties."""
    protocol, variant = MODULES[row["module"]]
    names = {CONSTANTS[constant]: value for constant, value in row["parameters"].items()}
    settings = {name: setting(value) for name, value in names.items() if name is not None}
    model = model_of(find(protocol), {"variant": variant, **settings})
    return explore(Semantics(model), [PROPERTIES[name] for name in row["properties"]], depth)


def shortest_violations(row: Row) -> dict[str, int | None]:
    """By our names: the length that the row gives, in steps, or None."""
    return {
        # TLC cannot evaluate Kafka's TypeOk, which compares records with an integer; ours can, and holds.
        PROPERTIES[name]: None if found["result"] == "evaluation error" else found["shortest_violation_steps"]
        for name, found in row["properties"].items()
    }


def name_of(row: Row) -> str:
    return "-".join([row["module"], *(str(value) for value in row["parameters"].values())])


def check_bounds(exploration: Exploration) -> None:
    """Nothing goes out of bounds: the encoding's ranges are wide enough."""
    assert exploration.steps_out_of_bounds == 0
    assert all(found.out_of_bounds is None for found in exploration.properties.values())


def test_there_are_figures_for_every_variant() -> None:
    assert {row["module"] for row in COMPLETE} == set(MODULES)
    assert (len(COMPLETE), len(INCOMPLETE)) == (12, 4)


@pytest.mark.parametrize("row", COMPLETE, ids=name_of)
def test_all_states_and_shortest_violations(row: Row) -> None:
    exploration = explored(row)
    assert exploration.complete
    assert list(exploration.states_within_steps) == row["states_within_steps"]
    assert exploration.states == row["distinct_states"]
    assert exploration.diameter == row["diameter_steps"]
    steps = {name: found.steps for name, found in exploration.properties.items()}
    assert steps == shortest_violations(row)
    check_bounds(exploration)


@pytest.mark.parametrize("row", INCOMPLETE, ids=name_of)
def test_states_within_six_steps(row: Row) -> None:
    exploration = explored(row, depth=6)
    assert list(exploration.states_within_steps) == row["states_within_steps"][:7]
    check_bounds(exploration)


@pytest.mark.slow
@pytest.mark.parametrize("row", INCOMPLETE, ids=name_of)
def test_states_and_shortest_violations_as_deep_as_tlc_went(row: Row) -> None:
    exploration = explored(row, depth=len(row["states_within_steps"]) - 1)
    assert list(exploration.states_within_steps) == row["states_within_steps"]
    steps = {name: found.steps for name, found in exploration.properties.items()}
    assert steps == shortest_violations(row)
    check_bounds(exploration)


@pytest.mark.slow
def test_kip_320_with_three_replicas_is_safe() -> None:
    """TLC's count of states, as the documentation of the property `strong-isr` gives it."""
    exploration = explore(Semantics(model_of(find("kafka-replication"), {})), ["weak-isr", "strong-isr"])
    assert exploration.complete
    assert exploration.states == 737_794
    assert [found.violations for found in exploration.properties.values()] == [0, 0]


def test_only_a_dead_manager_without_successor_is_a_deadlock() -> None:
    """That all have ended is none; that nobody can decide is one."""
    crashing = explore(Semantics(model_of(find("two-phase-commit"), {"rm_may_fail": False})))
    assert crashing.fired["terminating"] > 0
    assert crashing.deadlocks == 0
    backup = model_of(find("two-phase-commit"), {"variant": "backup-manager", "rm_may_fail": False})
    stuck = explore(Semantics(backup))
    assert stuck.deadlock is not None
    assert [outcome.action for outcome in stuck.deadlock] == [
        "init",
        "tm_prepare",
        "tm_crash_when_prepare_crash",
    ]
