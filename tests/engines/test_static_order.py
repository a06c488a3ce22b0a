"""The variables that actions read and write, and the order that follows."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from leadline.symbolic.engines.bounded.sweeps import StatePart, changed, reads, static_order
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Protocol,
    Record,
    Set,
    action,
    build,
    forall,
    ite,
    of,
    replace,
    sort,
)
from leadline.symbolic.lang.states import Next

NODE = sort("Node", 2)
INFO = Record("Info", (("term", Int(0, 2)), ("votes", Set(NODE))))


class Parts(Protocol):
    """Variables with parts, to read and to write in part."""

    def define(self, state: Any) -> None:
        state.info = Map(NODE, INFO)
        state.one = INFO
        state.count = Int(0, 2)

    def init(self, start: Any) -> None:
        start.info = of(Map(NODE, INFO), {node: of(INFO, term=0, votes=set()) for node in NODE.members})
        start.one = of(INFO, term=0, votes=set())
        start.count = 0


def with_step(body: Any) -> Model:
    """`Parts` with one action."""

    def step(self: Any, now: Any, nxt: Next) -> None:
        body(now, nxt)

    return build(type("Parted", (Parts,), {"step": action(step)})())


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        (lambda now: now.count == 1, {("count",)}),
        (lambda now: now.one.term == now.count, {("one", 0), ("count",)}),
        (lambda now: forall(NODE, lambda node: now.info[node].term == 0), {("info", 0)}),
        (lambda now: now.info["n1"].votes.has("n2"), {("info", 1)}),
        (lambda now: now.info["n1"] == now.one, {("info",), ("one",)}),
        (lambda now: (now.one.term == 1) & (now.one == now.info["n1"]), {("info",), ("one",), ("one", 0)}),
    ],
)
def test_what_a_guard_reads(guard: Any, expected: set[StatePart]) -> None:
    def body(now: Any, nxt: Next) -> None:
        nxt.require(guard(now))
        nxt.count = 0

    assert reads(with_step(body).actions[0].roots[:1]) == expected


def update_term(now: Any, nxt: Next) -> None:
    nxt.info["n1"].term = 1


def update_either(now: Any, nxt: Next) -> None:
    nxt.one = ite(now.count == 0, replace(now.one, term=1), now.one)


def update_all(now: Any, nxt: Next) -> None:
    nxt.one = now.info["n1"]


def update_nothing(now: Any, nxt: Next) -> None:
    nxt.one = now.one


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (update_term, {("info", 0)}),
        (update_either, {("one", 0)}),
        (update_all, {("one",)}),
        (update_nothing, set[StatePart]()),
    ],
)
def test_what_an_update_changes(body: Any, expected: set[StatePart]) -> None:
    (made,) = with_step(body).actions
    assert {path for name, value in made.updates for path in changed((name,), value)} == expected


def chain(names: tuple[str, ...]) -> Model:
    """Each action a..d is enabled by the one before it in the alphabet; written in the order given."""

    def define(self: Any, state: Any) -> None:
        for name in "abcd":
            state.declare(f"done_{name}", Bool())

    def init(self: Any, start: Any) -> None:
        for name in "abcd":
            setattr(start, f"done_{name}", False)

    def step(name: str) -> Any:
        def body(self: Any, now: Any, nxt: Any) -> None:
            if name != "a":
                nxt.require(getattr(now, f"done_{chr(ord(name) - 1)}"))
            setattr(nxt, f"done_{name}", True)

        body.__name__ = name
        return action(body)

    return build(
        type("Chain", (Protocol,), {"define": define, "init": init, **{x: step(x) for x in names}})()
    )


@pytest.mark.parametrize("names", list(itertools.permutations("abcd")), ids="".join)
def test_an_action_that_enables_another_comes_first(names: tuple[str, ...]) -> None:
    assert [one.name for one in static_order(chain(names))] == ["a", "b", "c", "d"]


class Ring(Protocol):
    """Each of two actions enables the other, and one of them a third."""

    def define(self, state: Any) -> None:
        state.place = Int(0, 2)
        state.seen = Bool()

    def init(self, start: Any) -> None:
        start.place = 0
        start.seen = False

    @action
    def look(self, now: Any, nxt: Next) -> None:
        nxt.require(now.seen)

    @action
    def forth(self, now: Any, nxt: Next) -> None:
        nxt.require(now.place < 2)
        nxt.place = now.place + 1
        nxt.seen = True

    @action
    def back(self, now: Any, nxt: Next) -> None:
        nxt.require(now.place > 0)
        nxt.place = now.place - 1


def test_a_ring_is_broken_where_it_is_cheapest() -> None:
    assert [one.name for one in static_order(build(Ring()))] == ["forth", "back", "look"]


def test_the_order_holds_every_action_once() -> None:
    model = build(Ring())
    assert sorted(one.name for one in static_order(model)) == sorted(one.name for one in model.actions)
    assert static_order(build(Parts())) == ()
