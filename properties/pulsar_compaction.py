"""Properties of Pulsar's topic compaction: the invariants of module compaction.

Lengths are in steps. If the producer is modelled, the one message that is needed takes a step more.
"""

from leadline.encodings.pulsar_compaction import (
    PHASE_ONE,
    PHASE_TWO_DELETE_LEDGER,
    PHASE_TWO_PERSIST_CUSROR,
    PHASE_TWO_UPDATE_HORIZON,
    PHASE_TWO_WRITE,
    PulsarCompaction,
)
from leadline.symbolic.lang import (
    all_of,
    any_of,
    at_least,
    eventually,
    exists,
    forall,
    holds,
    implies,
    int_range,
    invariant,
    proved,
    strengthening,
    temporal,
    violated,
)

ANY_SIZE = {
    "message_sent_limit": ...,
    "compaction_times_limit": ...,
    "keys": ...,
    "values": ...,
    "max_crash_times": ...,
}


@invariant(
    PulsarCompaction,
    known=[
        proved(retain_null_key=..., max_crash_times=(0, 1, 2, 3)),
        proved(model_producer=True, model_consumer=...),
        proved(keys=0, values=0),
    ],
)
def type_safe(protocol, now):
    """Ledgers and phase one's result name only messages that were sent; the cursor names a compaction.

    From `TypeSafe` of compaction; the types of the variables say the rest. Proved by induction, and with it
    that no step is out of bounds.
    """
    sent = now.messages.places

    def holds_sent_messages(ledger):
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


@invariant(
    PulsarCompaction,
    known=[
        holds(max_crash_times=0, retain_null_key=...),
        violated(11, max_crash_times=1, retain_null_key=...),
        violated(8, max_crash_times=at_least(2), retain_null_key=...),
        violated(9, max_crash_times=2, model_producer=True),
        holds(compaction_times_limit=2, max_crash_times=(0, 1, 2, 3)),
    ],
)
def compacted_ledger_leak(protocol, now):
    """There are never more than two compacted ledgers: the topic's and the one before or after it.

    From `CompactedLedgerLeak` of compaction, whose author says that the bug is not fixed yet: a ledger that
    is written before a crash is forgotten. Fails if there is a crash, and 3 ledgers to write.
    """
    return protocol.written_ledgers(now).size <= 2


@invariant(
    PulsarCompaction,
    known=[
        holds(max_crash_times=(0, 1, 3), retain_null_key=...),
        holds(message_sent_limit=2, compaction_times_limit=2, keys=1, values=1, model_producer=True),
    ],
)
def compaction_horizon_correctness(protocol, now):
    """Each message up to the horizon is in the topic's ledger, or a later message of its key is.

    A message without a key needs to be there only if such messages are kept. From
    `CompactionHorizonCorrectness` of compaction. Holds in all states searched.
    """
    ledger = now.compacted_ledgers[now.compacted_topic_context].value

    def is_available(i):
        key = now.messages[i].key
        later = exists(ledger, lambda j: all_of(now.messages[j].key == key, j >= i))
        return later if protocol.retain_null_key else implies(key.is_some, later)

    return forall(int_range(1, now.compaction_horizon), is_available)


@invariant(
    PulsarCompaction,
    known=[
        violated(3, **ANY_SIZE),
        violated(4, model_producer=True, **ANY_SIZE),
        holds(retain_null_key=False, model_producer=..., **ANY_SIZE),
    ],
)
def duplicate_null_key_message(protocol, now):
    """No message without a key is both in the topic's ledger and past the horizon, to be consumed twice.

    From `DuplicateNullKeyMessage` of compaction, whose author says that the bug is not fixed yet. Fails
    between the updates of context and horizon, at any size; holds if messages without a key are not kept.
    """
    ledger = now.compacted_ledgers[now.compacted_topic_context].value
    return implies(
        all_of(protocol.retain_null_key, now.compacted_topic_context != 0),
        forall(ledger, lambda i: implies(now.messages[i].key.is_none, i <= now.compaction_horizon)),
    )


# -- liveness ---------------------------------------------------------------------------------------------


@temporal(PulsarCompaction, known=[violated(0), holds(fairness="weak-next")])
def termination(protocol, now):
    """All messages are eventually sent and compacted, until no ledger id is left.

    From `Termination` of module compaction. It fails as published, where nothing is fair and a run may stop at
    once; and with a consumer that must consume, which the module does not model.
    """
    return eventually(protocol.has_terminated(now))


# -- strengthenings for proofs ----------------------------------------------------------------------------


@strengthening(PulsarCompaction)
def phase_two_has_result(protocol, now):
    """There is a result of phase one if and only if that is over."""
    return now.phase_one_result.is_some == (now.compactor_state != PHASE_ONE)


@strengthening(PulsarCompaction)
def written_before_used(protocol, now):
    """After phase two's first step there is a ledger. Context and horizon are set before the cursor is."""
    phase = now.compactor_state
    persists = any_of(phase == PHASE_TWO_PERSIST_CUSROR, phase == PHASE_TWO_DELETE_LEDGER)
    has_context = any_of(phase == PHASE_TWO_UPDATE_HORIZON, persists)
    return all_of(
        implies((phase != PHASE_ONE) & (phase != PHASE_TWO_WRITE), ~protocol.written_ledgers(now).is_empty),
        implies(has_context, now.compacted_topic_context >= 1),
        implies(persists, now.compaction_horizon >= 1),
    )
