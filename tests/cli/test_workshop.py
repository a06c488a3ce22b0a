"""Commands around a protocol's file, completion, and colour."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.symbolic.cli import terminal
from tests.cli.conftest import Leadline


def test_a_first_protocol_and_its_test_pass(leadline: Leadline) -> None:
    ran = leadline("init", "my-lock")
    assert (ran.code, ran.out) == (0, "")
    assert "leadline check my_lock.py\n  pytest test_my_lock.py" in ran.err
    assert leadline("check", "my_lock.py").code == 0
    command = [sys.executable, "-m", "pytest", "-q", "-p", "leadline.pytest_plugin", "-c", "/dev/null"]
    done = subprocess.run(
        [*command, "--rootdir", ".", "test_my_lock.py"],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in done.stdout
    without_lock = Path("my_lock.py").read_text().replace("nxt.require(~now.locked)", "pass")
    Path("my_lock.py").write_text(without_lock)
    assert leadline("check", "my_lock.py").code == 12, "as its docstring says"
    ran = leadline("init", "my-lock")
    assert (ran.code, "my_lock.py and test_my_lock.py: there already" in ran.err) == (2, True)
    assert Path("my_lock.py").read_text() == without_lock


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *((name, "cannot name a Python file") for name in ("2pc", "a/b", "", "_", "naïve")),
        *((name, "has this name: use another, such as my-") for name in ("class", "queue", "pytest", "map")),
    ],
)
def test_a_name_that_a_protocol_cannot_have(name: str, text: str, leadline: Leadline) -> None:
    ran = leadline("init", name)
    assert (ran.code, text in ran.err) == (2, True)
    assert sorted(path.name for path in Path().iterdir()) == ["counter.py", "lamp.py"]


@pytest.mark.slow
def test_a_real_violation_stands_last_on_the_screen(leadline: Leadline, tmp_path: Path) -> None:
    """After the probe that is reached and the step out of bounds; `watch` writes nothing after it."""
    options = ("-p", "overflow=true", "--depth", "4", "--solver", "cadical", "--traces", "all")
    checked = leadline("check", "counter.py", *options).out
    heads = [line.partition(": ")[2] for line in checked.splitlines() if line.startswith("counter (")][1:]
    assert heads == [
        "never-one reached in 1 step",
        "out of bounds in 4 steps",
        "below-three violated in 3 steps",
    ]
    last = checked.rstrip().splitlines()[-1]
    assert last.split() == ["FALSE", "count", "<", "3", "(3", "<", "3)"]
    command = [sys.executable, "-m", "leadline", "watch", "counter.py", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        told = iter(process.stdout.readline, "")
        assert any(line.rstrip() == last for line in told)
        # The next line is that of the next check, once the file has changed.
        (tmp_path / "counter.py").write_text((tmp_path / "counter.py").read_text() + "\n")
        assert "check counter.py" in next(told)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130


def test_a_file_is_watched(leadline: Leadline, tmp_path: Path) -> None:
    """It is checked, and again once it has changed; Ctrl-C ends it."""
    command = [sys.executable, "-m", "leadline", "watch", "counter.py", "--depth", "1", "--solver", "cadical"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        told = iter(process.stdout.readline, "")
        assert any("counter (top = 3" in line for line in told)
        assert any(line.startswith("never-one") for line in told)
        # A file system may tell times only so exactly.
        text = (tmp_path / "counter.py").read_text().replace("parameter(3,", "parameter(4,")
        (tmp_path / "counter.py").write_text(text + "\n")
        assert any("counter (top = 4" in line for line in told)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    for name in ("nowhere.py", "nowhere.tla", "."):
        assert "is no Python file or TLA+ module that can be watched" in leadline("watch", name).err


def test_a_module_is_watched_with_its_configuration(leadline: Leadline, tmp_path: Path) -> None:
    Path("M.tla").write_text(
        "---- MODULE M ----\nCONSTANT N\nVARIABLE x\nInit == x = N\nNext == x' = x\n====\n"
    )
    Path("M.cfg").write_text("INIT Init NEXT Next CONSTANT N = 1")
    command = [sys.executable, "-m", "leadline", "watch", "M.tla"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        told = iter(process.stdout.readline, "")
        assert any("M (N = 1)" in line for line in told)
        Path("M.cfg").write_text("INIT Init NEXT Next CONSTANT N = 22")
        assert any("M (N = 22)" in line for line in told)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_protocols(shell: str, leadline: Leadline) -> None:
    ran = leadline("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert all(word in ran.out for word in ("two-phase-commit", "unroll", "explore", "sweeps"))


def test_bash_completes(leadline: Leadline) -> None:
    Path("c.bash").write_text(leadline("completion", "bash").out)
    ask = 'COMP_WORDS=({words}); COMP_CWORD={last}; _shtab_leadline "" "{word}"; echo "${{COMPREPLY[@]}}"\n'
    words = [["leadline", "sim"], ["leadline", "check", "count"], ["leadline", "check", "x", "--unroll", "s"]]
    program = "source c.bash\n" + "".join(
        ask.format(words=" ".join(one), last=len(one) - 1, word=one[-1]) for one in words
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:3] == ["simulate", "counter.py", "steps sweeps"]


def test_colour(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("explore", "counter.py", "--property", "below-three")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" not in leadline(*asked).out
    assert "\x1b[" in leadline(*asked, "--color", "always").out
    monkeypatch.setattr(terminal, "is_terminal", lambda stream: True)
    assert "\x1b[" in leadline(*asked).out
    assert "\x1b[" not in leadline(*asked, "--color", "never").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in leadline(*asked).out
    assert "\x1b[" in leadline("--color", "always", *asked).out
