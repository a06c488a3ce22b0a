"""Properties of Spanner's transactions: the invariant of module TxTest."""

from dataclasses import replace
from itertools import combinations

from leadline.encodings.spanner_transactions import INITIAL_VALUE, SpannerTransactions
from leadline.properties import isolation
from leadline.symbolic.lang import (
    all_of,
    any_of,
    eventually,
    exists,
    forall,
    holds,
    implies,
    int_range,
    invariant,
    ite,
    maximum,
    number_where,
    of,
    proved,
    strengthening,
    temporal,
)


@invariant(
    SpannerTransactions,
    known=[
        proved(transactions=("nonconflict", "read-only", "circular"), tt_max_si=(*range(5), 16)),
    ],
)
def strict_serializability(protocol, now):
    """Once all transactions have ended, the committed ones are strictly serializable.

    From `StrictSerializability` of TxTest. A transaction counts as started when it committed, at its commit
    timestamp, as in the module. Proved by induction for the module's sets. It fails for other sets: a
    coordinator may choose a timestamp that lies in the past, which its key alone does not show to a reader.
    """
    return implies(protocol.done(now), isolation.strict_serializability(history(protocol, now)))


def history(protocol, now):
    """The transactions that have committed."""
    return isolation.History(
        dict.fromkeys(protocol.Key.members, INITIAL_VALUE),
        tuple(_transaction(protocol, now, tx) for tx in protocol.definitions),
    )


def _transaction(protocol, now, tx):
    definition, state = protocol.definitions[tx], now.txs[tx]
    return isolation.Transaction(
        reads={key: state.read[key] for key in sorted(definition.read)},
        writes=definition.write,
        committed=state.status == "Committed",
        start=state.commit_ts.value,
        commit=state.commit_ts.value,
    )


@temporal(SpannerTransactions, known=holds(tt_max_si=range(1, 5)))
def done(protocol, now):
    """All transactions eventually commit or abort, and all locks are released.

    From `Properties` of TxTest, which is `<>(Done)`.
    """
    return eventually(protocol.done(now))


# -- strengthenings for proofs --------------------------------------------------------------------------


def separable(protocol):
    """Whether the claims below are true of the transactions, at most three.

    A transaction that writes must be held up while a key that another only reads is read at a timestamp of
    its own or later. So it must prepare such a key: the coordinator's timestamp may lie in the past. Of two
    transactions that write one key, the later has the later timestamp if it reads what the other writes.
    """
    some = list(protocol.definitions.values())
    writers = [(one.read, {*one.write}) for one in some if one.write]
    readers = [one.read for one in some if not one.write]

    def is_held_up(read, written, reader):
        prepared = written - {min(written)}
        return (not written & reader or bool(prepared & reader)) and read & reader <= written

    apart = all(
        not written & others or (read & others and reads & written)
        for (read, written), (reads, others) in combinations(writers, 2)
    )
    held_up = all(is_held_up(*writer, reader) for writer in writers for reader in readers)
    return len(some) <= 3 and apart and held_up


def has_chosen(now, tx):
    """Whether a transaction has its timestamp for good."""
    status = now.txs[tx].status
    return any_of(status == "CommitWaiting", status == "Committed")


def has_cleaned(protocol, now, tx, key):
    """Whether a transaction has committed, and the participant of a key that it touches knows."""
    committed = now.txs[tx].status == "Committed"
    return all_of(protocol.touches(tx, key), committed, ~protocol.has_lock(now, tx, key))


def has_written(protocol, now, tx, key):
    """Whether a transaction's value is among the versions of a key."""
    return all_of(protocol.writes[tx][key].is_some, has_cleaned(protocol, now, tx, key))


def is_reader(protocol, tx):
    """Whether the transaction writes nothing."""
    return protocol.read_only.has(tx)


def each(protocol, holds):
    """Whether something holds of each transaction and key."""
    return forall(protocol.Tx, lambda tx: forall(protocol.Key, lambda key: holds(tx, key)))


@strengthening(SpannerTransactions, when=separable)
def time_is_counted(protocol, now):
    """Time passes by itself, and 2I + 2 times for each transaction that has chosen its timestamp.

    I is the length of the clock's interval.
    """
    interval = protocol.tt_interval

    def waits(tx):
        return ite(is_reader(protocol, tx), now.txs[tx].start_commit_ts.is_some, has_chosen(now, tx))

    latest = protocol.tt_init_abs + now.tt_si + (2 * interval + 2) * number_where(protocol.Tx, waits)

    def one(tx):
        state = now.txs[tx]
        started = implies(state.start_commit_ts.is_some, state.start_commit_ts.value <= latest + interval)
        reads = implies(
            is_reader(protocol, tx) & state.start_commit_ts.is_some,
            state.start_commit_ts.value <= latest - interval - 1,
        )
        chosen = implies(state.commit_ts.is_some, state.commit_ts.value <= latest - interval - 1)
        return all_of(started, reads, chosen)

    keys = forall(protocol.Key, lambda key: now.ps[key].last_ts <= latest + interval)
    return all_of(now.tt_abs <= latest, now.tt_si <= now.tt_abs, forall(protocol.Tx, one), keys)


@strengthening(SpannerTransactions, when=separable)
def statuses_fit(protocol, now):
    """A transaction has the timestamps of its status; one that has committed, one before the true time."""

    def one(tx):
        state = now.txs[tx]
        status, start, commit = state.status, state.start_commit_ts, state.commit_ts
        chosen = has_chosen(now, tx)
        begun = any_of(status == "Committing", chosen)
        writer = all_of(
            implies(begun, start.is_some),
            implies(status == "Reading", start.is_none),
            implies(start.is_some, start.value <= now.tt_abs + protocol.tt_interval),
            implies(chosen, start.value < commit.value),
            implies(status == "Committed", commit.value < now.tt_abs),
        )
        reader = all_of(
            any_of(status == "Reading", status == "Committed"),
            implies(status == "Committed", start.is_some & (start == commit)),
        )
        return all_of(
            commit.is_some == chosen,
            ite(is_reader(protocol, tx), reader, writer),
        )

    return forall(protocol.Tx, one)


@strengthening(SpannerTransactions, when=separable)
def locks_are_kept(protocol, now):
    """A transaction has the keys that it has read, and once it has chosen its timestamp those that it writes.

    A transaction that has committed has them until their participants know.
    """

    def one(tx, key):
        state = now.txs[tx]
        locked = protocol.has_lock(now, tx, key)
        reads, writes = protocol.reads[tx].has(key), protocol.writes[tx][key].is_some
        open_ = any_of(state.status == "Reading", state.status == "Committing")
        begun = any_of(state.status == "Committing", has_chosen(now, tx))
        writer = all_of(
            implies(state.read[key].is_some, reads),
            implies(open_ & state.read[key].is_some, locked),
            implies(begun & reads, state.read[key].is_some),
            implies((state.status == "CommitWaiting") & protocol.touches(tx, key), locked),
            implies(locked & has_chosen(now, tx) & writes, now.ps[key].prepared.is_some),
            implies(locked, protocol.touches(tx, key)),
            implies(locked & (state.status == "Reading"), reads),
        )
        reader = all_of(~locked, state.read[key].is_some == (reads & (state.status == "Committed")))
        return ite(is_reader(protocol, tx), reader, writer)

    return each(protocol, one)


@strengthening(SpannerTransactions, when=separable)
def prepared_by_lock_holders(protocol, now):
    """A key is prepared by the transaction that has its lock, with the value to write and the last timestamp."""

    def one(key):
        participant = now.ps[key]
        prepared, tx = participant.prepared.value, participant.lock.value
        state = now.txs[tx]
        own = all_of(
            participant.lock.is_some,
            protocol.writes[tx][key] == prepared.value,
            state.status != "Reading",
            prepared.ts == participant.last_ts,
            implies(state.status == "Committing", protocol.coordinator[tx] != key),
            implies(has_chosen(now, tx), prepared.ts <= state.commit_ts.value),
        )
        return implies(participant.prepared.is_some, own)

    return forall(protocol.Key, one)


@strengthening(SpannerTransactions, when=separable)
def reads_are_latest(protocol, now):
    """While a transaction has the lock of a key that it has read, the key has no later value."""

    def one(tx, key):
        read = now.txs[tx].read[key]
        reads = all_of(protocol.has_lock(now, tx, key), read.is_some, now.txs[tx].status != "Aborted")
        return implies(reads, read.value == protocol.latest_value(now, key))

    return each(protocol, one)


@strengthening(SpannerTransactions, when=separable)
def versions_are_written(protocol, now):
    """The versions of a key are those that transactions have written, one each, in the order of timestamps."""

    def one(key):
        data = now.ps[key].data
        places = int_range(1, data.length)

        def is_by(place, tx):
            same = all_of(
                data[place].ts == now.txs[tx].commit_ts.value,
                protocol.writes[tx][key] == data[place].value,
            )
            return all_of(has_written(protocol, now, tx, key), same)

        written = number_where(protocol.Tx, lambda tx: has_written(protocol, now, tx, key))
        known = forall(places, lambda place: exists(protocol.Tx, lambda tx: is_by(place, tx)))
        kept = forall(
            protocol.Tx,
            lambda tx: implies(
                has_written(protocol, now, tx, key), exists(places, lambda place: is_by(place, tx))
            ),
        )
        ordered = forall(places, lambda x, y: implies(x < y, data[x].ts < data[y].ts))
        return all_of(data.length == written, known, kept, ordered)

    return forall(protocol.Key, one)


@strengthening(SpannerTransactions, when=separable)
def later_touch_later_timestamp(protocol, now):
    """A key's last timestamp is not before that of a transaction that had the key, nor is the next one's.

    A transaction that has read the key since starts later.
    """

    def one(tx, key):
        commit = now.txs[tx].commit_ts.value

        def after(other):
            state = now.txs[other]
            has = all_of(other != tx, protocol.has_lock(now, other, key), state.status != "Aborted")
            reads = state.read[key].is_some & state.start_commit_ts.is_some
            return implies(
                has,
                all_of(
                    implies(has_chosen(now, other), commit <= state.commit_ts.value),
                    implies(reads, commit < state.start_commit_ts.value),
                ),
            )

        later = all_of(commit <= now.ps[key].last_ts, forall(protocol.Tx, after))
        return implies(~is_reader(protocol, tx) & has_cleaned(protocol, now, tx, key), later)

    return each(protocol, one)


@strengthening(SpannerTransactions, when=separable)
def writers_of_a_key_are_apart(protocol, now):
    """Two transactions that write one key do not have the same timestamp."""

    def two(tx, other):
        both = exists(
            protocol.Key,
            lambda key: protocol.writes[tx][key].is_some & protocol.writes[other][key].is_some,
        )
        chosen = has_chosen(now, tx) & has_chosen(now, other)
        differ = now.txs[tx].commit_ts.value != now.txs[other].commit_ts.value
        return implies(all_of(tx < other, both, chosen), differ)

    return forall(protocol.Tx, two)


@strengthening(SpannerTransactions, when=separable)
def nothing_is_written_before_reads(protocol, now):
    """No key that a read-only transaction has read is prepared at an earlier timestamp from now on."""

    def one(tx, key):
        ts, participant = now.txs[tx].start_commit_ts.value, now.ps[key]
        prepared = participant.prepared
        holder = now.txs[participant.lock.value].status
        passed = ts <= maximum(now.tt_abs, participant.last_ts)
        held_up = ite(
            prepared.is_some & ((holder == "Committing") | (holder == "Aborted")),
            ts <= prepared.value.ts,
            passed,
        )
        reads = is_reader(protocol, tx) & (now.txs[tx].status == "Committed") & protocol.reads[tx].has(key)
        return implies(reads, held_up)

    return each(protocol, one)


@strengthening(SpannerTransactions, of="strict-serializability", entails=True, when=separable)
def chosen_are_serializable(protocol, now):
    """The transactions that have chosen their timestamps are strictly serializable, to the keys' values of now.

    The values of now are as if read by one more transaction, after all others. What a transaction with a
    timestamp has prepared counts as written.
    """

    def value(key):
        participant = now.ps[key]
        counts = participant.prepared.is_some & has_chosen(now, participant.lock.value)
        return ite(counts, participant.prepared.value.value, protocol.latest_value(now, key))

    def chosen(tx):
        return replace(_transaction(protocol, now, tx), committed=has_chosen(now, tx))

    keys = {key: of(protocol.Key, key) for key in protocol.Key.members}
    after = protocol.Timestamp.high + 1
    last = isolation.Transaction(
        {name: value(key) for name, key in keys.items()}, {}, start=after, commit=after
    )
    initial = history(protocol, now).initial
    some = tuple(chosen(tx) for tx in protocol.definitions)
    return isolation.strict_serializability(isolation.History(initial, (*some, last)))
