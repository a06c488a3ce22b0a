"""The order of a sweep: the protocol's own, then as the actions are written."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.symbolic.engines.bounded.sweeps import sweep_order
from leadline.symbolic.lang import Int, ModelError, Protocol, action, build, parameter
from leadline.symbolic.lang.states import Next


class Stages(Protocol):
    """Actions in the order in which runs take them."""

    def define(self, state: Any) -> None:
        state.stage = Int(0, 3)

    def init(self, start: Any) -> None:
        start.stage = 0

    @action
    def first(self, now: Any, nxt: Next) -> None:
        nxt.require(now.stage == 0)
        nxt.stage = 1

    @action
    def second(self, now: Any, nxt: Next) -> None:
        nxt.require(now.stage == 1)
        nxt.stage = 2

    @action
    def third(self, now: Any, nxt: Next) -> None:
        nxt.require(now.stage == 2)
        nxt.stage = 3


def names(protocol: Protocol) -> list[str]:
    return [one.name for one in sweep_order(build(protocol))]


def test_actions_stay_as_they_are_written() -> None:
    assert names(Stages()) == ["first", "second", "third"]


def test_the_protocols_own_order_comes_before_all() -> None:
    class Own(Stages):
        sweep_order = ("third", "first")

    assert names(Own()) == ["third", "first", "second"]


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

    assert names(Own()) == ["third", "first", "second"]
    assert names(Own(long=True)) == ["fourth", "third", "first", "second"]
