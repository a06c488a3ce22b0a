"""Counts of the requests that clients can still make; they bound producer ids, epochs and logs.

The counts are true with at most one change of a coordinator, after which leaders replay entries that they
have twice, and if no broker forgets its transaction ids, as it does as published with several log partitions.
The functions at the top are the terms of these and the other strengthenings.
"""

import functools
import operator

from leadline.encodings.kafka_transactions import MENDED_BECOME_LEADER, KafkaTransactions
from leadline.symbolic.lang import (
    Tuple,
    all_of,
    any_of,
    case,
    exists,
    forall,
    implies,
    int_range,
    ite,
    number_where,
    of,
    strengthening,
)

OUTSTANDING = ("InitPidRequest", "InitPidResponse", "AddPartitionsToTxnRequest", "AddPartitionsToTxnResponse")
TO_ADD = OUTSTANDING[2:]
USED_STATES = ("Empty", "Ongoing", "PrepareAbort", "CompleteAbort")


def counted(protocol):
    """Whether the counts below are true at the parameters."""
    keeps = protocol.log_partitions == 1 or protocol.variant == MENDED_BECOME_LEADER
    return protocol.max_coordinator_changes <= 1 and keeps


def client_of(m, kind):
    """The client that a message of a kind is from or to."""
    fields = m.as_a(kind)
    return fields.source if kind.endswith("Request") else fields.dest


def concerns(m, client, *kinds):
    """Whether a message of one of the kinds is from or to a client."""
    return any_of(*(all_of(m.is_a(kind), client_of(m, kind) == client) for kind in kinds))


def granted(m, client, kind):
    """Whether a message is a response of that kind that grants the client's request."""
    return all_of(m.is_a(kind), m.as_a(kind).dest == client, m.as_a(kind).answer.is_a("OK"))


def is_granted(now, client, kind):
    """Whether such a response is on its way."""
    return exists(now.messages, lambda m: granted(m, client, kind))


def leads(now, broker, partition):
    """Whether a broker believes that it leads a log partition."""
    return now.tc_log_metadata[broker][partition].leader == broker


def uncommitted(now, broker, partition):
    """The offsets of the entries of a broker's log above the high watermark."""
    return int_range(now.tc_log_hwm[partition] + 1, now.tc_log[broker][partition].length)


def awaits(now, broker, partition, client):
    """Whether a client waits for an entry that a broker which believes that it leads has not committed."""

    def one(offset):
        callback = now.tc_log[broker][partition][offset].callback
        return all_of(callback.is_some, callback.value.client == client)

    return all_of(leads(now, broker, partition), exists(uncommitted(now, broker, partition), one))


def is_unserved(now, client):
    """Whether a client neither has a producer id nor a response with one on its way."""
    state = now.client[client].state
    asks = any_of(state == "Ready", state == "SentInitPidRequest")
    return all_of(asks, ~is_granted(now, client, "InitPidResponse"))


def unserved(protocol, now, tid):
    """The number of such clients that may still ask with a transaction id."""

    def may_ask(client):
        own = now.client[client].tid
        return all_of(is_unserved(now, client), any_of(own.is_none, own == tid))

    return number_where(protocol.Client, may_ask)


def aborts(metadata):
    """Whether a transaction is being aborted, or was and no client has a newer epoch."""
    return any_of(metadata.state == "PrepareAbort", metadata.state == "CompleteAbort")


def total(numbers):
    """The sum of some numbers, at least one."""
    return functools.reduce(operator.add, numbers)


def each_leader(protocol, now, holds):
    """Whether something holds of every broker and transaction id that it believes it coordinates."""
    return forall(
        protocol.Broker,
        lambda b: forall(protocol.Tid, lambda tid: implies(protocol.leads(now, b, tid), holds(b, tid))),
    )


def each_log(protocol, holds):
    """Whether something holds of every broker's log of every partition."""
    return forall(protocol.Broker, lambda b: forall(protocol.LogPartition, lambda p: holds(b, p)))


@strengthening(KafkaTransactions, when=counted)
def clients_are_not_ahead(protocol, now):
    """A client's epoch is not later than its coordinator's, and earlier if its transaction is aborted."""

    def behind(epoch, known):
        last = known.value.pepoch
        return all_of(known.is_some, ite(aborts(known.value), epoch < last, epoch <= last))

    def one(c, b, tid):
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


@strengthening(KafkaTransactions, of="no-invalid-producer-id-mapping", when=counted)
def producer_ids_are_the_coordinators(protocol, now):
    """A client's producer id, or one on its way to it, is the one that its coordinator knows."""

    def one(c, b, tid):
        client, known = now.client[c], now.tc_tid_metadata[b][tid]
        has_pid = any_of(client.state == "HasPid", client.state == "BegunTxn")
        same = implies(has_pid, client.pid.value == known.value.pid)
        told = forall(
            now.messages,
            lambda m: implies(
                granted(m, c, "InitPidResponse"),
                m.as_a("InitPidResponse").answer.as_a("OK").pid == known.value.pid,
            ),
        )
        return implies(client.tid == tid, all_of(same, told))

    return each_leader(protocol, now, lambda b, tid: forall(protocol.Client, lambda c: one(c, b, tid)))


@strengthening(KafkaTransactions, when=counted)
def who_had_it_aborted_asks_again(protocol, now):
    """While a transaction is being aborted, or was and no client has a newer epoch, a client wants one."""

    def one(b, tid):
        known = now.tc_tid_metadata[b][tid]
        asks = exists(protocol.Client, lambda c: is_unserved(now, c) & (now.client[c].tid == tid))
        return implies(all_of(known.is_some, aborts(known.value)), asks)

    return each_leader(protocol, now, one)


@strengthening(KafkaTransactions, when=counted)
def producer_ids_are_counted(protocol, now):
    """Each coordinator of a transaction id, the first or a later one, makes at most one producer id."""

    def lacks(b):
        return number_where(
            protocol.Tid, lambda tid: protocol.leads(now, b, tid) & now.tc_tid_metadata[b][tid].is_none
        )

    brokers = [of(protocol.Broker, name) for name in protocol.Broker.members]
    most = protocol.transaction_ids * (now.aux_coord_ctr + 1) - total(map(lacks, brokers))

    def one(b, tid):
        known = now.tc_tid_metadata[b][tid]
        return implies(known.is_some, known.value.pid <= most)

    return all_of(now.pid_source <= most, each_leader(protocol, now, one))


@strengthening(KafkaTransactions, when=counted)
def epochs_are_counted(protocol, now):
    """Each client without an epoch still takes two: one to abort a transaction, and its own.

    The first client takes one, and so does one for which a transaction is aborted already.
    """

    def one(b, tid):
        known = now.tc_tid_metadata[b][tid]
        spent = ite(aborts(known.value), known.value.pepoch - 1, known.value.pepoch)
        first = known.value.pepoch == -1
        most = ite(first, 2 * protocol.clients - 1, 2 * protocol.clients - 2)
        return implies(known.is_some, spent + 2 * unserved(protocol, now, tid) <= most)

    return each_leader(protocol, now, one)


@strengthening(KafkaTransactions, when=counted)
def entries_are_counted(protocol, now):
    """Each client without an epoch still takes three entries, two of them to abort a transaction.

    Each client takes one more for every partition that it has not added.
    """

    def is_to_add(c, topic_partition):
        client = now.client[c]
        is_told = is_granted(now, c, "AddPartitionsToTxnResponse")
        has = client.partitions.has(topic_partition)
        gets = all_of(client.pending_partitions.has(topic_partition), is_told)
        return all_of(client.state != "Terminated", ~has, ~gets)

    def saved(b, tid):
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

    def one(b, p):
        spent = total(ite(protocol.partition_for(tid) == p, 2 - saved(b, tid), 0) for tid in tids)
        return implies(leads(now, b, p), now.tc_log_hwm[p] + to_come + spent <= most)

    return each_log(protocol, one)
