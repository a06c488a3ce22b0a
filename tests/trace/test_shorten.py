"""Counterexamples get shorter and stay counterexamples."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Effort, Result, Verdict
from leadline.symbolic.lang import Int, OutOfBounds, Protocol, Seq, action, build, invariant, ite
from leadline.symbolic.trace import Step, Trace, TraceEnd, replay, shortening
from tests.exploring import explore
from tests.strategies import models


class Adder(Protocol):
    """Adds one or three."""

    def define(self, state: Any) -> None:
        state.sum = Int(0, 9)

    def init(self, start: Any) -> None:
        start.sum = 0

    @action
    def one(self, now: Any, nxt: Any) -> None:
        """Add one."""
        nxt.sum = now.sum + 1

    @action
    def three(self, now: Any, nxt: Any) -> None:
        """Add three."""
        nxt.sum = now.sum + 3


@invariant(Adder)
def never_six(protocol: Adder, now: Any) -> Any:
    """The sum is not six."""
    return now.sum != 6


ADDER = Semantics(build(Adder(), [never_six]))


def run(*names: str) -> Trace:
    """The run of the adder that takes these actions."""
    state = (0,)
    steps = []
    for name in names:
        outcome = ADDER.outcome(state, name, {})
        assert outcome is not None and outcome.state is not None
        state = outcome.state
        steps.append(Step(name, {}, state))
    return Trace({}, (0,), tuple(steps), TraceEnd.VIOLATES, "never-six")


def shortened(semantics: Semantics, trace: Trace) -> Trace:
    """The trace, shortened to the end."""
    shorter, minimal = shortening(semantics, trace)
    assert minimal
    return shorter


class Walker(Protocol):
    """Walks on a line, where each step is counted modulo three; ticks do nothing else."""

    def define(self, state: Any) -> None:
        state.place = Int(0, 4000)
        state.ticks = Int(0, 2)

    def init(self, start: Any) -> None:
        start.place = start.ticks = 0

    @action
    def walk(self, now: Any, nxt: Any) -> None:
        nxt.require(now.place < 4000)
        nxt.place = now.place + 1

    @action
    def back(self, now: Any, nxt: Any) -> None:
        nxt.require(now.place > 0)
        nxt.place = now.place - 1

    @action
    def tick(self, now: Any, nxt: Any) -> None:
        nxt.ticks = ite(now.ticks == 2, 0, now.ticks + 1)


@invariant(Walker)
def near(protocol: Walker, now: Any) -> Any:
    return now.place < 40


@invariant(Walker)
def nearer(protocol: Walker, now: Any) -> Any:
    return now.place < 900


def walked(semantics: Semantics, name: str, length: int) -> Trace:
    """A random walk to a violation."""
    chance, state, steps = random.Random(1), (0, 0), list[Step]()
    while semantics.holds(name, state):
        call = chance.choices(["walk", "back", "tick"], [6, 3, 2])[0]
        outcome = semantics.outcome(state, call, {})
        if outcome is not None and outcome.state is not None:
            state = outcome.state
            steps.append(Step(call, {}, state))
    assert len(steps) > length
    return Trace({}, (0, 0), tuple(steps), TraceEnd.VIOLATES, name)


WALKER = Semantics(build(Walker(), [near, nearer]))


def test_a_long_walk_becomes_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fiftieth of the steps that dropping by halves alone takes is enough: circles are cut out first."""
    monkeypatch.setattr(import_module("leadline.symbolic.trace.replay"), "DROPS", 8_000)
    assert shortened(WALKER, walked(WALKER, "near", 100)).length == 40


def test_shortening_a_very_long_walk_ends_and_is_told() -> None:
    long = walked(WALKER, "nearer", 2_500)
    shorter, minimal = shortening(WALKER, long)
    replay(WALKER, shorter)
    assert not minimal and 900 <= shorter.length < long.length / 2
    result = Result("nearer", "simulate", Verdict.VIOLATED, Effort(), trace=shorter, steps=shorter.length)
    assert "perhaps not the shortest" in str(result.unless_minimal(minimal).reason)
    assert result.unless_minimal(True).reason is None


def test_the_same_steps_are_taken_in_another_order_and_number() -> None:
    long = run("one", "one", "one", "three")
    assert [step.action for step in shortened(ADDER, long).steps] == ["three", "three"]


def test_actions_that_a_trace_does_not_take_are_not_looked_for() -> None:
    assert shortened(ADDER, run(*["one"] * 6)).length == 6


class Reader(Protocol):
    """Counts up, and reads a short sequence there."""

    def define(self, state: Any) -> None:
        state.place = Int(1, 3)
        state.items = Seq(Int(0, 1), 2)

    def init(self, start: Any) -> None:
        start.place, start.items = 1, [1, 1]

    @action
    def up(self, now: Any, nxt: Any) -> None:
        nxt.place = now.place + 1

    @action
    def read(self, now: Any, nxt: Any) -> None:
        nxt.require(now.items[now.place] == 1)
        nxt.place = nxt.pick("to", Int(1, 3))


def test_a_step_that_went_out_of_bounds_before_its_picks_is_tried_elsewhere_too() -> None:
    semantics = Semantics(build(Reader(), []))
    steps = (Step("up", {}, (2, (1, 1))), Step("up", {}, (3, (1, 1))), Step("read", {}, None))
    beyond = Trace({}, (1, (1, 1)), steps, TraceEnd.OUT_OF_BOUNDS, None)
    replay(semantics, beyond)
    assert shortened(semantics, beyond) == beyond


@st.composite
def violations(draw: st.DrawFn) -> tuple[Semantics, Trace]:
    """A random walk of a random protocol to where a property first fails."""
    model = draw(models())
    semantics, walk = Semantics(model), random.Random(draw(st.integers(0, 1000)))
    beginnings = [one for one in semantics.initial() if one.state is not None]
    if not beginnings:
        return semantics, Trace({}, None, (), TraceEnd.OUT_OF_BOUNDS, None)
    begin = walk.choice(beginnings)
    state = begin.state
    steps: list[Step] = []
    for _ in range(12):
        assert state is not None
        for name in model.properties:
            try:
                if not semantics.holds(name, state):
                    trace = Trace(dict(begin.picks), begin.state, tuple(steps), TraceEnd.VIOLATES, name)
                    return semantics, trace
            except OutOfBounds:
                pass
        after = [one for one in semantics.successors(state) if one.state is not None]
        if not after:
            break
        chosen = walk.choice(after)
        state = chosen.state
        steps.append(Step(chosen.action, dict(chosen.picks), state))
    return semantics, Trace({}, None, (), TraceEnd.OUT_OF_BOUNDS, None)


@settings(max_examples=7)
@given(violations())
def test_what_is_shortened_is_a_counterexample_and_no_shorter_than_the_shortest(
    found: tuple[Semantics, Trace],
) -> None:
    semantics, trace = found
    if trace.ends is not TraceEnd.VIOLATES:
        return
    shorter = shortened(semantics, trace)
    replay(semantics, shorter)
    assert trace.property is not None
    shortest = explore(semantics, [trace.property], depth=12).properties[trace.property].violation
    assert shortest is not None and len(shortest) - 1 <= shorter.length <= trace.length
