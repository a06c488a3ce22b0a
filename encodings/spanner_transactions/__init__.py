"""Spanner's transactions over TrueTime.

Source: the modules Transaction and TxTest of s12f/tlads, after Spanner: Google's Globally-Distributed
Database (J. C. Corbett et al., OSDI 2012), section 4.2. Variables and actions have the names of the modules.
"""

from leadline.encodings.spanner_transactions.transaction_sets import FILE, SETS, transaction_set
from leadline.encodings.truetime import TrueTime
from leadline.symbolic.lang import (
    Int,
    Map,
    Option,
    Seq,
    Set,
    action,
    all_of,
    any_of,
    enum,
    exists,
    forall,
    implies,
    ite,
    map_of,
    maximum,
    of,
    parameter,
    pick,
    record,
    strong,
    weak,
)

AS_PUBLISHED = "as-published"

TX = pick("Tx")
KEY = pick("Key")

INITIAL_VALUE = 0


def has_read_only(protocol):
    """Whether one of the transactions writes nothing."""
    return any(not one.write for one in protocol.definitions.values())


class SpannerTransactions(TrueTime):
    """Transactions read and write keys, each on a participant of its own, under timestamps of TrueTime.

    A read-write transaction locks what it reads, then commits in two phases: the participants that it writes
    to prepare, all but the first in alphabetical order, which coordinates: it chooses a timestamp, and the
    transaction has committed once that has passed for certain (commit wait). A transaction that needs a lock
    of one with lower priority, that is a greater number, aborts it (wound-wait). A read-only transaction
    reads without locks, as of one timestamp. Participants do not fail: each stands for a replicated one.
    Time can always pass or stand still, so there is no deadlock.

    The transactions are a named set, or a user's own in a TOML file:

        # The first has the highest priority.
        [[transaction]]
        read = ["x"]
        write = { x = 1, y = 1 }

        [[transaction]]
        read = ["x", "y"]

    There are 1 to 5. `read` lists the keys read (none if left out), `write` gives the values written by
    key (a read-only transaction has none). Keys are named by letters, digits, `_` and `-`, and hold 0
    at first; values are whole numbers from 0 to 63, and those written to one key should differ.

    Not every set is strictly serializable. One transaction that reads and writes x and a second that reads x
    are not, in 11 steps with tt_max_si=1:

    1. The first reads x and begins to commit: its timestamp will be greater than 1. Time passes.
    2. The second reads x as of time 3, once that may be now: nothing is prepared, so it gets the old value.
    3. The coordinator chooses timestamp 2, the least that it may, though its clock is beyond that.

    In the paper a participant chooses none before what it has let others read. The module's sets do not
    show it: each of their transactions that a reader meets prepares a second key.
    """

    transactions: str = parameter(
        "nonconflict", choices=tuple(SETS), file=FILE, doc="the set of transactions that run"
    )
    fairness: str = parameter(
        AS_PUBLISHED, choices=(AS_PUBLISHED, "none"), doc="which actions a run does not neglect for ever"
    )

    def define(self, state):
        self.definitions = dict(enumerate(transaction_set(self.transactions), start=1))
        self.define_types(state)
        self.define_constants()
        # The module's records also hold what a transaction is to do and its coordinator, which never change
        # and are constants here. In `read` a key that has not been read is None.
        self.TxState = record(
            "TxState",
            status=self.Status,
            read=Map(self.Key, Option(self.Value)),
            start_commit_ts=Option(self.Timestamp),
            commit_ts=Option(self.Timestamp),
        )
        # A key is appended to once by each transaction that writes it.
        self.versions = max(
            sum(key in one.write for one in self.definitions.values()) for key in self.Key.members
        )
        self.Participant = record(
            "Participant",
            data=Seq(self.Version, self.versions),
            lock=Option(self.Tx),
            prepared=Option(self.Version),
            last_ts=self.Timestamp,
        )
        state.txs = Map(self.Tx, self.TxState)
        state.ps = Map(self.Key, self.Participant)

    def define_types(self, state):
        """The types and the clock."""
        definitions = self.definitions.values()
        # Numbered, since the number is the priority.
        self.Tx = Int(1, len(definitions))
        self.Status = enum("Status", "Reading", "Committing", "CommitWaiting", "Committed", "Aborted")
        # In the order that TLC's CHOOSE of a coordinator follows. Keys that nobody uses never change.
        self.Key = enum("Key", *sorted({key for one in definitions for key in (*one.read, *one.write)}))
        written = [value for one in definitions for value in one.write.values()]
        self.Value = Int(INITIAL_VALUE, max([INITIAL_VALUE, *written]))
        # At time A a transaction gets a timestamp of at most A + I + 1, I the interval; while it waits for
        # that, events move the time to at most A + 2I + 2. So far for each transaction, tt_max_si for all.
        wait = 2 * self.tt_interval + 2
        last = self.tt_init_abs + self.tt_max_si + len(definitions) * wait
        self.define_clock(state, last)
        self.Timestamp = Int(self.tt_init_abs, last - wait + self.tt_interval + 1)
        self.Version = record("Version", ts=self.Timestamp, value=self.Value)

    def define_constants(self):
        """The reads and writes of the transactions, as constants of the language."""
        definitions, keys = self.definitions, self.Key.members
        self.reads = of(Map(self.Tx, Set(self.Key)), {tx: one.read for tx, one in definitions.items()})
        writes = {tx: {key: one.write.get(key) for key in keys} for tx, one in definitions.items()}
        self.writes = of(Map(self.Tx, Map(self.Key, Option(self.Value))), writes)
        coordinators = {tx: min(one.write, default=None) for tx, one in definitions.items()}
        self.coordinator = of(Map(self.Tx, Option(self.Key)), coordinators)
        self.read_only = of(Set(self.Tx), *(tx for tx, one in definitions.items() if not one.write))

    def init(self, start):
        self.init_clock(start)
        unread = dict.fromkeys(self.Key.members)
        begun = of(self.TxState, status="Reading", read=unread, start_commit_ts=None, commit_ts=None)
        fresh = of(self.Participant, data=[], lock=None, prepared=None, last_ts=self.tt_init_abs)
        start.txs = map_of(self.Tx, lambda tx: begun)
        start.ps = map_of(self.Key, lambda key: fresh)

    # -- operators -----------------------------------------------------------------------------------------

    def touches(self, tx, key):
        """Whether the transaction is to read or to write the key."""
        return any_of(self.reads[tx].has(key), self.writes[tx][key].is_some)

    def is_undecided(self, now, tx):
        """Whether the transaction has neither reached its commit point nor been aborted."""
        return any_of(now.txs[tx].status == "Reading", now.txs[tx].status == "Committing")

    def has_lock(self, now, tx, key):
        """Whether the transaction holds the key's lock."""
        return now.ps[key].lock == tx

    def done(self, now):
        """Whether all transactions have committed or aborted and all locks are free."""
        ended = forall(
            self.Tx, lambda tx: (now.txs[tx].status == "Committed") | (now.txs[tx].status == "Aborted")
        )
        return all_of(ended, forall(self.Key, lambda key: now.ps[key].lock.is_none))

    # -- read-only transactions: reads at one timestamp, without locks -------------------------------------

    @action(when=has_read_only)
    def ro_tx_start(self, now, nxt, tx=TX):
        """A transaction takes the latest possible time of now as the timestamp of its reads."""
        self.require_reading(now, nxt, tx)
        nxt.require(now.txs[tx].start_commit_ts.is_none)
        nxt.txs[tx].start_commit_ts = self.latest(now)

    @action(when=has_read_only)
    def ro_tx_read(self, now, nxt, tx=TX):
        """A transaction reads all its keys at once as of its timestamp, once that is safe for each key."""
        self.require_reading(now, nxt, tx)
        nxt.require(now.txs[tx].start_commit_ts.is_some)
        ts, reads = now.txs[tx].start_commit_ts.value, self.reads[tx]
        nxt.require(forall(self.Key, lambda key: implies(reads.has(key), self.is_safe(now, key, ts))))
        nxt.txs[tx].read = map_of(
            self.Key, lambda key: ite(reads.has(key), self.value_at(now, key, ts), None)
        )
        nxt.txs[tx].status = "Committed"
        nxt.txs[tx].commit_ts = ts

    def require_reading(self, now, nxt, tx):
        """The transaction writes nothing and has not read yet."""
        nxt.require(self.read_only.has(tx), now.txs[tx].status == "Reading")

    def is_safe(self, now, key, ts):
        """Whether nothing will be written to the key any more with that timestamp or an earlier one.

        Not at the timestamp of a transaction that is prepared: it may be the commit timestamp.
        """
        participant = now.ps[key]
        passed = any_of(ts <= self.earliest(now), ts <= participant.last_ts)
        return ite(participant.prepared.is_none, passed, ts < participant.prepared.value.ts)

    def value_at(self, now, key, ts):
        """The value of the key's last version that is not later than the timestamp."""
        data = now.ps[key].data
        value = of(self.Value, INITIAL_VALUE)
        for place in range(1, self.versions + 1):
            visible = all_of(data.length >= place, data[place].ts <= ts)
            value = ite(visible, data[place].value, value)
        return value

    # -- read-write transactions: wound-wait locking, two-phase commit and commit wait ---------------------

    @action
    def read(self, now, nxt, tx=TX, key=KEY):
        """A transaction locks a key that nobody holds, and reads its latest value."""
        self.require_status(now, nxt, tx, "Reading")
        nxt.require(self.reads[tx].has(key), now.txs[tx].read[key].is_none, now.ps[key].lock.is_none)
        nxt.ps[key].lock = tx
        nxt.txs[tx].read[key] = self.latest_value(now, key)

    @action
    def avoid_deadlock(self, now, nxt, tx=TX, key=KEY):
        """Wound-wait: a transaction aborts one of lower priority that holds a key that it needs."""
        nxt.require(~self.read_only.has(tx), self.is_undecided(now, tx), self.touches(tx, key))
        lock = now.ps[key].lock
        nxt.require(lock.is_some, lock.value > tx, self.is_undecided(now, lock.value))
        nxt.txs[lock.value].status = "Aborted"

    @action
    def start_commit(self, now, nxt, tx=TX):
        """A transaction that has read everything begins to commit."""
        self.require_status(now, nxt, tx, "Reading")
        nxt.require(forall(self.Key, lambda key: now.txs[tx].read[key].is_some == self.reads[tx].has(key)))
        nxt.txs[tx].status = "Committing"
        nxt.txs[tx].start_commit_ts = self.latest(now)

    @action
    def prepare(self, now, nxt, tx=TX, key=KEY):
        """A participant other than the coordinator locks its key for a transaction and prepares to write."""
        self.require_committing(now, nxt, tx, key)
        nxt.require(self.coordinator[tx] != key, now.ps[key].prepared.is_none)
        self.prepare_to_write(now, nxt, tx, key, maximum(now.ps[key].last_ts, self.latest(now)))

    @action
    def prepare_co_leader(self, now, nxt, tx=TX, key=KEY):
        """Once all others are prepared the coordinator chooses the commit timestamp: the commit point."""
        self.require_committing(now, nxt, tx, key)
        nxt.require(self.coordinator[tx] == key)
        nxt.require(
            forall(
                self.Key,
                lambda other: implies(
                    self.is_other_participant(tx, key, other),
                    self.has_lock(now, tx, other) & now.ps[other].prepared.is_some,
                ),
            )
        )
        commit_ts = maximum(now.txs[tx].start_commit_ts.value + 1, now.ps[key].last_ts)
        for name in self.Key.members:
            other = of(self.Key, name)
            prepared_ts = now.ps[other].prepared.value.ts
            later = self.is_other_participant(tx, key, other) & (prepared_ts > commit_ts)
            commit_ts = ite(later, prepared_ts, commit_ts)
        self.prepare_to_write(now, nxt, tx, key, commit_ts)
        nxt.txs[tx].commit_ts = commit_ts
        nxt.txs[tx].status = "CommitWaiting"

    @action
    def commit(self, now, nxt, tx=TX):
        """Commit wait: a transaction has committed once its timestamp has passed for certain."""
        nxt.require(now.txs[tx].status == "CommitWaiting")
        nxt.require(self.has_passed(now, now.txs[tx].commit_ts.value))
        nxt.txs[tx].status = "Committed"

    @action
    def clean_aborted(self, now, nxt, tx=TX, key=KEY):
        """A participant drops what an aborted transaction prepared, and frees its lock."""
        nxt.require(now.txs[tx].status == "Aborted", self.has_lock(now, tx, key))
        nxt.ps[key].lock = None
        nxt.ps[key].prepared = None

    @action
    def clean_committed(self, now, nxt, tx=TX, key=KEY):
        """A participant writes what a committed transaction prepared, if anything, and frees its lock."""
        nxt.require(now.txs[tx].status == "Committed", self.has_lock(now, tx, key))
        commit_ts, prepared = now.txs[tx].commit_ts.value, now.ps[key].prepared
        nxt.ps[key].lock = None
        nxt.ps[key].last_ts = commit_ts
        nxt.ps[key].prepared = None
        with nxt.when(prepared.is_some):
            written = of(self.Version, ts=commit_ts, value=prepared.value.value)
            nxt.ps[key].data = now.ps[key].data.append(written)

    @action(tla="TTAdvanceForTxLiveness")
    def tt_advance_for_tx_liveness(self, now, nxt):
        """Time passes while a transaction waits for it, however often it has passed by itself."""
        nxt.require(exists(self.Tx, lambda tx: self.waits(now, tx)))
        nxt.tt_abs = now.tt_abs + 1

    def waits(self, now, tx):
        """Whether the transaction has a timestamp, to read or to commit, that has not passed for certain."""
        state = now.txs[tx]
        to_read = all_of(self.read_only.has(tx), state.status == "Reading", state.start_commit_ts.is_some)
        return any_of(
            all_of(to_read, ~self.has_passed(now, state.start_commit_ts.value)),
            all_of(state.status == "CommitWaiting", ~self.has_passed(now, state.commit_ts.value)),
        )

    def fair(self):
        """Transactions go on, time passes, and it passes for ever where a transaction waits for it."""
        if self.fairness != AS_PUBLISHED:
            return
        yield weak("ro_tx_*", "read", "avoid_deadlock", "start_commit", "prepare*", "commit", "clean_*",
                   of=("txs", "ps"), tla="TxNext")  # fmt: skip
        yield weak("tt_si_next", "tt_drift", of=("tt_si", "tt_abs", "tt_drift"), tla="TTNext")
        yield strong("tt_advance_for_tx_liveness", of="tt_abs", tla="TTAdvanceForTxLiveness")

    # -- parts of actions ----------------------------------------------------------------------------------

    def require_status(self, now, nxt, tx, status):
        """The transaction writes something and has that status."""
        nxt.require(~self.read_only.has(tx), now.txs[tx].status == status)

    def require_committing(self, now, nxt, tx, key):
        """The transaction is committing, writes the key, and has its lock or can take it."""
        self.require_status(now, nxt, tx, "Committing")
        nxt.require(self.writes[tx][key].is_some)
        nxt.require(any_of(now.ps[key].lock.is_none, self.has_lock(now, tx, key)))

    def prepare_to_write(self, now, nxt, tx, key, ts):
        """The participant locks the key and keeps what the transaction will write there."""
        nxt.ps[key].lock = tx
        nxt.ps[key].last_ts = ts
        nxt.ps[key].prepared = of(self.Version, ts=ts, value=self.writes[tx][key].value)

    def is_other_participant(self, tx, coordinator, key):
        """Whether the transaction writes the key and it is not the coordinator."""
        return all_of(self.writes[tx][key].is_some, coordinator != key)

    def latest_value(self, now, key):
        """The value last written to the key."""
        data = now.ps[key].data
        return ite(data.length == 0, INITIAL_VALUE, data.last.value)
