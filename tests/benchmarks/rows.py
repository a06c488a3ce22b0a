"""Made-up measurements."""

from datetime import UTC, datetime
from typing import Any

from leadline.benchmarks.cases import CASES, Case
from leadline.benchmarks.measurement import Measurement
from leadline.benchmarks.record import Row, row
from leadline.benchmarks.ways import WAYS
from leadline.symbolic.engines import Limits, Verdict

NOW = datetime(2026, 11, 21, tzinfo=UTC)
LIMITS = Limits(60.0, 1000)


def case(name: str) -> Case:
    """A case of the table."""
    return {one.name: one for one in CASES}[name]


def took(seconds: float, name: str = "not-committed-2", way: str = "explore", **more: Any) -> Row:
    """A right answer after so many seconds."""
    asked = case(name)
    found = Measurement(asked.expected, seconds, depth=3, steps=asked.shortest, **more)
    return row(asked, WAYS[way], LIMITS, found, run=NOW, repeat=1, place=1, started=NOW, load=0.0)


def stopped(name: str = "not-committed-2", way: str = "explore", limit: str = "time") -> Row:
    """No answer after a minute."""
    found = Measurement(Verdict.UNKNOWN, 60.1, reason=f"{limit}: stopped")
    return row(case(name), WAYS[way], LIMITS, found, run=NOW, repeat=1, place=1, started=NOW, load=0.0)
