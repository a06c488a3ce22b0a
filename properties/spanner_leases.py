"""What is claimed of Spanner's leader leases: the invariant of module DisjointLeases."""

from __future__ import annotations

from typing import Any

from leadline.encodings.spanner_leases import AS_PUBLISHED, MENDED_HANDLE_VOTE, SpannerLeases
from leadline.symbolic.lang import (
    BoolExpr,
    State,
    all_of,
    any_of,
    exists,
    forall,
    implies,
    invariant,
    number_where,
    of,
    strengthening,
)


@invariant(SpannerLeases)
def disjointness(protocol: SpannerLeases, now: State) -> BoolExpr:
    """A lease that starts after another starts after the other's end.

    From `Disjointness` of DisjointLeases, with its oddity: two leases that start at the same time count as
    disjoint, whoever leads. As published it holds with 2 replicas (where nobody ever leads), 3 and 4: proved
    by induction, since of two leaders each must have granted the other's request. It fails with 5 replicas,
    after 17 steps or fewer at the defaults: leaders that share but one acceptor may have leases that overlap.
    Mended it is proved for 2 to 5 replicas.
    """

    def apart(one: Any, other: Any) -> Any:
        start = other.end - protocol.leader_interval
        return implies(one.end < other.end, one.end < start)

    return forall(now.intervals, lambda one, other: apart(one, other))


# -- what its inductive proof needs ----------------------------------------------------------------------


def mended(protocol: SpannerLeases) -> bool:
    """Whether replicas grant no old requests."""
    return protocol.variant == MENDED_HANDLE_VOTE


def as_published(protocol: SpannerLeases) -> bool:
    """Whether replicas grant old requests too."""
    return protocol.variant == AS_PUBLISHED


@strengthening(SpannerLeases)
def time_passes_by_itself(protocol: SpannerLeases, now: State) -> BoolExpr:
    """The true time is that of the start and as much more as has passed by itself."""
    return BoolExpr((now.tt_abs == protocol.tt_init_abs + now.tt_si).node)


@strengthening(SpannerLeases)
def bound_within_reach(protocol: SpannerLeases, now: State) -> BoolExpr:
    """Who has ever been bound to a lease is bound to one that can be asked for; a leader has been."""

    def one(replica: Any) -> BoolExpr:
        end = now.states[replica].end
        return any_of(end == 0, end >= protocol.LeaseEnd.low)

    return forall(protocol.Replica, one)


@strengthening(SpannerLeases, of="disjointness")
def voters_are_bound(protocol: SpannerLeases, now: State) -> BoolExpr:
    """Who asked for a lease is bound until its end at least, and it can be asked for by now."""

    def one(voter: Any, end: Any) -> BoolExpr:
        latest = now.tt_abs + protocol.tt_interval
        asked = _has_asked(protocol, now, voter, end)
        return implies(asked, all_of(now.states[voter].end >= end, end <= latest + protocol.leader_interval))

    return forall(protocol.Replica, lambda voter: forall(protocol.LeaseEnd, lambda end: one(voter, end)))


@strengthening(SpannerLeases, of="disjointness")
def grants_answer_requests(protocol: SpannerLeases, now: State) -> BoolExpr:
    """Who granted a lease was asked to, and is bound until its end but for what the clock can drift.

    Who granted its own request did so once that had passed, and is bound for longer.
    """

    def one(voter: Any, acceptor: Any, end: Any) -> BoolExpr:
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
def leaders_have_majorities(protocol: SpannerLeases, now: State) -> BoolExpr:
    """Who has led had a majority's grants without its own, which it cannot have in time."""

    def others(lease: Any) -> Any:
        return number_where(
            protocol.Replica,
            lambda acceptor: all_of(
                acceptor != lease.leader, protocol.is_granted(now, lease.leader, acceptor, lease.end)
            ),
        )

    return forall(now.intervals, lambda lease: others(lease) >= protocol.replicas // 2 + 1)


@strengthening(SpannerLeases, of="disjointness", when=as_published)
def own_requests_are_apart(protocol: SpannerLeases, now: State) -> BoolExpr:
    """Of two leases that one replica has asked for, the later starts after the end of the earlier."""

    def two(voter: Any, one: Any, other: Any) -> BoolExpr:
        both = all_of(_has_asked(protocol, now, voter, one), _has_asked(protocol, now, voter, other))
        return implies(all_of(both, one < other), one < other - protocol.leader_interval)

    return forall(
        protocol.Replica,
        lambda voter: forall(protocol.LeaseEnd, lambda one, other: two(voter, one, other)),
    )


@strengthening(SpannerLeases, of="disjointness", when=as_published)
def requests_after_grants_are_apart(protocol: SpannerLeases, now: State) -> BoolExpr:
    """A lease that a replica asks for starts after the end of any that it granted before.

    One that it granted after is known by its being bound for longer.
    """

    def two(voter: Any, acceptor: Any, granted: Any, own: Any) -> BoolExpr:
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
def grants_are_apart(protocol: SpannerLeases, now: State) -> BoolExpr:
    """Of two leases that one replica has granted, the later starts after the end of the earlier."""

    def has_granted(acceptor: Any, end: Any) -> BoolExpr:
        return exists(protocol.Replica, lambda voter: protocol.is_granted(now, voter, acceptor, end))

    def two(acceptor: Any, one: Any, other: Any) -> BoolExpr:
        both = all_of(has_granted(acceptor, one), has_granted(acceptor, other))
        return implies(all_of(both, one < other), one < other - protocol.leader_interval)

    return forall(
        protocol.Replica,
        lambda acceptor: forall(protocol.LeaseEnd, lambda one, other: two(acceptor, one, other)),
    )


def _has_asked(protocol: SpannerLeases, now: State, voter: Any, end: Any) -> BoolExpr:
    """Whether the replica has asked for a lease until that end."""
    asked: BoolExpr = now.msgs.has(of(protocol.Message, "Vote", end=end, voter=voter))
    return asked
