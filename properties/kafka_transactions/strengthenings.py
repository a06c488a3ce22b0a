"""Who waits for what: what clients, messages, leaders and logs have to do with each other."""

from __future__ import annotations

from typing import Any

from leadline.encodings.kafka_transactions import KafkaTransactions
from leadline.properties.kafka_transactions.words import (
    OUTSTANDING,
    TO_ADD,
    USED_STATES,
    awaits,
    concerns,
    counted,
    each_log,
    granted,
    leads,
    total,
    uncommitted,
)
from leadline.symbolic.lang import (
    BoolExpr,
    State,
    all_of,
    any_of,
    case,
    exists,
    forall,
    implies,
    ite,
    number_where,
    of,
    set_of,
    strengthening,
)


@strengthening(KafkaTransactions)
def known_states(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """Nothing commits a transaction, and each entry but the completion of an abort has a client waiting.

    Entries are in the log partition of their transaction id, and what is new has had no transaction.
    """

    def entry(b: Any, p: Any, offset: Any) -> BoolExpr:
        one = now.tc_log[b][p][offset]
        completes = one.transition.state == "CompleteAbort"
        used = protocol.is_in(one.transition.state, *USED_STATES)
        return all_of(used, one.callback.is_some == ~completes, protocol.partition_for(one.tid) == p)

    def known(metadata: Any) -> BoolExpr:
        used = protocol.is_in(metadata.value.state, *USED_STATES)
        is_new = metadata.value.pepoch == -1
        return implies(metadata.is_some, used & implies(is_new, metadata.value.state == "Empty"))

    entries = each_log(
        protocol,
        lambda b, p: forall(now.tc_log[b][p].places, lambda offset: entry(b, p, offset)),
    )
    kept = forall(
        protocol.Broker,
        lambda b: forall(protocol.Tid, lambda tid: known(now.tc_tid_metadata[b][tid])),
    )
    return all_of(entries, kept)


@strengthening(KafkaTransactions)
def clients_know(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """A client that has asked has a transaction id; one with a producer id has an epoch and a coordinator."""

    def one(c: Any) -> BoolExpr:
        client = now.client[c]
        has_pid = any_of(client.state == "HasPid", client.state == "BegunTxn")
        knows = all_of(client.tid.is_some, client.pid.is_some, client.epoch.is_some, client.tc.is_some)
        adds = ~client.pending_partitions.is_empty
        return all_of(
            implies(client.state == "SentInitPidRequest", client.tid.is_some),
            implies(has_pid, knows),
            implies(adds, client.state == "BegunTxn"),
            (client.pending_partitions & client.partitions).is_empty,
        )

    return forall(protocol.Client, one)


@strengthening(KafkaTransactions, when=counted)
def messages_fit(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """Who is asked or answered still waits for that, and what is granted holds what was asked for."""

    def one(m: Any, c: Any) -> BoolExpr:
        client = now.client[c]
        request, response = (m.as_a(kind) for kind in TO_ADD)
        adds = all_of(client.state == "BegunTxn", ~client.pending_partitions.is_empty)
        asked = all_of(m.is_a(TO_ADD[0]), request.source == c)
        return all_of(
            implies(concerns(m, c, *OUTSTANDING[:2]), client.state == "SentInitPidRequest"),
            implies(concerns(m, c, *TO_ADD), adds),
            implies(asked, client.pending_partitions == set_of(request.partition)),
            implies(
                granted(m, c, TO_ADD[1]),
                client.pending_partitions <= response.answer.as_a("OK").partitions,
            ),
        )

    return forall(now.messages, lambda m: forall(protocol.Client, lambda c: one(m, c)))


@strengthening(KafkaTransactions)
def leaders_and_epochs(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """Each epoch of a partition is a change of coordinators; who knows of the last one knows its leader."""

    def known(b: Any, p: Any) -> BoolExpr:
        metadata, leader = now.tc_log_metadata[b][p], now.txn_log_leader[p]
        return all_of(
            metadata.cepoch <= now.txn_log_epoch[p],
            implies(metadata.cepoch == now.txn_log_epoch[p], metadata.leader == leader),
            implies(b == leader, metadata.cepoch == now.txn_log_epoch[p]),
        )

    partitions = [of(protocol.LogPartition, name) for name in protocol.LogPartition.members]
    changes = total(now.txn_log_epoch[p] - 1 for p in partitions)
    return all_of(changes == now.aux_coord_ctr, each_log(protocol, known))


@strengthening(KafkaTransactions)
def only_leaders_have_pending(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """A transition is pending only at a broker that believes to coordinate the transaction id."""
    return forall(
        protocol.Broker,
        lambda b: forall(
            protocol.Tid, lambda tid: implies(now.tc_tid_transition[b][tid], protocol.leads(now, b, tid))
        ),
    )


@strengthening(KafkaTransactions, when=counted)
def logs_end_near_the_watermark(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """Who believes to lead has an uncommitted entry for each pending transition, and no other.

    Others have none, but a follower that knows of the change may have copied some, which it will get again:
    one at most for each transaction id that anything was logged for.
    """

    def logged(p: Any, tid: Any) -> BoolExpr:
        leader = now.txn_log_leader[p]
        known = now.tc_tid_metadata[leader][tid]
        some = any_of(now.tc_tid_transition[leader][tid], known.is_some & (known.value.pepoch >= 0))
        return all_of(protocol.partition_for(tid) == p, some)

    def one(b: Any, p: Any) -> BoolExpr:
        log = now.tc_log[b][p]
        ends = log.length - now.tc_log_hwm[p]
        pending = number_where(
            protocol.Tid, lambda tid: (protocol.partition_for(tid) == p) & now.tc_tid_transition[b][tid]
        )
        distinct = forall(uncommitted(now, b, p), lambda x, y: implies(x < y, log[x].tid != log[y].tid))
        knows = now.tc_log_metadata[b][p].cepoch == now.txn_log_epoch[p]
        most = number_where(protocol.Tid, lambda tid: logged(p, tid))
        copied = ite(knows & (now.txn_log_epoch[p] > 1), most, 0)
        exact, about = distinct & (ends == pending), (ends >= 0) & (ends <= copied)
        fits: BoolExpr = ite(leads(now, b, p), exact, about)
        return fits

    return each_log(protocol, one)


@strengthening(KafkaTransactions, when=counted)
def entries_follow_metadata(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """An entry that is not committed follows from what its broker knows, and its client waits for it."""

    def one(b: Any, p: Any, offset: Any) -> BoolExpr:
        entry = now.tc_log[b][p][offset]
        new, known = entry.transition, now.tc_tid_metadata[b][entry.tid]
        old, caller = known.value, entry.callback.value
        client = now.client[caller.client]
        is_next = new.pepoch == old.pepoch + 1
        asks = all_of(client.state == "SentInitPidRequest", client.tid == entry.tid)
        adds = all_of(
            client.state == "BegunTxn",
            client.tid == entry.tid,
            client.epoch == new.pepoch,
            ~client.pending_partitions.is_empty,
            client.pending_partitions <= new.partitions,
        )
        same = new.pepoch == old.pepoch
        can_add = any_of(old.state == "Empty", old.state == "Ongoing")
        can_renew = any_of(old.state == "Empty", old.state == "CompleteAbort")
        return all_of(
            known.is_some,
            now.tc_tid_transition[b][entry.tid],
            new.pid == old.pid,
            case(
                (new.state == "Empty", all_of(is_next, can_renew, asks)),
                (new.state == "PrepareAbort", all_of(is_next, old.state == "Ongoing", asks)),
                (new.state == "Ongoing", all_of(same, can_add, adds)),
                otherwise=all_of(same, old.state == "PrepareAbort"),
            ),
        )

    return each_log(
        protocol,
        lambda b, p: implies(
            leads(now, b, p), forall(uncommitted(now, b, p), lambda offset: one(b, p, offset))
        ),
    )


@strengthening(KafkaTransactions, when=counted)
def one_thing_outstanding(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """A client waits for one message or entry at most, and for none unless it has asked."""

    def one(c: Any) -> BoolExpr:
        messages = now.messages.filter(lambda m: concerns(m, c, *OUTSTANDING)).size
        entries = number_where(
            protocol.Broker, lambda b: exists(protocol.LogPartition, lambda p: awaits(now, b, p, c))
        )
        return BoolExpr((messages + entries <= 1).node)

    return forall(protocol.Client, one)
