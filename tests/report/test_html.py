"""The page of a store: whole, escaped, and in need of nothing else."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from leadline.symbolic.catalog import find_module
from leadline.symbolic.cli import main
from leadline.symbolic.grid.cells import cells
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.report.findings import ShownTrace, counterexample
from leadline.symbolic.report.heatmap import maps
from leadline.symbolic.report.html import page
from leadline.symbolic.trace import Line, LineKind, Stored
from leadline.symbolic.trace.page import stored_page_data
from tests.grid.conftest import COUNTER
from tests.grid.rows import ROW, local, obligation, row, unknown
from tests.report.store import EVIL, planted, real

VOID = {"meta", "br", "link", "input"}


class Page(HTMLParser):
    """Reads a page; the elements must nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        """All that it says, without its style sheet."""
        return re.sub(r"\s+", " ", " ".join(text for text in self.texts if "--paper" not in text))

    def labels(self) -> list[str]:
        """The labels of the maps' cells, for those who do not see them."""
        return [of["aria-label"] or "" for tag, of in self.elements if tag == "a" and "aria-label" in of]


def shown(*rows: Row) -> Page:
    return Page(
        page(rows, cells(rows, {}), lambda cell: ShownTrace((Line(LineKind.HEAD, "headline"),), "a note"))
    )


@cache
def of_planted() -> Page:
    """The page of `planted`, whose condition takes a second or two to find."""
    return shown(*planted())


def test_the_maps() -> None:
    read = of_planted()
    labels = read.labels()
    assert len(labels) == 12
    assert labels[0] == "fast = false, log = 1, nodes = 1, replicas = 2: safe within 10 steps"
    assert sum("violated in 8 steps" in label for label in labels) == 2
    looks = [of["class"] for tag, of in read.elements if tag == "td" and "look" in (of.get("class") or "")]
    assert [looks.count(f"look {kind}") for kind in ("safe", "violated", "unknown")] == [7, 4, 1]
    assert [tag for tag, _ in read.elements].count("table") == 4, "one map, all answers, the slowest, made by"
    heads = [text for text in read.texts if text.endswith(("\u2193", "\u2192"))]
    assert heads == ["fast \u2193", "log \u2193 replicas \u2192"]
    anchors = {of["id"] for _, of in read.elements if "id" in of}
    links = [of["href"] for tag, of in read.elements if tag == "a"]
    assert all(link and link[0] == "#" and link[1:] in anchors for link in links)


def test_a_shorter_bug_and_a_deeper_search_are_stronger() -> None:
    read = of_planted()
    heats: dict[str, float] = {}
    cell: dict[str, str | None] = {}
    for tag, of in read.elements:
        if tag == "td":
            cell = of
        elif tag == "a" and "aria-label" in of:
            heats[(of["aria-label"] or "").partition(": ")[2]] = float(
                (cell["style"] or "").removeprefix("--heat:")
            )
    assert heats["violated in 8 steps"] > heats["violated in 9 steps"]
    assert heats["safe within 20 steps"] > heats["safe within 10 steps"]


def test_where_it_breaks() -> None:
    text = of_planted().text
    assert "Violated where log >= 2 and replicas >= 3" in text
    assert "True at 4 of the 11 points with an answer" in text
    assert "no bug was found within the depth searched (10 steps to 20 steps)" in text
    assert "Not counted: 1 point without an answer" in text
    assert (
        "fast = true, log = 1, nodes = 1, replicas = 4: unknown beyond 5 steps: time: stopped after 9 s"
        in text
    )
    assert "Counterexample at the smallest such point: fast = false, log = 2, replicas = 3" in text
    assert "a note headline" in text


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([row()], "Violated at the only point with an answer."),
        ([row(verdict="safe", steps=None)], "Not violated there. Not a proof: at 1 point"),
        ([unknown("time")], "No point has an answer."),
        ([row(), row(query="b", parameters="{}")], "Violated at all 2 points with an answer."),
        ([row(verdict="proved"), row(query="b", parameters="{}", verdict="proved")], "for every depth at 2"),
        ([row(kind="probe"), row(query="b", kind="probe", parameters='{"top":9}', verdict="safe")],
         "Reached where top <= 3 True at 1 of the 2 points with an answer"),
    ],
)  # fmt: skip
def test_findings(rows: list[Row], told: str) -> None:
    assert told in shown(*rows).text


def test_no_simple_condition() -> None:
    points = [(a, b, c) for a in (1, 2) for b in (1, 2) for c in (1, 2)]
    rows = [
        row(
            query=f"q{a}{b}{c}",
            parameters=json.dumps({"a": a, "b": b, "c": c}),
            verdict="violated" if (a + b + c) % 2 else "safe",
        )
        for a, b, c in points
    ]
    assert "no simple condition separates them" in shown(*rows).text


def test_costs() -> None:
    read = shown(
        *planted(), row(query="m", verdict="moot", steps=None, reason="violated already", task_seconds=99.0)
    )
    text = read.text
    assert (
        "Of 11 queries with a prediction, the measured time is in the median 2 times the predicted one"
        in text
    )
    slowest = text.partition("Slowest queries")[2].partition("Predicted and measured")[0]
    took = [float(seconds) for seconds in re.findall(r"(\d+\.\d) \d\.\d 42", slowest)]
    assert took == sorted(took, reverse=True)
    assert (len(took), took[0]) == (10, 8.0), "what is moot took no time"
    titles = [text for text in read.texts if text.startswith("seconds against")]
    assert set(titles) == {
        "seconds against replicas (medians over the other parameters and depths)",
        "seconds against log (medians over the other parameters and depths)",
    }


def test_growth_with_depth() -> None:
    rows = [row(query=f"d{depth}", depth_asked=depth, task_seconds=2.0**depth) for depth in (1, 2, 3)]
    stopped = unknown("time: stopped", query="d4", depth_asked=4, task_seconds=60.0)
    read = shown(*rows, stopped)
    assert "below-three: seconds against depth" in read.texts
    assert "z3: 2" in read.texts and "z3: > 60" in read.texts


def test_kinds_that_are_not_bounded_checks() -> None:
    moot = row(query="m", verdict="moot", steps=None, trace=None, depth=-1, reason="proved")
    cti = obligation("consecution of x under y", "unknown", query="c", reason="not inductive: x breaks")
    text = shown(obligation("initiation of x", query="i"), cti, moot).text
    assert "consecution of x under y" in text
    assert "unknown: not inductive: x breaks" in text
    assert "moot: proved" in text


def test_only_the_latest_model_is_on_the_maps() -> None:
    newer = row(
        query="n", fingerprint="g", verdict="safe", steps=None, started=ROW.started + timedelta(days=1)
    )
    assert shown(row(), newer).labels() == ["nodes = 1, overflow = false, top = 3: safe within 10 steps"]


def test_the_page_needs_nothing_else() -> None:
    text = page([row()], cells([row()], {}), lambda cell: ShownTrace((), ""))
    read = Page(text)
    assert not {"img", "iframe", "object"} & {tag for tag, _ in read.elements}
    assert text.count("<script") == 1, "the one that the policy allows by its hash"
    assert not any("src" in of for _, of in read.elements)
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "").replace("http-equiv", "")
    assert "url(" not in text and "@import" not in text


def test_everything_is_escaped() -> None:
    texts = (
        "protocol",
        "property",
        "solver",
        "host",
        "machine",
        "leadline_version",
        "reason",
        "kind",
        "trace",
    )
    evil = dict.fromkeys(texts, EVIL)
    rows = [
        unknown(EVIL, query="a"),
        row(**evil, query="b", parameters=json.dumps({EVIL: EVIL, "n": 1})),
        row(**evil, query=EVIL, parameters=json.dumps({EVIL: "other", "n": 2}), depth_asked=4),
        row(query="d", verdict=EVIL),
        obligation(EVIL, query="e"),
    ]
    read = Page(page(rows, cells(rows, {}), lambda cell: ShownTrace((Line(LineKind.STEP, EVIL),), EVIL)))
    assert [tag for tag, _ in read.elements].count("script") == 1 and "img" not in dict(read.elements)
    assert [tag for tag, _ in read.elements].count("style") == 1
    assert EVIL in read.texts


def test_rows_and_columns_without_an_answer_are_left_out() -> None:
    """Each property has the rows and columns of its own points, of as many parameters as vary."""
    points = [("x", 1, 1), ("x", 2, 1), ("x", 2, 3), ("y", 3, 2)]
    rows = [
        row(query=f"q{number}", property=name, parameters=json.dumps({"a": a, "b": b, "c": 1}))
        for number, (name, a, b) in enumerate(points)
    ]
    read = shown(*rows)
    (x,) = re.findall(r"x b \u2193 a \u2192 1 2 1 (.*?) Violated", read.text)
    assert x.split() == ["\u2717", "3", "\u2717", "3", "3", "\u00b7", "not", "asked", "\u2717", "3"]
    assert read.labels()[-1] == "a = 3, b = 2, c = 1: violated in 3 steps"


def test_it_is_called_as_the_grid() -> None:
    found = [row()]
    made = Page(page(found, cells(found, {}), lambda cell: ShownTrace((), ""), title="nightly"))
    assert "nightly: 1 query: 1 violated" in made.texts and "nightly" in made.texts
    assert "counter: 1 query: 1 violated" in shown(row()).texts, "the protocol's name, if the grid has none"


def test_failures_come_first_and_lead_to_their_answers() -> None:
    text = of_planted().text
    assert text.index("agreement of log fails at 4 of 12 points") < text.index("How to read the maps")
    assert "nothing is known of" not in text and "of which nothing is known" not in text
    assert "7 safe, 4 violated, 1 without an answer, of 12 cells" in text


def test_the_engine_is_named() -> None:
    text = shown(row()).text
    assert "property engine asked solver" in text and "below-three bmc 10 steps z3" in text


def test_an_empty_store() -> None:
    assert "no queries. By Leadline." in shown().text


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    shutil.copy(COUNTER, tmp_path)
    monkeypatch.chdir(tmp_path)
    made = Store(tmp_path / "store")
    made.create()
    return made


def text_of(store: Store, found: Row) -> tuple[str, str]:
    (cell,) = cells([found], {})
    told = counterexample(store, cell)
    return "\n".join(map(str, told.lines)), told.note


def test_a_counterexample_in_the_words_of_the_specification(store: Store) -> None:
    found, documents = real("pulsar-compaction", "duplicate-null-key-message", depth=3)
    store.keep(found, documents)
    text, note = text_of(store, found)
    assert note.startswith("Replayed step by step as this page was written; leadline trace ")
    lines = text.splitlines()
    assert lines[0].endswith(": DuplicateNullKeyMessage violated in 3 steps") or "in 3 steps" in lines[0]
    assert "     DuplicateNullKeyMessage is false." in lines
    assert any("CompactorPhaseOne" in line for line in lines)


def test_a_module_is_replayed_where_it_is_named_with_its_configuration(store: Store, tmp_path: Path) -> None:
    module, config = tmp_path / "Wheel.tla", tmp_path / "Other.cfg"
    module.write_text(
        "---- MODULE Wheel ----\nEXTENDS Naturals\nCONSTANT N\nVARIABLE x\nInit == x = 0\n"
        "Next == x' = (x + 1) % N\nSmall == x < 2\n====\n"
    )
    config.write_text("INIT Init NEXT Next INVARIANT Small CONSTANT N = 2")
    find_module(module, config)
    found, documents = real(f"{module} {config}", "Small", N="4")
    store.keep(found, documents)
    _, note = text_of(store, found)
    options = ["--protocol", str(module), "--config", str(config)]
    assert note.startswith("As it is stored, and not replayed; ") and f".json {' '.join(options)} " in note
    out = tmp_path / "report.html"
    for given, told in (((), "As it is stored"), (options, "Replayed step by step")):
        assert main(["report", str(store.folder), "--out", str(out), *given]) == 0
        assert told in out.read_text()
    assert main(["report", str(store.folder), "--out", str(out), *options[2:]]) == 2


def test_a_file_is_not_run_for_its_counterexample(store: Store) -> None:
    found, documents = real(str(Path("counter.py").resolve()), "below-three", top=3)
    store.keep(found, documents)
    Path("counter.py").write_text("raise SystemExit('this must not run')")
    text, note = text_of(store, found)
    assert note.startswith("As it is stored, and not replayed; leadline trace ") and "--protocol" in note
    assert text.splitlines() == [
        "counter (top = 3, nodes = 1, overflow = false): below-three violated in 3 steps",
        "  0  Init",
        "       count = 0",
        "       seenBy = {}",
        "  1  CountUp(node = n1)",
        "       count = 1",
        "       seenBy: added {n1}",
        "  2  CountUp(node = n1)",
        "       count = 2",
        "  3  CountUp(node = n1)",
        "       count = 3",
        "     BelowThree is false.",
        "       FALSE  count < 3   (3 < 3)",
    ]


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "none": lambda page: page.clear(),
    "another version": lambda page: page.update(version=2),
    "a value in a circle": lambda page: page["nodes"].insert(0, ["s", None, [0]]),
    "a value that is not there": lambda page: page["steps"][0].update(state=[0, 99]),
    "a state too short": lambda page: page["steps"][0].update(state=[0]),
    "a reason in a circle": lambda page: page["reasons"][0].__setitem__(4, [0]),
    "a text that is not there": lambda page: page["parts"].append([99, []]),
    "a kind of line": lambda page: page["text"].append(['"><script>', ""]),
    "a number for a text": lambda page: page.update(sentence=3),
    "a loop that is not there": lambda page: page.update(loop=99),
    "a lane that is not there": lambda page: page.update(
        lanes={"groups": [], "steps": [{"acts": True, "lanes": [0]}] * 4, "messages": []}
    ),
    "no steps": lambda page: page.update(steps=[]),
    "a condition without a place": lambda page: page["fairness"].append(["WF", "taken", 99]),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_stored_texts_that_are_wrong_are_not_shown(
    change: Callable[[dict[str, Any]], object], store: Store
) -> None:
    found, documents = real(str(Path("counter.py").resolve()), "below-three", top=3)
    (place,) = documents
    data = json.loads(documents[place])
    assert stored_page_data(Stored("x", data)) == data["page"]
    change(data["page"])
    store.keep(found, {place: json.dumps(data if data["page"] else {**data, "page": None})})
    text, note = text_of(store, found)
    assert note.startswith("It is not shown, since ") and "--protocol" in note
    assert "lacks what a page needs" in note and text == ""


def test_a_counterexample_that_is_not_one(store: Store) -> None:
    found, documents = real("pulsar-compaction", "duplicate-null-key-message", depth=3)
    (place,) = documents
    data = json.loads(documents[place])
    state = data["states"][1]
    name = next(name for name, value in state.items() if type(value) is int)
    state[name] += 1
    store.keep(found, {place: json.dumps(data)})
    text, note = text_of(store, found)
    assert note.startswith("As it is stored. It does not replay here: step 1")
    assert text.splitlines()[0].endswith("in 3 steps"), "as it was stored"
    store.put(place, "{")
    assert "is not JSON" in text_of(store, found)[1]
    for elsewhere in ("../../etc/passwd", "traces/none.json"):
        text, note = text_of(store, replace(found, trace=elsewhere))
        assert text == "" and note.startswith("Its counterexample cannot be shown: ")


def test_the_command(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.keep(row(trace=None))
    local(store.path("b2", "r")).write_bytes(b"PAR1")
    out = local(store.folder / "report.html")
    assert main(["report", str(store.folder), "--out", str(out)]) == 0
    assert "violated in 3 steps" in Page(out.read_text(encoding="utf-8")).texts
    warning, wrote = capsys.readouterr().err.splitlines()
    assert warning.startswith(f"leadline: {store.path('b2', 'r')} is ignored")
    assert wrote == f"leadline: wrote {out}"


def test_the_maps_as_a_picture(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    for one in planted():
        store.keep(one)
    out = local(store.folder / "maps.svg")
    assert main(["report", str(store.folder), "--svg", str(out)]) == 0
    assert capsys.readouterr().err == f"leadline: wrote {out}\n"
    root = Xml.fromstring(out.read_text(encoding="utf-8"))
    found = [
        "".join([x.text or "", *(y.tail or "" for y in x)])
        for x in root.iter("{http://www.w3.org/2000/svg}text")
    ]
    begin = found.index("fast \u2193")
    assert found[begin : begin + 10] == [
        *("fast \u2193", "log \u2193 replicas \u2192", "2", "3", "4", "false", "1"),
        *("\u2713 10",) * 3,
    ]
    assert found.count("?") == 2, "the point and the legend"
    assert main(["report", str(store.folder)]) == 2
    assert "--out FILE.html" in capsys.readouterr().err


def test_the_maps_of_hostile_texts() -> None:
    evil = [
        row(protocol=EVIL, property=EVIL, parameters=json.dumps({EVIL: n, "b": EVIL * n})) for n in (1, 2)
    ]
    root = Xml.fromstring(maps(cells(evil, {}), EVIL))
    assert {one.tag.rpartition("}")[2] for one in root.iter()} == {"svg", "title", "style", "rect", "text"}


def test_pages_of_counterexamples_that_are_gone_are_removed(store: Store) -> None:
    """Of an earlier report under the same name, and of no other: what else lies in the folder stays."""
    rows = []
    for top in (3, 4):
        found, documents = real(str(COUNTER), "below-three", top=top)
        store.keep(found, documents)
        rows.append(found)
    folder = local(store.folder)
    out, other = folder / "report.html", folder / "report.htm"
    for name in (out, other):
        assert main(["report", str(store.folder), "--protocol", str(COUNTER), "--out", str(name)]) == 0
    pages = sorted((local(store.folder) / "report.traces").iterdir())
    assert len(pages) == 2
    for place, text in (("0123456789abcdef.html", "mine"), ("notes.html", pages[0].read_text())):
        (local(store.folder) / "report.traces" / place).write_text(text)
    store.path(rows[0].query, rows[0].run).unlink()
    assert main(["report", str(store.folder), "--protocol", str(COUNTER), "--out", str(out)]) == 0
    left = {path.name for path in (store.folder / "report.traces").iterdir()}
    assert {"0123456789abcdef.html", "notes.html"} < left
    # The page that is gone was last written by the other report.
    assert {path.name for path in pages} < left
    for name in (other, out):
        assert main(["report", str(store.folder), "--protocol", str(COUNTER), "--out", str(name)]) == 0
    left -= {"0123456789abcdef.html", "notes.html"}
    assert len([path for path in pages if path.exists()]) == 1 < len(left)


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "x"), "--out", str(tmp_path / "report.html")]) == 2
    assert "is no store of results" in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()
