"""The transaction manager of two-phase commit."""

from __future__ import annotations

from leadline.encodings.two_phase_commit.managers import (
    Managers,
    backup_manager,
    crashing_managers,
    tm_crashes,
)
from leadline.symbolic.lang import Next, State, action, of


class TransactionManager(Managers):
    """The transaction manager (TM): decides, broadcasts, and decides again until all have ended."""

    @action(tla="TM_commit")
    def tm_commit(self, now: State, nxt: Next) -> None:
        """The TM decides to commit, or sticks to it: all RMs are prepared, or it decided so before."""
        self.require_at_tm(now, nxt)
        nxt.require(self.can_commit(now) | (self.decision(now) == "commit"))
        self.decide(nxt, "commit")
        nxt.pc.tm = "TM_CRASH_WHEN_COMMIT"

    @action(tla="TM_abort")
    def tm_abort(self, now: State, nxt: Next) -> None:
        """The TM decides to abort, or sticks to it: some RM aborted or is down, or it decided so before."""
        self.require_at_tm(now, nxt)
        nxt.require(self.can_abort(now) | (self.decision(now) == "abort"))
        self.decide(nxt, "abort")
        nxt.pc.tm = "TM_CRASH_WHEN_ABORT"

    @action(tla="TM_prepare")
    def tm_prepare(self, now: State, nxt: Next) -> None:
        """The TM, which has decided nothing and can decide nothing yet, asks the RMs to prepare."""
        self.require_at_tm(now, nxt)
        nxt.require(self.decision(now) == "init", ~(self.can_commit(now) | self.can_abort(now)))
        nxt.pc.tm = "TM_CRASH_WHEN_PREPARE"

    @action(tla="TM_done")
    def tm_done(self, now: State, nxt: Next) -> None:
        """The TM ends when all RMs have."""
        nxt.require(now.pc.tm == "TM", self.all_rms_done(now))
        nxt.pc.tm = "Done"

    @action(tla="TM_CRASH_WHEN_COMMIT_broadcast")
    def tm_crash_when_commit_broadcast(self, now: State, nxt: Next) -> None:
        """The TM begins to broadcast commit."""
        self.call_broadcast(now, nxt, "TM_CRASH_WHEN_COMMIT", "commit")

    @action(tla="TM_CRASH_WHEN_ABORT_broadcast")
    def tm_crash_when_abort_broadcast(self, now: State, nxt: Next) -> None:
        """The TM begins to broadcast abort."""
        self.call_broadcast(now, nxt, "TM_CRASH_WHEN_ABORT", "abort")

    @action(tla="TM_CRASH_WHEN_PREPARE_broadcast")
    def tm_crash_when_prepare_broadcast(self, now: State, nxt: Next) -> None:
        """The TM begins to broadcast prepare."""
        self.call_broadcast(now, nxt, "TM_CRASH_WHEN_PREPARE", "prepare")

    @action(tla="TM_CRASH_WHEN_COMMIT_crash", when=tm_crashes)
    def tm_crash_when_commit_crash(self, now: State, nxt: Next) -> None:
        """The TM crashes after deciding to commit, before it tells anyone."""
        self.crash_tm(now, nxt, "TM_CRASH_WHEN_COMMIT")

    @action(tla="TM_CRASH_WHEN_ABORT_crash", when=tm_crashes)
    def tm_crash_when_abort_crash(self, now: State, nxt: Next) -> None:
        """The TM crashes after deciding to abort, before it tells anyone."""
        self.crash_tm(now, nxt, "TM_CRASH_WHEN_ABORT")

    @action(tla="TM_CRASH_WHEN_PREPARE_crash", when=tm_crashes)
    def tm_crash_when_prepare_crash(self, now: State, nxt: Next) -> None:
        """The TM crashes before it asks the RMs to prepare."""
        self.crash_tm(now, nxt, "TM_CRASH_WHEN_PREPARE")

    @action(tla="TM_B1")
    def tm_b1(self, now: State, nxt: Next) -> None:
        """The broadcast begins with the first RM."""
        nxt.require(now.pc.tm == "TM_B1")
        nxt.idx = 1
        nxt.pc.tm = "TM_B2"

    @action(tla="TM_B2")
    def tm_b2(self, now: State, nxt: Next) -> None:
        """The broadcast sends the message to the next RM, or returns after the last."""
        nxt.require(now.pc.tm == "TM_B2")
        with nxt.when(now.idx <= self.resource_managers):
            nxt.rm_msg[now.idx] = now.rm_msg[now.idx].add(now.message.value)
            nxt.idx = now.idx + 1
        with nxt.otherwise():
            nxt.pc.tm = "TM"
            nxt.message = None if backup_manager(self) else now.stack.value.message
            if crashing_managers(self):
                nxt.stack = None

    @action(tla="TM_B2_crash", when=lambda protocol: backup_manager(protocol) and tm_crashes(protocol))
    def tm_b2_crash(self, now: State, nxt: Next) -> None:
        """The TM crashes in the middle of a broadcast: some RMs are told and some are not."""
        nxt.require(now.idx >= 2, now.idx <= self.resource_managers)
        self.crash_tm(now, nxt, "TM_B2")
        nxt.message = None

    # -- parts of actions ---------------------------------------------------------------------------------

    def require_at_tm(self, now: State, nxt: Next) -> None:
        """The TM is at the head of its loop, and some RM has not ended."""
        nxt.require(now.pc.tm == "TM", ~self.all_rms_done(now))

    def decide(self, nxt: Next, decision: str) -> None:
        """The TM's state becomes the decision."""
        if backup_manager(self):
            nxt.tm_state = decision
        else:
            nxt.tm_state.state = decision

    def call_broadcast(self, now: State, nxt: Next, label: str, kind: str) -> None:
        """At the label, the TM begins to broadcast a message of that kind."""
        nxt.require(now.pc.tm == label)
        nxt.message = of(self.Message, type=kind)
        nxt.pc.tm = "TM_B1"
        if crashing_managers(self):
            nxt.stack = {"message": now.message}

    def crash_tm(self, now: State, nxt: Next, label: str) -> None:
        """At the label, the TM crashes: for good, or, with crashing managers, as the RMs see it."""
        nxt.require(now.pc.tm == label)
        if backup_manager(self):
            nxt.tm_state = "unavailable"
            nxt.pc.tm = "Done"
        else:
            nxt.tm_state.live = False
            nxt.pc.tm = "TM"
