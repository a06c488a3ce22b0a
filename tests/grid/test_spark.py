"""Grids on a real Spark: what they answer, what a second run does, and what Spark knows of them."""

import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark import SparkContext

from leadline.symbolic.cli import main
from leadline.symbolic.grid.runs import StoreArchive
from leadline.symbolic.grid.schedule import EndedQuery
from leadline.symbolic.grid.session import MASTER, SparkSetup, gist
from leadline.symbolic.grid.spark import ClassicLink, SparkExecutor
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import TaskResult, answer
from leadline.symbolic.grid.workers import SparkGaveUp, Watch
from leadline.symbolic.lang import UserError
from tests.grid.grids import GRID
from tests.grid.queries import query
from tests.grid.rows import row
from tests.grid.sparks import (
    environment,
    folder_with,
    grid_process,
    leadline_grid,
    needs_java,
    results,
    rows,
    wait_for,
)
from tests.soak.processes import below, processes

Ran = tuple[Path, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A folder in which a grid with a user's own protocol ran on two processors."""
    folder = folder_with(tmp_path_factory.mktemp("grid"), GRID)
    return folder, leadline_grid(folder, "--master", "local[2]", "--format", "json")


def tells_progress_alone(text: str) -> bool:
    """Whether standard error says no more than how far it is, which it does on a busy machine."""
    known = "leadline: planning grid.toml: ", "leadline: grid grid.toml: "
    return all(line.startswith(known) for line in text.splitlines())


@needs_java
def test_a_grid(ran: Ran) -> None:
    folder, done = ran
    assert done.returncode == 20, (folder / "kept" / "spark.log").read_text()
    assert tells_progress_alone(done.stderr)
    told = results(done)
    counter = {
        (one["parameters"]["top"], one["depth_asked"]): (one["verdict"], one["steps"])
        for one in told
        if one["property"] == "below-three"
    }
    assert [counter[2, depth] for depth in (2, 3, 4, 5)] == [("safe", None)] * 4
    assert [counter[4, depth] for depth in (2, 3)] == [("safe", None), ("violated", 3)]
    assert {counter[4, depth][0] for depth in (4, 5)} <= {"moot", "violated"}
    assert {one["verdict"] for one in told if one["engine"] == "induction"} == {"proved"}
    (late,) = [one for one in told if one["protocol"] == "two-phase-commit"]
    assert (late["verdict"], late["reason"]) == ("unknown", "time: stopped after 0.001 s")
    assert len(Store(folder / "kept").all().rows) == len(told)
    (violated,) = [one for one in told if (one["verdict"], one["depth_asked"]) == ("violated", 3)]
    trace = str(folder / "kept" / violated["trace"])
    assert main(["trace", trace, "--protocol", str(folder / "counter.py")]) == 0


@needs_java
def test_a_second_run_starts_no_spark(ran: Ran) -> None:
    folder, first = ran
    log = (folder / "kept" / "spark.log").stat().st_mtime_ns
    done = leadline_grid(folder, PATH="/nowhere", JAVA_HOME="")
    assert done.returncode == 20 and tells_progress_alone(done.stderr)
    assert f"{len(results(first))} answered in an earlier run were skipped" in done.stdout
    assert (folder / "kept" / "spark.log").stat().st_mtime_ns == log


@needs_java
@pytest.mark.slow
def test_spark_reads_the_store(ran: Ran) -> None:
    folder, _ = ran
    program = (
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate()\n"
        "rows = spark.read.parquet('kept/results').where(\"verdict = 'violated' and depth_asked = 3\")\n"
        "print(rows.select('protocol', 'verdict', 'steps', 'started').collect())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stdout.count("Row(") == 1
    assert "Row(protocol='counter', verdict='violated', steps=3, started=datetime.datetime(" in done.stdout


@needs_java
@pytest.mark.slow
def test_a_master_that_there_is_not(tmp_path: Path) -> None:
    done = leadline_grid(folder_with(tmp_path, GRID), "--master", "nonsense")
    assert done.returncode == 2
    assert done.stderr.startswith("leadline: Spark does not start: ")
    assert "Master must" in done.stderr and "(its log is kept/spark.log)" in done.stderr


HARD = """
[[check]]
protocol = "counter.py"
properties = "below-three"

[[check]]
protocol = "kafka-replication"
properties = "strong-isr"
parameters = { replicas = 3 }
depth = 60
"""


@needs_java
@pytest.mark.slow
def test_the_pages_tell_what_runs_and_ctrl_c_leaves_rows_and_no_processes(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, HARD)
    with grid_process(folder, "--master", "local[2]", "--ui", "--conf", "spark.ui.port=0") as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("leadline: Spark shows its pages at http://")
        pages = line.split()[-1]
        wait_for(lambda: list(folder.glob("kept/results/[!.]*.parquet")), process)

        def shown() -> str:
            with urllib.request.urlopen(f"{pages}/jobs/", timeout=60) as page:
                text: str = page.read().decode()
                return text

        asked = "kafka-replication (replicas = 3): strong-isr, within 60 steps, z3"
        wait_for(lambda: asked in shown(), process)
        own = below(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    assert "interrupted: 1 of 2 queries are answered and kept in kept" in err
    assert any("java" in one.arguments[0] for one in own)
    wait_for(lambda: not {one.pid for one in own} & processes().keys())
    assert [row.verdict for row in rows(folder)] == ["violated"]


@pytest.mark.slow
@needs_java
def test_ctrl_c_while_spark_starts_leaves_no_java(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, HARD)
    with grid_process(folder, "--master", "local[2]") as process:
        wait_for(lambda: any("java" in one.arguments[0] for one in below(process.pid)), process)
        own = below(process.pid)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    wait_for(lambda: not {one.pid for one in own} & processes().keys())


# -- without Spark ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("master", "retries", "spark_master"),
    [
        (MASTER, 2, "local[*,3]"),
        ("local", 0, "local[1,1]"),
        ("local[4]", 1, "local[4,2]"),
        ("local[4,7]", 1, "local[4,7]"),
        ("local-cluster[2,1,512]", 1, "local-cluster[2,1,512]"),
        ("spark://host:7077", 1, "spark://host:7077"),
    ],
)
def test_the_name_of_a_local_master_says_how_often_to_try(
    master: str, retries: int, spark_master: str
) -> None:
    assert SparkSetup(master, retries).spark_master == spark_master


class Gone:
    """Spark, whose Java process ends once it has begun."""

    def parallelize(self, *_: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"An error occurred while calling {name}")


@pytest.mark.parametrize("ask", [lambda x: x.width(), lambda x: x.cancel(query())], ids=["width", "cancel"])
def test_a_java_that_has_ended_is_noticed_by_whoever_asks(
    ask: Callable[[SparkExecutor], object], tmp_path: Path
) -> None:
    archive = StoreArchive(Store(tmp_path), "run", {})
    executor = SparkExecutor(
        ClassicLink(cast(SparkContext, Gone()), tmp_path / "log"), archive, "sign", answer
    )
    with pytest.raises(SparkGaveUp, match="its Java process has ended"):
        ask(executor)


def test_an_answer_shows_a_worker(tmp_path: Path) -> None:
    """A server of Spark Connect reports nothing of queries that end soon."""
    archive = StoreArchive(Store(tmp_path), "run", {})
    executor = SparkExecutor(
        ClassicLink(cast(SparkContext, Gone()), tmp_path / "log"), archive, "sign", answer
    )
    now = [0.0]
    told: list[str] = []
    executor.watch = Watch(lambda: 0, 600, told.append, "sc://host", lambda: now[0])
    result = TaskResult(row(query=query().id))
    for second in range(0, 1000, 20):
        now[0] = float(second)
        executor._ended.put(EndedQuery(query(), result))
        assert executor.wait(0.0) is not None and executor.wait(0.0) is None
    assert told == []


def test_spark_connect_is_no_master(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"--master is for a classic Spark: give --remote sc://HOST:PORT"):
        SparkSetup("sc://host:15002").check()
    with pytest.raises(UserError, match=r"--remote: .* sc://HOST:PORT"):
        SparkSetup(remote="host:1").check()
    monkeypatch.setenv("SPARK_REMOTE", "sc://host")
    with pytest.raises(UserError, match=r"SPARK_REMOTE is set: .* unset it"):
        SparkSetup().check()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "An error occurred while calling o1.x.\n: java.io.IOException: no\n\tat java.base/x",
            "java.io.IOException: no",
        ),
        (
            "An error occurred\n: org.apache.spark.SparkException: Traceback (most recent call last):\n"
            '  File "worker.py", line 1, in main\n'
            "ModuleNotFoundError: No module named 'leadline'\n\n\tat org.x",
            "ModuleNotFoundError: No module named 'leadline'",
        ),
        ("Answer from Java side is empty", "Answer from Java side is empty"),
        ("", "RuntimeError"),
    ],
)
def test_the_line_of_an_error_that_says_most(text: str, line: str) -> None:
    assert gist(RuntimeError(text)) == line
