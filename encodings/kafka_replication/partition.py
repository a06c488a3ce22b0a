"""The modules FiniteReplicatedLog and KafkaReplication of hachikuji/kafka-specification.

A log is a record of `end_offset`, the number of written records, and `records`, a map from the offsets to a
record or None. Offsets below `end_offset` hold records and the others None: the property `type-ok`.
"""

from leadline.symbolic.lang import (
    Int,
    Map,
    Option,
    Protocol,
    Set,
    action,
    all_of,
    forall,
    int_range,
    ite,
    map_of,
    minimum,
    of,
    parameter,
    pick,
    record,
    replace,
    set_of,
    sort,
)

REPLICA = pick("Replica")
EPOCH = pick("Epoch")

NIL = -1
"""The leader epoch of a replica that has learnt of none."""


def has_offset(log, offset):
    """Whether a record is written at the offset."""
    return offset < log.end_offset


def have_same_entry(one, other, offset):
    """Whether both logs hold the same record at the offset."""
    same = one.records[offset] == other.records[offset]
    return all_of(has_offset(one, offset), has_offset(other, offset), same)


def epoch_at(log, offset):
    """The leader epoch of the record at an offset that is written."""
    return log.records[offset].value.epoch


def of_same_epoch(one, other, offset):
    """Whether both logs hold a record at the offset, and both records are of one leader epoch."""
    mine, theirs = one.records[offset], other.records[offset]
    return all_of(mine.is_some, theirs.is_some, mine.value.epoch == theirs.value.epoch)


def appended(log, entry):
    """The log with one more record. Out of bounds if it is full."""
    longer = log.records.set(log.end_offset, entry)
    return replace(log, end_offset=log.end_offset + 1, records=longer)


def truncated(log, offsets, end_offset):
    """The log without the records from `end_offset` on."""
    kept = map_of(offsets, lambda offset: ite(offset < end_offset, log.records[offset], None))
    return replace(log, end_offset=end_offset, records=kept)


def offsets_where(log, log_size, keep):
    """The set of the written offsets that satisfy the predicate."""
    return int_range(0, log_size - 1).filter(lambda offset: has_offset(log, offset) & keep(offset))


class Partition(Protocol):
    """A partition, its replicas and its controller. Each variant adds how followers truncate and fetch."""

    replicas: int = parameter(3, at_least=1, at_most=9, doc="number of replicas")
    log_size: int = parameter(2, at_least=1, doc="records that a replica's log can hold")
    max_records: int = parameter(2, at_least=1, doc="records that producers write")
    max_leader_epoch: int = parameter(2, at_least=0, doc="last leader epoch; the first is 0")

    def define(self, state):
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
        # The module has a set of requests. Each has its own leader epoch, so a map from epochs says the same
        # in a few bits an epoch; the set would take one bit for each possible request.
        state.leader_and_isr_requests = Map(self.Epoch, Option(self.Request))
        state.quorum_state = self.QuorumState

    def init(self, start):
        empty = of(self.Log, end_offset=0, records=map_of(self.Offset, lambda offset: None))
        unborn = of(self.ReplicaState, hw=0, leader_epoch=NIL, leader=None, isr=set())
        start.replica_log = map_of(self.Replica, lambda replica: empty)
        start.replica_state = map_of(self.Replica, lambda replica: unborn)
        start.next_record_id = 0
        start.next_leader_epoch = 0
        start.leader_and_isr_requests = map_of(self.Epoch, lambda epoch: None)
        start.quorum_state = of(self.QuorumState, leader_epoch=NIL, leader=None, isr=self.Replica)

    @action
    def controller_elect_leader(self, now, nxt, new_leader=REPLICA):
        """The controller makes any other member of the ISR the leader, under a new epoch."""
        nxt.require(now.quorum_state.isr.has(new_leader), now.quorum_state.leader != new_leader)
        self.controller_update_isr(now, nxt, new_leader, now.quorum_state.isr)

    @action
    def controller_shrink_isr(self, now, nxt, replica=REPLICA):
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
    def become_leader(self, now, nxt, leader=REPLICA, epoch=EPOCH):
        """A replica learns that it leads. Its high watermark is often behind that of the leader before it."""
        self.require_request(now, nxt, leader, leader, epoch)
        self.adopt(now, nxt, leader, epoch, now.replica_state[leader].hw)

    @action
    def leader_write(self, now, nxt, replica=REPLICA):
        """A replica that presumes to lead appends the next record from a producer. A zombie may do so too."""
        log, state = now.replica_log[replica], now.replica_state[replica]
        nxt.require(self.presumes_leadership(now, replica))
        nxt.require(now.next_record_id < self.max_records, log.end_offset < self.log_size)
        written = of(self.Record, id=now.next_record_id, epoch=state.leader_epoch)
        nxt.replica_log[replica] = appended(log, written)
        nxt.next_record_id = now.next_record_id + 1

    # -- operators ----------------------------------------------------------------------------------------

    def presumes_leadership(self, now, replica):
        """Whether the replica believes that it leads."""
        return self.follows(now, replica, replica)

    def follows(self, now, follower, leader):
        """Whether the follower believes that the other replica leads, in whatever epoch."""
        return now.replica_state[follower].leader == leader

    def all_in_isr(self, now, leader, condition):
        """Whether the condition holds of every member of the ISR that the leader knows."""
        return forall(now.replica_state[leader].isr, lambda follower: condition(follower))

    # -- parts of actions ---------------------------------------------------------------------------------

    def controller_update_isr(self, now, nxt, leader, isr):
        """The controller decides, under the next epoch if there is one, and tells the replicas."""
        epoch = now.next_leader_epoch
        nxt.require(epoch <= self.max_leader_epoch)
        nxt.next_leader_epoch = epoch + 1
        nxt.quorum_state = of(self.QuorumState, leader_epoch=epoch, leader=leader, isr=isr)
        nxt.leader_and_isr_requests[epoch] = of(self.Request, leader=leader, isr=isr)

    def quorum_update_isr(self, now, nxt, leader, isr):
        """The true leader changes the ISR; the write to the quorum state fences off all others."""
        quorum, state = now.quorum_state, now.replica_state[leader]
        nxt.require(quorum.leader == leader, self.presumes_leadership(now, leader))
        nxt.require(state.leader_epoch == quorum.leader_epoch)
        nxt.quorum_state.isr = isr
        nxt.replica_state[leader].isr = isr

    def require_request(self, now, nxt, replica, leader, epoch):
        """There is a request of that epoch, it names that leader, and the epoch is new to the replica.

        As in the module, nobody acts on a request without a leader.
        """
        request = now.leader_and_isr_requests[epoch]
        nxt.require(request.is_some, request.value.leader == leader)
        nxt.require(epoch > now.replica_state[replica].leader_epoch)

    def adopt(self, now, nxt, replica, epoch, hw):
        """The replica adopts the leader and ISR of the request of that epoch."""
        request = now.leader_and_isr_requests[epoch].value
        nxt.replica_state[replica] = of(
            self.ReplicaState, hw=hw, leader_epoch=epoch, leader=request.leader, isr=request.isr
        )

    def follow_from(self, now, nxt, replica, epoch, offset):
        """The replica truncates its log to the offset, which must be in it, and adopts the request."""
        nxt.require(offset <= now.replica_log[replica].end_offset)
        nxt.replica_log[replica] = truncated(now.replica_log[replica], self.Offset, offset)
        self.adopt(now, nxt, replica, epoch, minimum(offset, now.replica_state[replica].hw))

    def replicate(self, now, nxt, leader, follower):
        """The follower appends the leader's record at its own log's end and learns the high watermark."""
        own, other = now.replica_log[follower], now.replica_log[leader]
        nxt.require(has_offset(other, own.end_offset))
        nxt.replica_log[follower] = appended(own, other.records[own.end_offset])
        nxt.replica_state[follower].hw = minimum(now.replica_state[leader].hw, own.end_offset + 1)
