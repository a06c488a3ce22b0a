"""Exploration on circuits: the numbers, verdicts and lengths of the search on values."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from leadline.symbolic.bits import Machine, NoCircuits, Search, initial_states, search
from leadline.symbolic.bits.commuting import Commuting
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Query, answer
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.lang import (
    Int,
    Model,
    ModelError,
    Protocol,
    UserError,
    action,
    build,
    nodes as n,
    pick,
)
from tests.engines.crowd import Crowd, at_most_three, not_all
from tests.engines.explorers import check_same, on_circuits
from tests.engines.numbers import names_of, numbers
from tests.exploring import explore
from tests.random_symmetric import symmetric_model
from tests.strategies import models
from tests.tla.modules import ALL
from tests.tlc_names import MODULES
from tests.truth import (
    Row,
    by_size,
    check_all_states,
    check_bounds,
    model_of_row,
    name_of,
    rows_where,
    shortest_violations,
    steps_of,
)

LONG: list[tuple[str, dict[str, Any], int | None]] = [
    ("kafka-replication", {"replicas": 2, "variant": "kip-320-first-try"}, 8),
    ("kafka-transactions", {"clients": 1, "max_coordinator_changes": 2}, 6),
    ("kafka-transactions", {"clients": 1, "variant": "mended-become-leader"}, 8),
    ("spanner-transactions", {"transactions": "circular"}, 6),
    ("pulsar-compaction", {}, None),
    ("kafka-replication", {"replicas": 2}, None),
]
"""The search on values takes long, or a like one is quick."""
SMALL = [
    ("kafka-replication", {"replicas": 2, "variant": "truncate-to-high-watermark"}, 8),
    ("pulsar-compaction", {"keys": 0, "values": 0}, None),
    ("spanner-leases", {"replicas": 2}, None),
    ("spanner-transactions", {}, 9),
    *LONG,
    ("two-phase-commit", {}, 8),
    ("two-phase-commit", {"variant": "backup-manager"}, 8),
]
"""Protocols, their parameters, and a bound on depth."""


@pytest.mark.parametrize(
    ("name", "settings", "depth"),
    [pytest.param(*one, marks=pytest.mark.slow if one in LONG else ()) for one in SMALL],
    ids=str,
)
def test_built_in_protocols(name: str, settings: dict[str, Any], depth: int | None) -> None:
    assert check_same(model_of(find(name), settings), depth) is not None


# -- TLC's figures ------------------------------------------------------------------------------------

ROWS = rows_where(lambda row: row["module"] in MODULES)
DEEPEST = 200_000
"""The states of a row that is not slow."""


@pytest.mark.parametrize("row", by_size([row for row in ROWS if row["complete"]], 10_200))
def test_all_states_and_shortest_violations(row: Row) -> None:
    found = on_circuits(model_of_row(row), names=list(shortest_violations(row)))
    check_all_states(found, row)
    assert steps_of(found) == shortest_violations(row)
    check_bounds(found)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=name_of(row), marks=[pytest.mark.slow] if number else [])
        for number, row in enumerate(row for row in ROWS if not row["complete"])
    ],
)
def test_states_as_deep_as_tlc_went(row: Row) -> None:
    within = [states for states in row["states_within_steps"] if states < DEEPEST]
    found = on_circuits(model_of_row(row), len(within) - 1, names=list(shortest_violations(row)))
    assert list(found.states_within_steps) == within
    check_bounds(found)


@pytest.mark.slow
def test_a_million_states() -> None:
    """737,794 states, as TLC and the search on values count; all of KIP-320's first try, 1,437,076."""
    assert on_circuits(model_of(find("kafka-replication"), {})).states == 737_794
    first = model_of(find("kafka-replication"), {"variant": "kip-320-first-try"})
    assert on_circuits(first).states == 1_437_076


# -- TLA+ modules -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_modules(name: str, tmp_path: Path) -> None:
    module, config = ALL[name]
    (tmp_path / f"{name}.cfg").write_text(config)
    (tmp_path / f"{name}.tla").write_text(module)
    check_same(model_of(find(str(tmp_path / f"{name}.tla")), {}))


# -- random protocols ---------------------------------------------------------------------------------

MOST = 3_000
"""The states of a random protocol at most."""

MORE = settings(
    max_examples=20,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def compare(model: Model) -> None:
    try:
        check_same(model, most=MOST)
    except NoCircuits:
        pass
    except ModelError as error:
        assert "has no initial state" in str(error)


@pytest.mark.parametrize("seed", range(30))
def test_random_protocols(seed: int) -> None:
    try:
        model = symmetric_model(seed)
    except UserError:
        return
    compare(model)


@pytest.mark.parametrize("seed", range(30, 50))
def test_random_protocols_without_steps_that_commute(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in large levels."""
    monkeypatch.setattr(search, "_ORDERED", 0)
    test_random_protocols(seed)


def test_crashes_of_two_managers_commute() -> None:
    machine = Machine(model_of(find("two-phase-commit"), {}))
    commuting = Commuting(machine)
    names = [machine.model.actions[one.action].name for one in machine.moves]
    first, last = (place for place, name in enumerate(names) if name == "rm_crash")
    assert not commuting.needed(last)[1 + first]
    assert all(commuting.needed(last)[[0, 1 + last]]), "a step without one before it, or after itself"
    assert commuting.needed(first)[1 + last], "the other order is taken"


@pytest.mark.slow
@MORE
@given(models())
def test_more_random_protocols(model: Model) -> None:
    compare(model)


def test_the_bound_on_states_holds_for_initial_states() -> None:
    """There are 25 ** 8."""
    model = model_of(find("pulsar-compaction"), {"message_sent_limit": 8, "keys": 4, "values": 4})
    found = on_circuits(model, max_states=1_000, names=["type-safe"])
    assert (found.states, found.stopped) == (1_000, "states: stopped at 1000")


@pytest.mark.parametrize("seed", range(15))
def test_views_of_random_protocols(seed: int) -> None:
    """States are told apart by the first variable, except beyond a constraint."""
    try:
        model = symmetric_model(seed)
    except UserError:
        return
    first = model.variables[0]
    values, names = Semantics(model), names_of(model)
    values.view = lambda state: state[0]
    expected = explore(values, names, max_states=MOST)
    if expected.stopped is None:
        view = n.make(n.StateVar, first.type, first.span, first.name)
        with suppress(NoCircuits):
            found = on_circuits(model, view=view)
            assert (numbers(found), found.all_views) == (numbers(expected), True)


# -- bounds and options -------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [None, 0, 1, 3, 6])
@pytest.mark.parametrize("claims", [(not_all,), (not_all, at_most_three)])
def test_constraints_deadlocks_and_depths(claims: tuple[Any, ...], depth: int | None) -> None:
    assert check_same(build(Crowd(), claims), depth) is not None


@pytest.mark.parametrize("most", [1, 5, 100, 1295, 1296])
def test_a_bound_on_states(most: int) -> None:
    whole = on_circuits(build(Crowd(), [not_all]))
    assert whole.states == 1296
    found = on_circuits(build(Crowd(), [not_all]), max_states=most)
    stopped = None if most == 1296 else f"states: stopped at {most}"
    assert (found.states, found.complete, found.stopped) == (most, most == 1296, stopped)
    full = found.states_within_steps
    assert full == whole.states_within_steps[: len(full)]


def test_the_answer_says_which_explorer_it_is_of() -> None:
    settings = {"resource_managers": 1}
    model = model_of(find("two-phase-commit"), settings)

    def by(properties: tuple[str, ...], depth: int | None = 3, **options: Any) -> tuple[Any, Any]:
        query = Query("two-phase-commit", settings, properties, ExploreOptions(depth=depth, **options))
        facts = answer(model, query).told(ExploreFacts)
        return facts.by, facts.by_values_since

    assert by(("consistency",)) == ("circuits", None)
    assert by(("consistency",), by="values") == ("values", None)
    assert by(("completed",), None) == ("circuits", None)
    assert by(("completed",)) == ("values", "completed is a claim about runs, with a bound on depth")
    with pytest.raises(UserError, match="--by circuits: completed is a claim about runs, with a bound"):
        by(("completed",), by="circuits")


class Many(Protocol):
    """A pick has more values than steps are encoded for."""

    def define(self, state: Any) -> None:
        self.Floor = Int(0, 30_000)
        state.number = self.Floor

    def init(self, start: Any) -> None:
        start.number = 0

    @action
    def jump(self, now: Any, nxt: Any, to: Any = pick("Floor")) -> None:
        """To one of a few."""
        nxt.require(to <= 2)
        nxt.number = to


def test_picks_of_many_values_are_explored_on_values() -> None:
    model = build(Many(), [])
    with pytest.raises(NoCircuits, match="over 20,000 values"):
        on_circuits(model)
    facts = answer(model, Query("many", {}, None, ExploreOptions())).told(ExploreFacts)
    assert (facts.by, facts.states) == ("values", 3)
    assert "over 20,000 values" in str(facts.by_values_since)


def narrow_search(seconds: float) -> Search:
    """A search of states in which somebody can count too far after two steps; all are inside after four."""
    model = build(Crowd(), [not_all])
    machine = Machine(model)
    (claim,) = model.properties.values()
    return Search(machine, [machine.claim(claim.formula)], until_outside=seconds)


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_what_is_wrong_beyond_a_step_that_leaves_the_types_does_not_count(seconds: float) -> None:
    search = narrow_search(seconds)
    model = search.machine.model
    search.run(initial_states(model))
    assert len(search.within) == 3 and search.begun is not None
    assert search.begun.start == search.within[1] and search.begun.end == search.within[-1]
    assert search.failures and not search.complete
    assert search.deadlock is None and search.found[0].violated_at is None
    assert (search.expanded == search.size > 100) is (seconds > 0)
    places = [variable.name for variable in model.variables]
    left = [dict(zip(places, search.machine.state(one), strict=True)) for one in search.leaving]
    assert left and all(2 in one["counts"] for one in left)
    assert any(one["inside"] for one in left) is (seconds > 0)


def test_nor_does_it_where_a_limit_ends_the_search() -> None:
    search = narrow_search(60.0)
    expand = search._expand

    def until_wrong(low: int, high: int) -> None:
        if search.deadlock is not None and search.found[0].violated_at is not None:
            raise MemoryError
        expand(low, high)

    search._expand = until_wrong  # type: ignore[method-assign]  # for this search alone
    with pytest.raises(MemoryError):
        search.run(initial_states(search.machine.model))
    assert search.deadlock is None and search.found[0].violated_at is None


def test_the_steps_of_a_path_are_found_in_batches() -> None:
    model = build(Crowd(), [not_all])
    search = Search(Machine(model))
    search.run(initial_states(model))
    assert search.deadlock is not None
    path = search.states_to(search.deadlock)
    moves = search.moves_between(path[:-1], path[1:])
    assert [[model.actions[one.action].name for one in found] for found in moves] == [["enter"]] * 4
    search._steps.lanes = 3
    assert search.moves_between(path[:-1], path[1:]) == moves
