"""The state of Spanner's transactions: what each transaction has done, and the participants, a key each."""

from __future__ import annotations

from typing import Any

from leadline.encodings.spanner_transactions.transaction_sets import FILE, SETS, transaction_set
from leadline.encodings.truetime import TrueTime
from leadline.symbolic.lang import (
    BoolExpr,
    Int,
    Map,
    Option,
    Seq,
    Set,
    State,
    all_of,
    any_of,
    enum,
    forall,
    map_of,
    of,
    parameter,
    record,
)

INITIAL_VALUE = 0


class Store(TrueTime):
    """Transactions and participants, and what can be told from them."""

    transactions: str = parameter(
        "nonconflict", choices=tuple(SETS), file=FILE, doc="the set of transactions that run"
    )

    def define(self, state: Any) -> None:
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

    def define_types(self, state: Any) -> None:
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

    def define_constants(self) -> None:
        """What the transactions are to do, as constants of the language."""
        definitions, keys = self.definitions, self.Key.members
        self.reads = of(Map(self.Tx, Set(self.Key)), {tx: one.read for tx, one in definitions.items()})
        writes = {tx: {key: one.write.get(key) for key in keys} for tx, one in definitions.items()}
        self.writes = of(Map(self.Tx, Map(self.Key, Option(self.Value))), writes)
        coordinators = {tx: min(one.write, default=None) for tx, one in definitions.items()}
        self.coordinator = of(Map(self.Tx, Option(self.Key)), coordinators)
        self.read_only = of(Set(self.Tx), *(tx for tx, one in definitions.items() if not one.write))

    def init(self, start: Any) -> None:
        self.init_clock(start)
        unread = dict.fromkeys(self.Key.members)
        begun = of(self.TxState, status="Reading", read=unread, start_commit_ts=None, commit_ts=None)
        fresh = of(self.Participant, data=[], lock=None, prepared=None, last_ts=self.tt_init_abs)
        start.txs = map_of(self.Tx, lambda tx: begun)
        start.ps = map_of(self.Key, lambda key: fresh)

    # -- what can be told ---------------------------------------------------------------------------------

    def touches(self, tx: Any, key: Any) -> BoolExpr:
        """Whether the transaction is to read or to write the key."""
        return any_of(self.reads[tx].has(key), self.writes[tx][key].is_some)

    def is_undecided(self, now: State, tx: Any) -> BoolExpr:
        """Whether the transaction has neither reached its commit point nor been aborted."""
        return any_of(now.txs[tx].status == "Reading", now.txs[tx].status == "Committing")

    def has_lock(self, now: State, tx: Any, key: Any) -> BoolExpr:
        """Whether the transaction holds the key's lock."""
        held: BoolExpr = now.ps[key].lock == tx
        return held

    def done(self, now: State) -> BoolExpr:
        """Whether all transactions have committed or aborted and all locks are free."""
        ended = forall(
            self.Tx, lambda tx: (now.txs[tx].status == "Committed") | (now.txs[tx].status == "Aborted")
        )
        return all_of(ended, forall(self.Key, lambda key: now.ps[key].lock.is_none))
