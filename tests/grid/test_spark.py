"""Grids on a real Spark, each in a process of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import leadline
from leadline.symbolic.grid.java import require_java
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import UserError
from tests.grid.conftest import COUNTER


def has_java() -> bool:
    try:
        require_java()
    except UserError:
        return False
    return True


pytestmark = pytest.mark.skipif(
    not has_java(), reason="Spark needs Java: apt-get install default-jre-headless"
)
GRID = """
[[check]]
protocol = "counter.py"
properties = "below-three"
depth = 4
parameters = { top = [2, 4] }

[[check]]
protocol = "two-phase-commit"
properties = "consistency"
solver = "cadical"
timeout_seconds = 0.01
"""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "leadline.symbolic.cli", *arguments]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(leadline.__file__).parent.parent), **changes}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A folder in which a grid with a user's own protocol ran on two processors."""
    folder = tmp_path_factory.mktemp("grid")
    shutil.copy(COUNTER, folder)
    (folder / "grid.toml").write_text(GRID)
    arguments = command("grid", "grid.toml", "--master", "local[2]", "--store", "kept", "--format", "json")
    done = subprocess.run(
        arguments, cwd=folder, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )
    return folder, done


Ran = tuple[Path, subprocess.CompletedProcess[str]]


def test_a_grid(ran: Ran) -> None:
    folder, done = ran
    assert (done.returncode, done.stderr) == (20, ""), (folder / "kept" / "spark.log").read_text()
    told = json.loads(done.stdout)["results"]
    assert [(one["protocol"], one["verdict"], one["steps"]) for one in told] == [
        ("counter", "safe", None),
        ("counter", "violated", 3),
        ("two-phase-commit", "unknown", None),
    ]
    assert told[2]["reason"] == "time: stopped after 0.01 s"
    assert len(Store(folder / "kept").all().rows) == 3


def test_a_second_run_starts_no_spark(ran: Ran) -> None:
    folder, _ = ran
    log = (folder / "kept" / "spark.log").stat().st_mtime_ns
    done = subprocess.run(
        command("grid", "grid.toml", "--store", "kept"),
        cwd=folder,
        env=environment(PATH="/nowhere", JAVA_HOME=""),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (20, "")
    assert "3 answered in an earlier run were skipped" in done.stdout
    assert (folder / "kept" / "spark.log").stat().st_mtime_ns == log


def test_spark_reads_the_store(ran: Ran) -> None:
    folder, _ = ran
    program = (
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate()\n"
        "rows = spark.read.parquet('kept/results').orderBy('protocol', 'steps')\n"
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
    assert done.stdout.count("Row(") == 3
    assert "Row(protocol='counter', verdict='violated', steps=3, started=datetime.datetime(" in done.stdout


def test_a_master_that_there_is_not(ran: Ran) -> None:
    folder, _ = ran
    done = subprocess.run(
        command("grid", "grid.toml", "--master", "nonsense", "--store", "other"),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("leadline: Spark does not start: ")
    assert "Master must" in done.stderr and "(its log is other/spark.log)" in done.stderr


def children() -> set[str]:
    """The processes that answer queries."""
    listing = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return {line for line in listing.splitlines() if "engines.child" in line and "python" in line}


@pytest.mark.slow
def test_interrupting_leaves_rows_and_no_processes(ran: Ran) -> None:
    folder, _ = ran
    hard = '[[check]]\nprotocol = "kafka-replication"\nproperties = "strong-isr"\ndepth = 60\n'
    easy = '[[check]]\nprotocol = "counter.py"\nproperties = "below-three"\n'
    (folder / "hard.toml").write_text(easy + hard)
    before = children()
    process = subprocess.Popen(
        command("grid", "hard.toml", "--store", "stopped", "--master", "local[1]"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not list(folder.glob("stopped/results/*.parquet")) or children() <= before:
        assert process.poll() is None
        time.sleep(0.1)
    own = children() - before
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "interrupted: 1 of 2 queries are answered and kept in stopped" in err
    deadline = time.monotonic() + 20
    while own & children():
        assert time.monotonic() < deadline, "a query's process outlived the grid"
        time.sleep(0.1)
