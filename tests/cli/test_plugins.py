"""Commands of installed packages."""

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from leadline.symbolic.cli import PLUGINS, main


def offer(monkeypatch: pytest.MonkeyPatch, **points: str) -> None:
    found = [EntryPoint(name, value, PLUGINS) for name, value in points.items()]

    def entry_points(*, group: str) -> list[Any]:
        return [point for point in found if point.group == group]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)


def test_a_command_is_found_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    offer(monkeypatch, bench="leadline.benchmarks.command")
    assert main(["bench", "--help"]) == 0
    assert "usage: leadline bench " in capsys.readouterr().out
    assert main(["--help"]) == 0
    assert "bench " in capsys.readouterr().out


def test_the_benchmark_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--help"]) == 0
    assert "--repeats" in capsys.readouterr().out


def test_a_broken_offer_is_told_and_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    offer(monkeypatch, lost="no_such_module", check="leadline.benchmarks.command")
    assert main(["--help"]) == 0
    told = capsys.readouterr().err
    assert "the command lost = no_such_module of a package cannot be loaded: ModuleNotFoundError" in told
    assert "the command check = leadline.benchmarks.command of a package is left out" in told
    assert main(["lost"]) == 2


def test_our_own_commands_wait_for_no_offer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    offer(monkeypatch, lost="no_such_module")
    assert main(["list"]) == 0
    assert "no_such_module" not in capsys.readouterr().err
