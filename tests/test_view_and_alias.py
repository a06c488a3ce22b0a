"""Views bound what explicit search tells apart, and say so; aliases are shown at every state of a trace."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import leadline
from leadline.symbolic.cli import main
from leadline.symbolic.engines import Verdict, answer
from leadline.symbolic.engines.ask.query import Query
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.export import tla_module, tlc_config
from leadline.symbolic.lang import Model
from tests.export.parsed import parsed
from tests.lang.sample import check, model

COUNTER = '''
from leadline.symbolic.lang import *

class Counter(Protocol):
    """Counts up, and flips a coin at each step."""

    def define(self, state):
        state.count = Int(0, 4)
        state.coin = Bool()

    def init(self, start):
        start.count, start.coin = 0, False

    @action
    def up(self, now, nxt):
        nxt.require(now.count < 4)
        nxt.count = now.count + 1
        nxt.coin = nxt.pick("coin", {False, True})

@invariant(Counter)
def below_three(counter, now):
    """Fails whatever the coin."""
    return now.count < 3

@invariant(Counter)
def tails(counter, now):
    """Fails, which the view hides."""
    return ~now.coin

@temporal(Counter)
def ends(counter, now):
    """A claim about runs, which fails without fairness."""
    return eventually(now.count == 4)

@view(Counter)
def number(counter, now):
    """All but the coin."""
    return now.count

@alias(Counter)
def left_over(counter, now):
    """The number that is still to be counted."""
    return 4 - now.count

@alias(Counter, tla="Both")
def pair(counter, now):
    """Of no use."""
    return now.count, now.coin

@alias(Counter)
def third(counter, now):
    """Out of bounds but in two states."""
    return choose({0, 1}, lambda x: x == now.count)
'''
ASKED = ["counter.py", "--property", "below-three"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def asked(made: Model, *names: str, **options: Any) -> Any:
    """The answer of exploration."""
    return answer(made, Query("counter", {}, names, ExploreOptions(**options)))


# -- views -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["circuits", "values"])
def test_one_state_is_kept_for_each_value_of_the_view(by: str) -> None:
    made = model(COUNTER)
    found = asked(made, "below-three", "tails", by=by)
    assert found.facts.states_within_steps == [1, 2, 3, 4, 5]
    assert (
        found.facts.view,
        found.facts.all_views,
        found.facts.complete,
    ) == ("number", True, False)
    violated, hidden = found.results
    assert (violated.verdict, violated.steps) == (Verdict.VIOLATED, 3)
    assert hidden.verdict is Verdict.SAFE and "view number" in hidden.reason
    everywhere = asked(made, "below-three", "tails", every_state=True)
    assert everywhere.facts.states == 9 and everywhere.facts.complete
    assert [one.steps for one in everywhere.results] == [3, 1]


def test_a_proof_and_a_claim_about_runs_look_at_every_state() -> None:
    made = model(COUNTER)
    proof = asked(made, "tails", prove=True)
    assert proof.results[0].verdict is Verdict.VIOLATED and proof.facts.view is None
    about_runs = asked(made, "tails", "ends")
    assert [one.verdict for one in about_runs.results] == [Verdict.VIOLATED] * 2
    assert about_runs.facts.all_views is None and "ends" in str(about_runs.facts.view_unused)


def test_no_fingerprint_depends_on_what_is_shown() -> None:
    made = model(COUNTER)
    assert made.view is not None and len(made.aliases) == 3
    assert replace(made, view=None, aliases=()).fingerprint == made.fingerprint
    assert not {"number", "left-over"} & made.properties.keys()


@pytest.mark.parametrize("by", ["circuits", "values"])
def test_a_state_beyond_a_constraint_hides_none_of_the_same_view(by: str) -> None:
    """As in TLC, where such a state is not among those seen."""
    bounded = (
        f"{COUNTER}\n@constraint(Counter)\ndef heads(counter, now):\n    return now.coin | (now.count < 1)\n"
    )
    found = asked(model(bounded), "below-three", by=by)
    assert found.facts.states_within_steps == [1, 2, 3, 4, 5]


def test_the_command_tells_of_the_view(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "counter.py", "--property", "tails"]) == 0
    out = capsys.readouterr().out
    assert "one for each value of the view number" in out and "tails: looked at one state for each" in out
    assert "depends on the view" in out
    assert main(["explore", "counter.py", "--property", "tails", "--every-state"]) == 12
    assert main(["check", "counter.py", "--property", "tails"]) == 12
    assert main(["check", "counter.py", "--property", "tails", "--engine", "explore"]) == 12
    assert main(["explore", "counter.py", "--property", "ends"]) == 13
    assert "the view number is not used" in capsys.readouterr().out


def test_a_view_out_of_bounds_is_told(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    Path("counter.py").write_text(
        COUNTER.replace("return now.count\n", "return choose({0, 1}, lambda x: x == now.count)\n")
    )
    assert main(["explore", "counter.py", "--property", "tails"]) == 2
    assert "the view number is out of bounds" in capsys.readouterr().err


def test_mistakes_of_views_and_aliases() -> None:
    twice = COUNTER + "\n@view(Counter)  #a\ndef other(counter, now):\n    return now.coin\n"
    check(twice, "{a}: other is a second view ... tuple of both")
    check(
        COUNTER.replace('tla="Both")', 'tla="count")  #a'),
        "{a}: traces would show the alias pair and a variable ... `count`",
    )
    check(
        COUNTER.replace("return 4 - now.count", "return 4 - now.cuont  #a"),
        "{a}: no variable `cuont` ... count",
    )


# -- aliases ---------------------------------------------------------------------------------------------


def test_text_shows_aliases_at_every_state(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *ASKED, "--depth", "3"]) == 12
    out = capsys.readouterr().out
    assert [line.split()[-1] for line in out.splitlines() if "LeftOver ==" in line] == ["4", "3", "2", "1"]
    assert out.count("Both == <<") == 4 and "Third == 1" in out
    assert out.count("Third has no value: ") == 2


def test_every_format_shows_aliases(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("json", "itf", "tla"):
        assert main(["check", *ASKED, "--depth", "3", "--format", form, "--out", form]) == 12
    (result,) = json.loads(Path("json").read_text())["results"]
    shown = result["trace"]["aliases"]
    assert [row["LeftOver"] for row in shown] == [4, 3, 2, 1] and shown[0]["Both"] == [0, False]
    assert ["Third" in row for row in shown] == [True, True, False, False]
    itf = json.loads(Path("itf").read_text())
    assert (
        itf["#meta"]["aliases"] == ["LeftOver", "Both", "Third"]
        and itf["vars"][2:] == itf["#meta"]["aliases"]
    )
    assert [state["LeftOver"]["#bigint"] for state in itf["states"]] == ["4", "3", "2", "1"]
    assert Path("tla").read_text().count("(* LeftOver == ") == 4
    capsys.readouterr()
    assert main(["trace", "json", "--protocol", "counter.py", "--html", "page.html"]) == 0
    assert "LeftOver == 1" in capsys.readouterr().out
    data = json.loads(Path("page.html").read_text().split('id="data">')[1].split("</script>")[0])
    assert data["variables"] == ["count", "coin", "LeftOver", "Both", "Third"] and data["aliases"] == 3
    assert [data["nodes"][step["state"][2]] for step in data["steps"]] == ["4", "3", "2", "1"]


def test_the_library_has_aliases(files: None) -> None:
    trace = leadline.check("counter.py", properties=["below-three"], depth=3)["below-three"].trace
    assert trace is not None and [state.alias.left_over for state in trace] == [4, 3, 2, 1]
    assert trace[0].alias == {"left_over": 4, "pair": (0, False), "third": 0}
    assert "third" not in trace[3].alias and "LeftOver == 1" in str(trace[3])
    assert list(trace.to_pandas()["alias.left_over"]) == [4, 3, 2, 1]


def test_tlc_is_given_the_view_and_the_aliases() -> None:
    made = model(COUNTER)
    module, configuration = tla_module(made), " ".join(tlc_config(made).split())
    parsed(module)
    assert "VIEW Number" in configuration and "ALIAS Alias" in configuration
    assert "LeftOver |-> LeftOver" in module and "Number == count" in module


# -- TLA+ ------------------------------------------------------------------------------------------------

SUM = """---- MODULE Sum ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x < 3 /\\ x' = x + 1 /\\ y' = y
        \\/ y < 1 /\\ y' = y + 1 /\\ x' = x
Small == x < 3
Where == x
Shown == [x |-> x, sum |-> x + y, after |-> {x'}, odd |-> CHOOSE n \\in {1} : n = x]
====
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Sum.tla").write_text(SUM, encoding="utf-8")
    config = "INIT Init NEXT Next INVARIANT Small VIEW Where ALIAS Shown CHECK_DEADLOCK FALSE"
    (tmp_path / "Sum.cfg").write_text(config, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_the_alias_of_a_configuration_is_shown(module: None, capsys: pytest.CaptureFixture[str]) -> None:
    text = SUM.replace("odd |-> CHOOSE n \\in {1} : n = x", 'level |-> TLCGet("level")')
    Path("Sum.tla").write_text(text.replace("Naturals", "Naturals, TLC"), encoding="utf-8")
    for command in (["explore"], ["check", "--depth", "3"]):
        assert main([command[0], "Sum.tla", *command[1:]]) == 12
        out = capsys.readouterr().out
        assert [line.split()[-1] for line in out.splitlines() if "level ==" in line] == ["1", "2", "3", "4"]
        assert [line.split()[-1] for line in out.splitlines() if "sum ==" in line] == ["0", "1", "2", "3"]
        assert [line.split()[-1] for line in out.splitlines() if "after ==" in line] == [
            "{1}",
            "{2}",
            "{3}",
            "{3}",
        ]
        assert "x == " not in out
        for form in ("json", "itf"):
            assert main([command[0], "Sum.tla", *command[1:], "--format", form, "--out", form]) == 12
        told = json.loads(Path("json").read_text())
        trace = (told["results"][0] if "results" in told else told["properties"]["Small"])["trace"]
        assert [row["sum"] for row in trace["aliases"]] == [0, 1, 2, 3]
        states = json.loads(Path("itf").read_text())["states"]
        assert states[3]["sum"] == {"#bigint": "3"} and states[0]["after"] == {"#set": [{"#bigint": "1"}]}
        capsys.readouterr()


@pytest.mark.parametrize(
    "way", ["explore", "check", "check --engine explore", "check --engine bmc --depth 3"]
)
def test_a_trace_of_a_module_is_read_whichever_engine_found_it(
    way: str, module: None, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *more = way.split()
    assert main([command, "Sum.tla", *more, "--format", "json", "--out", "told"]) == 12
    capsys.readouterr()
    assert main(["trace", "told", "--protocol", "Sum.tla", "--html", "page.html"]) == 0
    assert "Shown has no value: " in capsys.readouterr().out
    text = Path("told").read_text()
    Path("told").write_text(text.replace('"x": 1', '"x": 7'))
    assert text != Path("told").read_text() and main(["trace", "told", "--protocol", "Sum.tla"]) == 2
    err = capsys.readouterr().err
    assert "does not replay: step 1 (" in err and "the module has no step to that state" in err


def test_an_alias_without_a_value_says_so(module: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "Sum.tla"]) == 12
    out = capsys.readouterr().out
    assert out.count("Shown has no value: ") == 3 and "sum == 1" in out


def test_a_run_without_a_state_shows_no_alias(module: None, capsys: pytest.CaptureFixture[str]) -> None:
    begin = SUM[SUM.index("Init ==") : SUM.index("Next ==")]
    Path("Sum.tla").write_text(SUM.replace(begin, "Init == x = TRUE + 1 /\\ y = 0\n"), encoding="utf-8")
    for command in (["explore"], ["check"]):
        assert main([*command, "Sum.tla"]) == 21
        assert "no value for a truth value and an integer" in capsys.readouterr().out


def test_exploration_of_a_module_tells_of_its_view(module: None, capsys: pytest.CaptureFixture[str]) -> None:
    Path("Sum.tla").write_text(SUM.replace("Small == x < 3", "Small == x < 4"), encoding="utf-8")
    assert main(["explore", "Sum.tla"]) == 0
    out = capsys.readouterr().out
    assert "4 states" in out and "one for each value of the view Where" in out
    assert "Small: looked at one state for each value" in out and "all reachable" not in out
    assert main(["explore", "Sum.tla", "--every-state"]) == 0
    assert "(all reachable states)" in capsys.readouterr().out
