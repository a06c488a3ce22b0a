"""What all forms share: the module KafkaReplication of hachikuji/kafka-specification."""

from __future__ import annotations

from typing import Any

from leadline.encodings.kafka_replication import replicated_log as logs
from leadline.symbolic.lang import (
    BoolExpr,
    Int,
    IntExpr,
    Map,
    NamedExpr,
    Next,
    Option,
    Protocol,
    Set,
    State,
    action,
    forall,
    ite,
    map_of,
    minimum,
    of,
    parameter,
    pick,
    record,
    set_of,
    sort,
)

NIL = -1
"""The leader epoch before there is any."""


class Partition(Protocol):
    """A partition, its replicas and its controller; how followers follow is for each form to say."""

    replicas: int = parameter(3, at_least=1, at_most=9, doc="number of replicas")
    log_size: int = parameter(2, at_least=1, doc="records that a replica's log can hold")
    max_records: int = parameter(2, at_least=1, doc="records that producers write")
    max_leader_epoch: int = parameter(2, at_least=0, doc="last leader epoch; the first is 0")

    def define(self, state: Any) -> None:
        self.Replica = sort("Replica", self.replicas)
        self.Offset = Int(0, self.log_size - 1)
        self.EndOffset = Int(0, self.log_size)
        self.Epoch = Int(0, self.max_leader_epoch)
        epoch_or_nil = Int(NIL, self.max_leader_epoch)
        leader_and_isr = {"leader": Option(self.Replica), "isr": Set(self.Replica)}
        self.Record = record("Record", id=Int(0, self.max_records - 1), epoch=self.Epoch)
        self.Log = record("Log", end_offset=self.EndOffset, records=Map(self.Offset, Option(self.Record)))
        self.QuorumState = record("QuorumState", leader_epoch=epoch_or_nil, **leader_and_isr)
        self.ReplicaState = record(
            "ReplicaState", hw=self.EndOffset, leader_epoch=epoch_or_nil, **leader_and_isr
        )
        self.Request = record("Request", **leader_and_isr)

        state.replica_log = Map(self.Replica, self.Log)
        state.replica_state = Map(self.Replica, self.ReplicaState)
        state.next_record_id = Int(0, self.max_records)
        state.next_leader_epoch = Int(0, self.max_leader_epoch + 1)
        # The module has a set of requests. Each has a leader epoch of its own, so a map from the epochs tells
        # the same, and takes a few bits an epoch where the set takes one for every request that can be built.
        state.leader_and_isr_requests = Map(self.Epoch, Option(self.Request))
        state.quorum_state = self.QuorumState

    def init(self, start: Any) -> None:
        empty = of(self.Log, end_offset=0, records=map_of(self.Offset, lambda offset: None))
        unborn = of(self.ReplicaState, hw=0, leader_epoch=NIL, leader=None, isr=set())
        start.replica_log = map_of(self.Replica, lambda replica: empty)
        start.replica_state = map_of(self.Replica, lambda replica: unborn)
        start.next_record_id = 0
        start.next_leader_epoch = 0
        start.leader_and_isr_requests = map_of(self.Epoch, lambda epoch: None)
        start.quorum_state = of(self.QuorumState, leader_epoch=NIL, leader=None, isr=self.Replica)

    @action
    def controller_elect_leader(self, now: State, nxt: Next, new_leader: NamedExpr = pick("Replica")) -> None:
        """The controller makes any other member of the ISR the leader, under a new epoch."""
        nxt.require(now.quorum_state.isr.has(new_leader), now.quorum_state.leader != new_leader)
        self.controller_update_isr(now, nxt, new_leader, now.quorum_state.isr)

    @action
    def controller_shrink_isr(self, now: State, nxt: Next, replica: NamedExpr = pick("Replica")) -> None:
        """The controller takes a failed broker out of the ISR.

        If it led, there is no leader until an election, and it stays in the ISR if it is the last member.
        """
        quorum = now.quorum_state
        led = quorum.leader == replica
        last = led & (quorum.isr == set_of(replica))
        nxt.require(led | quorum.isr.has(replica))
        new_isr = ite(last, quorum.isr, quorum.isr.remove(replica))
        self.controller_update_isr(now, nxt, ite(led, None, quorum.leader), new_isr)

    @action
    def become_leader(
        self, now: State, nxt: Next, leader: NamedExpr = pick("Replica"), epoch: IntExpr = pick("Epoch")
    ) -> None:
        """A replica learns that it leads. Its high watermark is often behind that of the leader before it."""
        self.require_request(now, nxt, leader, leader, epoch)
        self.adopt(now, nxt, leader, epoch, now.replica_state[leader].hw)

    @action
    def leader_write(self, now: State, nxt: Next, replica: NamedExpr = pick("Replica")) -> None:
        """A replica that presumes to lead appends the next record from a producer. A zombie may do so too."""
        log, state = now.replica_log[replica], now.replica_state[replica]
        nxt.require(self.presumes_leadership(now, replica))
        nxt.require(now.next_record_id < self.max_records, log.end_offset < self.log_size)
        written = of(self.Record, id=now.next_record_id, epoch=state.leader_epoch)
        nxt.replica_log[replica] = logs.appended(log, written)
        nxt.next_record_id = now.next_record_id + 1

    # -- what a replica can tell --------------------------------------------------------------------------

    def presumes_leadership(self, now: State, replica: Any) -> BoolExpr:
        """Whether the replica believes that it leads."""
        return self.follows(now, replica, replica)

    def follows(self, now: State, follower: Any, leader: Any) -> BoolExpr:
        """Whether the follower takes that replica for the leader, in whatever epoch."""
        following: BoolExpr = now.replica_state[follower].leader == leader
        return following

    def all_in_isr(self, now: State, leader: Any, condition: Any) -> BoolExpr:
        """Whether the condition holds of every member of the ISR that the leader knows."""
        return forall(now.replica_state[leader].isr, lambda follower: condition(follower))

    # -- parts of actions ---------------------------------------------------------------------------------

    def controller_update_isr(self, now: State, nxt: Next, leader: Any, isr: Any) -> None:
        """The controller decides, under the next epoch if there is one, and tells the replicas."""
        epoch = now.next_leader_epoch
        nxt.require(epoch <= self.max_leader_epoch)
        nxt.next_leader_epoch = epoch + 1
        nxt.quorum_state = of(self.QuorumState, leader_epoch=epoch, leader=leader, isr=isr)
        nxt.leader_and_isr_requests[epoch] = of(self.Request, leader=leader, isr=isr)

    def quorum_update_isr(self, now: State, nxt: Next, leader: Any, isr: Any) -> None:
        """The true leader changes the ISR; the write to the quorum state fences off all others."""
        quorum, state = now.quorum_state, now.replica_state[leader]
        nxt.require(quorum.leader == leader, self.presumes_leadership(now, leader))
        nxt.require(state.leader_epoch == quorum.leader_epoch)
        nxt.quorum_state.isr = isr
        nxt.replica_state[leader].isr = isr

    def require_request(self, now: State, nxt: Next, replica: Any, leader: Any, epoch: Any) -> None:
        """There is a request of that epoch, it names that leader, and the epoch is new to the replica.

        As in the module, nobody acts on a request without a leader.
        """
        request = now.leader_and_isr_requests[epoch]
        nxt.require(request.is_some, request.value.leader == leader)
        nxt.require(epoch > now.replica_state[replica].leader_epoch)

    def adopt(self, now: State, nxt: Next, replica: Any, epoch: Any, hw: Any) -> None:
        """The replica takes over what the request of that epoch says."""
        request = now.leader_and_isr_requests[epoch].value
        nxt.replica_state[replica] = of(
            self.ReplicaState, hw=hw, leader_epoch=epoch, leader=request.leader, isr=request.isr
        )

    def follow_from(self, now: State, nxt: Next, replica: Any, epoch: Any, offset: Any) -> None:
        """The replica truncates its log to the offset, which must be in it, and takes over the request."""
        nxt.require(offset <= now.replica_log[replica].end_offset)
        nxt.replica_log[replica] = logs.truncated(now.replica_log[replica], self.Offset, offset)
        self.adopt(now, nxt, replica, epoch, minimum(offset, now.replica_state[replica].hw))

    def replicate(self, now: State, nxt: Next, leader: Any, follower: Any) -> None:
        """The follower appends the leader's record at its own log's end and learns the high watermark."""
        own, other = now.replica_log[follower], now.replica_log[leader]
        nxt.require(logs.has_offset(other, own.end_offset))
        nxt.replica_log[follower] = logs.appended(own, other.records[own.end_offset])
        nxt.replica_state[follower].hw = minimum(now.replica_state[leader].hw, own.end_offset + 1)
