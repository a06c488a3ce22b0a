"""A folder with a user's own protocol and grid files, and grids that run without Spark."""

import shutil
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.grid import spark
from leadline.symbolic.grid.pruning import Pruning
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.runs import StoreArchive
from leadline.symbolic.grid.schedule import EndedQuery, RunProgress, Schedule
from leadline.symbolic.grid.task import answer

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
        found = answer(query, self.archive.run, None)
        self.ended.append(EndedQuery(query, found))

    def cancel(self, query: GridQuery) -> None:
        """It has ended."""

    def wait(self, seconds: float) -> EndedQuery | None:
        return self.ended.popleft()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[GridQuery]:
    """Grids run here, one query after the other, without Spark; the list is of the queries that were run."""
    run: list[GridQuery] = []

    def here(
        queries: Sequence[GridQuery],
        archive: StoreArchive,
        setup: object,
        pruning: Pruning | None,
        tell: Callable[[RunProgress], None],
        **_: Any,
    ) -> None:
        Schedule(queries, archive.predicted, archive, pruning).run(Here(archive, run), tell)

    monkeypatch.setattr(spark, "run", here)
    return run
