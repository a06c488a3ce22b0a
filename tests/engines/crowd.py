"""A protocol with members that are alike, deadlocks, steps out of bounds and a constraint."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Int,
    Map,
    Protocol,
    Set,
    action,
    constraint,
    invariant,
    map_of,
    pick,
    set_of,
    sort,
)


class Crowd(Protocol):
    """Members enter one by one, and count; too far is out of bounds, and a full house has no step."""

    def define(self, state: Any) -> None:
        self.Member = sort("Member", 4)
        state.inside = Set(self.Member)
        state.counts = Map(self.Member, Int(0, 2))

    def init(self, start: Any) -> None:
        start.inside = set_of()
        start.counts = map_of(self.Member, lambda _: 0)

    @action
    def enter(self, now: Any, nxt: Any, who: Any = pick("Member")) -> None:
        """A member enters."""
        nxt.require(~now.inside.has(who))
        nxt.inside = now.inside.add(who)

    @action
    def count(self, now: Any, nxt: Any, who: Any = pick("Member")) -> None:
        """Somebody outside counts, perhaps too far."""
        nxt.require(~now.inside.has(who))
        nxt.counts = now.counts.set(who, now.counts[who] + 1)


@invariant(Crowd)
def not_all(protocol: Crowd, now: Any) -> Any:
    """Violated once all are inside."""
    return now.inside.size < 4


@constraint(Crowd)
def at_most_three(protocol: Crowd, now: Any) -> Any:
    """No more than three are inside."""
    return now.inside.size <= 3
