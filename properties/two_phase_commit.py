"""What is claimed of two-phase commit: the invariants of module 2PCDoodle.

What is known was found by TLC with 2 resource managers; lengths are in steps.
"""

from __future__ import annotations

from typing import Any

from leadline.encodings.two_phase_commit import TwoPhaseCommit
from leadline.encodings.two_phase_commit.managers import crashing_managers
from leadline.symbolic.lang import (
    BoolExpr,
    State,
    all_of,
    any_of,
    forall,
    implies,
    invariant,
    of,
    probe,
    strengthening,
)


@invariant(TwoPhaseCommit)
def consistency(protocol: TwoPhaseCommit, now: State) -> BoolExpr:
    """No resource manager has committed while another has aborted.

    From `Consistency` of 2PCDoodle. Holds with crashing managers, whoever may fail: proved by induction for 2
    to 7 resource managers. With a backup manager it holds while only the one kind of manager may fail, and
    fails after 24 steps if both may: the backup finds a resource manager down that recovers later, and aborts
    what the first manager told another to commit.
    """
    return forall(
        protocol.RM,
        lambda rm1, rm2: ~all_of(now.rm_state[rm1] == "aborted", now.rm_state[rm2] == "committed"),
    )


@invariant(TwoPhaseCommit, tla="TypeOK")
def type_ok(protocol: TwoPhaseCommit, now: State) -> BoolExpr:
    """The states of the managers are among those meant.

    From `TypeOK` of 2PCDoodle. Holds in every variant, by the declared types: a step out of them would be
    reported as out of bounds, and the inductive proof shows that there is none.
    """
    states = forall(protocol.RM, lambda rm: now.rm_state[rm].is_in(protocol.RmState))
    return all_of(states, protocol.decision(now).is_in(protocol.TmState))


@probe(TwoPhaseCommit)
def not_committed(protocol: TwoPhaseCommit, now: State) -> BoolExpr:
    """No resource manager ever commits.

    From `NotCommitted` of 2PCDoodle: its failure shows that a commit can be reached. It fails after 13 steps;
    with crashing managers, after 11 if the transaction manager may fail.
    """
    return forall(protocol.RM, lambda rm: now.rm_state[rm] != "committed")


# -- what inductive proofs need ---------------------------------------------------------------------------


@strengthening(TwoPhaseCommit)
def down_while_recovering(protocol: TwoPhaseCommit, now: State) -> BoolExpr:
    """A resource manager is down from its crash until it recovers, and has then logged its state.

    It crashes only while it is undecided. So recovery always finds a state in the log.
    """

    def one(rm: Any) -> BoolExpr:
        state, label, logged = now.rm_state[rm], now.pc.rm[rm], now.crash_state[rm]
        recovers = label == "RM_RECOVER"
        return all_of(
            (state == "unavailable") == recovers,
            implies(label == "RM_CRASH", (state == "working") | (state == "prepared")),
            implies(
                recovers,
                all_of(logged.is_some, (logged.value == "working") | (logged.value == "prepared")),
            ),
        )

    return forall(protocol.RM, one)


@strengthening(TwoPhaseCommit)
def broadcast_has_message(protocol: TwoPhaseCommit, now: State) -> BoolExpr:
    """While the transaction manager broadcasts there is a message, and a frame to return to."""
    broadcasts = (now.pc.tm == "TM_B1") | (now.pc.tm == "TM_B2")
    has_frame = now.stack.is_some if crashing_managers(protocol) else True
    return implies(broadcasts, all_of(now.message.is_some, has_frame))


@strengthening(TwoPhaseCommit, of="consistency", entails=True, when=crashing_managers)
def commit_is_decided(protocol: TwoPhaseCommit, now: State) -> BoolExpr:
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
def all_stay_prepared(protocol: TwoPhaseCommit, now: State) -> BoolExpr:
    """Once the transaction manager has decided to commit, all resource managers are prepared or committed.

    One that is down has logged that it is prepared.
    """

    def one(rm: Any) -> BoolExpr:
        state = now.rm_state[rm]
        logged = all_of(now.crash_state[rm] == "prepared", now.pc.rm[rm] == "RM_RECOVER")
        return any_of(state == "prepared", state == "committed", logged)

    return implies(protocol.decision(now) == "commit", forall(protocol.RM, one))
