"""Leader leases that do not overlap, by TrueTime.

Source: the module DisjointLeases of s12f/tlads, after Spanner: Google's Globally-Distributed Database (J. C.
Corbett et al., OSDI 2012), section 4.1.1 and appendix A. Variables and actions have the names of the module.
"""

from leadline.encodings.truetime import TrueTime
from leadline.symbolic.lang import (
    Int,
    Map,
    Set,
    action,
    enum,
    map_of,
    maximum,
    number_where,
    of,
    parameter,
    pick,
    record,
    sort,
    union,
)

REPLICA = pick("Replica")

AS_PUBLISHED = "as-published"
MENDED_HANDLE_VOTE = "mended-handle-vote"


class SpannerLeases(TrueTime):
    """Replicas elect leaders for a time. A replica that votes is bound until the lease ends.

    A candidate asks for votes with the end of the lease that it would have, and leads once a majority has
    granted it. Its own vote does not count by itself, and it cannot grant its own request in time: with 1
    replica or 2 nobody ever leads. Leases are kept (`intervals`) after they have ended.

    Variants:

    - as-published: a replica grants a request however old it is. With 5 replicas or more, where leaders need
      not have granted each other's requests, leases may overlap: a replica that was bound to one lease
      grants, when that has ended, a request that was made meanwhile.
    - mended-handle-vote: it grants a request only if the lease asked for starts after its own last has ended,
      and is bound to that lease's end at least.
    """

    variant: str = parameter(
        AS_PUBLISHED,
        choices=(AS_PUBLISHED, MENDED_HANDLE_VOTE),
        doc="whether old requests are granted too, or only those for a lease after the last (mended)",
    )
    replicas: int = parameter(3, at_least=1, at_most=9, doc="number of replicas")
    leader_interval: int = parameter(2, at_least=1, doc="length of a lease")

    def define(self, state):
        # Time passes by itself only, so it ends at `last`; a lease starts at the clock's latest time.
        last = self.tt_init_abs + self.tt_max_si
        self.define_clock(state, last)
        self.Replica = sort("Replica", self.replicas)
        self.LeaseEnd = Int(
            self.tt_init_abs + self.leader_interval, last + self.tt_interval + self.leader_interval
        )
        self.Role = enum("Role", "Leader", "Backup")
        self.ReplicaState = record("ReplicaState", role=self.Role, end=Int(0, self.LeaseEnd.high))
        vote = {"end": self.LeaseEnd, "voter": self.Replica}
        self.Message = union("Message", Vote=vote, Grant={**vote, "acceptor": self.Replica})
        # The module keeps the start too, which is always leader_interval before the end.
        self.Interval = record("Interval", leader=self.Replica, end=self.LeaseEnd)

        state.states = Map(self.Replica, self.ReplicaState)
        state.msgs = Set(self.Message)
        state.intervals = Set(self.Interval)

    def init(self, start):
        self.init_clock(start)
        idle = of(self.ReplicaState, role="Backup", end=0)
        start.states = map_of(self.Replica, lambda replica: idle)
        start.msgs = set()
        start.intervals = set()

    @action
    def vote(self, now, nxt, replica=REPLICA):
        """A replica that is not bound to a lease asks for one from the latest possible time of now on."""
        self.require_unbound(now, nxt, replica)
        end = self.next_end(now)
        nxt.states[replica].end = end
        nxt.msgs = now.msgs.add(of(self.Message, "Vote", end=end, voter=replica))

    @action
    def handle_vote(self, now, nxt, replica=REPLICA, voter=REPLICA, end=pick("LeaseEnd")):
        """A replica that is not bound to a lease grants a request, and is bound as if it had asked now."""
        nxt.require(now.msgs.has(of(self.Message, "Vote", end=end, voter=voter)))
        self.require_unbound(now, nxt, replica)
        own = self.next_end(now)
        if self.variant == MENDED_HANDLE_VOTE:
            nxt.require(now.states[replica].end < end - self.leader_interval)
            own = maximum(own, end)
        nxt.states[replica].end = own
        nxt.msgs = now.msgs.add(of(self.Message, "Grant", end=end, voter=voter, acceptor=replica))

    @action
    def become_leader(self, now, nxt, replica=REPLICA):
        """A replica that is still bound by its own request, and has a majority's grants for it, leads.

        As in the module, the lease may have ended by then.
        """
        end = now.states[replica].end
        nxt.require(now.states[replica].role == "Backup", end > 0)  # 0: never bound, so nothing was granted
        nxt.require(
            number_where(self.Replica, lambda acceptor: self.is_granted(now, replica, acceptor, end))
            >= self.replicas // 2 + 1
        )
        nxt.states[replica].role = "Leader"
        nxt.intervals = now.intervals.add(of(self.Interval, leader=replica, end=end))

    @action
    def become_backup(self, now, nxt, replica=REPLICA):
        """A leader steps down once its lease has ended for certain."""
        nxt.require(now.states[replica].role == "Leader", self.has_passed(now, now.states[replica].end))
        nxt.states[replica].role = "Backup"

    # -- parts of actions ---------------------------------------------------------------------------------

    def require_unbound(self, now, nxt, replica):
        """The replica is a backup whose last lease has ended for certain."""
        nxt.require(now.states[replica].role == "Backup", self.has_passed(now, now.states[replica].end))

    def next_end(self, now):
        """The end of a lease that is asked for now."""
        return self.latest(now) + self.leader_interval

    def is_granted(self, now, voter, acceptor, end):
        """Whether the acceptor has granted the voter a lease until that end."""
        return now.msgs.has(of(self.Message, "Grant", end=end, voter=voter, acceptor=acceptor))
