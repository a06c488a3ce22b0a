"""Grids on Spark with a store in an object store: who stores the rows, and what a killed driver loses."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leadline.symbolic.grid.remote import place_of
from leadline.symbolic.grid.store import Reading, Store
from tests.grid.harm import kill_worker_of, trapped, waiting
from tests.grid.object_store import ObjectStore, keys, objects
from tests.grid.sparks import PATIENCE, grid_process, needs_java, wait_for
from tests.soak.processes import below, processes

pytestmark = [needs_java, pytest.mark.slow]

NO_METADATA = {"AWS_EC2_METADATA_DISABLED": "true"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    keys(monkeypatch)
    made = ObjectStore()
    yield made
    made.close()


@contextmanager
def grid(folder: Path, uri: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    """`leadline grid` while it runs; killed in the end."""
    arguments = ("--master", "local[2]", "--store", uri, *options)
    with grid_process(folder, *arguments, **NO_METADATA) as process:
        yield process


def ended(folder: Path, uri: str, *options: str) -> tuple[int, str]:
    """The exit code of a grid, and what it told."""
    with grid(folder, uri, *options) as process:
        _, err = process.communicate(timeout=2 * PATIENCE)
    return process.returncode, err


def writers(server: ObjectStore) -> set[str]:
    """The access keys that have stored rows."""
    return {user for user, path in server.wrote if path.endswith(".parquet")}


def test_workers_store_their_rows_where_they_have_credentials(server: ObjectStore, tmp_path: Path) -> None:
    uri = server.uri("kept")
    other = ("--conf", "spark.executorEnv.AWS_ACCESS_KEY_ID=worker")
    folder = trapped(tmp_path, 'trap = "none", number = [0, 1, 2]')
    code, err = ended(folder, uri, *other)
    assert code == 0 and "store" not in err
    assert writers(server) == {"worker"}
    server.users, server.wrote[:] = {"key"}, []
    (folder / "grid.toml").write_text((folder / "grid.toml").read_text().replace("0, 1, 2", "3, 4, 5"))
    code, err = ended(folder, uri, *other)
    assert code == 0 and "store" not in err
    assert writers(server) == {"key"}, "the driver stores what the workers may not"
    store = Store(place_of(uri))
    assert len(store.all().rows) == 6 and "spark.log" in objects(store, "")
    assert not [*folder.glob("build/spool/**/*.parquet")]


def test_a_throttled_store_and_a_killed_driver(server: ObjectStore, tmp_path: Path) -> None:
    """Every query has one answer in the end, and what was stored is not computed again."""
    chance = random.Random(11)
    server.fault = lambda method, path: 503 if chance.random() < 0.3 else None
    folder = trapped(tmp_path, 'trap = ["none", "wait", "stay"], number = [0, 1, 2]')
    uri = server.uri("throttled")
    store = Store(place_of(uri))
    with grid(folder, uri, "--master", "local[8]") as process:
        kill_worker_of(wait_for(lambda: waiting(folder), process))
        wait_for(lambda: writers(server), process)
        own = below(process.pid)
        process.kill()
    wait_for(lambda: not {one.pid for one in own} & processes().keys())
    (folder / "mended").touch()
    code, err = ended(folder, uri)
    assert code == 0, err
    assert "Traceback" not in err
    server.reset()
    found = store.all()
    assert found.warnings == () and len(found.rows) == 9
    assert {row.verdict for row in found.rows.values()} == {"safe"}
    rows = Reading.of(store.files()).rows()
    asked = [row.query for row in rows if not row.unknown()]
    assert len({*asked}) == len(asked) == 9, "an answer that is stored is not asked for again"
