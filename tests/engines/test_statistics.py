"""The numbers that random runs and explorations tell of actions, probes, depths and values."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from leadline.symbolic.engines import Query, answer
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts, SimulateFacts
from leadline.symbolic.engines.explore.simulate import SimulateOptions
from leadline.symbolic.engines.explore.statistics import MOST_VALUES, RunStatistics
from leadline.symbolic.lang import in_tla
from leadline.symbolic.meaning import Explorer
from tests.asking import model_for
from tests.cli.conftest import Leadline, leadline  # noqa: F401  # a fixture

COUNTER = '''
from leadline.symbolic.lang import *

class Counter(Protocol):
    """Counts up to 40, and by chance much higher."""

    def define(self, state):
        state.count = Int(0, 90)
        state.pair = Tuple((Int(0, 1), Bool()))
        state.flag = Option(Bool())

    def init(self, start):
        start.count, start.pair, start.flag = 0, (0, False), None

    @action
    def up(self, now, nxt):
        nxt.count = now.count + 1
        nxt.flag = now.count > 3

    @action
    def jump(self, now, nxt):
        nxt.require(now.count == 2)
        nxt.count = 80

@constraint(Counter)
def low(counter, now):
    return now.count <= 40

@probe(Counter)
def never_three(counter, now):
    return now.count != 3

@probe(Counter)
def never_sixty(counter, now):
    return now.count != 60
'''


@pytest.fixture
def counter(tmp_path: Path) -> str:
    (tmp_path / "counting.py").write_text(COUNTER)
    return str(tmp_path / "counting.py")


def test_runs_are_counted_one_after_the_other() -> None:
    found = RunStatistics(2, ("a", "b", "c"), ("reached", "never"))
    for path in ("abab", "b", ""):
        assert found.meet((0, "x")) == (found.runs == 0)
        for action in path:
            found.take(action)
            found.meet((sum(found.taken), "x"))
            if action == "b":
                found.reach("reached")
        found.end()
    assert (found.runs, sum(found.taken), found.longest, found.states) == (3, 5, 4, 6)
    assert (found.taken, found.runs_taking) == ([2, 3, 0], [1, 2, 0])
    assert found.by_depth() == [1, 2, 1, 1, 1]
    assert (found.reached(0), found.reached(1)) == ((2, 1.5), (0, None))
    assert found.values == [Counter(range(6)), Counter(x=6)]


def test_a_state_counts_for_the_fewest_steps_after_which_a_run_meets_it() -> None:
    found = RunStatistics(1, ("go",), ())
    for path in ((1, 2, 3), (3,)):
        found.meet((0,))
        for state in path:
            found.take("go")
            found.meet((state,))
        found.end()
    assert found.by_depth() == [1, 2, 1]


def test_random_runs_tell_rates_probes_depths_and_values(counter: str) -> None:
    query = Query(counter, {}, None, SimulateOptions(runs=60, depth=9))
    facts = answer(model_for(query), query).told(SimulateFacts)
    assert sum(facts.action_rates.values()) == pytest.approx(1)
    assert facts.action_rates["up"] == facts.actions["up"] / facts.steps
    assert facts.runs_taking["up"] == 60 and facts.runs_taking["jump"] == facts.actions["jump"]
    assert facts.probes["never-sixty"] == {"runs": 0, "median_steps": None}
    reached = facts.probes["never-three"]
    assert reached == {"runs": 60 - facts.actions["jump"], "median_steps": 3.0}
    assert 0 < reached["runs"] < 60
    # A run meets 0 to 9, or 0, 1, 2 and 80.
    assert facts.states_by_depth == [1, 1, 1, 2, 1, 1, 1, 1, 1, 1] and facts.states == 11
    assert facts.values["count"]["distinct"] == 11
    assert facts.values["flag"]["most_frequent"][0] == {"value": "FALSE", "states": 5}


def test_values_on_circuits_are_those_on_values(counter: str) -> None:
    told = {}
    for by in ("circuits", "values"):
        query = Query(counter, {}, None, ExploreOptions(by=by, count_values=True))
        told[by] = answer(model_for(query), query).told(ExploreFacts).values
    assert told["circuits"] == told["values"]
    values = told["values"]
    assert values is not None
    # The state beyond the constraint, 80, is left out, and so is 41.
    assert values["count"]["distinct"] == 41 and len(values["count"]["most_frequent"]) == MOST_VALUES
    assert values["count"]["most_frequent"][1] == {"value": "1", "states": 1}
    assert values["pair"] == {"distinct": 1, "most_frequent": [{"value": "<<0, FALSE>>", "states": 41}]}
    assert [x["states"] for x in values["flag"]["most_frequent"]] == [36, 4, 1]


@pytest.mark.parametrize("name", ["two-phase-commit", "spanner-leases"])
def test_values_of_built_in_protocols(name: str) -> None:
    query = Query(name, {}, (), ExploreOptions(depth=5, count_values=True))
    model = model_for(query)
    values = answer(model, query).told(ExploreFacts).values
    assert values is not None
    from leadline.symbolic.concrete import Semantics

    explorer = Explorer(Semantics(model), (), 5)
    explorer.run()
    for place, variable in enumerate(model.variables):
        counts = Counter(in_tla(variable.type, state[place]) for state in explorer.order)
        found = values[variable.name]
        assert found["distinct"] == len(counts)
        assert all(counts[one["value"]] == one["states"] for one in found["most_frequent"])
        least = found["most_frequent"][-1]["states"]
        assert sorted(counts.values(), reverse=True)[: len(found["most_frequent"])][-1] == least


MODULE = """
---- MODULE Bag ----
EXTENDS Naturals
VARIABLES items, last
Init == items = {} /\\ last = "none"
Put(i) == i \\notin items /\\ items' = items \\union {i} /\\ last' = IF i = 1 THEN "one" ELSE i
Next == \\E i \\in 1..3 : Put(i)
====
"""


def test_values_of_a_module_and_how_both_are_told(leadline: Leadline) -> None:  # noqa: F811
    Path("Bag.tla").write_text(MODULE)
    ran = leadline("explore", "Bag.tla", "--values")
    rows = {tuple(line.split()) for line in ran.out.splitlines()}
    assert {("items", "8", "{1,", "2,", "3}", "3"), ("3", "4"), ('"none"', "1")} <= rows, ran.out
    told = json.loads(leadline("explore", "Bag.tla", "--values", "--format", "json").out)
    assert told["values"]["last"]["most_frequent"][-1] == {"value": '"none"', "states": 1}
    told = json.loads(leadline("simulate", "Bag.tla", "--runs", "50", "--format", "json").out)
    assert told["states_by_depth"][0] == 1 and sum(told["states_by_depth"]) == told["states"]
    assert told["action_rates"] == {"Put": 1.0}
    assert told["values"]["items"]["distinct"] == 8
    text = leadline("simulate", "counter.py", "--runs", "5").out
    for row in (
        "CountUp  15           100.0%        5",
        "never-one  5                1",
        "seenBy    2       {n1}",
    ):
        assert row in text, text
    assert "values" not in json.loads(leadline("explore", "counter.py", "--format", "json").out)
