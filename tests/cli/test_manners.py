"""Files are whole or untouched, streams may fail, work may be stopped, our own faults are told in full."""

import io
import json
import os
import select
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from leadline import __main__ as entry
from leadline.symbolic.api import asked
from leadline.symbolic.cli import ask, main
from leadline.symbolic.cli.output import write_out
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Answer, Effort, Limits, Listener, Progress, Query, Result, Verdict
from leadline.symbolic.engines.explore import explore
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.lang import Model, UserError
from tests.cli.conftest import Leadline
from tests.cli.processes import leadline_process
from tests.engines.limited import is_at_depth_0, over_after

PIGEONS = Path(__file__).parent.parent / "engines" / "protocols.py"


def test_an_answer_in_a_file(leadline: Leadline) -> None:
    Path("found.json").write_text("old")
    ran = leadline("explore", "counter.py", "--format", "json", "--out", "found.json")
    assert json.loads(Path("found.json").read_text())["states"] == 4
    assert ran.out.startswith("counter (top = 3"), "a person is told as well"
    assert ran.err == "leadline: wrote found.json\n"
    ran = leadline("explore", "counter.py", "--out", "found.txt")
    assert (ran.code, ran.out) == (12, "")
    assert Path("found.txt").read_text().startswith("counter (top = 3")
    assert sorted(path.name for path in Path().iterdir() if path.suffix != ".py") == [
        "found.json",
        "found.txt",
    ]


@pytest.mark.parametrize(
    ("out", "complaint"),
    [
        ("nowhere/found.json", "there is no folder nowhere"),
        (".", "this is a folder"),
        ("counter.py/found.json", "there is no folder counter.py"),
        ("round", "Too many levels of symbolic links"),
        ("a" * 256, "File name too long"),
    ],
)
@pytest.mark.parametrize("command", ["check", "explore"])
def test_where_nothing_can_be_written(command: str, out: str, complaint: str, leadline: Leadline) -> None:
    Path("round").symlink_to("round")
    ran = leadline(command, "counter.py", "--format", "json", "--out", out)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"leadline: --out {out}: {complaint}\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            "check counter.py --out counter.py",
            "--out counter.py: this is a file that the command reads: name",
        ),
        ("explore counter.py --dot ./counter.py", "--dot counter.py: this is a file that the command reads"),
        ("explore counter.py --dot x --out x", "--dot x: this is the file of --out: name another"),
        ("simulate counter.py:Counter --log link.py", "--log link.py: this is a file that the command reads"),
        ("prove counter.py --property x --out a.py --write-strengthenings a.py", "the file of --out"),
        ("conform counter.py a.csv --html a.csv", "--html a.csv: this is a file that the command reads"),
        ("trace a.json --format json --out a.json", "--out a.json: this is a file that the command reads"),
        ("check A.tla --out A.cfg", "--out A.cfg: this is a file that the command reads"),
    ],
)
def test_a_file_that_is_read_is_not_overwritten(arguments: str, complaint: str, leadline: Leadline) -> None:
    Path("link.py").symlink_to("counter.py")
    ran = leadline(*arguments.split())
    assert (ran.code, ran.out, complaint in ran.err) == (2, "", True), ran.err


def test_a_wrong_option_is_told_without_the_usage(leadline: Leadline) -> None:
    first, second = leadline("check", "counter.py", "--depth", "-1").err.splitlines()
    assert first.startswith("leadline check: error: argument --depth: an integer, at least 0")
    assert second == "leadline check --help lists the options"


def test_an_answer_whose_file_fails_is_on_standard_output(leadline: Leadline) -> None:
    # The exit code stays the verdict's.
    ran = leadline("check", "counter.py", "--out", "/dev/full")
    assert (ran.code, ran.err.count("--out /dev/full: No space left on device")) == (12, 1)
    assert "BelowThree is false." in ran.out
    safe = "check", "counter.py", "--property", "not-negative", "--format", "json", "--out", "/dev/full"
    ran = leadline(*safe)
    assert (ran.code, json.loads(ran.out)["results"][0]["verdict"]) == (0, "proved")
    ran = leadline("check", "counter.py", "--format", "itf", "--out", "/dev/full")
    assert ran.code == 12
    assert json.loads(ran.out)["states"]
    ran = leadline(*["prove", "counter.py", "--property", "not-negative", "--out", "/dev/full"])
    assert (ran.code, "proved" in ran.out) == (0, True)
    assert json.loads(ran.out[ran.out.index("{\n") :])["property"] == "not-negative", "its certificate"
    ran = leadline("explore", "counter.py", "--dot", "/dev/full")
    assert (ran.code, "digraph" in ran.out) == (12, True)
    assert leadline("simulate", "counter.py", "--log", "/dev/full").code == 12


def test_without_a_verdict_a_file_that_fails_is_a_mistake(leadline: Leadline) -> None:
    Path("trace.json").write_text(leadline("check", "counter.py", "--format", "json").out)
    options = "--property", "never-one", "--protocol", "counter.py", "--out", "/dev/full"
    ran = leadline("trace", "trace.json", *options)
    assert (ran.code, "CountUp" in ran.out) == (2, True)


def test_a_file_with_the_longest_name(leadline: Leadline) -> None:
    name = "a" * 255
    assert leadline("check", "counter.py", "--out", name).code == 12
    assert "violated" in Path(name).read_text()


def test_the_place_is_looked_at_before_the_work(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "CircuitExplorer", lambda *_, **__: pytest.fail("explored"))
    assert leadline("explore", "counter.py", "--out", "nowhere/x").code == 2


def test_a_disk_that_is_full_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "found.json"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="No space left on device"):
        write_out(path, "new")
    assert [one.name for one in tmp_path.iterdir()] == ["found.json"]
    assert path.read_text() == "old"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "target").write_text("old")
    write_out(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_fault_of_ours_is_told_in_full(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(CircuitExplorer, "run", broken)
    ran = leadline("explore", "counter.py", "-p", "top=2")
    assert ran.code == 255
    assert "Traceback" in ran.err and "ZeroDivisionError: ours" in ran.err
    assert ran.err.endswith("  leadline explore counter.py -p top=2\n")


def test_a_counterexample_that_does_not_replay_is_a_fault_of_ours(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Semantics, "holds", lambda *_: True)
    ran = leadline("explore", "counter.py", "--property", "never-one")
    assert ran.code == 255
    assert "InternalError: a counterexample of counter does not replay: the end" in ran.err


def test_exploring_is_stopped(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C once two levels are known: what was reached is shown, and written where the answer belongs."""

    @contextmanager
    def live(_: str) -> Iterator[Callable[[str], None]]:
        yield lambda text: signal.raise_signal(signal.SIGINT) if text == "2 states within 1 step" else None

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(ask, "live", live)
    written = leadline("explore", "counter.py", "--out", "found.txt")
    assert (written.code, written.out, written.err) == (130, "", "leadline: wrote found.txt\n\n")
    ran = leadline("explore", "counter.py")
    assert ran.code == 130 and Path("found.txt").read_text() == ran.out
    assert "2 states, including all within 1 step (not all reachable states; interrupted)" in ran.out
    assert "never-one     reached  1" in ran.out
    assert "not-negative  unknown" in ran.out
    assert signal.getsignal(signal.SIGINT) is before


def test_checking_is_stopped(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(model: Model, query: Query, limits: Limits, listener: Listener) -> Answer:
        assert (query.properties, query.deadlock, bool(limits)) == (tuple(model.properties), True, False)
        listener.told(Result("never-one", "bmc", Verdict.VIOLATED, Effort(total=1.0), depth=0, steps=1))
        # An answer that leaves the question open.
        listener.told(Result("not-negative", "bmc", Verdict.UNKNOWN, Effort(total=1.0)))
        listener.progress(Progress(4, 1.0, ("below-three", "not-negative", "deadlock"), 10, 20))
        raise KeyboardInterrupt

    monkeypatch.setattr(asked, "answer", stopped)
    ran = leadline("check", "counter.py", "--depth", "9", "--deadlock", "--format", "json")
    assert [one["property"] for one in json.loads(ran.out)["results"]] == ["never-one", "not-negative"]
    ran = leadline("check", "counter.py", "--depth", "9", "--deadlock")
    assert ran.code == 130
    assert "never-one     reached  1" in ran.out
    expected = "interrupted; no counterexample within 4 steps so far: below-three, not-negative, deadlock"
    assert expected in ran.err


@pytest.mark.parametrize("shortest", [True, False])
def test_fail_fast_waits_for_the_shortest_counterexample_where_it_was_asked_for(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch, shortest: bool
) -> None:
    ended = []

    def found(model: Model, query: Query, limits: Limits, listener: Listener) -> Answer:
        longer = Result("below-three", "bmc", Verdict.VIOLATED, Effort(total=1.0), depth=0, steps=9)
        listener.told(longer)
        ended.append(False)
        listener.done(replace(longer, steps=1))
        raise AssertionError("a property has failed")

    monkeypatch.setattr(asked, "answer", found)
    command = ("check", "counter.py", "--engine", "bmc", "--unroll", "sweeps", "--property", "below-three")
    ran = leadline(*command, "--fail-fast", *(["--shortest"] if shortest else []))
    assert (ran.code, bool(ended)) == (12, shortest)


@pytest.mark.parametrize("command", ["explore", "simulate"])
def test_a_search_is_stopped_before_it_has_counted(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def stopped(model: Model, query: Query, limits: Limits, listener: Listener) -> Answer:
        listener.told(Result("never-one", command, Verdict.VIOLATED, Effort(total=1.0), depth=0, steps=1))
        raise KeyboardInterrupt

    monkeypatch.setattr(asked, "answer", stopped)
    ran = leadline(command, "counter.py")
    assert ran.code == 130
    assert "never-one  reached  1" in ran.out
    assert "interrupted; no counterexample at any depth so far" in ran.err
    ran = leadline(command, "counter.py", "--format", "json")
    assert ran.code == 130
    assert "never-one" in json.loads(ran.out)["properties"]


def pigeons(*arguments: str, solver: str) -> tuple[str, ...]:
    """A command line that finds one counterexample at once, and then is busy for hours."""
    return ("check", f"{PIGEONS}:Pigeons", "-p", "holes=11", "--depth", "3", "--solver", solver, *arguments)


@pytest.mark.parametrize(
    "solver",
    [pytest.param("z3", marks=pytest.mark.slow), pytest.param("cadical", marks=pytest.mark.slow), "auto"],
)
def test_ctrl_c_while_a_solver_is_busy(solver: str, tmp_path: Path) -> None:
    """The verdicts so far are told, though the solver would be busy for hours.

    Standard error is a terminal, where progress tells when the solver begins with what takes long.
    """
    ours, theirs = os.openpty()
    streams = {"stdout": subprocess.PIPE, "stderr": theirs}
    with leadline_process(*pigeons(solver=solver), folder=tmp_path, **streams) as process:
        os.close(theirs)
        wait_for_text(ours, b"depth 0")
        process.send_signal(signal.SIGINT)
        told = wait_for_text(ours, b"nobody-flew")
        out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 130
    assert "somebody-sits  reached  0" in out
    assert b"leadline: interrupted; no counterexample within 0 steps so far: nobody-flew" in told
    assert b"Traceback" not in told


def wait_for_text(terminal: int, text: bytes) -> bytes:
    """The output to a terminal up to the end of the line with the text."""
    seen = b""
    while text not in seen:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, f"it was never written; this was: {seen!r}"
        seen += os.read(terminal, 4096)
    return seen


def test_a_time_limit_on_the_command_line(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each solver's limits are tested with the engines."""
    over_after(monkeypatch, is_at_depth_0)
    ran = leadline(*pigeons("--timeout", "600", solver="cadical"))
    assert ran.code == 20, "a probe that is reached is well, and one question is open"
    assert "nobody-flew    unknown beyond 0 steps" in ran.out
    assert "nobody-flew: time: stopped after 600 s\n" in ran.out
    ran = leadline(*pigeons("--timeout", "0.5", "--property", "nobody-flew", solver="z3"))
    assert ran.code == 20


@pytest.mark.parametrize("solver", ["z3", "cadical"])
def test_a_memory_limit_on_the_command_line(solver: str, leadline: Leadline) -> None:
    ran = leadline("check", "counter.py", "--memory", "40", "--solver", solver, "--format", "json")
    assert ran.code == 20
    results = json.loads(ran.out)["results"]
    assert {x["verdict"] for x in results} == {"unknown"}
    assert all("limit of 40 MB" in x["reason"] and x["memory_mb"] <= 40 for x in results)
    ran = leadline(
        "check", "counter.py", "--memory", "2000", "--solver", solver, "--property", "not-negative"
    )
    assert ran.code == 0, ran.out


@pytest.mark.slow
@pytest.mark.parametrize("solver", [pytest.param("z3", marks=pytest.mark.slow), "cadical"])
def test_the_bug_of_kip_101(solver: str, leadline: Leadline) -> None:
    """It takes eleven steps."""
    sizes = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
    settings = [word for name, value in sizes.items() for word in ("-p", f"{name}={value}")]
    command = ("check", "kafka-replication", "-p", "variant=kip-101", *settings, "--property", "strong-isr")
    ran = leadline(*command, "--depth", "12", "--solver", solver, "--format", "json")
    (result,) = json.loads(ran.out)["results"]
    assert (ran.code, result["verdict"], result["steps"]) == (12, "violated", 11)
    assert len(result["trace"]["states"]) == 12


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = leadline("explore", "counter.py")
    assert "\x1b" not in plain.out + plain.err
    out, err = Terminal(), Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    assert main(["explore", "counter.py"]) == 12
    assert "\x1b[" in out.getvalue()
    assert "CountUp(node = n1)" in out.getvalue()
    assert "exploring counter" in err.getvalue(), "progress is shown"


class Slow(ModuleType):
    """A module that somebody grows tired of while it loads."""

    def __getattr__(self, name: str) -> Any:
        raise KeyboardInterrupt


def test_ctrl_c_while_it_loads(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "leadline.symbolic.cli", Slow("slow"))
    assert entry.main() == 130
    assert capsys.readouterr() == ("", "\n")


def test_what_a_message_quotes_steers_no_terminal(leadline: Leadline) -> None:
    ran = leadline("check", "counter.py", "--property", "bad\x1b[2J")
    assert ran.code == 2
    assert "counter has no property `bad\\x1b[2J`" in ran.err and "\x1b" not in ran.err


def test_what_a_file_prints_is_no_answer(leadline: Leadline, tmp_path: Path) -> None:
    text = (tmp_path / "counter.py").read_text()
    text = text.replace("        start.count = 0\n", "        print('here')\n        start.count = 0\n")
    (tmp_path / "counter.py").write_text(f"print('loading')\n{text}")
    ran = leadline("check", "counter.py", "--depth", "0", "--format", "json")
    assert json.loads(ran.out)["results"]
    assert "loading\nhere\n" in ran.err


def test_files_beside_it_are_no_modules(leadline: Leadline, tmp_path: Path) -> None:
    """Not even those that are named like one of the standard library."""
    for name in ("operator", "random", "select", "struct", "token"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('the file was run')\n")
    command = "check", "counter.py", "--property", "not-negative", "--timeout", "60"
    with leadline_process(*command, folder=tmp_path, stdout=subprocess.PIPE) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "not-negative  " in out


@pytest.mark.parametrize(("closed", "code"), [("1", 2), ("2", 0)])
def test_a_closed_stream(closed: str, code: int, leadline: Leadline, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "leadline", "list"]
    script = f"exec {shlex.join(command)} {closed}>&-"
    ran = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    told = "leadline: standard output is closed: send it to a file, or to /dev/null\n"
    assert (ran.returncode, ran.stderr) == (code, told if closed == "1" else "")
    assert ("kafka-replication" in ran.stdout) == (closed == "2")


def test_a_reader_that_left(leadline: Leadline, tmp_path: Path) -> None:
    with leadline_process("list", folder=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=60) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_standard_output_on_a_full_disk(leadline: Leadline, tmp_path: Path) -> None:
    full = Path("/dev/full")
    with full.open("w") as disk, leadline_process("list", folder=tmp_path, stdout=disk) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("leadline: standard output: No space left on device; it would be this:\n")
    assert "kafka-replication" in err
