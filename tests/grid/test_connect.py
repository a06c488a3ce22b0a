"""Grids over Spark Connect, on a server of the installed Spark's that runs on this machine."""

from __future__ import annotations

import signal
import sys
import threading
import venv
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.grid import connect
from leadline.symbolic.grid.connect import ConnectLink
from leadline.symbolic.grid.session import SparkSetup, session
from leadline.symbolic.grid.spark import ClassicLink, Link, opened
from leadline.symbolic.lang import UserError
from tests.grid.clusters import waiting
from tests.grid.grids import GRID
from tests.grid.harm import runs, trapped
from tests.grid.sparks import (
    folder_with,
    free_port,
    grid_process,
    leadline_grid,
    needs_java,
    results,
    rows,
    spark_class,
    wait_for,
)

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@contextmanager
def connect_server(folder: Path, master: str = "local[2,3]", python: str = sys.executable) -> Iterator[str]:
    """A Spark Connect server; its address."""
    port = free_port()
    log = folder / "connect.log"
    conf = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.ui.enabled": "false",
    }
    pairs = [text for name, value in conf.items() for text in ("--conf", f"{name}={value}")]
    submit = [
        "org.apache.spark.deploy.SparkSubmit",
        "--class",
        SERVER,
        "--master",
        master,
        *pairs,
        "spark-internal",
    ]
    with spark_class(log, *submit, PYSPARK_PYTHON=python, SPARK_DAEMON_MEMORY="700m") as process:
        wait_for(lambda: "Spark Connect server started" in log.read_text(), cast(Any, process))
        yield f"sc://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(tmp_path_factory.mktemp("server")) as address:
        yield address


@needs_java
@pytest.mark.slow
def test_a_grid(server: str, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, GRID)
    done = leadline_grid(folder, "--remote", server, "--format", "json")
    assert done.returncode == 20, done.stderr
    told = {(one["protocol"], one["parameters"].get("top"), one["depth_asked"]): one for one in results(done)}
    assert [told["counter", 2, depth]["verdict"] for depth in (2, 3, 4, 5)] == ["safe"] * 4
    assert (told["counter", 4, 3]["verdict"], told["counter", 4, 3]["steps"]) == ("violated", 3)
    (late,) = [one for one in told.values() if one["protocol"] == "two-phase-commit"]
    assert late["reason"] == "time: stopped after 0.001 s"
    assert not (folder / "kept" / "spark.log").exists()
    again = leadline_grid(folder, "--remote", "sc://127.0.0.1:1")
    assert (again.returncode, again.stderr) == (20, ""), "the store answers"


@needs_java
@pytest.mark.slow
def test_a_file_that_the_workers_do_not_have(server: str, tmp_path: Path) -> None:
    """It is gone before the first query comes to a worker; what that finds is what was planned."""
    folder = trapped(tmp_path, 'trap = "wait", number = { from = 0, to = 4 }')
    with grid_process(folder, "--remote", server) as process:
        wait_for(lambda: waiting(folder), process)
        (folder / "trap.py").rename(folder / "moved.py")
        (folder / "go").touch()
        _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    assert {row.verdict for row in rows(folder)} == {"safe"} and len(rows(folder)) == 5


@needs_java
@pytest.mark.slow
def test_ctrl_c_ends_the_queries_at_the_server(server: str, tmp_path: Path) -> None:
    folder = trapped(tmp_path, 'trap = ["wait", "none"], number = [0, 1]')
    with grid_process(folder, "--remote", server) as process:
        wait_for(lambda: len(waiting(folder)) == 2, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    assert "interrupted: " in err and "Traceback" not in err
    wait_for(lambda: not waiting(folder))
    assert not [*folder.glob("kept/**/.run-*"), *folder.glob("kept/**/*.part")]


@needs_java
@pytest.mark.slow
def test_a_server_that_ends(tmp_path: Path) -> None:
    folder = trapped(tmp_path / "grid", 'trap = ["none", "stay"], number = [0, 1]')
    with ExitStack() as stack:
        with connect_server(tmp_path, "local[4,3]") as address:
            # On a busy machine the first query is at work after a while.
            process = stack.enter_context(grid_process(folder, "--remote", address, "--patience", "60"))
            wait_for(lambda: len(list(folder.glob("kept/results/*.parquet"))) == 2, process)
            wait_for(lambda: len(list(folder.glob("stays.*"))) == 2, process)
        _, err = process.communicate(timeout=240)
    assert process.returncode == 20, err
    assert "Spark gave up: " in err and "Traceback" not in err and "RETRIES" not in err
    (folder / "mended").touch()
    with connect_server(tmp_path) as address:
        done = leadline_grid(folder, "--remote", address)
    assert done.returncode == 0, done.stderr
    assert [len(run) for run in runs(folder)] == [2, 2]


@needs_java
@pytest.mark.slow
def test_hosts_that_lack_everything(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    python = str(tmp_path / "bare" / "bin" / "python")
    with connect_server(tmp_path, "local[2,1]", python) as address:
        done = leadline_grid(folder_with(tmp_path, GRID), "--remote", address)
    assert done.returncode == 20
    assert "no host answers: " in done.stderr and "lacks the Python package pyarrow" in done.stderr
    assert "Traceback" not in done.stderr


def test_arguments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = ["grid", str(folder_with(folder, GRID) / "grid.toml"), "--store", "kept", "--remote"]
    away = f"sc://127.0.0.1:{free_port()}/;token=secret"
    assert main([*grid, away]) == 20
    told = capsys.readouterr().err
    assert "the Spark Connect server sc://127.0.0.1:" in told and "cannot be reached" in told
    assert "secret" not in told
    assert not [*Path("kept").glob(".run-*")]
    assert main([*grid, away, "--master", "local[1]", "--ui", "--retries", "1"]) == 2
    assert "--master, --retries, --ui" in capsys.readouterr().err
    assert main([*grid, "sc://127.0.0.1:1/x;token=secret"]) == 2
    assert "secret" not in capsys.readouterr().err


def test_packages_that_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "grpc", None)
    for name in [name for name in sys.modules if name.startswith("pyspark.sql.connect")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "leadline.symbolic.grid.connect")
    with pytest.raises(
        UserError, match=r"needs more packages \(.*grpc.*\): pip install 'leadline\[connect\]'"
    ):
        opened(SparkSetup(remote="sc://host"), tmp_path / "log").__enter__()


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("way", ["classic", "connect"])
def test_a_job_is_cancelled_by_its_tag(way: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    def check(link: Link) -> None:
        ended: dict[str, object] = {}

        def run(tag: str, work: Callable[[], bytes]) -> None:
            try:
                ended[tag] = link.run(tag, "a title", work)
            except Exception as error:
                ended[tag] = error

        (folder := tmp_path / way).mkdir()
        threads = [
            threading.Thread(target=run, args=(tag, waits(str(folder / tag)))) for tag in ("run/a", "run/b")
        ]
        (folder / "run").mkdir()
        for thread in threads:
            thread.start()
        wait_for(lambda: len(list((folder / "run").glob("*.begun"))) == 2)
        if way == "connect":
            wait_for(lambda: link.workers() == 2)
        link.cancel("run/a")
        wait_for(lambda: "run/a" in ended)
        assert isinstance(ended["run/a"], Exception) and link.gone(ended["run/a"]) is None
        assert "run/b" not in ended
        (folder / "run" / "b.go").touch()
        for thread in threads:
            thread.join(60)
        assert ended["run/b"] == b"went"
        assert link.slots() == 2

    if way == "classic":
        with session(SparkSetup("local[2]"), tmp_path / "log") as spark:
            check(ClassicLink(spark, tmp_path / "log"))
    else:
        with connect.connected(SparkSetup(remote=request.getfixturevalue("server"))) as link:
            check(link)
            assert link.workers() == 0


def waits(path: str) -> Callable[[], bytes]:
    """A task that waits for a file."""

    def work() -> bytes:
        import pathlib
        import time

        pathlib.Path(f"{path}.begun").touch()
        while not pathlib.Path(f"{path}.go").exists():
            time.sleep(0.02)
        return b"went"

    return work


class FakeSession:
    """A session whose server reports every two seconds that it works on queries."""

    def __init__(self, interval: str = "2000ms") -> None:
        self.interval = interval
        self.conf = self
        self.client = self

    def get(self, name: str) -> str:
        return self.interval

    def registerProgressHandler(self, handler: Callable[..., None]) -> None:
        self.report = handler

    def sql(self, text: str) -> Any:
        return self

    toArrow = column = range = clearTags = addTag = lambda self, *_: self

    def mapInArrow(self, *_: object) -> Any:
        self.at_work()
        return self

    def at_work(self) -> None:
        """Do nothing; a test puts the events while a query runs in its place."""

    def __getitem__(self, place: int) -> Any:
        return self

    def as_py(self) -> str:
        return "== Physical Plan ==\n*(1) Range (0, 1000000, step=1, splits=12)\n"


def test_what_the_server_reports() -> None:
    now = [0.0]
    fake, begun, over = FakeSession(), threading.Barrier(3), threading.Barrier(3)
    counts = [1, 0]
    link = ConnectLink(fake, SimpleNamespace(patient=nullcontext), lambda: now[0])

    def report(count: int) -> None:
        fake.report(stages=(), inflight_tasks=count, operation_id="an id", done=False)

    def at_work() -> None:
        # Each query's thread hears of its own.
        report(counts.pop())
        begun.wait(60)
        over.wait(60)

    fake.at_work = at_work  # type: ignore[method-assign]  # as the test needs it
    try:
        assert (link.slots(), link.workers()) == (12, 0)
        with ThreadPoolExecutor(2) as pool:
            for tag in "ab":
                pool.submit(link.run, tag, "a title", bytes)
            begun.wait(60)
            report(1)
            assert link.workers() == 1, "what is reported of other questions does not count"
            now[0] = 30.0
            assert link.workers() == 0, "the last report is too old"
            now[0] = 0.0
            over.wait(60)
        assert link.workers() == 0, "no query runs"
    finally:
        link.close()
    silent = ConnectLink(FakeSession("0ms"), None)
    silent.close()
    assert silent.workers() == 1, "nothing is known"


def test_a_server_that_is_another_now() -> None:
    link = ConnectLink(FakeSession(), None)
    link.close()
    assert (
        link.gone(RuntimeError("[INVALID_HANDLE.SESSION_CHANGED] The existing Spark server ...")) is not None
    )
    assert link.gone(RuntimeError("Job 1 cancelled")) is None
