"""The pytest plugin: properties as tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

COUNTER = """\
from leadline import Int, Protocol, action, invariant, parameter, probe

class Counter(Protocol):
    top: int = parameter(3, at_least=1)

    def define(self, state):
        state.count = Int(0, self.top)

    def init(self, start):
        start.count = 0

    @action
    def up(self, now, nxt):
        nxt.require(now.count < self.top)
        nxt.count = now.count + 1

@invariant(Counter)
def small(protocol, now):
    return now.count < 3

@probe(Counter)
def never_one(protocol, now):
    return now.count != 1
"""

VERIFIED = """\
import leadline
import pytest
from counter import Counter, small

@leadline.verify(Counter, property="small")
def test_is_small(): ...

@leadline.verify(Counter, property=small, top=2)
def test_is_small_below_three(results, tmp_path):
    assert results["small"].verdict == "proved"
    assert tmp_path.exists()

@leadline.verify(Counter, property="small", top=2)
def test_with_a_body_that_fails():
    assert 1 == 2

@leadline.verify(Counter, properties=["never-one"])
def test_a_probe(): ...

@leadline.verify(Counter, properties=["never-one"], depth=0)
def test_a_probe_that_is_not_reached(): ...

@leadline.verify(Counter, property="small", engine="explore", max_states=1)
def test_without_an_answer(): ...

@leadline.verify(Counter, property="smal")
def test_with_a_mistake(): ...

@pytest.mark.xfail(strict=True)
@leadline.verify(Counter, property="small")
def test_known_to_fail(): ...
"""


def run(folder: Path, *options: str, plugin: bool = True) -> str:
    """Pytest's output in a folder. Plugins are not found by themselves: the tree need not be installed.

    Where CI is set, pytest repeats each failure whole in its summary, so these tests run without it.
    """
    loaded = ["-p", "leadline.pytest_plugin"] if plugin else []
    command = [sys.executable, "-m", "pytest", *loaded, "-p", "no:cacheprovider", "-rA"]
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER")}
    done = subprocess.run(
        [*command, "-c", "/dev/null", "--rootdir", str(folder), *options],
        cwd=folder,
        env={**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "counter.py").write_text(COUNTER)
    return tmp_path


def outcomes(said: str) -> dict[str, str]:
    found = re.findall(r"^(PASSED|FAILED|ERROR|XFAIL) \S+?::(\S+)", said, re.MULTILINE)
    return {name: outcome for outcome, name in found}


@pytest.mark.slow
def test_verified_protocols(folder: Path) -> None:
    (folder / "test_counter.py").write_text(VERIFIED)
    said = run(folder)
    assert outcomes(said) == {
        "test_is_small": "FAILED",
        "test_is_small_below_three": "PASSED",
        "test_with_a_body_that_fails": "FAILED",
        "test_a_probe": "PASSED",
        "test_a_probe_that_is_not_reached": "ERROR",
        "test_without_an_answer": "ERROR",
        "test_with_a_mistake": "ERROR",
        "test_known_to_fail": "XFAIL",
    }
    assert "small is violated (3 steps)\n\ncounter (top = 3): small violated in 3 steps\n  0  Init" in said
    assert "never-one: not reached within 0 steps" in said
    assert "counter (top = 3) has no answer about\n  small: " in said
    assert "has no property `smal`: did you mean `small`?" in said
    assert "During handling" not in said and said.count("small violated in 3 steps") == 1, (
        "a trace is shown once"
    )
    assert "verify.py" not in said, "Leadline's own code is left out of tracebacks"


@pytest.mark.slow
def test_without_the_plugin_nothing_passes_that_should_not(folder: Path) -> None:
    (folder / "test_counter.py").write_text(VERIFIED)
    said = run(folder, plugin=False)
    passed = {name for name, outcome in outcomes(said).items() if outcome == "PASSED"}
    assert passed == {"test_is_small_below_three", "test_a_probe"}


@pytest.mark.slow
def test_files_are_collected_on_demand(folder: Path) -> None:
    (folder / "script.py").write_text("import leadline\nraise SystemExit('it was run')\n")
    (folder / "broken.py").write_text(COUNTER.replace("now.count + 1", "'x'"))
    said = run(folder, "--leadline", "counter.py", "--leadline-depth", "2")
    assert outcomes(said) == {"Counter::small": "PASSED", "Counter::never-one": "PASSED"}
    said = run(folder, "--leadline", "--continue-on-collection-errors")
    assert outcomes(said) == {"Counter::small": "FAILED", "Counter::never-one": "PASSED"}
    assert "small violated in 3 steps" in said
    assert re.search(r"broken.py:\d+: type clash", said)
    assert "it was run" not in said


def test_it_costs_nothing_when_it_is_not_used(folder: Path) -> None:
    (folder / "test_other.py").write_text(
        "import sys\n"
        "def test_nothing_is_loaded():\n"
        "    assert 'leadline.pytest_plugin' in sys.modules\n"
        "    assert not [x for x in sys.modules if x.startswith('leadline.symbolic')]\n"
    )
    assert outcomes(run(folder)) == {"test_nothing_is_loaded": "PASSED"}
