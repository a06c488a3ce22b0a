"""What the README shows is what a reader gets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.symbolic.catalog import find
from leadline.symbolic.cli import main
from leadline.symbolic.lang import expected, parse_setting
from leadline.symbolic.lang.known import Status
from leadline.symbolic.lang.parameters import Setting

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()


def commands_of_the_table() -> list[tuple[str, str]]:
    """The commands of the table of protocols that stand in full, each with what is said to be known."""
    rows = [line.split("|")[1:-1] for line in README.splitlines() if line.startswith("|")]
    full = [(row[4].strip().strip("`"), row[3].strip()) for row in rows if len(row) == 5]
    return [(command, known) for command, known in full if re.match(r"(check|explore|prove) ", command)]


def points_of_the_table() -> Iterator[tuple[str, dict[str, Setting], list[str], str]]:
    """For each row the protocol, the parameters of its command, the properties, and what is known of them.

    A command that is "the same with" other options has the parameters of the one above it besides its own.
    """
    protocol, above = "", ""
    for line in README.splitlines():
        row = [part.strip() for part in line.split("|")[1:-1]]
        if len(row) != 5 or not row[4].count("`") or row[0] == "protocol":
            continue
        protocol = row[0] or protocol
        command = row[4].split("`")[1]
        above = f"{above} {command}" if row[4].startswith("the same") else command
        declared = find(protocol).protocol.parameters
        given = dict(re.findall(r"-p (\w+)=(\S+)", above))
        settings = {name: parse_setting(declared[name], text) for name, text in given.items()}
        yield (
            protocol,
            settings,
            row[2].removesuffix(" (probes)").removesuffix(" (probe)").split(", "),
            row[3],
        )


def test_the_table_of_protocols_says_what_the_tables_of_properties_say() -> None:
    points = list(points_of_the_table())
    assert len(points) > 25
    for protocol, settings, properties, text in points:
        entry = find(protocol)
        claims = {claim.name: claim for claim in entry.claims}
        parameters = entry.protocol(**settings).settings
        rows = [expected(claims[name], entry.protocol, parameters) for name in properties]
        lengths = [int(x) for x in re.findall(r"\d+", re.split("[;:]", text)[0])]
        for place, row in enumerate(rows):
            where = (protocol, settings, properties[place])
            assert row is not None, where
            if text.startswith(("broken", "reached")):
                assert row.status is Status.VIOLATED, where
                told = [lengths[place]] if len(lengths) == len(rows) > 1 else lengths
                assert row.steps in told, where
            else:
                assert row.status is Status.PROVED or (text.startswith("hold") and row.status is Status.HOLDS)


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
    assert found is not None and int(found[1]) >= 24


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
