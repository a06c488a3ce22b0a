"""Read-only transactions: reads at one timestamp, without locks."""

from __future__ import annotations

from typing import Any

from leadline.encodings.spanner_transactions.store import INITIAL_VALUE, Store
from leadline.symbolic.lang import (
    BoolExpr,
    IntExpr,
    Next,
    State,
    action,
    all_of,
    any_of,
    forall,
    implies,
    ite,
    map_of,
    pick,
)


def has_read_only(protocol: Any) -> bool:
    """Whether one of the transactions writes nothing."""
    return any(not one.write for one in protocol.definitions.values())


class ReadOnly(Store):
    """Transactions that take a timestamp and read everything as of then, once that is safe."""

    @action(when=has_read_only)
    def ro_tx_start(self, now: State, nxt: Next, tx: IntExpr = pick("Tx")) -> None:
        """A transaction takes the latest time that it may be now for the timestamp of its reads."""
        self.require_reading(now, nxt, tx)
        nxt.require(now.txs[tx].start_commit_ts.is_none)
        nxt.txs[tx].start_commit_ts = self.latest(now)

    @action(when=has_read_only)
    def ro_tx_read(self, now: State, nxt: Next, tx: IntExpr = pick("Tx")) -> None:
        """A transaction reads all its keys at once as of its timestamp, which is safe for each of them."""
        self.require_reading(now, nxt, tx)
        nxt.require(now.txs[tx].start_commit_ts.is_some)
        ts, reads = now.txs[tx].start_commit_ts.value, self.reads[tx]
        nxt.require(forall(self.Key, lambda key: implies(reads.has(key), self.is_safe(now, key, ts))))
        nxt.txs[tx].read = map_of(
            self.Key, lambda key: ite(reads.has(key), self.value_at(now, key, ts), None)
        )
        nxt.txs[tx].status = "Committed"
        nxt.txs[tx].commit_ts = ts

    def require_reading(self, now: State, nxt: Next, tx: Any) -> None:
        """The transaction writes nothing and has not read yet."""
        nxt.require(self.read_only.has(tx), now.txs[tx].status == "Reading")

    def is_safe(self, now: State, key: Any, ts: Any) -> BoolExpr:
        """Whether nothing will be written to the key any more with that timestamp or an earlier one.

        Not at the timestamp of a transaction that is prepared: it may be the commit timestamp.
        """
        participant = now.ps[key]
        passed = any_of(ts <= self.earliest(now), ts <= participant.last_ts)
        safe: BoolExpr = ite(participant.prepared.is_none, passed, ts < participant.prepared.value.ts)
        return safe

    def value_at(self, now: State, key: Any, ts: Any) -> Any:
        """The value of the key's last version that is not later than the timestamp."""
        data = now.ps[key].data
        value: Any = INITIAL_VALUE
        for place in range(1, self.versions + 1):
            visible = all_of(data.length >= place, data[place].ts <= ts)
            value = ite(visible, data[place].value, value)
        return value
