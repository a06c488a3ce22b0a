"""`leadline results`: what it prints, exports and compares; texts from the store are only data."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from leadline.symbolic.grid.rows import SCHEMA, Row
from leadline.symbolic.grid.store import Store
from tests.cli.conftest import Leadline
from tests.cli.sarif import check_sarif
from tests.grid.queries import obligation as asked_obligation
from tests.grid.rows import later, obligation, row, unknown

SAFE = row(query="s", verdict="safe", steps=None, trace=None, depth=10)
BIG = '{"nodes":2,"overflow":false,"top":3}'
ROWS = [
    row(),
    row(query="b2", verdict="safe", steps=None, trace=None, depth=10, property="not-negative"),
    row(query="c3", kind="probe", property="never-one", steps=1),
    unknown("time: stopped after 9 s", query="d4", parameters=BIG, depth=4),
]

Filled = Callable[..., str]


@pytest.fixture
def filled(tmp_path: Path) -> Filled:
    """Makes a store with rows in it; gives its name."""

    def made(name: str, *rows: Row) -> str:
        store = Store(tmp_path / name)
        store.create()
        for one in rows:
            store.keep(one)
        return name

    return made


def test_the_table(leadline: Leadline, filled: Filled) -> None:
    ran = leadline("results", filled("store", *ROWS, later(-1, verdict="safe")))
    assert (ran.code, ran.err) == (0, "")
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert lines == [
        "counter (overflow = false, top = 3)",
        "nodes property asked solver verdict seconds MB",
        "1 below-three 10 steps z3 violated in 3 steps 1.0 42",
        "1 never-one 10 steps z3 reached in 1 step 1.0 42",
        "1 not-negative 10 steps z3 safe within 10 steps 1.0 42",
        "2 below-three 10 steps z3 unknown beyond 4 steps: time: stopped after 9 s 1.0 42",
        "",
        "not as expected: nothing",
        "failed: below-three of counter fails at 1 of 2 points, such as below-three of counter at "
        "nodes = 1, overflow = false, top = 3: violated in 3 steps",
        "1 as expected, 1 violated, 1 safe, 1 without an answer, of 4 cells",
        "4 queries: 1 violated, 1 unknown, 1 reached, 1 safe",
    ]


def test_obligations_and_seeds_are_told_apart(leadline: Leadline, filled: Filled) -> None:
    out = leadline(
        "results", filled("store", row(), row(query="b", seed=7), obligation("implication", query="c"))
    ).out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[1] == "property asked solver seed verdict seconds MB"
    assert lines[2:5] == [
        "below-three 10 steps z3 0 violated in 3 steps 1.0 42",
        "below-three 10 steps z3 7 violated in 3 steps 1.0 42",
        "below-three implication z3 0 proved 1.0 42",
    ]


def test_where(leadline: Leadline, filled: Filled) -> None:
    store = filled("store", *ROWS)
    assert "1 query: 1 unknown" in leadline("results", store, "--where", "nodes == 2").out
    assert leadline("results", store, "--where", "nodes == 9").out == "no queries\n"
    ran = leadline("results", store, "--where", "nodes = 2")
    assert (ran.code, ran.out) == (2, "")
    assert (
        ran.err
        == "leadline: --where: line 1, column 7: `=` means nothing in a condition: write == to compare\n"
    )


def test_csv(leadline: Leadline, filled: Filled) -> None:
    evil = row(query="e", reason='a,"b"\nc', property="x")
    out = leadline("results", filled("store", *ROWS, evil), "--format", "csv").out
    read = list(csv.DictReader(io.StringIO(out)))
    assert list(read[0]) == SCHEMA.names
    assert [one["query"] for one in read] == ["a1", "c3", "b2", "e", "d4"]
    assert json.loads(read[0]["parameters"]) == {"nodes": 1, "overflow": False, "top": 3}
    assert (read[0]["steps"], read[2]["steps"], read[3]["reason"]) == ("3", "", 'a,"b"\nc')
    assert read[0]["started"] == "2026-01-02T03:04:05.000678+00:00"


def test_json(leadline: Leadline, filled: Filled) -> None:
    ran = leadline(
        "results", filled("store", *ROWS), "--format", "json", "--out", "rows.json", "--where", "steps > 1"
    )
    assert ran.code == 0
    (only,) = json.loads(Path("rows.json").read_text())
    assert only["parameters"] == {"nodes": 1, "overflow": False, "top": 3}
    assert list(only) == SCHEMA.names


def test_junit(leadline: Leadline, filled: Filled) -> None:
    unreached = row(query="e", kind="probe", property="never-two", verdict="safe", steps=None, trace=None)
    bounds = row(query="f", property="tops", verdict="out-of-bounds", reason="3 is not in 0..2")
    rows = [*ROWS, unreached, bounds, row(query="g", protocol="else", verdict="safe")]
    root = Xml.fromstring(leadline("results", filled("store", *rows), "--format", "junit").out)
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == (
        "testsuites",
        "7",
        "2",
        "2",
    )
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [("counter", "6"), ("else", "1")]
    told = [(case.get("name"), [(x.tag, x.get("type")) for x in case]) for case in root.iter("testcase")]
    small, big = "nodes = 1, overflow = false, top = 3", "nodes = 2, overflow = false, top = 3"
    assert told == [
        (f"below-three at {small}", [("failure", "violated")]),
        (f"never-one at {small}", []),
        (f"never-two at {small}", [("error", "not reached")]),
        (f"not-negative at {small}", []),
        (f"tops at {small}", [("failure", "out-of-bounds")]),
        (f"below-three at {big}", [("error", "unknown")]),
        (f"below-three at {small}", []),
    ]
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "violated in 3 steps"
    assert "the counterexample is in the store: traces/a1.json" in (failure.text or "")


DEEPER = unknown("time: x", query="t", depth=6, depth_asked=14)
HALF = obligation("initiation of x", query="i")


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        ([SAFE, DEEPER], ["error"]),
        ([SAFE, replace(DEEPER, solver="cadical", depth_asked=10)], []),
        ([replace(SAFE, unroll="sweeps", depth=14), DEEPER], []),
        ([replace(SAFE, depth=14), replace(DEEPER, unroll="sweeps")], ["error"]),
        ([row(), DEEPER], ["failure"]),
        ([replace(SAFE, kind="probe"), replace(DEEPER, kind="probe")], ["error"]),
        ([row(kind="probe"), replace(DEEPER, kind="probe")], []),
        ([SAFE, HALF], ["error"]),
        ([SAFE, obligation("implication", "unknown", query="i", reason="not inductive: x")], ["error"]),
        ([SAFE, obligation("implication", "moot", query="i")], []),
        ([row(verdict="proved"), DEEPER], []),
    ],
)  # fmt: skip
def test_junit_passes_nothing_that_was_asked_in_vain(
    rows: list[Row], kinds: list[str], leadline: Leadline, filled: Filled
) -> None:
    (case,) = Xml.fromstring(leadline("results", filled("store", *rows), "--format", "junit").out).iter(
        "testcase"
    )
    assert [x.tag for x in case] == kinds
    if rows == [SAFE, DEEPER]:
        asked = "safe within 10 steps; 14 steps asked: unknown beyond 6 steps: time: x"
        assert (case[0].get("type"), case[0].get("message")) == ("unknown", asked)


def test_every_row_is_deleted(leadline: Leadline, filled: Filled) -> None:
    ran = leadline("results", filled("now"), "--baseline", filled("before", *ROWS))
    assert ran.code == 20
    assert ran.out.endswith("3 cells got worse\n"), "of one nothing was known before"


def test_junit_takes_any_text(leadline: Leadline, filled: Filled) -> None:
    evil = unknown("crash: \x00\x1b[2J\ufffe ]]> <b> & \"'", property="<p>\x07", protocol='"&\x01')
    case = Xml.fromstring(leadline("results", filled("store", evil), "--format", "junit").out).find(
        ".//error"
    )
    assert case is not None
    assert case.get("message") == "unknown beyond 2 steps: crash: \ufffd\ufffd[2J\ufffd ]]> <b> & \"'"


def test_the_table_cannot_steer_a_terminal(leadline: Leadline, filled: Filled) -> None:
    evil = unknown("crash: \x1b[2J", property="\x1b]0;x\x07", protocol="a\rb", parameters='{"n":"\\u001b"}')
    out = leadline("results", filled("store", evil)).out
    assert all(character.isprintable() or character == "\n" for character in out)
    assert "crash: \\x1b[2J" in out


def test_sarif(leadline: Leadline, filled: Filled) -> None:
    here = [
        row(query=f"{name}{n}", property=name, parameters=f'{{"n":{n}}}')
        for name in ("below-three", "deadlock")
        for n in (1, 2)
    ]
    away = row(query="x", protocol="lost", source="lost-protocol")
    built = row(query="y", protocol="two-phase-commit", source="two-phase-commit", property="consistency")
    out = leadline("results", filled("store", *ROWS[1:], *here, away, built), "--format", "sarif").out
    document = json.loads(out)
    results = check_sarif(document)
    assert [rule["id"] for rule in document["runs"][0]["tool"]["driver"]["rules"]] == [
        "counter/below-three",
        "counter/deadlock",
        "lost/below-three",
        "two-phase-commit/consistency",
    ]
    source = Path("counter.py").read_text().splitlines()
    places = []
    for result in results[:4]:
        physical = result["locations"][0]["physicalLocation"]
        assert physical["artifactLocation"]["uri"] == "counter.py"
        places.append(source[physical["region"]["startLine"] - 1])
    assert places == ["@invariant(Counter)", "class Counter(Protocol):"] * 2, "by point, then by property"
    assert "physicalLocation" not in results[4]["locations"][0]
    uri = results[5]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///") and uri.endswith("properties/two_phase_commit.py")
    assert len({result["partialFingerprints"]["leadlineCell/v1"] for result in results}) == 6
    (note,) = document["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("below-three of counter at nodes = 2")


def test_sarif_runs_no_file(leadline: Leadline, filled: Filled) -> None:
    Path("evil.py").write_text("raise SystemExit(9)\n\n\ndef below_three(): ...\n")
    Path("broken.py").write_text("def (")
    rows = [
        row(source="evil.py"),
        row(query="b", protocol="b", source="broken.py"),
        row(query="c", protocol="c", source="no.py"),
    ]
    results = check_sarif(json.loads(leadline("results", filled("store", *rows), "--format", "sarif").out))
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results]
    assert lines == [1, 1, 4]


def test_sarif_shows_where_a_run_goes_out_of_bounds(leadline: Leadline, filled: Filled) -> None:
    ran = leadline("explore", "counter.py", "-p", "overflow=true", "--format", "json")
    trace = next(one["trace"] for one in json.loads(ran.out)["properties"].values() if one["trace"])
    line = 7
    beyond = row(verdict="out-of-bounds", trace="traces/a1.json")
    store = Store(Path(filled("store")))
    for place, shown in ((["counter.py", line], line), (["no.py", 3], None), (None, None), ([3], None)):
        store.keep(beyond, {"traces/a1.json": json.dumps({**trace, "place": place})})
        (result,) = check_sarif(json.loads(leadline("results", "store", "--format", "sarif").out))
        start = result["locations"][0]["physicalLocation"]["region"]["startLine"]
        source = Path("counter.py").read_text().splitlines()
        assert start == shown if shown else source[start - 1] == "@invariant(Counter)"


@pytest.mark.parametrize(("source", "uri"), [("sub/no one.py", "sub/no%20one.py"), ("a\0b.py", "a%00b.py")])
def test_sarif_of_a_source_that_is_away(source: str, uri: str, leadline: Leadline, filled: Filled) -> None:
    (result,) = check_sarif(
        json.loads(leadline("results", filled("store", row(source=source)), "--format", "sarif").out)
    )
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_sarif_without_a_working_directory(
    leadline: Leadline, filled: Filled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Path(filled("store", row(source="sub/away.py"))).resolve()
    gone = tmp_path / "gone"
    gone.mkdir()
    with monkeypatch.context() as patch:
        patch.chdir(gone)
        gone.rmdir()
        ran = leadline("results", str(store), "--format", "sarif")
    (result,) = check_sarif(json.loads(ran.out))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "sub/away.py"


def test_a_proof_is_one_passed_test(leadline: Leadline, filled: Filled, tmp_path: Path) -> None:
    names = ["initiation of x", "implication"]
    store = filled("store", *(obligation(name, query=f"q{at}") for at, name in enumerate(names)))
    arguments = ("results", store, "--format", "junit")
    assert Xml.fromstring(leadline(*arguments).out).get("errors") == "1", "nobody knows how many there are"
    plan = [asked_obligation(name, property="below-three") for name in names]
    Store(tmp_path / store).record("run-1", plan)
    assert Xml.fromstring(leadline(*arguments).out).get("errors") == "0"


@pytest.mark.parametrize(
    ("before", "now", "code", "told"),
    [
        (SAFE, SAFE, 0, "no cell got worse"),
        (SAFE, row(), 12, "worse: below-three of counter at nodes = 1, overflow = false, top = 3: "
         "violated in 3 steps (was: safe within 10 steps)"),
        (SAFE, unknown("time: x"), 20, "(was: safe within 10 steps)"),
        (unknown("time: x"), row(), 12, "(was: unknown beyond 2 steps: time: x)"),
        (unknown("time: x"), unknown("memory: x"), 0, "no cell got worse"),
        (unknown("time: x"), SAFE, 0, "no cell got worse"),
        (row(), row(steps=2), 0, "no cell got worse"),
        (SAFE, row(verdict="out-of-bounds"), 21, "1 cell got worse"),
        (row(property="deadlock", verdict="safe"), row(property="deadlock"), 11, "1 cell got worse"),
        (row(kind="probe"), row(kind="probe", verdict="safe"), 20,
         "(was: reached in 3 steps)"),
        (row(kind="probe"), unknown("time: x", kind="probe"), 20, "1 cell got worse"),
        (row(kind="probe", verdict="safe"), row(kind="probe"), 0, "no cell got worse"),
        (row(verdict="proved"), SAFE, 0, "no cell got worse"),
        (SAFE, row(parameters=BIG), 20, "new: below-three of counter at nodes = 2, "),
        (SAFE, row(parameters=BIG), 20,
         "worse: no answer in this store: below-three of counter at nodes = 1, "),
        (unknown("time: x"), row(parameters=BIG, verdict="safe"), 0,
         "not in this store: below-three of counter at nodes = 1, "),
        (row(), unknown("time: x"), 20, "(was: violated in 3 steps)"),
    ],
)  # fmt: skip
def test_baseline(before: Row, now: Row, code: int, told: str, leadline: Leadline, filled: Filled) -> None:
    ran = leadline("results", filled("now", now), "--baseline", filled("before", before))
    assert (ran.code, ran.err) == (code, "")
    assert told in ran.out


def test_less_depth_counts_only_where_it_was_asked_for(leadline: Leadline, filled: Filled) -> None:
    before = filled("before", SAFE)
    shallow = row(query="t", verdict="safe", steps=None, trace=None, depth=5, depth_asked=5)
    assert leadline("results", filled("asked-less", shallow), "--baseline", before).code == 0
    ran = leadline("results", filled("lost", shallow, unknown("time: x", query="s")), "--baseline", before)
    assert ran.code == 20
    asked = "safe within 5 steps; 10 steps asked: unknown beyond 2 steps: time: x"
    assert f"{asked} (was: safe within 10 steps)" in ran.out


def test_a_lost_proof(leadline: Leadline, filled: Filled) -> None:
    before = filled("before", row(verdict="proved", steps=None))
    broken = obligation("implication", "unknown", reason="not inductive: x", query="i")
    assert leadline("results", filled("now", SAFE, broken), "--baseline", before).code == 20


def test_where_looks_at_both_stores(leadline: Leadline, filled: Filled) -> None:
    now, before = filled("now", row()), filled("before", SAFE)
    for condition in ("verdict == 'violated'", "verdict == 'safe'"):
        assert leadline("results", now, "--baseline", before, "--where", condition).code == 12
    assert leadline("results", now, "--baseline", before, "--where", "nodes == 2").code == 0


def test_a_document_is_not_mixed_with_the_comparison(leadline: Leadline, filled: Filled) -> None:
    ran = leadline("results", filled("now", row()), "--baseline", filled("before", SAFE), "--format", "sarif")
    assert ran.code == 12
    check_sarif(json.loads(ran.out))
    assert ran.err.splitlines()[-1] == "leadline: 1 cell got worse"


def test_compact(leadline: Leadline, filled: Filled, tmp_path: Path) -> None:
    store = filled("store", *ROWS)
    before = leadline("results", store).out
    ran = leadline("results", store, "--compact")
    assert (ran.code, ran.out, ran.err) == (0, "", "leadline: 4 rows of store merged into one file\n")
    assert len(list((tmp_path / store / "results").iterdir())) == 1
    assert leadline("results", store).out == before
    assert leadline("results", store, "--compact", "--format", "csv").code == 2


@pytest.mark.parametrize("url", ["ftp://host/store", "s3://", "file://host/store", "s3://key:word@"])
def test_an_url_that_no_store_has(url: str, leadline: Leadline, tmp_path: Path) -> None:
    ran = leadline("results", url)
    assert ran.code == 2
    told = " ".join(ran.err.split())
    shown = url.replace("key:word", "***")
    assert f"a store is a folder, or s3://BUCKET/PATH, gs://, abfs:// or hdfs://, and {shown} is none" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counter.py", "lamp.py"]


def test_a_file_url_is_a_folder(leadline: Leadline, filled: Filled, tmp_path: Path) -> None:
    filled("my store", row())
    assert leadline("results", f"file://{tmp_path}/my%20store").code == 0


def test_what_cannot_be_read_is_told(leadline: Leadline, filled: Filled, tmp_path: Path) -> None:
    store = filled("store", row())
    (tmp_path / store / "results" / "b2.r.parquet").write_bytes(b"PAR1")
    ran = leadline("results", store)
    assert ran.code == 0
    assert ran.err.startswith("leadline: store/results/b2.r.parquet is ignored")
    assert leadline("results", "nowhere").code == 2
