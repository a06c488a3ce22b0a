"""Faults while a grid runs: every query is answered or named, and a second run does only the rest."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from tests.grid.harm import kill_worker_of, runs, trapped, waiting
from tests.grid.rows import local
from tests.grid.sparks import grid_process, leadline_grid, needs_java, rows, wait_for
from tests.soak.processes import below, processes

pytestmark = needs_java


def by_trap(folder: Path) -> dict[tuple[object, object], Row]:
    return {(row.settings()["trap"], row.settings()["number"]): row for row in rows(folder)}


@pytest.mark.slow
def test_limits_crashes_and_a_worker_that_is_killed(tmp_path: Path) -> None:
    """The killed worker's query is tried again; whatever else stops a query, the others are answered."""
    folder = trapped(
        tmp_path, 'trap = ["none", "crash", "memory", "hang", "wait"], number = [0, 1]', timeout_seconds=4
    )
    text = (folder / "grid.toml").read_text()
    with grid_process(folder, "--master", "local[2]") as process:
        kill_worker_of(wait_for(lambda: waiting(folder), process))
        (folder / "go").touch()
        _, err = process.communicate(timeout=240)
    assert process.returncode == 20, err
    found = by_trap(folder)
    assert len(found) == 10
    assert {found[trap, number].verdict for trap in ("none", "wait") for number in (0, 1)} == {"safe"}
    ends = {
        "crash": "crash: the query's process was ended by SIGSEGV, perhaps at the memory limit of 1000 MB",
        "memory": "memory: stopped at the limit of 1000 MB",
        "hang": "time: stopped after 4 s",
    }
    for trap, reason in ends.items():
        assert {(found[trap, number].verdict, found[trap, number].reason) for number in (0, 1)} == {
            ("unknown", reason)
        }

    (folder / "mended").touch()
    (folder / "grid.toml").write_text(text.replace("1000", "2000").replace("= 4\n", "= 60\n"))
    assert leadline_grid(folder, "--master", "local[2]").returncode == 0
    first, second = runs(folder)
    assert (len(first), len(second)) == (10, 6), "what was answered is not asked again"
    assert {row.verdict for row in rows(folder)} == {"safe"}


@pytest.mark.slow
def test_a_killed_driver_and_broken_files(tmp_path: Path) -> None:
    """A worker killed once too often is named; what a killed driver stored is kept unless it is broken."""
    folder = trapped(tmp_path, 'trap = ["none", "wait", "stay"], number = [0, 1, 2]', timeout_seconds=200)
    with grid_process(folder, "--master", "local[8]", "--retries", "0") as process:
        kill_worker_of(wait_for(lambda: waiting(folder), process))
        wait_for(lambda: any("lost: " in (row.reason or "") for row in rows(folder)), process)
        wait_for(lambda: sum(row.verdict == "safe" for row in rows(folder)) == 3, process)
        wait_for(lambda: waiting(folder, "stay"), process)
        own = below(process.pid)
        process.kill()
        process.wait()
    assert {one.arguments[0].rpartition("/")[2] for one in own} >= {"java"}
    wait_for(lambda: not {one.pid for one in own} & processes().keys())

    found = by_trap(folder)
    (lost,) = [row for row in found.values() if row.verdict == "unknown"]
    assert lost.settings()["trap"] == "wait"
    assert lost.reason is not None and "Python worker exited unexpectedly" in lost.reason
    assert len(found) == 4
    store = Store(folder / "kept")
    corrupt, cut, whole = (local(store.path(found["none", x].query, found["none", x].run)) for x in (0, 1, 2))
    bytes_of = bytearray(corrupt.read_bytes())
    bytes_of[len(bytes_of) // 4 : len(bytes_of) // 2] = bytes(len(bytes_of) // 4)
    corrupt.write_bytes(bytes_of)
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    (local(store.results) / f".{whole.name}.part").write_bytes(b"PAR1")

    (folder / "mended").touch()
    done = leadline_grid(folder, "--master", "local[2]")
    assert done.returncode == 0
    assert f"{corrupt.relative_to(folder)} is ignored" in done.stderr
    assert f"{cut.relative_to(folder)} is ignored" in done.stderr
    assert len(runs(folder)[1]) == 9 - 1, "all but the one that was answered and is not broken"
    assert {row.verdict for row in rows(folder)} == {"safe"} and len(rows(folder)) == 9


@pytest.mark.slow
def test_a_killed_java(tmp_path: Path) -> None:
    """Without Spark's own process nothing more can be asked; the answers so far are kept, no process is."""
    folder = trapped(tmp_path, 'trap = ["none", "stay"], number = [0, 1, 2]')
    with grid_process(folder, "--master", "local[4]") as process:
        wait_for(lambda: waiting(folder, "stay"), process)
        wait_for(lambda: sum(row.verdict == "safe" for row in rows(folder)) == 3, process)
        own = below(process.pid)
        (java,) = [one for one in own if one.arguments[0].rpartition("/")[2] == "java"]
        java.kill()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 20, err
    last = err.splitlines()[-1]
    assert last.startswith("leadline: Spark gave up: its Java process has ended")
    assert last.endswith("the answers so far are kept, the same command goes on from there")
    assert "Traceback" not in err
    wait_for(lambda: not {one.pid for one in own} & processes().keys())

    (folder / "mended").touch()
    assert leadline_grid(folder, "--master", "local[2]").returncode == 0
    first, second = runs(folder)
    assert (len(first), len(second)) == (3, 3), "what was answered is not asked again"
    assert {row.verdict for row in rows(folder)} == {"safe"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a megabyte."""
    made = tmp_path / "kept"
    made.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "leadline-test", str(made)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no small file system can be mounted here: {done.stderr.strip()}")
    yield made
    subprocess.run(["umount", "--lazy", str(made)], check=True)


@pytest.mark.slow
def test_a_full_disk(small_disk: Path, tmp_path: Path) -> None:
    folder = trapped(tmp_path, 'trap = "wait", number = { from = 0, to = 39 }')
    with grid_process(folder, "--master", "local[2]", "--format", "json") as process:
        wait_for(lambda: waiting(folder), process)
        free = os.statvfs(small_disk)
        (small_disk / "ballast").write_bytes(bytes((free.f_bavail - 20) * free.f_bsize))
        (folder / "go").touch()
        _, err = process.communicate(timeout=240)
    assert process.returncode == 20
    complaints = [line for line in err.splitlines() if "cannot be written" in line]
    assert len(complaints) >= 1, err
    assert "No space left on device" in complaints[0] and "shown here, could not be stored" in complaints[0]
    kept = len(rows(folder))
    assert 0 < kept < 40
    (small_disk / "ballast").unlink()
    done = leadline_grid(folder, "--master", "local[2]")
    assert done.returncode == 0, done.stderr
    first, second = runs(folder)
    assert len(first) == kept and len(second) == 40 - kept and not first & second
