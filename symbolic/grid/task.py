"""One query answered, on whatever machine: always a result, never an error."""

from __future__ import annotations

import gc
import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import leadline
from leadline.symbolic.catalog import find, model_of, model_or_outline, receive
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import ENGINES, Result, Verdict, answer_in_child
from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.engines.ask.widening import Kept, widened_answers
from leadline.symbolic.engines.run.parallel import with_types
from leadline.symbolic.grid.pruning import Moot
from leadline.symbolic.grid.query import ASKED, GridQuery
from leadline.symbolic.grid.remote import Place, Remote, StoreAway
from leadline.symbolic.grid.rows import MOOT, Row, notes_json, solver_version
from leadline.symbolic.grid.store import RowFile, Store, certificate_place
from leadline.symbolic.lang import Model, NoSymbolicForm, UserError
from leadline.symbolic.trace import cti_document, document, end_place
from leadline.symbolic.trace.page import page_data


@dataclass(frozen=True)
class TaskResult:
    """The result of a task.

    Attributes:
        row: the answer to the query.
        documents: the files that go with the row, by their paths relative to the store.
        stored: whether the row and its documents, which are left out then, are in the store already.
    """

    row: Row
    documents: Mapping[str, str] = field(default_factory=dict)
    stored: bool = False


Task = Callable[[GridQuery, str, float | None], TaskResult]
"""Answers a query, as `answer` does."""


def answer(query: GridQuery, run: str, predicted: float | None) -> TaskResult:
    """Answer a query within its limits.

    Nothing is raised: a query that fails is unknown, and its reason says why.

    Args:
        query: the question.
        run: the name of the run of `leadline grid` that asks.
        predicted: the seconds that the cost model expects the query to take.
    """
    started, begin = datetime.now(UTC), time.monotonic()
    documents: dict[str, str] = {}
    try:
        result, witness = _answered(query)
    except Changed as error:
        result, witness = _failed(query, Cause.CHANGED, f"changed: {error}"), None
    except Exception as error:
        result, witness = _failed(query, Cause.ERROR, f"error: {type(error).__name__}: {error}"), None
    trace = None if witness is None else f"traces/{query.id}.json"
    if trace is not None and witness is not None:
        documents[trace] = _json(witness)
    if result.certificate is not None:
        documents[certificate_place(query.id)] = _json(result.certificate)
    about = _columns(query, run, predicted)
    seconds = time.monotonic() - begin
    found = _found(result)
    row = Row(**about, **found, moot_by=None, trace=trace, started=started, task_seconds=seconds)
    return TaskResult(row, documents)


def unanswered(query: GridQuery, run: str, predicted: float | None, why: Moot | str) -> Row:
    """The row of a query that no task answered.

    Args:
        query: the question.
        run: the name of the run of `leadline grid` that asked.
        predicted: the seconds that the cost model expects the query to take.
        why: why it is moot, or in words how the machine that ran it was lost.
    """
    failed = _failed(query, Cause.LOST, why.reason if isinstance(why, Moot) else why)
    columns = {**_columns(query, run, predicted), **_found(failed), "moot_by": None}
    if isinstance(why, Moot):
        columns |= {"verdict": MOOT, "cause": None, "moot_by": why.by}
    return Row(**columns, trace=None, started=datetime.now(UTC), task_seconds=0.0)


def _answered(query: GridQuery) -> tuple[Result, Mapping[str, Any] | None]:
    """An engine's result, and its counterexample as a document."""
    planned = planned_model(query)
    if query.query.options.has_changed():
        raise Changed(f"{query.property} was changed since the grid was planned")
    if planned.alone:
        return _explored(query, planned)
    kept = Kept()
    answers = widened_answers(
        planned,
        query.limits,
        lambda model, rest: answer_in_child(model, kept.left(model, query.query), rest),
        kept,
    )
    # Parts of a proof are about one model: they are not asked of models with wider types.
    *_, (model, found) = islice(answers, 1) if query.obligation is not None else answers
    (result,) = found.results
    return result, _witness(query, model, result)


def _explored(query: GridQuery, planned: Model) -> tuple[Result, Mapping[str, Any] | None]:
    """The result of exploration on values, as only that answers about a specification without a symbolic form."""
    try:
        if not ENGINES[query.engine].takes(True, query.query.options.to_json()):
            model_of(find(query.source, tried=True), dict(query.settings))
        found = with_types(planned, answer_in_child(planned, query.query, query.limits))
    except NoSymbolicForm as missing:
        return _failed(query, Cause.NO_FORM, str(missing)), None
    (result,) = found.results
    return result, _witness(query, found.model or planned, result)


def _witness(query: GridQuery, model: Model, result: Result) -> Mapping[str, Any] | None:
    """The counterexample of a result as a document; None if it has none."""
    if result.trace is None:
        return None if result.cti is None else cti_document(model, result.cti, query.source)
    # A report on the protocol of a user's file must not run the file, so what a page needs is stored now.
    semantics = Semantics(model)
    page, place = page_data(semantics, result.trace), end_place(semantics, result.trace)
    fault = None if place is None else [place.file, place.line]
    return {**document(model, result.trace, query.source), "page": page, "place": fault}


class Changed(UserError):
    """The protocol differs from the planned one: its file was edited or moved, or this machine has another."""


def planned_model(query: GridQuery) -> Model:
    """The model of a query, made anew.

    Raises:
        Changed: if it is not that of the plan.
    """
    try:
        model = model_or_outline(find(query.source, tried=True), dict(query.settings))
    except UserError as error:
        raise Changed(f"{query.source} cannot be loaded as it was planned: {error}") from error
    if model.fingerprint != query.fingerprint:
        raise Changed(f"{query.source} is another protocol here than where the grid was planned")
    return model


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def _failed(query: GridQuery, cause: Cause, reason: str) -> Result:
    return Result(query.property, query.engine, Verdict.UNKNOWN, reason=reason, cause=cause)


def _found(result: Result) -> dict[str, Any]:
    """The columns that hold the answer and its cost."""
    return {
        "verdict": str(result.verdict),
        "depth": result.depth,
        "steps": result.steps,
        "stem": None if result.trace is None else result.trace.loop,
        "loop": None if result.trace is None else result.trace.loop_length,
        "reason": result.reason,
        "cause": result.cause,
        "notes": notes_json(result.notes),
        "build_seconds": result.effort.build,
        "solve_seconds": result.effort.solve,
        "total_seconds": result.effort.total,
        "memory_mb": result.effort.memory_mb,
        "variables": result.effort.variables,
        "clauses": result.effort.clauses,
    }


def _columns(query: GridQuery, run: str, predicted: float | None) -> dict[str, Any]:
    """The columns that hold the question, the run, the versions and the machine."""
    return {
        **{name: getattr(query, name) for name in ASKED},
        "query": query.id,
        "source": query.source,
        "depth_asked": query.depth,
        "unroll": query.unroll,
        "obligation": query.obligation,
        "timeout_seconds": query.limits.seconds,
        "memory_limit_mb": query.limits.memory_mb,
        "predicted_seconds": predicted,
        "run": run,
        "leadline_version": leadline.__version__,
        "solver_version": solver_version(query.solver),
        "python_version": platform.python_version(),
        "host": platform.node(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
    }


# -- on Spark's machines ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Errand:
    """A query on its way to some machine.

    Attributes:
        query: the query.
        run: the name of the run.
        predicted: seconds that it is expected to take.
        store: the store's folder or URI as the driver names it.
        sign: a file in the store that only this run has made: a machine that sees it shares the folder.
        task: answers the query.
        protocol: the protocol by value, if the machine cannot find it by its source.
        files: the contents of the files of the question, if the machine may lack them.
    """

    query: GridQuery
    run: str
    predicted: float | None
    store: Place
    sign: str
    task: Task
    protocol: str | None = None
    files: tuple[bytes, ...] = ()

    def do(self) -> TaskResult:
        """Answer the query, and store the result if this machine can; the driver stores it otherwise."""
        _freeze()
        if self.protocol is not None:
            receive(self.query.source, self.protocol)
        if _tried_before() and (row := self._stored()) is not None:
            return TaskResult(row, stored=True)
        with _given(self.query, self.files) as query:
            result = self.task(query, self.run, self.predicted)
        if _reached(self.store, self.sign):
            # The driver stores the row if this fails, and tells of it if that fails too.
            with suppress(OSError, StoreAway):
                Store(self.store).keep(result.row, result.documents)
                return TaskResult(result.row, stored=True)
        return result

    def _stored(self) -> Row | None:
        """The row that an earlier try has stored before its machine was lost, if this machine sees it."""
        with suppress(OSError, ValueError, StoreAway):
            if _reached(self.store, self.sign):
                return RowFile.of(Store(self.store).results, self.query.id, self.run).row()
        return None


@contextmanager
def _given(query: GridQuery, files: Sequence[bytes]) -> Iterator[GridQuery]:
    """The query with its files in a folder of this machine, if they came with it."""
    if not files:
        yield query
        return
    with TemporaryDirectory() as folder:
        options = query.query.options.received(files, Path(folder))
        yield replace(query, query=replace(query.query, options=options))


def _tried_before() -> bool:
    """Whether Spark tries this task again."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context is not None and context.attemptNumber() > 0


def _reached(store: Place, sign: str) -> bool:
    """Whether this machine has the driver's store."""
    if not isinstance(store, Remote):
        return (store / sign).exists()
    seen, until = _LOOKED.get((store, sign), (False, 0.0))
    if seen or time.monotonic() < until:
        return seen
    # Without credentials here, or a way to the store, each look may take seconds.
    with suppress(OSError, UserError, StoreAway):
        seen = (store / sign).exists()
    _LOOKED[store, sign] = seen, time.monotonic() + _PAUSE
    return seen


_LOOKED: dict[tuple[Remote, str], tuple[bool, float]] = {}  # whether it is there, and when to look again
_PAUSE = 60.0  # seconds


@cache
def _freeze() -> None:
    """Spark's worker collects garbage after each task: it need not look through every library each time."""
    gc.freeze()
