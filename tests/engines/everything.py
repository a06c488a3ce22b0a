"""A protocol whose state has a part of every kind, for texts about states; the behaviour does not matter."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Next,
    Option,
    Protocol,
    Seq,
    Set,
    State,
    Tuple,
    action,
    all_of,
    enum,
    forall,
    invariant,
    map_of,
    of,
    record,
    sort,
    union,
)


class Everything(Protocol):
    """Stands still."""

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 3)
        self.Key = sort("Key", 2)
        self.Phase = enum("Phase", "up", "down", "gone")
        self.Vote = record("Vote", voter=self.Node, at=Int(0, 2))
        self.Mail = union(
            "Mail", ping={}, ask={"from": self.Node, "key": Option(self.Key)}, tell={"n": Int(0, 3)}
        )
        state.flag = Bool()
        state.phase = Map(self.Node, self.Phase)
        state.leader = Option(self.Node)
        state.number = Map(self.Key, Int(-1, 30))
        state.large = Int(0, 100_000)
        state.pair = Tuple((Option(Int(0, 2)), self.Key))
        state.votes = Set(self.Vote)
        state.mail = Seq(self.Mail, 2)
        state.friend = Map(Tuple((self.Node, Bool())), Option(record("Friend", who=self.Node, near=Bool())))
        state.seen = Set(Map(self.Key, Bool()))
        state.crowds = Set(Set(self.Node))
        state.paths = Set(Seq(self.Key, 2))

    def init(self, start: Any) -> None:
        start.flag = False
        start.phase = map_of(self.Node, lambda _: of(self.Phase, "up"))
        start.leader = None
        start.number = map_of(self.Key, lambda _: 0)
        start.large = 0
        start.pair = (None, start.pick("key", self.Key))
        start.votes, start.seen, start.crowds, start.paths = set(), set(), set(), set()
        start.mail = []
        start.friend = map_of(Tuple((self.Node, Bool())), lambda _: None)

    @action
    def stay(self, now: State, nxt: Next) -> None:
        """Nothing changes."""
        nxt.flag = now.flag


@invariant(Everything)
def quiet(protocol: Everything, now: State) -> Any:
    """Nothing has begun."""
    return all_of(~now.flag, forall(protocol.Node, lambda node: now.phase[node] == "up"))
