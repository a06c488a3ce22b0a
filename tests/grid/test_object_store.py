"""A store in an object store: as one in a folder, also while the server throttles, cuts, hides or is away."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from pyarrow.fs import LocalFileSystem

import leadline
from leadline.symbolic.cli import main
from leadline.symbolic.grid import remote
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.remote import Remote, StoreAway, place_of
from leadline.symbolic.grid.spool import Spool, beside, send_left
from leadline.symbolic.grid.store import Store, compact
from leadline.symbolic.grid.task import Errand, TaskResult
from tests.grid.object_store import ObjectStore, elsewhere, objects, proxy
from tests.grid.queries import query
from tests.grid.rows import later, row, unknown

GRID = """
solver = "cadical"
depth = 3

[[check]]
protocol = "counter.py"
parameters = { top = 2, nodes = 1 }
properties = ["not-negative"]
kinds = ["induction"]

[[check]]
protocol = "counter.py"
parameters = { top = [2, 4], nodes = 1 }
properties = ["below-three"]
"""


def test_rows_and_documents_come_back(server: ObjectStore, store: Store) -> None:
    rows = [row(), later(1, query="b2", verdict="safe"), unknown("time: stopped", query="c3")]
    server.requests.clear()
    for one in rows:
        store.keep(one, {one.trace: '{"länge":3}'} if one.trace else {})
    assert [method for method, _ in server.requests] == ["PUT"] * 4, "an object is one request"
    assert server.requests[0][1].endswith("/traces/a1.json"), "the document is there before its row"
    store.keep(later(5))
    expected = {"a1": later(5), "b2": rows[1], "c3": rows[2]}
    assert store.all().rows == expected
    assert store.find(["b2", "nothing"]).rows == {"b2": rows[1]}
    done = compact(store)
    assert (done.rows, done.files, done.warnings) == (4, 4, ())
    (merged,) = objects(store)
    assert merged.startswith("compacted.")
    assert store.all().rows == expected
    (elsewhere(store) / "results/d4.r.parquet").put(b"PAR1")
    (warning,) = store.all().warnings
    assert warning.startswith(f"{store.path('d4', 'r')} is ignored, it is no row of this version: ")


def test_a_grid_and_the_commands_that_read(
    uri: str, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    """The password in a URI goes into no message, page or object, and no answer is left beside the driver."""
    secret = uri.replace("s3://", "s3://somebody:pass%2Fsesame@")
    shown = uri.replace("s3://", "s3://***@")
    Path("grid.toml").write_text(GRID)
    assert main(["grid", "grid.toml", "--store", secret]) == 0
    count = len(asked)
    assert main(["grid", "grid.toml", "--store", secret, "--replay"]) == 0
    assert len(asked) == count == 7, "what the store answers is not asked again"
    out, err = capsys.readouterr()
    assert f"the results are in {shown}" in out
    assert err == "leadline: replayed: 1 counterexample, 1 certificate\n"
    store = Store(place_of(uri))
    (trace,), (certificate,) = objects(store, "traces"), objects(store, "certificates")
    head, _, tail = secret.partition("?")
    for command in (
        ["results", secret],
        ["report", secret, "--out", "report.html", "--protocol", "counter.py"],
        ["trace", f"{head}/traces/{trace}?{tail}", "--protocol", "counter.py"],
        ["repl", "counter.py", "--trace", f"{head}/traces/{trace}?{tail}", "-e", ":state"],
        ["prove", "--recheck", f"{head}/certificates/{certificate}?{tail}", "--protocol", "counter.py"],
        ["results", secret, "--compact"],
        ["results", secret, "--baseline", uri],
    ):
        assert main(command) == 0, command
    told = "".join(capsys.readouterr()) + out + Path("report.html").read_text()
    assert "violated in 3 steps" in told and "leadline trace" in told
    names = ["", *(f"{folder}/" for folder in ("results", "traces", "certificates"))]
    kept = [
        (elsewhere(store) / f"{folder}{name}").content(1 << 24)
        for folder in names
        for name in objects(store, folder.rstrip("/"))
    ]
    assert len(kept) > 5
    assert not [text for text in [told.encode(), *kept] if b"sesame" in text or b"somebody" in text]
    assert not [*Path("build").rglob("*.parquet")]


def spooled() -> list[str]:
    """The names of the rows that wait beside the driver."""
    return sorted(path.name for path in Path("build", "spool").rglob("[!.]*.parquet"))


def ran(uri: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, list[str]]:
    """The exit code of a grid, and what it has told."""
    Path("grid.toml").write_text(GRID)
    code = main(["grid", "grid.toml", "--store", uri, *options])
    return code, capsys.readouterr().err.splitlines()


@pytest.mark.slow
def test_a_store_that_goes_away_and_comes_back(
    server: ObjectStore, uri: str, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    """The grid goes on; its answers wait beside the driver, and the next command sends them."""
    refused = [False]

    def fault(method: str, path: str) -> int | None:
        refused[0] |= method == "PUT" and "/results/" in path and len(asked) > 2
        return 503 if refused[0] else None

    server.fault = fault
    code, told = ran(uri, capsys, "--patience", "0.5")
    assert (code, len(asked)) == (20, 7)
    assert told[0].startswith(
        f"leadline: the store {uri} cannot be reached: it asks to slow down; answers are kept in "
    )
    assert any(
        re.match(r"leadline: \d answers? wait in build/spool/\S+ for the store: the same ", x) for x in told
    )
    for thread in threading.enumerate():
        if thread.name == "spool":
            thread.join()  # it may be in the middle of a request, which would be served now
    waiting = spooled()
    assert 4 <= len(waiting) <= 7
    server.reset()
    code, told = ran(uri, capsys)
    assert (code, len(asked)) == (0, 7), "no answer is lost"
    assert told[0].startswith(f"leadline: {len(waiting)} answers of an earlier run, kept in build/spool/")
    assert spooled() == [] and {*waiting} < {*objects(Store(place_of(uri)))}
    assert ran(uri, capsys) == (0, [])


@pytest.mark.slow
def test_a_store_that_is_away_for_a_moment(
    server: ObjectStore, uri: str, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    """At the beginning it is waited for, and in between the grid goes on."""
    left = [5, 5]  # requests that are refused before the first query, and after

    def fault(method: str, path: str) -> int | None:
        left[bool(asked)] -= 1
        return 503 if left[bool(asked)] >= 0 else None

    server.fault = fault
    code, told = ran(uri, capsys)
    assert (code, len(asked), spooled()) == (0, 7, [])
    assert "waiting up to 600 s for it" in told[0] and told[1].endswith(
        "can be reached again: the grid goes on"
    )
    assert "answers are kept in build/spool/" in told[2] and told[3].endswith("the answers go there")
    assert len(told) == 4
    assert ran(uri, capsys) == (0, [])


def test_a_connection_cut_in_the_middle_of_a_put(server: ObjectStore, store: Store) -> None:
    """An object is there whole, or not at all."""
    with proxy(server.port, cuts=1, after=2000) as (port, cuts):
        near = Store(place_of(elsewhere(store).base.replace(str(server.port), str(port))))
        near.keep(row())
        assert len(cuts) == 1 and store.all().rows == {"a1": row()}
    with proxy(server.port, cuts=99, after=2000) as (port, cuts):
        near = Store(place_of(elsewhere(store).base.replace(str(server.port), str(port))))
        with pytest.raises(StoreAway, match="cannot be reached"):
            near.keep(row(query="b2"))
    assert objects(store) == ["a1.run-1.parquet"]


def test_a_large_object_of_which_a_part_fails(server: ObjectStore, store: Store) -> None:
    """It takes several requests, and is not there before the last."""
    parts: list[str] = []

    def fault(method: str, path: str) -> int | None:
        parts.extend([path] * (method == "PUT"))
        return 403 if method == "PUT" and len(parts) == 2 else None

    server.fault = fault
    with pytest.raises(PermissionError, match="access is denied"):
        store.put("traces/a1.json", "x" * (11 << 20))
    assert len(parts) == 2 and objects(store, "traces") == []
    store.put("traces/a1.json", "x" * (11 << 20))
    assert (elsewhere(store) / "traces").stamps()["a1.json"][0] == 11 << 20


@pytest.mark.slow
def test_a_store_that_lists_late(
    server: ObjectStore, uri: str, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    """A grid reports all answers of its own, and a compaction removes nothing whose copy nobody would find."""
    server.late = 3600.0
    Path("grid.toml").write_text(GRID)
    assert main(["grid", "grid.toml", "--store", uri]) == 0
    assert "7 queries: 1 violated, 1 safe, 5 proved" in capsys.readouterr().out
    store = Store(place_of(uri))
    assert objects(store) == []
    server.late = 0.0
    before, names = store.all(), objects(store)
    assert len(before.rows) == len(names) == 7
    server.late = 3600.0
    server.known(names)
    (warning,) = compact(store).warnings
    assert "is not listed yet: the files merged in it stay" in warning
    assert store.all() == before
    server.late = 0.0
    assert len(objects(store)) == 8 and store.all() == before
    compact(store)
    assert len(objects(store)) == 1 and store.all() == before


def test_answers_that_a_killed_driver_left(server: ObjectStore, store: Store) -> None:
    server.fault = lambda method, path: 403 if method == "PUT" else None
    gone, alive = Spool(store, "gone"), Spool(store, "alive")
    for one in (gone, alive):
        one.keep(
            row(query=f"of-{one._run.name}", run=one._run.name, trace="t"), {"traces/of-gone.json": "{}"}
        )
    told: list[str] = []
    assert gone.close(9.0, told.append) == 1
    assert told == [
        f"the store {store.folder} cannot be written: access is denied: the credentials may not do "
        "this, or are out of date (the environment has AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or "
        f"AWS_PROFILE)); answers are kept in {beside(store) / 'gone'} meanwhile"
    ]
    told.clear()
    send_left(store, told.append)
    assert told[0].endswith(
        f"1 answer of an earlier run stay in {beside(store) / 'gone'} until the next time"
    )
    server.reset()
    told.clear()
    send_left(store, told.append)
    assert told == [
        f"1 answer of an earlier run, kept in {beside(store) / 'gone'}, are in {store.folder} now"
    ]
    assert "of-gone" in store.all().rows and objects(store, "traces") == ["of-gone.json"]
    # Its next try may be that many seconds away on a busy machine.
    assert alive.close(90.0, told.append) == 0
    assert "of-alive" in store.all().rows and spooled() == []


def test_a_machine_stores_what_it_can(server: ObjectStore, store: Store) -> None:
    """A worker that reaches the store writes its row there; one that may not hands it to the driver."""

    def errand(name: str, sign: str = "sign") -> Errand:
        def answered(*_: object) -> TaskResult:
            return TaskResult(row(query=name), {"traces/a1.json": "{}"})

        return Errand(query(), "run-1", None, elsewhere(store), sign, answered)

    (elsewhere(store) / "sign").put(b"")
    first, second = errand("a1").do(), errand("b2").do()
    assert first.stored and second.stored and not first.documents
    assert objects(store) == ["a1.run-1.parquet", "b2.run-1.parquet"]
    assert len([method for method, path in server.requests if path.endswith("/sign")]) == 2, "it looks once"
    server.fault = lambda method, path: 403
    denied = errand("c3").do()
    assert not denied.stored and denied.documents
    server.requests.clear()
    assert not errand("c3", "another").do().stored and not errand("d4", "another").do().stored
    assert len([path for _, path in server.requests if path.endswith("another")]) == 1, (
        "it asks once a minute"
    )


@pytest.mark.parametrize(
    ("change", "status", "keys_there", "told"),
    [
        ("bucket/", None, True, "cannot be read: there is no such bucket: create it, or mend the URI"),
        (
            "",
            403,
            True,
            "cannot be read: access is denied: the credentials may not do this, or are out of date",
        ),
        ("", 403, False, "cannot be read: access is denied: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        ("read-only", 403, True, "cannot be written: access is denied: the credentials may not do this"),
        ("nothing=1", None, True, "Unexpected query parameter in S3 URI: 'nothing'"),
        ("127.0.0.1", None, True, "cannot be reached: its host is not found: mend the URI"),
    ],
)
def test_mistakes_are_one_line(
    change: str,
    status: int | None,
    keys_there: bool,
    told: str,
    server: ObjectStore,
    uri: str,
    asked: list[GridQuery],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uri = uri.replace("s3://", "s3://somebody:pass%2Fsesame@")
    if change == "bucket/":
        uri = uri.replace(change, "none-such/")
    elif change == "127.0.0.1":
        uri = uri.replace(change, "nowhere.invalid")
    elif change == "nothing=1":
        uri += "&nothing=1"
    if not keys_there:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    server.fault = lambda method, path: status if change != "read-only" or method == "PUT" else None
    code, (line,) = ran(uri, capsys)
    assert code == 2 and asked == []
    assert told in line and "sesame" not in line and "somebody" not in line
    assert main(["results", uri]) in (2, 20)
    assert main(["trace", uri]) in (2, 20)
    err = capsys.readouterr().err
    assert "Traceback" not in err and "sesame" not in err


def test_a_store_that_is_not_there_is_told_in_time(
    uri: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = uri.replace(re.findall(r":(\d+)&", uri)[0], "9")
    assert main(["results", gone]) == 20
    code, told = ran(gone, capsys, "--patience", "0.1")
    assert code == 20
    _, gives_up = told
    assert "nothing listens there; given up after " in gives_up


def test_hadoop_without_its_client(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "hdfs://nowhere.invalid:8020/store"]) == 2
    assert "needs Hadoop's client: install it, and set JAVA_HOME" in capsys.readouterr().err


def test_where_a_file_is_seen_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Hadoop: another file takes its name once it is whole."""
    monkeypatch.setattr(remote, "_opened", lambda uri: (LocalFileSystem(), str(tmp_path)))
    store = Store(Remote("hdfs://host/store"))
    store.create()
    for _ in range(2):
        store.keep(row(), {"traces/a1.json": "{}"})
    assert store.all().rows == {"a1": row()}
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == [".store", "a1.run-1.parquet"]

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(remote, "_write", full)
    with pytest.raises(OSError, match="No space left"):
        store.keep(row(query="b2"))
    assert len([*(tmp_path / "results").iterdir()]) == 2


def test_azure_without_tls(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "abfs://account:sesame@127.0.0.1:9/c/store?enable_tls=false"]) == 2
    err = capsys.readouterr().err
    assert "leave enable_tls=false out" in err and "sesame" not in err


def test_where_a_file_is_empty_before_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in Azure's stores: it is not there yet."""
    monkeypatch.setattr(remote, "_opened", lambda uri: (LocalFileSystem(), str(tmp_path)))
    store = Store(Remote("abfs://host/store"))
    (tmp_path / "results").mkdir()
    (tmp_path / "results/a1.run-1.parquet").touch()
    assert (store.all().rows, store.all().warnings) == ({}, ())


@pytest.mark.slow
def test_from_python(uri: str, asked: list[GridQuery]) -> None:
    table = {"protocol": "counter.py", "parameters": {"top": 4, "nodes": 1}, "properties": "below-three"}
    found = leadline.grid({**table, "depth": 3, "solver": "cadical"}, store=uri)
    assert [row["verdict"] for row in found] == ["violated"] and str(found.store) == uri
    found.report("report.html")
    assert "violated in 3 steps" in Path("report.html").read_text()
