"""Why KIP-320 loses no committed record: the conjuncts of an inductive invariant, for weak-isr and strong-isr.

With two replicas KIP-279 and the first try at KIP-320 lose none either, by most of the same conjuncts.
"""

from leadline.encodings.kafka_replication import KIP_279, KIP_320, KIP_320_FIRST_TRY, KafkaReplication
from leadline.encodings.kafka_replication.partition import NIL, epoch_at, has_offset, have_same_entry
from leadline.symbolic.lang import all_of, any_of, exists, forall, implies, ite, strengthening

ISR = ("weak-isr", "strong-isr")


def fenced(protocol):
    """Whether leaders and followers are of one epoch in all that they do."""
    return protocol.variant == KIP_320


def truncating_pair(protocol):
    """Whether there is one other replica at most, and a new follower truncates its log to the leader's."""
    return protocol.variant == KIP_279 and protocol.replicas <= 2


def lossless(protocol):
    """Whether the variant loses no committed record, because leaders are fenced or for want of a third replica."""
    pair = protocol.variant in (KIP_279, KIP_320_FIRST_TRY) and protocol.replicas <= 2
    return fenced(protocol) or pair


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


def _isrs_after(protocol, now, epoch, holds):
    """Whether something holds of the quorum's ISR, and of those of the requests after an epoch."""

    def request(later):
        one = now.leader_and_isr_requests[later]
        return implies(all_of(one.is_some, later > epoch), holds(one.value.isr))

    return all_of(holds(now.quorum_state.isr), forall(protocol.Epoch, request))


def _is_prefix(protocol, own, log):
    """Whether a log has the records of another up to its own end."""
    return forall(
        protocol.Offset,
        lambda offset: implies(has_offset(own, offset), have_same_entry(own, log, offset)),
    )


def _has_committed(protocol, now, replica, other):
    """Whether a replica has the records below the other's high watermark."""
    mine, log, hw = now.replica_log[replica], now.replica_log[other], now.replica_state[other].hw
    return forall(protocol.Offset, lambda offset: implies(offset < hw, have_same_entry(mine, log, offset)))


@strengthening(KafkaReplication, of=ISR, when=lossless)
def requests_tell_the_truth(protocol, now):
    """Each epoch has its request, the last of which is the quorum's until its leader changes the ISR."""
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

    no_leader = implies(quorum.leader.is_some, quorum.isr.has(quorum.leader.value))
    return all_of(
        quorum.leader_epoch + 1 == now.next_leader_epoch,
        implies(quorum.leader_epoch == NIL, quorum.leader.is_none),
        no_leader,
        forall(protocol.Epoch, made),
    )


@strengthening(KafkaReplication, of=ISR, when=fenced)
def members_have_joined(protocol, now):
    """A replica that was added to the ISR of an epoch is of that epoch or a later one."""

    def joined(epoch, isr):
        request = now.leader_and_isr_requests[epoch]
        return implies(request.is_some, forall(isr - request.value.isr, lambda m: _epoch(now, m) >= epoch))

    def next_isr(epoch):
        after = now.leader_and_isr_requests[epoch + 1]
        return implies((epoch < protocol.max_leader_epoch) & after.is_some, joined(epoch, after.value.isr))

    last = now.quorum_state.leader_epoch
    return all_of(
        implies(last >= 0, joined(last, now.quorum_state.isr)),
        forall(protocol.Epoch, next_isr),
        _each_leader(
            protocol,
            now,
            lambda r: implies(_epoch(now, r) >= 0, joined(_epoch(now, r), now.replica_state[r].isr)),
        ),
    )


@strengthening(KafkaReplication, of=ISR, when=lossless)
def replicas_believe_requests(protocol, now):
    """A replica believes the request of its epoch. A fenced one's leader is of that epoch or a later one.

    A leader's ISR is the quorum's as long as its epoch is.
    """
    quorum, requests = now.quorum_state, now.leader_and_isr_requests

    def believed(r):
        state = now.replica_state[r]
        request = ite(state.leader_epoch >= 0, requests[state.leader_epoch], None)
        unborn = all_of(state.leader.is_none, state.isr.is_empty, state.hw == 0)
        born = all_of(
            request.is_some,
            request.value.leader == state.leader,
            state.leader.is_some,
            implies(fenced(protocol), _epoch(now, state.leader.value) >= state.leader_epoch),
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

    return forall(protocol.Replica, believed)


@strengthening(KafkaReplication, of=ISR, when=lossless)
def logs_match(protocol, now):
    """Logs with records of one epoch at an offset agree up to it; of fenced replicas, epochs grow along a log.

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
            implies(fenced(protocol), epoch <= _epoch(now, r)),
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
        return all_of(
            written, implies(has_offset(log, offset), all_of(known, implies(fenced(protocol), grows)))
        )

    return all_of(
        forall(protocol.Replica, lambda r: forall(protocol.Offset, lambda offset: of_one(r, offset))),
        forall(
            protocol.Replica,
            lambda one, other: forall(protocol.Offset, lambda offset: two(one, other, offset)),
        ),
    )


@strengthening(KafkaReplication, of=ISR, when=lossless)
def records_have_one_place(protocol, now):
    """A record is at one offset and of one epoch in all logs."""

    def ids(one, other, x, y):
        mine, theirs = now.replica_log[one], now.replica_log[other]
        both = all_of(has_offset(mine, x), has_offset(theirs, y))
        same = mine.records[x].value.id == theirs.records[y].value.id
        return implies(
            all_of(both, same),
            all_of(x == y, epoch_at(mine, x) == epoch_at(theirs, y)),
        )

    return forall(
        protocol.Replica,
        lambda one, other: forall(protocol.Offset, lambda x, y: ids(one, other, x, y)),
    )


@strengthening(KafkaReplication, of=ISR, when=fenced)
def followers_have_prefixes(protocol, now):
    """A follower's log is a prefix of its leader's while both are of one epoch.

    The leader is the first to commit records of that epoch.
    """

    def two(leader, follower):
        own = now.replica_log[follower]
        same = _is_prefix(protocol, own, now.replica_log[leader])
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


@strengthening(KafkaReplication, of=ISR, when=truncating_pair)
def the_follower_has_a_prefix(protocol, now):
    """The log of the only follower is a prefix of its leader's, whatever their epochs are.

    Only it could give the leader records that it lacks, and nobody else could make the leader truncate its log.
    """

    def two(leader, follower):
        same = _is_prefix(protocol, now.replica_log[follower], now.replica_log[leader])
        return implies(protocol.follows(now, follower, leader), same)

    return forall(protocol.Replica, two)


@strengthening(KafkaReplication, of=ISR, when=lossless)
def later_isrs_are_smaller(protocol, now):
    """The ISR of a later epoch is part of a leader's, unless a member of that is of a later epoch already.

    So nobody else can be elected while a leader that was replaced may commit records.
    """

    def later(epoch, isr):
        """Whether the ISRs after the one of an epoch are part of it, or a member is of a later epoch."""
        gone = exists(isr, lambda m: _epoch(now, m) > epoch)
        return any_of(gone, _isrs_after(protocol, now, epoch, lambda other: other <= isr))

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


@strengthening(KafkaReplication, of=ISR, when=lossless)
def isrs_have_what_is_committed(protocol, now):
    """The members of the quorum's ISR, and of those of epochs to come, have all below any high watermark."""

    def one(f):
        def all_have(isr):
            return forall(isr, lambda m: _has_committed(protocol, now, m, f))

        own = implies(protocol.presumes_leadership(now, f), all_have(now.replica_state[f].isr))
        return all_of(own, _isrs_after(protocol, now, _epoch(now, f), all_have))

    return forall(protocol.Replica, one)


def _isrs_have_got_to(protocol, now, epoch):
    """Whether the members of the quorum's ISR, and of those of an epoch and later, are of that epoch at least."""

    def all_there(isr):
        return forall(isr, lambda m: _epoch(now, m) >= epoch)

    def leaders_own(r):
        return implies(_epoch(now, r) >= epoch, all_there(now.replica_state[r].isr))

    leaders = _each_leader(protocol, now, leaders_own)
    return all_of(leaders, _isrs_after(protocol, now, epoch, all_there))


@strengthening(KafkaReplication, of=ISR, when=lossless)
def leaders_have_what_is_committed(protocol, now):
    """A leader, or one to come, has all below any high watermark, or the ISRs have gone on to a later epoch.

    That is one up to which whoever has the high watermark has got.
    """

    def has(leader, epoch, f):
        gone_on = exists(
            protocol.Epoch,
            lambda later: all_of(
                epoch < later, later <= _epoch(now, f), _isrs_have_got_to(protocol, now, later)
            ),
        )
        return any_of(_has_committed(protocol, now, leader, f), gone_on)

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
