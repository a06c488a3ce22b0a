"""A user's file is tried in a process of its own: it may neither end the process nor depend on chance."""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any

import pytest

import leadline
from leadline.symbolic.catalog import find, model_of, trial as trial_module
from leadline.symbolic.catalog.trial import Trial
from leadline.symbolic.cli import main
from leadline.symbolic.engines.run import limits
from leadline.symbolic.engines.run.limits import Limits, TimeIsOver, limited
from leadline.symbolic.lang import InternalError, ModelError

PROTOCOL = """
import datetime, os, random, time, uuid
from leadline.symbolic.lang import Int, Protocol, action, invariant, parameter

class Stop(BaseException):
    pass

EXTRA = 0
# import

class Steps(Protocol):
    top: int = parameter(3, at_least=1, at_most=9, doc="how far")

    def assume(self):
        # assume
        return ()

    def define(self, state):
        # define
        state.n = Int(0, 40)

    def init(self, start):
        # init
        start.n = 0

    @action(when=lambda self: [True, # when
        ][0])
    def up(self, now, nxt):
        # action
        nxt.require(now.n < self.top)
        nxt.n = now.n + 1

@invariant(Steps)
def low(protocol, now):
    # property
    return now.n <= protocol.top + EXTRA
"""
PLACES = ("import", "assume", "define", "init", "action", "property")


Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes the protocol with a line at one place."""
    monkeypatch.chdir(tmp_path)

    def written(place: str, line: str) -> Path:
        assert f"# {place}\n" in PROTOCOL
        path = tmp_path / "steps.py"
        path.write_text(PROTOCOL.replace(f"# {place}\n", f"{line}\n"), encoding="utf-8")
        return path

    yield written


def line_of(place: str) -> int:
    return PROTOCOL[: PROTOCOL.index(f"# {place}\n")].count("\n") + 1


def test_what_depends_on_its_parameters_only_is_taken(write: Write) -> None:
    entry = find(str(write("define", "random.Random(7).random()")))
    assert entry.trial is not None
    found = {model_of(entry, {"top": top}).fingerprint for top in (1, 2, 3)}
    assert len(found) == 3
    assert model_of(find(entry.source, tried=True), {"top": 3}).fingerprint in found
    assert find("two-phase-commit").trial is None


@pytest.mark.parametrize("place", [*PLACES, "when"])
def test_the_process_may_not_be_ended(place: str, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(place, "os._exit(0)," if place == "when" else "os._exit(0)")
    assert main(["check", "steps.py"]) == 150
    told = capsys.readouterr()
    doing = "loading the file" if place == "import" else "building the model"
    assert told.out == ""
    assert f"{path}:{line_of(place)}: {doing} ends the process, and a model may not" in told.err


def test_nor_by_a_signal(write: Write) -> None:
    entry = find(str(write("action", "os.kill(os.getpid(), 9)")))
    with pytest.raises(ModelError, match=r"steps\.py:1: building the model ends the process"):
        model_of(entry, {})
    with pytest.raises(ModelError, match="building the model ends the process"):
        model_of(entry, {})


@pytest.mark.parametrize("place", PLACES)
def test_whatever_is_raised_is_a_mistake(
    place: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, "raise Stop('here')")
    assert main(["check", "steps.py"]) == 150
    told = capsys.readouterr()
    assert told.out == ""
    assert f"steps.py:{line_of(place)}: Python says: Stop: here" in told.err


@pytest.mark.parametrize(
    ("command", "place", "line"),
    [
        ("check", "action", "nxt.require(now.n < random.randrange(10**12))"),
        ("show", "define", "self.top = random.getrandbits(40)"),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in (
                ("explore", "import", "EXTRA = random.getrandbits(60)"),
                ("prove --property low", "property", "return now.n <= random.getrandbits(40)"),
                ("export --to tla", "action", "nxt.require(now.n < random.getrandbits(60))"),
            )
        ),
    ],
)
def test_chance(
    command: str, place: str, line: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, line)
    name, *more = command.split()
    assert main([name, "steps.py", *more]) == 150
    told = capsys.readouterr()
    assert told.out == ""
    assert "steps.py:" in told.err
    assert "the model is another one each time that it is built" in told.err


def test_chance_in_a_grid(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("action", "nxt.require(now.n < random.getrandbits(40))")
    Path("grid.toml").write_text('[[check]]\nprotocol = "steps.py"\nparameters = { top = [2, 3] }\n')
    assert main(["grid", "grid.toml", "--plan"]) == 150
    assert "the model is another one each time that it is built" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "state.n = Int(0, time.time_ns() % 10**9)",
        *(
            pytest.param(line, marks=pytest.mark.slow)
            for line in (
                "state.n = Int(0, datetime.datetime.now().microsecond)",
                "state.n = Int(0, uuid.uuid4().int % 10**9)",
                "state.n = Int(0, os.getpid())",
            )
        ),
        "state.n = Int(0, 1 + next(iter({str(x) for x in range(99)})).__len__() + "
        "int(next(iter({str(x) for x in range(9999)}))))",
    ],
)
def test_other_sources_of_chance(line: str, write: Write) -> None:
    path = write("define", line)
    path.write_text(path.read_text().replace("        state.n = Int(0, 40)\n", ""))
    with pytest.raises(ModelError, match=r"steps\.py:\d+: the model is another one each time"):
        model_of(find(str(path)), {})


@pytest.mark.slow
def test_runs_that_are_answered_agree(write: Write) -> None:
    """Whatever the hash seed, a model that depends on it is refused, or it is always the same."""
    path = write("define", "self.first = next(iter({'a', 'b'}))")
    path.write_text(path.read_text().replace("now.n < self.top", "now.n < 2 + (self.first == 'a')"))
    text = "from leadline.symbolic.catalog import *; print(model_of(find('steps.py'), {}).fingerprint)"
    own = str(Path(leadline.__file__).parent.parent)
    ended = [
        subprocess.run(
            [sys.executable, "-c", text],
            env={**os.environ, "PYTHONPATH": own, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=False,
        )
        for seed in range(4)
    ]
    assert {one.returncode for one in ended} == {0, 1}
    assert len({one.stdout for one in ended if one.returncode == 0}) == 1


def test_what_a_file_prints_is_no_answer(write: Write) -> None:
    path = write("import", "print('[]'); os.write(1, b'[]')")
    assert model_of(find(str(path)), {}).protocol == "steps"


def test_a_process_that_does_not_start(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("import", "")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(InternalError, match=r"the process that tries .*steps\.py does not start"):
        find(str(path))


def test_it_ends_with_whoever_asks(write: Write) -> None:
    trial = Trial(write("import", ""))
    process = trial._process
    assert process.poll() is None
    del trial
    assert process.poll() is not None


def test_it_ends_with_the_time(write: Write) -> None:
    trial = Trial(write("init", "while True: pass"))
    with pytest.raises(TimeIsOver), limited(Limits(0.2)):
        trial.fingerprint("Steps", {})
    assert trial._process.poll() is not None


def test_the_end_of_the_time_at_any_line_of_its_start_leaves_nothing_of_it(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_module, "_PROGRAM", r"print('\ntrue', flush=True); input()")
    path, lines, at = write("init", ""), 0, 0
    started = list[subprocess.Popen[bytes]]()

    def rings(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename != trial_module.__file__:
            return None
        lines += event == "line"
        if (event, lines) == ("line", at):
            signal.raise_signal(signal.SIGALRM)
        return rings

    def noted(*given: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*given, **options))
        return started[-1]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", noted)
    while lines >= at:
        lines, at = 0, at + 1
        with suppress(TimeIsOver), limited(Limits(600)):
            sys.settrace(rings)
            try:
                Trial(path)
            finally:
                sys.settrace(None)
        gc.collect()
    assert at > 10 and all(process.poll() is not None for process in started)


def test_a_time_that_is_over_again_leaves_nothing_of_it(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = trial_module._end

    def slowly(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        time.sleep(0.1)
        ended(process, errors)

    monkeypatch.setattr(trial_module, "_end", slowly)
    monkeypatch.setattr(limits, "_RINGS_AGAIN", 0.01)
    trial = Trial(write("init", "while True: pass"))
    with pytest.raises(TimeIsOver), limited(Limits(0.2)):
        trial.fingerprint("Steps", {})
    assert trial._process.poll() is not None
