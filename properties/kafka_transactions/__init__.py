"""Properties of Kafka's transactions: the invariants of module kafka_transactions_for_web, and more.

Lengths are in steps; TLC finds the same where the module has the property.
"""

from leadline.encodings.kafka_transactions import MENDED_BECOME_LEADER, KafkaTransactions
from leadline.properties.kafka_transactions.counts import (
    OUTSTANDING,
    TO_ADD,
    USED_STATES,
    awaits,
    clients_are_not_ahead,
    concerns,
    counted,
    each_log,
    entries_are_counted,
    epochs_are_counted,
    granted,
    leads,
    producer_ids_are_counted,
    producer_ids_are_the_coordinators,
    total,
    uncommitted,
    who_had_it_aborted_asks_again,
)
from leadline.symbolic.lang import (
    all_of,
    always,
    any_of,
    at_most,
    case,
    eventually,
    exists,
    forall,
    holds,
    implies,
    invariant,
    ite,
    number_where,
    of,
    probe,
    proved,
    set_of,
    strengthening,
    temporal,
    violated,
)

# The catalog takes the claims that it finds here.
__all__ = [
    "clients_are_not_ahead",
    "entries_are_counted",
    "epochs_are_counted",
    "producer_ids_are_counted",
    "producer_ids_are_the_coordinators",
    "who_had_it_aborted_asks_again",
]

INIT_PID_ERRORS = ("ConcurrentTransactions", "NotCoordinator")
ADD_PARTITIONS_ERRORS = (*INIT_PID_ERRORS, "ProducerFenced", "InvalidProducerIdMapping")


@invariant(
    KafkaTransactions,
    known=[
        proved(variant=..., max_coordinator_changes=(0, 1)),
        proved(variant=..., clients=1, max_coordinator_changes=(0, 1)),
        proved(variant=..., brokers=1),
        proved(brokers=3),
        proved(clients=3),
        proved(topic_partitions=2, transaction_ids=(1, 2)),
        proved(variant=MENDED_BECOME_LEADER, transaction_ids=2, log_partitions=2),
    ],
    tla="TypeOK",
)
def type_ok(protocol, now):
    """Each kind of response tells only errors of its own.

    From `TypeOK` of the module; the types of messages say the rest. Proved by induction, and with it that no
    step is out of bounds, with at most one change of a coordinator. With several log partitions only the
    mended variant is proved.
    """
    no_other_init_pid = _no_response(protocol, now, "InitPidResponse", *_others(protocol, INIT_PID_ERRORS))
    return no_other_init_pid & _no_response(
        protocol, now, "AddPartitionsToTxnResponse", *_others(protocol, ADD_PARTITIONS_ERRORS)
    )


@invariant(KafkaTransactions, known=[proved(variant=..., max_coordinator_changes=(0, 1)), proved(clients=3)])
def no_bad_state_response(protocol, now):
    """No client that wants a producer id is told of an illegal state or an invalid transition.

    From `NoBadStateResponse` of the module. Proved by induction.
    """
    return _no_response(protocol, now, "InitPidResponse", "IllegalState", "InvalidTransition")


@invariant(
    KafkaTransactions,
    known=[
        violated(7, clients=(1, 2), transaction_ids=(1, 2), log_partitions=2),
        proved(variant=..., clients=(1, 2)),
        proved(clients=3),
        proved(variant=..., clients=1, transaction_ids=2),
        proved(variant=MENDED_BECOME_LEADER, clients=(1, 2), transaction_ids=(1, 2), log_partitions=2),
    ],
)
def no_invalid_producer_id_mapping(protocol, now):
    """No producer is told that its transaction id's coordinator has never heard of it.

    Not in the module: it tells the variants apart. As published it fails with 2 log partitions: a broker that
    leads one forgets its transaction ids when it becomes leader of the other. It is proved by induction if
    mended, and with a single log partition.
    """
    return _no_response(protocol, now, "AddPartitionsToTxnResponse", "InvalidProducerIdMapping")


@probe(
    KafkaTransactions,
    known=[
        violated(9, max_coordinator_changes=(0, 1)),
        holds(clients=1),
        violated(17, clients=1, max_coordinator_changes=2),
        violated(15, clients=1, max_coordinator_changes=3),
    ],
)
def no_producer_fenced(protocol, now):
    """No producer is told that another with its transaction id has taken over.

    From a comment of the module (at `TestInv`). Two clients fence each other. A single client is fenced from
    two changes of coordinators on: a leader can replay an entry of its log that it has twice.
    """
    return _no_response(protocol, now, "AddPartitionsToTxnResponse", "ProducerFenced")


@probe(KafkaTransactions, known=[violated(10, max_coordinator_changes=(0, 1)), holds(clients=1)])
def no_epoch_fence_abort(protocol, now):
    """No coordinator ever logs the completion of an abort.

    A violation shows that a client's transaction can be aborted for the sake of another client.
    """
    return forall(
        protocol.Broker,
        lambda b: forall(
            protocol.LogPartition,
            lambda p: forall(
                now.tc_log[b][p].places,
                lambda offset: now.tc_log[b][p][offset].transition.state != "CompleteAbort",
            ),
        ),
    )


@probe(KafkaTransactions, known=[violated(10, max_coordinator_changes=(0, 1)), holds(clients=1)])
def no_terminated(protocol, now):
    """No client ends because of an error that it cannot recover from.

    A violation shows that a fenced client ends.
    """
    return forall(protocol.Client, lambda c: now.client[c].state != "Terminated")


def _no_response(protocol, now, kind, *errors):
    """No message of that kind tells one of the errors."""
    return forall(now.messages, lambda m: ~(m.is_a(kind) & protocol.is_refused(m.as_a(kind), *errors)))


def _others(protocol, errors):
    return tuple(error for error in protocol.Error.members if error not in errors)


# -- liveness -------------------------------------------------------------------------------------------


@temporal(
    KafkaTransactions,
    tla="EventuallyAllClientsGetPid",
    known=[violated(at_most(20)), holds(max_coordinator_changes=0)],
)
def all_clients_get_pid(protocol, now):
    """In the end all clients have a producer id, for good.

    From `EventuallyAllClientsGetPid` of the module. It fails after a change of the coordinator: the protocol's
    docstring explains the loop, which is 3 steps long, after 17.
    """
    return eventually(always(forall(protocol.Client, lambda client: now.client[client].pid.is_some)))


@temporal(KafkaTransactions, tla="EventuallyOneClientAddsAllPartitions", known=holds())
def one_client_adds_all_partitions(protocol, now):
    """In the end some client's transaction has all topic partitions, for good.

    From `EventuallyOneClientAddsAllPartitions` of the module.
    """

    def has_all(client):
        state = now.client[client]
        return (state.state == "BegunTxn") & (state.partitions == protocol.TopicPartition)

    return eventually(always(exists(protocol.Client, has_all)))


# -- strengthenings for proofs --------------------------------------------------------------------------


@strengthening(KafkaTransactions)
def known_states(protocol, now):
    """No transaction is committed, and a client waits for each entry but the completion of an abort.

    Entries are in the log partition of their transaction id. New metadata has had no transaction.
    """

    def entry(b, p, offset):
        one = now.tc_log[b][p][offset]
        completes = one.transition.state == "CompleteAbort"
        used = protocol.is_in(one.transition.state, *USED_STATES)
        return all_of(used, one.callback.is_some == ~completes, protocol.partition_for(one.tid) == p)

    def known(metadata):
        used = protocol.is_in(metadata.value.state, *USED_STATES)
        is_new = metadata.value.pepoch == -1
        return implies(metadata.is_some, used & implies(is_new, metadata.value.state == "Empty"))

    entries = each_log(
        protocol, lambda b, p: forall(now.tc_log[b][p].places, lambda offset: entry(b, p, offset))
    )
    kept = forall(
        protocol.Broker, lambda b: forall(protocol.Tid, lambda tid: known(now.tc_tid_metadata[b][tid]))
    )
    return all_of(entries, kept)


@strengthening(KafkaTransactions)
def clients_know(protocol, now):
    """A client that has asked has a transaction id; one with a producer id has an epoch and a coordinator."""

    def one(c):
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
def messages_fit(protocol, now):
    """A client named in a message still waits for it; a grant holds all that the client asked for."""

    def one(m, c):
        client = now.client[c]
        request, response = (m.as_a(kind) for kind in TO_ADD)
        adds = all_of(client.state == "BegunTxn", ~client.pending_partitions.is_empty)
        asked = all_of(m.is_a(TO_ADD[0]), request.source == c)
        return all_of(
            implies(concerns(m, c, *OUTSTANDING[:2]), client.state == "SentInitPidRequest"),
            implies(concerns(m, c, *TO_ADD), adds),
            implies(asked, client.pending_partitions == set_of(request.partition)),
            implies(
                granted(m, c, TO_ADD[1]), client.pending_partitions <= response.answer.as_a("OK").partitions
            ),
        )

    return forall(now.messages, lambda m: forall(protocol.Client, lambda c: one(m, c)))


@strengthening(KafkaTransactions)
def leaders_and_epochs(protocol, now):
    """Each epoch of a partition is a change of coordinators. A broker in the last epoch knows its leader."""

    def known(b, p):
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
def only_leaders_have_pending(protocol, now):
    """A transition is pending only at a broker that believes it coordinates the transaction id."""
    return forall(
        protocol.Broker,
        lambda b: forall(
            protocol.Tid, lambda tid: implies(now.tc_tid_transition[b][tid], protocol.leads(now, b, tid))
        ),
    )


@strengthening(KafkaTransactions, when=counted)
def logs_end_near_the_watermark(protocol, now):
    """A broker that believes it leads has one uncommitted entry for each pending transition, and no other.

    Other brokers have none, except that a follower that knows of the change may have copied some: at most one
    for each transaction id with an entry.
    """

    def logged(p, tid):
        leader = now.txn_log_leader[p]
        known = now.tc_tid_metadata[leader][tid]
        some = any_of(now.tc_tid_transition[leader][tid], known.is_some & (known.value.pepoch >= 0))
        return all_of(protocol.partition_for(tid) == p, some)

    def one(b, p):
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
        return ite(leads(now, b, p), exact, about)

    return each_log(protocol, one)


@strengthening(KafkaTransactions, when=counted)
def entries_follow_metadata(protocol, now):
    """An uncommitted entry follows from its broker's metadata, and its client waits for it."""

    def one(b, p, offset):
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
def one_thing_outstanding(protocol, now):
    """A client waits for at most one message or entry."""

    def one(c):
        waits = now.messages.filter(lambda m: concerns(m, c, *OUTSTANDING))
        entries = number_where(
            protocol.Broker, lambda b: exists(protocol.LogPartition, lambda p: awaits(now, b, p, c))
        )
        # Not as a number: solvers do better without its bits.
        message = forall(waits, lambda m, other: m == other)
        return all_of(message, ite(waits.is_empty, entries <= 1, entries == 0))

    return forall(protocol.Client, one)
