"""Random runs: what they find is a run of the model, and what they do not find stays unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Answer, Limits, Query, Verdict, answer
from leadline.symbolic.engines.explore.facts import SimulateFacts
from leadline.symbolic.engines.explore.simulate import SimulateOptions, weights_of
from leadline.symbolic.lang import ModelError, UserError
from leadline.symbolic.meaning import explore
from leadline.symbolic.trace import DEADLOCK, replay
from tests.asking import model_for
from tests.cli.conftest import Leadline, leadline  # noqa: F401  # a fixture

FILE = Path(__file__).parent / "protocols.py"


def simulated(name: str, *, deadlock: bool = False, limits: Limits | None = None, **options: Any) -> Answer:
    settings = options.pop("settings", {})
    query = Query(f"{FILE}:{name}", settings, None, SimulateOptions(**options), deadlock=deadlock)
    return answer(model_for(query), query, limits or Limits())


@pytest.mark.parametrize("settings", [{}, {"at_top": "break"}, {"at_top": "stop", "first": 2}], ids=str)
def test_it_finds_nothing_that_exploration_does_not(settings: dict[str, Any]) -> None:
    query = Query(f"{FILE}:Lift", settings, None, SimulateOptions(200, 20), deadlock=True)
    model = model_for(query)
    told, seen = answer(model, query), explore(Semantics(model), list(model.properties))
    assert told.told(SimulateFacts).states <= seen.states
    for result in told.results:
        if result.verdict is Verdict.VIOLATED:
            assert result.trace is not None
            replay(Semantics(model), result.trace)
            least = (
                len(seen.deadlock) - 1
                if result.property == DEADLOCK and seen.deadlock
                else seen.properties[result.property].steps
            )
            assert least is not None and result.trace.length >= least
        else:
            assert result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BOUNDS)
    violated = {name for name, one in seen.properties.items() if one.violation is not None}
    found = {one.property for one in told.results if one.verdict is Verdict.VIOLATED}
    assert violated <= found, "the model is small: two hundred runs meet every state"


def test_the_same_seed_takes_the_same_runs() -> None:
    first, again, other = (
        simulated("Lift", runs=5, depth=9, seed=seed).told(SimulateFacts) for seed in (7, 7, 8)
    )
    assert first == again != other


def test_no_violation_is_unknown_and_says_why() -> None:
    told = simulated("Lift", runs=3, depth=0)
    unknown = [one for one in told.results if one.verdict is Verdict.UNKNOWN]
    assert unknown
    assert {one.reason for one in unknown} == {"no violation in 3 runs of at most 0 steps"}


def test_limits_and_models_that_cannot_begin() -> None:
    told = simulated("Lift", runs=100_000_000, limits=Limits(seconds=0.3))
    assert told.told(SimulateFacts).stopped == "time: stopped after 0.3 s"
    with pytest.raises(ModelError, match="has no initial state"):
        simulated("Begin", settings={"fine": False, "broken": False})


def test_on_the_command_line(leadline: Leadline) -> None:  # noqa: F811
    ran = leadline("simulate", "counter.py", "--runs", "20", "--seed", "3", "--format", "json")
    data = json.loads(ran.out)
    assert (ran.code, data["runs"]) == (12, 20)
    assert data["properties"]["below-three"]["verdict"] == "violated"
    assert data["properties"]["not-negative"]["verdict"] == "unknown"
    assert data["actions"]["count_up"] > 0
    ran = leadline("simulate", "counter.py", "-p", "top=2", "--property", "below-three", "--runs", "2")
    assert ran.code == 20 and "count_up" not in ran.err and "CountUp" in ran.out


def test_a_heavy_action_is_taken_more_often() -> None:
    """Twenty to one where both are enabled; what is found stays a run of the model."""
    model = model_for(Query(f"{FILE}:Lift", {}, None, SimulateOptions()))
    first, *_ = taken = [
        name for name, n in simulated("Lift", runs=50, depth=40).told(SimulateFacts).actions.items() if n
    ]
    assert len(taken) > 1
    plain = simulated("Lift", runs=50, depth=40).told(SimulateFacts).actions
    heavy = simulated("Lift", runs=50, depth=40, weights=(f"{first}=20",)).told(SimulateFacts).actions
    assert heavy[first] / sum(heavy.values()) > plain[first] / sum(plain.values())
    assert weights_of(model, SimulateOptions(weights=(f"{first}=20",))) == {first: 20}


@pytest.mark.parametrize("weight", ["no_such=3", "{}=0", "{}", "{}=x", "{}=-1", "{}=2 {}=3"])
def test_a_wrong_weight_is_told(weight: str) -> None:
    model = model_for(Query(f"{FILE}:Lift", {}, None, SimulateOptions()))
    given = tuple(weight.replace("{}", model.actions[0].tla).split())
    with pytest.raises(UserError, match=r"has no action|weight"):
        weights_of(model, SimulateOptions(weights=given))


BEYOND = """---- MODULE Beyond ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = x + 1
Few == x < 3
Small == x' < 3
Inv == x # 3
====
"""


@pytest.mark.parametrize("constraint", ["CONSTRAINT Few", "ACTION_CONSTRAINT Small"])
def test_a_state_that_a_constraint_excludes_is_checked_and_is_no_deadlock(
    constraint: str,
    tmp_path: Path,
    leadline: Leadline,  # noqa: F811  # the fixture
) -> None:
    (tmp_path / "Beyond.tla").write_text(BEYOND)
    (tmp_path / "Beyond.cfg").write_text(f"INIT Init\nNEXT Next\n{constraint}\nINVARIANT Inv\n")
    ran = leadline("simulate", str(tmp_path / "Beyond.tla"), "--runs", "3", "--deadlock", "--format", "json")
    told = json.loads(ran.out)
    assert (ran.code, told["deadlocks"]) == (12, 0)
    found = {name: (one["verdict"], one["steps"]) for name, one in told["properties"].items()}
    assert found == {"Inv": ("violated", 3), "deadlock": ("unknown", None)}
