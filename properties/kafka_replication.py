"""What is claimed of Kafka's replication: the invariants of hachikuji/kafka-specification.

"At 2/2/2/2" means 2 replicas, logs of 2 records, 2 records, epochs up to 2; "with 3 replicas" is 3/2/2/2. The
lengths, in steps, are those of TLC's shortest counterexamples.
"""

from __future__ import annotations

from typing import Any

from leadline.encodings.kafka_replication import KafkaReplication
from leadline.encodings.kafka_replication import replicated_log as logs
from leadline.symbolic.lang import (
    BoolExpr,
    State,
    all_of,
    any_of,
    forall,
    implies,
    invariant,
    strengthening,
)


@invariant(KafkaReplication)
def type_ok(protocol: KafkaReplication, now: State) -> BoolExpr:
    """A log holds records below its end and none above it.

    From `TypeOk` of KafkaReplication and FiniteReplicatedLog; what else they say is said by the types of the
    variables. TLC cannot evaluate the original once a record is written, since it compares the record with
    the integer -1; with an empty place that can be compared it holds for all five variants at 2/2/2/2. Proved
    by induction for all five, and with it that no step is out of bounds.
    """

    def written_below_the_end(replica: Any, offset: Any) -> Any:
        log = now.replica_log[replica]
        return log.records[offset].is_some == logs.has_offset(log, offset)

    return forall(
        protocol.Replica,
        lambda replica: forall(protocol.Offset, lambda offset: written_below_the_end(replica, offset)),
    )


@invariant(KafkaReplication)
def weak_isr(protocol: KafkaReplication, now: State) -> BoolExpr:
    """Below a presumed leader's high watermark, all members of the ISR that it knows have its records.

    From `WeakIsr` of KafkaReplication; weak, since leaders are elected from the quorum's ISR. Holds for
    kip-279, kip-320-first-try and kip-320 at 2/2/2/2; the module claims it of kip-320 at all sizes. Fails
    for truncate-to-high-watermark after 8 steps with 2 replicas or 3, for kip-101 after 11 with 2 replicas
    and 10 with 3, for kip-279 after 10 and for kip-320-first-try after 11 with 3 replicas.
    """
    return forall(
        protocol.Replica,
        lambda leader: _committed_data_on(protocol, now, leader, now.replica_state[leader].isr),
    )


@invariant(KafkaReplication)
def strong_isr(protocol: KafkaReplication, now: State) -> BoolExpr:
    """Below a presumed leader's high watermark, all members of the quorum's ISR have its records.

    So whoever is elected has what consumers may have seen. From `StrongIsr` of KafkaReplication. Holds for
    kip-279, kip-320-first-try and kip-320 at 2/2/2/2, and for kip-320 with 3 replicas too (737,794 states).
    Fails for truncate-to-high-watermark after 9 steps with 2 replicas and 8 with 3, for kip-101 after 11
    with 2 replicas and 10 with 3, for kip-279 after 10 and for kip-320-first-try after 12 with 3 replicas.
    """
    return forall(
        protocol.Replica,
        lambda leader: _committed_data_on(protocol, now, leader, now.quorum_state.isr),
    )


@invariant(KafkaReplication)
def leader_in_isr(protocol: KafkaReplication, now: State) -> BoolExpr:
    """The quorum's leader is a member of its ISR.

    From `LeaderInIsr` of KafkaReplication, with its oddity: having no leader counts as a violation, so it
    fails in the initial state of every variant (0 steps).
    """
    leader = now.quorum_state.leader
    return all_of(leader.is_some, now.quorum_state.isr.has(leader.value))


@strengthening(KafkaReplication)
def leaders_have_epochs(protocol: KafkaReplication, now: State) -> BoolExpr:
    """Who presumes to know a leader has learnt of it in some epoch, so whoever writes has one to write."""
    return forall(
        protocol.Replica,
        lambda replica: implies(
            now.replica_state[replica].leader.is_some, now.replica_state[replica].leader_epoch >= 0
        ),
    )


def _committed_data_on(protocol: KafkaReplication, now: State, leader: Any, replicas: Any) -> BoolExpr:
    """Whether the replicas have the leader's records below its high watermark, if it presumes to lead."""
    hw = now.replica_state[leader].hw
    log = now.replica_log[leader]
    return any_of(
        ~protocol.presumes_leadership(now, leader),
        forall(
            replicas,
            lambda replica: forall(
                protocol.Offset,
                lambda offset: implies(
                    offset < hw, logs.have_same_entry(log, now.replica_log[replica], offset)
                ),
            ),
        ),
    )
