"""Words for what the inductive proofs of Kafka's transactions speak of."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any

from leadline.encodings.kafka_transactions import KafkaTransactions
from leadline.encodings.kafka_transactions.cluster import MENDED_BECOME_LEADER
from leadline.symbolic.lang import (
    BoolExpr,
    State,
    all_of,
    any_of,
    exists,
    forall,
    implies,
    int_range,
    number_where,
)

OUTSTANDING = (
    "InitPidRequest",
    "InitPidResponse",
    "AddPartitionsToTxnRequest",
    "AddPartitionsToTxnResponse",
)
TO_ADD = OUTSTANDING[2:]
USED_STATES = ("Empty", "Ongoing", "PrepareAbort", "CompleteAbort")


def counted(protocol: KafkaTransactions) -> bool:
    """Whether the counts below are right at the parameters."""
    keeps = protocol.log_partitions == 1 or protocol.variant == MENDED_BECOME_LEADER
    return protocol.max_coordinator_changes <= 1 and keeps


def client_of(m: Any, kind: str) -> Any:
    """The client that a message of a kind is from or to."""
    fields = m.as_a(kind)
    return fields.source if kind.endswith("Request") else fields.dest


def concerns(m: Any, client: Any, *kinds: str) -> BoolExpr:
    """Whether a message of one of the kinds is from or to a client."""
    return any_of(*(all_of(m.is_a(kind), client_of(m, kind) == client) for kind in kinds))


def granted(m: Any, client: Any, kind: str) -> BoolExpr:
    """Whether a message is a response to a client, of that kind, which grants what was asked for."""
    return all_of(m.is_a(kind), m.as_a(kind).dest == client, m.as_a(kind).answer.is_a("OK"))


def is_granted(now: State, client: Any, kind: str) -> BoolExpr:
    """Whether such a response is on its way."""
    return exists(now.messages, lambda m: granted(m, client, kind))


def leads(now: State, broker: Any, partition: Any) -> BoolExpr:
    """Whether a broker believes that it leads a log partition."""
    believed: BoolExpr = now.tc_log_metadata[broker][partition].leader == broker
    return believed


def uncommitted(now: State, broker: Any, partition: Any) -> Any:
    """The offsets of the entries of a broker's log above the high watermark."""
    return int_range(now.tc_log_hwm[partition] + 1, now.tc_log[broker][partition].length)


def awaits(now: State, broker: Any, partition: Any, client: Any) -> BoolExpr:
    """Whether a client waits for an entry that a broker which believes to lead has not committed."""

    def one(offset: Any) -> BoolExpr:
        callback = now.tc_log[broker][partition][offset].callback
        return all_of(callback.is_some, callback.value.client == client)

    return all_of(leads(now, broker, partition), exists(uncommitted(now, broker, partition), one))


def is_unserved(now: State, client: Any) -> BoolExpr:
    """Whether a client neither has a producer id nor is about to be told one."""
    state = now.client[client].state
    asks = any_of(state == "Ready", state == "SentInitPidRequest")
    return all_of(asks, ~is_granted(now, client, "InitPidResponse"))


def unserved(protocol: KafkaTransactions, now: State, tid: Any) -> Any:
    """How many such clients may still ask with a transaction id."""

    def may_ask(client: Any) -> BoolExpr:
        own = now.client[client].tid
        return all_of(is_unserved(now, client), any_of(own.is_none, own == tid))

    return number_where(protocol.Client, may_ask)


def aborts(metadata: Any) -> BoolExpr:
    """Whether a transaction is being aborted, or has been and nobody has a newer epoch."""
    return any_of(metadata.state == "PrepareAbort", metadata.state == "CompleteAbort")


def total(numbers: Iterable[Any]) -> Any:
    """The sum of some numbers, at least one."""
    return functools.reduce(operator.add, numbers)


def each_leader(protocol: KafkaTransactions, now: State, holds: Any) -> BoolExpr:
    """Whether something holds of every broker with every transaction id that it believes to coordinate."""
    return forall(
        protocol.Broker,
        lambda b: forall(protocol.Tid, lambda tid: implies(protocol.leads(now, b, tid), holds(b, tid))),
    )


def each_log(protocol: KafkaTransactions, holds: Any) -> BoolExpr:
    """Whether something holds of every broker's log of every partition."""
    return forall(protocol.Broker, lambda b: forall(protocol.LogPartition, lambda p: holds(b, p)))
