"""A task answers with a row, whatever happens."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.engines import Limits
from leadline.symbolic.grid import task
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import answer
from leadline.symbolic.trace import Stored


@pytest.fixture
def store(folder: Path) -> Store:
    made = Store(folder / "store")
    made.create()
    return made


def query(name: str, **settings: Any) -> GridQuery:
    values = ", ".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())
    table = f'[[check]]\nprotocol = "counter.py"\nproperties = "below-three"\nparameters = {{ {values} }}\n'
    Path("grid.toml").write_text(f"{table}deadlock = true\nsolver = 'cadical'\n")
    return next(one for one in plan(Path("grid.toml")).queries if one.property == name)


def test_a_violation(store: Store) -> None:
    asked = query("below-three", top=4)
    row = answer(asked, store)
    assert store.all().rows == {asked.id: row}
    assert (row.verdict, row.steps, row.depth, row.depth_asked) == ("violated", 3, 2, 10)
    assert (row.engine, row.unroll, row.solver) == ("bmc", "steps", "cadical")
    assert row.settings() == {"top": 4, "nodes": 1, "overflow": False}
    assert row.trace is not None
    assert Stored("row", json.loads(row.trace)).settings == row.settings()
    assert len(json.loads(row.trace)["actions"]) == 3
    assert row.task_seconds >= row.total_seconds >= row.solve_seconds >= 0
    assert row.variables > 0 and row.clauses > 0 and row.memory_mb > 10
    assert row.solver_version.startswith("python-sat ")


def test_safety(store: Store) -> None:
    row = answer(query("below-three", top=2), store)
    assert (row.verdict, row.steps, row.depth, row.trace, row.reason) == ("safe", None, 10, None, None)


def test_a_deadlock(store: Store) -> None:
    row = answer(query("deadlock", top=2), store)
    assert (row.verdict, row.steps, row.property, row.kind) == ("violated", 2, "deadlock", "deadlock")


def test_out_of_bounds(store: Store) -> None:
    row = answer(query("below-three", top=2, overflow=True), store)
    assert (row.verdict, row.steps) == ("out-of-bounds", 3)
    assert row.reason is not None and row.trace is not None


def test_no_time(store: Store) -> None:
    asked = replace(query("below-three", top=2), limits=Limits(0.01, None))
    row = answer(asked, store)
    assert (row.verdict, row.depth, row.reason) == ("unknown", -1, "time: stopped after 0.01 s")
    assert row.unknown() and row.settles(asked)


@pytest.mark.parametrize("error", [ZeroDivisionError("ours"), MemoryError(), OSError(12, "no fork")])
def test_whatever_fails_is_a_row(error: Exception, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise error

    monkeypatch.setattr(task, "answer_limited", broken)
    asked = query("below-three", top=2)
    row = answer(asked, store)
    assert (row.verdict, row.depth) == ("unknown", -1)
    assert row.reason == f"error: {type(error).__name__}: {error}"
    assert store.all().rows == {asked.id: row}
    assert not row.settles(asked)


def test_a_protocol_that_changed_on_the_way(store: Store) -> None:
    asked = query("below-three", top=2)
    path = Path("counter.py")
    path.write_text(path.read_text().replace("now.count + 1", "now.count + 2"))
    row = answer(asked, store)
    assert row.verdict == "unknown"
    assert row.reason is not None and "is another protocol here than where the grid was planned" in row.reason
    path.unlink()
    assert "cannot be read" in str(answer(asked, store).reason)


def test_a_row_that_cannot_be_stored_still_comes_back(folder: Path) -> None:
    assert answer(query("below-three", top=2), Store(folder / "nowhere")).verdict == "safe"
