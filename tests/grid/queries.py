"""Queries, and answers to them, to vary in tests."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.engines import Limits
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.running.pruning import Finding, Subject

QUERY = {
    "protocol": "counter",
    "source": "counter.py",
    "settings": (("top", 3),),
    "parameters": '{"top":3}',
    "property": "below-three",
    "kind": "invariant",
    "engine": "bmc",
    "depth": 5,
    "unroll": "steps",
    "obligation": None,
    "solver": "z3",
    "seed": 0,
    "limits": Limits(60, 500),
    "fingerprint": "f",
}


def query(**changes: Any) -> GridQuery:
    return GridQuery(**{**QUERY, **changes})


def obligation(name: str, **changes: Any) -> GridQuery:
    return query(engine="induction", depth=None, unroll=None, obligation=name, **changes)


def finding(asked: GridQuery, verdict: str, depth: int = -1, steps: int | None = None) -> Finding:
    return Finding(
        asked.id, Subject.of(asked), verdict, depth, steps, asked.unroll, asked.obligation, seconds=1.0
    )
