"""The encodings reach the same states as the TLA+ modules they come from, in the same number of steps.

The figures are TLC's.
"""

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.meaning import Exploration
from tests.exploring import explore
from tests.tlc_names import MODULES
from tests.truth import (
    Row,
    check_all_states,
    check_bounds,
    model_of_row,
    name_of,
    rows_where,
    shortest_violations,
    steps_of,
)

PROTOCOLS = {"kafka-replication", "two-phase-commit"}
ROWS = rows_where(lambda row: MODULES[row["module"]][0] in PROTOCOLS)
COMPLETE = [row for row in ROWS if row["complete"]]
INCOMPLETE = [row for row in ROWS if not row["complete"]]


def explored(row: Row, depth: int | None = None) -> Exploration:
    """The exploration of the row's protocol with the row's properties."""
    return explore(Semantics(model_of_row(row)), list(shortest_violations(row)), depth)


def test_there_are_figures_for_every_variant() -> None:
    modules = {module for module, (protocol, _) in MODULES.items() if protocol in PROTOCOLS}
    assert {row["module"] for row in COMPLETE} == modules
    assert (len(COMPLETE), len(INCOMPLETE)) == (12, 4)


def large(row: Row) -> bool:
    """Whether exploring on values takes long; on circuits every row is quick (tests/engines/test_circuits.py)."""
    states: int = row["distinct_states"]
    return states > 20_000


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=name_of(row), marks=[pytest.mark.slow] if large(row) else []) for row in COMPLETE],
)
def test_all_states_and_shortest_violations(row: Row) -> None:
    exploration = explored(row)
    check_all_states(exploration, row)
    assert steps_of(exploration) == shortest_violations(row)
    check_bounds(exploration)


@pytest.mark.parametrize("row", INCOMPLETE, ids=name_of)
def test_states_within_five_steps(row: Row) -> None:
    exploration = explored(row, depth=5)
    assert list(exploration.states_within_steps) == row["states_within_steps"][:6]
    check_bounds(exploration)


@pytest.mark.slow
@pytest.mark.parametrize("row", INCOMPLETE, ids=name_of)
def test_states_and_shortest_violations_as_deep_as_tlc_went(row: Row) -> None:
    exploration = explored(row, depth=len(row["states_within_steps"]) - 1)
    assert list(exploration.states_within_steps) == row["states_within_steps"]
    assert steps_of(exploration) == shortest_violations(row)
    check_bounds(exploration)


@pytest.mark.slow
def test_kip_320_with_three_replicas_is_safe() -> None:
    """TLC's count of states, as the documentation of the property `strong-isr` gives it."""
    exploration = explore(Semantics(model_of(find("kafka-replication"), {})), ["weak-isr", "strong-isr"])
    assert exploration.complete
    assert exploration.states == 737_794
    assert [found.violations for found in exploration.properties.values()] == [0, 0]


def test_only_a_dead_manager_without_successor_is_a_deadlock() -> None:
    """A state in which all have ended is no deadlock; one in which nobody can decide is."""
    crashing = explore(Semantics(model_of(find("two-phase-commit"), {"rm_may_fail": False})))
    assert crashing.actions["terminating"] > 0
    assert crashing.deadlocks == 0
    backup = model_of(find("two-phase-commit"), {"variant": "backup-manager", "rm_may_fail": False})
    stuck = explore(Semantics(backup))
    assert stuck.deadlock is not None
    assert [outcome.action for outcome in stuck.deadlock] == [
        "init",
        "tm_prepare",
        "tm_crash_when_prepare_crash",
    ]
