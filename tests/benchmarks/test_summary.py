"""Medians, ratios and targets, where some times are only bounds."""

import pytest

from leadline.benchmarks.cases import CASES
from leadline.benchmarks.summary import Cell, Ratio, cells, lines, ratio
from leadline.benchmarks.targets import judged
from leadline.benchmarks.ways import WAYS
from tests.benchmarks.rows import stopped, took

FAST, MIDDLE, SLOW = took(1.0), took(2.0), took(9.0)
ENDLESS = stopped()


def test_the_median_is_the_middle_measurement() -> None:
    cell = Cell((SLOW, FAST, MIDDLE))
    assert cell.middle is MIDDLE and cell.answered and cell.seconds == 2.0
    assert Cell((FAST, SLOW)).middle is SLOW


def test_what_was_stopped_is_slower_than_all_else() -> None:
    quick_stop = Cell((ENDLESS, took(100.0), took(200.0)))
    assert quick_stop.seconds == 200.0 and quick_stop.answered
    assert not Cell((ENDLESS, FAST)).answered
    assert Cell((ENDLESS, FAST)).seconds == 60.0


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        (SLOW, FAST, Ratio(9.0)),
        (ENDLESS, MIDDLE, Ratio(30.0, ">")),
        (MIDDLE, ENDLESS, Ratio(2 / 60, "<")),
        (ENDLESS, ENDLESS, None),
        (stopped(limit="memory"), FAST, None),
        (FAST, stopped(limit="memory"), None),
    ],
)
def test_a_ratio_knows_when_it_is_a_bound(above: object, below: object, expected: Ratio | None) -> None:
    assert ratio(Cell((above,)), Cell((below,))) == expected  # type: ignore[arg-type]  # rows, as above


def test_ratios_are_short() -> None:
    shown = [str(Ratio(value, sign)) for value, sign in [(0.034, "<"), (2.0, ""), (30.04, ">"), (412.3, "")]]
    assert shown == ["< 0.03x", "2.00x", "> 30.0x", "412x"]


def test_what_ran_out_of_memory_has_no_time() -> None:
    found = cells([took(1.0), stopped(way="steps/z3", limit="memory")])
    rows = lines(found, "explore", list(WAYS))
    assert rows[0][2:6] == ["memory", "memory", "-", "-"]


def test_the_table_compares_with_the_baseline() -> None:
    found = cells([took(1.0, way="sweeps/z3"), stopped(way="steps/z3"), took(3.0, way="sweeps/z3")])
    rows = lines(found, "steps/z3", list(WAYS))
    assert rows[0][:6] == ["not-committed-2", "steps/z3", "time", "> 60.0", "-", "-"]
    assert rows[1][:6] == ["", "sweeps/z3", "violated in 11 steps", "3.00", "1.00..3.00", "> 20.0x"]


def measured(*rows: object) -> dict[str, tuple[str, bool | None]]:
    found = cells(rows)  # type: ignore[arg-type]  # rows, as above
    return {one.what: (one.measured, one.met) for one in judged(found, CASES)}


def test_a_target_takes_the_fastest_of_its_ways() -> None:
    name = "kip-320-first-try-3222"
    found = measured(
        took(40.0, name, "steps/z3"), took(4.0, name, "sweeps/z3"), took(1.0, name, "sweeps/cadical")
    )
    (target,) = [what for what in found if "20 times faster" in what]
    assert found[target] == ("40.0x (steps/z3 to sweeps/cadical)", True)


@pytest.mark.parametrize(
    ("without", "expected"),
    [(took(50.0, "kip-320-3222", "sweeps/z3/no-symmetry"), False), (None, None)],
)
def test_a_bound_settles_a_target_or_leaves_it_open(without: object, expected: bool | None) -> None:
    slow = without or stopped("kip-320-3222", "sweeps/z3/no-symmetry")
    found = measured(slow, took(20.0, "kip-320-3222", "sweeps/cadical"))
    (target,) = [what for what in found if "without symmetry" in what]
    # A minute by twenty seconds: the truth is above 3, so perhaps above 10.
    assert found[target][1] is expected


def test_a_large_bound_meets_a_target_that_a_large_ratio_meets() -> None:
    slow = stopped("kip-320-3222", "sweeps/z3/no-symmetry")
    found = measured(slow, took(5.0, "kip-320-3222", "sweeps/cadical"))
    (target,) = [what for what in found if "without symmetry" in what]
    assert found[target] == ("> 12.0x (sweeps/z3/no-symmetry to sweeps/cadical)", True)


def test_a_large_bound_breaks_a_target_that_asks_for_a_small_ratio() -> None:
    found = measured(
        stopped("kip-320-first-try-3666", "sweeps/z3"), took(5.0, "kip-320-first-try-3222", "sweeps/z3")
    )
    (target,) = [what for what in found if "at most 5 times" in what]
    assert found[target] == ("> 12.0x (sweeps/z3 to sweeps/z3)", False)


def test_finding_is_compared_with_exploring_once_that_takes_long() -> None:
    sooner = "is found by sweeps faster than by exploring"
    short = measured(took(1.9), took(1.0, way="sweeps/z3"))
    assert not any(sooner in what for what in short)
    long = measured(took(2.1), took(4.2, way="sweeps/z3"))
    assert long[f"not-committed-2 {sooner}"] == ("0.50x (explore to sweeps/z3)", False)


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (0.2, ("at most 20% (not-committed-2, steps/z3)", True)),
        (1.2, ("at most 60% (not-committed-2, sweeps/z3)", False)),
    ],
)
def test_building_is_judged_where_it_is_most(build: float, expected: object) -> None:
    """A search of less than a second does not count."""
    found = measured(
        took(0.9, way="sweeps/cadical", build=0.8),
        took(10.0, way="steps/z3", build=2.0),
        took(2.0, way="sweeps/z3", build=build),
        took(5.0),
    )
    assert found["building is less than 30% of every search that takes over 1 s"] == expected


def test_building_is_not_judged_where_every_search_is_short() -> None:
    found = measured(took(0.9, way="sweeps/cadical", build=0.8), took(5.0))
    assert found["building is less than 30% of every search that takes over 1 s"] == ("not measured", None)
