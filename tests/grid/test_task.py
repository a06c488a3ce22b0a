"""A task answers, whatever happens."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark import TaskContext

from leadline.symbolic.engines import Answer, Limits, Query, answer_in_child
from leadline.symbolic.grid import task
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import Errand, TaskResult, answer
from leadline.symbolic.lang import Model
from leadline.symbolic.trace import Stored
from tests.grid.queries import changed, with_options


def query(name: str, **settings: Any) -> GridQuery:
    values = ", ".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())
    table = f'[[check]]\nprotocol = "counter.py"\nproperties = "below-three"\nparameters = {{ {values} }}\n'
    Path("grid.toml").write_text(f"{table}deadlock = true\nsolver = 'cadical'\n")
    return next(one for one in plan(Path("grid.toml")).queries if one.property == name)


def row_of(query: GridQuery) -> Row:
    return answer(query, "r1", None).row


def test_a_violation(folder: Path) -> None:
    asked = query("below-three", top=4)
    found = answer(asked, "r1", 2.5)
    row = found.row
    assert (row.query, row.run, row.predicted_seconds) == (asked.id, "r1", 2.5)
    assert (row.verdict, row.steps, row.depth, row.depth_asked) == ("violated", 3, 2, 10)
    assert (row.engine, row.unroll, row.solver, row.seed) == ("bmc", "steps", "cadical", 0)
    assert row.settings() == {"top": 4, "nodes": 1, "overflow": False}
    assert row.trace == f"traces/{asked.id}.json"
    (text,) = (found.documents[place] for place in [row.trace])
    assert Stored("row", json.loads(text)).settings == row.settings()
    assert len(json.loads(text)["actions"]) == 3
    assert row.task_seconds >= row.total_seconds >= row.solve_seconds >= 0
    assert row.variables > 0 and row.clauses > 0 and row.memory_mb > 10
    assert row.solver_version.startswith("python-sat ")


def test_where_a_run_goes_out_of_bounds_is_stored(folder: Path) -> None:
    found = answer(query("below-three", top=2, overflow=True), "r1", None)
    assert (found.row.verdict, found.row.trace is None) == ("out-of-bounds", False)
    (text,) = found.documents.values()
    file, line = json.loads(text)["place"]
    assert (
        Path(file).name == "counter.py" and "now.count + 1" in Path(file).read_text().splitlines()[line - 1]
    )


def test_safety(folder: Path) -> None:
    found = answer(query("below-three", top=2), "r1", None)
    row = found.row
    assert (row.verdict, row.steps, row.depth, row.trace, row.reason) == ("safe", None, 10, None, None)
    assert found.documents == {}


def test_a_deadlock_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No property of the model is carried along."""
    asked: list[Query] = []

    def noted(model: Model, query: Query, limits: Limits) -> Answer:
        asked.append(query)
        return answer_in_child(model, query, limits)

    monkeypatch.setattr(task, "answer_in_child", noted)
    row = row_of(query("deadlock", top=2))
    assert (row.verdict, row.steps, row.property, row.kind) == ("violated", 2, "deadlock", "deadlock")
    assert [(one.properties, one.deadlock) for one in asked] == [((), True)]


def test_out_of_bounds(folder: Path) -> None:
    row = row_of(query("below-three", top=2, overflow=True))
    assert (row.verdict, row.steps) == ("out-of-bounds", 3)
    assert row.reason is not None and row.trace is not None


def test_a_seed(folder: Path) -> None:
    row = row_of(changed(query("below-three", top=4), solver="z3", seed=7))
    assert (row.verdict, row.steps, row.seed) == ("violated", 3, 7)
    row = row_of(changed(query("below-three", top=4), seed=7))
    assert row.unknown() and "CaDiCaL takes no seed" in str(row.reason)


def test_no_time(folder: Path) -> None:
    # On a busy machine the query's process may be some layers deep before anybody looks at the clock.
    asked = replace(with_options(query("below-three", top=2), depth=2000), limits=Limits(0.001, None))
    row = row_of(asked)
    assert (row.verdict, row.cause, row.reason) == ("unknown", "time", "time: stopped after 0.001 s")
    assert -1 <= row.depth < 2000
    assert row.unknown() and row.settles(asked)


@pytest.mark.parametrize("error", [ZeroDivisionError("ours"), MemoryError(), OSError(12, "no fork")])
def test_whatever_fails_is_a_row(error: Exception, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise error

    monkeypatch.setattr(task, "answer_in_child", broken)
    asked = query("below-three", top=2)
    row = row_of(asked)
    assert (row.verdict, row.depth) == ("unknown", -1)
    assert (row.cause, row.reason) == ("error", f"error: {type(error).__name__}: {error}")
    assert not row.settles(asked)


def test_a_protocol_that_changed_on_the_way(folder: Path) -> None:
    asked = query("below-three", top=2)
    path = Path("counter.py")
    path.write_text(path.read_text().replace("now.count + 1", "now.count + 2"))
    row = row_of(asked)
    assert row.verdict == "unknown"
    assert row.cause == "changed"
    assert row.reason is not None and "is another protocol here than where the grid was planned" in row.reason
    path.unlink()
    assert "cannot be read" in str(row_of(asked).reason)


@pytest.mark.parametrize(("top", "verdict", "steps"), [(2, "proved", None), (4, "violated", 3)])
def test_an_engine_without_solver(top: int, verdict: str, steps: int | None, folder: Path) -> None:
    Path("grid.toml").write_text(
        '[[check]]\nprotocol = "counter.py"\nproperties = "below-three"\nkinds = "pdr"\n'
        f"parameters = {{ top = {top} }}\n"
    )
    todo = plan(Path("grid.toml"))
    (asked,) = todo.queries
    row = row_of(asked)
    assert (row.verdict, row.steps, row.reason) == (verdict, steps, None)
    assert (row.solver, row.solver_version, row.question(), asked.question) == ("", "", "pdr", "pdr")
    assert row.contradiction() is None
    assert todo.predicted[asked.id] < 60, "an engine without measurements is taken for one as fast as others"


def obligations(protocol: str, property: str, **settings: Any) -> list[GridQuery]:
    values = ", ".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())
    Path("grid.toml").write_text(
        f'[[check]]\nprotocol = "{protocol}"\nproperties = "{property}"\nparameters = {{ {values} }}\n'
        'kinds = "induction"\nsolver = "cadical"\n'
    )
    return list(plan(Path("grid.toml")).queries)


def test_obligations(folder: Path) -> None:
    """`count >= 0` is inductive; `count < 3` is not, from two."""
    for asked in obligations("counter.py", "not-negative", top=4):
        row = row_of(asked)
        assert (row.verdict, row.reason, row.trace) == ("proved", None, None)
        assert (row.obligation, row.engine, row.depth_asked) == (asked.obligation, "induction", None)
    found = [answer(asked, "r1", None) for asked in obligations("counter.py", "below-three", top=4)]
    (broken,) = [one for one in found if one.row.verdict != "proved"]
    row = broken.row
    assert (row.verdict, row.cause) == ("unknown", "not-inductive")
    assert str(row.reason).startswith("not inductive: ")
    assert row.trace is not None
    assert json.loads(broken.documents[row.trace])
    assert all(row.settles(one) for one in obligations("counter.py", "below-three", top=4)), "never run again"


def test_a_task_that_is_tried_again_takes_the_row_that_it_has_stored(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its machine was lost after the row was stored and before the driver heard of it."""
    asked, store, times = query("below-three", top=2), Store(folder / "store"), []

    def counted(*arguments: Any) -> TaskResult:
        times.append(arguments)
        return answer(*arguments)

    store.create()
    (folder / "store" / "sign").touch()
    errand = Errand(asked, "r1", None, folder / "store", "sign", counted)
    first = errand.do()
    monkeypatch.setattr(TaskContext, "get", lambda: SimpleNamespace(attemptNumber=lambda: 1))
    assert errand.do() == first and first.stored and len(times) == 1
    store.path(asked.id, "r1").unlink()
    assert errand.do().row.verdict == "safe" and len(times) == 2
