"""The page of a store: whole, escaped, and in need of nothing else."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.grid.store import Store
from leadline.symbolic.report.html import page
from tests.grid.rows import row, unknown

VOID = {"meta", "br"}


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

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_what_the_page_says() -> None:
    rows = [row(), row(kind="probe"), unknown("time: stopped", depth=4), row(verdict="safe", steps=None)]
    read = Page(page(rows))
    classes = [of.get("class") for tag, of in read.elements if tag == "td" and "title" in of]
    assert classes == ["verdict violated", "verdict expected", "verdict unknown", "verdict safe"]
    for text in (
        "violated in 3 steps",
        "unknown beyond 4 steps: time: stopped",
        "counter: 4 queries: 2 violated, 1 unknown, 1 safe",
        "nodes = 1, overflow = false, top = 3",
        "z3-solver 5",
        "here (Linux, 2 processors)",
        "4 queries: 2 violated, 1 unknown, 1 safe. 4 seconds of work, begun 2026-01-02 03:04 UTC.",
    ):
        assert text in read.texts


def test_the_page_needs_nothing_else() -> None:
    read = Page(page([row()]))
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in read.elements}
    assert not any({"src", "href"} & of.keys() for _, of in read.elements)
    assert "http" not in page([row()]) and "url(" not in page([row()])


def test_everything_is_escaped() -> None:
    evil = '"><script>alert(1)</script>&amp;'
    texts = ("protocol", "property", "solver", "host", "machine", "leadline_version", "reason", "kind")
    rows = [
        unknown(evil),
        row(**dict.fromkeys(texts, evil), parameters='{"<b>":"<i>"}'),
        row(**dict.fromkeys(texts, evil), parameters='{"<b>":"<u>"}'),
        row(verdict=evil),
    ]
    tags = {tag for tag, _ in Page(page(rows)).elements}
    assert not tags & {"script", "b", "i", "u"}
    assert evil in Page(page(rows)).texts


def test_an_empty_store() -> None:
    assert "no queries. " in Page(page([])).texts


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(tmp_path / "store")
    store.create()
    store.keep(row())
    store.path("b2").write_bytes(b"PAR1")
    out = tmp_path / "report.html"
    assert main(["report", str(store.folder), "--out", str(out)]) == 0
    assert "violated in 3 steps" in Page(out.read_text(encoding="utf-8")).texts
    warning, wrote = capsys.readouterr().err.splitlines()
    assert warning.startswith(f"leadline: {store.path('b2')} is ignored")
    assert wrote == f"leadline: wrote {out}"


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "x"), "--out", str(tmp_path / "report.html")]) == 2
    assert "is no store of results" in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()
