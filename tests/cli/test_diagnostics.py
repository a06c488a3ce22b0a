"""The answer to a check at the lines of its source: SARIF, and lines as compilers write them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import leadline
from tests.cli.conftest import Leadline
from tests.cli.sarif import check_sarif

MATCHER = Path(__file__).parent.parent.parent / "docs" / "problem-matcher.json"


def line_of(text: str) -> int:
    """The line of counter.py on which a text stands."""
    return next(n for n, line in enumerate(Path("counter.py").read_text().splitlines(), 1) if text in line)


def test_sarif(leadline: Leadline) -> None:
    ran = leadline("explore", "counter.py", "--deadlock", "--format", "sarif")
    results = check_sarif(json.loads(ran.out))
    assert ran.code == 12
    found = {one["ruleId"]: one["locations"][0]["physicalLocation"] for one in results}
    assert found.keys() == {"counter/below-three", "counter/deadlock"}, "a probe that is reached is well"
    assert found["counter/below-three"]["artifactLocation"]["uri"] == "counter.py"
    assert found["counter/below-three"]["region"]["startLine"] == line_of("def below_three") - 1
    assert found["counter/deadlock"]["region"]["startLine"] == line_of("def define")
    assert results[0]["message"]["text"].startswith("below-three: violated in 3 steps, at counter (top = 3")


def test_a_probe_an_unknown_and_a_step_out_of_bounds(leadline: Leadline) -> None:
    document = json.loads(leadline("explore", "counter.py", "--depth", "0", "--format", "sarif").out)
    (run,) = document["runs"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert check_sarif(document) == [] and "never-one: not reached" in note["message"]["text"]
    ran = leadline("simulate", "counter.py", "--property", "not-negative", "--format", "sarif")
    (run,) = json.loads(ran.out)["runs"]
    assert (ran.code, run["results"]) == (20, [])
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "not-negative: unknown, at counter" in note["message"]["text"]
    ran = leadline(
        "explore", "counter.py", "-p", "overflow=true", "--property", "never-one", "--format", "problems"
    )
    place = f"counter.py:{line_of('nxt.count = ')}"
    told = f"out-of-bounds: CountUp(node = n1) goes out of bounds, at {TITLE}"
    assert ran.out == f"{place}: error: {told}: 4 is not in Int(0, 3) ({place}, in CountUp)\n"


TITLE = "counter (top = 3, nodes = 1, overflow = true)"


def test_the_problem_matcher_reads_what_is_written(leadline: Leadline) -> None:
    """GitHub's patterns find the place in what `--format problems` writes, and in a model's mistakes."""
    (pattern,) = json.loads(MATCHER.read_text())["problemMatcher"][0]["pattern"]
    ran = leadline("explore", "counter.py", "--format", "problems")
    (found,) = matches(pattern, ran.out)
    assert (found["file"], found["severity"]) == ("counter.py", "error")
    assert int(found["line"]) == line_of("def below_three") - 1
    assert found["message"].startswith("below-three: violated in 3 steps")
    Path("counter.py").write_text(Path("counter.py").read_text().replace("now.count < 3", "now.count < 'x'"))
    (found,) = matches(pattern, leadline("check", "counter.py").err)
    assert (found["line"], found["severity"]) == (str(line_of("now.count < 'x'")), None)
    assert found["message"].startswith("the string 'x' has no type here")


def matches(pattern: dict[str, Any], text: str) -> list[dict[str, Any]]:
    found = filter(None, (re.search(pattern["regexp"], line) for line in text.splitlines()))
    names = ("file", "line", "severity", "message")
    return [{name: one[pattern[name]] for name in names} for one in found]


def test_the_library_writes_the_same() -> None:
    path = Path(__file__).parent / "counter.py"
    (run,) = leadline.explore(path).to_sarif()["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["counter/below-three"]
