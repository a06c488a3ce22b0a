"""Kafka's transactions reach the same states as their TLA+ module, in the same number of steps."""

import itertools
from collections.abc import Sequence

import pytest

from leadline.encodings.kafka_transactions import KafkaTransactions, balanced
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang import Model
from leadline.symbolic.meaning import Exploration
from tests.asking import bounded_query, here
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
    "type-ok",
    "no-bad-state-response",
    "no-producer-fenced",
    "no-epoch-fence-abort",
    "no-terminated",
}
KNOWN = "no-invalid-producer-id-mapping"
ROWS = rows_where(lambda row: row["protocol"] == "kafka-transactions")
DEPTH = 10


def model(**settings: int | str) -> Model:
    return model_of(find("kafka-transactions"), settings)


def explored(*properties: str, **settings: int | str) -> Exploration:
    """All states; none may be out of bounds."""
    exploration = explore(Semantics(model(**settings)), list(properties))
    assert exploration.complete
    check_bounds(exploration)
    return exploration


def test_there_are_figures_for_every_property() -> None:
    assert len(ROWS) == 3
    assert all(row["complete"] and shortest_violations(row).keys() == PROPERTIES for row in ROWS)


@pytest.mark.parametrize("row", by_size(ROWS, 1_000))
def test_all_states_and_shortest_violations(row: Row) -> None:
    exploration = explored(*shortest_violations(row), **settings_of(row))
    check_all_states(exploration, row)
    assert steps_of(exploration) == shortest_violations(row)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["cadical", "z3"])
@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_bounded_check_finds_the_shortest_violations(row: Row, solver: str) -> None:
    results = bounded(model_of_row(row), solver, DEPTH)
    check_bounded(results, {**shortest_violations(row), KNOWN: None}, DEPTH)


# -- what the module does that one would not expect ---------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "log_partitions", "steps"),
    [
        pytest.param("as-published", 1, None, marks=pytest.mark.slow),
        pytest.param("as-published", 2, 7, marks=pytest.mark.slow),
        pytest.param("mended-become-leader", 1, None, marks=pytest.mark.slow),
        pytest.param("mended-become-leader", 2, None, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("transaction_ids", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_new_leader_forgets_what_it_leads_already(
    variant: str, log_partitions: int, steps: int | None, transaction_ids: int
) -> None:
    settings = {"clients": 1, "log_partitions": log_partitions, "transaction_ids": transaction_ids}
    exploration = explored(KNOWN, **settings, variant=variant)
    assert exploration.properties[KNOWN].steps == steps
    depth = steps or 5
    results = bounded(model(**settings, variant=variant), "cadical", depth)
    check_bounded(results, {KNOWN: steps}, depth)


@pytest.mark.slow
def test_variants_differ_with_several_log_partitions_only() -> None:
    def states(variant: str, **settings: int) -> Sequence[int]:
        return explored(variant=variant, clients=1, max_coordinator_changes=2, **settings).states_within_steps

    assert states("as-published") == states("mended-become-leader")
    assert states("as-published", log_partitions=2) != states("mended-become-leader", log_partitions=2)


@pytest.mark.parametrize(
    ("transaction_ids", "changes", "falls"),
    [
        (1, 0, False),
        pytest.param(1, 1, True, marks=pytest.mark.slow),
        pytest.param(2, 0, False, marks=pytest.mark.slow),
        pytest.param(2, 1, True, marks=pytest.mark.slow),
    ],
)
def test_the_source_of_producer_ids_can_fall(transaction_ids: int, changes: int, falls: bool) -> None:
    """It is set back to an id that was made before: here, for a client that has to ask again."""
    small = model(transaction_ids=transaction_ids, max_coordinator_changes=changes)
    semantics = Semantics(small)
    place = [variable.name for variable in small.variables].index("pid_source")
    seen = {outcome.state for outcome in semantics.initial()}
    todo = list(seen)
    drops = 0
    while todo:
        before = todo.pop()
        assert before is not None
        after = {outcome.state for outcome in semantics.successors(before)}
        drops += sum(state is not None and state[place] < before[place] for state in after)
        todo += after - seen
        seen |= after
    assert (drops > 0) == falls


@pytest.mark.parametrize(
    ("changes", "steps"), [(1, None), (2, 17), pytest.param(3, 15, marks=pytest.mark.slow)]
)
def test_a_single_client_is_fenced_by_what_a_leader_replays(changes: int, steps: int | None) -> None:
    """The figures in the documentation of `no-producer-fenced`."""
    exploration = explored("no-producer-fenced", clients=1, max_coordinator_changes=changes)
    assert exploration.properties["no-producer-fenced"].steps == steps


def test_every_action_fires_and_clients_rest_in_the_end() -> None:
    exploration = explored(clients=1)
    assert len(exploration.actions) == 9
    assert all(count > 0 for count in exploration.actions.values())
    assert exploration.deadlocks > 0


# -- bounds -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"clients": 2, "max_coordinator_changes": 0, "topic_partitions": 2},
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in (
                {"clients": 1, "max_coordinator_changes": 3, "transaction_ids": 2},
                {"clients": 1, "max_coordinator_changes": 2, "topic_partitions": 3},
                {"clients": 1, "max_coordinator_changes": 2, "brokers": 3},
                {"clients": 1, "max_coordinator_changes": 2, "brokers": 3, "log_partitions": 2},
                {"clients": 2, "max_coordinator_changes": 1, "transaction_ids": 2},
            )
        ),
    ],
    ids=str,
)
def test_the_bounds_are_never_reached(settings: dict[str, int]) -> None:
    explored(**settings)


@pytest.mark.slow
def test_the_bounds_are_never_reached_with_two_changes() -> None:
    assert explored(max_coordinator_changes=2).states == 462_999


@pytest.mark.parametrize("changes", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("bound", ["max_pid", "max_producer_epoch", "max_log_length"])
def test_bounds_are_as_small_as_can_be_up_to_one_change(bound: str, changes: int) -> None:
    """One less is too small, and told."""
    protocol = KafkaTransactions(max_coordinator_changes=changes, transaction_ids=2)
    derived = {
        "max_pid": protocol.last_pid,
        "max_producer_epoch": protocol.last_epoch,
        "max_log_length": protocol.log_capacity,
    }
    assert protocol.settings[bound] is None
    settings = {"max_coordinator_changes": changes, "transaction_ids": 2, bound: derived[bound] - 1}
    exploration = explore(Semantics(model(**settings)))
    assert exploration.complete
    assert exploration.steps_out_of_bounds > 0


@pytest.mark.parametrize(
    ("bound", "steps"),
    [
        ("max_log_length", 5),
        *(pytest.param(bound, 5, marks=pytest.mark.slow) for bound in ("max_pid", "max_producer_epoch")),
    ],
)
@pytest.mark.parametrize("solver", ["cadical", pytest.param("z3", marks=pytest.mark.slow)])
def test_a_bound_that_is_too_small_is_told(bound: str, steps: int, solver: str) -> None:
    small = {"max_pid": 1, "max_producer_epoch": 0, "max_log_length": 1}
    settings = {bound: small[bound]}
    exploration = explore(Semantics(model(**settings)), ["type-ok"], steps)
    assert exploration.out_of_bounds is not None
    assert len(exploration.out_of_bounds) - 1 == steps
    query = bounded_query(
        "kafka-transactions", steps, settings=settings, properties=("type-ok",), solver=solver
    )
    (result,) = here(query, model=model(**settings))
    assert (result.verdict, result.steps) == (Verdict.OUT_OF_BOUNDS, steps)


# -- the initial choices ------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [("p1",), ("p1", "p2"), ("p1", "p2", "p3")])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_the_first_balanced_mapping_is_chosen(number: int, places: tuple[str, ...]) -> None:
    items = tuple(f"i{place}" for place in range(number))

    def is_balanced(mapping: tuple[str, ...]) -> bool:
        counts = [mapping.count(place) for place in places]
        return max(counts) - min(counts) <= 1

    first = next(filter(is_balanced, itertools.product(places, repeat=number)))
    assert balanced(items, places) == dict(zip(items, first, strict=True))
