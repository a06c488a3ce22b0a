"""What is claimed of two-phase commit: the invariants of module 2PCDoodle.

What is known was found by TLC with 2 resource managers; lengths are in steps.
"""

from __future__ import annotations

from leadline.encodings.two_phase_commit import TwoPhaseCommit
from leadline.symbolic.lang import BoolExpr, State, all_of, forall, invariant, probe


@invariant(TwoPhaseCommit)
def consistency(protocol: TwoPhaseCommit, now: State) -> BoolExpr:
    """No resource manager has committed while another has aborted.

    From `Consistency` of 2PCDoodle. Holds with crashing managers, whoever may fail. With a backup manager it
    holds while only the one kind of manager may fail, and fails after 24 steps if both may: the backup finds
    a resource manager down that recovers later, and aborts what the first manager told another to commit.
    """
    return forall(
        protocol.RM,
        lambda rm1, rm2: ~all_of(now.rm_state[rm1] == "aborted", now.rm_state[rm2] == "committed"),
    )


@invariant(TwoPhaseCommit, tla="TypeOK")
def type_ok(protocol: TwoPhaseCommit, now: State) -> BoolExpr:
    """The states of the managers are among those meant.

    From `TypeOK` of 2PCDoodle. Holds in every variant, by the declared types: a step out of them would be
    reported as out of bounds.
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
