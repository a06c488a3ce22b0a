"""A row to vary in tests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from leadline.symbolic.engines import BmcOptions
from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.engines.prove.induction import InductionOptions
from leadline.symbolic.grid.query import options_json
from leadline.symbolic.grid.remote import Place
from leadline.symbolic.grid.rows import Row

ROW = Row(
    query="a1",
    protocol="counter",
    source="counter.py",
    parameters='{"nodes":1,"overflow":false,"top":3}',
    property="below-three",
    kind="invariant",
    engine="bmc",
    options=options_json(BmcOptions(10)),
    depth_asked=10,
    unroll="steps",
    obligation=None,
    solver="z3",
    seed=0,
    timeout_seconds=60.0,
    memory_limit_mb=None,
    verdict="violated",
    depth=2,
    steps=3,
    stem=None,
    loop=None,
    build_seconds=0.25,
    solve_seconds=0.5,
    total_seconds=0.75,
    task_seconds=1.0,
    memory_mb=42.5,
    variables=100,
    clauses=300,
    predicted_seconds=0.5,
    reason=None,
    cause=None,
    notes="[]",
    moot_by=None,
    trace="traces/a1.json",
    run="run-1",
    fingerprint="f",
    leadline_version="0.1.0",
    solver_version="z3-solver 5",
    python_version="3.11",
    host="here",
    machine="Linux, 2 processors",
    started=datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC),
)


def row(**changes: Any) -> Row:
    """The row with changes. With another verdict it has no counterexample; safe is as deep as asked.

    The cause of an unknown row is the one with which its reason begins.
    """
    if changes.get("verdict", ROW.verdict) not in ("violated", "out-of-bounds"):
        changes = {"steps": None, "trace": None, **changes}
    if changes.get("verdict") == "proved":
        changes = {"engine": "induction", **changes}  # a bounded check proves nothing
    if changes.get("verdict") == "safe":
        changes = {"depth": changes.get("depth_asked", ROW.depth_asked), **changes}
    if changes.get("verdict") == "unknown":
        reason = (changes.get("reason") or "").replace("not inductive", "not-inductive")
        changes = {"cause": next((str(x) for x in Cause if reason.startswith(x)), None), **changes}
    return replace(ROW, **changes)


def later(minutes: int, **changes: Any) -> Row:
    """A row of another run, begun so many minutes later."""
    return row(run=f"run-{minutes}-later", started=ROW.started + timedelta(minutes=minutes), **changes)


def unknown(reason: str, **changes: Any) -> Row:
    return row(**{"verdict": "unknown", "steps": None, "trace": None, "reason": reason, **changes})


def obligation(name: str, verdict: str = "proved", **changes: Any) -> Row:
    """An obligation's row."""
    options = options_json(InductionOptions((name,)))
    asked = {"engine": "induction", "options": options, "obligation": name}
    none: dict[str, Any] = dict.fromkeys(("depth_asked", "unroll", "steps", "trace"))
    return row(**{**asked, **none, "verdict": verdict, "depth": -1, **changes})


def local(place: Place) -> Path:
    """A place of a store in a folder."""
    assert isinstance(place, Path)
    return place
