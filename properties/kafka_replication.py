"""Properties of Kafka's replication: the invariants of hachikuji/kafka-specification.

Unless stated otherwise, logs hold 2 records, producers write 2, and leader epochs go up to 2. Lengths are in
steps; TLC finds the same.
"""

from leadline.encodings.kafka_replication import (
    KIP_101,
    KIP_279,
    KIP_320,
    KIP_320_FIRST_TRY,
    TRUNCATE_TO_HIGH_WATERMARK,
    KafkaReplication,
)
from leadline.encodings.kafka_replication.partition import NIL, epoch_at, has_offset, have_same_entry
from leadline.symbolic.lang import (
    all_of,
    any_of,
    at_most,
    exists,
    forall,
    holds,
    implies,
    invariant,
    ite,
    proved,
    strengthening,
    violated,
)

ANY_SIZE = {"replicas": ..., "log_size": ..., "max_records": ..., "max_leader_epoch": ...}


@invariant(
    KafkaReplication,
    known=[
        proved(variant=..., replicas=(2, 3)),
        proved(variant=..., replicas=5, log_size=4, max_records=4, max_leader_epoch=4),
    ],
)
def type_ok(protocol, now):
    """A log holds records below its end and none above it.

    From `TypeOk` of KafkaReplication and FiniteReplicatedLog; the types of the variables say the rest. TLC
    cannot evaluate the original once a record is written, since it compares the record with the integer -1.
    Proved by induction in all variants, and with it that no step is out of bounds.
    """

    def written_below_the_end(replica, offset):
        log = now.replica_log[replica]
        return log.records[offset].is_some == has_offset(log, offset)

    return forall(
        protocol.Replica,
        lambda replica: forall(protocol.Offset, lambda offset: written_below_the_end(replica, offset)),
    )


@invariant(
    KafkaReplication,
    known=[
        violated(8, variant=TRUNCATE_TO_HIGH_WATERMARK, replicas=(2, 3)),
        violated(11, variant=KIP_101, replicas=2),
        violated(10, variant=KIP_101, replicas=3),
        holds(variant=KIP_279, replicas=2),
        violated(10, variant=KIP_279, replicas=3),
        holds(variant=KIP_320_FIRST_TRY, replicas=2),
        violated(11, variant=KIP_320_FIRST_TRY, replicas=3),
        proved(variant=KIP_320, replicas=(2, 3)),
        violated(at_most(14), variant=(KIP_101, KIP_279, KIP_320_FIRST_TRY), log_size=(3, 4)),
    ],
)
def weak_isr(protocol, now):
    """Below a presumed leader's high watermark, all members of the ISR that it knows have its records.

    From `WeakIsr` of KafkaReplication; weak, since leaders are elected from the quorum's ISR. The variants up
    to kip-101 violate it with 2 replicas, those up to kip-320-first-try with 3. It is proved by
    induction for kip-320; the module claims it at all sizes.
    """
    return forall(
        protocol.Replica,
        lambda leader: _committed_data_on(protocol, now, leader, now.replica_state[leader].isr),
    )


@invariant(
    KafkaReplication,
    known=[
        violated(9, variant=TRUNCATE_TO_HIGH_WATERMARK, replicas=2),
        violated(8, variant=TRUNCATE_TO_HIGH_WATERMARK, replicas=3),
        violated(11, variant=KIP_101, replicas=2),
        violated(10, variant=KIP_101, replicas=3),
        holds(variant=KIP_279, replicas=2),
        violated(10, variant=KIP_279, replicas=3),
        holds(variant=KIP_320_FIRST_TRY, replicas=2),
        violated(12, variant=KIP_320_FIRST_TRY, replicas=3),
        proved(variant=KIP_320, replicas=(2, 3)),
        violated(at_most(14), variant=(KIP_101, KIP_279, KIP_320_FIRST_TRY), log_size=(3, 4)),
    ],
)
def strong_isr(protocol, now):
    """Below a presumed leader's high watermark, all members of the quorum's ISR have its records.

    So every replica that can be elected has the records that consumers may have seen. From `StrongIsr` of
    KafkaReplication. Holds and fails where `weak-isr` does, with lengths of its own. With 3 replicas kip-320
    has 737,794 states.
    """
    return forall(
        protocol.Replica, lambda leader: _committed_data_on(protocol, now, leader, now.quorum_state.isr)
    )


@invariant(KafkaReplication, known=[violated(0, variant=..., **ANY_SIZE)])
def leader_in_isr(protocol, now):
    """The quorum's leader is a member of its ISR.

    From `LeaderInIsr` of KafkaReplication, with its oddity: having no leader counts as a violation, so it
    fails in the initial state of every variant (0 steps).
    """
    leader = now.quorum_state.leader
    return all_of(leader.is_some, now.quorum_state.isr.has(leader.value))


@strengthening(KafkaReplication)
def leaders_have_epochs(protocol, now):
    """A replica that knows a leader has learnt of it in some epoch. So a leader that writes has an epoch."""
    return forall(
        protocol.Replica,
        lambda replica: implies(
            now.replica_state[replica].leader.is_some, now.replica_state[replica].leader_epoch >= 0
        ),
    )


def _committed_data_on(protocol, now, leader, replicas):
    """Whether the replicas have the leader's records below its high watermark, if it presumes to lead."""
    hw = now.replica_state[leader].hw
    log = now.replica_log[leader]
    return any_of(
        ~protocol.presumes_leadership(now, leader),
        forall(
            replicas,
            lambda replica: forall(
                protocol.Offset,
                lambda offset: implies(offset < hw, have_same_entry(log, now.replica_log[replica], offset)),
            ),
        ),
    )


# -- strengthenings for the proofs of KIP-320 --------------------------------------------------------------

ISR = ("weak-isr", "strong-isr")


def fenced(protocol):
    """Whether leaders and followers are of one epoch in all that they do."""
    return protocol.variant == KIP_320


def _epoch(now, replica):
    return now.replica_state[replica].leader_epoch


def _each_request(protocol, now, holds):
    """Whether something holds of each epoch's request that names a leader."""

    def one(epoch):
        request = now.leader_and_isr_requests[epoch]
        return implies(request.is_some & request.value.leader.is_some, holds(epoch, request.value))

    return forall(protocol.Epoch, one)


def _each_leader(protocol, now, holds):
    """Whether something holds of each replica that presumes to lead."""
    return forall(protocol.Replica, lambda r: implies(protocol.presumes_leadership(now, r), holds(r)))


def _has_committed(protocol, now, replica, other):
    """Whether a replica has the records below the other's high watermark."""
    mine, log, hw = now.replica_log[replica], now.replica_log[other], now.replica_state[other].hw
    return forall(protocol.Offset, lambda offset: implies(offset < hw, have_same_entry(mine, log, offset)))


@strengthening(KafkaReplication, of=ISR, when=fenced)
def requests_tell_the_truth(protocol, now):
    """Each epoch has its request, the last of which is the quorum's; replicas believe the request of theirs."""
    quorum, requests = now.quorum_state, now.leader_and_isr_requests

    def made(epoch):
        request = requests[epoch].value
        leads = implies(request.leader.is_some, request.isr.has(request.leader.value))
        last = implies(
            quorum.leader_epoch == epoch,
            all_of(
                request.leader == quorum.leader,
                any_of(
                    request.isr == quorum.isr,
                    request.leader.is_some & (_epoch(now, request.leader.value) == epoch),
                ),
            ),
        )
        return all_of(
            requests[epoch].is_some == (epoch < now.next_leader_epoch),
            implies(requests[epoch].is_some, leads & last),
        )

    def believed(r):
        state = now.replica_state[r]
        request = ite(state.leader_epoch >= 0, requests[state.leader_epoch], None)
        unborn = all_of(state.leader.is_none, state.isr.is_empty, state.hw == 0)
        born = all_of(
            request.is_some,
            request.value.leader == state.leader,
            state.leader.is_some,
            _epoch(now, state.leader.value) >= state.leader_epoch,
        )
        is_leader = all_of(
            state.isr.has(r), implies(state.leader_epoch == quorum.leader_epoch, state.isr == quorum.isr)
        )
        empty = implies(state.leader_epoch == NIL, now.replica_log[r].end_offset == 0)
        return all_of(
            ite(state.leader_epoch == NIL, unborn, born),
            ite(
                protocol.presumes_leadership(now, r),
                is_leader,
                implies(request.is_some, state.isr == request.value.isr),
            ),
            empty,
            state.hw <= now.replica_log[r].end_offset,
        )

    no_leader = implies(quorum.leader.is_some, quorum.isr.has(quorum.leader.value))
    return all_of(
        quorum.leader_epoch + 1 == now.next_leader_epoch,
        implies(quorum.leader_epoch == NIL, quorum.leader.is_none),
        no_leader,
        forall(protocol.Epoch, made),
        forall(protocol.Replica, believed),
    )


@strengthening(KafkaReplication, of=ISR, when=fenced)
def logs_match(protocol, now):
    """Logs with a record of one identity or epoch at an offset agree up to it; epochs grow along a log.

    A record is of its leader's epoch. That leader has it until it is of a later epoch.
    """

    def two(one, other, offset):
        mine, theirs = now.replica_log[one], now.replica_log[other]
        both = all_of(has_offset(mine, offset), has_offset(theirs, offset))
        same = epoch_at(mine, offset) == epoch_at(theirs, offset)
        before = forall(protocol.Offset, lambda x: implies(x <= offset, mine.records[x] == theirs.records[x]))
        return implies(all_of(both, same), before)

    def of_one(r, offset):
        log = now.replica_log[r]
        epoch = epoch_at(log, offset)
        leader = now.leader_and_isr_requests[epoch].value.leader
        old = now.replica_log[leader.value]
        known = all_of(
            epoch <= _epoch(now, r),
            log.records[offset].value.id < now.next_record_id,
            leader.is_some,
            _epoch(now, leader.value) >= epoch,
            implies(_epoch(now, leader.value) == epoch, old.records[offset] == log.records[offset]),
        )
        grows = forall(
            protocol.Offset,
            lambda x: implies(x < offset, epoch_at(log, x) <= epoch),
        )
        written = log.records[offset].is_some == has_offset(log, offset)
        return all_of(written, implies(has_offset(log, offset), all_of(known, grows)))

    def ids(one, other, x, y):
        mine, theirs = now.replica_log[one], now.replica_log[other]
        both = all_of(has_offset(mine, x), has_offset(theirs, y))
        same = mine.records[x].value.id == theirs.records[y].value.id
        return implies(
            all_of(both, same),
            all_of(x == y, epoch_at(mine, x) == epoch_at(theirs, y)),
        )

    return all_of(
        forall(protocol.Replica, lambda r: forall(protocol.Offset, lambda offset: of_one(r, offset))),
        forall(
            protocol.Replica,
            lambda one, other: forall(protocol.Offset, lambda offset: two(one, other, offset)),
        ),
        forall(
            protocol.Replica,
            lambda one, other: forall(protocol.Offset, lambda x, y: ids(one, other, x, y)),
        ),
    )


@strengthening(KafkaReplication, of=ISR, when=fenced)
def followers_have_prefixes(protocol, now):
    """A follower's log is a prefix of its leader's while both are of one epoch.

    The leader is the first to commit records of that epoch.
    """

    def two(leader, follower):
        log, own = now.replica_log[leader], now.replica_log[follower]
        same = forall(
            protocol.Offset,
            lambda offset: implies(has_offset(own, offset), have_same_entry(own, log, offset)),
        )
        epoch = _epoch(now, leader)
        hw = now.replica_state[leader].hw
        early = forall(
            protocol.Offset,
            lambda offset: implies(
                (offset < now.replica_state[follower].hw) & (epoch_at(own, offset) == epoch), offset < hw
            ),
        )
        return implies(protocol.follows_epoch(now, leader, follower), same & early)

    return forall(protocol.Replica, two)


@strengthening(KafkaReplication, of=ISR, when=fenced)
def later_isrs_are_smaller(protocol, now):
    """The ISR of a later epoch is part of a leader's, unless a member of that is of a later epoch already.

    So nobody else can be elected while a leader that was replaced may commit records.
    """

    def later(epoch, isr):
        """Whether the ISRs after the one of an epoch are part of it, or a member is of a later epoch."""
        gone = exists(isr, lambda m: _epoch(now, m) > epoch)

        def request(other):
            one = now.leader_and_isr_requests[other]
            return implies(all_of(one.is_some, other > epoch), one.value.isr <= isr)

        return any_of(gone, all_of(now.quorum_state.isr <= isr, forall(protocol.Epoch, request)))

    leaders = _each_leader(
        protocol,
        now,
        lambda r: later(_epoch(now, r), now.replica_state[r].isr),
    )
    to_come = _each_request(
        protocol,
        now,
        lambda epoch, request: implies(_epoch(now, request.leader.value) < epoch, later(epoch, request.isr)),
    )
    return all_of(leaders, to_come)


def _each_isr(protocol, now, f, holds):
    """Whether something holds of the quorum's ISR, a leader's own, and those of later epochs than a replica's."""

    def request(epoch):
        one = now.leader_and_isr_requests[epoch]
        return implies(all_of(one.is_some, epoch > _epoch(now, f)), holds(one.value.isr))

    own = implies(protocol.presumes_leadership(now, f), holds(now.replica_state[f].isr))
    return all_of(holds(now.quorum_state.isr), own, forall(protocol.Epoch, request))


@strengthening(KafkaReplication, of=ISR, when=fenced)
def isrs_have_what_is_committed(protocol, now):
    """The members of the quorum's ISR, and of those of epochs to come, have all below any high watermark."""
    return forall(
        protocol.Replica,
        lambda f: _each_isr(
            protocol, now, f, lambda isr: forall(isr, lambda m: _has_committed(protocol, now, m, f))
        ),
    )


@strengthening(KafkaReplication, of=ISR, when=fenced)
def leaders_have_what_is_committed(protocol, now):
    """A leader, or one to come, has all below any high watermark, or an ISR has gone on to a later epoch."""

    def has(leader, epoch, f):
        gone = _each_isr(protocol, now, f, lambda isr: forall(isr, lambda m: _epoch(now, m) > epoch))
        return any_of(_has_committed(protocol, now, leader, f), gone)

    leaders = _each_leader(
        protocol, now, lambda r: forall(protocol.Replica, lambda f: has(r, _epoch(now, r), f))
    )
    to_come = _each_request(
        protocol,
        now,
        lambda epoch, request: implies(
            _epoch(now, request.leader.value) < epoch,
            forall(protocol.Replica, lambda f: has(request.leader.value, epoch, f)),
        ),
    )
    return all_of(leaders, to_come)
