"""Why nothing outgrows its bounds: what clients can still ask for is counted.

The bounds of producer ids, epochs and logs follow from these counts. They are stated where they hold: with at
most one change of a coordinator, beyond which leaders replay entries that they have twice, and where no
broker forgets what it has logged, as it does as published with several log partitions.
"""

from __future__ import annotations

from typing import Any

from leadline.encodings.kafka_transactions import KafkaTransactions
from leadline.properties.kafka_transactions.words import (
    aborts,
    counted,
    each_leader,
    each_log,
    granted,
    is_granted,
    is_unserved,
    leads,
    total,
    unserved,
)
from leadline.symbolic.lang import (
    BoolExpr,
    State,
    Tuple,
    all_of,
    any_of,
    case,
    exists,
    forall,
    implies,
    ite,
    number_where,
    of,
    strengthening,
)


@strengthening(KafkaTransactions, when=counted)
def clients_are_not_ahead(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """No client has a later epoch than its coordinator knows, and one that is aborted an earlier one."""

    def behind(epoch: Any, known: Any) -> BoolExpr:
        last = known.value.pepoch
        return all_of(known.is_some, ite(aborts(known.value), epoch < last, epoch <= last))

    def one(c: Any, b: Any, tid: Any) -> BoolExpr:
        client, known = now.client[c], now.tc_tid_metadata[b][tid]
        has_pid = any_of(client.state == "HasPid", client.state == "BegunTxn")
        told = forall(
            now.messages,
            lambda m: implies(
                granted(m, c, "InitPidResponse"),
                behind(m.as_a("InitPidResponse").answer.as_a("OK").pepoch, known),
            ),
        )
        return implies(client.tid == tid, all_of(implies(has_pid, behind(client.epoch.value, known)), told))

    return each_leader(protocol, now, lambda b, tid: forall(protocol.Client, lambda c: one(c, b, tid)))


@strengthening(KafkaTransactions, when=counted)
def who_had_it_aborted_asks_again(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """While a transaction is aborted, or is and nobody has a newer epoch, some client still wants one."""

    def one(b: Any, tid: Any) -> BoolExpr:
        known = now.tc_tid_metadata[b][tid]
        asks = exists(protocol.Client, lambda c: is_unserved(now, c) & (now.client[c].tid == tid))
        return implies(all_of(known.is_some, aborts(known.value)), asks)

    return each_leader(protocol, now, one)


@strengthening(KafkaTransactions, when=counted)
def producer_ids_are_counted(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """Each coordinator of a transaction id, the first or by a change, makes up one producer id at most."""

    def lacks(b: Any) -> Any:
        return number_where(
            protocol.Tid, lambda tid: protocol.leads(now, b, tid) & now.tc_tid_metadata[b][tid].is_none
        )

    brokers = [of(protocol.Broker, name) for name in protocol.Broker.members]
    most = protocol.transaction_ids * (now.aux_coord_ctr + 1) - total(map(lacks, brokers))

    def one(b: Any, tid: Any) -> BoolExpr:
        known = now.tc_tid_metadata[b][tid]
        return implies(known.is_some, known.value.pid <= most)

    return all_of(now.pid_source <= most, each_leader(protocol, now, one))


@strengthening(KafkaTransactions, when=counted)
def epochs_are_counted(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """Each client that is still to get an epoch needs two: one to abort a transaction, and its own.

    The first needs one, and so does one for whom a transaction is aborted already.
    """

    def one(b: Any, tid: Any) -> BoolExpr:
        known = now.tc_tid_metadata[b][tid]
        spent = ite(aborts(known.value), known.value.pepoch - 1, known.value.pepoch)
        first = known.value.pepoch == -1
        most = ite(first, 2 * protocol.clients - 1, 2 * protocol.clients - 2)
        return implies(known.is_some, spent + 2 * unserved(protocol, now, tid) <= most)

    return each_leader(protocol, now, one)


@strengthening(KafkaTransactions, when=counted)
def entries_are_counted(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """Each client that is still to get an epoch needs three entries, two of them to abort a transaction.

    Each client needs one more for every partition that it is still to add.
    """

    def is_to_add(c: Any, topic_partition: Any) -> BoolExpr:
        client = now.client[c]
        is_told = is_granted(now, c, "AddPartitionsToTxnResponse")
        has = client.partitions.has(topic_partition)
        gets = all_of(client.pending_partitions.has(topic_partition), is_told)
        return all_of(client.state != "Terminated", ~has, ~gets)

    def saved(b: Any, tid: Any) -> Any:
        known = now.tc_tid_metadata[b][tid]
        return case(
            (known.is_none, 2),
            (known.value.pepoch == -1, 2),
            (known.value.state == "CompleteAbort", 2),
            (known.value.state == "PrepareAbort", 1),
            otherwise=0,
        )

    tids = [of(protocol.Tid, name) for name in protocol.Tid.members]
    pairs = Tuple((protocol.Client, protocol.TopicPartition))
    to_add = number_where(pairs, lambda pair: is_to_add(pair[0], pair[1]))
    to_come = 3 * number_where(protocol.Client, lambda c: is_unserved(now, c)) + to_add
    most = protocol.clients * (3 + protocol.topic_partitions)

    def one(b: Any, p: Any) -> BoolExpr:
        spent = total(ite(protocol.partition_for(tid) == p, 2 - saved(b, tid), 0) for tid in tids)
        return implies(leads(now, b, p), now.tc_log_hwm[p] + to_come + spent <= most)

    return each_log(protocol, one)
