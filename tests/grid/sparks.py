"""Grids on a real Spark, as commands in processes of their own, and a look at what they start."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.find_spark_home import _find_spark_home

import leadline
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.session import require_java
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import UserError
from tests.grid.conftest import COUNTER
from tests.soak.processes import below

PATIENCE = 600.0  # seconds until a test believes that nothing will happen any more


def has_java() -> bool:
    try:
        require_java()
    except UserError:
        return False
    return True


needs_java = pytest.mark.skipif(
    not has_java(), reason="Spark needs Java: apt-get install default-jre-headless"
)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "leadline", *arguments]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(leadline.__file__).parent.parent), **changes}


def leadline_grid(folder: Path, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """`leadline grid grid.toml --store kept ...` in a folder, to its end."""
    return subprocess.run(
        command("grid", "grid.toml", "--store", "kept", *arguments),
        cwd=folder,
        env=environment(**changes),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@contextmanager
def grid_process(folder: Path, *arguments: str, **changes: str) -> Iterator[subprocess.Popen[str]]:
    """The same while it runs; killed in the end."""
    process = subprocess.Popen(
        command("grid", "grid.toml", "--store", "kept", *arguments),
        cwd=folder,
        env=environment(**changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def folder_with(path: Path, grid: str) -> Path:
    """A folder with a grid file and a user's protocol."""
    shutil.copy(COUNTER, path)
    (path / "grid.toml").write_text(grid)
    return path


def rows(folder: Path) -> list[Row]:
    return list(Store(folder / "kept").all().rows.values())


def answers(folder: Path) -> int:
    """How many answers the runs so far have stored, repeated ones too, moot ones not."""
    files = (folder / "kept" / "results").glob("[!.]*.parquet")
    store = Store(folder / "kept")
    return sum(1 for file in files if not row_of(store, file).moot())


def row_of(store: Store, file: Path) -> Row:
    (row,) = store.find([file.name.partition(".")[0]]).rows.values()
    return row


def wait_for(what: Callable[[], Any], process: subprocess.Popen[str] | None = None) -> Any:
    """Wait until a function returns something true, and return it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < deadline, "it never came"
        assert process is None or process.poll() is None, "the command has ended"
        time.sleep(0.05)
    return found


@contextmanager
def spark_class(log: Path, *arguments: str, **changes: str) -> Iterator[subprocess.Popen[bytes]]:
    """One of Spark's own daemons, in the foreground."""
    program = str(Path(_find_spark_home(), "bin", "spark-class"))
    settings = {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOCAL_DIRS": str(log.parent),
    }
    with log.open("wb") as file:
        process = subprocess.Popen(
            [program, *arguments], stdout=file, stderr=file, env={**os.environ, **settings, **changes}
        )
    with process:
        try:
            yield process
        finally:
            for one in below(process.pid):
                one.kill()
            process.kill()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def results(done: subprocess.CompletedProcess[str]) -> Sequence[dict[str, Any]]:
    """The results in the output of a command with --format json, one a query."""
    found: Sequence[dict[str, Any]] = json.loads(done.stdout)["results"]
    return found
