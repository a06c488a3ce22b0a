"""A constraint bounds exploration, bounded checks by steps and sweeps, proofs and TLA+ alike."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from leadline.symbolic.cli import main
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.bounded.bmc import STEPS, SWEEPS, BmcOptions
from leadline.symbolic.engines.bounded.search import deadlock_property
from leadline.symbolic.export import tla_module, tlc_config
from leadline.symbolic.lang import Model, OutOfBounds, PropertyKind, UserError
from leadline.symbolic.meaning import path_of
from leadline.symbolic.solve import SOLVERS
from leadline.symbolic.trace import TraceEnd, disagreement, trace_of_path
from tests.asking import bounded_check
from tests.engines.comparison import compare
from tests.exploring import explore
from tests.export.parsed import parsed
from tests.lang.sample import check, model
from tests.strategies import models

COUNTER = '''
from leadline.symbolic.lang import *

class Counter(Protocol):
    """Counts up, and by chance much higher."""

    def define(self, state):
        state.count = Int(0, 9)
        state.high = Bool()

    def init(self, start):
        start.count, start.high = 0, False

    @action
    def up(self, now, nxt):
        nxt.count = now.count + 1

    @action
    def jump(self, now, nxt):
        nxt.require(now.count == 2)
        nxt.count = 8
        nxt.high = True

@constraint(Counter)
def small(counter, now):
    """Counts up to three are enough."""
    return now.count <= 3

@invariant(Counter)
def below_five(counter, now):
    """Holds of the states up to three and of their successors but for one."""
    return (now.count < 5) | now.high

@invariant(Counter)
def never_nine(counter, now):
    """Fails only beyond the constraint."""
    return now.count != 9

@invariant(Counter)
def never_high(counter, now):
    """Fails in a state beyond the constraint, to which a step leads."""
    return ~now.high
'''
WITHOUT = COUNTER.replace("now.count <= 3", "now.count <= 9")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")
    (tmp_path / "free.py").write_text(WITHOUT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def constrained(free: Model) -> Model:
    """The model with its first property as a constraint."""
    first, *others = free.properties.values()
    bound = replace(first, kind=PropertyKind.CONSTRAINT)
    actions = tuple(action.within([bound]) for action in free.actions)
    named = {one.name: one for one in others}
    return replace(free, actions=actions, properties=named, constraints=(bound,))


def within_steps(free: Model, bound: str, depth: int) -> list[int]:
    """States within the bound at most so many steps away; a state beyond it is not expanded."""
    semantics = Semantics(free)

    def inside(state: Any) -> bool:
        try:
            return semantics.holds(bound, state)
        except OutOfBounds:
            return True

    new = {outcome.state for outcome in semantics.initial() if outcome.state is not None}
    seen, counts = set(new), []
    for _ in range(depth + 1):
        counts.append(sum(map(inside, seen)))
        after = {
            outcome.state
            for state in new
            if inside(state) and _bound_has_a_value(semantics, bound, state)
            for outcome in semantics.successors(state)
            if outcome.state is not None
        }
        new = after - seen
        seen |= new
    return counts


def _bound_has_a_value(semantics: Semantics, bound: str, state: Any) -> bool:
    try:
        semantics.holds(bound, state)
    except OutOfBounds:
        return False
    return True


@pytest.mark.parametrize("solver", ["cadical", pytest.param("z3", marks=pytest.mark.slow)])
@given(free=models())
@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_random_protocols_within_a_constraint(solver: str, free: Model) -> None:
    assume(len(free.properties) > 1)
    bounded = constrained(free)
    compare(bounded, solver)
    try:
        found = explore(Semantics(bounded), list(bounded.properties), depth=3)
    except UserError:
        return
    counts = within_steps(free, bounded.constraints[0].name, 3)
    assert list(found.states_within_steps) == counts[: len(found.states_within_steps)]
    assert set(counts[len(found.states_within_steps) :]) <= {found.states}
    options = BmcOptions(3, unroll=SWEEPS)
    for result in bounded_check(bounded, list(bounded.properties.values()), options, SOLVERS[solver]):
        if found.properties[result.property].violation is not None:
            assert result.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("unroll", [STEPS, SWEEPS])
@pytest.mark.parametrize("solver", SOLVERS)
def test_states_beyond_are_checked_and_not_expanded(solver: str, unroll: str) -> None:
    bounded = model(COUNTER)
    targets = [*bounded.properties.values(), deadlock_property(bounded)]
    results = bounded_check(bounded, targets, BmcOptions(9, unroll=unroll), SOLVERS[solver])
    safe = (Verdict.SAFE, None, "within small")
    assert {x.property: (x.verdict, x.steps, x.reason) for x in results} == {
        "below-five": safe,
        "never-nine": safe,
        "never-high": (Verdict.VIOLATED, 3, None),
        "deadlock": safe,
    }


def test_states_beyond_are_not_counted() -> None:
    found = explore(Semantics(model(COUNTER)), ["never-high"])
    assert (found.states_within_steps, found.states, found.complete) == ([1, 2, 3, 4], 4, True)
    assert (found.deadlocks, found.properties["never-high"].steps) == (0, 3)
    assert explore(Semantics(model(WITHOUT))).states > 10


def test_verdicts_tell_the_constraint(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["counter.py", "--property", "below-five"]
    for command in (["check", *asked, "--depth", "5"], ["explore", *asked], ["prove", *asked]):
        assert main(command) == 0, command
        assert "counter within small" in capsys.readouterr().out
        assert main([*command, "--format", "json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told.get("results", [told])[0]["constraints"] == ["small"]
    assert main(["list", "counter.py"]) == 0
    assert "small" in capsys.readouterr().out


def test_proofs_are_within_the_constraint(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "counter.py", "--property", "never-nine"]) == 0
    assert main(["prove", "free.py", "--property", "never-nine"]) == 12
    assert main(["prove", "free.py", "--property", "never-nine", "--engine", "induction"]) == 20
    assert main(["explore", "free.py", "--property", "never-nine"]) == 12


def test_tlc_is_given_the_constraint() -> None:
    bounded = model(COUNTER)
    module, configuration = tla_module(bounded), tlc_config(bounded)
    parsed(module)
    assert "CONSTRAINTS Small" in " ".join(configuration.split())
    assert "Small == count <= 3" in module and module.count("count <= 3") == 1
    assert "CONSTRAINTS" not in tlc_config(model(COUNTER.replace("@constraint", "@invariant")))


def test_the_constraint_is_part_of_the_fingerprint() -> None:
    kept = COUNTER.replace("now.count <= 3", "now.count <= 4")
    assert len({model(text).fingerprint for text in (COUNTER, kept, WITHOUT)}) == 3
    bounded = model(COUNTER)
    assert replace(bounded, constraints=()).fingerprint != bounded.fingerprint


def test_mistakes_of_a_constraint() -> None:
    check(
        COUNTER.replace("now.count <= 3", "now.cuont <= 3  #a"),
        "{a}: no variable `cuont` ... count",
    )


def test_a_state_beyond_a_constraint_is_no_deadlock() -> None:
    """A shortened run does not end there either."""
    halting = COUNTER.replace("nxt.count = now", "nxt.require(now.count < 3)\n        nxt.count = now")
    semantics = Semantics(model(halting))
    path = path_of(semantics, [(0, False), (1, False), (2, False), (8, True)])
    wrong = disagreement(semantics, trace_of_path(path, TraceEnd.DEADLOCK))
    assert wrong is not None and "beyond a constraint" in wrong
