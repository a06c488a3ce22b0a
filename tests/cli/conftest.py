"""A folder with a user's own protocol, and a command line in it."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from leadline.symbolic.cli import main

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Ran:
    """A command's exit code and output."""

    code: int
    out: str
    err: str


Leadline = Callable[..., Ran]


@pytest.fixture
def leadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Leadline:
    """Runs a command line in a folder that holds counter.py and lamp.py."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(HERE / "counter.py", tmp_path)
    shutil.copy(HERE.parent / "protocols" / "lamp.py", tmp_path)

    def ran(*arguments: str) -> Ran:
        code = main(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return ran
