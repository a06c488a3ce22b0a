"""Kafka's replication of one partition, in the five forms that its designers checked.

Source: the TLA+ modules of hachikuji/kafka-specification: KafkaReplication, which all forms share, and
KafkaTruncateToHighWatermark, Kip101, Kip279, Kip320FirstTry and Kip320, a form each. Variables and actions
have the names of the modules.
"""

from leadline.encodings.kafka_replication.variants import KafkaReplication

__all__ = ["KafkaReplication"]
