"""The backup manager of two-phase commit."""

from __future__ import annotations

from leadline.encodings.two_phase_commit.managers import Managers, backup_manager
from leadline.symbolic.lang import Next, State, action, of


class BackupManager(Managers):
    """The backup manager (BTM): decides anew when the TM is dead, and never crashes."""

    @action(tla="BTMStart_commit", when=backup_manager)
    def btm_start_commit(self, now: State, nxt: Next) -> None:
        """The TM is dead and all RMs are prepared: the BTM takes over to commit."""
        nxt.require(now.pc.btm == "BTM", now.tm_state == "unavailable", self.can_commit(now))
        nxt.pc.btm = "BTC"

    @action(tla="BTMStart_abort", when=backup_manager)
    def btm_start_abort(self, now: State, nxt: Next) -> None:
        """The TM is dead and some RM aborted or is down: the BTM takes over to abort.

        The TM may have told others to commit, and a RM that is down now will recover: this is the flaw.
        """
        nxt.require(now.pc.btm == "BTM", now.tm_state == "unavailable", self.can_abort(now))
        nxt.pc.btm = "BTA"

    @action(tla="BTC", when=backup_manager)
    def btc(self, now: State, nxt: Next) -> None:
        """The BTM declares that the transaction commits."""
        nxt.require(now.pc.btm == "BTC")
        nxt.tm_state = "commit"
        nxt.pc.btm = "BTC_SEND"

    @action(tla="BTA", when=backup_manager)
    def bta(self, now: State, nxt: Next) -> None:
        """The BTM declares that the transaction aborts."""
        nxt.require(now.pc.btm == "BTA")
        nxt.tm_state = "abort"
        nxt.pc.btm = "BTA_SEND"

    @action(tla="BTC_SEND", when=backup_manager)
    def btc_send(self, now: State, nxt: Next) -> None:
        """The BTM sends commit to the next RM; after the last it starts again, or ends when all RMs have."""
        self.backup_broadcast(now, nxt, "BTC_SEND", "commit")

    @action(tla="BTA_SEND", when=backup_manager)
    def bta_send(self, now: State, nxt: Next) -> None:
        """The BTM sends abort to the next RM; after the last it starts again, or ends when all RMs have."""
        self.backup_broadcast(now, nxt, "BTA_SEND", "abort")

    def backup_broadcast(self, now: State, nxt: Next, label: str, kind: str) -> None:
        """At the label, the BTM sends a message of that kind to the next RM, or ends a round."""
        nxt.require(now.pc.btm == label)
        with nxt.when(now.bidx <= self.resource_managers):
            nxt.rm_msg[now.bidx] = now.rm_msg[now.bidx].add(of(self.Message, type=kind))
            nxt.bidx = now.bidx + 1
        with nxt.otherwise():
            nxt.bidx = 1
            with nxt.when(self.all_rms_done(now)):
                nxt.pc.btm = "Done"
