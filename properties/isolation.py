"""Isolation levels of transactions, judged by the values that they have read.

N. Crooks, Y. Pu, L. Alvisi, A. Clement: Seeing is Believing: A Client-Centric Specification of Database
Isolation, PODC 2017. A level holds of a history if there is an execution, an order of its committed
transactions each of which takes the database from one state to the next, in which every transaction
passes the level's commit test. The tests compare what a transaction read with the states of the
execution; how the database works inside plays no part.

Each level here is a function from a history to a Boolean expression of the language, for use in properties:

    history = History({"x": 0}, (Transaction(reads={"x": now.seen}, writes={"x": 1}), ...))
    return serializability(history)

As in the paper: a transaction reads a key before it writes it (a read of its own write says nothing), and
values written to one key should differ, or a value does not tell which transaction wrote it. The transactions
in the history may depend on the state (`committed`), and so may their reads and writes. The expression goes
through all orders of the transactions, so it is meant for up to 5 of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from leadline.symbolic.lang import (
    BoolExpr,
    OptionExpr,
    UserError,
    all_of,
    any_of,
    implies,
    ite,
)

Prefix = tuple["Transaction", ...]
"""The transactions that come first in an execution; it stands for the state that they lead to."""

CommitTest = Callable[["History", Prefix, "Transaction"], BoolExpr]
"""Whether a transaction passes after a prefix."""


@dataclass(frozen=True, eq=False)
class Transaction:
    """One transaction, in expressions or Python values.

    Attributes:
        reads: by key, the value that it read; None, or an option that is None, where it did not read.
        writes: by key, the value that it wrote, likewise.
        committed: whether it is part of the history.
        start: when it started, an integer; for strict serializability only.
        commit: when it committed, not before it started.
    """

    reads: Mapping[str, Any]
    writes: Mapping[str, Any]
    committed: Any = True
    start: Any = None
    commit: Any = None


@dataclass(frozen=True)
class History:
    """Transactions, and the value that each key had before them.

    Raises:
        UserError: if a transaction reads or writes a key that has no initial value.
    """

    initial: Mapping[str, Any]
    transactions: tuple[Transaction, ...]

    def __post_init__(self) -> None:
        for one in self.transactions:
            for key in (*one.reads, *one.writes):
                if key not in self.initial:
                    raise UserError(f"a transaction uses the key {key!r}, which has no initial value")


def read_committed(history: History) -> BoolExpr:
    """Every read is of a state before the transaction: a value that was committed, or the initial one."""
    return _exists_execution(history, _reads_committed_values)


def snapshot_isolation(history: History) -> BoolExpr:
    """All reads of a transaction are of one state before it; since then no other writes the same keys."""
    return _exists_execution(history, _reads_a_snapshot)


def serializability(history: History) -> BoolExpr:
    """All reads of a transaction are of the state right before it."""
    return _exists_execution(history, _reads_the_parent_state)


def strict_serializability(history: History) -> BoolExpr:
    """As serializability, and a transaction that committed before another started comes before it.

    Raises:
        UserError: if a transaction has no start or commit time.
    """
    for one in history.transactions:
        if one.start is None or one.commit is None:
            raise UserError("strict serializability needs the start and commit time of every transaction")

    def in_time(history: History, prefix: Prefix, one: Transaction) -> BoolExpr:
        later = [other for other in history.transactions if other is not one and other not in prefix]
        too_late = [all_of(other.committed, other.commit < one.start) for other in later]
        return all_of(_reads_the_parent_state(history, prefix, one), ~any_of(*too_late))

    return _exists_execution(history, in_time)


# -- executions -------------------------------------------------------------------------------------------


def _exists_execution(history: History, passes: CommitTest) -> BoolExpr:
    """Whether there is an order in which every committed transaction passes; the others change nothing."""

    def goes_on(prefix: Prefix, rest: Prefix) -> BoolExpr:
        if not rest:
            return all_of()
        return any_of(*(comes_next(prefix, one, tuple(x for x in rest if x is not one)) for one in rest))

    def comes_next(prefix: Prefix, one: Transaction, rest: Prefix) -> BoolExpr:
        return all_of(implies(one.committed, passes(history, prefix, one)), goes_on((*prefix, one), rest))

    return goes_on((), history.transactions)


def _holds(history: History, prefix: Prefix, key: str, value: Any) -> Any:
    """Whether the key has the value in the state that the prefix leads to."""
    same: Any = history.initial[key] == value
    for one in prefix:
        done, written = _operation(one.writes, key)
        same = ite(all_of(one.committed, done), written == value if done is not False else False, same)
    return same


def _operation(operations: Mapping[str, Any], key: str) -> tuple[Any, Any]:
    """Whether there is an operation on the key, and its value."""
    value = operations.get(key)
    if isinstance(value, OptionExpr):
        return value.is_some, value.value
    return value is not None, value


def _each(operations: Mapping[str, Any], holds: Callable[[str, Any], Any]) -> BoolExpr:
    """Whether something holds of the key and value of every operation."""
    told = []
    for key in operations:
        done, value = _operation(operations, key)
        if done is not False:
            told.append(implies(done, holds(key, value)))
    return all_of(*told)


# -- commit tests -----------------------------------------------------------------------------------------


def _reads_the_parent_state(history: History, prefix: Prefix, one: Transaction) -> BoolExpr:
    return _each(one.reads, lambda key, value: _holds(history, prefix, key, value))


def _reads_committed_values(history: History, prefix: Prefix, one: Transaction) -> BoolExpr:
    states = [prefix[:length] for length in range(len(prefix) + 1)]
    return _each(
        one.reads, lambda key, value: any_of(*(_holds(history, state, key, value) for state in states))
    )


def _reads_a_snapshot(history: History, prefix: Prefix, one: Transaction) -> BoolExpr:
    def is_snapshot(length: int) -> BoolExpr:
        state, since = prefix[:length], prefix[length:]
        read = _reads_the_parent_state(history, state, one)
        return all_of(read, *(~_conflict(history, state, other, one) for other in since))

    # The nearest state first: it is the one in a serial execution.
    return any_of(*(is_snapshot(length) for length in range(len(prefix), -1, -1)))


def _conflict(history: History, state: Prefix, other: Transaction, one: Transaction) -> BoolExpr:
    """Whether the other transaction has changed, since the state, a value that this one writes."""

    def changed(key: str) -> BoolExpr:
        done, _ = _operation(one.writes, key)
        written, value = _operation(other.writes, key)
        return all_of(done, other.committed, written, ~all_of(_holds(history, state, key, value)))

    return any_of(*(changed(key) for key in one.writes if key in other.writes))
