"""The states of a transaction and how they may follow each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leadline.encodings.kafka_transactions.cluster import Cluster
from leadline.symbolic.lang import Option, Set, State, case, ite, of, undefined

VALID_PREVIOUS = {
    "Empty": ("Empty", "CompleteCommit", "CompleteAbort"),
    "Ongoing": ("Ongoing", "Empty", "CompleteCommit", "CompleteAbort"),
    "PrepareCommit": ("Ongoing",),
    "PrepareAbort": ("Ongoing", "PrepareEpochFence"),
    "CompleteCommit": ("PrepareCommit",),
    "CompleteAbort": ("PrepareAbort",),
    "Dead": ("Empty", "CompleteCommit", "CompleteAbort"),
    "PrepareEpochFence": ("Ongoing",),
}
"""The states that each state may follow."""


@dataclass(frozen=True)
class Attempt:
    """What asking for a transition gives: an error or None, and the transition if there is no error."""

    error: Any
    transition: Any


class Transitions(Cluster):
    """Which transitions a coordinator makes."""

    def get_transition(
        self, pending: Any, state: Any, new_state: str, *, pid: Any, pepoch: Any, partitions: Any
    ) -> Attempt:
        """A transition from one state to another, refused while another one is pending."""
        error = case(
            (pending, of(Option(self.Error), "ConcurrentTransactions")),
            (self.is_in(state, *VALID_PREVIOUS[new_state]), None),
            otherwise=of(self.Error, "InvalidTransition"),
        )
        transition = of(self.Transition, pid=pid, pepoch=pepoch, state=new_state, partitions=partitions)
        return Attempt(error, transition)

    def is_in(self, state: Any, *states: str) -> Any:
        """Whether the state of a transaction is one of these."""
        return of(Set(self.TxnState), *states).has(state)

    def init_pid_transition(self, now: State, broker: Any, tid: Any, metadata: Any) -> Attempt:
        """What an InitPidRequest leads to: a new epoch, or first the abort of an ongoing transaction."""
        pending, state = now.tc_tid_transition[broker][tid], metadata.state
        bumped = {"pid": metadata.pid, "pepoch": metadata.pepoch + 1}
        renewed = self.get_transition(pending, state, "Empty", **bumped, partitions=set())
        fenced = self.get_transition(
            pending, state, "PrepareEpochFence", **bumped, partitions=metadata.partitions
        )
        aborted = self.end_transaction(pending, metadata, fenced.transition)
        error = case(
            (self.is_in(state, "CompleteAbort", "CompleteCommit", "Empty"), renewed.error),
            (state == "Ongoing", ite(fenced.error.is_some, fenced.error, aborted.error)),
            (self.is_in(state, "PrepareAbort", "PrepareCommit"), of(self.Error, "ConcurrentTransactions")),
            otherwise=of(self.Error, "IllegalState"),
        )
        return Attempt(error, ite(state == "Ongoing", aborted.transition, renewed.transition))

    def end_transaction(self, pending: Any, metadata: Any, fenced: Any) -> Attempt:
        """The abort of the ongoing transaction, in the epoch of the transition that fences its producer."""
        abort = self.get_transition(
            pending,
            metadata.state,
            "PrepareAbort",
            pid=fenced.pid,
            pepoch=fenced.pepoch,
            partitions=metadata.partitions,
        )
        # Never reached: the module gives no value to tc_log where the producer is of a later epoch, and reads
        # a transition that there is not where the abort is refused.
        unassigned = undefined(Option(self.Error), "EndTransaction does not say what becomes of tc_log")
        missing = undefined(self.Transition, "EndTransaction reads a transition that there is not")
        error = case(
            (fenced.pepoch < metadata.pepoch, unassigned),
            (metadata.state == "Ongoing", None),
            otherwise=of(self.Error, "IllegalState"),
        )
        return Attempt(error, ite(abort.error.is_some, missing, abort.transition))

    def add_partitions_transition(
        self, now: State, broker: Any, tid: Any, metadata: Any, partition: Any
    ) -> Attempt:
        """One more topic partition in the transaction, which it begins if there is none."""
        return self.get_transition(
            now.tc_tid_transition[broker][tid],
            metadata.state,
            "Ongoing",
            pid=metadata.pid,
            pepoch=metadata.pepoch,
            partitions=metadata.partitions.add(partition),
        )

    def complete_transition(self, prepared: Any) -> Attempt:
        """The transition that completes a prepared one, which is taken for no longer pending."""
        same = {"pid": prepared.pid, "pepoch": prepared.pepoch, "partitions": prepared.partitions}
        commit = self.get_transition(False, prepared.state, "CompleteCommit", **same)
        abort = self.get_transition(False, prepared.state, "CompleteAbort", **same)
        commits = prepared.state == "PrepareCommit"
        return Attempt(
            ite(commits, commit.error, abort.error), ite(commits, commit.transition, abort.transition)
        )
