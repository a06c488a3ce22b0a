"""What is claimed of Pulsar's topic compaction: the invariants of module compaction.

"At 3/3/2/2" means 3 messages, 3 ledgers, 2 keys and 2 values, with 3 crashes and all messages there at first.
The lengths are in steps; if the producer is modelled, the one message that is needed takes a step more.
"""

from __future__ import annotations

from typing import Any

from leadline.encodings.pulsar_compaction import (
    PHASE_ONE,
    PHASE_TWO_DELETE_LEDGER,
    PHASE_TWO_PERSIST_CUSROR,
    PHASE_TWO_UPDATE_HORIZON,
    PHASE_TWO_WRITE,
    PulsarCompaction,
)
from leadline.symbolic.lang import (
    BoolExpr,
    State,
    all_of,
    any_of,
    exists,
    forall,
    implies,
    int_range,
    invariant,
    strengthening,
)


@invariant(PulsarCompaction)
def type_safe(protocol: PulsarCompaction, now: State) -> BoolExpr:
    """What refers to a message refers to one that was sent, and the cursor to a compaction that was done.

    From `TypeSafe` of compaction; what else it says is said by the types of the variables. Holds: proved by
    induction, with a producer and without, and with it that no step is out of bounds.
    """
    sent = now.messages.places

    def holds_sent_messages(ledger: Any) -> BoolExpr:
        return implies(ledger.is_some, ledger.value <= sent)

    found, cursor = now.phase_one_result, now.cursor
    latest_are_sent = forall(
        protocol.Key,
        lambda key: implies(
            found.value.latest_for_key[key].is_some, sent.has(found.value.latest_for_key[key].value)
        ),
    )
    return all_of(
        forall(protocol.LedgerId, lambda ledger_id: holds_sent_messages(now.compacted_ledgers[ledger_id])),
        implies(found.is_some, all_of(latest_are_sent, sent.has(found.value.read_position))),
        implies(
            cursor.is_some,
            (cursor.value.compaction_horizon >= 1) & (cursor.value.compacted_topic_context >= 1),
        ),
    )


@invariant(PulsarCompaction)
def compacted_ledger_leak(protocol: PulsarCompaction, now: State) -> BoolExpr:
    """There are never more than two compacted ledgers: the topic's and the one before or after it.

    From `CompactedLedgerLeak` of compaction, whose author says that the bug is not fixed yet: a ledger that
    is written before a crash is forgotten. Fails from 3 ledgers on, after 8 steps with 2 crashes or more and
    after 11 with one. Holds without crashes, and with 2 ledgers since there are no more.
    """
    return BoolExpr((protocol.written_ledgers(now).size <= 2).node)


@invariant(PulsarCompaction)
def compaction_horizon_correctness(protocol: PulsarCompaction, now: State) -> BoolExpr:
    """Each message up to the horizon is in the topic's ledger, or a later one of its key is.

    One without a key needs to be only if these are kept. From `CompactionHorizonCorrectness` of compaction.
    Holds: at 3/3/2/2, and with a producer at 2/2/1/1 and 1 crash.
    """
    ledger = now.compacted_ledgers[now.compacted_topic_context].value

    def is_available(i: Any) -> BoolExpr:
        key = now.messages[i].key
        later = exists(ledger, lambda j: all_of(now.messages[j].key == key, j >= i))
        return later if protocol.retain_null_key else implies(key.is_some, later)

    return forall(int_range(1, now.compaction_horizon), is_available)


@invariant(PulsarCompaction)
def duplicate_null_key_message(protocol: PulsarCompaction, now: State) -> BoolExpr:
    """No message without a key is both in the topic's ledger and past the horizon, to be consumed twice.

    From `DuplicateNullKeyMessage` of compaction, whose author says that the bug is not fixed yet: between the
    updates of context and horizon it is. Fails after 3 steps at any size; holds if null keys are not kept.
    """
    ledger = now.compacted_ledgers[now.compacted_topic_context].value
    return implies(
        all_of(protocol.retain_null_key, now.compacted_topic_context != 0),
        forall(ledger, lambda i: implies(now.messages[i].key.is_none, i <= now.compaction_horizon)),
    )


# -- what inductive proofs need ---------------------------------------------------------------------------


@strengthening(PulsarCompaction)
def phase_two_has_result(protocol: PulsarCompaction, now: State) -> BoolExpr:
    """There is a result of phase one if and only if that is over."""
    return BoolExpr((now.phase_one_result.is_some == (now.compactor_state != PHASE_ONE)).node)


@strengthening(PulsarCompaction)
def written_before_used(protocol: PulsarCompaction, now: State) -> BoolExpr:
    """From the end of phase two's first step on there is a ledger, and what the cursor is to say is set."""
    phase = now.compactor_state
    persists = any_of(phase == PHASE_TWO_PERSIST_CUSROR, phase == PHASE_TWO_DELETE_LEDGER)
    has_context = any_of(phase == PHASE_TWO_UPDATE_HORIZON, persists)
    return all_of(
        implies((phase != PHASE_ONE) & (phase != PHASE_TWO_WRITE), ~protocol.written_ledgers(now).is_empty),
        implies(has_context, now.compacted_topic_context >= 1),
        implies(persists, now.compaction_horizon >= 1),
    )
