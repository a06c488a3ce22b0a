"""Grids on a standalone cluster: a master and two workers of the installed Spark's, all on this machine."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.grid.sparks import (
    below,
    free_port,
    grid_process,
    needs_java,
    processes,
    rows,
    spark_class,
    wait_for,
)
from tests.grid.test_faults import runs, trapped

pytestmark = [needs_java, pytest.mark.slow]

EXECUTOR = "CoarseGrainedExecutorBackend"
ON_LOOPBACK = [
    *("--conf", "spark.driver.host=127.0.0.1"),
    *("--conf", "spark.driver.bindAddress=127.0.0.1"),
    *("--conf", "spark.executor.memory=512m"),
]


@dataclass(frozen=True)
class Cluster:
    """A standalone cluster: its address, and its two workers."""

    url: str
    workers: tuple[subprocess.Popen[bytes], ...]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A master and two workers of one core each."""
    logs = tmp_path / "logs"
    logs.mkdir()
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    package = "org.apache.spark.deploy"
    here = ("--host", "127.0.0.1", "--webui-port", "0")
    with ExitStack() as stack:
        master_log = logs / "master.log"
        stack.enter_context(spark_class(master_log, f"{package}.master.Master", *here, "--port", str(port)))
        wait_for(lambda: "New state: ALIVE" in master_log.read_text())
        size = ("--cores", "1", "--memory", "700m")
        workers = [
            stack.enter_context(
                spark_class(
                    logs / f"worker{number}.log",
                    f"{package}.worker.Worker",
                    *(*here, *size, "--work-dir", str(logs / f"work{number}"), url),
                )
            )
            for number in (1, 2)
        ]
        wait_for(lambda: master_log.read_text().count("Registering worker") == 2)
        yield Cluster(url, tuple(workers))


def waiting(folder: Path) -> set[int]:
    """The processes of queries that wait."""
    return {int(path.suffix[1:]) for path in folder.glob("waits.*")} & processes().keys()


def descriptions(pages: str) -> list[str]:
    """What Spark's status store says of the jobs that run."""

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
