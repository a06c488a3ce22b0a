"""The store: rows come back as they were, the latest answer counts, and what is broken is not believed."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leadline.symbolic.engines import Limits
from leadline.symbolic.grid.durable import held, scratch_folder, sweep
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import SCHEMA, from_table, to_table
from leadline.symbolic.grid.store import RowFile, Store, compact
from leadline.symbolic.lang import UserError
from tests.grid.queries import query
from tests.grid.rows import later, local, obligation, row, unknown
from tests.grid.sparks import environment


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "deep" / "store")
    made.create()
    return made


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_killed_processes_have_left_is_removed(tmp_path: Path) -> None:
    """A sign that a living run holds stays, and so does a file that may still be written."""
    (tmp_path / "results").mkdir()
    old, new = tmp_path / "results" / ".a.part", tmp_path / "results" / ".b.part"
    for path in (old, new, tmp_path / ".run-dead", tmp_path / "other"):
        path.touch()
    os.utime(old, (0, 0))
    with held(tmp_path / ".run-alive"):
        sweep(tmp_path, ".run-*")
        assert names(tmp_path) == [".run-alive", "other", "results"] and names(old.parent) == [".b.part"]
    assert names(tmp_path) == ["other", "results"]


def test_temporary_folders_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one that makes such a folder removes them; those of living processes and of others stay."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "leadline-of-somebody").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".scratch").touch()
    (tmp_path / "leadline-link").symlink_to(tmp_path / "elsewhere")
    others = names(tmp_path)
    program = (
        "import os\nfrom leadline.symbolic.grid.durable import scratch_folder\nwith scratch_folder() as folder:\n"
        "    (folder / 'file').touch()\n    print(folder, flush=True)\n    os.kill(os.getpid(), 9)"
    )
    with scratch_folder() as alive:
        killed = subprocess.run(
            [sys.executable, "-c", program],
            env=environment(TMPDIR=str(tmp_path)),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        left = Path(killed.stdout.strip())
        assert (killed.returncode, left.parent) == (-9, tmp_path)
        assert names(left) == [".scratch", "file"]
        with scratch_folder():
            assert alive.exists() and not left.exists()
    assert names(tmp_path) == others


def test_every_column_says_what_it_holds() -> None:
    assert len(SCHEMA) > 30
    for column in SCHEMA:
        assert len(column.metadata[b"doc"]) > 10, column.name
    assert {column.name for column in SCHEMA if column.nullable} == {
        "depth_asked",
        "unroll",
        "obligation",
        "timeout_seconds",
        "memory_limit_mb",
        "steps",
        "stem",
        "loop",
        "predicted_seconds",
        "reason",
        "cause",
        "moot_by",
        "trace",
    }


def test_rows_come_back(store: Store) -> None:
    rows = [
        row(),
        unknown("time: stopped", query="b2"),
        row(query="c3", steps=0),
        obligation("implication", query="d4"),
    ]
    for one in rows:
        store.keep(one)
    found = store.all()
    assert found.rows == {one.query: one for one in rows}
    assert found.warnings == ()
    assert store.find(["b2", "nothing"]).rows == {"b2": rows[1]}
    assert from_table(to_table(rows)) == rows


def test_the_same_again_changes_nothing(store: Store) -> None:
    for _ in range(2):
        store.keep(row(), {"traces/a1.json": "{}"})
    assert store.all().rows == {"a1": row()}
    assert names(local(store.results)) == ["a1.run-1.parquet"]
    assert names(local(store.folder) / "traces") == ["a1.json"]


def test_runs_append_and_the_latest_answer_counts(store: Store) -> None:
    newest = later(2, verdict="safe")
    for one in (newest, unknown("time: stopped"), later(1)):
        store.keep(one)
    assert len(names(local(store.results))) == 3
    assert store.all().rows == store.find(["a1"]).rows == {"a1": newest}


def test_documents_are_there_before_their_row(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.keep(row(), {"traces/a1.json": '{"länge":3}'})
    assert local(store.document("traces/a1.json")).read_text(encoding="utf-8") == '{"länge":3}'
    shown: list[str] = []
    replace = Path.replace

    def seen(part: Path, path: Path) -> Path:
        shown.append(path.name)
        return replace(part, path)

    monkeypatch.setattr(Path, "replace", seen)
    store.keep(row(query="b2"), {"traces/b2.json": "{}", "certificates/b2.json": "{}"})
    assert shown == ["b2.json", "b2.json", "b2.run-1.parquet"]


@pytest.mark.parametrize(
    "place", ["traces/../x", "/etc/passwd", "traces/.hidden", "results/x", "traces/a/b", "traces/", "x"]
)
def test_a_document_lies_in_the_store(place: str, store: Store) -> None:
    with pytest.raises(ValueError, match="is no document of a store"):
        store.document(place)
    with pytest.raises(ValueError, match="is no document of a store"):
        store.keep(row(), {place: "text"})
    assert store.all().rows == {}


@pytest.mark.parametrize("changes", [{"query": "../a"}, {"run": "a.b"}, {"query": "compacted"}, {"run": ""}])
def test_a_row_has_names(changes: dict[str, Any], store: Store) -> None:
    with pytest.raises(ValueError, match="make no file name"):
        store.keep(row(**changes))


@pytest.mark.parametrize("kept", [0, 4, 1000, -1])
def test_a_file_cut_short(kept: int, store: Store) -> None:
    store.keep(row())
    store.keep(row(query="b2"))
    path = local(store.path("a1", "run-1"))
    path.write_bytes(path.read_bytes()[:kept])
    for found in (store.find(["a1", "b2"]), store.all()):
        assert found.rows == {"b2": row(query="b2")}
        (warning,) = found.warnings
        assert warning.startswith(f"{path} is ignored, it is no row of this version: ")


def test_a_file_with_other_bytes(store: Store) -> None:
    """Whatever a byte becomes, the row is as it was or it is told: no other row is believed."""
    store.keep(row())
    path = local(store.path("a1", "run-1"))
    whole = path.read_bytes()
    outcomes = set()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        found = store.all()
        assert len(found.rows) + len(found.warnings) == 1, place
        assert list(found.rows.values()) in ([], [row()]), place
        outcomes.add(len(found.warnings))
    assert outcomes == {0, 1}


def test_files_that_are_something_else(store: Store) -> None:
    pq.write_table(pa.table({"query": ["a1"]}), store.path("a1", "r"))
    pq.write_table(to_table([row()] * 2), store.path("b2", "r"))
    pq.write_table(to_table([row()]), store.path("c3", "r"))
    store.path("d4", "r").mkdir()
    (local(store.results) / ".e5.part").write_text("half")
    (local(store.results) / "readme.txt").write_text("no row")
    found = store.all()
    assert found.rows == {}
    told = [warning.partition("version: ")[2] for warning in found.warnings]
    assert told == [
        "its columns are not those of this version",
        "it holds 2 rows",
        "it holds the row of another query: a1, of the run run-1",
        "it is a folder, and a file is needed",
    ]


def test_many_files_with_one_trouble_are_one_warning(store: Store) -> None:
    for number in range(20):
        local(store.path(f"q{number}", "r")).write_bytes(b"PAR1")
    (warning,) = store.all().warnings
    assert warning.startswith(f"20 files such as {store.path('q0', 'r')} are ignored, they are no rows of ")


def test_a_full_disk_leaves_the_old_row(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.keep(row())

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.keep(row(steps=9))
    with pytest.raises(OSError, match="No space left"):
        store.keep(row(query="b2"), {"traces/b2.json": "{}"})
    assert store.all().rows == {"a1": row()}
    assert names(local(store.results)) == ["a1.run-1.parquet"]
    assert names(local(store.folder) / "traces") == []


def test_no_store(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no store of results: `leadline grid` writes one"):
        Store(tmp_path).all()
    with pytest.raises(UserError, match="is no store of results"):
        compact(Store(tmp_path))
    assert Store(tmp_path).find(["a1"]).rows == {}
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be made: Not a directory"):
        Store(tmp_path / "file").create()


def asked(seconds: float | None = None, memory_mb: int | None = None, **changes: Any) -> GridQuery:
    return query(**{"depth": 10, "limits": Limits(seconds, memory_mb), **changes})


@pytest.mark.parametrize(
    ("reason", "seconds", "memory_mb", "settled"),
    [
        ("time: stopped after 60 s", 60, 500, True),
        ("time: stopped after 60 s", 59, 5000, True),
        ("time: stopped after 60 s", 61, 500, False),
        ("time: stopped after 60 s", None, 500, False),
        ("memory: stopped at the limit of 500 MB", 100, 500, True),
        ("memory: stopped at the limit of 500 MB", 60, 501, False),
        ("memory: stopped at the limit of 500 MB", 60, None, False),
        ("crash: the query's process was ended by SIGSEGV", 60, 500, False),
        ("depth: neither proved nor violated within 10 steps", 99, 999, True),
        ("questions: stopped after 10 questions", 99, 999, True),
        ("states: stopped at 1000", 99, 999, True),
        ("runs: no violation in 10 runs", 99, 999, True),
        ("error: ZeroDivisionError", 60, 500, False),
        (
            "not inductive: a step leads from a state in which it holds to one in which it fails",
            99,
            999,
            True,
        ),
    ],
)
def test_what_is_run_again(reason: str, seconds: float, memory_mb: int, settled: bool) -> None:
    found = unknown(reason, timeout_seconds=60.0, memory_limit_mb=500)
    assert found.settles(asked(seconds, memory_mb)) is settled


def test_an_answer_holds_whatever_the_limits() -> None:
    assert row(timeout_seconds=1.0).settles(asked())
    assert row(verdict="moot", steps=None).settles(asked())


def test_the_manifest(store: Store) -> None:
    assert store.manifest().runs == {}
    store.record("run-1", [asked(), asked(parameters='{"n":2}', solver="cadical")])
    store.record("run-2", [asked(fingerprint="g")])
    data = json.loads((local(store.folder) / "manifest.json").read_text())
    assert data["schema"] == 4
    assert data["fingerprints"] == {"counter": {'{"top":3}': "g", '{"n":2}': "f"}}
    assert list(data["runs"]) == ["run-1", "run-2"]
    first, second = data["runs"].values()
    assert [text.split()[0] for text in first["solvers"]] == ["python-sat", "z3-solver"]
    assert first["leadline"] == second["leadline"]
    assert second["solvers"] == first["solvers"][1:]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"schema": 4}', '{"schema": 4, "runs": {}, "fingerprints": 3, "obligations": {}}'],
)
def test_a_broken_manifest_costs_no_row(text: str, store: Store) -> None:
    store.keep(row())
    (local(store.folder) / "manifest.json").write_text(text)
    assert store.all().rows == {"a1": row()}
    store.record("run-1", [asked()], "nightly")
    assert list(store.manifest().runs) == ["run-1"]
    assert store.manifest().grids() == ["nightly"]


def test_a_store_of_another_version(store: Store) -> None:
    (local(store.folder) / "manifest.json").write_text('{"schema": 99, "runs": {}, "fingerprints": {}}')
    for refused in (store.all, store.create):
        with pytest.raises(UserError, match="is of version 99, and this Leadline reads version 4"):
            refused()


def test_runs_at_the_same_time_are_both_in_the_manifest(store: Store) -> None:
    runs = [f"run-{number}" for number in range(8)]
    threads = [threading.Thread(target=store.record, args=(run, [asked()])) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(store.manifest().runs) == runs


def test_compaction_keeps_every_row(store: Store) -> None:
    rows = [row(), later(1, verdict="safe"), row(query="b2"), unknown("time: stopped", query="c3")]
    for one in rows:
        store.keep(one)
    local(store.path("d4", "r")).write_bytes(b"PAR1")
    before = store.all()
    done = compact(store)
    assert (done.rows, done.files, len(done.warnings)) == (4, 4, 1)
    assert store.all() == before
    merged, broken = names(local(store.results))
    assert merged.startswith("compacted.")
    assert broken == "d4.r.parquet"
    assert store.find(["b2"]).rows == {"b2": rows[2]}
    newer = later(5)
    store.keep(newer)
    assert store.all().rows["a1"] == newer
    assert compact(store).rows == 5
    assert len(names(local(store.results))) == 2
    assert compact(store).files == 1


def test_compaction_stopped_on_the_way(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a1", "b2", "c3"):
        store.keep(row(query=name))
    before = store.all()
    unlink = Path.unlink
    removed: list[Path] = []

    def stopped(path: Path, missing_ok: bool = False) -> None:
        if len(removed) == 1:
            raise KeyboardInterrupt
        removed.append(path)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", stopped)
    with pytest.raises(KeyboardInterrupt):
        compact(store)
    monkeypatch.undo()
    assert len(names(local(store.results))) == 3
    assert store.all() == before
    assert compact(store).rows == 3
    assert len(names(local(store.results))) == 1


def test_a_row_written_during_compaction_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a1", "b2"):
        store.keep(row(query=name))
    compacted = RowFile.compacted

    def meanwhile(folder: Path, run: str) -> RowFile:
        store.keep(row(steps=7))
        return compacted(folder, run)

    monkeypatch.setattr(RowFile, "compacted", meanwhile)
    compact(store)
    assert names(local(store.results))[0] == "a1.run-1.parquet"
    assert store.all().rows["a1"].steps == 7
