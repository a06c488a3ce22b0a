"""A protocol whose proof must say of voters what they did not vote for."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Map,
    Next,
    Option,
    Protocol,
    Set,
    State,
    action,
    forall,
    invariant,
    map_of,
    number_where,
    parameter,
    pick,
    sort,
)


class Votes(Protocol):
    """Voters vote once, and what most voted for is decided."""

    voters: int = parameter(5, at_least=1, doc="the voters")

    def define(self, state: Any) -> None:
        self.Voter = sort("Voter", self.voters)
        self.Value = sort("Value", 4, "x")
        state.vote = Map(self.Voter, Option(self.Value))
        state.decided = Set(self.Value)

    def init(self, start: Any) -> None:
        start.vote = map_of(self.Voter, lambda _: None)
        start.decided = set()

    @action
    def cast(self, now: State, nxt: Next, voter: Any = pick("Voter"), value: Any = pick("Value")) -> None:
        nxt.require(now.vote[voter].is_none)
        nxt.vote[voter] = value

    @action
    def decide(self, now: State, nxt: Next, value: Any = pick("Value")) -> None:
        nxt.require(number_where(self.Voter, lambda voter: now.vote[voter] == value) > self.voters // 2)
        nxt.decided = now.decided.add(value)


@invariant(Votes)
def agreed(protocol: Votes, now: State) -> Any:
    """At most one value is decided."""
    return forall(now.decided, lambda a: forall(now.decided, lambda b: a == b))
