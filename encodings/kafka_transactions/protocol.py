"""Kafka's transactions: clients and coordinators together."""

from __future__ import annotations

from leadline.encodings.kafka_transactions.clients import Clients
from leadline.encodings.kafka_transactions.coordinators import Coordinators


class KafkaTransactions(Clients, Coordinators):
    """Clients get producer ids and add partitions to transactions, which coordinators log.

    The broker that leads a transaction id's log partition coordinates it, and may change at any time. Clients
    that share a transaction id fence each other: a later one gets a higher producer epoch, and an ongoing
    transaction of an earlier one is aborted first. No transaction is ever committed, for which the source has
    no request yet. Clients rest in the end, so deadlocks say nothing here.

    Variants:

    - as-published: a broker that becomes leader of a log partition forgets the transaction ids of the others.
    - mended-become-leader: it keeps them. The two differ with two or more log partitions only.

    Producer ids, producer epochs and the log are unbounded in the source. Their bounds here follow from the
    other parameters; where one is too small, the outcome is out of bounds.
    """
