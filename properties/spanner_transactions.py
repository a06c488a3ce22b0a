"""Properties of Spanner's transactions: the invariant of module TxTest."""

from leadline.encodings.spanner_transactions import INITIAL_VALUE, SpannerTransactions
from leadline.properties import isolation
from leadline.symbolic.lang import (
    eventually,
    holds,
    implies,
    invariant,
    temporal,
)


@invariant(
    SpannerTransactions,
    known=[
        holds(transactions="nonconflict", tt_max_si=range(5)),
        holds(transactions=("read-only", "circular"), tt_max_si=range(2)),
    ],
)
def strict_serializability(protocol, now):
    """Once all transactions have ended, the committed ones are strictly serializable.

    From `StrictSerializability` of TxTest. A transaction counts as started when it committed, at its commit
    timestamp, as in the module. Holds in all states searched.
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
