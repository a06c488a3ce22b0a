"""Leases and transactions with a mistake put in: each breaks what holds without it."""

from pathlib import Path
from typing import Any

import pytest

from leadline.encodings.spanner_leases import SpannerLeases
from leadline.encodings.spanner_transactions import SpannerTransactions
from leadline.encodings.truetime import TrueTime
from leadline.symbolic.catalog import find
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang import (
    action,
    all_of,
    any_of,
    build,
    number_where,
    of,
    pick,
)
from tests.exploring import explore
from tests.truth import bounded


class TakesTheEarliestTimeForPassed(SpannerLeases):
    """A bound of the clock is off by one."""

    def has_passed(self, now, time):
        """Holds of the earliest time that it may be now."""
        return time <= self.earliest(now)


class GrantsWhileBound(SpannerLeases):
    """A replica does not wait until the lease that it granted has ended."""

    @action
    def handle_vote(self, now, nxt, replica=pick("Replica"), voter=pick("Replica"), end=pick("LeaseEnd")):
        """Grants whatever is asked for."""
        nxt.require(now.msgs.has(of(self.Message, "Vote", end=end, voter=voter)))
        nxt.require(now.states[replica].role == "Backup")
        nxt.states[replica].end = self.latest(now) + self.leader_interval
        nxt.msgs = now.msgs.add(of(self.Message, "Grant", end=end, voter=voter, acceptor=replica))


class LeadsWithoutMajority(SpannerLeases):
    """A bound of the quorum is off by one."""

    @action
    def become_leader(self, now, nxt, replica=pick("Replica")):
        """Is content with one grant less."""
        end = now.states[replica].end
        nxt.require(now.states[replica].role == "Backup", end > 0)
        grants = number_where(self.Replica, lambda acceptor: self.is_granted(now, replica, acceptor, end))
        nxt.require(grants >= self.replicas // 2)
        nxt.states[replica].role = "Leader"
        nxt.intervals = now.intervals.add(of(self.Interval, leader=replica, end=end))


class DoesNotWait(SpannerTransactions):
    """No commit wait."""

    @action
    def commit(self, now, nxt, tx=pick("Tx")):
        """Commits before the timestamp has passed."""
        nxt.require(now.txs[tx].status == "CommitWaiting")
        nxt.txs[tx].status = "Committed"


class ReadsWithoutLock(SpannerTransactions):
    """Reads take no lock."""

    @action
    def read(self, now, nxt, tx=pick("Tx"), key=pick("Key")):
        """Leaves the key to others."""
        self.require_status(now, nxt, tx, "Reading")
        nxt.require(self.reads[tx].has(key), now.txs[tx].read[key].is_none, now.ps[key].lock.is_none)
        nxt.txs[tx].read[key] = self.latest_value(now, key)


class ReadsAtPreparedTimestamp(SpannerTransactions):
    """A bound of a read-only transaction is off by one."""

    def is_safe(self, now, key, ts):
        """Takes a prepared timestamp for safe, though it may be the commit timestamp."""
        prepared = now.ps[key].prepared
        return any_of(super().is_safe(now, key, ts), all_of(prepared.is_some, ts == prepared.value.ts))


# The second reads what the first writes.
READS_FROM = """
[[transaction]]
write = { x = 1 }
[[transaction]]
read = ["x"]
write = { y = 2 }
"""
WRITE_SKEW = """
[[transaction]]
read = ["x"]
write = { y = 1 }
[[transaction]]
read = ["y"]
write = { x = 2 }
"""
READ_BOTH = """
[[transaction]]
write = { x = 1, y = 1 }
[[transaction]]
read = ["x", "y"]
"""

SHORT_LEASES = {"leader_interval": 1, "tt_interval": 0}

LEASES: list[Any] = [
    # Two requests at different times, the four grants, two leaders, one of which steps down to grant; a tick.
    pytest.param(TakesTheEarliestTimeForPassed, {**SHORT_LEASES, "tt_max_si": 2}, 10, marks=pytest.mark.slow),
    # Two requests and a tick between them, two grants for each by the same replicas, two leaders.
    (GrantsWhileBound, {**SHORT_LEASES, "tt_max_si": 1}, 9),
    # Two requests and a tick between them, a grant, another tick and another grant, two leaders.
    (LeadsWithoutMajority, {**SHORT_LEASES, "tt_max_si": 2}, 8),
]
TRANSACTIONS: list[Any] = [
    # The clock drifts back, so that who has read the first one's write gets an earlier timestamp than it has.
    (DoesNotWait, READS_FROM, 11),
    # Each reads before the other writes: five steps each, and three of the time for both.
    pytest.param(ReadsWithoutLock, WRITE_SKEW, 13, marks=pytest.mark.slow),
    # A read of both keys after one of the two has been written and before the other is.
    pytest.param(ReadsAtPreparedTimestamp, READ_BOTH, 11, marks=pytest.mark.slow),
]


def check_found(
    sound: type[TrueTime], mutant: type[TrueTime], settings: dict[str, int | str], name: str, steps: int
) -> None:
    """The property holds without the mistake, and fails with it after that many steps."""
    claims = find(sound.protocol_name).claims
    without = explore(Semantics(build(sound(**settings), claims)), [name])
    assert without.complete
    assert without.properties[name].violations == 0
    model = build(mutant(**settings), claims)
    assert explore(Semantics(model), [name], depth=steps).properties[name].steps == steps
    result = bounded(model, "cadical", steps)[name]
    assert (result.verdict, result.steps, result.depth) == (Verdict.VIOLATED, steps, steps - 1)


@pytest.mark.parametrize(("mutant", "settings", "steps"), LEASES, ids=["time", "bound", "majority"])
def test_overlapping_leases_are_found(
    mutant: type[TrueTime], settings: dict[str, int | str], steps: int
) -> None:
    check_found(SpannerLeases, mutant, settings, "disjointness", steps)


@pytest.mark.slow
@pytest.mark.parametrize(("mutant", "transactions", "steps"), TRANSACTIONS, ids=["wait", "lock", "safe"])
def test_broken_isolation_is_found(
    mutant: type[TrueTime], transactions: str, steps: int, tmp_path: Path
) -> None:
    file = tmp_path / "transactions.toml"
    file.write_text(transactions)
    settings: dict[str, int | str] = {"transactions": str(file), "tt_max_si": 0}
    check_found(SpannerTransactions, mutant, settings, "strict-serializability", steps)
