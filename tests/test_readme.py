"""The README and the page of what is known say what the protocols' tables and commands say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.symbolic.catalog import entries, find
from leadline.symbolic.cli import main
from leadline.symbolic.lang import expected, parse_setting
from leadline.symbolic.lang.known import Status
from leadline.symbolic.lang.parameters import Setting

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
KNOWN = (ROOT / "docs" / "known.md").read_text()


def commands_of_the_table() -> list[tuple[str, str]]:
    """The commands of the table of protocols that stand in full, each with what is said to be known."""
    rows = [line.split("|")[1:-1] for line in KNOWN.splitlines() if line.startswith("|")]
    full = [(row[4].strip().strip("`"), row[3].strip()) for row in rows if len(row) == 5]
    return [(command, known) for command, known in full if re.match(r"(check|explore|prove) ", command)]


def points_of_the_table() -> Iterator[tuple[str, dict[str, Setting], list[str], str]]:
    """For each row the protocol, the parameters of its command, the properties, and what is known of them.

    A command that is "the same with" other options has the parameters of the one above it besides its own.
    """
    protocol, above = "", ""
    for line in KNOWN.splitlines():
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


def rows_of_the_readme() -> dict[str, tuple[list[str], list[tuple[str, int]]]]:
    """For each protocol the properties that are proved or hold, and those that are broken with their steps."""
    rows = [
        line.split("|")[1:-1] for line in README.splitlines() if re.match(r"\| [a-z]+(?:-[a-z]+)+ \|", line)
    ]
    return {
        name.strip(): (
            re.findall(r"`([\w-]+)`", proved),
            [(one, int(steps)) for one, steps in re.findall(r"`([\w-]+)` (\d+)", broken)],
        )
        for name, proved, broken in rows
    }


def test_the_table_of_the_readme_says_what_the_tables_of_properties_say() -> None:
    rows = rows_of_the_readme()
    assert sorted(rows) == sorted(entries())
    for protocol, (proved, broken) in rows.items():
        known = {claim.name: claim.known for claim in find(protocol).claims}
        assert proved, protocol
        for name in proved:
            assert any(row.status is not Status.VIOLATED for row in known[name]), (protocol, name)
        for name, steps in broken:
            assert steps in {row.steps for row in known[name]}, (protocol, name)


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 1200


def test_the_first_protocol_is_found_broken_as_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    path = tmp_path / "counter.py"
    path.write_text(code)
    assert main(["check", str(path), "--depth", "6"]) == 12
    assert re.search(r"nothing-lost +violated +4 ", capsys.readouterr().out)


def test_the_first_check_is_found_broken_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = re.findall(r"\$ leadline (check two-phase-commit .*?) \| ", README)[0]
    assert main(shlex.split(shown)) == 12
    found = re.search(r"consistency +violated +(\d+) ", capsys.readouterr().out)
    assert found is not None and int(found[1]) == 24


def test_the_table_of_protocols_has_commands() -> None:
    assert len(commands_of_the_table()) > 20


@pytest.mark.slow
@pytest.mark.parametrize(("command", "known"), commands_of_the_table(), ids=lambda text: text)
def test_what_is_known_can_be_seen(command: str, known: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(shlex.split(command))
    shown = capsys.readouterr().out
    lengths = {int(x) for x in re.findall(r"\d+", known.split(";")[0].split(":")[0])}
    found = {int(x) for x in re.findall(r"(?:violated|reached) +(\d+)\b", shown)}
    if known.startswith("proved"):
        assert command.startswith("prove ") and code == 0
    else:
        assert found & lengths if known.startswith(("broken", "reached")) else known.startswith("hold")


TOLD: list[tuple[str, list[str], list[str]]] = [
    ("simulate kafka-replication", ["the longest run 32"], ["the longest run has 32 steps"]),
    (
        "simulate kafka-transactions",
        [r"no-producer-fenced .* 9\n", r"no-epoch-fence-abort .* 10\n"],
        ["no-producer-fenced is reached in 9 steps and no-epoch-fence-abort in 10"],
    ),
    (
        "simulate pulsar-compaction",
        [r"compacted-ledger-leak +violated +11", r"Terminating +80491"],
        ["compacted-ledger-leak is violated in 11 steps", "`Terminating` is 80,491"],
    ),
    (
        "simulate two-phase-commit",
        [r"not-committed .* 11\n", r"consistency +unknown"],
        ["not-committed is reached in 11 steps"],
    ),
    (
        "simulate spanner-leases",
        [r"TTDrift +91196", r"BecomeLeader .* 266\n"],
        ["`TTDrift` is 91,196", "a leader is chosen in 266 runs"],
    ),
    (
        "simulate spanner-transactions",
        [r"AvoidDeadlock +0", r"Prepare +0", r"CleanAborted +0"],
        ["the three actions above are never taken here either"],
    ),
    (
        "explore kafka-replication -p replicas=2 --coverage",
        [r"every action is taken"],
        ["every action is taken"],
    ),
    ("explore kafka-transactions --coverage", [r"every action is taken"], ["every action is taken"]),
    (
        "explore pulsar-compaction --coverage",
        [r"every action is taken", r"Terminating +3645 +0"],
        ["`Terminating` is taken 3,645 times and is never the first to reach a state"],
    ),
    (
        "explore pulsar-compaction -p keys=0 -p values=0 --coverage",
        [r"holds vacuously in part: type-safe"],
        ["type-safe holds vacuously in part"],
    ),
    (
        "explore two-phase-commit -p rm_may_fail=false -p tm_may_fail=false --coverage",
        [r"never taken: TM_abort, TM_CRASH_WHEN_ABORT_broadcast\n"],
        ["`TM_abort` and `TM_CRASH_WHEN_ABORT_broadcast` are never taken"],
    ),
    (
        "explore two-phase-commit -p variant=backup-manager -p tm_may_fail=false --coverage",
        [r"never taken: BTMStart_commit, BTMStart_abort, BTC, BTA, BTC_SEND, BTA_SEND\n"],
        ["the six actions by which the backup manager takes over are never taken"],
    ),
    (
        "explore spanner-leases -p replicas=2 --coverage",
        [r"never taken: BecomeLeader, BecomeBackup\n", r"holds vacuously: disjointness, since `intervals`"],
        ["`BecomeLeader` and `BecomeBackup` are never taken, and disjointness holds vacuously"],
    ),
    (
        "explore spanner-transactions --coverage",
        [r"never taken: AvoidDeadlock, Prepare, CleanAborted\n"],
        ["`AvoidDeadlock`, `Prepare` and `CleanAborted` are never taken"],
    ),
]
"""Commands, what they print, and what the page says of it. Kafka replication has two replicas, to be quick."""


@pytest.mark.slow
@pytest.mark.parametrize(("command", "printed", "said"), TOLD, ids=[command for command, _, _ in TOLD])
def test_random_runs_and_coverage_are_as_told(
    command: str, printed: list[str], said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(shlex.split(command))
    out = capsys.readouterr().out
    assert all(re.search(one, out) for one in printed), out
    assert all(one in " ".join(KNOWN.split()) for one in said)
