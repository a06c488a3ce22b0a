"""Kafka's replication of one partition, in the five variants that its designers checked.

Source: the TLA+ modules of hachikuji/kafka-specification: KafkaReplication, which all variants share,
and KafkaTruncateToHighWatermark, Kip101, Kip279, Kip320FirstTry and Kip320, a variant each. Variables and
actions have the names of the modules.
"""

from leadline.encodings.kafka_replication.partition import (
    EPOCH,
    REPLICA,
    Partition,
    epoch_at,
    has_offset,
    have_same_entry,
    of_same_epoch,
    offsets_where,
    truncated,
)
from leadline.symbolic.lang import action, all_of, any_of, case, ite, minimum, parameter

TRUNCATE_TO_HIGH_WATERMARK = "truncate-to-high-watermark"
KIP_101 = "kip-101"
KIP_279 = "kip-279"
KIP_320_FIRST_TRY = "kip-320-first-try"
KIP_320 = "kip-320"


def only(*names):
    """A condition for `@action(when=...)`: the protocol is one of these variants."""
    return lambda protocol: protocol.variant in names


before_320 = only(TRUNCATE_TO_HIGH_WATERMARK, KIP_101, KIP_279)
first_try_at_320 = only(KIP_320_FIRST_TRY)
since_320 = only(KIP_320)


class KafkaReplication(Partition):
    """Leader and followers replicate one partition; a controller elects leaders and keeps the in-sync set.

    Replicas learn of elections from LeaderAndIsr requests, which may be lost, late or repeated, so several
    may presume to lead at once. Records below a leader's high watermark (`hw`) are
    committed. A run ends when records and epochs have run out, so a deadlock is no mistake here.

    The variants differ in how a new follower finds the offset to truncate its log to, and in what a leader
    checks before it serves a fetch, moves its high watermark or changes the in-sync replicas (ISR).
    """

    variant: str = parameter(
        KIP_320,
        choices=(TRUNCATE_TO_HIGH_WATERMARK, KIP_101, KIP_279, KIP_320_FIRST_TRY, KIP_320),
        doc="which improvement of the protocol",
    )

    # The followers' actions are not named, so they come last, in the order derived. A sweep in which they
    # learn of a leader before it has written is harder to search, as measured with both solvers.
    sweep_order = (
        "controller_elect_leader",
        "controller_shrink_isr",
        "become_leader",
        *("leader_expand_isr", "leader_expand_isr_better_fencing", "fenced_leader_expand_isr"),
        *("leader_shrink_isr", "leader_shrink_isr_better_fencing", "fenced_leader_shrink_isr"),
        "leader_write",
        "leader_inc_high_watermark",
        "improved_leader_inc_high_watermark",
        "fenced_leader_inc_high_watermark",
    )

    # -- leaders and followers before KIP-320 -------------------------------------------------------------

    @action(when=before_320)
    def leader_expand_isr(self, now, nxt, leader=REPLICA, replica=REPLICA):
        """The true leader takes a replica into the ISR that has caught up to its high watermark."""
        nxt.require(~now.replica_state[leader].isr.has(replica))
        nxt.require(self.is_caught_up(now, leader, replica, now.replica_state[leader].hw))
        self.quorum_update_isr(now, nxt, leader, now.replica_state[leader].isr.add(replica))

    @action(when=before_320)
    def leader_shrink_isr(self, now, nxt, leader=REPLICA, replica=REPLICA):
        """The true leader drops a replica from the ISR that lags behind its log or does not follow it."""
        nxt.require(replica != leader, now.replica_state[leader].isr.has(replica))
        nxt.require(~self.is_caught_up(now, leader, replica, now.replica_log[leader].end_offset))
        self.quorum_update_isr(now, nxt, leader, now.replica_state[leader].isr.remove(replica))

    @action(when=before_320)
    def leader_inc_high_watermark(self, now, nxt, leader=REPLICA):
        """A presumed leader commits one more record once its ISR follows it and has one there."""
        hw = now.replica_state[leader].hw
        nxt.require(self.presumes_leadership(now, leader), hw < self.log_size)
        nxt.require(
            self.all_in_isr(
                now,
                leader,
                lambda follower: (
                    self.follows(now, follower, leader) & has_offset(now.replica_log[follower], hw)
                ),
            )
        )
        nxt.replica_state[leader].hw = hw + 1

    @action(when=before_320)
    def follower_replicate(self, now, nxt, follower=REPLICA, leader=REPLICA):
        """A follower copies the leader's next record and high watermark; nothing is compared."""
        nxt.require(self.presumes_leadership(now, leader), self.follows(now, follower, leader))
        self.replicate(now, nxt, leader, follower)

    @action(when=only(TRUNCATE_TO_HIGH_WATERMARK))
    def become_follower_truncate_to_high_watermark(
        self, now, nxt, leader=REPLICA, replica=REPLICA, epoch=EPOCH
    ):
        """A replica learns whom to follow and truncates its log to its own high watermark."""
        nxt.require(leader != replica)
        self.require_request(now, nxt, replica, leader, epoch)
        self.follow_from(now, nxt, replica, epoch, now.replica_state[replica].hw)

    @action(when=only(KIP_101))
    def become_follower_truncate_kip101(self, now, nxt, leader=REPLICA, replica=REPLICA, epoch=EPOCH):
        """A replica learns whom to follow and truncates to where its last epoch ends in the leader's log."""
        nxt.require(leader != replica)
        self.require_request(now, nxt, replica, leader, epoch)
        log = now.replica_log[replica]
        looked_up = self.lookup_offset_for_epoch(now, leader, replica, epoch_at(log, log.end_offset - 1))
        self.follow_from(now, nxt, replica, epoch, ite(log.end_offset == 0, 0, looked_up))

    @action(when=only(KIP_279))
    def become_follower_truncate_kip279(self, now, nxt, leader=REPLICA, replica=REPLICA, epoch=EPOCH):
        """A replica learns whom to follow and truncates to after its last record that the leader has too."""
        nxt.require(leader != replica)
        self.require_request(now, nxt, replica, leader, epoch)
        offset = self.first_non_matching_offset_from_tail(now, leader, replica)
        self.follow_from(now, nxt, replica, epoch, offset)

    # -- the first try at KIP-320: fetches carry an epoch, and a mismatch tells the follower to truncate --

    @action(when=first_try_at_320)
    def leader_expand_isr_better_fencing(self, now, nxt, leader=REPLICA, replica=REPLICA):
        """The true leader takes in a replica that has caught up, once it commits records of its own epoch."""
        state = now.replica_state[leader]
        nxt.require(~state.isr.has(replica))
        nxt.require(self.is_caught_up_to_leader_epoch(now, leader, replica, state.hw))
        nxt.require(self.high_watermark_reached_current_epoch(now, leader))
        self.quorum_update_isr(now, nxt, leader, state.isr.add(replica))

    @action(when=first_try_at_320)
    def leader_shrink_isr_better_fencing(self, now, nxt, leader=REPLICA, replica=REPLICA):
        """The true leader drops a replica whose log lags behind its own or ends in another epoch."""
        state, end = now.replica_state[leader], now.replica_log[leader].end_offset
        nxt.require(replica != leader, state.isr.has(replica))
        nxt.require(~self.is_caught_up_to_leader_epoch(now, leader, replica, end))
        self.quorum_update_isr(now, nxt, leader, state.isr.remove(replica))

    @action(when=first_try_at_320)
    def improved_leader_inc_high_watermark(self, now, nxt, leader=REPLICA):
        """A presumed leader commits one more record once its ISR has a record of the same epoch there.

        The followers' own epochs are not compared: this is the flaw of the first try.
        """
        hw = now.replica_state[leader].hw
        nxt.require(self.presumes_leadership(now, leader), has_offset(now.replica_log[leader], hw))
        nxt.require(
            self.all_in_isr(
                now, leader, lambda follower: self.is_caught_up_to_leader_epoch(now, leader, follower, hw + 1)
            )
        )
        nxt.replica_state[leader].hw = hw + 1

    @action(when=first_try_at_320)
    def become_follower(self, now, nxt, leader=REPLICA, replica=REPLICA, epoch=EPOCH):
        """A replica learns whom to follow and leaves its log as it is."""
        nxt.require(leader != replica)
        self.require_request(now, nxt, replica, leader, epoch)
        self.adopt(now, nxt, replica, epoch, now.replica_state[replica].hw)

    @action(when=first_try_at_320)
    def follower_fetch(self, now, nxt, follower=REPLICA, leader=REPLICA):
        """A follower copies the leader's next record if both logs' records before it are of one epoch."""
        end = now.replica_log[follower].end_offset
        nxt.require(self.is_caught_up_to_leader_epoch(now, leader, follower, end))
        self.replicate(now, nxt, leader, follower)

    @action(when=first_try_at_320)
    def follower_truncate(self, now, nxt, leader=REPLICA, follower=REPLICA):
        """A follower whose log is longer than the leader's, or ends in another epoch, truncates it."""
        own, other = now.replica_log[follower], now.replica_log[leader]
        last = own.end_offset - 1
        nxt.require(self.presumes_leadership(now, leader), self.follows(now, follower, leader))
        nxt.require(
            any_of(
                own.end_offset > other.end_offset,
                all_of(own.end_offset > 0, epoch_at(own, last) != epoch_at(other, last)),
            )
        )
        offset = self.first_non_matching_offset_from_tail(now, leader, follower)
        nxt.require(offset <= own.end_offset)
        nxt.replica_log[follower] = truncated(own, self.Offset, offset)
        nxt.replica_state[follower].hw = minimum(offset, now.replica_state[follower].hw)

    # -- KIP-320: whatever a leader does with a follower, both are in the same epoch ----------------------

    @action(when=since_320)
    def fenced_leader_expand_isr(self, now, nxt, leader=REPLICA, follower=REPLICA):
        """The true leader takes in a follower of its epoch that reached its high watermark.

        It waits until its own epoch's records are being committed: what earlier leaders committed is below.
        """
        state = now.replica_state[leader]
        nxt.require(~state.isr.has(follower), self.follows_epoch(now, leader, follower))
        nxt.require(state.hw <= now.replica_log[follower].end_offset)
        nxt.require(self.high_watermark_reached_current_epoch(now, leader))
        self.quorum_update_isr(now, nxt, leader, state.isr.add(follower))

    @action(when=since_320)
    def fenced_leader_shrink_isr(self, now, nxt, leader=REPLICA, follower=REPLICA):
        """The true leader drops a replica that is of another epoch or has a shorter log."""
        state = now.replica_state[leader]
        behind = now.replica_log[follower].end_offset < now.replica_log[leader].end_offset
        nxt.require(follower != leader, state.isr.has(follower))
        nxt.require(any_of(~self.follows_epoch(now, leader, follower), behind))
        self.quorum_update_isr(now, nxt, leader, state.isr.remove(follower))

    @action(when=since_320)
    def fenced_leader_inc_high_watermark(self, now, nxt, leader=REPLICA):
        """A leader commits one more record once its whole ISR is of its epoch and has the record."""
        hw = now.replica_state[leader].hw
        nxt.require(has_offset(now.replica_log[leader], hw))
        # As in the module, that the leader presumes to lead is asked only of a leader whose ISR has members.
        nxt.require(
            self.all_in_isr(
                now,
                leader,
                lambda follower: (
                    self.follows_epoch(now, leader, follower) & has_offset(now.replica_log[follower], hw)
                ),
            )
        )
        nxt.replica_state[leader].hw = hw + 1

    @action(when=since_320)
    def fenced_become_follower_and_truncate(self, now, nxt, leader=REPLICA, replica=REPLICA, epoch=EPOCH):
        """A replica learns whom to follow and truncates as in KIP-279, if the leader is in that epoch too."""
        nxt.require(leader != replica)
        self.require_request(now, nxt, replica, leader, epoch)
        nxt.require(self.presumes_leadership(now, leader), now.replica_state[leader].leader_epoch == epoch)
        offset = self.first_non_matching_offset_from_tail(now, leader, replica)
        self.follow_from(now, nxt, replica, epoch, offset)

    @action(when=since_320)
    def fenced_follower_fetch(self, now, nxt, follower=REPLICA, leader=REPLICA):
        """A follower in the leader's epoch copies its next record and high watermark."""
        nxt.require(self.follows_epoch(now, leader, follower))
        self.replicate(now, nxt, leader, follower)

    # -- operators of the variants ------------------------------------------------------------------------

    def follows_epoch(self, now, leader, follower):
        """Whether the leader presumes to lead and the follower follows it in the same epoch."""
        same = now.replica_state[follower].leader_epoch == now.replica_state[leader].leader_epoch
        return all_of(self.presumes_leadership(now, leader), self.follows(now, follower, leader), same)

    def is_caught_up(self, now, leader, follower, end_offset):
        """Whether the follower follows the leader and both logs are written up to `end_offset`."""
        own, other = now.replica_log[follower], now.replica_log[leader]
        return all_of(
            self.follows(now, follower, leader), end_offset <= own.end_offset, end_offset <= other.end_offset
        )

    def is_caught_up_to_leader_epoch(self, now, leader, follower, end_offset):
        """As `is_caught_up`, of a presumed leader, and both logs' last records below are of one epoch."""
        own, other = now.replica_log[follower], now.replica_log[leader]
        last = end_offset - 1
        same = any_of(end_offset == 0, of_same_epoch(own, other, last))
        caught_up = self.is_caught_up(now, leader, follower, end_offset)
        return all_of(self.presumes_leadership(now, leader), caught_up, same)

    def high_watermark_reached_current_epoch(self, now, leader):
        """Whether the leader's next record to commit, if any, is of its own epoch."""
        log, state = now.replica_log[leader], now.replica_state[leader]
        return any_of(
            state.hw == log.end_offset,
            has_offset(log, state.hw) & (epoch_at(log, state.hw) == state.leader_epoch),
        )

    def lookup_offset_for_epoch(self, now, leader, follower, epoch):
        """Where an epoch ends in the leader's log; the follower's high watermark if the log does not tell."""
        log, hw = now.replica_log[leader], now.replica_state[follower].hw
        larger = offsets_where(log, self.log_size, lambda offset: epoch_at(log, offset) > epoch)
        return case(
            (log.end_offset == 0, hw),
            (epoch_at(log, log.end_offset - 1) == epoch, log.end_offset),
            (larger.is_empty, hw),
            otherwise=larger.least,
        )

    def first_non_matching_offset_from_tail(self, now, leader, follower):
        """One past the last offset at which both logs hold the same record; 0 if there is none."""
        own, other = now.replica_log[follower], now.replica_log[leader]
        matching = offsets_where(own, self.log_size, lambda offset: have_same_entry(own, other, offset))
        return ite(matching.is_empty, 0, matching.greatest + 1)
