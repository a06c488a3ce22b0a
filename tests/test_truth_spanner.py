"""Spanner's leases and transactions reach the same states as their TLA+ modules, in as many steps."""

from typing import Any

import pytest

from leadline.encodings.spanner_leases import SpannerLeases
from leadline.encodings.spanner_transactions import SpannerTransactions
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding
from leadline.symbolic.lang import (
    AssumptionFailed,
    BoolExpr,
    Claim,
    Int,
    State,
    UserError,
    build,
    exists,
    forall,
    implies,
    probe,
)
from tests.exploring import explore
from tests.truth import (
    Row,
    bounded,
    by_size,
    check_all_states,
    check_bounded,
    check_bounds,
    model_of_row,
    rows_where,
    shortest_violations,
    steps_of,
)

ROWS = rows_where(lambda row: row["protocol"] == "spanner")


def test_every_row_is_complete_and_holds() -> None:
    assert [row["module"] for row in ROWS] == ["DisjointLeases", "DisjointLeases", "TxTest", "TxTest"]
    assert all(row["complete"] for row in ROWS)
    assert all(set(shortest_violations(row).values()) == {None} for row in ROWS)


@pytest.mark.parametrize("row", by_size(ROWS, 20_000))
def test_all_states_and_no_violation(row: Row) -> None:
    exploration = explore(Semantics(model_of_row(row)), list(shortest_violations(row)))
    check_all_states(exploration, row)
    check_bounds(exploration)
    assert steps_of(exploration) == shortest_violations(row)


@pytest.mark.parametrize("row", by_size(ROWS, 20_000))
def test_bounded_check_agrees(row: Row) -> None:
    check_bounded(bounded(model_of_row(row), "cadical", 5), shortest_violations(row), 5)


@pytest.mark.parametrize("replicas", [1, 2])
def test_with_fewer_than_three_replicas_nobody_leads(replicas: int) -> None:
    """As in the module, where a candidate cannot grant its own request in time."""
    leases = model_of(find("spanner-leases"), {"replicas": replicas, "tt_max_si": 6})
    exploration = explore(Semantics(leases))
    assert exploration.complete
    assert exploration.actions["handle_vote"] > 0
    assert exploration.actions["become_leader"] == 0


@probe(SpannerLeases)
def no_second_lease(protocol: SpannerLeases, now: State) -> BoolExpr:
    """All leases start at the same time."""
    return forall(now.intervals, lambda one, other: one.end == other.end)


def test_one_leader_comes_after_another() -> None:
    """So `disjointness` says something."""
    exploration = explore(Semantics(build(SpannerLeases(), [no_second_lease])), ["no-second-lease"])
    assert exploration.properties["no-second-lease"].violations > 0


@probe(SpannerTransactions)
def some_abort_when_done(protocol: Any, now: State) -> BoolExpr:
    """Once all transactions have ended, one is aborted."""
    return implies(protocol.done(now), exists(protocol.Tx, lambda tx: now.txs[tx].status == "Aborted"))


# By set: states and diameter at `tt_max_si` 0, and the actions that never fire. TLC's figures are of
# nonconflict alone; these were found too by a program written after the module for this purpose only.
OTHER_SETS = {
    "read-only": (50_450, 33, set()),
    "circular": (31_858, 36, {"prepare"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_SETS)
def test_other_sets(name: str) -> None:
    protocol = SpannerTransactions(transactions=name, tt_max_si=0)
    transactions = build(protocol, [*find("spanner-transactions").claims, some_abort_when_done])
    exploration = explore(Semantics(transactions), ["strict-serializability", "some-abort-when-done"])
    states, diameter, idle = OTHER_SETS[name]
    check_bounds(exploration)
    assert exploration.complete
    assert (exploration.states, exploration.diameter) == (states, diameter)
    assert {action for action, times in exploration.actions.items() if times == 0} == {"tt_si_next", *idle}
    assert exploration.properties["strict-serializability"].violations == 0
    assert exploration.properties["some-abort-when-done"].violations > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_SETS)
def test_other_sets_are_safe_for_ten_steps(name: str) -> None:
    transactions = model_of(find("spanner-transactions"), {"transactions": name})
    check_bounded(bounded(transactions, "cadical", 10), {"strict-serializability": None}, 10)


BOUNDS = [
    {"transactions": "nonconflict", "tt_init_abs": 0, "tt_interval": 0, "tt_max_si": 2},
    {"transactions": "read-only", "tt_init_abs": 0, "tt_interval": 0, "tt_max_si": 1},
    *(
        pytest.param(one, marks=pytest.mark.slow)
        for one in (
            {"transactions": "nonconflict", "tt_init_abs": 2, "tt_interval": 2, "tt_max_si": 1},
            {"transactions": "circular", "tt_init_abs": 0, "tt_interval": 0, "tt_max_si": 2},
        )
    ),
]


@pytest.mark.parametrize("settings", BOUNDS, ids=str)
def test_time_has_the_bounds_that_it_needs(settings: dict[str, int | str]) -> None:
    """Nothing is later than the encoding allows; without read-only transactions the last time is reached."""
    transactions = model_of(find("spanner-transactions"), settings)
    last = transactions.variable("tt_abs").type
    assert isinstance(last, Int)
    claims = [time_stays_below(last.high)]
    exploration = explore(Semantics(build(SpannerTransactions(**settings), claims)), ["time-stays-below"])
    check_bounds(exploration)
    assert exploration.complete
    reached = exploration.properties["time-stays-below"].violations > 0
    assert reached == (settings["transactions"] != "read-only")


def time_stays_below(last: int) -> Claim:
    def time_stays_below(protocol: SpannerTransactions, now: State) -> BoolExpr:
        below: BoolExpr = now.tt_abs < last
        return below

    return probe(SpannerTransactions)(time_stays_below)


MOST_VARIABLES, MOST_CLAUSES = 8_000, 30_000


@pytest.mark.parametrize("name", ["nonconflict", *OTHER_SETS])
def test_a_step_stays_small(name: str) -> None:
    template = Encoding(model_of(find("spanner-transactions"), {"transactions": name})).step.template
    assert template.variables <= MOST_VARIABLES
    assert template.clauses <= MOST_CLAUSES


def test_the_clock_must_not_begin_below_zero() -> None:
    with pytest.raises(AssumptionFailed, match="tt_init_abs is at least tt_interval"):
        model_of(find("spanner-leases"), {"tt_init_abs": 0})


def test_the_clock_is_no_protocol() -> None:
    with pytest.raises(UserError, match="there is no protocol `truetime`"):
        find("truetime")
