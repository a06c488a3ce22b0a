"""Updates in place: the next state is the concrete one, whether the action is taken or not."""

from __future__ import annotations

import random
from typing import Any

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, optional_action
from leadline.symbolic.encode.updates import unfolds
from leadline.symbolic.lang import (
    Declarations,
    Int,
    Map,
    Model,
    Next,
    Protocol,
    Record,
    Seq,
    Set,
    Type,
    action,
    build,
    enum,
    ite,
    map_of,
    of,
    parameter,
    pick,
    record,
    replace,
)
from tests.simulated import OUT, Steps, concrete_outcome, pick_values


class Ledger(Protocol):
    """Logs of entries by broker and partition, and what else there is to update."""

    most: int = parameter(2, at_least=1, at_most=6, doc="the capacity of a log")

    def define(self, state: Declarations) -> None:
        self.Broker = enum("Broker", "b1", "b2")
        self.Part = Int(1, 2)
        self.Entry = record("Entry", epoch=Int(0, 4), fresh=self.Part)
        state.logs = Map(self.Broker, Map(self.Part, Seq(self.Entry, self.most)))
        state.short = Map(self.Broker, Map(self.Part, Seq(self.Entry, 1)))
        state.ends = Map(self.Part, self.Entry)
        state.seen = Map(self.Broker, Set(self.Part))
        state.leader = Map(self.Part, self.Broker)

    def init(self, start: Any) -> None:
        start.logs = map_of(
            self.Broker, lambda b: map_of(self.Part, lambda p: of(Seq(self.Entry, self.most)))
        )
        start.short = map_of(self.Broker, lambda b: map_of(self.Part, lambda p: of(Seq(self.Entry, 1))))
        start.ends = map_of(self.Part, lambda p: of(self.Entry, epoch=0, fresh=1))
        start.seen = map_of(self.Broker, lambda b: of(Set(self.Part)))
        start.leader = map_of(self.Part, lambda p: of(self.Broker, "b1"))

    @action
    def append(self, now: Any, nxt: Next, b: Any = pick("Broker"), p: Any = pick("Part")) -> None:
        """One more entry."""
        nxt.logs[b][p] = now.logs[b][p].append(now.ends[p])

    @action
    def append_or_not(self, now: Any, nxt: Next, b: Any = pick("Broker"), p: Any = pick("Part")) -> None:
        """One more entry in some cases, none in others, or all of them gone."""
        grown = now.logs[b][p].append(now.ends[p])
        gone = ite(now.ends[p].epoch == 3, [], now.logs[b][p])
        nxt.logs[b][p] = ite(now.ends[p].epoch > 1, grown, gone)

    @action
    def append_twice(self, now: Any, nxt: Next, b: Any = pick("Broker"), p: Any = pick("Part")) -> None:
        """Two entries in two updates of the map, the second of what the first one made."""
        logs = now.logs.set(b, now.logs[b].set(p, now.logs[b][p].append(now.ends[p])))
        nxt.logs = logs.set(b, logs[b].set(p, logs[b][p].append(now.ends[1])))

    @action
    def append_to_all(self, now: Any, nxt: Next, p: Any = pick("Part")) -> None:
        """One more entry at every broker that has not seen the partition."""
        nxt.logs = map_of(
            self.Broker,
            lambda b: now.logs[b].set(
                p, ite(now.seen[b].has(p), now.logs[b][p], now.logs[b][p].append(now.ends[p]))
            ),
        )

    @action
    def copy(self, now: Any, nxt: Next, b: Any = pick("Broker"), p: Any = pick("Part")) -> None:
        """A log as it is at the leader."""
        nxt.logs[b][p] = now.logs[now.leader[p]][p]

    @action
    def copy_short(self, now: Any, nxt: Next, b: Any = pick("Broker"), p: Any = pick("Part")) -> None:
        """A log that may be too long for where it goes; how long others are does not matter."""
        nxt.short[b][p] = now.logs[now.leader[p]][p]

    @action
    def copy_one_of_two(self, now: Any, nxt: Next, b: Any = pick("Broker"), p: Any = pick("Part")) -> None:
        """The same in one case, a log of the right length in the other, and then one more entry."""
        nxt.short[b][p] = ite(now.ends[p].epoch > 2, now.logs[b][p], now.short["b1"][p])
        nxt.ends[p].fresh = 1

    @action
    def raise_epoch(self, now: Any, nxt: Next, p: Any = pick("Part")) -> None:
        """A field made of what it was, and another of both."""
        nxt.ends[p].epoch = now.ends[p].epoch + 1
        nxt.ends[p].fresh = ite(now.ends[p].epoch == 2, now.ends[p].fresh, now.ends[p].fresh - 1)

    @action
    def count_up(self, now: Any, nxt: Next, p: Any = pick("Part")) -> None:
        """The same field twice, the second time from what the first one made of it."""
        ends = now.ends.set(p, of(self.Entry, epoch=now.ends[p].epoch + 1, fresh=now.ends[p].fresh))
        nxt.ends = ends.set(p, of(self.Entry, epoch=ends[p].epoch + 1, fresh=p))

    @action
    def back_again(self, now: Any, nxt: Next, p: Any = pick("Part")) -> None:
        """A field changed, and then again to what it was at first."""
        changed = replace(now.ends[p], epoch=3, fresh=1)
        nxt.ends[p] = replace(changed, epoch=now.ends[p].epoch)

    @action
    def outside(self, now: Any, nxt: Next) -> None:
        """A key that may be outside the map, of an update that may be out of bounds itself."""
        nxt.ends[now.ends[1].epoch] = of(self.Entry, epoch=now.ends[2].epoch + 1, fresh=1)

    @action
    def see(self, now: Any, nxt: Next, b: Any = pick("Broker"), p: Any = pick("Part")) -> None:
        """Some members less and one more."""
        nxt.seen[b] = (now.seen[b] - now.seen["b1"]) | [p]

    @action
    def swap(self, now: Any, nxt: Next, b: Any = pick("Broker")) -> None:
        """A value from elsewhere, changed on the way."""
        nxt.seen = now.seen.set("b1", now.seen[b]).set(b, now.seen["b1"] | now.seen[b])


def some_value(choose: random.Random, kind: Type) -> Any:
    """A random value, each part of which may be anything."""
    match kind:
        case Map():
            return tuple(some_value(choose, kind.value) for _ in kind.keys)
        case Seq():
            return tuple(some_value(choose, kind.item) for _ in range(choose.randint(0, kind.capacity)))
        case Record():
            return tuple(some_value(choose, part) for part in kind.parts)
    return choose.choice(list(kind.values()))


def some_states(model: Model, count: int) -> list[tuple[Any, ...]]:
    """Random states of a model, the same in every run."""
    choose = random.Random(7)
    return [tuple(some_value(choose, variable.type) for variable in model.variables) for _ in range(count)]


@pytest.mark.parametrize("most", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_next_state_is_the_concrete_one(most: int) -> None:
    model = build(Ledger(most=most))
    semantics, steps = Semantics(model), Steps(model)
    seen = {action.name: set[str]() for action in model.actions}
    for state in some_states(model, 10):
        for one in model.actions:
            for picks in pick_values(one):
                made = steps.outcome(one, state, picks)
                assert made == concrete_outcome(semantics, one, state, picks), (one.name, state, picks)
                seen[one.name].add(OUT if made == OUT else "step")
    safe = {"back_again", "copy", "see", "swap"}
    assert seen == {name: {"step"} if name in safe else {"step", OUT} for name in seen}


@pytest.mark.parametrize("name", ["append", "append_or_not", "append_to_all"])
def test_an_append_selects_no_log(name: str) -> None:
    """The cost of an append grows with the places of the logs, each of which is made once."""
    gates = []
    for most in (3, 6):
        encoding = Encoding(build(Ledger(most=most)))
        one = next(one for one in encoding.model.actions if one.name == name)
        gates.append(len(optional_action(encoding, one, ()).template.gates))
    # In four logs three places more: the literals of the entry, and what tells the place.
    assert gates[1] - gates[0] <= 4 * 3 * (4 + 3)


class Turns(Protocol):
    """Updates that are long, deep, or made in many turns."""

    turns: int = parameter(3, at_least=1, at_most=400, doc="how many there are")

    def define(self, state: Declarations) -> None:
        self.Key = Int(1, 3)
        state.numbers = Map(self.Key, Int(0, 5))

    def init(self, start: Any) -> None:
        start.numbers = map_of(self.Key, lambda key: 0)

    @action
    def loop(self, now: Any, nxt: Next, key: Any = pick("Key")) -> None:
        """Each turn starts from what the last one made, or has left."""
        numbers = now.numbers
        for turn in range(self.turns):
            changed = numbers.set(key, (numbers[1] + turn) % 6)
            numbers = ite(numbers[2] == turn % 6, changed, numbers)
        nxt.numbers = numbers

    @action
    def deep(self, now: Any, nxt: Next, key: Any = pick("Key")) -> None:
        """A condition within a condition."""
        value = now.numbers.set(key, 5)
        for turn in range(self.turns):
            other = now.numbers.set(key, turn % 6)
            pair = (value, other) if turn % 2 else (other, value)
            value = ite(now.numbers[1 + turn % 3] == turn % 6, *pair)
        nxt.numbers = value


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_updates_of_updates_and_in_many_turns(turns: int) -> None:
    """A loop is made in place for a few turns only, conditions within conditions always."""
    model = build(Turns(turns=turns))
    assert [unfolds(value) for action in model.actions for _, value in action.updates] == [turns == 5, False]
    semantics, steps = Semantics(model), Steps(model)
    for state in some_states(model, 25):
        for one in model.actions:
            for picks in pick_values(one):
                assert steps.outcome(one, state, picks) == concrete_outcome(semantics, one, state, picks)


@pytest.mark.parametrize("name", [pytest.param("loop", marks=pytest.mark.slow), "deep"])
def test_the_cost_of_many_turns_is_that_of_each(name: str) -> None:
    """The cost of a turn is constant: neither time nor Python's stack grows with each."""
    gates = []
    for turns in (50, 100, 200):
        encoding = Encoding(build(Turns(turns=turns)))
        one = next(one for one in encoding.model.actions if one.name == name)
        gates.append(len(optional_action(encoding, one, ()).template.gates))
    assert gates[2] - gates[1] < 2.5 * (gates[1] - gates[0]) + 100
