"""Queries, and answers to them, to vary in tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import leadline
from leadline.symbolic.engines import BmcOptions, Limits
from leadline.symbolic.engines.prove.induction import InductionOptions
from leadline.symbolic.grid.query import ASKED, GridQuery, options_json
from leadline.symbolic.grid.rows import Row
from tests.grid.rows import row

QUERY = {
    "protocol": "counter",
    "source": "counter.py",
    "settings": (("top", 3),),
    "parameters": '{"top":3}',
    "property": "below-three",
    "kind": "invariant",
    "engine": "bmc",
    "options": options_json(BmcOptions(5)),
    "solver": "z3",
    "seed": 0,
    "limits": Limits(60, 500),
    "fingerprint": "f",
}


def query(**changes: Any) -> GridQuery:
    """The query with other fields, or with other options of its engine."""
    own = {name: changes.pop(name) for name in ("depth", "unroll", "split", "cube") if name in changes}
    return with_options(GridQuery(**{**QUERY, **changes}), **own)


def with_options(asked: GridQuery, **changes: Any) -> GridQuery:
    """The query with other options of its engine."""
    return replace(asked, options=options_json(replace(asked.asked, **changes)))


def obligation(name: str, **changes: Any) -> GridQuery:
    return query(engine="induction", options=options_json(InductionOptions((name,))), **changes)


def finding(asked: GridQuery, verdict: str, depth: int = -1, steps: int | None = None) -> Row:
    """The row with an answer to a query; its task took a second."""
    found = {"query": asked.id, "verdict": verdict, "depth": depth, "steps": steps, "task_seconds": 1.0}
    question = {name: getattr(asked, name) for name in ASKED}
    return row(**question, **found, leadline_version=leadline.__version__)
