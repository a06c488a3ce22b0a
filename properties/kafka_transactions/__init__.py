"""What is claimed of Kafka's transactions, and what the inductive proofs of it need."""

from leadline.properties.kafka_transactions.counts import (
    clients_are_not_ahead,
    entries_are_counted,
    epochs_are_counted,
    producer_ids_are_counted,
    who_had_it_aborted_asks_again,
)
from leadline.properties.kafka_transactions.invariants import (
    no_bad_state_response,
    no_epoch_fence_abort,
    no_invalid_producer_id_mapping,
    no_producer_fenced,
    no_terminated,
    type_ok,
)
from leadline.properties.kafka_transactions.strengthenings import (
    clients_know,
    entries_follow_metadata,
    known_states,
    leaders_and_epochs,
    logs_end_near_the_watermark,
    messages_fit,
    one_thing_outstanding,
    only_leaders_have_pending,
)

__all__ = [
    "clients_are_not_ahead",
    "clients_know",
    "entries_are_counted",
    "entries_follow_metadata",
    "epochs_are_counted",
    "known_states",
    "leaders_and_epochs",
    "logs_end_near_the_watermark",
    "messages_fit",
    "no_bad_state_response",
    "no_epoch_fence_abort",
    "no_invalid_producer_id_mapping",
    "no_producer_fenced",
    "no_terminated",
    "one_thing_outstanding",
    "only_leaders_have_pending",
    "producer_ids_are_counted",
    "type_ok",
    "who_had_it_aborted_asks_again",
]
