"""The questions of the library: their arguments, their answers, and their mistakes."""

from __future__ import annotations

import inspect
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import leadline
from leadline.symbolic.api import verbs
from leadline.symbolic.cli import main
from leadline.symbolic.engines.ask.choice import options_of
from tests.cli.counter import Counter, never_one
from tests.engines.protocols import Lift

COUNTER = Path(__file__).parent.parent / "cli" / "counter.py"


def test_a_bounded_check_by_name() -> None:
    results = leadline.check("spanner-leases", replicas=2, depth=2, solver="cadical")
    assert (results.protocol, results.parameters["replicas"]) == ("spanner-leases", 2)
    found = results["disjointness"]
    assert (found.verdict, found.depth, found.unroll, found.trace) == ("safe", 2, "steps", None)
    assert str(found) == "safe within 2 steps"


@pytest.mark.parametrize("protocol", [str(COUNTER), COUNTER, Counter, Counter(), leadline.load(COUNTER)])
def test_a_protocol_is_given_in_many_ways(protocol: Any) -> None:
    results = leadline.explore(protocol, top=4)
    assert (results["below-three"].verdict, results["not-negative"].verdict) == ("violated", "safe")
    assert results.facts["states"] == 5
    assert results.parameters == {"top": 4, "nodes": 1, "overflow": False}


def test_the_verdicts_are_those_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    results = leadline.explore(COUNTER, deadlock=True)
    assert main(["explore", str(COUNTER), "--deadlock"]) == 12
    assert f"{results}\n" == capsys.readouterr().out
    main(["explore", str(COUNTER), "--deadlock", "--format", "json"])
    assert results.to_json() == json.loads(capsys.readouterr().out)
    assert [*results] == ["below-three", "not-negative", "never-one", "deadlock"]
    assert not results.holds and not results and not results["below-three"] and results["never-one"]
    held = leadline.explore(COUNTER, properties=["not-negative", "never-one"])
    assert held.holds and held


def test_the_results_of_every_question() -> None:
    proof = leadline.prove(Counter, "not-negative", engine="pdr")
    assert (proof.verdict, proof.holds, proof.trace) == ("proved", True, None)
    assert proof.certificate is not None and proof.certificate["property"] == "not-negative"
    assert leadline.prove(Counter, "below-three", engine="pdr").certificate is None
    runs = leadline.simulate(Counter, runs=3)
    assert (runs["not-negative"].verdict, runs.facts["runs"]) == ("unknown", 3)
    beyond = leadline.explore(Lift, at_top="break", properties=[])
    assert beyond.out_of_bounds is not None and not beyond.holds
    assert (beyond.out_of_bounds.ends, beyond.out_of_bounds.steps[-1].state) == ("out-of-bounds", None)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"dept": 3}, "counter has no parameter, and check no option, `dept`: did you mean `depth`"),
        ({"top": 10}, "top must be 1..9, and is 10"),
        ({"top": 5}, "top is not 5"),
        ({"depth": -1}, "depth must be an integer, at least 0 .* and is -1"),
        ({"depth": 3, "unroll": "jumps"}, "unroll must be one of steps, sweeps, and is 'jumps'"),
        ({"shortest": 1}, "shortest must be True or False, and is 1"),
        ({"depth": 3, "engine": "pdr"}, "depth means nothing to the engine pdr"),
        ({"engine": "novelty"}, "the engine novelty is for TLA\\+ modules alone: leave it out"),
        ({"engine": "pdx"}, "check has no engine `pdx`: did you mean `pdr`"),
        ({"solver": "z4"}, "there is no solver `z4`"),
        ({"timeout": 0}, "timeout must be a number of seconds above 0"),
        ({"memory": 0.5}, "memory must be an integer in 1"),
        ({"properties": "x", "property": "y"}, "give either property= or properties=, not both"),
        ({"properties": ["belo-three"]}, "counter has no property `belo-three`: did you mean `below-three`"),
        ({"properties": []}, "there is nothing to check: .* deadlock=True"),
    ],
)
def test_a_wrong_argument_is_told(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises(leadline.UserError, match=complaint):
        leadline.check(Counter, **wrong)


def test_a_search_is_kept_in_a_folder(tmp_path: Path) -> None:
    assert leadline.explore(Counter, checkpoint=str(tmp_path)).facts == leadline.explore(Counter).facts
    assert (tmp_path / "exploration.json").exists()
    with pytest.raises(leadline.UserError, match="checkpoint must be text, and is 3"):
        leadline.explore(Counter, checkpoint=3)


def test_a_result_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="there is no result about `not-negativ`: did you mean `not-negative`"):
        leadline.explore(Counter)["not-negativ"]
    with pytest.raises(
        leadline.UserError, match=r"the property never-one \(at .*\) is not about .* class Lift"
    ):
        leadline.explore(Lift, properties=[never_one])
    with pytest.raises(leadline.UserError, match="a protocol is needed, not 3"):
        leadline.load(3)  # type: ignore[arg-type]  # that is the mistake


WHEEL = """---- MODULE Wheel ----
EXTENDS Naturals
CONSTANTS N, Names
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Small == x < 3
====
"""


def test_a_module_takes_constants_and_a_configuration(tmp_path: Path) -> None:
    """As `-p` and `--config` give them; a module that was loaded stays as it is when another is loaded."""
    path, config = tmp_path / "Wheel.tla", tmp_path / "Other.cfg"
    path.write_text(WHEEL)
    config.write_text("INIT Init NEXT Next INVARIANT Small CONSTANTS N = 5 Names = {}")
    with pytest.raises(leadline.UserError, match="constant Names has no value"):
        leadline.load(path, N=2)
    with pytest.raises(leadline.UserError, match="Wheel has no constant `Name`: did you mean `Names`"):
        leadline.load(path, N=2, Name="{}")
    with pytest.raises(leadline.UserError, match="config is for the path of a TLA"):
        leadline.load(Counter, config=config)
    (tmp_path / "more").mkdir()
    path.rename(tmp_path / "more" / "Wheel.tla")
    (tmp_path / "Cart.tla").write_text("---- MODULE Cart ----\nEXTENDS Wheel\nTiny == x < 1\n====\n")
    cart = leadline.load(
        tmp_path / "Cart.tla", config=config, folders=[tmp_path / "more"], invariants=["Tiny"]
    )
    assert cart.properties == ("Tiny",)
    (tmp_path / "more" / "Wheel.tla").rename(path)
    small, other = leadline.load(path, N=2, Names="{a, b}"), leadline.load(path, config=config)
    assert (small.parameters, small.properties) == ({"N": "2", "Names": "{a, b}"}, ())
    assert other.parameters == {"N": "5", "Names": "{}"}
    for one, states in ((small, 2), (other, 4), (small, 2)):
        assert leadline.explore(one, by="values", fail_fast=True).facts["states"] == states
    found = leadline.explore(path, N=3, Names="{}", property="Small")
    assert (found["Small"].verdict, found.facts["states"]) == ("safe", 3)


def test_deadlocks_of_a_module_are_asked_for_as_its_configuration_says(tmp_path: Path) -> None:
    """As on the command line, and in TLC."""
    path, config = tmp_path / "Wheel.tla", tmp_path / "Off.cfg"
    path.write_text(WHEEL.replace("x' =", "x < 1 /\\ x' ="))
    config.write_text("INIT Init NEXT Next INVARIANT Small CONSTANTS N = 5 Names = {} CHECK_DEADLOCK FALSE")
    stuck, off = leadline.load(path, N=3, Names="{}"), leadline.load(path, config=config)
    assert (
        leadline.explore(stuck)["deadlock"].verdict == leadline.check(stuck)["deadlock"].verdict == "violated"
    )
    assert list(leadline.explore(off)) == ["Small"] and list(leadline.explore(off, deadlock=True))[1:]
    assert not list(leadline.explore(stuck, deadlock=False))


class Deep(leadline.Protocol):
    """A protocol whose parameter has the name of an option."""

    depth: int = leadline.parameter(3)

    def define(self, state: Any) -> None:
        state.level = leadline.Int(0, self.depth)

    def init(self, start: Any) -> None:
        start.level = self.depth


def test_a_parameter_with_the_name_of_an_option() -> None:
    with pytest.raises(leadline.UserError, match="depth is an option of explore, and deep has a parameter"):
        leadline.explore(Deep, depth=0)
    found = leadline.explore(Deep, depth=0, parameters={"depth": 2})
    assert found.parameters == {"depth": 2}


@pytest.mark.parametrize("verb", ["check", "explore", "simulate", "prove"])
def test_every_option_is_documented(verb: str) -> None:
    text = inspect.getdoc(getattr(verbs, verb)) or ""
    assert [name for name in options_of(verb) if f"- `{name}`:" not in text] == []


def test_progress_is_told() -> None:
    told: list[leadline.Progress] = []
    leadline.explore(Counter, progress=told.append)
    assert [one.depth for one in told] == [0, 1, 2, 3]


def test_ctrl_c_keeps_the_answers_so_far() -> None:
    def stop(now: leadline.Progress) -> None:
        if now.depth == 1:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(leadline.Stopped) as stopped:
        leadline.explore(Counter, progress=stop)
    assert isinstance(stopped.value, KeyboardInterrupt)
    assert stopped.value.results.facts["stopped"] == "interrupted"
    assert stopped.value.results["never-one"].verdict == "violated"


def test_limits_hold_in_a_thread() -> None:
    """Signals reach the main thread only, so that another one asks a child process."""
    found: list[leadline.Results] = []
    endless = "two-phase-commit"

    def ask() -> None:
        found.append(leadline.explore(endless, resource_managers=7, timeout=0.3, properties=["consistency"]))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    (results,) = found
    assert results["consistency"].verdict == "unknown"
    assert "time: stopped after 0.3 s" in str(results["consistency"].reason)


def test_the_import_is_lazy() -> None:
    program = (
        "import sys, leadline\n"
        "assert not [x for x in sys.modules if x.startswith('leadline.symbolic')]\n"
        "leadline.Protocol, leadline.invariant\n"
        "print(*{'z3', 'pysat', 'pyspark', 'pyarrow', 'cloudpickle'}.intersection(sys.modules))\n"
        "assert {'check', 'Int', '__version__'} <= {*dir(leadline)}\n"
        "leadline.checks"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "\n"
    assert "AttributeError: module 'leadline' has no attribute 'checks'" in done.stderr


def test_a_timeout_covers_the_making_of_the_model(tmp_path: Path) -> None:
    file = tmp_path / "endless.py"
    file.write_text(COUNTER.read_text().replace("start.count = 0", "while True: pass"))
    for ask in (leadline.check, leadline.explore, leadline.simulate):
        with pytest.raises(
            leadline.LeadlineError, match=r"endless.py: time: stopped after 0.2 s, before the"
        ):
            ask(file, timeout=0.2)


def test_property_and_properties_both_work() -> None:
    for ask in (leadline.check, leadline.explore, leadline.simulate):
        assert list(ask(Counter, property="not-negative")) == ["not-negative"]
        assert list(ask(Counter, property=never_one)) == ["never-one"]
        assert list(ask(Counter, properties="not-negative")) == ["not-negative"]
        assert list(ask(Counter, properties=["not-negative", never_one])) == ["not-negative", "never-one"]
    for asked in ({"property": "not-negative"}, {"properties": ["not-negative"]}):
        assert leadline.prove(Counter, **asked).verdict == "proved"


@pytest.mark.parametrize("asked", [{}, {"properties": []}, {"properties": ["not-negative", "never-one"]}])
def test_a_proof_is_of_one_property(asked: dict[str, Any]) -> None:
    with pytest.raises(leadline.UserError, match="prove takes one property"):
        leadline.prove(Counter, **asked)


def test_numbers_for_constants_of_a_module(tmp_path: Path) -> None:
    """They are its text, as in a grid file."""
    module = tmp_path / "Count.tla"
    text = "EXTENDS Naturals\nCONSTANT N, Up\nVARIABLE x\nInit == x = 0\nNext == Up /\\ x < N /\\ x' = x + 1"
    module.write_text(f"---- MODULE Count ----\n{text}\n====\n")
    module.with_suffix(".cfg").write_text(
        "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANTS N = 1 Up = FALSE"
    )
    assert leadline.explore(module, N=3, Up=True).facts["states"] == 4
