"""Mistakes show the line of source, with carets below the part that is meant."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from leadline.symbolic.lang import Mistake, ModelError, Span
from tests.cli.conftest import Leadline

PYTHON = """
from leadline.symbolic.lang import *


class Sample(Protocol):
    def define(self, state):
        state.i = Int(0, 3)
        state.up = Bool()

    def init(self, start):
        start.i, start.up = 0, False

    @action
    def go(self, now, nxt):
        ACTION
"""
LINES = {
    "nxt.require(now.up & now.i == 1)": ("            ", "now.up & now.i"),
    "nxt.require(now.up, now.i is None)": ("                    ", "now.i is None"),
    "nxt.i = now.count": ("        ", "now.count"),
    "nxt.up = 'ä' == now.i": ("         ", "'ä' == now.i"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_of_a_protocol(line: str, leadline: Leadline) -> None:
    Path("sample.py").write_text(PYTHON.replace("ACTION", line), encoding="utf-8")
    ran = leadline("check", "sample.py")
    before, part = LINES[line]
    assert ran.code == 150
    shown, carets = ran.err.splitlines()[-2:]
    assert (shown, carets.rstrip()) == (f"      {line}", f"      {before}{'^' * len(part)}")


def test_of_a_file_that_python_refuses(leadline: Leadline) -> None:
    Path("sample.py").write_text("x = 1\ny = (1 +* 2)\n")
    assert leadline("check", "sample.py").err.splitlines()[-2:] == ["      y = (1 +* 2)", "              ^"]


def test_of_a_module_and_its_configuration(leadline: Leadline) -> None:
    Path("M.tla").write_text("---- MODULE M ----\nVARIABLE x\nInit == x = start\nNext == x' = x\n====\n")
    shown = leadline("check", "M.tla").err.splitlines()[-2:]
    assert shown == ["      Init == x = start", "                  ^^^^^"]
    Path("M.tla").write_text("---- MODULE M ----\nVARIABLE x\nInit == x = 0\nNext == x' = x\n====\n")
    Path("M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Nothing\n")
    assert "INVARIANT Nothing\n" in leadline("check", "M.tla").err


def test_lines_that_cannot_be_shown(folder: Path) -> None:
    """Long lines are cut, control characters are left out, and what is no file has no line."""
    path = folder / "long.py"
    path.write_text("x" * 500 + "wrong\x1b[31m" + "y" * 500 + "\n")
    shown = str(ModelError([Mistake(Span(str(path), 1, columns=(500, 505)), "text")])).splitlines()
    assert len(shown) == 4 and len(shown[2]) <= 106 and "\x1b" not in shown[2]
    assert shown[2][shown[3].index("^") : shown[3].rindex("^") + 1] == "wrong"
    for nowhere in (folder, folder / "none.py", "<string>"):
        assert len(str(ModelError([Mistake(Span(str(nowhere), 1), "text")])).splitlines()) == 2


def test_mistakes_can_be_pickled() -> None:
    error = ModelError([Mistake(Span("a.py", 1), "one"), Mistake(Span("a.py", 2), "two")])
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
