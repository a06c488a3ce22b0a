"""The progress of a grid, in numbers and words."""

from __future__ import annotations

import io
import threading
import time
from itertools import pairwise

import pytest

from leadline.erasing import ERASE, over_progress
from leadline.symbolic.api import progress as progress_module
from leadline.symbolic.api.progress import live, steady
from leadline.symbolic.grid.schedule import RunProgress
from tests.grid.queries import finding, query

QUERIES = [query(depth=depth) for depth in range(1, 6)]
PREDICTED = {one.id: 10.0 * (one.depth or 0) for one in QUERIES}


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_run() -> None:
    clock = Clock()
    progress = RunProgress([one.id for one in QUERIES], PREDICTED, clock)
    progress.width = 2
    assert (progress.seconds_left(), progress.share) == (None, 0)
    for one in QUERIES[:3]:
        progress.started(one.id)
    progress.answered(finding(QUERIES[0], "violated", 0, 1))
    # 10 seconds were foreseen and one was needed, so 140 more are about 14, on two processors.
    assert progress.seconds_left() == pytest.approx(7)
    clock.now += 1
    assert progress.seconds_left() == pytest.approx((14 - 2) / 2)
    assert progress.text() == "1 of 5 queries, 2 running, 1 violated, about 6 s left"
    progress.lost(QUERIES[1].id)
    progress.pruned(QUERIES[2].id)
    progress.pruned(QUERIES[3].id)
    assert progress.text() == "4 of 5 queries, 0 running, 2 pruned, 1 violated, about 2 s left"
    assert progress.share == pytest.approx(0.8)
    progress.started(QUERIES[4].id)
    # The last one takes as long as it takes, however many processors there are.
    assert progress.seconds_left() == pytest.approx(5)


def test_nothing_predicted() -> None:
    progress = RunProgress(["a", "b"], {})
    progress.started("a")
    progress.answered(finding(query(), "safe", 3))
    assert progress.seconds_left() is None


def test_plain_lines_are_few(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    monkeypatch.setattr(progress_module, "_SOON", 3.0)
    with steady("grid x.toml") as show:
        for number in range(100):
            clock.now += 0.3
            show(f"{number // 2} done", number / 100)
    said = capsys.readouterr().err.splitlines()
    seconds = [0.6 * int(line.split()[3]) for line in said]
    assert len(seconds) == 3 and seconds[0] == pytest.approx(3, abs=1), "the first one soon"
    assert [b - a for a, b in pairwise(seconds)] == pytest.approx([10, 10], abs=1)


class Terminal(io.StringIO):
    """A terminal that counts what was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.grown = threading.Condition()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        with self.grown:
            self.grown.notify()
            return super().write(text)

    def has(self, text: str) -> bool:
        """Whether a text is written within a minute."""
        with self.grown:
            return self.grown.wait_for(lambda: text in self.getvalue(), 60)


def on_screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal of sixty columns for standard error. No fixture: pytest redirects it anew for each phase."""
    made = Terminal()
    monkeypatch.setattr("sys.stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    return made


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    with steady("grid x.toml") as show:
        assert screen.has("grid x.toml\r")
        show("3 of 4 queries", 0.75)
        assert screen.has(f"grid x.toml [{'#' * 15}{'.' * 5}] 3 of 4 queries\r")
        over = over_progress("a message")
    assert over == f"{ERASE}a message"
    assert screen.getvalue().endswith(ERASE)


def test_a_line_on_a_terminal_is_cut_to_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    with live("checking") as show:
        show("word " * 40 + "\x1b[2J")
        assert screen.has("checking: word")
    lines = [line.split("\r")[0] for line in screen.getvalue().split(ERASE)]
    assert max(map(len, lines)) == 59 and "\x1b" not in "".join(lines)


def test_a_terminal_that_cannot_erase_has_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")
    with live("checking") as show:
        show("depth 1")
    assert (screen.getvalue(), over_progress("a message")) == ("", "a message")
