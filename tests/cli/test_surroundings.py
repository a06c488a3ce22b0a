"""Odd files, names and surroundings: one message, the right exit code, and never a traceback."""

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.cli import ask, show
from leadline.symbolic.engines.run.limits import Limits
from tests.cli.conftest import Leadline

SAFE = "--property", "not-negative"


def told(ran: object) -> str:
    """The message of a command, which is no traceback."""
    err: str = ran.err  # type: ignore[attr-defined]  # what a command did
    assert "Traceback" not in err
    assert "fault of Leadline's" not in err
    return err


def edited(old: str, new: str, name: str = "odd.py") -> str:
    """A copy of counter.py with an edit."""
    text = Path("counter.py").read_text()
    assert old in text
    Path(name).write_text(text.replace(old, new, 1))
    return name


def test_a_link_to_a_file_of_another_suffix(leadline: Leadline) -> None:
    Path("counter.py").rename("counter.txt")
    Path("link.py").symlink_to("counter.txt")
    assert leadline("check", "link.py", *SAFE).code == 0
    assert not Path("__pycache__").exists()


def test_a_name_that_is_no_text(leadline: Leadline) -> None:
    name = os.fsdecode(b"odd\xff.py")
    shutil.copy("counter.py", name)
    assert leadline("check", name, *SAFE).code == 0
    ran = leadline("check", os.fsdecode(b"none\xff.py"), *SAFE)
    assert (ran.code, told(ran)) == (
        2,
        "leadline: none\\udcff.py cannot be read: No such file or directory\n",
    )


@pytest.mark.parametrize("suffix", ["", ".py", ".tla"])
def test_a_name_that_is_too_long(suffix: str, leadline: Leadline) -> None:
    for length in (300, 5000):
        ran = leadline("check", "a" * length + suffix)
        assert ran.code == 2
        told(ran)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("start.count = 0", "raise MemoryError", "odd.py:28: there is not enough memory for this"),
        ("@probe", "raise MemoryError\n@probe", "odd.py:52: there is not enough memory for this"),
        (
            "start.count = 0",
            "raise Odd",
            "odd.py:28: Python says: Odd: (its text cannot be made: ValueError)",
        ),
        ("@probe", "raise Odd\n@probe", "odd.py:52: Python says: Odd: (its text cannot be made: ValueError)"),
    ],
)
def test_errors_of_a_model(old: str, new: str, text: str, leadline: Leadline) -> None:
    name = edited(old, new)
    odd = "\nclass Odd(Exception):\n    def __str__(self): raise ValueError\n"
    Path(name).write_text(
        odd.strip().replace("\n", ";", 0) + "\n" + Path(name).read_text().partition("\n")[2]
    )
    ran = leadline("check", name, *SAFE)
    assert ran.code == 150
    line = int(text.split(":")[1])
    assert text.replace(f":{line}:", f":{line + 1}:") in told(ran)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC, errno.EAGAIN])
def test_a_system_that_refuses(number: int, leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(ask.Question, "ask", refuse)
    ran = leadline("check", "counter.py")
    assert ran.code == 20
    assert told(ran).startswith(f"leadline: the system refuses to go on: {os.strerror(number)} (")


def test_too_little_memory(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(ask.Question, "ask", refuse)
    ran = leadline("check", "counter.py")
    assert ran.code == 20
    assert told(ran).startswith("leadline: memory: ")


@pytest.mark.parametrize(
    ("script", "code", "text"),
    [
        ("ulimit -n 10; {} check counter.py", 20, "Too many open files"),
        ("mkdir gone; cd gone; rmdir ../gone; {} check counter.py", 2, "counter.py cannot be read"),
        ("mkdir dark; cd dark; chmod 000 .; {} check $OLDPWD/counter.py --out x", 2, "--out x:"),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in (
                ("mkdir gone; cd gone; rmdir ../gone; {} explore $OLDPWD/counter.py --format sarif", 12, ""),
                (
                    "mkdir gone; cd gone; rmdir ../gone; {} check $OLDPWD/counter.py --timeout 60 --out x",
                    12,
                    "--out x:",
                ),
                (
                    "mkdir dark; cd dark; chmod 000 .; {} check counter.py",
                    2,
                    "counter.py cannot be read: Permission",
                ),
            )
        ),
    ],
)
def test_a_process(script: str, code: int, text: str, leadline: Leadline, tmp_path: Path) -> None:
    bare = "setpriv --bounding-set=-dac_override,-dac_read_search " if os.geteuid() == 0 else ""
    if "chmod" in script and bare and shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and setpriv is missing")
    command = f"{bare}'{sys.executable}' -m leadline"
    ran = subprocess.run(
        ["sh", "-c", script.format(command)], cwd=tmp_path, capture_output=True, text=True, timeout=100
    )
    assert "Traceback" not in ran.stderr
    assert (ran.returncode, text in ran.stderr) == (code, True)
    assert code != 12 or "below-three" in ran.stdout


def test_an_expression_too_deep_for_text(leadline: Leadline) -> None:
    deep = (
        "    x = now.count\n    for i in range(2000):\n        x = (x + now.count) - i % 3\n    return x < 5"
    )
    name = edited("    return now.count < 3", deep)
    ran = leadline("export", name, "--to", "tla")
    assert ran.code == 150
    assert "odd.py:40: an expression here is nested" in told(ran)


def test_results_that_cannot_be_read(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("store/results").mkdir(parents=True)

    def refuse(_: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    for command in ("results store", "report store --out x.html", "results store --compact"):
        ran = leadline(*command.split())
        assert (ran.code, told(ran)) == (2, "leadline: store/results cannot be read: Permission denied\n")


@pytest.mark.parametrize("line", ["start.count = 0", "@probe"])
def test_a_file_that_loads_for_ever(line: str, leadline: Leadline) -> None:
    indent = " " * 8 if "start" in line else ""
    name = edited(line, f"while True: pass\n{indent}{line}")
    ran = leadline("check", name, *SAFE, "--timeout", "0.3")
    assert (ran.code, ran.out) == (20, "")
    assert told(ran) == "leadline: odd.py: time: stopped after 0.3 s, before the model was made\n"


@pytest.mark.parametrize("command", ["check", "explore", "prove"])
def test_the_time_counts_from_the_beginning_of_the_command(
    command: str, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = edited("start.count = 0", f"__import__('time').sleep(0.3)\n{' ' * 8}start.count = 0")
    taken, ask_for = list[Limits](), ask.Question.ask

    def noted(asked: ask.Question, what: str, limits: Limits, *how: Any) -> None:
        taken.append(limits)
        ask_for(asked, what, limits, *how)

    monkeypatch.setattr(ask.Question, "ask", noted)
    assert leadline(command, name, *SAFE, "--timeout", "60").code == 0
    (limits,) = taken
    assert limits.given == 60
    assert limits.seconds is not None
    assert limits.seconds <= 59.7


def test_a_grid_whose_protocol_loads_for_ever(leadline: Leadline) -> None:
    name = edited("start.count = 0", f"while True: pass\n{' ' * 8}start.count = 0")
    Path("grid.toml").write_text(f'[[check]]\nprotocol = "{name}"\ndepth = 1\n')
    ran = leadline(*["grid", "grid.toml", "--plan", "--timeout", "0.3"])
    assert (ran.code, ran.out) == (20, "")
    assert told(ran) == "leadline: grid.toml: time: stopped after 0.3 s, before the grid was planned\n"


def test_a_module_that_loads_for_ever(leadline: Leadline) -> None:
    """Its assumption counts the subsets of a large set."""
    text = "EXTENDS Integers, FiniteSets\nASSUME Cardinality({s \\in SUBSET (1..60) : 1 \\in s}) > 5\nVARIABLE x\n"
    Path("Slow.tla").write_text(f"---- MODULE Slow ----\n{text}Init == x = 0\nNext == x' = x\n====\n")
    Path("Slow.cfg").write_text("INIT Init\nNEXT Next\n")
    ran = leadline("explore", "Slow.tla", "--timeout", "0.3")
    assert (ran.code, ran.out) == (20, "")
    # The place is told where the processor was free for long enough to look.
    text, _, where = told(ran).removesuffix("\n").partition(", before the model was made")
    assert text == "leadline: Slow.tla: time: stopped after 0.3 s"
    assert not where or where.startswith(": evaluating (Slow.tla:2:8) took ")
    ran = leadline("check", "Slow.tla", "--timeout", "1")
    assert ran.code == 20
    assert "deadlock: time: stopped after 1 s" in ran.out


def test_a_step_that_is_too_large_to_encode(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "_PATIENCE", 1e-6)
    assert "one step is so large that its encoding takes more than" in leadline("show", "counter.py").out
    assert json.loads(leadline("show", "counter.py", "--format", "json").out)["step"] is None


@pytest.mark.parametrize(
    "command",
    [
        "check {}.py",
        "check counter.py --config {}.cfg",
        "explore {}.tla",
        "trace {}.json",
        "prove --recheck {}.json",
        "grid {}.toml",
        "export counter.py --to tla --config {}",
        "trace {} --from-aiger-witness {}",
    ],
)
def test_a_pipe_in_place_of_a_file(command: str, leadline: Leadline) -> None:
    for name in {word.format("pipe") for word in command.split() if "{}" in word}:
        os.mkfifo(name)
    ran = leadline(*command.format("pipe", "pipe").split())
    assert ran.code == 2
    assert "it is a pipe, and a file is needed" in told(ran) or "is none" in ran.err


@pytest.mark.parametrize(
    "command",
    ["check {}.py", "explore {}.tla", "trace {}.json", "prove --recheck {}.json", "grid {}.toml --plan"],
)
def test_a_device_in_place_of_a_file(command: str, leadline: Leadline) -> None:
    for suffix in ("py", "tla", "json", "toml"):
        Path(f"zero.{suffix}").symlink_to("/dev/zero")
    ran = leadline(*command.format("zero").split())
    assert ran.code == 2
    assert "it is a device, and a file is needed" in told(ran)
