"""Children, checkers from outside, the order of measurements, and pictures."""

import resource
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from leadline.benchmarks.cases import CASES
from leadline.benchmarks.children import run
from leadline.benchmarks.measure import measure
from leadline.benchmarks.pictures import pictures
from leadline.benchmarks.runner import available, schedule
from leadline.benchmarks.summary import cells
from leadline.benchmarks.ways import WAYS
from leadline.symbolic.engines import Limits, Verdict
from leadline.symbolic.report.charts import ChartPoint, Series, line_chart
from tests.benchmarks.rows import LIMITS, case, stopped, took

SVG = "{http://www.w3.org/2000/svg}"


# -- children ---------------------------------------------------------------------------------------------


def test_a_child_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spawn = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'], stdin=None)"
    begun, now = tmp_path / "begun", time.perf_counter
    sleep = "import subprocess; print('begun', flush=True); child = subprocess.Popen(['sleep', '600'])"
    sleep += f"; open({str(begun)!r}, 'w').close(); child.wait()"
    assert run([sys.executable, "-c", spawn], "\n", 20.0).status == 0
    monkeypatch.setattr(time, "perf_counter", lambda: now() + 600.0 * begun.exists())
    ended = run([sys.executable, "-c", sleep], "", 600.0)
    assert ended.status is None and ended.output == "begun\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to others than init")
def test_the_time_of_what_a_child_leaves_behind_counts() -> None:
    work = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ntime.sleep(60)"
    leave = "import sys; from subprocess import *"
    leave += "\nprint(Popen([sys.executable, '-c', sys.argv[1]], stdout=PIPE, stderr=DEVNULL)"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run([sys.executable, "-c", f"{leave}.stdout.readline())", work], "", 20.0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime > 0.3


def test_a_child_that_fails_says_why() -> None:
    ended = run([sys.executable, "-c", "raise SystemExit('no luck')"], "", 20.0)
    assert (ended.status, ended.last_words) == (1, "no luck")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the memory of others")
def test_the_memory_is_that_of_the_largest_process() -> None:
    hold = "import signal; held = b'x' * (80 << 20); signal.pause()"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hold!r}])"
    assert 80 < run([sys.executable, "-c", code], "", 2.0).memory_mb < 200


def test_exploring_stops_at_its_memory() -> None:
    found = measure(case("compaction-leak-43"), WAYS["explore"], Limits(20.0, 50))
    assert found.verdict is Verdict.UNKNOWN
    assert found.ended == "memory" and found.reason == "memory: stopped at the limit of 50 MB"


def test_exploring_counts_the_states() -> None:
    found = measure(case("kip-320-2222"), WAYS["explore"], LIMITS)
    assert found.verdict is Verdict.SAFE and found.states == 5_973


# -- checkers from outside --------------------------------------------------------------------------------

TLC = """\
TLC2 Version 2.19 of 08 August 2024 (rev: 5a47802)
Error: Invariant NotCommitted is violated.
State 1: <Initial predicate>
State 2: <TM_prepare line 175>
State 3: <TM_commit line 1>
1,752 states generated, 1,325 distinct states found, 110 states left on queue.
The depth of the complete state graph search is 12.
"""
APALACHE = (
    "# APALACHE version: 0.47.2 | build: x\nState 7: state invariant 0 violated.\nEXITCODE: ERROR (12)\n"
)


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the PATH for commands that say what a file beside them holds."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tmp_path


def command(folder: Path, name: str, text: str, status: int) -> None:
    """A command that looks at the model it is given, and then says its text."""
    (folder / "text").write_text(text)
    script = folder / name
    script.write_text(
        "#!/bin/sh\n"
        "grep -q NotCommitted TwoPhaseCommit.cfg && grep -q '^Next ==' TwoPhaseCommit.tla || exit 99\n"
        f"cat {folder}/text\nexit {status}\n"
    )
    script.chmod(0o755)


def test_tlc_is_read(says: Path) -> None:
    command(says, "tlc", TLC, 12)
    found = measure(case("not-committed-2"), WAYS["tlc"], LIMITS)
    assert (found.verdict, found.steps, found.depth, found.states) == (Verdict.VIOLATED, 2, 1, 1325)
    assert found.tool == "TLC2 Version 2.19 of 08 August 2024 (rev: 5a47802)"
    command(says, "tlc", TLC.replace("NotCommitted", "InBounds"), 12)
    assert measure(case("not-committed-2"), WAYS["tlc"], LIMITS).verdict is Verdict.OUT_OF_BOUNDS
    command(says, "tlc", TLC, 0)
    found = measure(case("not-committed-2"), WAYS["tlc"], LIMITS)
    assert (found.verdict, found.steps, found.depth) == (Verdict.SAFE, None, 11)


def test_a_tlc_that_fails_has_no_answer(says: Path) -> None:
    command(says, "tlc", "Error: no such thing\n", 150)
    found = measure(case("not-committed-2"), WAYS["tlc"], LIMITS)
    assert found.verdict is Verdict.UNKNOWN and found.ended == "crash"
    assert found.reason == "crash: exited with 150 (Error: no such thing)"
    command(says, "tlc", "java.lang.OutOfMemoryError: Java heap space\n", 1)
    assert measure(case("not-committed-2"), WAYS["tlc"], LIMITS).ended == "memory"


def test_apalache_is_read(says: Path) -> None:
    command(says, "apalache-mc", APALACHE, 12)
    found = measure(case("not-committed-2"), WAYS["apalache"], LIMITS)
    assert (found.verdict, found.steps) == (Verdict.VIOLATED, 7)
    assert found.tool == "APALACHE version: 0.47.2 | build: x"
    command(says, "apalache-mc", "", 0)
    found = measure(case("not-committed-2"), WAYS["apalache"], LIMITS)
    assert (found.verdict, found.depth) == (Verdict.SAFE, 11)


ABC = """\
Output 1 was asserted in frame  8 ( 8) (solved 1 out of 2 outputs).
Properties:  All = 2. Proved = 1. Disproved = 1. Undecided = 0.   Time =     4.67 sec
"""


def abc(folder: Path, text: str) -> None:
    """An ABC that looks for a circuit, and then says a text."""
    (folder / "text").write_text(text)
    script = folder / "berkeley-abc"
    script.write_text(f"#!/bin/sh\ngrep -q '^aig' model.aig || exit 99\ncat {folder}/text\n")
    script.chmod(0o755)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (ABC, Verdict.OUT_OF_BOUNDS),
        (ABC.replace("Output 1", "Output 0"), Verdict.VIOLATED),
        ("Properties:  All = 2. Proved = 2. Disproved = 0. Undecided = 0.", Verdict.PROVED),
        ("Properties:  All = 2. Proved = 1. Disproved = 0. Undecided = 1.", Verdict.UNKNOWN),
        ("", Verdict.UNKNOWN),
    ],
)
def test_abc_is_read(text: str, verdict: Verdict, says: Path) -> None:
    abc(says, text)
    assert measure(case("prove-kip-320-2222"), WAYS["abc"], LIMITS).verdict is verdict


def test_a_program_beside_is_asked_as_prove_is(says: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = says / "prover"
    monkeypatch.delenv("LEADLINE_BESIDE", raising=False)
    assert not available(WAYS["beside"])
    monkeypatch.setenv("LEADLINE_BESIDE", str(program))
    assert available(WAYS["beside"])
    for status, verdict in ((0, Verdict.PROVED), (12, Verdict.VIOLATED), (3, Verdict.UNKNOWN)):
        wanted = "spanner-leases disjointness replicas=5 variant=mended-handle-vote"
        program.write_text(f'#!/bin/sh\n[ "$*" = "{wanted}" ] || exit 99\nexit {status}\n')
        program.chmod(0o755)
        found = measure(case("prove-leases-5"), WAYS["beside"], LIMITS)
        assert found.verdict is verdict, found.reason
    program.write_text("#!/bin/sh\nsleep 60\n")
    found = measure(case("prove-leases-5"), WAYS["beside"], Limits(0.2, 1000))
    assert (found.verdict, found.ended) == (Verdict.UNKNOWN, "time")


@pytest.mark.slow
def test_a_proof_is_measured() -> None:
    asked = case("prove-kip-320-2222")
    found = measure(asked, WAYS["pdr"], LIMITS)
    assert found.verdict is Verdict.PROVED and found.as_expected(asked, WAYS["pdr"])
    seen = measure(asked, WAYS["explore"], LIMITS)
    assert seen.verdict is Verdict.SAFE and seen.as_expected(asked, WAYS["explore"]), "of all states"


# -- the order ----------------------------------------------------------------------------------------------


def test_the_ways_of_a_case_follow_each_other_in_another_order_each_time() -> None:
    chosen = [case("leases-3"), case("leases-4")]
    todo = schedule(chosen, ["steps/z3", "steps/cadical", "sweeps/z3", "sweeps/cadical", "explore"], 3)
    names = [(one.repeat, one.case.name) for one in todo]
    assert names == [(n, c) for n in (1, 2, 3) for c in ("leases-3", "leases-4") for _ in range(5)]
    orders = {tuple(one.way.name for one in todo[start : start + 5]) for start in range(0, 30, 5)}
    assert len({frozenset(order) for order in orders}) == 1 and len(orders) > 3


def test_a_way_that_makes_no_sense_for_a_case_is_left_out() -> None:
    todo = schedule([case("kip-320-first-try-5666"), case("leases-3")], ["steps/z3"], 1)
    assert [one.case.name for one in todo] == ["leases-3"]


# -- pictures -----------------------------------------------------------------------------------------------


def test_the_scale_is_logarithmic() -> None:
    marks = (ChartPoint(0, 0.1), ChartPoint(1, 1.0), ChartPoint(2, 10.0, bound=True))
    root = ElementTree.fromstring(
        line_chart("A <b> & c", ["a", "b", "c"], "x", "s", [Series("one & two", marks)])
    )
    circles = root.findall(f"{SVG}circle")
    heights = [float(circle.attrib["cy"]) for circle in circles]
    ticks = {text.text: float(text.attrib["y"]) for text in root.findall(f"{SVG}text")}
    assert heights[0] - heights[1] == pytest.approx(ticks["1"] - ticks["10"], abs=0.2)
    assert ticks["0.1"] - ticks["1"] == pytest.approx(ticks["1"] - ticks["10"], abs=0.2)
    # A bound is no dot, and its title says what it is.
    assert len(circles) == 2
    assert "one & two: > 10" in [title.text for title in root.iter(f"{SVG}title")]
    assert "A <b> & c" in ticks and "one & two" in ticks


def test_there_are_pictures_of_growth() -> None:
    found = cells(
        [
            took(1.0, "not-committed-2"),
            took(4.0, "not-committed-3"),
            stopped("not-committed-5"),
            stopped("kip-320-3222"),
        ]
    )
    drawn = pictures(found, CASES, list(WAYS))
    # Of the last there is no layer that was done: nothing to draw.
    assert list(drawn) == ["parameters-two-phase-commit.svg"]
    assert "var(" not in drawn["parameters-two-phase-commit.svg"], "colours that only a page has"
    root = ElementTree.fromstring(drawn["parameters-two-phase-commit.svg"])
    assert len(root.findall(f"{SVG}circle")) == 2
    assert "\u25b3 stopped there: takes longer" in [text.text for text in root.iter(f"{SVG}text")]
