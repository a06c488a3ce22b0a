"""Isolation levels: known anomalies, and all levels against their definitions written out in plain Python."""

import itertools
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from leadline.properties import isolation
from leadline.properties.isolation import History, Transaction
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang import (
    Bool,
    BoolExpr,
    Claim,
    Enum,
    Int,
    Map,
    Option,
    Protocol,
    State,
    UserError,
    all_of,
    any_of,
    build,
    enum,
    implies,
    invariant,
    record,
)
from tests.truth import bounded

LEVELS = {
    "read-committed": isolation.read_committed,
    "snapshot-isolation": isolation.snapshot_isolation,
    "serializability": isolation.serializability,
    "strict-serializability": isolation.strict_serializability,
}
"""From the weakest to the strongest."""

KEYS = ("x", "y")
INITIAL = {"x": 0, "y": 0}
SIZE = 3
LAST = 3


class Histories(Protocol):
    """Every history of three transactions over two keys is an initial state, and nothing happens."""

    def define(self, state: Any) -> None:
        key: Enum = enum("Key", *KEYS)
        self.Tx = Int(1, SIZE)
        value = Option(Int(0, SIZE))
        time = Int(0, LAST)
        self.TxState = record(
            "Tx", read=Map(key, value), write=Map(key, value), committed=Bool(), start=time, commit=time
        )
        state.txs = Map(self.Tx, self.TxState)

    def init(self, start: Any) -> None:
        start.txs = start.pick("txs", Map(self.Tx, self.TxState))


def history(now: State) -> History:
    """The state's history."""
    return History(
        INITIAL,
        tuple(
            Transaction(
                {key: now.txs[tx].read[key] for key in KEYS},
                {key: now.txs[tx].write[key] for key in KEYS},
                now.txs[tx].committed,
                now.txs[tx].start,
                now.txs[tx].commit,
            )
            for tx in range(1, SIZE + 1)
        ),
    )


Values = dict[str, int]
Plain = tuple[Values, Values, bool, int, int]
"""A transaction: what it read, what it wrote, whether it committed, when it started and committed."""

ABSENT: Plain = ({}, {}, False, 0, 0)


def state_of(transactions: tuple[Plain, ...]) -> Any:
    """The state of the protocol that has the transactions; those that are missing did not commit."""
    padded = (*transactions, *[ABSENT] * (SIZE - len(transactions)))
    return (
        tuple(
            (tuple(read.get(key) for key in KEYS), tuple(write.get(key) for key in KEYS), *rest)
            for read, write, *rest in padded
        ),
    )


def one(read: Values, write: Values, start: int = 0, commit: int = 0, committed: bool = True) -> Plain:
    return read, write, committed, start, commit


# What is known by name: the transactions, and the strongest level that holds.
EXAMPLES: dict[str, tuple[tuple[Plain, ...], str | None]] = {
    "nothing": ((), "strict-serializability"),
    "one after the other": (
        (one({"x": 1}, {"y": 2}, 2, 3), one({}, {"x": 1}, 0, 1)),
        "strict-serializability",
    ),
    "at the same time": ((one({"x": 0}, {"y": 2}, 0, 2), one({}, {"x": 1}, 0, 1)), "strict-serializability"),
    "stale read": ((one({}, {"x": 1}, 0, 1), one({"x": 0}, {}, 2, 3)), "serializability"),
    "write skew": ((one({"x": 0}, {"y": 1}), one({"y": 0}, {"x": 2})), "snapshot-isolation"),
    "a reader between": (
        (one({"x": 0, "y": 0}, {"x": 1}), one({"x": 0, "y": 0}, {"y": 2}), one({"x": 1, "y": 0}, {})),
        "snapshot-isolation",
    ),
    "lost update": ((one({"x": 0}, {"x": 1}), one({"x": 0}, {"x": 2})), "read-committed"),
    "fractured read": ((one({}, {"x": 1, "y": 1}), one({"x": 1, "y": 0}, {})), "read-committed"),
    "aborted read": ((one({}, {"x": 1}, committed=False), one({"x": 1}, {})), None),
    "read of nothing": ((one({"x": 3}, {"y": 1}),), None),
    "circular information flow": ((one({"x": 2}, {"y": 1}), one({"y": 1}, {"x": 2})), None),
}


def claim(name: str, formula: Callable[[Any, State], Any]) -> Claim:
    """An invariant of the histories."""

    def stated(protocol: Histories, now: State) -> Any:
        return formula(protocol, now)

    stated.__name__ = name
    return invariant(Histories)(stated)


def level_claim(name: str) -> Claim:
    """That a level holds."""
    return claim(name, lambda _, now: LEVELS[name](history(now)))


def implication(premise: str, conclusion: str) -> Claim:
    """That a level implies another."""

    def formula(_: Any, now: State) -> BoolExpr:
        return implies(LEVELS[premise](history(now)), LEVELS[conclusion](history(now)))

    return claim(f"{premise} implies {conclusion}", formula)


SEMANTICS = Semantics(build(Histories(), map(level_claim, LEVELS)))


def holding(transactions: tuple[Plain, ...]) -> list[str]:
    """The levels that hold, by the concrete meaning."""
    state = state_of(transactions)
    return [name for name in LEVELS if SEMANTICS.holds(name, state)]


def up_to(strongest: str | None) -> list[str]:
    """A level and all below it."""
    names = list(LEVELS)
    return names[: names.index(strongest) + 1] if strongest is not None else []


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_satisfies_its_level_and_not_the_next(name: str) -> None:
    transactions, strongest = EXAMPLES[name]
    assert holding(transactions) == up_to(strongest)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_order_of_the_list_is_no_matter(name: str) -> None:
    transactions, strongest = EXAMPLES[name]
    for order in itertools.permutations(transactions):
        assert holding(order) == up_to(strongest)


def test_the_encoding_says_the_same_of_the_examples() -> None:
    made = [
        claim(f"{name}: {level}", partial(_as_expected, example=example, level=level))
        for name, example in EXAMPLES.items()
        for level in LEVELS
    ]
    results = bounded(build(Histories(), made), "cadical", 0)
    assert {
        name: result.verdict for name, result in results.items() if result.verdict is not Verdict.SAFE
    } == {}
    assert len(results) == len(EXAMPLES) * len(LEVELS)


def _as_expected(
    _: Histories, now: State, example: tuple[tuple[Plain, ...], str | None], level: str
) -> BoolExpr:
    """In the state of the example the level holds, or does not, as it should."""
    (txs,) = state_of(example[0])
    is_example = now.txs == {tx: _as_dict(txs[tx - 1]) for tx in range(1, SIZE + 1)}
    return implies(is_example, LEVELS[level](history(now)) == (level in up_to(example[1])))


def _as_dict(tx: Any) -> dict[str, Any]:
    read, write, committed, start, commit = tx
    return {
        "read": dict(zip(KEYS, read, strict=True)),
        "write": dict(zip(KEYS, write, strict=True)),
        "committed": committed,
        "start": start,
        "commit": commit,
    }


# -- every history ----------------------------------------------------------------------------------------


def test_each_level_implies_the_one_below_in_every_history() -> None:
    made = [implication(stronger, weaker) for weaker, stronger in itertools.pairwise(LEVELS)]
    results = bounded(build(Histories(), made), "cadical", 0)
    assert [result.verdict for result in results.values()] == [Verdict.SAFE] * 3


def test_no_level_implies_the_one_above_in_every_history() -> None:
    made = [implication(weaker, stronger) for weaker, stronger in itertools.pairwise(LEVELS)]
    results = bounded(build(Histories(), made), "cadical", 0)
    assert [(result.verdict, result.steps) for result in results.values()] == [(Verdict.VIOLATED, 0)] * 3


# -- the definitions in plain Python ----------------------------------------------------------------------


def plainly(transactions: tuple[Plain, ...]) -> list[str]:
    """The levels that hold, by going through all executions of the committed transactions."""
    committed = [tx for tx in transactions if tx[2]]
    tests = (reads_committed, reads_snapshot, reads_parent, reads_parent_in_time)
    return [
        name
        for name, test in zip(LEVELS, tests, strict=True)
        if any(passes(order, test) for order in itertools.permutations(committed))
    ]


def passes(order: tuple[Plain, ...], test: Callable[..., bool]) -> bool:
    states = [INITIAL]
    for _, write, *_ in order:
        states.append({**states[-1], **write})
    return all(test(order, states, place) for place in range(len(order)))


def reads_from(read: Values, state: Values) -> bool:
    return all(state[key] == value for key, value in read.items())


def reads_committed(order: tuple[Plain, ...], states: list[Values], place: int) -> bool:
    read = order[place][0]
    return all(any(state[key] == value for state in states[: place + 1]) for key, value in read.items())


def reads_snapshot(order: tuple[Plain, ...], states: list[Values], place: int) -> bool:
    read, write, *_ = order[place]
    return any(
        reads_from(read, states[x])
        and all(states[x][key] == states[y][key] for y in range(x + 1, place + 1) for key in write)
        for x in range(place + 1)
    )


def reads_parent(order: tuple[Plain, ...], states: list[Values], place: int) -> bool:
    return reads_from(order[place][0], states[place])


def reads_parent_in_time(order: tuple[Plain, ...], states: list[Values], place: int) -> bool:
    start = order[place][3]
    return reads_parent(order, states, place) and not any(later[4] < start for later in order[place + 1 :])


def test_random_histories_are_judged_as_by_the_definitions() -> None:
    chance = random.Random(1)
    judged: Counter[str] = Counter()
    for _ in range(4_000):
        transactions = tuple(random_transaction(chance, tx) for tx in range(1, SIZE + 1))
        expected = plainly(transactions)
        assert holding(transactions) == expected, transactions
        judged[expected[-1] if expected else "none"] += 1
    # Each level is the strongest that holds of some.
    assert min(judged[name] for name in (*LEVELS, "none")) > 20, judged


def random_transaction(chance: random.Random, tx: int) -> Plain:
    """A transaction that reads likely values; two may write the same one."""
    read = {key: chance.choice([0, 0, 0, 1, 2]) for key in KEYS if chance.random() < 0.4}
    write = {key: chance.choice([tx, tx, tx, 1]) for key in KEYS if chance.random() < 0.5}
    start = chance.randint(0, LAST)
    return one(read, write, start, chance.randint(start, LAST), committed=chance.random() < 0.9)


# -- constants, and mistakes ------------------------------------------------------------------------------


def test_a_history_of_constants_is_judged_while_it_is_written() -> None:
    skew = History(INITIAL, (Transaction({"x": 0}, {"y": 1}), Transaction({"y": 0}, {"x": 2})))
    assert isolation.snapshot_isolation(skew).node == all_of().node
    assert isolation.serializability(skew).node == any_of().node


def test_a_key_needs_an_initial_value() -> None:
    with pytest.raises(UserError, match="a transaction uses the key 'z', which has no initial value"):
        History(INITIAL, (Transaction({}, {"z": 1}),))


def test_strict_serializability_needs_times() -> None:
    with pytest.raises(UserError, match="needs the start and commit time of every transaction"):
        isolation.strict_serializability(History(INITIAL, (Transaction({}, {"x": 1}, start=0),)))
