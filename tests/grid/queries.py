"""Queries, and answers to them, to vary in tests."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import leadline
from leadline.symbolic.engines import BmcOptions, Limits, Query
from leadline.symbolic.engines.prove.induction import InductionOptions
from leadline.symbolic.grid.query import ASKED, GridQuery
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.trace import DEADLOCK
from tests.grid.rows import row

QUERY = GridQuery(
    protocol="counter",
    parameters='{"top":3}',
    kind="invariant",
    query=Query("counter.py", {"top": 3}, ("below-three",), BmcOptions(5), "z3"),
    limits=Limits(60, 500),
    fingerprint="f",
)


def query(**changes: Any) -> GridQuery:
    """The query with other fields, or with other options of its engine."""
    own = {name: changes.pop(name) for name in ("depth", "unroll", "split", "cube") if name in changes}
    return with_options(changed(QUERY, **changes), **own)


def changed(asked: GridQuery, **changes: Any) -> GridQuery:
    """A query with other fields, of its own or of the question in it."""
    if "property" in changes:
        name = changes.pop("property")
        changes |= {"properties": () if name == DEADLOCK else (name,), "deadlock": name == DEADLOCK}
    inside = {field.name for field in fields(Query)} & changes.keys()
    question = replace(asked.query, **{name: changes.pop(name) for name in inside})
    return replace(asked, query=question, **changes)


def with_options(asked: GridQuery, **changes: Any) -> GridQuery:
    """The query with other options of its engine."""
    return changed(asked, options=replace(asked.query.options, **changes))


def obligation(name: str, **changes: Any) -> GridQuery:
    return query(options=InductionOptions((name,)), **changes)


def finding(asked: GridQuery, verdict: str, depth: int = -1, steps: int | None = None) -> Row:
    """The row with an answer to a query; its task took a second."""
    found = {"query": asked.id, "verdict": verdict, "depth": depth, "steps": steps, "task_seconds": 1.0}
    question = {name: getattr(asked, name) for name in ASKED}
    return row(**question, **found, unroll=asked.unroll, leadline_version=leadline.__version__)
