"""Commands that end early, and texts that would steer a terminal."""

import signal
import subprocess
import threading
from pathlib import Path

import pytest

from leadline.symbolic import cli
from tests.cli.conftest import Leadline
from tests.cli.processes import leadline_process


def test_sigterm_writes_the_answers_so_far(leadline: Leadline, tmp_path: Path) -> None:
    command = [
        "check",
        "two-phase-commit",
        "-p",
        "resource_managers=5",
        "--depth",
        "90",
        "--property",
        "consistency",
        *("--out", "found.txt"),
    ]
    with leadline_process(*command, folder=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stderr is not None
        wait_for_query(process)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert (tmp_path / "found.txt").read_text().startswith("two-phase-commit (variant")
    assert err.endswith("leadline: ended by SIGTERM\n")
    assert "Traceback" not in out + err


def wait_for_query(process: subprocess.Popen[str]) -> None:
    """Wait until the fork server of a command has a copy, which answers its query."""
    servers: list[str] = []
    while process.poll() is None and not any(map(children, servers)):
        servers = children(str(process.pid))


def children(pid: str) -> list[str]:
    """The processes that a process has started; none if it has ended."""
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []


def test_an_interrupt_that_python_drops_comes_again(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dropping:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), cli.orderly():
        one = Dropping()
        del one
        threading.Event().wait(60)


def test_an_interrupt_within_a_class_that_is_being_made_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def __set_name__(self, *_: object) -> None:
            raise KeyboardInterrupt

    def loading(_: list[str]) -> None:
        type("Late", (), {"field": Interrupted()})

    monkeypatch.setattr(cli, "new_parser", loading)
    assert cli.main([]) == 130


@pytest.mark.parametrize(
    "command",
    [
        ["--help"],
        ["show", "counter.py"],
        *(pytest.param(one, marks=pytest.mark.slow) for one in (["check", "--help"], ["--version"])),
    ],
)
def test_a_full_disk_under_any_output(command: list[str], leadline: Leadline, tmp_path: Path) -> None:
    with (
        Path("/dev/full").open("w") as disk,
        leadline_process(*command, folder=tmp_path, stdout=disk) as process,
    ):
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("leadline: standard output: No space left on device")
    assert "Exception" not in err


STEERING = "\x1b]0;owned\x07\x9b2J"


@pytest.mark.parametrize("command", ["show", "check", "export --to tla"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_text_of_a_protocol_steers_the_terminal(command: str, form: str, leadline: Leadline) -> None:
    text = Path("counter.py").read_text()
    text = text.replace("A number of nodes", f"A {STEERING} number of nodes").replace(
        "where counting", STEERING
    )
    text = text.replace("A node counts.", STEERING).replace("Fails where", STEERING)
    text = text.replace(
        "    def assume", f"    name: str = parameter({STEERING!r}, doc={STEERING!r})\n\n    def assume"
    )
    Path("steering.py").write_text(text, encoding="utf-8")
    if form == "json" and command.startswith("export"):
        return
    given = command.split() + ([] if command.startswith("export") else ["--format", form])
    ran = leadline(given[0], "steering.py", *given[1:])
    assert ran.code in (0, 12)
    for sign in "\x1b\x07\x9b":
        assert sign not in ran.out + ran.err
