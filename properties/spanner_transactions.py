"""What is claimed of Spanner's transactions: the invariant of module TxTest."""

from __future__ import annotations

from leadline.encodings.spanner_transactions import SpannerTransactions
from leadline.encodings.spanner_transactions.store import INITIAL_VALUE
from leadline.properties import isolation
from leadline.symbolic.lang import BoolExpr, State, implies, invariant


@invariant(SpannerTransactions)
def strict_serializability(protocol: SpannerTransactions, now: State) -> BoolExpr:
    """Once all transactions have ended, the committed ones are strictly serializable.

    From `StrictSerializability` of TxTest. A transaction counts as started when it committed, at its commit
    timestamp, as in the module. With `tt_interval` 1 it holds for nonconflict with `tt_max_si` up to 4,
    and for read-only and circular with `tt_max_si` up to 1.
    """
    return implies(protocol.done(now), isolation.strict_serializability(history(protocol, now)))


def history(protocol: SpannerTransactions, now: State) -> isolation.History:
    """The transactions that have committed."""
    return isolation.History(
        dict.fromkeys(protocol.Key.members, INITIAL_VALUE),
        tuple(_transaction(protocol, now, tx) for tx in protocol.definitions),
    )


def _transaction(protocol: SpannerTransactions, now: State, tx: int) -> isolation.Transaction:
    definition, state = protocol.definitions[tx], now.txs[tx]
    return isolation.Transaction(
        reads={key: state.read[key] for key in sorted(definition.read)},
        writes=definition.write,
        committed=state.status == "Committed",
        start=state.commit_ts.value,
        commit=state.commit_ts.value,
    )
