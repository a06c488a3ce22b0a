"""The bound that stands against a proof, and the constraint that `prove` offers: it is declared and suffices."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import leadline
from leadline.symbolic.catalog.entry import Entry, claims_in, entry_of
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.pdr import Invariant, PdrOptions, pdr, recheck
from leadline.symbolic.engines.pdr.bounds import Outside, enough, outside
from leadline.symbolic.engines.pdr.written import constraint_lines
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Next,
    Property,
    Protocol,
    Seq,
    Set,
    State,
    action,
    build,
    forall,
    invariant,
    map_of,
    of,
    record,
    set_of,
    sort,
)
from leadline.symbolic.solve import SOLVERS
from leadline.symbolic.trace import Step
from tests.engines import inductive

OPTIONS = PdrOptions(samples=50)


class Terms(Protocol):
    """Servers with terms and logs, none of which ends: a map of records with a number and a sequence."""

    picks = {"server": "Server"}

    def define(self, state: Any) -> None:
        self.Server = sort("Server", 2)
        self.Data = record("Data", term=Int(0, 2), log=Seq(Int(0, 2), 2))
        state.data = Map(self.Server, self.Data)

    def init(self, start: Any) -> None:
        start.data = map_of(self.Server, lambda _: of(self.Data, term=0, log=[]))

    @action
    def stand(self, now: State, nxt: Next, server: Any) -> None:
        """A new term."""
        nxt.data[server].term = now.data[server].term + 1

    @action
    def write(self, now: State, nxt: Next, server: Any) -> None:
        """A record of the term."""
        nxt.data[server].log = now.data[server].log.append(now.data[server].term)


@invariant(Terms)
def no_later(protocol: Terms, now: State) -> Any:
    """Records are no later than the term."""
    return forall(
        protocol.Server,
        lambda server: forall(now.data[server].log.items(), lambda term: term <= now.data[server].term),
    )


class Buffer(Protocol):
    """A sequence that outgrows its capacity."""

    def define(self, state: Any) -> None:
        state.buffer = Seq(Bool(), 2)

    def init(self, start: Any) -> None:
        start.buffer = []

    @action
    def put(self, now: State, nxt: Next) -> None:
        """One more item."""
        nxt.buffer = now.buffer.append(True)


@invariant(Buffer)
def only_true(protocol: Buffer, now: State) -> Any:
    """No other item is put."""
    return forall(now.buffer.items(), lambda item: item)


class Stock(Protocol):
    """Numbers that fall below their bound, at keys that are numbers; what is sold at once is one or two."""

    picks = {"shelf": Int(1, 2), "sold": Int(1, 2)}

    def define(self, state: Any) -> None:
        state.left = Map(Int(1, 2), Int(0, 5))
        state.ever = Set(Int(1, 2))

    def init(self, start: Any) -> None:
        start.left = {1: 5, 2: 4}
        start.ever = set()

    @action
    def sell(self, now: State, nxt: Next, shelf: Any, sold: Any) -> None:
        """Some are sold."""
        nxt.left[shelf] = now.left[shelf] - sold
        nxt.ever = now.ever | set_of(shelf)


@invariant(Stock)
def less_where_sold(protocol: Stock, now: State) -> Any:
    """There is less where something was sold."""
    return forall(now.ever, lambda shelf: now.left[shelf] < 5)


class Gossip(Protocol):
    """Matrices of counters, both of whose keys are of one sort."""

    picks = {"a": "Node", "b": "Node"}

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 2)
        state.seen = Map(self.Node, Map(self.Node, Int(0, 1)))
        state.calm = Bool()

    def init(self, start: Any) -> None:
        start.seen = map_of(self.Node, lambda _: map_of(self.Node, lambda _: 0))
        start.calm = True

    @action
    def hear(self, now: State, nxt: Next, a: Any, b: Any) -> None:
        """One node hears of another, or of itself, once more."""
        nxt.seen[a][b] = now.seen[a][b] + 1


@invariant(Gossip)
def is_calm(protocol: Gossip, now: State) -> Any:
    """Nothing changes it."""
    return now.calm


class Head(Protocol):
    """The head of an empty sequence has no value: no part of the state is too large."""

    def define(self, state: Any) -> None:
        state.items = Seq(Bool(), 1)
        state.last = Bool()

    def init(self, start: Any) -> None:
        start.items = [True]
        start.last = True

    @action
    def take(self, now: State, nxt: Next) -> None:
        """The head is taken."""
        nxt.last = now.items.first
        nxt.items = now.items.rest


@invariant(Head)
def last_is_true(protocol: Head, now: State) -> Any:
    """There is no other item."""
    return now.last & forall(now.items.items(), lambda item: item)


THIS = sys.modules[__name__]


def found(entry: Entry, goal: str, **settings: Any) -> tuple[Model, Property, Invariant, Any, Step]:
    """A proof at which only bounds stand."""
    model = build(entry.protocol(**settings), entry.claims)
    target = model.properties[goal]
    result = pdr(model, target, OPTIONS)
    assert result.verdict is Verdict.OUT_OF_BOUNDS
    assert result.invariant is not None and result.trace is not None
    return model, target, result.invariant, result.trace.stages[-2].state, result.trace.stages[-1]


def told(beyond: Outside | None) -> str:
    return "" if beyond is None else beyond.text()


@pytest.mark.parametrize(
    ("protocol", "goal", "bound", "conjuncts"),
    [
        (
            Terms,
            "no-later",
            "`data[s2].log` would have 3 items, and its type is Seq(Int(0, 2), 2)",
            [
                "forall(protocol.Server, lambda s: now.data[s].log.length < 2)",
                "forall(protocol.Server, lambda s: now.data[s].term < 2)",
            ],
        ),
        (
            Buffer,
            "only-true",
            "`buffer` would have 3 items, and its type is Seq(Bool, 2)",
            ["now.buffer.length < 2"],
        ),
        (
            Stock,
            "less-where-sold",
            "`left[1]` would be -1, and its type is Int(0, 5)",
            ["forall(Int(1, 2), lambda k: now.left[k] > 1)"],
        ),
        (
            Gossip,
            "is-calm",
            "`seen[n1][n1]` would be 2, and its type is Int(0, 1)",
            ["forall(protocol.Node, lambda n: forall(protocol.Node, lambda n2: now.seen[n][n2] < 1))"],
        ),
    ],
)
def test_a_constraint_is_offered_that_suffices(
    protocol: type[Protocol], goal: str, bound: str, conjuncts: list[str]
) -> None:
    entry = entry_of(protocol, claims_in(THIS), "x")
    model, target, invariant, before, step = found(entry, goal)
    beyond = outside(model, before, step)
    lines = constraint_lines(entry, model, enough(model, target, invariant, before, step))
    assert told(beyond) == bound
    assert [line.strip(" ,").removeprefix("return ") for line in lines if "now." in line] == conjuncts
    space: dict[str, Any] = {protocol.__name__: protocol}
    exec("\n".join(lines), space)
    within = build(protocol(), (*entry.claims, space["within_bounds"]))
    assert within.scope == "within within-bounds"
    proved = pdr(within, within.properties[goal], OPTIONS)
    assert proved.verdict is Verdict.PROVED and proved.invariant is not None and proved.invariant.in_bounds
    # The invariant of the states within bounds proves it too.
    given = Invariant(invariant.strengthenings, invariant.orbits)
    assert recheck(within, within.properties[goal], given, SOLVERS["z3"]) == ()


def test_where_no_part_is_outside_no_constraint_is_offered() -> None:
    entry = entry_of(Head, claims_in(THIS), "x")
    model, target, invariant, before, step = found(entry, "last-is-true")
    assert outside(model, before, step) is None
    assert enough(model, target, invariant, before, step) == ()


def test_a_constraint_that_a_state_escapes_is_not_offered() -> None:
    """A weaker bound than the one that is found leaves a step out of bounds."""
    entry = entry_of(inductive.Twos, claims_in(inductive), "x")
    model, target, invariant, before, step = found(entry, "even", fault="step-outside")
    (one,) = enough(model, target, invariant, before, step)
    (line,) = [x for x in constraint_lines(entry, model, [one]) if "return" in x]
    assert line.strip() == "return now.number < 8"
    space: dict[str, Any] = {"Twos": inductive.Twos, "constraint": leadline.constraint}
    exec("@constraint(Twos)\ndef weaker(protocol, now):\n    return now.number < 9", space)
    within = build(inductive.Twos(fault="step-outside"), (*entry.claims, space["weaker"]))
    assert pdr(within, within.properties["even"], OPTIONS).verdict is Verdict.OUT_OF_BOUNDS
