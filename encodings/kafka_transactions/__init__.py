"""Kafka's transactions: producer ids, the coordinators that hand them out, and the log that these write.

Source: the TLA+ module kafka_transactions_for_web by Jack Vanlightly ("Throwaway Kafka txns for TLA web", a
gist of 2024). Variables and actions have the names of the module.
"""

from leadline.encodings.kafka_transactions.protocol import KafkaTransactions

__all__ = ["KafkaTransactions"]
