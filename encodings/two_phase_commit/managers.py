"""What the managers of two-phase commit share: their variants, parameters and state."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Bool,
    BoolExpr,
    Int,
    Map,
    Option,
    Protocol,
    Set,
    State,
    all_of,
    any_of,
    enum,
    exists,
    forall,
    map_of,
    of,
    parameter,
    record,
)

TM_LABELS = ("TM", "TM_CRASH_WHEN_COMMIT", "TM_CRASH_WHEN_ABORT", "TM_CRASH_WHEN_PREPARE", "TM_B1", "TM_B2")

CRASHING_MANAGERS = "crashing-managers"
BACKUP_MANAGER = "backup-manager"


def crashing_managers(protocol: Any) -> bool:
    """Whether the resource managers decide by themselves when the transaction manager is dead."""
    return bool(protocol.variant == CRASHING_MANAGERS)


def backup_manager(protocol: Any) -> bool:
    """Whether a backup manager takes over when the transaction manager is dead."""
    return bool(protocol.variant == BACKUP_MANAGER)


def rm_crashes(protocol: Any) -> bool:
    """Whether resource managers may crash."""
    return bool(protocol.rm_may_fail)


def tm_crashes(protocol: Any) -> bool:
    """Whether the transaction manager may crash."""
    return bool(protocol.tm_may_fail)


class Managers(Protocol):
    """The state of all managers, and what can be told from it."""

    variant: str = parameter(
        CRASHING_MANAGERS,
        choices=(CRASHING_MANAGERS, BACKUP_MANAGER),
        doc="what happens when the transaction manager is dead",
    )
    resource_managers: int = parameter(2, at_least=1, doc="number of resource managers")
    rm_may_fail: bool = parameter(True, doc="whether resource managers may crash")
    tm_may_fail: bool = parameter(True, doc="whether the transaction manager may crash")

    def define(self, state: Any) -> None:
        # Numbered, not a sort: a broadcast goes through the RMs in order.
        self.RM = Int(1, self.resource_managers)
        self.RmState = enum("RmState", "working", "prepared", "committed", "aborted", "unavailable")
        # The order is TLC's, which the source's CHOOSE of a message follows.
        self.Kind = enum("Kind", "abort", "commit", "prepare")
        self.Message = record("Message", type=self.Kind)

        self.RmLabel = enum("RmLabel", "RM_MAIN", "RM_CRASH", "RM_RECOVER", "Done")
        self.TmLabel = enum("TmLabel", *TM_LABELS, "Done")

        state.rm_state = Map(self.RM, self.RmState)
        state.rm_msg = Map(self.RM, Set(self.Message))
        # Only the TM calls broadcast, so message (and stack) is the TM's entry alone. None stands for
        # defaultInitValue in message, for the empty tuple in msg and for the empty string in crash_state.
        state.message = Option(self.Message)
        state.msg = Map(self.RM, Option(self.Message))
        state.declare("crash_state", Map(self.RM, Option(self.RmState)), tla="crash_state")
        state.idx = Int(1, self.resource_managers + 1)
        # The program counters are a record, so that each process has its own labels and no others.
        labels = {"rm": Map(self.RM, self.RmLabel), "tm": self.TmLabel}
        if backup_manager(self):
            self.TmState = enum("TmState", "init", "commit", "abort", "unavailable")
            state.tm_state = self.TmState
            state.bidx = Int(1, self.resource_managers + 1)
            labels["btm"] = enum("BtmLabel", "BTM", "BTC", "BTA", "BTC_SEND", "BTA_SEND", "Done")
        else:
            self.TmState = enum("TmState", "init", "commit", "abort")
            state.tm_state = record("Tm", state=self.TmState, live=Bool())
            # At most one frame, always of broadcast and to return to TM: what varies is the message it saves.
            state.stack = Option(record("Frame", message=Option(self.Message)))
        state.pc = record("Pc", **labels)

    def init(self, start: Any) -> None:
        start.rm_state = map_of(self.RM, lambda rm: of(self.RmState, "working"))
        start.rm_msg = map_of(self.RM, lambda rm: of(Set(self.Message)))
        start.message = None
        start.msg = map_of(self.RM, lambda rm: None)
        start.crash_state = map_of(self.RM, lambda rm: None)
        start.idx = 1
        at_labels = {"rm": map_of(self.RM, lambda rm: of(self.RmLabel, "RM_MAIN")), "tm": "TM"}
        if backup_manager(self):
            start.tm_state = "init"
            start.bidx = 1
            at_labels["btm"] = "BTM"
        else:
            start.tm_state = {"state": "init", "live": True}
            start.stack = None
        start.pc = at_labels

    def decision(self, now: State) -> Any:
        """What the TM has decided."""
        return now.tm_state if backup_manager(self) else now.tm_state.state

    def can_commit(self, now: State) -> BoolExpr:
        """Whether all RMs are prepared and the TM has not decided to abort."""
        prepared = forall(self.RM, lambda rm: now.rm_state[rm] == "prepared")
        return all_of(prepared, self.decision(now) != "abort")

    def can_abort(self, now: State) -> BoolExpr:
        """Whether some RM aborted or is down and the TM has not decided to commit."""
        failed = exists(
            self.RM, lambda rm: (now.rm_state[rm] == "aborted") | (now.rm_state[rm] == "unavailable")
        )
        return all_of(failed, self.decision(now) != "commit")

    def has_decided(self, now: State, rm: Any) -> BoolExpr:
        """Whether the RM has committed or aborted."""
        return any_of(now.rm_state[rm] == "committed", now.rm_state[rm] == "aborted")

    def all_rms_done(self, now: State) -> BoolExpr:
        """Whether all RMs have ended."""
        return forall(self.RM, lambda rm: now.pc.rm[rm] == "Done")
