"""Properties of Spanner's leader leases: the invariant of module DisjointLeases."""

from leadline.encodings.spanner_leases import AS_PUBLISHED, MENDED_HANDLE_VOTE, SpannerLeases
from leadline.symbolic.lang import (
    all_of,
    any_of,
    at_most,
    exists,
    forall,
    implies,
    invariant,
    number_where,
    of,
    proved,
    strengthening,
    violated,
)


@invariant(
    SpannerLeases,
    known=[
        proved(variant=..., replicas=range(2, 5)),
        proved(variant=MENDED_HANDLE_VOTE, replicas=5),
        violated(at_most(17), replicas=5),
    ],
)
def disjointness(protocol, now):
    """A lease that starts after another starts after the other's end.

    From `Disjointness` of DisjointLeases, with its oddity: two leases that start at the same time count as
    disjoint, whoever leads. As published it is proved by induction with up to 4 replicas, where of two
    leaders one must have granted the other's request (with 2 nobody ever leads). It fails with 5: leaders
    that share only one acceptor may have leases that overlap. Mended it is proved with 5 too.
    """

    def apart(one, other):
        start = other.end - protocol.leader_interval
        return implies(one.end < other.end, one.end < start)

    return forall(now.intervals, lambda one, other: apart(one, other))


# -- strengthenings for the proof ------------------------------------------------------------------------


def mended(protocol):
    """Whether replicas grant only requests for a lease after their last one."""
    return protocol.variant == MENDED_HANDLE_VOTE


def as_published(protocol):
    """Whether replicas grant old requests too."""
    return protocol.variant == AS_PUBLISHED


@strengthening(SpannerLeases)
def time_passes_by_itself(protocol, now):
    """The true time is that of the start and as much more as has passed by itself."""
    return now.tt_abs == protocol.tt_init_abs + now.tt_si


@strengthening(SpannerLeases)
def bound_within_reach(protocol, now):
    """A replica has never been bound to a lease, or its lease ends at a time that can be asked for."""

    def one(replica):
        end = now.states[replica].end
        return any_of(end == 0, end >= protocol.LeaseEnd.low)

    return forall(protocol.Replica, one)


@strengthening(SpannerLeases, of="disjointness")
def voters_are_bound(protocol, now):
    """A replica that asked for a lease is bound until its end at least; the end can be asked for by now."""

    def one(voter, end):
        latest = now.tt_abs + protocol.tt_interval
        asked = _has_asked(protocol, now, voter, end)
        return implies(asked, all_of(now.states[voter].end >= end, end <= latest + protocol.leader_interval))

    return forall(protocol.Replica, lambda voter: forall(protocol.LeaseEnd, lambda end: one(voter, end)))


@strengthening(SpannerLeases, of="disjointness")
def grants_answer_requests(protocol, now):
    """A lease that was granted was asked for. The acceptor is bound until its end, less the clock's drift.

    A replica that granted its own request did so once that had passed, and is bound for longer.
    """

    def one(voter, acceptor, end):
        bound = now.states[acceptor].end
        least = end if mended(protocol) else end - protocol.tt_interval
        own = implies(voter == acceptor, bound > end)
        granted = protocol.is_granted(now, voter, acceptor, end)
        return implies(granted, all_of(_has_asked(protocol, now, voter, end), bound >= least, own))

    return forall(
        protocol.Replica,
        lambda voter, acceptor: forall(protocol.LeaseEnd, lambda end: one(voter, acceptor, end)),
    )


@strengthening(SpannerLeases, of="disjointness")
def leaders_have_majorities(protocol, now):
    """A replica that has led had a majority's grants without its own, which comes too late to count."""

    def others(lease):
        return number_where(
            protocol.Replica,
            lambda acceptor: all_of(
                acceptor != lease.leader, protocol.is_granted(now, lease.leader, acceptor, lease.end)
            ),
        )

    return forall(now.intervals, lambda lease: others(lease) >= protocol.replicas // 2 + 1)


@strengthening(SpannerLeases, of="disjointness", when=as_published)
def own_requests_are_apart(protocol, now):
    """Of two leases that one replica has asked for, the later starts after the end of the earlier."""

    def two(voter, one, other):
        both = all_of(_has_asked(protocol, now, voter, one), _has_asked(protocol, now, voter, other))
        return implies(all_of(both, one < other), one < other - protocol.leader_interval)

    return forall(
        protocol.Replica, lambda voter: forall(protocol.LeaseEnd, lambda one, other: two(voter, one, other))
    )


@strengthening(SpannerLeases, of="disjointness", when=as_published)
def requests_after_grants_are_apart(protocol, now):
    """A lease that a replica asks for starts after the end of any that it granted before.

    If it granted the other lease after that, it is bound for longer than it asked for.
    """

    def two(voter, acceptor, granted, own):
        both = all_of(
            protocol.is_granted(now, voter, acceptor, granted), _has_asked(protocol, now, acceptor, own)
        )
        apart = granted < own - protocol.leader_interval
        return implies(both, any_of(apart, now.states[acceptor].end > own))

    return forall(
        protocol.Replica,
        lambda voter, acceptor: forall(
            protocol.LeaseEnd, lambda granted, own: two(voter, acceptor, granted, own)
        ),
    )


@strengthening(SpannerLeases, of="disjointness", entails=True, when=mended)
def grants_are_apart(protocol, now):
    """Of two leases that one replica has granted, the later starts after the end of the earlier."""

    def has_granted(acceptor, end):
        return exists(protocol.Replica, lambda voter: protocol.is_granted(now, voter, acceptor, end))

    def two(acceptor, one, other):
        both = all_of(has_granted(acceptor, one), has_granted(acceptor, other))
        return implies(all_of(both, one < other), one < other - protocol.leader_interval)

    return forall(
        protocol.Replica,
        lambda acceptor: forall(protocol.LeaseEnd, lambda one, other: two(acceptor, one, other)),
    )


def _has_asked(protocol, now, voter, end):
    """Whether the replica has asked for a lease until that end."""
    return now.msgs.has(of(protocol.Message, "Vote", end=end, voter=voter))
