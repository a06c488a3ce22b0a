"""Two-phase commit with resource managers and transaction managers that crash.

Source: the PlusCal algorithm of module 2PCDoodle, from a series of blog posts on two-phase commit in TLA+
(2022), itself made from the algorithm P2TCommit. Variables and labels have the names of its TLA+ translation.
A disjunction inside one of its actions is split: each arm is an action here, named by the label and a word
for the arm.
"""

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Option,
    Protocol,
    Set,
    action,
    all_of,
    any_of,
    case,
    choose,
    enum,
    exists,
    forall,
    ite,
    map_of,
    of,
    parameter,
    pick,
    record,
    weak,
    weak_next,
)

RM = pick("RM")

CRASHING_MANAGERS = "crashing-managers"
BACKUP_MANAGER = "backup-manager"
AS_PUBLISHED = "as-published"


def crashing_managers(protocol):
    """Whether the resource managers decide by themselves when the transaction manager is dead."""
    return protocol.variant == CRASHING_MANAGERS


def backup_manager(protocol):
    """Whether a backup manager takes over when the transaction manager is dead."""
    return protocol.variant == BACKUP_MANAGER


class TwoPhaseCommit(Protocol):
    """A transaction manager (TM) asks resource managers (RMs) to prepare and then to commit or to abort.

    It broadcasts again and again, one RM at a time. A RM may crash when it takes a message; it loses its
    messages and recovers its state from a log, and does not crash twice in the same state.

    Variants:

    - crashing-managers: all know of a crashed TM (`live`), and a RM that sees it decides by itself, from the
      TM's last state. As in the source, the TM itself does not care: it goes on deciding and broadcasting.
    - backup-manager: a crashed TM stops, perhaps in the middle of a broadcast, and a backup manager (BTM)
      that never crashes decides anew from the RMs' states. The source prints only the BTM's decision; the
      rest is as in the other variant, its broadcast as the TM's. A RM takes any of its messages. A TM that
      dies while the RMs are working leaves them waiting for ever: a deadlock after 2 steps.
    """

    variant: str = parameter(
        CRASHING_MANAGERS,
        choices=(CRASHING_MANAGERS, BACKUP_MANAGER),
        doc="what happens when the transaction manager is dead",
    )
    resource_managers: int = parameter(2, at_least=1, doc="number of resource managers")
    rm_may_fail: bool = parameter(True, doc="whether resource managers may crash")
    tm_may_fail: bool = parameter(True, doc="whether the transaction manager may crash")
    fairness: str = parameter(
        AS_PUBLISHED, choices=(AS_PUBLISHED, "none"), doc="which actions a run does not neglect for ever"
    )

    def define(self, state):
        # Numbered, not a sort: a broadcast goes through the RMs in order.
        self.RM = Int(1, self.resource_managers)
        self.RmState = enum("RmState", "working", "prepared", "committed", "aborted", "unavailable")
        # The order is TLC's, which the source's CHOOSE of a message follows.
        self.Kind = enum("Kind", "abort", "commit", "prepare")
        self.Message = record("Message", type=self.Kind)

        self.RmLabel = enum("RmLabel", "RM_MAIN", "RM_CRASH", "RM_RECOVER", "Done")
        crash_labels = ("TM_CRASH_WHEN_COMMIT", "TM_CRASH_WHEN_ABORT", "TM_CRASH_WHEN_PREPARE")
        self.TmLabel = enum("TmLabel", "TM", *crash_labels, "TM_B1", "TM_B2", "Done")

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

    def init(self, start):
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

    def fair(self):
        """The processes are fair: each goes on while it can. The backup manager is one of them."""
        if self.fairness != AS_PUBLISHED:
            return
        yield weak_next()
        yield weak("rm_*", each="rm", tla="RManager")
        if backup_manager(self):
            yield weak("tm_*", tla="TManager")
            yield weak("bt*", tla="BTManager")
        else:
            yield weak("tm_commit", "tm_abort", "tm_prepare", "tm_done", "tm_crash_*", tla="TManager")
            yield weak("tm_b*", tla="broadcast")

    # -- operators ----------------------------------------------------------------------------------------

    def decision(self, now):
        """The TM's decision."""
        return now.tm_state if backup_manager(self) else now.tm_state.state

    def can_commit(self, now):
        """Whether all RMs are prepared and the TM has not decided to abort."""
        prepared = forall(self.RM, lambda rm: now.rm_state[rm] == "prepared")
        return all_of(prepared, self.decision(now) != "abort")

    def can_abort(self, now):
        """Whether some RM aborted or is down and the TM has not decided to commit."""
        failed = exists(
            self.RM, lambda rm: (now.rm_state[rm] == "aborted") | (now.rm_state[rm] == "unavailable")
        )
        return all_of(failed, self.decision(now) != "commit")

    def has_decided(self, now, rm):
        """Whether the RM has committed or aborted."""
        return any_of(now.rm_state[rm] == "committed", now.rm_state[rm] == "aborted")

    def all_rms_done(self, now):
        """Whether all RMs have ended."""
        return forall(self.RM, lambda rm: now.pc.rm[rm] == "Done")

    # -- the backup manager (BTM): decides anew when the TM is dead, and never crashes --------------------

    @action(tla="BTMStart_commit", when=backup_manager)
    def btm_start_commit(self, now, nxt):
        """The TM is dead and all RMs are prepared: the BTM takes over to commit."""
        nxt.require(now.pc.btm == "BTM", now.tm_state == "unavailable", self.can_commit(now))
        nxt.pc.btm = "BTC"

    @action(tla="BTMStart_abort", when=backup_manager)
    def btm_start_abort(self, now, nxt):
        """The TM is dead and some RM aborted or is down: the BTM takes over to abort.

        The TM may have told others to commit, and a RM that is down now will recover: this is the flaw.
        """
        nxt.require(now.pc.btm == "BTM", now.tm_state == "unavailable", self.can_abort(now))
        nxt.pc.btm = "BTA"

    @action(tla="BTC", when=backup_manager)
    def btc(self, now, nxt):
        """The BTM declares that the transaction commits."""
        nxt.require(now.pc.btm == "BTC")
        nxt.tm_state = "commit"
        nxt.pc.btm = "BTC_SEND"

    @action(tla="BTA", when=backup_manager)
    def bta(self, now, nxt):
        """The BTM declares that the transaction aborts."""
        nxt.require(now.pc.btm == "BTA")
        nxt.tm_state = "abort"
        nxt.pc.btm = "BTA_SEND"

    @action(tla="BTC_SEND", when=backup_manager)
    def btc_send(self, now, nxt):
        """The BTM sends commit to the next RM; after the last it starts again, or ends when all RMs have."""
        self.backup_broadcast(now, nxt, "BTC_SEND", "commit")

    @action(tla="BTA_SEND", when=backup_manager)
    def bta_send(self, now, nxt):
        """The BTM sends abort to the next RM; after the last it starts again, or ends when all RMs have."""
        self.backup_broadcast(now, nxt, "BTA_SEND", "abort")

    def backup_broadcast(self, now, nxt, label, kind):
        """At the label, the BTM sends a message of that kind to the next RM, or ends a round."""
        nxt.require(now.pc.btm == label)
        with nxt.when(now.bidx <= self.resource_managers):
            nxt.rm_msg[now.bidx] = now.rm_msg[now.bidx].add(of(self.Message, type=kind))
            nxt.bidx = now.bidx + 1
        with nxt.otherwise():
            nxt.bidx = 1
            with nxt.when(self.all_rms_done(now)):
                nxt.pc.btm = "Done"

    # -- the resource managers (RMs): obey messages, crash and recover ------------------------------------

    @action(tla="RM_MAIN_receive")
    def rm_main_receive(self, now, nxt, rm=RM):
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

    @action(tla="RM_MAIN_crash", when=lambda self: self.rm_may_fail)
    def rm_main_crash(self, now, nxt, rm=RM):
        """An undecided RM crashes on a message, which is lost, unless it crashed in the same state before."""
        self.receive(now, nxt, rm)
        nxt.require(now.crash_state[rm] != now.rm_state[rm])
        nxt.pc.rm[rm] = "RM_CRASH"

    @action(tla="RM_MAIN_decide", when=crashing_managers)
    def rm_main_decide(self, now, nxt, rm=RM):
        """An undecided RM that finds the TM dead commits if the TM had decided so, and aborts otherwise.

        While the TM lives this changes nothing.
        """
        self.require_undecided(now, nxt, rm)
        with nxt.when(~now.tm_state.live):
            commit = of(self.RmState, "committed")
            nxt.rm_state[rm] = ite(now.tm_state.state == "commit", commit, "aborted")

    @action(tla="RM_MAIN_done")
    def rm_main_done(self, now, nxt, rm=RM):
        """A RM that has committed or aborted ends."""
        nxt.require(now.pc.rm[rm] == "RM_MAIN", self.has_decided(now, rm))
        nxt.pc.rm[rm] = "Done"

    @action(tla="RM_CRASH", when=lambda self: self.rm_may_fail)
    def rm_crash(self, now, nxt, rm=RM):
        """A crashing RM logs its state, loses its messages and is down."""
        nxt.require(now.pc.rm[rm] == "RM_CRASH")
        nxt.crash_state[rm] = now.rm_state[rm]
        nxt.rm_msg[rm] = set()
        nxt.rm_state[rm] = "unavailable"
        nxt.pc.rm[rm] = "RM_RECOVER"

    @action(tla="RM_RECOVER", when=lambda self: self.rm_may_fail)
    def rm_recover(self, now, nxt, rm=RM):
        """A RM recovers its state from the log, without the messages sent to it meanwhile."""
        nxt.require(now.pc.rm[rm] == "RM_RECOVER")
        nxt.rm_msg[rm] = set()
        nxt.rm_state[rm] = now.crash_state[rm].value
        nxt.pc.rm[rm] = "RM_MAIN"

    def require_undecided(self, now, nxt, rm):
        """The RM is at the head of its loop and has neither committed nor aborted."""
        nxt.require(now.pc.rm[rm] == "RM_MAIN", ~self.has_decided(now, rm))

    def receive(self, now, nxt, rm):
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

    # -- the transaction manager (TM): decides, broadcasts, and decides again until all have ended --------

    @action(tla="TM_commit")
    def tm_commit(self, now, nxt):
        """The TM decides to commit, or sticks to it: all RMs are prepared, or it decided so before."""
        self.require_at_tm(now, nxt)
        nxt.require(self.can_commit(now) | (self.decision(now) == "commit"))
        self.decide(nxt, "commit")
        nxt.pc.tm = "TM_CRASH_WHEN_COMMIT"

    @action(tla="TM_abort")
    def tm_abort(self, now, nxt):
        """The TM decides to abort, or sticks to it: some RM aborted or is down, or it decided so before."""
        self.require_at_tm(now, nxt)
        nxt.require(self.can_abort(now) | (self.decision(now) == "abort"))
        self.decide(nxt, "abort")
        nxt.pc.tm = "TM_CRASH_WHEN_ABORT"

    @action(tla="TM_prepare")
    def tm_prepare(self, now, nxt):
        """The TM, which has decided nothing and can decide nothing yet, asks the RMs to prepare."""
        self.require_at_tm(now, nxt)
        nxt.require(self.decision(now) == "init", ~(self.can_commit(now) | self.can_abort(now)))
        nxt.pc.tm = "TM_CRASH_WHEN_PREPARE"

    @action(tla="TM_done")
    def tm_done(self, now, nxt):
        """The TM ends when all RMs have."""
        nxt.require(now.pc.tm == "TM", self.all_rms_done(now))
        nxt.pc.tm = "Done"

    @action(tla="TM_CRASH_WHEN_COMMIT_broadcast")
    def tm_crash_when_commit_broadcast(self, now, nxt):
        """The TM begins to broadcast commit."""
        self.call_broadcast(now, nxt, "TM_CRASH_WHEN_COMMIT", "commit")

    @action(tla="TM_CRASH_WHEN_ABORT_broadcast")
    def tm_crash_when_abort_broadcast(self, now, nxt):
        """The TM begins to broadcast abort."""
        self.call_broadcast(now, nxt, "TM_CRASH_WHEN_ABORT", "abort")

    @action(tla="TM_CRASH_WHEN_PREPARE_broadcast")
    def tm_crash_when_prepare_broadcast(self, now, nxt):
        """The TM begins to broadcast prepare."""
        self.call_broadcast(now, nxt, "TM_CRASH_WHEN_PREPARE", "prepare")

    @action(tla="TM_CRASH_WHEN_COMMIT_crash", when=lambda self: self.tm_may_fail)
    def tm_crash_when_commit_crash(self, now, nxt):
        """The TM crashes after deciding to commit, before it tells anyone."""
        self.crash_tm(now, nxt, "TM_CRASH_WHEN_COMMIT")

    @action(tla="TM_CRASH_WHEN_ABORT_crash", when=lambda self: self.tm_may_fail)
    def tm_crash_when_abort_crash(self, now, nxt):
        """The TM crashes after deciding to abort, before it tells anyone."""
        self.crash_tm(now, nxt, "TM_CRASH_WHEN_ABORT")

    @action(tla="TM_CRASH_WHEN_PREPARE_crash", when=lambda self: self.tm_may_fail)
    def tm_crash_when_prepare_crash(self, now, nxt):
        """The TM crashes before it asks the RMs to prepare."""
        self.crash_tm(now, nxt, "TM_CRASH_WHEN_PREPARE")

    @action(tla="TM_B1")
    def tm_b1(self, now, nxt):
        """The broadcast begins with the first RM."""
        nxt.require(now.pc.tm == "TM_B1")
        nxt.idx = 1
        nxt.pc.tm = "TM_B2"

    @action(tla="TM_B2")
    def tm_b2(self, now, nxt):
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

    @action(tla="TM_B2_crash", when=lambda self: backup_manager(self) and self.tm_may_fail)
    def tm_b2_crash(self, now, nxt):
        """The TM crashes in the middle of a broadcast: some RMs are told and some are not."""
        nxt.require(now.idx >= 2, now.idx <= self.resource_managers)
        self.crash_tm(now, nxt, "TM_B2")
        nxt.message = None

    def require_at_tm(self, now, nxt):
        """The TM is at the head of its loop, and some RM has not ended."""
        nxt.require(now.pc.tm == "TM", ~self.all_rms_done(now))

    def decide(self, nxt, decision):
        """The TM's state becomes the decision."""
        if backup_manager(self):
            nxt.tm_state = decision
        else:
            nxt.tm_state.state = decision

    def call_broadcast(self, now, nxt, label, kind):
        """At the label, the TM begins to broadcast a message of that kind."""
        nxt.require(now.pc.tm == label)
        nxt.message = of(self.Message, type=kind)
        nxt.pc.tm = "TM_B1"
        if crashing_managers(self):
            nxt.stack = {"message": now.message}

    def crash_tm(self, now, nxt, label):
        """At the label, the TM crashes: for good, or, with crashing managers, as the RMs see it."""
        nxt.require(now.pc.tm == label)
        if backup_manager(self):
            nxt.tm_state = "unavailable"
            nxt.pc.tm = "Done"
        else:
            nxt.tm_state.live = False
            nxt.pc.tm = "TM"

    @action
    def terminating(self, now, nxt):
        """All have ended, and nothing happens any more. The backup manager need not have begun."""
        nxt.require(self.all_rms_done(now), now.pc.tm == "Done")
        if backup_manager(self):
            nxt.require((now.pc.btm == "Done") | (now.pc.btm == "BTM"))
