"""What the README shows is what a reader gets."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from leadline.symbolic.cli import main

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()


def commands_of_the_table() -> list[tuple[str, str]]:
    """The commands of the table of protocols that stand in full, each with what is said to be known."""
    rows = [line.split("|")[1:-1] for line in README.splitlines() if line.startswith("|")]
    full = [(row[4].strip().strip("`"), row[3].strip()) for row in rows if len(row) == 5]
    return [(command, known) for command, known in full if re.match(r"(check|explore|prove) ", command)]


def test_the_first_protocol_is_found_broken_as_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    path = tmp_path / "counter.py"
    path.write_text(code)
    assert main(["check", str(path), "--depth", "6"]) == 12
    assert re.search(r"nothing-lost +violated +4 ", capsys.readouterr().out)


def test_the_first_check_is_found_broken_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    shown = re.findall(r"\$ leadline (check two-phase-commit .*)", README)[0]
    assert main(shlex.split(shown)) == 12
    found = re.search(r"consistency +violated +(\d+) ", capsys.readouterr().out)
    assert found is not None and 24 <= int(found[1]) <= 31


def test_the_table_of_protocols_has_commands() -> None:
    assert len(commands_of_the_table()) > 20


@pytest.mark.slow
@pytest.mark.parametrize(("command", "known"), commands_of_the_table(), ids=lambda text: text)
def test_what_is_known_can_be_seen(command: str, known: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(shlex.split(command))
    shown = capsys.readouterr().out
    lengths = {int(x) for x in re.findall(r"\d+", known.split(";")[0].split(":")[0])}
    found = {int(x) for x in re.findall(r"violated(?: \(a probe: as expected\))? +(\d+)\b", shown)}
    if known.startswith("proved"):
        assert command.startswith("prove ") and code == 0
    else:
        assert found & lengths if known.startswith(("broken", "reached")) else known.startswith("hold")
