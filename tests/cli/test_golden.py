"""Reports as they are, each beside its command. `LEADLINE_REWRITE=1 pytest tests/cli` writes them anew."""

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Leadline

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.txt"))
_EFFORT = re.compile(r" +\d+\.\d +\d+$", re.MULTILINE)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_report(path: Path, leadline: Leadline) -> None:
    expected = path.read_text(encoding="utf-8")
    command = expected.splitlines()[0]
    ran = leadline(*shlex.split(command.removeprefix("$ leadline ")))
    out = _EFFORT.sub("  (effort)", ran.out)
    err = f"--- stderr\n{ran.err}" if ran.err else ""
    actual = f"{command}\n{out}{err}--- exit {ran.code}\n"
    if "LEADLINE_REWRITE" in os.environ:
        path.write_text(actual, encoding="utf-8")
    assert actual == path.read_text(encoding="utf-8")


def test_there_are_reports() -> None:
    assert len(GOLDEN) >= 10
