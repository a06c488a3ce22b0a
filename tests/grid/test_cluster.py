"""Grids on a standalone cluster: a master and two workers of the installed Spark's, all on this machine."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.grid.clusters import waiting
from tests.grid.harm import kill_worker_of, runs, trapped
from tests.grid.sparks import (
    command,
    environment,
    free_port,
    grid_process,
    leadline_grid,
    needs_java,
    rows,
    spark_class,
    wait_for,
)
from tests.soak.processes import below

pytestmark = [needs_java, pytest.mark.slow]

EXECUTOR = "CoarseGrainedExecutorBackend"
ON_LOOPBACK = [
    *("--conf", "spark.driver.host=127.0.0.1"),
    *("--conf", "spark.driver.bindAddress=127.0.0.1"),
    *("--conf", "spark.executor.memory=512m"),
]


PACKAGE = "org.apache.spark.deploy"
HERE = ("--host", "127.0.0.1", "--webui-port", "0")


@dataclass
class Cluster:
    """A standalone cluster: its address, its master, and its workers of one core each."""

    url: str
    master: subprocess.Popen[bytes]
    logs: Path
    stack: ExitStack
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self, **changes: str) -> None:
        """Start another worker, with these variables in its environment."""
        number = len(self.workers) + 1
        size = ("--cores", "1", "--memory", "700m", "--work-dir", str(self.logs / f"work{number}"))
        log = self.logs / f"worker{number}.log"
        worker = spark_class(log, f"{PACKAGE}.worker.Worker", *HERE, *size, self.url, **changes)
        self.workers.append(self.stack.enter_context(worker))

    def wait(self) -> None:
        """Wait for all workers that were started."""
        log = self.logs / "master.log"
        wait_for(lambda: log.read_text().count("Registering worker") == len(self.workers))


@pytest.fixture
def empty_cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A master."""
    logs = tmp_path / "logs"
    logs.mkdir()
    port = free_port()
    with ExitStack() as stack:
        log = logs / "master.log"
        master = spark_class(log, f"{PACKAGE}.master.Master", *HERE, "--port", str(port))
        made = Cluster(f"spark://127.0.0.1:{port}", stack.enter_context(master), logs, stack)
        wait_for(lambda: "New state: ALIVE" in log.read_text())
        yield made


@pytest.fixture
def cluster(empty_cluster: Cluster) -> Cluster:
    """A master and two workers."""
    empty_cluster.add_worker()
    empty_cluster.add_worker()
    empty_cluster.wait()
    return empty_cluster


def descriptions(pages: str) -> list[str]:
    """The jobs that run, from Spark's status store."""

    def get(path: str) -> Any:
        with urllib.request.urlopen(f"{pages}/api/v1/applications{path}", timeout=60) as answer:
            return json.load(answer)

    (application,) = get("")
    return [job["description"] for job in get(f"/{application['id']}/jobs?status=running")]


def test_a_cluster_that_loses_an_executor_and_a_worker(cluster: Cluster, tmp_path: Path) -> None:
    folder = trapped(tmp_path / "grid", 'trap = ["wait", "none"], number = { from = 0, to = 4 }')
    arguments = ["--master", cluster.url, "--ui", "--conf", "spark.ui.port=0", *ON_LOOPBACK]
    with grid_process(folder, *arguments) as process:
        assert process.stderr is not None
        pages = process.stderr.readline().split()[-1]
        first = wait_for(lambda: pids if len(pids := waiting(folder)) == 2 else None, process)
        asked = {f"trap (trap = wait, number = {number}): low, within 1 step, cadical" for number in range(5)}
        told = descriptions(pages)
        assert len(told) >= 2 and set(told) & asked and all("trap = " in one for one in told)

        executors = [below(worker.pid, EXECUTOR) for worker in cluster.workers]
        assert [len(one) for one in executors] == [1, 1], "each worker has an executor"
        executors[0][0].kill()
        second = wait_for(
            lambda: pids if len(pids := waiting(folder)) == 2 and pids != first else None, process
        )
        assert first & second, "the other executor goes on undisturbed"

        # Its executor ends with it; what that ran goes to the one that is left.
        cluster.workers[1].kill()
        wait_for(lambda: len(waiting(folder)) == 1, process)
        (folder / "go").touch()
        _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    assert {row.verdict for row in rows(folder)} == {"safe"} and len(rows(folder)) == 10
    assert [len(run) for run in runs(folder)] == [10]


def test_all_workers_lost_and_back(cluster: Cluster, tmp_path: Path) -> None:
    folder = trapped(tmp_path / "grid", 'trap = ["wait", "none"], number = [0, 1]')
    with grid_process(folder, "--master", cluster.url, *ON_LOOPBACK) as process:
        wait_for(lambda: len(waiting(folder)) == 2, process)
        for worker in cluster.workers:
            worker.kill()
        told = heard(process, "no worker of ")
        assert f"no worker of {cluster.url} for 3" in told, "after thirty-odd seconds"
        cluster.add_worker()
        heard(process, "there are workers again")
        (folder / "go").touch()
        _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    assert {row.verdict for row in rows(folder)} == {"safe"} and len(rows(folder)) == 4


def test_no_worker_at_all(empty_cluster: Cluster, tmp_path: Path) -> None:
    folder = trapped(tmp_path / "grid", 'trap = "none", number = 0')
    with grid_process(folder, "--master", empty_cluster.url, "--patience", "40", *ON_LOOPBACK) as process:
        heard(process, "no worker of ")
        _, err = process.communicate(timeout=240)
    assert process.returncode == 20
    assert "(--patience allows 40 s)" in err and "Traceback" not in err


def test_a_python_worker_is_killed_and_the_master_goes(cluster: Cluster, tmp_path: Path) -> None:
    """Executors go on without a master."""
    folder = trapped(tmp_path / "grid", 'trap = ["wait", "none"], number = { from = 0, to = 2 }')
    with grid_process(folder, "--master", cluster.url, *ON_LOOPBACK) as process:
        first = wait_for(lambda: pids if len(pids := waiting(folder)) == 2 else None, process)
        kill_worker_of(min(first))
        wait_for(lambda: len(pids := waiting(folder)) == 2 and pids != first, process)
        cluster.master.kill()
        cluster.master.wait()
        (folder / "go").touch()
        _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    assert {row.verdict for row in rows(folder)} == {"safe"} and len(rows(folder)) == 6


def test_an_executor_that_dynamic_allocation_removes(cluster: Cluster, tmp_path: Path) -> None:
    settings = {"enabled": "true", "shuffleTracking.enabled": "true", "executorIdleTimeout": "5s"}
    settings |= {"minExecutors": "0", "initialExecutors": "2"}
    named = [f"spark.dynamicAllocation.{name}={value}" for name, value in settings.items()]
    conf = [text for one in named for text in ("--conf", one)]

    def executors() -> int:
        return sum(len(below(worker.pid, EXECUTOR)) for worker in cluster.workers)

    folder = trapped(tmp_path / "grid", 'trap = ["wait", "none"], number = 0')
    with grid_process(folder, "--master", cluster.url, *conf, *ON_LOOPBACK) as process:
        wait_for(lambda: executors() == 2, process)
        wait_for(lambda: waiting(folder) and executors() == 1, process)
        (folder / "go").touch()
        _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    assert {row.verdict for row in rows(folder)} == {"safe"} and len(rows(folder)) == 2


def test_a_host_that_lacks_the_solvers(empty_cluster: Cluster, tmp_path: Path) -> None:
    """The same path leads to another Python on each of the two workers."""
    venv.create(tmp_path / "bare", with_pip=False)
    python = tmp_path / "python"
    bare = tmp_path / "bare" / "bin" / "python"
    python.write_text(f'#!/bin/sh\n[ -n "$LACKING" ] && exec {bare} "$@"\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    empty_cluster.add_worker()
    empty_cluster.add_worker(LACKING="yes")
    empty_cluster.wait()
    folder = trapped(tmp_path / "grid", 'trap = "none", number = { from = 0, to = 5 }')
    arguments = ["--master", empty_cluster.url, *ON_LOOPBACK, "--conf", f"spark.pyspark.python={python}"]
    done = leadline_grid(folder, *arguments, PYSPARK_PYTHON=str(python))
    assert done.returncode == 0, done.stderr
    assert {row.verdict for row in rows(folder)} == {"safe"} and len(rows(folder)) == 6
    assert f"host {platform.node()} lacks the Python package " in done.stderr and str(bare) in done.stderr
    assert "Traceback" not in done.stderr


def heard(process: subprocess.Popen[str], text: str) -> str:
    """The next line of a command's standard error that has this text."""
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return line
    raise AssertionError(f"the command has ended without {text!r}")


def test_states_on_a_cluster_that_loses_a_worker(cluster: Cluster, tmp_path: Path) -> None:
    question = [
        "two-phase-commit",
        "-p",
        "resource_managers=2",
        "--property",
        "not-committed",
        "--format",
        "json",
    ]
    where = ["--master", cluster.url, "--store", str(tmp_path / "levels"), *ON_LOOPBACK]
    with subprocess.Popen(
        command("explore", *question, *where),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            wait_for(lambda: [*tmp_path.glob("levels/*/9.json")], process)
            cluster.workers[1].kill()
            out, err = process.communicate(timeout=600)
        finally:
            process.kill()
    assert process.returncode == 0, err
    found = json.loads(out)
    assert found["states"] == 92_036 and found["complete"]
    result = found["properties"]["not-committed"]
    assert (result["verdict"], result["steps"]) == ("violated", 11)
    assert "bytes of states were sent between shards" in err
