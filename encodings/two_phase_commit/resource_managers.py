"""The resource managers of two-phase commit."""

from __future__ import annotations

from typing import Any

from leadline.encodings.two_phase_commit.managers import (
    Managers,
    backup_manager,
    crashing_managers,
    rm_crashes,
)
from leadline.symbolic.lang import IntExpr, Next, State, action, all_of, case, choose, ite, of, pick


class ResourceManagers(Managers):
    """The resource managers (RMs): obey messages, crash and recover."""

    @action(tla="RM_MAIN_receive")
    def rm_main_receive(self, now: State, nxt: Next, rm: IntExpr = pick("RM")) -> None:
        """An undecided RM takes a message and obeys if it can: it prepares, commits or aborts.

        A prepared RM aborts only if the TM's state says so too.
        """
        one = self.receive(now, nxt, rm)
        state = now.rm_state[rm]
        may_abort = (state == "working") | all_of(state == "prepared", self.decision(now) == "abort")
        nxt.rm_state[rm] = case(
            (all_of(state == "working", one.type == "prepare"), of(self.RmState, "prepared")),
            (all_of(state == "prepared", one.type == "commit"), of(self.RmState, "committed")),
            (all_of(may_abort, one.type == "abort"), of(self.RmState, "aborted")),
            otherwise=state,
        )

    @action(tla="RM_MAIN_crash", when=rm_crashes)
    def rm_main_crash(self, now: State, nxt: Next, rm: IntExpr = pick("RM")) -> None:
        """An undecided RM crashes on a message, which is lost, unless it crashed in the same state before."""
        self.receive(now, nxt, rm)
        nxt.require(now.crash_state[rm] != now.rm_state[rm])
        nxt.pc.rm[rm] = "RM_CRASH"

    @action(tla="RM_MAIN_decide", when=crashing_managers)
    def rm_main_decide(self, now: State, nxt: Next, rm: IntExpr = pick("RM")) -> None:
        """An undecided RM that finds the TM dead commits if the TM had decided so, and aborts otherwise.

        While the TM lives this changes nothing.
        """
        self.require_undecided(now, nxt, rm)
        with nxt.when(~now.tm_state.live):
            commit = of(self.RmState, "committed")
            nxt.rm_state[rm] = ite(now.tm_state.state == "commit", commit, "aborted")

    @action(tla="RM_MAIN_done")
    def rm_main_done(self, now: State, nxt: Next, rm: IntExpr = pick("RM")) -> None:
        """A RM that has committed or aborted ends."""
        nxt.require(now.pc.rm[rm] == "RM_MAIN", self.has_decided(now, rm))
        nxt.pc.rm[rm] = "Done"

    @action(tla="RM_CRASH", when=rm_crashes)
    def rm_crash(self, now: State, nxt: Next, rm: IntExpr = pick("RM")) -> None:
        """A crashing RM logs its state, loses its messages and is down."""
        nxt.require(now.pc.rm[rm] == "RM_CRASH")
        nxt.crash_state[rm] = now.rm_state[rm]
        nxt.rm_msg[rm] = set()
        nxt.rm_state[rm] = "unavailable"
        nxt.pc.rm[rm] = "RM_RECOVER"

    @action(tla="RM_RECOVER", when=rm_crashes)
    def rm_recover(self, now: State, nxt: Next, rm: IntExpr = pick("RM")) -> None:
        """A RM recovers its state from the log, without the messages sent to it meanwhile."""
        nxt.require(now.pc.rm[rm] == "RM_RECOVER")
        nxt.rm_msg[rm] = set()
        nxt.rm_state[rm] = now.crash_state[rm].value
        nxt.pc.rm[rm] = "RM_MAIN"

    # -- parts of actions ---------------------------------------------------------------------------------

    def require_undecided(self, now: State, nxt: Next, rm: Any) -> None:
        """The RM is at the head of its loop and has neither committed nor aborted."""
        nxt.require(now.pc.rm[rm] == "RM_MAIN", ~self.has_decided(now, rm))

    def receive(self, now: State, nxt: Next, rm: Any) -> Any:
        """An undecided RM takes a message: the first in TLC's order, or any if there is a backup manager."""
        self.require_undecided(now, nxt, rm)
        if backup_manager(self):
            one = nxt.pick("one", now.rm_msg[rm])
        else:
            nxt.require(now.rm_msg[rm] != set())
            one = choose(now.rm_msg[rm])
        nxt.msg[rm] = one
        nxt.rm_msg[rm] = now.rm_msg[rm].remove(one)
        return one
