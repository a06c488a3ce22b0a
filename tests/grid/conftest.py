"""A folder with a user's own protocol and grid files, and grids that run without Spark."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from leadline.symbolic.grid import spark
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import answer

COUNTER = Path(__file__).parent.parent / "cli" / "counter.py"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds counter.py, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(COUNTER, tmp_path)
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[GridQuery]:
    """Grids run here, one query after the other, without Spark; the list is of the queries that were run."""
    run: list[GridQuery] = []

    def here(
        queries: Sequence[GridQuery], store: Store, master: str, progress: Callable[[int], None]
    ) -> None:
        for query in queries:
            run.append(query)
            answer(query, store)

    monkeypatch.setattr(spark, "run", here)
    return run
