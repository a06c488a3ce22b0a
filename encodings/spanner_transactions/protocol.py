"""Spanner's transactions: clock, participants and transactions together."""

from __future__ import annotations

from leadline.encodings.spanner_transactions.read_only import ReadOnly
from leadline.encodings.spanner_transactions.read_write import ReadWrite
from leadline.symbolic.lang import BoolExpr, IntExpr, Next, State, action, all_of, any_of, exists


class SpannerTransactions(ReadWrite, ReadOnly):
    """Transactions read and write keys, each on a participant of its own, under timestamps of TrueTime.

    A read-write transaction locks what it reads, then commits in two phases: the participants that it writes
    to prepare, all but the first in alphabetical order, which coordinates: it chooses a timestamp, and the
    transaction has committed once that has passed for certain (commit wait). Who needs a lock of a
    transaction of lower priority, one with a greater number, aborts it (wound-wait). A read-only transaction
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
    """

    @action(tla="TTAdvanceForTxLiveness")
    def tt_advance_for_tx_liveness(self, now: State, nxt: Next) -> None:
        """Time passes while a transaction waits for it to, however often it has passed by itself."""
        nxt.require(exists(self.Tx, lambda tx: self.waits(now, tx)))
        nxt.tt_abs = now.tt_abs + 1

    def waits(self, now: State, tx: IntExpr) -> BoolExpr:
        """Whether the transaction has a timestamp, to read or to commit, that has not passed for certain."""
        state = now.txs[tx]
        to_read = all_of(self.read_only.has(tx), state.status == "Reading", state.start_commit_ts.is_some)
        return any_of(
            all_of(to_read, ~self.has_passed(now, state.start_commit_ts.value)),
            all_of(state.status == "CommitWaiting", ~self.has_passed(now, state.commit_ts.value)),
        )
