"""The order of a sweep: the protocol's own, then what is enabled first; and the look at that is short."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from leadline.symbolic.catalog import entries, model_of
from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.bounded.sweeps import ALL_TRIES, BEGINNINGS, LOOK, first_enabled, sweep_order
from leadline.symbolic.lang import (
    Int,
    Map,
    Model,
    ModelError,
    Protocol,
    action,
    build,
    map_of,
    parameter,
    sort,
)
from leadline.symbolic.lang.states import Next
from leadline.symbolic.meaning import Step
from tests.engines.cases import entry


class Stages(Protocol):
    """Actions written in the wrong order, of which none writes what another's guard reads alone."""

    def define(self, state: Any) -> None:
        state.stage = Int(0, 3)

    def init(self, start: Any) -> None:
        start.stage = 0

    @action
    def never(self, now: Any, nxt: Next) -> None:
        nxt.require(now.stage > now.stage)
        nxt.stage = 0

    @action
    def third(self, now: Any, nxt: Next) -> None:
        nxt.require(now.stage == 2)
        nxt.stage = 3

    @action
    def second(self, now: Any, nxt: Next) -> None:
        nxt.require(now.stage == 1)
        nxt.stage = 2

    @action
    def first(self, now: Any, nxt: Next) -> None:
        nxt.require(now.stage == 0)
        nxt.stage = 1


def names(protocol: Protocol) -> list[str]:
    model = build(protocol)
    return [one.name for one in sweep_order(model, Semantics(model))]


def test_what_is_enabled_earlier_comes_first() -> None:
    model = build(Stages())
    assert first_enabled(model, Semantics(model)) == {"first": 0, "second": 1, "third": 2}
    assert names(Stages()) == ["first", "second", "third", "never"]


def test_actions_that_are_enabled_equally_early_stay_as_they_are_written() -> None:
    class Twice(Stages):
        @action
        def again(self, now: Any, nxt: Next) -> None:
            nxt.require(now.stage == 2)
            nxt.stage = 1

    assert names(Twice()) == ["first", "second", "third", "again", "never"]


def test_the_protocols_own_order_comes_before_all() -> None:
    class Own(Stages):
        sweep_order = ("third", "never")

    assert names(Own()) == ["third", "never", "first", "second"]


def test_an_unknown_action_in_the_order_is_a_mistake() -> None:
    class Own(Stages):
        sweep_order = ("third", "secnod", "begin")

    with pytest.raises(ModelError) as caught:
        build(Own())
    text = str(caught.value)
    assert "sweep_order: there is no action `secnod`" in text and "second" in text
    assert "sweep_order: there is no action `begin`" in text
    assert "2 mistakes" in text


def test_an_action_that_a_variant_lacks_may_be_named() -> None:
    class Own(Stages):
        sweep_order = ("fourth", "third")
        long: bool = parameter(False, doc="whether there is a fourth stage")

        @action(when=lambda p: p.long)
        def fourth(self, now: Any, nxt: Next) -> None:
            nxt.stage = 3

    assert names(Own()) == ["third", "first", "second", "never"]
    assert names(Own(long=True)) == ["fourth", "third", "first", "second", "never"]


class Counted(Semantics):
    """A meaning that counts what it is asked to try."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.attempted = 0

    def attempts(self, state: State | None, action: str) -> Iterator[Step | None]:
        self.attempted += 1
        for one in super().attempts(state, action):
            self.attempted += 1
            yield one


@pytest.mark.parametrize("name", list(entries()))
def test_the_order_is_the_same_every_time_and_few_attempts_are_made(name: str) -> None:
    model = model_of(entries()[name], {})
    first, second = Counted(model), Semantics(model)
    found = sweep_order(model, first)
    assert found == sweep_order(model, second)
    assert sorted(x.name for x in found) == sorted(x.name for x in model.actions)
    assert 0 < first.attempted <= ALL_TRIES


def test_picks_that_are_too_many_are_cut_short() -> None:
    """Eleven holes and twelve pigeons: 11^12 values of one pick, which was once gone through."""
    model = model_of(entry("Pigeons"), {"holes": 11})
    counted = Counted(model)
    assert first_enabled(model, counted) == {}
    assert counted.attempted <= ALL_TRIES


class Crowd(Protocol):
    """Millions of ways to begin, and a step from each."""

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 12)
        state.at = Map(self.Node, Int(0, 3))

    def init(self, start: Any) -> None:
        start.at = start.pick("at", Map(self.Node, Int(0, 3)))

    @action
    def gather(self, now: Any, nxt: Next) -> None:
        nxt.at = map_of(self.Node, lambda node: 0)


def test_initial_states_that_are_too_many_are_cut_short() -> None:
    model = build(Crowd())
    counted = Counted(model)
    assert first_enabled(model, counted) == {"gather": 0}
    assert counted.attempted <= ALL_TRIES
    assert BEGINNINGS < LOOK
