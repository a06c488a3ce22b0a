"""Pulsar's compaction reaches the same states as its TLA+ module, in the same number of steps."""

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import Model
from leadline.symbolic.meaning import Exploration
from tests.exploring import explore
from tests.truth import (
    Row,
    bounded,
    by_size,
    check_all_states,
    check_bounded,
    check_bounds,
    model_of_row,
    name_of,
    rows_where,
    settings_of,
    shortest_violations,
    steps_of,
)

PROPERTIES = {
    "type-safe",
    "compacted-ledger-leak",
    "compaction-horizon-correctness",
    "duplicate-null-key-message",
}
ROWS = rows_where(lambda row: row["protocol"] == "pulsar-compaction")
DEPTH = 10


def model(**settings: int | bool) -> Model:
    return model_of(find("pulsar-compaction"), settings)


def explored(**settings: int | bool) -> Exploration:
    """All states, with all properties; none may be out of bounds."""
    exploration = explore(Semantics(model(**settings)), sorted(PROPERTIES))
    check_bounds(exploration)
    return exploration


def test_every_row_is_complete_and_has_every_property() -> None:
    assert len(ROWS) == 3
    assert all(row["complete"] and shortest_violations(row).keys() == PROPERTIES for row in ROWS)


@pytest.mark.parametrize("row", by_size(ROWS, 10_000))
def test_all_states_and_shortest_violations(row: Row) -> None:
    exploration = explored(**settings_of(row))
    check_all_states(exploration, row)
    assert steps_of(exploration) == shortest_violations(row)


@pytest.mark.parametrize("solver", ["cadical", "z3"])
@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_bounded_check_finds_the_shortest_violations(row: Row, solver: str) -> None:
    results = bounded(model_of_row(row), solver, DEPTH)
    check_bounded(results, shortest_violations(row), DEPTH)


@pytest.mark.slow
@pytest.mark.parametrize(("model_producer", "states"), [(True, 253_361), (False, 45_198)])
def test_states_that_the_module_tells_of_its_producer(model_producer: bool, states: int) -> None:
    """A comment of the module counts its states with and without a producer: null keys are not kept there."""
    exploration = explored(model_producer=model_producer, retain_null_key=False)
    assert exploration.complete
    assert exploration.states == states
    assert {name for name, steps in steps_of(exploration).items() if steps} == {"compacted-ledger-leak"}


@pytest.mark.parametrize(
    ("crashes", "steps"),
    [(0, None), *(pytest.param(*one, marks=pytest.mark.slow) for one in ((1, 11), (2, 8)))],
)
def test_a_ledger_leaks_after_so_many_steps(crashes: int, steps: int | None) -> None:
    """The figures in the documentation of `compacted-ledger-leak`."""
    assert explored(max_crash_times=crashes).properties["compacted-ledger-leak"].steps == steps
    results = bounded(model(max_crash_times=crashes), "cadical", 12)
    assert results["compacted-ledger-leak"].steps == steps


@pytest.mark.slow
def test_what_holds_without_null_keys_kept() -> None:
    steps = steps_of(explored(retain_null_key=False))
    assert steps == {**dict.fromkeys(PROPERTIES), "compacted-ledger-leak": 11}


@pytest.mark.slow
def test_messages_without_keys_and_values_are_modelled() -> None:
    """Without keys and values there is one message list, and the compactor runs as with any other."""
    bare, rich = explored(keys=0, values=0), explored()
    assert bare.states_within_steps[0] == 1
    assert [count * 729 for count in bare.states_within_steps] == list(rich.states_within_steps)


@pytest.mark.parametrize("model_consumer", [False, True])
def test_the_end_is_no_deadlock(model_consumer: bool) -> None:
    """The end stutters; a consumer stutters everywhere, and keeps the end away unless it need not consume."""
    small = {"message_sent_limit": 2, "compaction_times_limit": 2, "keys": 1, "values": 1}
    for limit in (0, 1):
        exploration = explored(**small, model_consumer=model_consumer, consume_times_limit=limit)
        assert exploration.states == 592
        assert exploration.deadlocks == 0
        assert (exploration.actions["terminating"] > 0) == (limit == 0 or not model_consumer)
        assert exploration.actions.get("consumer") == (592 if model_consumer else None)


def test_every_action_fires() -> None:
    fired = explored(model_producer=True, message_sent_limit=1).actions
    assert set(fired) == {action.name for action in model(model_producer=True).actions}
    assert all(count > 0 for count in fired.values())
