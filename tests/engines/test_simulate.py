"""Random runs: what they find is a run of the model, and what they do not find stays unknown."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leadline.symbolic.bits import Machine, NoCircuits, RandomRuns, drawn_states, initial, walks
from leadline.symbolic.bits.lanes import sliced, unsliced
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Answer, Limits, Listener, Query, Result, Verdict, answer
from leadline.symbolic.engines.ask.engine import Interrupted
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.engines.explore.facts import SimulateFacts
from leadline.symbolic.engines.explore.simulate import Simulate, SimulateOptions, weights_of
from leadline.symbolic.engines.runs.reduction import answered
from leadline.symbolic.lang import Int, Model, ModelError, Protocol, UserError, build
from leadline.symbolic.solve import SOLVERS
from leadline.symbolic.trace import DEADLOCK, replay
from tests.asking import model_for
from tests.cli.conftest import Leadline, leadline  # noqa: F401  # a fixture
from tests.exploring import explore
from tests.random_symmetric import symmetric_model

FILE = Path(__file__).parent / "protocols.py"


def simulated(name: str, *, deadlock: bool = False, limits: Limits | None = None, **options: Any) -> Answer:
    settings = options.pop("settings", {})
    query = Query(f"{FILE}:{name}", settings, None, SimulateOptions(**options), deadlock=deadlock)
    return answer(model_for(query), query, limits or Limits())


@pytest.mark.parametrize("by", ["circuits", "values"])
@pytest.mark.parametrize("settings", [{}, {"at_top": "break"}, {"at_top": "stop", "first": 2}], ids=str)
def test_it_finds_nothing_that_exploration_does_not(settings: dict[str, Any], by: str) -> None:
    query = Query(f"{FILE}:Lift", settings, None, SimulateOptions(200, 20, by=by), deadlock=True)
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


@pytest.mark.parametrize("by", ["circuits", "values"])
def test_the_same_seed_takes_the_same_runs(by: str) -> None:
    first, again, other = (
        simulated("Lift", runs=5, depth=9, seed=seed, by=by).told(SimulateFacts) for seed in (7, 7, 8)
    )
    assert first == again != other and first.by == by


UNEVEN = '''
from leadline.symbolic.lang import *

class Uneven(Protocol):
    """One action has one outcome, another three of which two are equal, and a third goes out of bounds."""

    def define(self, state):
        state.at = Int(0, 9)

    def init(self, start):
        start.at = start.pick("first", Int(0, 1))

    @action
    def single(self, now, nxt):
        nxt.require(now.at < 2)
        nxt.at = 2

    @action
    def triple(self, now, nxt):
        x = nxt.pick("x", Int(0, 3))
        nxt.require(now.at < 2, x > 0)
        nxt.at = ite(x == 1, 4, 5)

    @action
    def beyond(self, now, nxt):
        nxt.require(now.at == 1)
        nxt.at = now.at + 9

@probe(Uneven)
def never_two(uneven, now):
    return now.at != 2

@probe(Uneven)
def never_four(uneven, now):
    return now.at != 4

@probe(Uneven)
def never_five(uneven, now):
    return now.at != 5
'''


@pytest.mark.parametrize("by", ["circuits", "values"])
@pytest.mark.parametrize("weight", [1, 3])
def test_a_step_is_a_random_outcome_of_a_random_action(by: str, weight: int, tmp_path: Path) -> None:
    """Each action is as likely as another or by its weight; so is each outcome of one, equal ones twice."""
    (tmp_path / "uneven.py").write_text(UNEVEN)
    runs = 6_000
    options = SimulateOptions(runs, 5, by=by, weights=(f"single={weight}",))
    query = Query(str(tmp_path / "uneven.py"), {}, None, options)
    facts = answer(model_for(query), query).told(SimulateFacts)
    rates = (weight / (weight + 1) + weight / (weight + 2)) / 2, (1 / (weight + 1) + 1 / (weight + 2)) / 2
    expected = {"single": rates[0], "triple": rates[1], "beyond": 1 / (weight + 2) / 2}
    probes = {"never-two": rates[0], "never-four": rates[1] / 3, "never-five": rates[1] * 2 / 3}
    assert (facts.runs, facts.steps, facts.longest, facts.runs_taking) == (runs, runs, 1, facts.actions)
    found = {**facts.actions, **{name: facts.probes[name]["runs"] for name in probes}}
    for name, rate in (expected | probes).items():
        # Four standard deviations and a half.
        assert abs(found[name] / runs - rate) < 4.5 * (rate * (1 - rate) / runs) ** 0.5, (name, found[name])


def test_runs_side_by_side_have_the_frequencies_of_runs_on_values() -> None:
    """Rates, probes, depths and values are the same in both but for chance, also where runs end early."""
    one, other = (simulated("Lift", runs=4_000, depth=12, by=by) for by in ("circuits", "values"))
    a, b = one.told(SimulateFacts), other.told(SimulateFacts)
    assert (a.states, a.states_by_depth, a.longest) == (b.states, b.states_by_depth, b.longest)
    assert a.steps == sum(a.actions.values()) and a.steps == pytest.approx(b.steps, rel=0.05)
    for name, rate in b.action_rates.items():
        assert abs(a.action_rates[name] - rate) < 0.02
        assert abs(a.runs_taking[name] - b.runs_taking[name]) < 250
    assert {name: x["distinct"] for name, x in a.values.items()} == {
        name: x["distinct"] for name, x in b.values.items()
    }
    assert [x.verdict for x in one.results] == [x.verdict for x in other.results]


@pytest.mark.parametrize("seed", range(12))
def test_runs_of_random_protocols_go_where_exploration_does(seed: int) -> None:
    """Each state at no fewer steps than in exploration, with all states at the depths that runs exhaust."""
    try:
        model = symmetric_model(seed)
    except UserError:
        return
    query = Query(model.protocol, {}, None, SimulateOptions(3_000, 5), deadlock=True)
    try:
        told = answer(model, query)
    except ModelError as error:
        assert "has no initial state" in str(error)
        return
    facts, seen = told.told(SimulateFacts), explore(Semantics(model), list(model.properties), depth=5)
    within = accumulate(facts.states_by_depth)
    assert all(x <= y for x, y in zip(within, seen.states_within_steps, strict=False))
    assert facts.states_by_depth[0] <= seen.states_within_steps[0]
    violated = {name for name, one in seen.properties.items() if one.violation is not None}
    found = {x.property for x in told.results if x.verdict is Verdict.VIOLATED} - {DEADLOCK}
    assert found <= violated
    for one in told.results:
        if one.trace is not None:
            replay(Semantics(model), one.trace)


@pytest.mark.parametrize("seed", range(12))
def test_each_step_side_by_side_is_one_on_values(seed: int) -> None:
    """Updates are made once for all values of an action's picks: each step leads where its values do."""
    try:
        model = symmetric_model(seed)
    except UserError:
        return
    machine, semantics = Machine(model), Semantics(model)
    parts = [{place} for place in range(len(model.actions))]
    runs = RandomRuns(machine, [], parts, [1] * len(parts), 500, 6, seed)
    begin, _ = drawn_states(model, 0)
    if not len(begin):
        return
    runs.run(begin)
    states = [machine.state(words) for words in runs.states]
    for number in range(len(states)):
        *before, last = (states[one] for one in runs.path(number)[-2:])
        after = semantics.successors(before[0]) if before else semantics.initial()
        assert any(outcome.state == last for outcome in after)


def test_states_get_wider_when_runs_set_more_bits() -> None:
    bits, lanes, dice = 200, 300, np.random.default_rng(0)
    narrow, kept = walks.Narrow(bits), []
    for often in (0, 3, 70, 150):
        truth = np.zeros((bits, 5 * 64), np.uint8)
        set_ones = dice.permutation(bits)[:often]
        truth[set_ones, :lanes] = dice.integers(0, 2, (often, lanes), np.uint8)
        rows = np.packbits(truth, axis=1, bitorder="little").view(np.uint64)
        kept.append((narrow.states(rows, lanes), rows))
    assert [states.shape[1] for states, _ in kept] == [1, 1, 2, 3]
    for states, rows in kept:
        again = np.empty_like(rows)
        narrow.slice(states, again)
        assert (again == rows).all() and (narrow.whole(states) == unsliced(rows, lanes)).all()


class Late(Protocol):
    """Which first pick is right shows at the last one."""

    def define(self, state: Any) -> None:
        state.both = Int(0, 30)

    def init(self, start: Any) -> None:
        first, second = start.pick("first", Int(0, 15)), start.pick("second", Int(0, 15))
        start.require(first + second == 30)
        start.both = first + second


@pytest.mark.parametrize("seed", range(5))
def test_runs_begin_in_some_of_too_many_states(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Runs begin in the first initial states where thinning out leaves none."""
    monkeypatch.setattr(initial, "MOST_DRAWN", 4)
    for model in (model_of(find("pulsar-compaction"), {}), build(Late(), [])):
        begin, some = drawn_states(model, seed)
        machine, semantics = Machine(model), Semantics(model)
        assert some and 0 < len(begin) <= 4
        firsts = {outcome.state for outcome in semantics.initial()}
        assert {machine.state(words) for words in begin} <= firsts


@pytest.mark.slow
def test_too_many_initial_states_are_told() -> None:
    """25 ** 8 of them."""
    settings = {"message_sent_limit": 8, "keys": 4, "values": 4}
    query = Query("pulsar-compaction", settings, ("type-safe",), SimulateOptions(20, 5))
    facts = answer(model_for(query), query, Limits()).told(SimulateFacts)
    assert facts.runs == 20 and facts.begun_in is not None and 0 < facts.begun_in <= initial.MOST_DRAWN


@pytest.mark.parametrize(("bits", "size"), [(1, 1), (64, 1), (93, 2), (130, 1), (200, 700)])
def test_slicing_puts_each_bit_of_a_state_into_its_lane(bits: int, size: int) -> None:
    """And leaves the states that it was given as they are."""
    number, dice = size * 64 - 5, np.random.default_rng(0)
    truth = dice.integers(0, 2, (number, -(-bits // 64) * 64), np.uint8)
    truth[:, bits:] = 0
    states = np.packbits(truth, axis=1, bitorder="little").view(np.uint64)
    rows, before = np.empty((bits, size), np.uint64), states.copy()
    sliced(states, rows)
    lanes = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    assert (lanes[:, :number] == truth[:, :bits].T).all() and not lanes[:, number:].any()
    assert (states == before).all() and (unsliced(rows, number) == before).all()


@pytest.mark.slow
def test_lanes_begin_again_until_all_runs_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of many lengths: each counts once, and a lane that begins again knows nothing of its last run."""
    monkeypatch.setattr(walks, "LANES", 64)
    query = Query("kafka-replication", {"replicas": 2}, (), SimulateOptions(1_000, 12), deadlock=True)
    model = model_for(query)
    facts = answer(model, query).told(SimulateFacts)
    assert (facts.runs, facts.longest, facts.by) == (1_000, 12, "circuits")
    values = answer(model, replace(query, options=SimulateOptions(1_000, 12, by="values"))).told(
        SimulateFacts
    )
    assert 0 < values.deadlocks < 1_000 and abs(values.deadlocks - facts.deadlocks) < 100
    assert facts.steps == pytest.approx(values.steps, rel=0.05)
    for name, number in values.runs_taking.items():
        assert abs(facts.runs_taking[name] - number) < 100


@pytest.mark.parametrize("by", ["circuits", pytest.param("values", marks=pytest.mark.slow)])
def test_limits_and_models_that_cannot_begin(by: str) -> None:
    asked = Query(f"{FILE}:Lift", {}, None, SimulateOptions(runs=100_000_000, by=by))
    listener = Listener(progress=lambda _: signal.raise_signal(signal.SIGALRM))
    facts = answer(model_for(asked), asked, Limits(seconds=600), listener).told(SimulateFacts)
    assert facts.stopped == "time: stopped after 600 s"
    assert facts.runs and facts.steps == sum(facts.actions.values())
    with pytest.raises(ModelError, match="has no initial state"):
        simulated("Begin", settings={"fine": False, "broken": False}, by="values")


def test_what_has_no_circuits_is_taken_on_values() -> None:
    """An initial state out of bounds is for values alone; asked for circuits, that is told."""
    facts = simulated("Begin", settings={"fine": True, "broken": True}).told(SimulateFacts)
    assert (facts.by, facts.by_values_since) == ("values", "an initial state may be out of bounds")
    with pytest.raises(ModelError, match="has no initial state"):
        simulated("Begin", settings={"fine": False, "broken": False})
    with pytest.raises(NoCircuits, match="an initial state may be out of bounds"):
        simulated("Begin", settings={"fine": True, "broken": True}, by="circuits")
    small = simulated("Lift", runs=3, limits=Limits(memory_mb=200)).told(SimulateFacts)
    assert small.by_values_since == "a limit below 256 MB leaves little room for arrays"


def test_on_the_command_line(leadline: Leadline) -> None:  # noqa: F811
    ran = leadline("simulate", "counter.py", "--runs", "20", "--seed", "3", "--format", "json")
    data = json.loads(ran.out)
    assert (ran.code, data["runs"]) == (12, 20)
    assert data["properties"]["below-three"]["verdict"] == "violated"
    assert data["properties"]["not-negative"]["verdict"] == "unknown"
    assert data["actions"]["count_up"] > 0
    ran = leadline("simulate", "counter.py", "-p", "top=2", "--property", "below-three", "--runs", "2")
    assert ran.code == 20 and "count_up" not in ran.err and "CountUp" in ran.out


def test_runs_are_told_where_a_claim_about_runs_is_asked_alone(leadline: Leadline) -> None:  # noqa: F811
    ran = leadline("simulate", "pulsar-compaction", "--property", "termination", "--runs", "20")
    assert ran.code == 13, ran.err
    assert "20 runs, " in ran.out and "CompactorPhaseOne" in ran.out
    assert "Termination is false of this run" in ran.out


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


ENDLESS = '''
from leadline.symbolic.lang import *

class Endless(Protocol):
    """A number that grows, and begins anew."""

    def define(self, state):
        state.at = Int(0, 3)

    def init(self, start):
        start.at = 0

    @action
    def turn(self, now, nxt):
        nxt.at = ite(now.at == 3, 0, now.at + 1)

@temporal(Endless)
def never_rests(endless, now):
    return eventually(always(now.at == 0))
'''


class Ended(Simulate):
    """Ctrl-C ends every question about another model than the first one, which has one variable."""

    def answer(self, model: Model, *rest: Any) -> Answer:
        if len(model.variables) > 1:
            raise Interrupted(Answer([Result("never-rests", "simulate", Verdict.SAFE)]))
        return super().answer(model, *rest)


def test_ctrl_c_in_a_claim_about_runs_leaves_what_is_known_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    query = Query(str(tmp_path / "endless.py"), {}, None, SimulateOptions(5, 9))
    with pytest.raises(Interrupted) as ended:
        answered(Ended(), model_for(query), query, SOLVERS["cadical"], Limits(), SILENT)
    told = ended.value.answer
    assert [(x.property, x.verdict, x.cause) for x in told.results] == [
        ("never-rests", Verdict.UNKNOWN, Cause.INTERRUPTED)
    ]
    assert told.told(SimulateFacts).actions == {"turn": 45}
