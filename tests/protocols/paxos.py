"""Voting, and Paxos, which implements it: L. Lamport: The part-time parliament, TOCS 16, 1998.

Written from the algorithm, with the names of its well-known TLA+ modules.
"""

from itertools import combinations
from typing import Any

from leadline.symbolic.lang import (
    Int,
    Map,
    Protocol,
    Set,
    action,
    all_of,
    any_of,
    exists,
    forall,
    implies,
    int_range,
    invariant,
    map_of,
    of,
    parameter,
    pick,
    record,
    refines,
    sort,
    union,
)

ACCEPTOR, BALLOT, VALUE = pick("Acceptor"), pick("Ballot"), pick("Value")


class _Consensus(Protocol):
    """Acceptors, any majority of which is a quorum, values and ballots."""

    acceptors: int = parameter(3, at_least=1, doc="number of acceptors")
    values: int = parameter(2, at_least=1, doc="number of values")
    ballots: int = parameter(2, at_least=1, doc="number of ballots, from 0 on")

    def define(self, state: Any) -> None:
        self.Acceptor = sort("Acceptor", self.acceptors)
        self.Value = sort("Value", self.values)
        self.Ballot = Int(0, self.ballots - 1)
        self.Vote = record("Vote", bal=self.Ballot, val=self.Value)

    def some_quorum(self, test: Any) -> Any:
        """Whether some quorum passes a test."""
        size = self.acceptors // 2 + 1
        return any_of(*(test(quorum) for quorum in combinations(self.Acceptor.members, size)))


class Voting(_Consensus):
    """Acceptors vote for values in ballots; a value is chosen once a quorum has voted for it in one."""

    def define(self, state: Any) -> None:
        super().define(state)
        state.votes = Map(self.Acceptor, Set(self.Vote))
        state.max_bal = Map(self.Acceptor, Int(-1, self.ballots - 1))

    def init(self, start: Any) -> None:
        start.votes = map_of(self.Acceptor, lambda a: of(Set(self.Vote), set()))
        start.max_bal = map_of(self.Acceptor, lambda a: -1)

    def shows_safe_at(self, now: Any, quorum: Any, b: Any, v: Any) -> Any:
        """Whether the acceptors of a quorum show that no other value than v is or can be chosen before b."""

        def silent(after: Any) -> Any:
            return all_of(
                *(forall(now.votes[a], lambda vote: (vote.bal <= after) | (vote.bal >= b)) for a in quorum)
            )

        voted = any_of(
            silent(-1),
            exists(
                self.Ballot,
                lambda c: all_of(
                    c < b,
                    any_of(*(now.votes[a].has(of(self.Vote, bal=c, val=v)) for a in quorum)),
                    silent(c),
                ),
            ),
        )
        return all_of(*(now.max_bal[a] >= b for a in quorum), voted)

    @action
    def increase_max_bal(self, now: Any, nxt: Any, a: Any = ACCEPTOR, b: Any = BALLOT) -> None:
        nxt.require(b > now.max_bal[a])
        nxt.max_bal[a] = b

    @action
    def vote_for(self, now: Any, nxt: Any, a: Any = ACCEPTOR, b: Any = BALLOT, v: Any = VALUE) -> None:
        nxt.require(now.max_bal[a] <= b, forall(now.votes[a], lambda vote: vote.bal != b))
        others = forall(
            self.Acceptor,
            lambda c: forall(now.votes[c], lambda vote: implies(vote.bal == b, vote.val == v)),
        )
        nxt.require(others, self.some_quorum(lambda quorum: self.shows_safe_at(now, quorum, b, v)))
        nxt.votes[a] = now.votes[a].add(of(self.Vote, bal=b, val=v))
        nxt.max_bal[a] = b


class Paxos(_Consensus):
    """Leaders of ballots ask acceptors for what they have accepted, and then to accept a value."""

    mistake: bool = parameter(False, doc="whether a leader proposes any value, whatever was accepted before")

    def define(self, state: Any) -> None:
        super().define(state)
        last = {"mbal": Int(-1, self.ballots - 1), "mval": self.Value}
        shapes: dict[str, Any] = {
            "1a": {"bal": self.Ballot},
            "1b": {"acc": self.Acceptor, "bal": self.Ballot, **last},
            "2a": {"bal": self.Ballot, "val": self.Value},
            "2b": {"acc": self.Acceptor, "bal": self.Ballot, "val": self.Value},
        }
        self.Message = union("Message", **shapes)
        state.max_bal = Map(self.Acceptor, Int(-1, self.ballots - 1))
        state.max_v_bal = Map(self.Acceptor, Int(-1, self.ballots - 1))
        # Means nothing where max_v_bal is -1; some value then.
        state.max_val = Map(self.Acceptor, self.Value)
        state.msgs = Set(self.Message)

    def init(self, start: Any) -> None:
        start.max_bal = start.max_v_bal = map_of(self.Acceptor, lambda a: -1)
        start.max_val = map_of(self.Acceptor, lambda a: of(self.Value, self.Value.members[0]))
        start.msgs = set()

    def send(self, now: Any, nxt: Any, kind: str, **fields: Any) -> None:
        nxt.msgs = now.msgs.add(of(self.Message, kind, **fields))

    @action
    def phase1a(self, now: Any, nxt: Any, b: Any = BALLOT) -> None:
        self.send(now, nxt, "1a", bal=b)

    @action
    def phase1b(self, now: Any, nxt: Any, a: Any = ACCEPTOR, b: Any = BALLOT) -> None:
        nxt.require(now.msgs.has(of(self.Message, "1a", bal=b)), b > now.max_bal[a])
        nxt.max_bal[a] = b
        self.send(now, nxt, "1b", acc=a, bal=b, mbal=now.max_v_bal[a], mval=now.max_val[a])

    @action
    def phase2a(self, now: Any, nxt: Any, b: Any = BALLOT, v: Any = VALUE) -> None:
        nxt.require(~exists(self.Value, lambda w: now.msgs.has(of(self.Message, "2a", bal=b, val=w))))
        nxt.require(self.some_quorum(lambda quorum: self.may_propose(now, quorum, b, v)))
        self.send(now, nxt, "2a", bal=b, val=v)

    def may_propose(self, now: Any, quorum: Any, b: Any, v: Any) -> Any:
        """Whether a quorum has answered in b, and v is what it accepted last, if anything."""

        def answer(a: str, mbal: Any, mval: Any) -> Any:
            return now.msgs.has(of(self.Message, "1b", acc=a, bal=b, mbal=mbal, mval=mval))

        def answered(a: str, test: Any) -> Any:
            kinds = Int(-1, self.ballots - 1), self.Value
            return exists(kinds[0], lambda mbal: exists(kinds[1], lambda w: answer(a, mbal, w) & test(mbal)))

        def accepted(c: Any) -> Any:
            last = all_of(*(answered(a, lambda mbal: mbal <= c) for a in quorum))
            return last & any_of(*(answer(a, c, v) for a in quorum))

        if self.mistake:
            return all_of(*(answered(a, lambda mbal: mbal >= -1) for a in quorum))
        nothing = all_of(*(answered(a, lambda mbal: mbal == -1) for a in quorum))
        return nothing | exists(int_range(0, self.ballots - 1), accepted)

    @action
    def phase2b(self, now: Any, nxt: Any, a: Any = ACCEPTOR, b: Any = BALLOT, v: Any = VALUE) -> None:
        nxt.require(now.msgs.has(of(self.Message, "2a", bal=b, val=v)), b >= now.max_bal[a])
        nxt.max_bal[a] = b
        nxt.max_v_bal[a] = b
        nxt.max_val[a] = v
        self.send(now, nxt, "2b", acc=a, bal=b, val=v)


@refines(Paxos, Voting, tla="VotingSpec")
def implements_voting(protocol: Any, now: Any, abstract: Any) -> None:
    """Accepted proposals are votes."""

    def votes(a: Any) -> Any:
        sent = now.msgs.filter(lambda m: m.is_a("2b") & (m.as_a("2b").acc == a))
        return sent.map(lambda m: of(protocol.Vote, bal=m.as_a("2b").bal, val=m.as_a("2b").val))

    abstract.votes = map_of(protocol.Acceptor, votes)
    abstract.max_bal = now.max_bal


@invariant(Voting)
def one_value(protocol: Any, now: Any) -> Any:
    """At most one value is chosen."""

    def chosen(v: Any) -> Any:
        def in_ballot(b: Any) -> Any:
            vote = of(protocol.Vote, bal=b, val=v)
            return protocol.some_quorum(lambda quorum: all_of(*(now.votes[a].has(vote) for a in quorum)))

        return exists(protocol.Ballot, in_ballot)

    return forall(protocol.Value, lambda v, w: implies(chosen(v) & chosen(w), v == w))
