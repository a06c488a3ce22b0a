"""`leadline grid`: the table, the exit codes, what a second run does; without Spark."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.engines import Limits, Query
from leadline.symbolic.grid import spark, task
from leadline.symbolic.grid.java import require_java
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.spark import SparkGaveUp
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import UserError

GRID = """
solver = "cadical"

[[check]]
protocol = "counter.py"
properties = ["below-three", "never-one"]
parameters = { top = [2, 4, 5], nodes = 2 }
"""


@pytest.fixture
def grid(folder: Path, asked: list[GridQuery]) -> Path:
    path = folder / "grid.toml"
    path.write_text(GRID)
    return path


def test_the_table(grid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "counter (nodes = 2, overflow = false)"
    assert lines[1].split() == ["top", "property", "solver", "verdict", "seconds", "MB", "run"]
    assert [" ".join(line.split()[:-3]) for line in lines[2:6]] == [
        "2 below-three cadical safe within 10 steps",
        "2 never-one cadical violated in 1 step (a probe: as expected)",
        "4 below-three cadical violated in 3 steps",
        "4 never-one cadical violated in 1 step (a probe: as expected)",
    ]
    assert {line.split()[-1] for line in lines[2:6]} == {"now"}
    assert lines[7].startswith("dropped: counter at top = 5, nodes = 2: ")
    assert lines[8:] == ["4 queries: 3 violated, 1 safe", "the results are in kept"]
    assert err == ""
    assert Path("kept/report.txt").read_text() == out


def test_a_second_run_runs_nothing(
    grid: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grid", "grid.toml"]) == 0
    assert len(asked) == 4
    capsys.readouterr()
    assert main(["grid", "grid.toml"]) == 0
    assert len(asked) == 4
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[-1] for line in lines[2:6]} == {"earlier"}
    assert lines[-3:] == [
        "4 queries: 3 violated, 1 safe",
        "4 answered in an earlier run were skipped",
        f"the results are in {Path('build', 'store', 'grid')}",
    ]


def test_only_what_is_missing_or_broken_is_run(
    grid: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["grid", "grid.toml", "--store", "kept"])
    store = Store(Path("kept"))
    missing, broken = asked[0].id, asked[2].id
    store.path(missing).unlink()
    store.path(broken).write_bytes(b"PAR1")
    asked.clear()
    capsys.readouterr()
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    assert [query.id for query in asked] == [missing, broken]
    assert f"leadline: {store.path(broken)} is ignored" in capsys.readouterr().err
    assert len(store.all().rows) == 4


def test_what_is_unknown(grid: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]) -> None:
    grid.write_text(f"timeout_seconds = 0.01\n{GRID}")
    assert main(["grid", "grid.toml"]) == 20
    assert "unknown: time: stopped after 0.01 s" in capsys.readouterr().out
    assert main(["grid", "grid.toml"]) == 20
    assert len(asked) == 4, "the same limits would end as they did"
    grid.write_text(GRID)
    assert main(["grid", "grid.toml"]) == 0
    assert len(asked) == 8


def test_a_failure_of_ours_is_shown_by_its_last_line(
    grid: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(model: Any, query: Query, limits: Limits) -> None:
        raise RuntimeError("failed:\nTraceback\n  where\nKeyError: 3\n")

    monkeypatch.setattr(task, "answer_limited", broken)
    assert main(["grid", "grid.toml"]) == 20
    out = capsys.readouterr().out
    assert "unknown: KeyError: 3" in out
    assert "4 queries: 4 unknown" in out


def test_json(grid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid", "grid.toml", "--store", "kept", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["queries"], told["store"], len(told["dropped"])) == (4, "kept", 1)
    first, second, *_ = told["results"]
    assert (first["verdict"], first["trace"], first["skipped"]) == ("safe", None, False)
    assert second["parameters"] == {"top": 2, "nodes": 2, "overflow": False}
    assert second["trace"]["actions"][0]["name"] == "count_up"
    assert second["started"].endswith("+00:00")


def test_interrupted(grid: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    here = spark.run

    def stopped(queries: Any, *rest: Any) -> None:
        here(queries[:1], *rest)
        raise KeyboardInterrupt

    monkeypatch.setattr(spark, "run", stopped)
    assert main(["grid", "grid.toml", "--store", "kept"]) == 130
    assert capsys.readouterr().err == (
        "leadline: interrupted: 1 of 4 queries are answered and kept in kept; "
        "the same command goes on from there\n\n"
    )


def test_spark_gives_up(
    grid: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = spark.run

    def stopped(queries: Any, *rest: Any) -> None:
        here(queries[:3], *rest)
        raise SparkGaveUp("Spark gave up: a machine burnt")

    monkeypatch.setattr(spark, "run", stopped)
    assert main(["grid", "grid.toml"]) == 20
    out, err = capsys.readouterr()
    assert err.startswith("leadline: Spark gave up: a machine burnt; what was answered is kept")
    assert out.splitlines()[-3:-1] == ["3 queries: 2 violated, 1 safe", "not run: 1 of 4"]


def test_a_store_that_cannot_be(grid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid", "grid.toml", "--store", "counter.py"]) == 2
    assert "leadline: the store counter.py cannot be made" in capsys.readouterr().err


def test_without_java(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("grid.toml").write_text(GRID)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(folder))
    assert main(["grid", "grid.toml"]) == 2
    assert capsys.readouterr().err == (
        "leadline: grids need Java 17 or newer: apt-get install default-jre-headless (or set JAVA_HOME)\n"
    )
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(UserError, match="JAVA_HOME is /nowhere, which has no bin/java"):
        require_java()
    Path("bin").mkdir()
    Path("bin/java").write_text("")
    Path("bin/java").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(folder))
    require_java()
