"""One query answered, on whatever machine: always an answer, never an error."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Effort, Query, Verdict, answer_limited
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.store.rows import Row
from leadline.symbolic.grid.versions import leadline_version, python_version, solver_version
from leadline.symbolic.lang import InternalError, Model
from leadline.symbolic.trace import DEADLOCK, document

UNKNOWN = str(Verdict.UNKNOWN)


@dataclass(frozen=True)
class Answer:
    """What a task hands back.

    Attributes:
        row: what is known of the query.
        documents: the files that go with the row, by their paths relative to the store.
    """

    row: Row
    documents: Mapping[str, str] = field(default_factory=dict)


def answer(query: GridQuery, run: str, predicted: float | None) -> Answer:
    """Answer a query within its limits.

    Nothing is raised: a query that fails is unknown, and its reason says why.

    Args:
        query: what is asked.
        run: the name of the run of `leadline grid` that asks.
        predicted: what the cost model expects the query to take, in seconds.
    """
    started, begin = datetime.now(UTC), time.monotonic()
    documents: dict[str, str] = {}
    try:
        found = _found(query)
    except Exception as error:
        found = _Found(UNKNOWN, -1, None, f"error: {type(error).__name__}: {error}", Effort())
    if found.document is not None:
        documents[f"traces/{query.id}.json"] = found.document
    row = Row(
        **_asked(query, run, predicted),
        **found.columns(),
        **_where(query),
        trace=next(iter(documents), None),
        started=started,
        task_seconds=time.monotonic() - begin,
    )
    return Answer(row, documents)


def unanswered(query: GridQuery, run: str, predicted: float | None, verdict: str, reason: str) -> Row:
    """The row of a query that no task answered: it is moot, or what ran it was lost.

    Args:
        query: what was asked.
        run: the name of the run of `leadline grid` that asked.
        predicted: what the cost model expects the query to take, in seconds.
        verdict: "moot" or "unknown".
        reason: why.
    """
    return Row(
        **_asked(query, run, predicted),
        **_Found(verdict, -1, None, reason, Effort()).columns(),
        **_where(query),
        trace=None,
        started=datetime.now(UTC),
        task_seconds=0.0,
    )


@dataclass(frozen=True)
class _Found:
    """What an engine found, and its document as JSON."""

    verdict: str
    depth: int
    steps: int | None
    reason: str | None
    effort: Effort
    document: str | None = None

    def columns(self) -> dict[str, Any]:
        """The columns that say so."""
        return {
            "verdict": self.verdict,
            "depth": self.depth,
            "steps": self.steps,
            "reason": self.reason,
            "build_seconds": self.effort.build,
            "solve_seconds": self.effort.solve,
            "total_seconds": self.effort.total,
            "memory_mb": self.effort.memory_mb,
            "variables": self.effort.variables,
            "clauses": self.effort.clauses,
        }


def _found(query: GridQuery) -> _Found:
    model = model_of(find(query.source), dict(query.settings))
    if model.fingerprint != query.fingerprint:
        raise InternalError(f"{query.source} is another protocol here than where the grid was planned")
    return _bounded(query, model) if query.engine == "bmc" else _obligation(query, model)


def _bounded(query: GridQuery, model: Model) -> _Found:
    assert query.depth is not None and query.unroll is not None
    deadlock = query.property == DEADLOCK
    check = Query(
        source=query.source,
        settings=dict(query.settings),
        properties=() if deadlock else (query.property,),
        depth=query.depth,
        unroll=query.unroll,
        solver=query.solver,
        deadlock=deadlock,
        seed=query.seed,
    )
    (result,) = answer_limited(model, check, query.limits)
    trace = None if result.trace is None else _json(document(model, result.trace, query.source))
    return _Found(str(result.verdict), result.depth, result.steps, result.reason, result.effort, trace)


def _obligation(query: GridQuery, model: Model) -> _Found:
    # Here, since most grids ask for no proof.
    from leadline.symbolic.engines.induction import ObligationVerdict, answer_obligation

    assert query.obligation is not None
    result = answer_obligation(
        model,
        query.property,
        query.obligation,
        query.solver,
        query.limits,
        query.seed,
        source=query.source,
    )
    holds = result.verdict is ObligationVerdict.HOLDS
    verdict = Verdict.PROVED if holds else Verdict.UNKNOWN
    cti = None if result.cti is None else _json(result.cti)
    return _Found(str(verdict), -1, None, result.reason, result.effort, cti)


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def _asked(query: GridQuery, run: str, predicted: float | None) -> dict[str, Any]:
    """The columns that say what was asked, and by whom."""
    return {
        "query": query.id,
        "protocol": query.protocol,
        "source": query.source,
        "parameters": query.parameters,
        "property": query.property,
        "kind": query.kind,
        "engine": query.engine,
        "depth_asked": query.depth,
        "unroll": query.unroll,
        "obligation": query.obligation,
        "solver": query.solver,
        "seed": query.seed,
        "timeout_seconds": query.limits.seconds,
        "memory_limit_mb": query.limits.memory_mb,
        "predicted_seconds": predicted,
        "run": run,
        "fingerprint": query.fingerprint,
    }


def _where(query: GridQuery) -> dict[str, Any]:
    """The columns that say by what and where."""
    return {
        "leadline_version": leadline_version(),
        "solver_version": solver_version(query.solver),
        "python_version": python_version(),
        "host": platform.node(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
    }
