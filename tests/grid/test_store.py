"""The store: rows come back as they were, and what is broken is not believed."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leadline.symbolic.engines import Limits
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import SCHEMA, from_table, to_table
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import UserError
from tests.grid.rows import row, unknown


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "deep" / "store")
    made.create()
    return made


def test_every_column_says_what_it_holds() -> None:
    assert len(SCHEMA) > 25
    for column in SCHEMA:
        assert len(column.metadata[b"doc"]) > 10, column.name
    assert {column.name for column in SCHEMA if column.nullable} == {
        "timeout_seconds",
        "memory_limit_mb",
        "steps",
        "reason",
        "trace",
    }


def test_rows_come_back(store: Store) -> None:
    rows = [row(), unknown("time: stopped", query="b2"), row(query="c3", steps=0)]
    for one in rows:
        store.keep(one)
    found = store.all()
    assert found.rows == {one.query: one for one in rows}
    assert found.warnings == ()
    assert store.find(["b2", "nothing"]).rows == {"b2": rows[1]}


def test_a_row_is_replaced(store: Store) -> None:
    store.keep(unknown("time: stopped"))
    store.keep(row())
    assert store.all().rows == {"a1": row()}
    assert [path.name for path in store.results.iterdir()] == ["a1.parquet"]


def test_a_row_is_forgotten(store: Store) -> None:
    store.keep(row())
    store.forget(["a1", "nothing"])
    assert store.all().rows == {}


@pytest.mark.parametrize("kept", [0, 4, 1000, -1])
def test_a_file_cut_short(kept: int, store: Store) -> None:
    store.keep(row())
    store.keep(row(query="b2"))
    path = store.path("a1")
    path.write_bytes(path.read_bytes()[:kept])
    for found in (store.find(["a1", "b2"]), store.all()):
        assert found.rows == {"b2": row(query="b2")}
        (warning,) = found.warnings
        assert warning.startswith(f"{path} is ignored, it is no row of this version: ")


def test_files_that_are_something_else(store: Store) -> None:
    pq.write_table(pa.table({"query": ["a1"]}), store.path("a1"))
    pq.write_table(pa.concat_tables([to_table(row())] * 2), store.path("b2"))
    pq.write_table(to_table(row()), store.path("c3"))
    store.path("d4").mkdir()
    (store.results / ".e5.part").write_text("half")
    found = store.all()
    assert found.rows == {}
    told = [warning.partition("version: ")[2] for warning in found.warnings]
    assert told == [
        "its columns are not those of this version",
        "it holds 2 rows",
        "it holds the row of another query: a1",
        "[Errno 21] Is a directory: '" + str(store.path("d4")) + "'",
    ]


def test_a_disk_that_is_full_leaves_the_old_row(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.keep(row())

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.keep(row(steps=9))
    assert store.all().rows == {"a1": row()}
    assert [path.name for path in store.results.iterdir()] == ["a1.parquet"]


def test_no_store(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no store of results: `leadline grid` writes one"):
        Store(tmp_path).all()
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be made: Not a directory"):
        Store(tmp_path / "file").create()


def test_a_table_is_one_row() -> None:
    assert from_table(to_table(row())) == row()


def asked(seconds: float | None, memory_mb: int | None) -> GridQuery:
    limits = Limits(seconds, memory_mb)
    return GridQuery("counter", "c.py", (), "{}", "p", "invariant", 10, "steps", "z3", limits, "f")


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
        ("error: ZeroDivisionError", 60, 500, False),
    ],
)
def test_what_is_run_again(reason: str, seconds: float, memory_mb: int, settled: bool) -> None:
    found = unknown(reason, timeout_seconds=60.0, memory_limit_mb=500)
    assert found.settles(asked(seconds, memory_mb)) is settled


def test_an_answer_holds_whatever_the_limits() -> None:
    assert row(timeout_seconds=1.0).settles(asked(None, None))
