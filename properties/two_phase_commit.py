"""Properties of two-phase commit: the invariants of module 2PCDoodle.

Lengths are in steps, with 2 resource managers; TLC finds the same.
"""

from leadline.encodings.transaction_commit import RM_STATE, TransactionCommit
from leadline.encodings.two_phase_commit import (
    BACKUP_MANAGER,
    TwoPhaseCommit,
    backup_manager,
    crashing_managers,
)
from leadline.symbolic.lang import (
    all_of,
    any_of,
    case,
    eventually,
    forall,
    holds,
    implies,
    invariant,
    ite,
    map_of,
    of,
    probe,
    proved,
    refines,
    strengthening,
    temporal,
    violated,
)

MAY_FAIL = {"rm_may_fail": ..., "tm_may_fail": ...}


@invariant(
    TwoPhaseCommit,
    known=[
        proved(resource_managers=range(2, 8), **MAY_FAIL),
        violated(24, variant=BACKUP_MANAGER),
        holds(variant=BACKUP_MANAGER, rm_may_fail=False, tm_may_fail=...),
        holds(variant=BACKUP_MANAGER, tm_may_fail=False),
    ],
)
def consistency(protocol, now):
    """No resource manager has committed while another has aborted.

    From `Consistency` of 2PCDoodle. Proved by induction with crashing managers, whichever kind may fail. With
    a backup manager it holds while only one kind of manager may fail, and fails if both may: the backup
    manager finds a resource manager down that recovers later, and aborts the transaction after the first
    manager told another resource manager to commit.
    """
    return forall(
        protocol.RM,
        lambda rm1, rm2: ~all_of(now.rm_state[rm1] == "aborted", now.rm_state[rm2] == "committed"),
    )


@invariant(
    TwoPhaseCommit,
    known=[proved(resource_managers=range(2, 8), **MAY_FAIL), proved(variant=BACKUP_MANAGER, **MAY_FAIL)],
    tla="TypeOK",
)
def type_ok(protocol, now):
    """The states of the managers are among those that the module lists.

    From `TypeOK` of 2PCDoodle. The declared types say the same: a step out of them is reported as out of
    bounds, and the inductive proof shows that there is none.
    """
    states = forall(protocol.RM, lambda rm: now.rm_state[rm].is_in(protocol.RmState))
    return all_of(states, protocol.decision(now).is_in(protocol.TmState))


@probe(
    TwoPhaseCommit,
    known=[
        violated(11, rm_may_fail=...),
        violated(13, rm_may_fail=..., tm_may_fail=False),
        violated(13, variant=BACKUP_MANAGER),
        violated(13, variant=BACKUP_MANAGER, rm_may_fail=False),
        violated(13, variant=BACKUP_MANAGER, tm_may_fail=False),
    ],
)
def not_committed(protocol, now):
    """No resource manager ever commits.

    From `NotCommitted` of 2PCDoodle: a violation shows that a commit can be reached. With crashing managers
    it is shorter if the transaction manager may fail: a resource manager then commits by itself.
    """
    return forall(protocol.RM, lambda rm: now.rm_state[rm] != "committed")


# -- liveness ---------------------------------------------------------------------------------------------


@temporal(TwoPhaseCommit, known=holds())
def completed(protocol, now):
    """All resource managers eventually commit or abort.

    From `Completed` of 2PCDoodle.
    """
    return eventually(forall(protocol.RM, lambda rm: protocol.has_decided(now, rm)))


@temporal(TwoPhaseCommit, known=holds())
def termination(protocol, now):
    """All processes eventually end.

    From `Termination` of 2PCDoodle.
    """
    managers = protocol.all_rms_done(now) & (now.pc.tm == "Done")
    return eventually(managers & (now.pc.btm == "Done") if backup_manager(protocol) else managers)


# -- refinement -------------------------------------------------------------------------------------------


@refines(
    TwoPhaseCommit,
    TransactionCommit,
    known=[
        holds(**MAY_FAIL),
        violated(24, variant=BACKUP_MANAGER),
        holds(variant=BACKUP_MANAGER, rm_may_fail=False, tm_may_fail=...),
        holds(variant=BACKUP_MANAGER, tm_may_fail=False),
    ],
)
def implements_transaction_commit(protocol, now, abstract):
    """The resource managers commit and abort as those of transaction commit do.

    Not in the source. A resource manager that is down counts with the state that it has logged. With a backup
    manager it fails where consistency does.
    """

    def seen(rm):
        state, logged = now.rm_state[rm], now.crash_state[rm]
        known = ite(state == "unavailable", logged.or_else(of(protocol.RmState, "working")), state)
        return case(
            *((known == name, of(RM_STATE, name)) for name in ("prepared", "committed", "aborted")),
            otherwise=of(RM_STATE, "working"),
        )

    abstract.rm_state = map_of(protocol.RM, seen)


# -- strengthenings for proofs ----------------------------------------------------------------------------


@strengthening(TwoPhaseCommit)
def down_while_recovering(protocol, now):
    """A resource manager is down from its crash until it recovers, and has then logged its state.

    It crashes only while it is undecided. So recovery always finds a state in the log.
    """

    def one(rm):
        state, label, logged = now.rm_state[rm], now.pc.rm[rm], now.crash_state[rm]
        recovers = label == "RM_RECOVER"
        return all_of(
            (state == "unavailable") == recovers,
            implies(label == "RM_CRASH", (state == "working") | (state == "prepared")),
            implies(
                recovers, all_of(logged.is_some, (logged.value == "working") | (logged.value == "prepared"))
            ),
        )

    return forall(protocol.RM, one)


@strengthening(TwoPhaseCommit)
def broadcast_has_message(protocol, now):
    """While the transaction manager broadcasts there is a message, and a frame to return to."""
    broadcasts = (now.pc.tm == "TM_B1") | (now.pc.tm == "TM_B2")
    has_frame = now.stack.is_some if crashing_managers(protocol) else True
    return implies(broadcasts, all_of(now.message.is_some, has_frame))


@strengthening(TwoPhaseCommit, of="consistency", entails=True, when=crashing_managers)
def commit_is_decided(protocol, now):
    """Before the transaction manager has decided to commit, nobody commits, says so or is about to."""
    commit = of(protocol.Message, type="commit")
    saved = now.stack.value.message
    undecided = protocol.decision(now) != "commit"
    nobody = forall(
        protocol.RM, lambda rm: all_of(now.rm_state[rm] != "committed", ~now.rm_msg[rm].has(commit))
    )
    return implies(
        undecided,
        all_of(
            nobody,
            now.message != commit,
            implies(now.stack.is_some, saved != commit),
            now.pc.tm != "TM_CRASH_WHEN_COMMIT",
        ),
    )


@strengthening(TwoPhaseCommit, of="consistency", entails=True, when=crashing_managers)
def all_stay_prepared(protocol, now):
    """Once the transaction manager has decided to commit, all resource managers are prepared or committed.

    One that is down has logged that it is prepared.
    """

    def one(rm):
        state = now.rm_state[rm]
        logged = all_of(now.crash_state[rm] == "prepared", now.pc.rm[rm] == "RM_RECOVER")
        return any_of(state == "prepared", state == "committed", logged)

    return implies(protocol.decision(now) == "commit", forall(protocol.RM, one))
