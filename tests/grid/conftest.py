"""A folder with a user's own protocol and grid files, and grids that run without Spark."""

from __future__ import annotations

import re
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from leadline.symbolic.engines import Answer, Limits, Query, answer_here, answer_in_child
from leadline.symbolic.grid import spark, spool, task
from leadline.symbolic.grid.pruning import Pruning
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.remote import place_of
from leadline.symbolic.grid.runs import StoreArchive
from leadline.symbolic.grid.schedule import EndedQuery, RunProgress, Schedule
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import Model

if TYPE_CHECKING:
    from tests.grid.object_store import ObjectStore

COUNTER = Path(__file__).parent.parent / "cli" / "counter.py"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds counter.py, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(COUNTER, tmp_path)
    return tmp_path


class Here:
    """Runs queries in this process, one after the other."""

    def __init__(self, archive: StoreArchive, run: list[GridQuery]) -> None:
        self.archive = archive
        self.run = run
        self.ended: deque[EndedQuery] = deque()

    def width(self) -> int:
        return 1

    def start(self, query: GridQuery) -> None:
        self.run.append(query)
        found = task.answer(query, self.archive.run, None)
        self.ended.append(EndedQuery(query, found))

    def cancel(self, query: GridQuery) -> None:
        """It has ended."""

    def wait(self, seconds: float) -> EndedQuery | None:
        return self.ended.popleft()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[GridQuery]:
    """Grids run here, one query after the other, without Spark; the list is of the queries that were run."""
    run: list[GridQuery] = []

    def answered(model: Model, query: Query, limits: Limits) -> Answer:
        # Only a query that is to meet its limit needs a process of its own.
        patient = limits.seconds is None or limits.seconds > 60
        return answer_here(model, query) if patient else answer_in_child(model, query, limits)

    def here(
        queries: Sequence[GridQuery],
        archive: StoreArchive,
        setup: object,
        pruning: Pruning | None,
        tell: Callable[[RunProgress], None],
        **_: Any,
    ) -> None:
        Schedule(queries, archive.predicted, archive, pruning).run(Here(archive, run), tell)

    monkeypatch.setattr(task, "answer_in_child", answered)
    monkeypatch.setattr(spark, "run", here)
    return run


@pytest.fixture(scope="module")
def server() -> Iterator[ObjectStore]:
    """An S3 server on this machine."""
    from tests.grid.object_store import ObjectStore, keys  # loads moto, which takes a second

    with pytest.MonkeyPatch.context() as patch:
        keys(patch)
        made = ObjectStore()
        yield made
        made.close()


@pytest.fixture
def uri(
    server: ObjectStore, folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> str:
    """A place of the test's own in the bucket; the working directory is the test's own, too."""
    from tests.grid.object_store import keys

    keys(monkeypatch)
    monkeypatch.setattr(spool, "_LEAST", 0.05)
    server.reset()
    return server.uri(re.sub(r"\W", "-", request.node.name))


@pytest.fixture
def store(uri: str) -> Store:
    """An empty store in the server."""
    made = Store(place_of(uri))
    made.create()
    return made
