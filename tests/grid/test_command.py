"""`leadline grid`: the table, the exit codes, what a second run does; without Spark."""

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.engines import Limits, Query
from leadline.symbolic.grid import spark, task
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.session import require_java
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.workers import SparkGaveUp
from leadline.symbolic.lang import UserError
from tests.grid.rows import local

GRID = """
solver = "cadical"

[[check]]
protocol = "counter.py"
properties = ["below-three", "never-one"]
parameters = { top = [2, 4, 5], nodes = 2 }
"""


def row_file(store: Store, query: str) -> Path:
    """The only file with a row of a query."""
    (path,) = local(store.results).glob(f"{query}.*")
    return path


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
    assert lines[1].split() == ["top", "property", "asked", "solver", "verdict", "seconds", "MB", "run"]
    assert [" ".join(line.split()[:-3]) for line in lines[2:6]] == [
        "2 below-three 10 steps cadical safe within 10 steps",
        "2 never-one 10 steps cadical reached in 1 step",
        "4 below-three 10 steps cadical violated in 3 steps",
        "4 never-one 10 steps cadical reached in 1 step",
    ]
    assert {line.split()[-1] for line in lines[2:6]} == {"now"}
    assert lines[7].startswith("dropped: counter at top = 5, nodes = 2: ")
    assert lines[8:] == [
        "the results are in kept",
        "",
        "not as expected: nothing",
        "failed: below-three of counter fails at 1 of 2 points, such as below-three of counter at "
        "nodes = 2, overflow = false, top = 4: violated in 3 steps",
        "2 as expected, 1 safe, 1 violated, of 4 cells",
        "4 queries: 1 violated, 2 reached, 1 safe",
    ]
    # A busy machine takes so long that the plan tells its progress.
    assert [x for x in err.splitlines() if not x.startswith("leadline: planning ")] == []
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
    assert lines[-7:-4] == [
        "4 answered in an earlier run were skipped",
        f"the results are in {Path('build', 'store', 'grid')}",
        "",
    ]
    assert lines[-1] == "4 queries: 1 violated, 2 reached, 1 safe"


def test_only_what_is_missing_or_broken_is_run(
    grid: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["grid", "grid.toml", "--store", "kept"])
    store = Store(Path("kept"))
    missing, broken = asked[0].id, asked[2].id
    (row_file(store, missing)).unlink()
    cut = row_file(store, broken)
    cut.write_bytes(b"PAR1")
    asked.clear()
    capsys.readouterr()
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    assert sorted(query.id for query in asked) == sorted([missing, broken])
    assert f"leadline: {cut} is ignored" in capsys.readouterr().err
    assert len(store.all().rows) == 4


def test_what_is_unknown(grid: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]) -> None:
    grid.write_text(f"timeout_seconds = 0.0001\n{GRID}")
    assert main(["grid", "grid.toml"]) == 20
    assert "unknown: time: stopped after 0.0001 s" in capsys.readouterr().out
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

    monkeypatch.setattr(task, "answer_in_child", broken)
    assert main(["grid", "grid.toml"]) == 20
    out = capsys.readouterr().out
    assert "unknown: KeyError: 3" in out
    assert "4 queries: 4 unknown" in out


def test_json(grid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid", "grid.toml", "--store", "kept", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["queries"], told["store"], len(told["dropped"])) == (4, "kept", 1)
    found = {(one["parameters"]["top"], one["property"]): one for one in told["results"]}
    safe, reached = found[2, "below-three"], found[2, "never-one"]
    assert (safe["verdict"], safe["trace"], safe["skipped"]) == ("safe", None, False)
    assert reached["parameters"] == {"top": 2, "nodes": 2, "overflow": False}
    trace = json.loads(Path("kept", reached["trace"]).read_text())
    assert trace["actions"][0]["name"] == "count_up"
    assert reached["started"].endswith("+00:00")
    assert {one["run"] for one in told["results"]} == {told["run"]}


def test_interrupted(grid: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    here = spark.run

    def stopped(queries: Any, *rest: Any, **more: Any) -> None:
        here(queries[:1], *rest, **more)
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

    def stopped(queries: Any, *rest: Any, **more: Any) -> None:
        here(queries[:3], *rest, **more)
        raise SparkGaveUp("Spark gave up: a machine burnt")

    monkeypatch.setattr(spark, "run", stopped)
    assert main(["grid", "grid.toml"]) == 20
    out, err = capsys.readouterr()
    assert err.startswith("leadline: Spark gave up: a machine burnt; the answers so far are kept")
    assert out.splitlines()[-1].startswith("3 queries: ")
    assert "not run: 1 of 4" in out.splitlines()


@pytest.mark.parametrize("change", ["edited", "moved"])
def test_a_protocol_that_is_changed_meanwhile(
    change: str, grid: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here, path = spark.run, Path("counter.py")
    proof = "protocol = 'counter.py'\nproperties = 'not-negative'\nkinds = 'induction'"
    grid.write_text(f"{GRID}\n[[check]]\n{proof}\n")

    def changing(queries: Any, *rest: Any, **more: Any) -> None:
        here(queries[:-1], *rest, **more)
        if change == "moved":
            path.rename("elsewhere.py")
        else:
            path.write_text(path.read_text().replace("now.count + 1", "now.count + 2"))
        here(queries[-1:], *rest, **more)

    monkeypatch.setattr(spark, "run", changing)
    assert main(["grid", "grid.toml"]) == 20
    out, err = capsys.readouterr()
    assert "changed or moved while the grid ran: 1 query found it so and have no answer" in err
    assert "belong to the older file: below-three at {" in err or "never-one at {" in err
    assert "1 unknown" in out, "the table is there"
    assert "Traceback" not in err


PRUNED = """
solver = "cadical"
depth = [0, 1, 2, 3, 4, 5, 6, 7, 8]

[[check]]
protocol = "counter.py"
properties = "below-three"
parameters = { top = [2, 4] }
"""


def test_what_is_moot_is_not_run(
    folder: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("grid.toml").write_text(PRUNED)
    assert main(["grid", "grid.toml"]) == 0
    assert len(asked) == 9 + 4
    assert capsys.readouterr().out.splitlines()[-1] == "18 queries: 1 violated, 12 safe, 5 moot"
    assert main(["grid", "grid.toml"]) == 0
    assert len(asked) == 13, "moot rows stand"
    assert main(["grid", "grid.toml", "--no-prune"]) == 0
    assert len(asked) == 13 + 5
    assert capsys.readouterr().out.splitlines()[-1] == "18 queries: 6 violated, 12 safe"


def test_a_moot_row_falls_with_the_answer_that_it_leans_on(
    folder: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("grid.toml").write_text(PRUNED)
    main(["grid", "grid.toml", "--store", "kept"])
    store = Store(Path("kept"))
    (violated,) = [row for row in store.all().rows.values() if row.verdict == "violated"]
    row_file(store, violated.query).unlink()
    asked.clear()
    Path("grid.toml").write_text(PRUNED.replace("3, 4, 5, 6, 7, 8", "5, 6"))
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    assert [query.depth for query in asked] == [5], "the query that takes its place"
    rows = {row.depth_asked: row for row in store.find(x.id for x in asked).rows.values()}
    assert rows[5].verdict == "violated"


def test_a_moot_row_may_lean_on_an_answer_of_another_grid(folder: Path, asked: list[GridQuery]) -> None:
    Path("grid.toml").write_text(PRUNED)
    main(["grid", "grid.toml", "--store", "kept"])
    asked.clear()
    Path("grid.toml").write_text(PRUNED.replace("0, 1, 2, 3, 4, 5, 6, 7, 8", "7, 8"))
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    assert asked == []


@pytest.mark.parametrize("room", [2, 3])
def test_a_full_disk_loses_nothing(
    room: int,
    grid: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    asked: list[GridQuery],
) -> None:
    keep, left = Store.keep, [None] * room

    def full(*arguments: Any) -> None:
        if not left:
            raise OSError(errno.ENOSPC, "No space left on device")
        left.pop()
        keep(*arguments)

    monkeypatch.setattr(Store, "keep", full)
    assert main(["grid", "grid.toml", "--store", "kept"]) == 20
    out, err = capsys.readouterr()
    assert err == (
        "leadline: the store kept cannot be written: No space left on device; 1 answer, shown here, could "
        "not be stored; the answers before are kept; make room, then the same command goes on from "
        "there\n"
    )
    assert out.splitlines()[-1].startswith(f"{room + 1} queries: ")
    monkeypatch.setattr(Store, "keep", keep)
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    assert len(asked) == (room + 1) + (4 - room), "only what could not be stored, and what was not run"


def test_a_store_that_vanishes(
    grid: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], asked: list[GridQuery]
) -> None:
    here = spark.run

    def moving(queries: Any, *rest: Any, **more: Any) -> None:
        here(queries[:2], *rest, **more)
        Path("kept").rename("moved")
        here(queries[2:], *rest, **more)

    monkeypatch.setattr(spark, "run", moving)
    assert main(["grid", "grid.toml", "--store", "kept"]) == 20
    out, err = capsys.readouterr()
    assert "the store kept cannot be written: No such file or directory; 1 answer, shown here, could" in err
    assert "the folder was moved or removed while the grid ran" in err and "make room" not in err
    assert "Traceback" not in err and out.splitlines()[-1].startswith("3 queries: ")
    Path("moved").rename("kept")
    monkeypatch.setattr(spark, "run", here)
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    assert len(asked) == 3 + 2, "nothing that was stored is asked again"


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        (["--retries", "-1"], "an integer, at least 0 and at most 100, is needed, not '-1'"),
        (["--conf", "executor.memory=1g"], "spark.NAME=VALUE is needed, not executor.memory=1g"),
        (["--conf", "spark.executor.memory"], "spark.NAME=VALUE is needed, not spark.executor.memory"),
    ],
)
def test_options_that_are_none(
    option: list[str], complaint: str, grid: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grid", "grid.toml", *option]) == 2
    assert complaint in capsys.readouterr().err


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


def test_a_proof_leaves_a_certificate_that_can_be_rechecked(
    folder: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    grid = folder / "proof.toml"
    grid.write_text(
        '[[check]]\nprotocol = "counter.py"\nproperties = ["not-negative"]\nkinds = ["induction"]\n'
        'parameters = { top = 2 }\nsolver = "cadical"\n'
    )
    assert main(["grid", "proof.toml", "--store", "kept"]) == 0
    out = capsys.readouterr().out
    assert f"{len(asked)} obligations" in out and "all hold" in out
    assert "1 proof, its certificate in kept/certificates" in out
    (path,) = Path("kept/certificates").iterdir()
    assert main(["prove", "--recheck", str(path), "--protocol", "counter.py"]) == 0
    assert main(["grid", "proof.toml", "--store", "kept", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))
    assert told["certificates"] == [f"certificates/{path.name}"]
