"""The soak: its adversary is reproducible, its watch sees what goes wrong, and a short one has no finding."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from leadline.symbolic.grid.store import Store, compact
from tests.grid.rows import ROW, row, unknown
from tests.grid.sparks import environment, needs_java
from tests.soak.adversary import ENDS_A_DRIVER, HARMS, Harm, harms
from tests.soak.drivers import Driver
from tests.soak.findings import _left_folders
from tests.soak.night import Night
from tests.soak.watch import RowWatch, run_time

FIRST, SECOND = "20260101T000000Z-aaaaaa", "20260101T001000Z-bbbbbb"
QUERY = "0" * 40


def driver(run: str) -> Driver:
    """A driver of a run, started a second before it."""
    return cast(Driver, SimpleNamespace(started=run_time(run) - 1, ended=None))


@pytest.fixture
def watch(tmp_path: Path) -> RowWatch:
    store = Store(tmp_path)
    store.create()
    return RowWatch(store)


def keep(watch: RowWatch, run: str, **changes: Any) -> Path:
    """Store a row, and see it."""
    watch.store.keep(row(query=QUERY, run=run, trace=None, **changes))
    watch.look()
    return watch.results / f"{QUERY}.{run}.parquet"


def test_a_seed_gives_the_harms() -> None:
    found = [*harms(7, 3600, 5.0)]
    assert found == [*harms(7, 3600, 5.0)] != [*harms(8, 3600, 5.0)]
    assert {one.kind for one in found} == HARMS.keys()
    calm = [one for one in found if 1200 <= one.at < 2400]
    assert len(calm) > 100 and not {one.kind for one in calm} & ENDS_A_DRIVER
    # A slower machine has the same order.
    slower = [one.kind for one in harms(7, 36_000, 50.0)]
    assert slower == [one.kind for one in found]


def test_a_row_that_is_lost(watch: RowWatch) -> None:
    path = keep(watch, FIRST)
    assert [*watch.lost()] == []
    path.unlink()
    assert [*watch.lost()] == [f"{path.name} was stored, and is lost"]


def test_a_row_that_is_compacted_is_not_lost(watch: RowWatch) -> None:
    keep(watch, FIRST)
    keep(watch, SECOND)
    assert compact(watch.store).files == 2
    watch.look()
    assert [*watch.lost()] == [] == watch.findings


def test_an_answer_that_is_computed_again_in_its_run(watch: RowWatch) -> None:
    path = keep(watch, FIRST)
    keep(watch, FIRST, started=ROW.started + timedelta(seconds=5))
    assert watch.findings == [f"{path.name} was stored, and its query was computed again in the same run"]


def test_an_answer_that_is_computed_again_by_a_later_run(watch: RowWatch) -> None:
    """By one that began when the answer was stored: not if two grids run at once, nor if a file is corrupt."""
    first, second = keep(watch, FIRST), keep(watch, SECOND)
    stored = watch.seen[first.name].stored
    later, sooner = driver(SECOND), driver(SECOND)
    later.started, sooner.started = stored + 1, stored - 1
    later.ended = sooner.ended = None
    again = f"{second.name} was computed again: the run {FIRST} had stored it"
    watch.seen[second.name] = SimpleNamespace(  # type: ignore[assignment]  # the same, of a run of today
        row=row(query=QUERY, run=run_of(stored + 2), trace=None), inode=0, stored=stored + 5
    )
    assert [*watch.repeated([later])] == [again]
    assert [*watch.repeated([later, sooner])] == []
    watch.corrupted.add(first.name)
    assert [*watch.repeated([later])] == []


def run_of(seconds: float) -> str:
    from datetime import UTC, datetime

    return f"{datetime.fromtimestamp(seconds, UTC):%Y%m%dT%H%M%SZ}-cccccc"


@pytest.fixture
def night(tmp_path: Path) -> Night:
    """A soak that has not begun, with a store."""
    made = Night(tmp_path, tmp_path / "grid.toml", seed=1, seconds=60.0, pause=5.0, tell=lambda _: None)
    made.rows.store.create()
    return made


def test_rows_that_a_compaction_took_away_are_not_corrupted(night: Night) -> None:
    """The seed 1 for 60 minutes met one: the content of a file that was gone was to be put into another."""
    gone, there = keep(night.rows, FIRST), keep(night.rows, SECOND)
    gone.unlink()
    night._harm(Harm(0.0, "corrupt row", pick=0.5, lasts=7.0))
    assert night.rows.corrupted == {there.name} and night.done == {"corrupt row": 1}


def test_a_driver_without_a_row_is_mostly_spared(night: Night) -> None:
    """The seed 1 on a busy machine ended 25 drivers in a row before their first answer."""
    ends = [Harm(0.0, "kill driver", number / 20, 5.0) for number in range(20)]
    assert 0 < sum(not night._spares(one) for one in ends) < 10
    assert not any(night._spares(Harm(0.0, "kill worker", number / 20, 5.0)) for number in range(20))
    keep(night.rows, FIRST)
    assert not any(night._spares(one) for one in ends)


def test_a_slow_machine_has_more_time_for_a_row(night: Night) -> None:
    """The seed 19 killed three workers, and no driver had a row for 240 seconds on a busy machine."""
    assert night.stalled == 240.0
    night.pause = 30.0
    assert night.stalled > 480.0


def test_a_query_without_an_answer_may_be_asked_again(watch: RowWatch) -> None:
    watch.store.keep(unknown("lost: its machine", query=QUERY, run=FIRST))
    watch.look()
    keep(watch, FIRST)
    assert watch.findings == [] and len(watch.whole()) == 1


def test_a_file_that_is_not_whole(watch: RowWatch) -> None:
    name = f"{QUERY}.{FIRST}.parquet"
    (watch.results / name).write_bytes(b"PAR1")
    watch.look()
    assert [text.partition(":")[0] for text in watch.findings] == [
        f"{name} is a row's file that cannot be read"
    ]


def test_a_temporary_folder_that_stays(tmp_path: Path) -> None:
    """The folder of a killed driver is removed by the next sweep."""
    for name in ("leadline-killed", "leadline-odd"):
        (tmp_path / name).mkdir()
    (tmp_path / "leadline-killed" / ".scratch").touch()
    (tmp_path / "leadline-odd" / "leadline.zip").touch()
    assert [*_left_folders(tmp_path)] == ["temporary folder is left: leadline-odd with leadline.zip"]
    assert not (tmp_path / "leadline-killed").exists()


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 3])
def test_a_short_soak(seed: int, tmp_path: Path) -> None:
    """Seed 1 kills the Java that finds out Spark's command line, and a driver whose sign stays in the store."""
    command = [sys.executable, "-m", "tests.soak", "--minutes", "2", "--seed", str(seed)]
    ran = subprocess.run(
        [*command, "--folder", str(tmp_path / "soak")],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=1500,
    )
    assert ran.returncode == 0, ran.stdout
    assert "findings: none" in ran.stdout
