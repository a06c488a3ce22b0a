"""One query answered, on whatever machine: always a row, never an error."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import time
from datetime import UTC, datetime
from typing import Any

import leadline
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Query, Result, Verdict, answer_limited
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import InternalError
from leadline.symbolic.trace import DEADLOCK, document

_PACKAGES = {"z3": "z3-solver", "cadical": "python-sat"}


def answer(query: GridQuery, store: Store) -> Row:
    """Answer a query within its limits and store the row.

    Nothing is raised: one failing partition would cost the whole job its finished rows. A query that fails is
    unknown, its reason says why. A row that this machine cannot store still goes to the caller.
    """
    started, begin = datetime.now(UTC), time.monotonic()
    try:
        found = _searched(query)
    except Exception as error:
        found = {**_NOTHING, "reason": f"error: {type(error).__name__}: {error}"}
    row = Row(
        **_asked(query), **found, **_where(query), started=started, task_seconds=time.monotonic() - begin
    )
    # The caller stores what is not there, and tells if it cannot either.
    with contextlib.suppress(OSError):
        store.keep(row)
    return row


_NOTHING: dict[str, Any] = {
    "verdict": str(Verdict.UNKNOWN),
    "depth": -1,
    "steps": None,
    "build_seconds": 0.0,
    "solve_seconds": 0.0,
    "total_seconds": 0.0,
    "memory_mb": 0.0,
    "variables": 0,
    "clauses": 0,
    "reason": None,
    "trace": None,
}


def _searched(query: GridQuery) -> dict[str, Any]:
    """The columns that say what was found."""
    model = model_of(find(query.source), dict(query.settings))
    if model.fingerprint != query.fingerprint:
        raise InternalError(f"{query.source} is another protocol here than where the grid was planned")
    deadlock = query.property == DEADLOCK
    # No name would ask for all properties: with a deadlock goes one that is not looked at.
    asked = next(iter(model.properties), None) if deadlock else query.property
    names = () if asked is None else (asked,)
    check = Query(
        source=query.source,
        settings=dict(query.settings),
        properties=names,
        depth=query.depth,
        unroll=query.unroll,
        solver=query.solver,
        deadlock=deadlock,
    )
    result: Result = answer_limited(model, check, query.limits)[-1]
    effort = result.effort
    trace = None if result.trace is None else document(model, result.trace, query.source)
    return {
        "verdict": str(result.verdict),
        "depth": result.depth,
        "steps": result.steps,
        "build_seconds": effort.build,
        "solve_seconds": effort.solve,
        "total_seconds": effort.total,
        "memory_mb": effort.memory_mb,
        "variables": effort.variables,
        "clauses": effort.clauses,
        "reason": result.reason,
        "trace": None if trace is None else json.dumps(trace, separators=(",", ":"), ensure_ascii=False),
    }


def _asked(query: GridQuery) -> dict[str, Any]:
    """The columns that say what was asked."""
    return {
        "query": query.id,
        "protocol": query.protocol,
        "source": query.source,
        "parameters": query.parameters,
        "property": query.property,
        "kind": query.kind,
        "depth_asked": query.depth,
        "engine": "bmc",
        "unroll": query.unroll,
        "solver": query.solver,
        "timeout_seconds": query.limits.seconds,
        "memory_limit_mb": query.limits.memory_mb,
        "fingerprint": query.fingerprint,
    }


def _where(query: GridQuery) -> dict[str, Any]:
    """The columns that say by what and where."""
    package = _PACKAGES[query.solver]
    return {
        "leadline_version": leadline.__version__,
        "solver_version": f"{package} {importlib.metadata.version(package)}",
        "python_version": platform.python_version(),
        "host": platform.node(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
    }
