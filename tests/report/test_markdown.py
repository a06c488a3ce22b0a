"""Markdown for a pull request: what a parser of Markdown makes of it, hostile texts, and the limit."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from leadline.symbolic.cli import main
from leadline.symbolic.grid.cells import cells
from leadline.symbolic.grid.store import Store
from leadline.symbolic.report.markdown import bounded, code, folded, markdown, table
from leadline.symbolic.trace.page import page_data
from tests.grid.conftest import COUNTER
from tests.grid.rows import row
from tests.report.runs import ring
from tests.report.store import EVIL, planted, real

HOSTILE = (EVIL, "a|b\n\n# c", "```\n</details>", "@someone #12 **b** `c`", "\\| [x](y) &lt; \u202e")


class Read(HTMLParser):
    """The elements of Markdown as a parser of GitHub's dialect makes HTML of it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.code: list[str] = []
        self._open: list[str] = []
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        self._open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
        elif tag == "code":
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & {*self._open}:
            self.cells[-1] += data
        if "code" in self._open:
            self.code[-1] += data


@pytest.fixture
def store(tmp_path: Path) -> Store:
    shutil.copy(COUNTER, tmp_path)
    made = Store(tmp_path / "store")
    made.create()
    return made


def test_of_a_store(store: Store) -> None:
    for one in planted():
        store.keep(one)
    store.keep(*real(str(Path(str(store.folder)).parent / "counter.py"), "below-three", top=3))
    text = markdown(cells(store.all().rows.values(), {}), store, "nightly")
    read = Read(text)
    assert read.tags.count("details") == 1 and read.tags.count("pre") == 2
    assert text.index("violated in 8 steps") < text.index("unknown beyond") < text.index("safe within")
    begin = read.cells.index("replicas")
    assert read.cells[begin : begin + 10] == [
        *("replicas", "log", "fast", "property", "verdict"),
        *("3", "2", "false", "agreement", "\u274c violated in 8 steps"),
    ]
    (drawn,) = (one for one in read.code if one.startswith("sequenceDiagram"))
    assert "Note over L0: 3 CountUp" in drawn or "Note over L0: 3 " in drawn


def test_surprises_come_first(store: Store) -> None:
    at = {"variant": "backup-manager", "resource_managers": 2, "rm_may_fail": True, "tm_may_fail": True}
    point = json.dumps({**at, "fairness": "as-published"})
    name = "two-phase-commit"
    known = row(protocol=name, source=name, property="consistency", parameters=point, trace=None)
    text = markdown(cells([known], {}), store, "nightly")
    assert text.index("**Not as expected:**") < text.index("| property |")
    assert (
        any("violated in 3 steps" in x for x in Read(text).code) and "violated in 24 steps" in Read(text).code
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_only_texts(store: Store, name: str) -> None:
    evil = [row(protocol=name, property=name, parameters=json.dumps({name: n}), trace=None) for n in (1, 2)]
    read = Read(markdown(cells(evil, {}), store, name))
    assert {*read.tags} <= {"h3", "code", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert read.tags.count("td") == 6
    data = {**page_data(*ring()), "title": name, "text": [["head", name]]}
    read = Read(folded(code(name), data))
    assert [x for x in read.tags if x != "br"] == ["details", "summary", "code", "pre", "code", "pre", "code"]
    assert read.code[-1].rstrip("\n") == name.rstrip("\n")


def test_the_limit() -> None:
    text = bounded(["a" * 40_000, "b" * 30_000, "c"])
    assert "b" not in text.replace("65,536 characters", "").split("*")[0]
    assert "*2 more parts left out: a comment has at most 65,536 characters.*" in text
    rows = table(["a"], ([str(n)] for n in range(10_000)))
    assert len(rows) < 31_000 and re.search(r"\*\d+ more rows left out\.\*$", rows)


def test_a_large_store(store: Store) -> None:
    many = [
        row(query=f"q{n}", parameters=json.dumps({"n": n, "m": "x" * 40}), trace=None) for n in range(3_000)
    ]
    text = markdown(cells(many, {}), store, "nightly")
    assert len(text) < 65_536 and "more rows left out" in text


def test_of_a_check(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(str(store.folder / ".."))
    assert main(["check", "counter.py", "--format", "markdown"]) == 12
    read = Read(capsys.readouterr().out)
    assert read.cells[4:8] == ["below-three", "\u274c violated", "3", "explore"]
    assert read.tags.count("details") == 1 and any(x.startswith("sequenceDiagram") for x in read.code)
    assert main(["prove", "counter.py", "--property", "not-negative", "--format", "markdown"]) == 0
    assert Read(capsys.readouterr().out).cells[4:6] == ["not-negative", "\u2705 proved"]
