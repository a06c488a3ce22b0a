"""Transaction commit: what any protocol with which resource managers commit or abort together has to do.

Source: the TLA+ module TCommit of J. Gray, L. Lamport: Consensus on transaction commit, ACM Transactions on
Database Systems 31, 2006. Variables and actions have the names of the module; its `Decide`, a disjunction, is
split.
"""

from leadline.symbolic.lang import Int, Map, Protocol, action, enum, forall, map_of, of, parameter, pick

RM_STATE = enum("RMState", "working", "prepared", "committed", "aborted")
"""The states of a resource manager."""

RM = pick("RM")


class TransactionCommit(Protocol):
    """Each resource manager (RM) sees the states of all others, and commits or aborts as the others allow.

    Two-phase commit implements it: `implements-transaction-commit` of two-phase-commit.
    """

    resource_managers: int = parameter(2, at_least=1, doc="number of resource managers")

    def define(self, state):
        # Numbered, as the RMs of two-phase-commit are.
        self.RM = Int(1, self.resource_managers)
        state.rm_state = Map(self.RM, RM_STATE)

    def init(self, start):
        start.rm_state = map_of(self.RM, lambda rm: of(RM_STATE, "working"))

    # -- operators ----------------------------------------------------------------------------------------

    def can_commit(self, now):
        """Whether all RMs are prepared or have committed."""
        return forall(self.RM, lambda rm: now.rm_state[rm].is_in({"prepared", "committed"}))

    def not_committed(self, now):
        """Whether no RM has committed."""
        return forall(self.RM, lambda rm: now.rm_state[rm] != "committed")

    # -- actions ------------------------------------------------------------------------------------------

    @action
    def prepare(self, now, nxt, rm=RM):
        """A RM prepares to commit."""
        nxt.require(now.rm_state[rm] == "working")
        nxt.rm_state[rm] = "prepared"

    @action(tla="DecideCommit")
    def decide_commit(self, now, nxt, rm=RM):
        """A prepared RM commits, since all are prepared or have committed."""
        nxt.require(now.rm_state[rm] == "prepared", self.can_commit(now))
        nxt.rm_state[rm] = "committed"

    @action(tla="DecideAbort")
    def decide_abort(self, now, nxt, rm=RM):
        """A RM that has decided nothing aborts, since none has committed."""
        nxt.require(now.rm_state[rm].is_in({"working", "prepared"}), self.not_committed(now))
        nxt.rm_state[rm] = "aborted"
