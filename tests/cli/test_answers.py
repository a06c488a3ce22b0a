"""Answers as data: JSON of every command, files, stored traces, and the exit codes."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.api import asked
from leadline.symbolic.cli import ask
from leadline.symbolic.engines import Answer, answer
from tests.cli.conftest import Leadline
from tests.engines.stuck import STUCK


def test_explore_in_json(leadline: Leadline) -> None:
    ran = leadline("explore", "counter.py", "--format", "json")
    data = json.loads(ran.out)
    verdicts = {name: (x["verdict"], x["steps"]) for name, x in data.pop("properties").items()}
    assert verdicts == {
        "below-three": ("violated", 3),
        "not-negative": ("safe", None),
        "never-one": ("violated", 1),
    }
    assert data == {
        "protocol": "counter",
        "parameters": {"top": 3, "nodes": 1, "overflow": False},
        "constraints": [],
        "states": 4,
        "diameter": 3,
        "states_within_steps": [1, 2, 3, 4],
        "complete": True,
        "stopped": None,
        "generated": 4,
        "deadlocks": 1,
        "steps_out_of_bounds": 0,
        "actions": {"count_up": 3},
        "out_of_bounds": None,
        "by": "circuits",
    }
    assert ran.code == 12


def test_explore_stops_at_a_number_of_states(leadline: Leadline) -> None:
    ran = leadline("explore", "counter.py", "--max-states", "2", "--format", "json", "--deadlock")
    data = json.loads(ran.out)
    verdicts = {name: (x["verdict"], x["steps"]) for name, x in data["properties"].items()}
    assert verdicts == {
        "below-three": ("unknown", None),
        "not-negative": ("unknown", None),
        "never-one": ("violated", 1),
        "deadlock": ("unknown", None),
    }
    assert (data["stopped"], data["complete"], data["states"]) == ("states: stopped at 2", False, 2)
    assert data["states_within_steps"] == [1, 2]
    ran = leadline("explore", "counter.py", "--max-states", "2", "--property", "not-negative")
    assert ran.code == 20
    assert "2 states, including all within 1 step (not all reachable states; states: stopped at 2)" in ran.out
    assert leadline("explore", "counter.py", "--max-states", "4", "--property", "not-negative").code == 0


LARGE = ("explore", "two-phase-commit", "-p", "resource_managers=5", "--property", "consistency")
"""It has hundreds of millions of states."""


def test_explore_stops_at_a_time(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def live(_: str) -> Iterator[Callable[[str], None]]:
        yield lambda _: signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(ask, "live", live)
    ran = leadline(*LARGE, "--timeout", "600", "--format", "json")
    data = json.loads(ran.out)
    assert (ran.code, data["stopped"], data["complete"]) == (20, "time: stopped after 600 s", False)
    assert data["properties"]["consistency"]["verdict"] == "unknown"


def test_explore_stops_at_a_size_of_memory(tmp_path: Path) -> None:
    """The limit is below the process's size, so nothing new fits, not even the initial states' functions."""
    command = [sys.executable, "-m", "leadline", *LARGE, "--memory", "10", "--format", "json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    data = json.loads(ran.stdout)
    assert (ran.returncode, data["stopped"]) == (20, "memory: stopped at the limit of 10 MB")
    assert data["properties"]["consistency"]["verdict"] == "unknown"


def test_explore_tells_of_steps_out_of_bounds(leadline: Leadline) -> None:
    ran = leadline("explore", "counter.py", "-p", "overflow=true", "--format", "json")
    data = json.loads(ran.out)
    assert data["properties"]["not-negative"]["verdict"] == "out-of-bounds"
    assert data["properties"]["below-three"]["verdict"] == "violated"
    assert (data["out_of_bounds"]["steps"], data["steps_out_of_bounds"]) == (4, 1)


@pytest.mark.parametrize("unroll", ["steps", "sweeps"])
def test_the_depth_of_a_violation_is_its_layer(unroll: str, leadline: Leadline) -> None:
    """One step, or one sweep, leads to the first bad state; a violation covers no steps."""
    ran = leadline(
        *("check", "counter.py", "-p", "nodes=2", "--unroll", unroll, "--depth", "2", "--format", "json"),
        *("--property", "never-one", "--property", "not-negative"),
    )
    violated, safe = json.loads(ran.out)["results"]
    assert (violated["verdict"], violated["depth"], violated["steps_covered"]) == ("violated", 1, None)
    assert (safe["verdict"], safe["depth"], safe["steps_covered"]) == ("safe", 2, 2)


def test_check_in_json(leadline: Leadline) -> None:
    ran = leadline("check", "counter.py", "-p", "nodes=2", "--depth", "2", "--deadlock", "--format", "json")
    below, negative, one, deadlock = json.loads(ran.out)["results"]
    assert set(below) == {
        "protocol",
        "parameters",
        "constraints",
        "property",
        "engine",
        "unroll",
        "solver",
        "verdict",
        "judgement",
        "depth",
        "steps_covered",
        "steps",
        "seconds",
        "memory_mb",
        "variables",
        "clauses",
        "trace",
        "reason",
        "cause",
        "reached",
    }
    assert (below["verdict"], below["depth"], below["steps"], below["trace"]) == ("safe", 2, None, None)
    assert below["parameters"] == {"top": 3, "nodes": 2, "overflow": False}
    assert set(below["seconds"]) == {"build", "solve", "total"}
    assert (one["property"], one["verdict"], one["steps"]) == ("never-one", "violated", 1)
    assert one["trace"]["vars"] == ["count", "seenBy"]
    assert [state["count"] for state in one["trace"]["states"]] == [0, 1]
    assert one["trace"]["actions"][0]["name"] == "count_up"
    assert (negative["property"], deadlock["property"], deadlock["verdict"]) == (
        "not-negative",
        "deadlock",
        "safe",
    )
    assert ran.code == 0, "both probes and properties are as they should be"


def test_why_a_counterexample_is_perhaps_not_the_shortest(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*arguments: Any) -> Answer:
        results = answer(*arguments).results
        return Answer([result.perhaps_longer("time: stopped after 9 s") for result in results])

    monkeypatch.setattr(asked, "answer", late)
    ran = leadline("check", "counter.py", "--property", "below-three", "--shortest")
    assert "below-three: perhaps not the shortest: time: stopped after 9 s\n" in ran.out
    assert "BelowThree is false" in ran.out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("check counter.py --property not-negative", 0),
        ("check counter.py --property below-three", 12),
        ("check counter.py --property never-one", 0),
        ("check counter.py --property never-one --depth 0", 20),
        ("check counter.py --property not-negative --deadlock", 11),
        ("check counter.py --property below-three --deadlock", 12),
        ("check counter.py -p overflow=true --property not-negative", 21),
        ("check counter.py -p overflow=true --property below-three", 12),
        ("check counter.py -p top=5", 10),
        ("explore counter.py --property not-negative", 0),
        ("explore counter.py --property not-negative --deadlock", 11),
        ("explore counter.py --property not-negative --deadlock --depth 1", 0),
        ("explore counter.py -p overflow=true --property not-negative", 21),
        ("explore counter.py -p top=5", 10),
        ("explore counter.py -p top=0", 2),
        ("list", 0),
        ("--version", 0),
        ("--help", 0),
        ("", 2),
        ("chek counter.py", 2),
        ("check", 2),
        ("check counter.py --depth -1", 2),
        ("check counter.py --depth ten", 2),
        ("check counter.py --timeout 0", 2),
        ("check counter.py --timeout nan", 2),
        ("check counter.py --timeout 1e308", 2),
        ("check counter.py --memory 99999999999999999999", 2),
        ("prove counter.py --property not-negative --memory 99999999999999999999", 2),
        ("check counter.py --memory 0", 2),
        ("check counter.py --unroll backwards", 2),
        ("check counter.py --solver none", 2),
        ("check counter.py --format yaml", 2),
        ("check counter.py --prop never-one", 2),
        ("trace nowhere.json", 2),
        ("list nowhere.py", 2),
        ("list two-phase-commit", 2),
    ],
)
def test_exit_codes(arguments: str, code: int, leadline: Leadline) -> None:
    ran = leadline(*arguments.split())
    assert ran.code == code, ran.err
    assert "Traceback" not in ran.err
    assert (code == 2) == bool(ran.err) or code in (10,)


def test_a_model_with_mistakes(leadline: Leadline) -> None:
    text = Path("counter.py").read_text().replace("now.count + 1", "now.cuont + 1")
    Path("wrong.py").write_text(text)
    for command in ("check", "explore", "show"):
        ran = leadline(command, "wrong.py")
        assert ran.code == 150
        assert "wrong.py:36: there is no variable `cuont`: did you mean `count`?" in ran.err
        assert "Traceback" not in ran.err
    assert leadline("list", "wrong.py").code == 0


@pytest.mark.parametrize("command", ["check", "explore"])
@pytest.mark.parametrize(
    "settings",
    [
        "--property never-one",
        "-p overflow=true --property not-negative",
        "--deadlock --property not-negative",
    ],
)
def test_a_stored_trace_is_shown_again(command: str, settings: str, leadline: Leadline) -> None:
    asked = (command, "counter.py", *settings.split(), "--traces", "all")
    first = leadline(*asked, "--format", "json", "--out", "found.json")
    again = leadline("trace", "found.json", "--protocol", "counter.py")
    assert again.code == 0, again.err
    assert again.out.startswith("counter (top = 3")
    assert first.out.endswith(f"\n\n{again.out}")
    assert (
        leadline(
            "trace", "found.json", "--protocol", "counter.py", "--format", "json", "--out", "one.json"
        ).code
        == 0
    )
    assert leadline("trace", "one.json", "--protocol", "counter.py").out == again.out


def test_a_trace_does_not_choose_what_runs(leadline: Leadline) -> None:
    leadline("check", "counter.py", "--format", "json", "--out", "found.json")
    ran = leadline("trace", "found.json")
    assert ran.code == 2
    assert "if you trust it, leadline trace found.json --protocol counter.py" in ran.err


def test_a_trace_of_a_built_in_protocol_needs_no_file(leadline: Leadline) -> None:
    found = leadline(
        "explore", "two-phase-commit", "--property", "not-committed", "--format", "json", "--out", "t.json"
    )
    assert found.code == 0, found.err
    assert leadline("trace", "t.json").out.startswith("two-phase-commit (")


def test_one_of_several_traces(leadline: Leadline) -> None:
    leadline("check", "counter.py", "--format", "json", "--out", "found.json")
    stored = ("trace", "found.json", "--protocol", "counter.py")
    assert "reached in 1 step\n" in leadline(*stored).out
    assert (
        "several traces: choose one with --property (below-three, never-one)"
        in leadline(*stored, "--format", "itf").err
    )
    one = leadline(*stored, "--format", "itf", "--property", "never-one")
    assert len(json.loads(one.out)["states"]) == 2
    assert "it has below-three, never-one" in leadline(*stored, "--property", "x").err
    assert "is a trace of counter, not of two-phase-commit" in leadline(*stored[:-1], "two-phase-commit").err


def test_a_tampered_trace_is_refused(leadline: Leadline) -> None:
    leadline("check", "counter.py", "--property", "never-one", "--format", "json", "--out", "found.json")
    data: dict[str, Any] = json.loads(Path("found.json").read_text())
    data["results"][0]["trace"]["states"][1]["count"] = 2
    Path("found.json").write_text(json.dumps(data))
    ran = leadline("trace", "found.json", "--protocol", "counter.py")
    assert (ran.code, ran.out) == (2, "")
    wrong = "step 1 (count_up): count becomes 1, and the trace says 2"
    assert ran.err == f"leadline: found.json.results[0].trace does not replay: {wrong}\n"


def test_a_trace_of_an_older_protocol_says_so(leadline: Leadline) -> None:
    leadline("check", "counter.py", "--property", "never-one", "--format", "json", "--out", "found.json")
    path = Path("counter.py")
    path.write_text(path.read_text().replace("start.count = 0", "start.count = 1"))
    ran = leadline("trace", "found.json", "--protocol", "counter.py")
    assert "does not replay (its model is another: the protocol has changed since, or" in ran.err


def test_list_and_show_in_json(leadline: Leadline) -> None:
    (listed,) = json.loads(leadline("list", "counter.py", "--format", "json").out)
    assert listed["name"] == "counter"
    assert listed["parameters"][0] == {
        "name": "top",
        "kind": "int",
        "default": 3,
        "at_least": 1,
        "at_most": 9,
        "choices": [],
        "file": "",
        "doc": "where counting ends",
    }
    assert [one["kind"] for one in listed["properties"]] == ["invariant", "invariant", "probe"]
    shown = json.loads(leadline("show", "counter.py", "-p", "nodes=2", "--format", "json").out)
    assert shown["parameters"][1]["value"] == 2
    assert shown["variables"][1] == {"name": "seen_by", "tla": "seenBy", "type": "SUBSET Node", "bits": 2.0}
    assert shown["actions"] == [
        {
            "name": "count_up",
            "tla": "CountUp",
            "doc": "A node counts.",
            "picks": [{"name": "node", "type": "Node"}],
        }
    ]


def test_a_counterexample_as_tla_is_named_after_its_file(leadline: Leadline) -> None:
    ran = leadline("check", "counter.py", "--format", "tla", "--out", "Run.tla")
    assert "one of 2 counterexamples is written" in ran.err
    text = Path("Run.tla").read_text()
    assert " MODULE Run " in text and "State3 ==" in text


def test_a_protocol_without_properties(leadline: Leadline) -> None:
    source = Path("counter.py").read_text()
    Path("bare.py").write_text(source[: source.index("@invariant")])
    ran = leadline("check", "bare.py")
    told = "there is nothing to check: counter has no property at these parameters; state one, or ask for"
    assert (ran.code, ran.out, ran.err) == (2, "", f"leadline: {told} deadlocks with --deadlock\n")
    assert leadline("check", "bare.py", "--deadlock").code == 11


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("explore", "--property", "never-one"), 0, "reached"),
        (("check", "--property", "never-one"), 0, "reached"),
        (("check", "--property", "never-one", "--depth", "3"), 0, "reached"),
        (("explore", "--property", "never-five"), 12, "unreachable"),
        (("check", "--property", "never-five"), 12, "unreachable"),
        (("prove", "--property", "never-five"), 12, "unreachable"),
        (("check", "--property", "never-five", "--depth", "3"), 20, "not reached within 3 steps"),
        (("explore", "--property", "never-five", "--depth", "1"), 20, "not reached"),
        (("simulate", "--property", "never-five"), 20, "unknown"),
        (("simulate", "--property", "never-one"), 0, "reached"),
    ],
)  # fmt: skip
def test_probes(leadline: Leadline, arguments: tuple[str, ...], code: int, told: str) -> None:
    Path("stuck.py").write_text(STUCK)
    command, *others = arguments
    ran = leadline(command, "stuck.py", *others)
    assert (ran.code, told in ran.out) == (code, True), ran.out
    assert "Init" not in ran.out, "no run is shown"
    ran = leadline(command, "stuck.py", *others, "--format", "json")
    judgement = {0: "passed", 12: "failed", 20: "open"}[code]
    assert f'"judgement": "{judgement}"' in ran.out


def test_the_run_that_reaches_a_probe(leadline: Leadline) -> None:
    Path("stuck.py").write_text(STUCK)
    ran = leadline("explore", "stuck.py", "--property", "never-one", "--traces", "all")
    assert (ran.code, "never-one reached in 1 step" in ran.out) == (0, True)
