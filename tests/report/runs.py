"""Runs to make pages of: KIP-320's first try, and a token that goes round for ever."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import (
    Bool,
    Map,
    Protocol,
    Set,
    action,
    alias,
    build,
    forall,
    invariant,
    map_of,
    number_where,
    of,
    pick,
    record,
    sort,
)
from leadline.symbolic.trace import Step, Trace

Call = tuple[str, dict[str, Any]]


def run(semantics: Semantics, calls: Sequence[Call], claim: str) -> Trace:
    """The run of these actions from the first initial state; it violates the property."""
    initial = state = semantics.initial()[0].state
    steps = []
    for name, picks in calls:
        outcome = semantics.outcome(state, name, picks)
        assert outcome is not None, name
        state = outcome.state
        steps.append(Step(name, picks, state))
    return Trace({}, initial, tuple(steps), property=claim)


KIP_320_FIRST_TRY: list[Call] = [
    ("controller_elect_leader", {"new_leader": "r1"}),
    ("become_leader", {"leader": "r1", "epoch": 0}),
    ("leader_shrink_isr_better_fencing", {"leader": "r1", "replica": "r3"}),
    ("controller_elect_leader", {"new_leader": "r2"}),
    ("become_follower", {"leader": "r2", "replica": "r3", "epoch": 1}),
    ("become_leader", {"leader": "r2", "epoch": 1}),
    ("leader_expand_isr_better_fencing", {"leader": "r2", "replica": "r3"}),
    ("controller_elect_leader", {"new_leader": "r1"}),
    ("leader_write", {"replica": "r1"}),
    ("become_follower", {"leader": "r1", "replica": "r2", "epoch": 2}),
    ("follower_fetch", {"follower": "r2", "leader": "r1"}),
    ("improved_leader_inc_high_watermark", {"leader": "r1"}),
]


@cache
def kip_320() -> tuple[Semantics, Trace]:
    """KIP-320's first try with 3 replicas: strong-isr is violated in 12 steps."""
    semantics = Semantics(model_of(find("kafka-replication"), {"variant": "kip-320-first-try"}))
    return semantics, run(semantics, KIP_320_FIRST_TRY, "strong-isr")


class Ring(Protocol):
    """A token is sent from node to node."""

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 3)
        self.Token = record("Token", source=self.Node, target=self.Node)
        state.has = Map(self.Node, Bool())
        state.mail = Set(self.Token)

    def init(self, start: Any) -> None:
        start.has = map_of(self.Node, lambda node: node == "n1")
        start.mail = of(Set(self.Token))

    @action
    def send(self, now: Any, nxt: Any, node: Any = pick("Node"), other: Any = pick("Node")) -> None:
        """A node gives the token away."""
        nxt.require(now.has[node], node != other)
        nxt.has[node] = False
        nxt.mail = now.mail.add(of(self.Token, source=node, target=other))

    @action
    def receive(self, now: Any, nxt: Any) -> None:
        """A node takes the token out of the mail."""
        token = nxt.pick("token", now.mail)
        nxt.has[token.target] = True
        nxt.mail = now.mail.remove(token)


@invariant(Ring)
def in_the_mail(protocol: Any, now: Any) -> Any:
    """Is false whenever a node has the token."""
    return forall(protocol.Node, lambda node: ~now.has[node])


ROUND: list[Call] = [
    ("send", {"node": "n1", "other": "n3"}),
    ("receive", {"token": ("n1", "n3")}),
    ("send", {"node": "n3", "other": "n1"}),
    ("receive", {"token": ("n3", "n1")}),
]


@alias(Ring)
def holders(protocol: Any, now: Any) -> Any:
    """The number of nodes that have the token."""
    return number_where(protocol.Node, lambda node: now.has[node])


@cache
def ring(aliases: bool = False) -> tuple[Semantics, Trace]:
    """The token goes from n1 to n3 and back, so that the end is the beginning."""
    semantics = Semantics(build(Ring(), [in_the_mail, *([holders] if aliases else [])]))
    return semantics, run(semantics, ROUND, "in-the-mail")
