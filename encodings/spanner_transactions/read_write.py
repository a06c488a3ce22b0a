"""Read-write transactions: wound-wait locking, two-phase commit and commit wait."""

from __future__ import annotations

from typing import Any

from leadline.encodings.spanner_transactions.store import INITIAL_VALUE, Store
from leadline.symbolic.lang import (
    BoolExpr,
    IntExpr,
    NamedExpr,
    Next,
    State,
    action,
    all_of,
    any_of,
    forall,
    implies,
    ite,
    maximum,
    of,
    pick,
)


class ReadWrite(Store):
    """Transactions that lock what they read and write, and commit in two phases under their coordinator."""

    @action
    def read(self, now: State, nxt: Next, tx: IntExpr = pick("Tx"), key: NamedExpr = pick("Key")) -> None:
        """A transaction locks a key that nobody holds, and reads its latest value."""
        self.require_status(now, nxt, tx, "Reading")
        nxt.require(self.reads[tx].has(key), now.txs[tx].read[key].is_none, now.ps[key].lock.is_none)
        nxt.ps[key].lock = tx
        nxt.txs[tx].read[key] = self.latest_value(now, key)

    @action
    def avoid_deadlock(
        self, now: State, nxt: Next, tx: IntExpr = pick("Tx"), key: NamedExpr = pick("Key")
    ) -> None:
        """Wound-wait: a transaction aborts one of lower priority that holds a key that it needs."""
        nxt.require(~self.read_only.has(tx), self.is_undecided(now, tx), self.touches(tx, key))
        lock = now.ps[key].lock
        nxt.require(lock.is_some, lock.value > tx, self.is_undecided(now, lock.value))
        nxt.txs[lock.value].status = "Aborted"

    @action
    def start_commit(self, now: State, nxt: Next, tx: IntExpr = pick("Tx")) -> None:
        """A transaction that has read everything begins to commit."""
        self.require_status(now, nxt, tx, "Reading")
        nxt.require(forall(self.Key, lambda key: now.txs[tx].read[key].is_some == self.reads[tx].has(key)))
        nxt.txs[tx].status = "Committing"
        nxt.txs[tx].start_commit_ts = self.latest(now)

    @action
    def prepare(self, now: State, nxt: Next, tx: IntExpr = pick("Tx"), key: NamedExpr = pick("Key")) -> None:
        """A participant other than the coordinator locks its key for a transaction and prepares to write."""
        self.require_committing(now, nxt, tx, key)
        nxt.require(self.coordinator[tx] != key, now.ps[key].prepared.is_none)
        self.prepare_to_write(now, nxt, tx, key, maximum(now.ps[key].last_ts, self.latest(now)))

    @action
    def prepare_co_leader(
        self, now: State, nxt: Next, tx: IntExpr = pick("Tx"), key: NamedExpr = pick("Key")
    ) -> None:
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
    def commit(self, now: State, nxt: Next, tx: IntExpr = pick("Tx")) -> None:
        """Commit wait: a transaction has committed once its timestamp has passed for certain."""
        nxt.require(now.txs[tx].status == "CommitWaiting")
        nxt.require(self.has_passed(now, now.txs[tx].commit_ts.value))
        nxt.txs[tx].status = "Committed"

    @action
    def clean_aborted(
        self, now: State, nxt: Next, tx: IntExpr = pick("Tx"), key: NamedExpr = pick("Key")
    ) -> None:
        """A participant drops what an aborted transaction prepared, and frees its lock."""
        nxt.require(now.txs[tx].status == "Aborted", self.has_lock(now, tx, key))
        nxt.ps[key].lock = None
        nxt.ps[key].prepared = None

    @action
    def clean_committed(
        self, now: State, nxt: Next, tx: IntExpr = pick("Tx"), key: NamedExpr = pick("Key")
    ) -> None:
        """A participant writes what a committed transaction prepared, if anything, and frees its lock."""
        nxt.require(now.txs[tx].status == "Committed", self.has_lock(now, tx, key))
        commit_ts, prepared = now.txs[tx].commit_ts.value, now.ps[key].prepared
        nxt.ps[key].lock = None
        nxt.ps[key].last_ts = commit_ts
        nxt.ps[key].prepared = None
        with nxt.when(prepared.is_some):
            written = of(self.Version, ts=commit_ts, value=prepared.value.value)
            nxt.ps[key].data = now.ps[key].data.append(written)

    # -- parts of actions ---------------------------------------------------------------------------------

    def require_status(self, now: State, nxt: Next, tx: Any, status: str) -> None:
        """The transaction writes something and has that status."""
        nxt.require(~self.read_only.has(tx), now.txs[tx].status == status)

    def require_committing(self, now: State, nxt: Next, tx: Any, key: Any) -> None:
        """The transaction is committing, writes the key, and has its lock or can take it."""
        self.require_status(now, nxt, tx, "Committing")
        nxt.require(self.writes[tx][key].is_some)
        nxt.require(any_of(now.ps[key].lock.is_none, self.has_lock(now, tx, key)))

    def prepare_to_write(self, now: State, nxt: Next, tx: Any, key: Any, ts: Any) -> None:
        """The participant locks the key and keeps what the transaction will write there."""
        nxt.ps[key].lock = tx
        nxt.ps[key].last_ts = ts
        nxt.ps[key].prepared = of(self.Version, ts=ts, value=self.writes[tx][key].value)

    def is_other_participant(self, tx: Any, coordinator: Any, key: Any) -> BoolExpr:
        """Whether the transaction writes the key and it is not the coordinator."""
        return all_of(self.writes[tx][key].is_some, coordinator != key)

    def latest_value(self, now: State, key: Any) -> Any:
        """The value last written to the key."""
        data = now.ps[key].data
        return ite(data.length == 0, INITIAL_VALUE, data.last.value)
