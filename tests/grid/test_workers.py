"""Masters that cannot be reached, settings that Spark cannot have, and clusters without a worker."""

import socket
import subprocess
from pathlib import Path
from typing import IO

import pytest
from pyspark.errors import PySparkRuntimeError

from leadline.symbolic.grid import session as grid_session
from leadline.symbolic.grid.session import SparkSetup
from leadline.symbolic.grid.workers import SparkGaveUp, Watch, knock
from leadline.symbolic.lang import UserError
from tests.grid.sparks import grid_process, leadline_grid, needs_java, wait_for
from tests.soak.processes import below


@pytest.fixture
def closed() -> str:
    """An address where nothing listens."""
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{here.getsockname()[1]}"


def test_a_master_that_cannot_be_reached(closed: str) -> None:
    with pytest.raises(
        SparkGaveUp, match=rf"spark://{closed},x cannot be reached \(tried {closed}: Conn.*; x: "
    ):
        knock(f"spark://{closed},x")
    with socket.create_server(("127.0.0.1", 0)) as server:
        knock(f"spark://{closed},127.0.0.1:{server.getsockname()[1]}")
    knock("yarn")


@pytest.mark.parametrize("master", ["", " "])
def test_an_empty_master(master: str) -> None:
    with pytest.raises(UserError, match="--master is empty"):
        SparkSetup(master).check()


@pytest.mark.parametrize("width", ["-1", "0", "x", "", "1e3", "9" * 5000])
def test_no_tasks_at_once(width: str) -> None:
    with pytest.raises(UserError, match=r"spark\.default.parallelism=.*a number of tasks, at least 1"):
        SparkSetup(conf={"spark.default.parallelism": width}).check()


def test_a_gateway_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    with pytest.raises(UserError, match=r"PYSPARK_GATEWAY_PORT is set.*unset it"):
        SparkSetup().check()


def test_a_java_that_is_killed_while_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(_: object, options: dict[str, IO[bytes]]) -> None:
        options["stderr"].write(b"WARNING: Using incubator modules\n")
        options["stderr"].write(b"/opt/spark/bin/spark-class: line 97: CMD: bad array subscript\n")
        raise PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})

    monkeypatch.setattr(grid_session, "launch_gateway", killed)
    monkeypatch.setattr(grid_session, "require_java", lambda: None)
    with pytest.raises(SparkGaveUp, match="its Java process has ended, perhaps killed"):
        grid_session.session(SparkSetup(), tmp_path / "log").__enter__()


def test_no_worker_is_told_and_given_up() -> None:
    now, workers = [0.0], [1]
    told: list[str] = []
    watch = Watch(lambda: workers[0], 600, told.append, "spark://m:7077", lambda: now[0])

    def at(seconds: float, count: int) -> None:
        now[0], workers[0] = seconds, count
        watch.look()

    at(100, 1)
    at(120, 0)
    assert not told
    at(131, 0)
    at(140, 0)
    assert [text.partition(":")[0] for text in told] == ["no worker of spark"]
    at(150, 2)
    assert told[1:] == ["there are workers again: the grid goes on"]
    now[0] = 175
    watch.answered()
    at(200, 0)
    assert len(told) == 2, "who answers is there"
    at(150, 2)
    at(700, 0)
    at(750, 0)
    with pytest.raises(
        SparkGaveUp, match=r"no worker of spark://m:7077 for 601 s \(--patience allows 600 s\)"
    ):
        at(751, 0)


@pytest.mark.slow
@needs_java
def test_commands(tmp_path: Path, closed: str) -> None:
    text = '[[check]]\nprotocol = "two-phase-commit"\nproperties = "consistency"\ndepth = 1\n'
    (tmp_path / "grid.toml").write_text(text)

    def ran(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
        done = leadline_grid(tmp_path, *arguments, **changes)
        assert "Traceback" not in done.stderr
        return done

    lost = ran("--master", f"spark://{closed}")
    assert (lost.returncode, f"the master spark://{closed} cannot be reached" in lost.stderr) == (20, True)
    assert ran("--master", "").returncode == 2
    assert not [path.name for path in (tmp_path / "kept").iterdir() if path.name.startswith(".run-")]


@needs_java
@pytest.mark.slow
def test_a_port_that_is_no_master(tmp_path: Path) -> None:
    """Something listens there, and never answers as Spark's masters do; Spark itself tries for a minute."""
    (tmp_path / "grid.toml").write_text('[[check]]\nprotocol = "two-phase-commit"\ndepth = 1\n')
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"spark://127.0.0.1:{server.getsockname()[1]}"
        done = leadline_grid(tmp_path, "--master", url, "--conf", "spark.driver.host=127.0.0.1")
    assert done.returncode == 20, done.stderr
    assert f"Spark gave up on {url}: " in done.stderr and "the same command goes on" in done.stderr
    assert "stopped SparkContext" not in done.stderr and "Traceback" not in done.stderr


@needs_java
@pytest.mark.slow
def test_a_real_java_that_is_killed_while_it_starts(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text('[[check]]\nprotocol = "two-phase-commit"\ndepth = 1\n')
    with grid_process(tmp_path, "--master", "local[1]") as process:
        wait_for(lambda: below(process.pid, "SparkSubmit"), process)[-1].kill()
        _, err = process.communicate(timeout=120)
    assert process.returncode == 20, err
    assert "its Java process has ended" in err and "Traceback" not in err
