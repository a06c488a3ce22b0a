"""TLC's names of modules, constants and properties, and ours."""

from typing import Any

MODULES: dict[str, tuple[str, dict[str, Any]]] = {
    "KafkaTruncateToHighWatermark": ("kafka-replication", {"variant": "truncate-to-high-watermark"}),
    "Kip101": ("kafka-replication", {"variant": "kip-101"}),
    "Kip279": ("kafka-replication", {"variant": "kip-279"}),
    "Kip320FirstTry": ("kafka-replication", {"variant": "kip-320-first-try"}),
    "Kip320": ("kafka-replication", {"variant": "kip-320"}),
    "TPC": ("two-phase-commit", {"variant": "crashing-managers"}),
    "TPCBTM": ("two-phase-commit", {"variant": "backup-manager"}),
    "kafka_transactions_for_web": ("kafka-transactions", {"variant": "as-published"}),
    "compaction": ("pulsar-compaction", {}),
    "DisjointLeases": ("spanner-leases", {}),
    "TxTest": ("spanner-transactions", {}),
}
"""A module's protocol, and what the module settles of its parameters."""

CONSTANTS = {
    "Replicas": "replicas",
    "LogSize": "log_size",
    "MaxRecords": "max_records",
    "MaxLeaderEpoch": "max_leader_epoch",
    "RM": "resource_managers",
    "RMMAYFAIL": "rm_may_fail",
    "TMMAYFAIL": "tm_may_fail",
    "SPONTANEOUS": None,
    "defaultInitValue": None,
    "TxnLogPartitions": "log_partitions",
    "TopicPartitions": "topic_partitions",
    "Brokers": "brokers",
    "Clients": "clients",
    "TransactionIds": "transaction_ids",
    "MaxCoordinatorChanges": "max_coordinator_changes",
    "MessageSentLimit": "message_sent_limit",
    "CompactionTimesLimit": "compaction_times_limit",
    "KeySpace": "keys",
    "ValueSpace": "values",
    "RetainNullKey": "retain_null_key",
    "MaxCrashTimes": "max_crash_times",
    "ModelProducer": "model_producer",
    "ModelConsumer": "model_consumer",
    "ConsumeTimesLimit": "consume_times_limit",
    "Replica": "replicas",
    "LeaderInterval": "leader_interval",
    "TTInitAbs": "tt_init_abs",
    "TTMaxSi": "tt_max_si",
    "TTInterval": "tt_interval",
    "TxDefs": "transactions",
}
"""A constant's parameter; None where the encoding has the value that TLC was given built in."""

PROPERTIES = {
    "TypeOk": "type-ok",
    "TypeOK": "type-ok",
    "WeakIsr": "weak-isr",
    "StrongIsr": "strong-isr",
    "LeaderInIsr": "leader-in-isr",
    "Consistency": "consistency",
    "NotCommitted": "not-committed",
    "NoBadStateResponse": "no-bad-state-response",
    "NoProducerFenced": "no-producer-fenced",
    "NoEpochFenceAbort": "no-epoch-fence-abort",
    "NoTerminated": "no-terminated",
    "TypeSafe": "type-safe",
    "CompactedLedgerLeak": "compacted-ledger-leak",
    "CompactionHorizonCorrectness": "compaction-horizon-correctness",
    "DuplicateNullKeyMessage": "duplicate-null-key-message",
    "Disjointness": "disjointness",
    "StrictSerializability": "strict-serializability",
}
