"""Searches end at a limit on memory, also where nobody gave one."""

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from leadline.symbolic.bits import search
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.cli import main
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Limits, Table
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.engines.run import limits
from leadline.symbolic.meaning import Exploration
from tests.tla.loading import write


def test_memory_is_limited_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "available_mb", lambda: 8000)
    assert Limits().within_machine() == Limits(memory_mb=6000, assumed=True)
    assert Limits(3.0).within_machine(3) == Limits(3.0, 2000, assumed=True)
    assert Limits(memory_mb=100).within_machine() == Limits(memory_mb=100)
    assert Limits(3.0, 2000, assumed=True).after(1.0) == Limits(2.0, 2000, assumed=True)
    monkeypatch.setattr(limits, "available_mb", lambda: 300)
    assert Limits().within_machine() == Limits(memory_mb=1024, assumed=True), "libraries need room"
    monkeypatch.setattr(limits, "available_mb", lambda: None)
    assert Limits().within_machine() == Limits()


def test_the_memory_that_is_available() -> None:
    found = limits.available_mb()
    assert found is not None and 0 <= found < Limits.LARGEST


GROWING = """EXTENDS Sequences
VARIABLE y
Init == y = <<0>>
Next == y' = y \\o y
Inv == y # <<>>"""
"""Each state takes twice the memory of the one before it."""


def test_exploration_ends_at_the_limit_that_nobody_gave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    size = limits.size_mb()
    assert size is not None
    monkeypatch.setattr(limits, "available_mb", lambda: int((size + 200) / 0.75))
    monkeypatch.setattr(limits, "_LEAST_MB", 0)
    path = write(tmp_path, M=GROWING)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    assert main(["explore", str(path)]) == 20
    told = capsys.readouterr().out
    assert "memory: stopped at the limit of" in told and "--memory sets another" in told
    assert "states, including all within" in told


@pytest.mark.slow
@pytest.mark.parametrize("command", ["explore", "check --engine bmc --depth 2 --memory 5000"])
def test_a_hard_limit_of_the_shell_is_no_fault(command: str, tmp_path: Path) -> None:
    """A process cannot raise it, and the share of the machine's memory is often more."""
    body = "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nInv == x \\in {0, 1}"
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    name, *options = command.split()
    line = shlex.join([sys.executable, "-m", "leadline", name, str(path), *options])
    done = subprocess.run(
        f"ulimit -v 1500000; {line}", shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "safe" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize("command", ["check", "prove"])
def test_children_end_at_the_limit_that_nobody_gave(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "available_mb", lambda: 0)
    monkeypatch.setattr(limits, "_LEAST_MB", 10)
    assert main([command, "two-phase-commit", "--property", "consistency"]) == 20
    told = capsys.readouterr().out
    assert "memory: stopped at the limit of 10 MB, a share of what was available" in told


def test_a_very_long_table_shows_its_ends() -> None:
    rows = [[str(number), "x", "y"] for number in range(9_000)]
    shown = Table(["n", "a", "b"], rows).shortened("levels").rows
    assert [*shown[:50], *shown[51:]] == [*rows[:50], *rows[-50:]]
    assert shown[50] == ["...", "(8900 levels)", ""]
    assert Table(["n", "a", "b"], rows[:101]).shortened("levels").rows == rows[:101]


def test_states_lie_on_the_disk_where_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(find("two-phase-commit"), {"resource_managers": 2})
    kept = []

    def explored() -> Exploration:
        explorer = CircuitExplorer(Semantics(model), ["not-committed"], None, lambda _: None, None)
        explorer.run()
        kept.append(explorer._search.table._rows._file is not None)  # type: ignore[union-attr]  # it has run
        return explorer.summary()

    expected = explored()
    monkeypatch.setattr(search, "_MAPPED", 1 << 18)
    assert explored() == expected
    assert kept == [False, True]


def test_a_full_disk_is_told_as_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(search, "_MAPPED", 1 << 10)
    monkeypatch.setattr(os, "posix_fallocate", full)
    rows = search.Rows(1)
    with pytest.raises(MemoryError, match="No space left on device"):
        rows.add(np.zeros((1 << 13, 1), np.uint64))
