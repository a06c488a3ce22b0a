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
from leadline.encodings.kafka_replication.partition import has_offset, have_same_entry
from leadline.properties.kafka_replication.lossless import (
    followers_have_prefixes,
    isrs_have_what_is_committed,
    later_isrs_are_smaller,
    leaders_have_what_is_committed,
    logs_match,
    members_have_joined,
    records_have_one_place,
    replicas_believe_requests,
    requests_tell_the_truth,
    the_follower_has_a_prefix,
)
from leadline.symbolic.lang import (
    all_of,
    any_of,
    at_most,
    forall,
    implies,
    invariant,
    proved,
    strengthening,
    violated,
)

# The catalog takes the claims that it finds here.
__all__ = [
    "followers_have_prefixes",
    "isrs_have_what_is_committed",
    "later_isrs_are_smaller",
    "leaders_have_what_is_committed",
    "logs_match",
    "members_have_joined",
    "records_have_one_place",
    "replicas_believe_requests",
    "requests_tell_the_truth",
    "the_follower_has_a_prefix",
]

TWO_WITHOUT_LOSS = (KIP_279, KIP_320_FIRST_TRY)
FIVE_OF_ALL = {"replicas": 2, "log_size": 5, "max_records": 5, "max_leader_epoch": 5}
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
        proved(variant=KIP_279, replicas=2),
        violated(10, variant=KIP_279, replicas=3),
        proved(variant=KIP_320_FIRST_TRY, replicas=2),
        violated(11, variant=KIP_320_FIRST_TRY, replicas=3),
        proved(variant=KIP_320, replicas=(2, 3)),
        proved(variant=KIP_320, replicas=4, log_size=4, max_records=4, max_leader_epoch=4),
        proved(variant=TWO_WITHOUT_LOSS, **FIVE_OF_ALL),
        violated(at_most(14), variant=(KIP_101, KIP_279, KIP_320_FIRST_TRY), log_size=(3, 4)),
    ],
)
def weak_isr(protocol, now):
    """Below a presumed leader's high watermark, all members of the ISR that it knows have its records.

    From `WeakIsr` of KafkaReplication; weak, since leaders are elected from the quorum's ISR. The variants up
    to kip-101 violate it with 2 replicas, those up to kip-320-first-try with 3. It is proved by
    induction elsewhere; the module claims it of kip-320 at all sizes.
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
        proved(variant=KIP_279, replicas=2),
        violated(10, variant=KIP_279, replicas=3),
        proved(variant=KIP_320_FIRST_TRY, replicas=2),
        violated(12, variant=KIP_320_FIRST_TRY, replicas=3),
        proved(variant=KIP_320, replicas=(2, 3)),
        proved(variant=KIP_320, replicas=4, log_size=4, max_records=4, max_leader_epoch=4),
        proved(variant=TWO_WITHOUT_LOSS, **FIVE_OF_ALL),
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
