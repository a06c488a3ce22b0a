"""Explorations that are kept in a folder, stopped and resumed."""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline.symbolic.cli import main

PHASES = """\
---- MODULE Phases ----
EXTENDS Integers, FiniteSets, TLC
CONSTANT Nodes
VARIABLES votes, sent, count
Init == votes = {} /\\ sent = [n \\in Nodes |-> <<>>] /\\ count = 0
Vote(n) == n \\notin votes /\\ votes' = votes \\cup {n}
    /\\ sent' = [sent EXCEPT ![n] = <<count, n>>] /\\ count' = count + 1
Reset == votes # {} /\\ votes' = {} /\\ UNCHANGED sent /\\ count' = (count + 1) % 7
Next == Reset \\/ \\E n \\in Nodes : Vote(n)
Small == count < 6
Slow == [][Cardinality(votes') <= Cardinality(votes) + 1]_votes
Rises == [][count' >= count]_count
Bound == count <= 8
====
"""
CONFIG = """\
CONSTANT Nodes = {n1, n2, n3}
INIT Init
NEXT Next
CONSTRAINT Bound
INVARIANT Small
PROPERTIES Slow Rises
"""


def module(folder: Path, text: str = PHASES) -> str:
    path = folder / "Phases.tla"
    path.write_text(text)
    path.with_suffix(".cfg").write_text(CONFIG)
    return str(path)


@pytest.fixture(autouse=True)
def told_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure is told with the rest of the answer, however slow the machine is."""
    monkeypatch.setattr("leadline.symbolic.api.asked.GRACE", 600.0)


def explored(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["explore", *arguments])
    told = capsys.readouterr()
    return status, told.out + (told.err if status in (2, 150) else "")


@pytest.mark.parametrize("by", ["circuits", pytest.param("values", marks=pytest.mark.slow), "module"])
def test_it_goes_on_where_it_was_stopped(by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = ["two-phase-commit", "-p", "resource_managers=2", "--property", "consistency", "--by", by]
    asked = [module(tmp_path)] if by == "module" else [*model, "--depth", "7"]
    folder = tmp_path / "kept"
    kept = ["--checkpoint", str(folder)]
    whole = explored(capsys, *asked)
    explored(capsys, *asked, *kept, "--depth", "3")
    assert len(list(folder.iterdir())) == 1 + 4
    first = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert explored(capsys, *asked, *kept) == whole
    assert all(path.stat().st_mtime_ns == since for path, since in first.items())
    # All levels are kept now; a shallower question takes fewer of them.
    assert explored(capsys, *asked, *kept) == whole
    assert explored(capsys, *asked, *kept, "--depth", "2") == explored(capsys, *asked, "--depth", "2")
    limited = ["--max-states", "40"]
    assert explored(capsys, *asked, *kept, *limited) == explored(capsys, *asked, *limited)


def test_a_killed_exploration_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["two-phase-commit", "-p", "resource_managers=3", "--property", "consistency"]
    folder = tmp_path / "kept"
    command = [
        sys.executable,
        "-m",
        "leadline",
        "explore",
        *asked,
        "--by",
        "values",
        "--checkpoint",
        str(folder),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while not (folder / "4.values").exists():
            assert running.poll() is None
            time.sleep(0.01)
        os.kill(running.pid, signal.SIGKILL)
    bounded = [*asked, "--depth", "6", "--by", "values"]
    assert explored(capsys, *bounded, "--checkpoint", str(folder)) == explored(capsys, *bounded)


def test_a_full_disk_keeps_the_levels_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [module(tmp_path), "--checkpoint", str(tmp_path / "kept")]
    explored(capsys, *asked, "--depth", "2")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        status, told = explored(capsys, *asked)
    assert (
        status == 2
        and "3.values cannot be written: No space left on device; the levels before are kept" in told
    )
    assert explored(capsys, *asked) == explored(capsys, asked[0])


def test_another_exploration_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, folder = module(tmp_path), tmp_path / "kept"
    kept = ["--checkpoint", str(folder)]
    explored(capsys, path, *kept, "--depth", "1")
    status, told = explored(capsys, path, *kept, "--property", "Small")
    assert status == 2 and "another set of properties" in told
    module(tmp_path, PHASES.replace("% 7", "% 6"))
    status, told = explored(capsys, path, *kept)
    assert status == 2 and "another model" in told
    status, told = explored(capsys, path, "--checkpoint", str(tmp_path))
    assert status == 2 and "has other files" in told
    hold = "import fcntl, sys; fcntl.lockf(f := open(sys.argv[1], 'r+b'), fcntl.LOCK_EX); print(); input()"
    command = [sys.executable, "-uc", hold, str(folder / "exploration.json")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        status, told = explored(capsys, path, *kept)
        other.kill()
    assert status == 2 and "another process explores in it" in told


VIEWED = """\
from leadline import Int, Protocol, action, view

class Dials(Protocol):
    def define(self, state):
        state.left = state.right = Int(0, 3)

    def init(self, start):
        start.left = start.right = 0

    @action
    def turn(self, now, nxt):
        nxt.left = (now.left + 1) % 4
        nxt.right = (now.right + now.left) % 4

@view(Dials)
def seen(protocol, now):
    return now.left
"""


@pytest.mark.parametrize("by", ["circuits", "values"])
def test_another_view_is_refused(by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dials.py"
    path.write_text(VIEWED)
    asked = [str(path), "--by", by, "--checkpoint", str(tmp_path / "kept")]
    explored(capsys, *asked, "--depth", "1")
    path.write_text(VIEWED.replace("return now.left", "return now.right"))
    status, told = explored(capsys, *asked)
    assert status == 2 and "another view" in told


@pytest.mark.parametrize(
    ("more", "text", "word"),
    [
        (["--coverage"], PHASES, "--coverage"),
        (["--symmetry"], PHASES, "symmetry"),
        ([], PHASES.replace("Reset == ", "Reset == TLCSet(1, count) /\\ "), "TLCSet"),
    ],
)
def test_questions_that_cannot_be_kept_are_refused(
    more: list[str], text: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, told = explored(capsys, module(tmp_path, text), "--checkpoint", str(tmp_path / "kept"), *more)
    assert status == 2 and "--checkpoint" in told and word in told


def test_a_damaged_file_is_told_and_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, folder = module(tmp_path), tmp_path / "kept"
    kept = ["--checkpoint", str(folder)]
    explored(capsys, path, *kept, "--depth", "1")
    harm, other = (pickle.dumps(x) for x in (os.system, {"start": 1}))
    for content in (b"\x80", hashlib.sha256(harm).digest() + harm, other):
        (folder / "0.values").write_bytes(content)
        status, told = explored(capsys, path, *kept)
        assert status == 2 and "0.values cannot be read" in told
