"""The classical two-phase commit, after J. Gray, L. Lamport: Consensus on transaction commit, TODS 31, 2006.

It implements the protocol transaction-commit, unless the transaction manager makes a mistake.
"""

from typing import Any

from leadline.encodings.transaction_commit import RM_STATE, TransactionCommit
from leadline.symbolic.lang import (
    Int,
    Map,
    Protocol,
    Set,
    action,
    enum,
    map_of,
    of,
    parameter,
    pick,
    refines,
    union,
)

RM = pick("RM")


class TwoPhase(Protocol):
    """A transaction manager (TM) commits once it has heard from all resource managers (RMs)."""

    resource_managers: int = parameter(3, at_least=1, doc="number of resource managers")
    mistake: bool = parameter(False, doc="whether the TM commits once it has heard from all RMs but one")

    def define(self, state: Any) -> None:
        self.RM = Int(1, self.resource_managers)
        self.Message = union("Message", Prepared={"rm": self.RM}, Commit={}, Abort={})
        state.rm_state = Map(self.RM, RM_STATE)
        state.tm_state = enum("TMState", "init", "done")
        state.tm_prepared = Set(self.RM)
        state.msgs = Set(self.Message)

    def init(self, start: Any) -> None:
        start.rm_state = map_of(self.RM, lambda rm: of(RM_STATE, "working"))
        start.tm_state = "init"
        start.tm_prepared = set()
        start.msgs = set()

    def message(self, kind: str, **fields: Any) -> Any:
        return of(self.Message, kind, **fields)

    @action(tla="TMRcvPrepared")
    def tm_rcv_prepared(self, now: Any, nxt: Any, rm: Any = RM) -> None:
        nxt.require(now.tm_state == "init", now.msgs.has(self.message("Prepared", rm=rm)))
        nxt.tm_prepared = now.tm_prepared.add(rm)

    @action(tla="TMCommit")
    def tm_commit(self, now: Any, nxt: Any) -> None:
        heard = now.tm_prepared.size + (1 if self.mistake else 0)
        nxt.require(now.tm_state == "init", heard >= self.resource_managers)
        nxt.tm_state = "done"
        nxt.msgs = now.msgs.add(self.message("Commit"))

    @action(tla="TMAbort")
    def tm_abort(self, now: Any, nxt: Any) -> None:
        nxt.require(now.tm_state == "init")
        nxt.tm_state = "done"
        nxt.msgs = now.msgs.add(self.message("Abort"))

    @action(tla="RMPrepare")
    def rm_prepare(self, now: Any, nxt: Any, rm: Any = RM) -> None:
        nxt.require(now.rm_state[rm] == "working")
        nxt.rm_state[rm] = "prepared"
        nxt.msgs = now.msgs.add(self.message("Prepared", rm=rm))

    @action(tla="RMChooseToAbort")
    def rm_choose_to_abort(self, now: Any, nxt: Any, rm: Any = RM) -> None:
        nxt.require(now.rm_state[rm] == "working")
        nxt.rm_state[rm] = "aborted"

    @action(tla="RMRcvCommitMsg")
    def rm_rcv_commit_msg(self, now: Any, nxt: Any, rm: Any = RM) -> None:
        nxt.require(now.msgs.has(self.message("Commit")))
        nxt.rm_state[rm] = "committed"

    @action(tla="RMRcvAbortMsg")
    def rm_rcv_abort_msg(self, now: Any, nxt: Any, rm: Any = RM) -> None:
        nxt.require(now.msgs.has(self.message("Abort")))
        nxt.rm_state[rm] = "aborted"


@refines(TwoPhase, TransactionCommit, tla="TCSpec")
def implements_transaction_commit(protocol: Any, now: Any, abstract: Any) -> None:
    """The RMs' states are those of transaction commit."""
    abstract.rm_state = now.rm_state
