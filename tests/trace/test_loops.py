"""Runs that go on for ever, in each form in which traces are written."""

import json
from pathlib import Path

import itf_py
import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import build
from leadline.symbolic.trace import Step, Trace, document, itf, lines, replay, stored_traces, tla_module
from tests.protocols.lamp import Lamp, is_plugged, wears_out

GOING_ON = Semantics(build(Lamp(), [is_plugged, wears_out]))
STOPPING = Semantics(build(Lamp(fairness="none"), [is_plugged, wears_out]))

LOOP = Trace(
    {},
    (False, False, False),
    tuple(
        Step(name, {}, (True, lit, False))
        for name, lit in (("plug_in", False), ("switch", True), ("switch", False))
    ),
    property="wears-out",
    loop=1,
)
STOP = Trace({}, (False, False, False), (), property="is-plugged", loop=0)
BOTH = pytest.mark.parametrize(
    ("semantics", "trace"), [(GOING_ON, LOOP), (STOPPING, STOP)], ids=["back", "stutters"]
)
LAMP = Path(__file__).parents[1] / "protocols" / "lamp.py"


@BOTH
def test_a_document_is_read_again(semantics: Semantics, trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document(semantics.model, trace, "lamp")))
    (read,) = (one.trace(semantics.model) for one in stored_traces(path))
    assert read == trace
    replay(semantics, read)


def test_text_tells_where_a_run_goes_back() -> None:
    assert [str(line) for line in lines(GOING_ON, LOOP)][-7:] == [
        "     Back to state 1, for ever: WearsOut is false of this run, which is fair.",
        "       in state 1:",
        "         TRUE   plugged",
        "       in each of the states 1 to 3:",
        "         FALSE  worn",
        "       fairness:",
        "         WF_vars(Next): taken at step 2",
    ]


def test_text_tells_that_no_fairness_is_assumed() -> None:
    told = "     Nothing happens any more: IsPlugged is false of this run. No fairness is assumed."
    assert told in [str(line) for line in lines(STOPPING, STOP)]


def test_itf_has_each_state_of_a_loop_once() -> None:
    """After the last of the states comes the one at `loop`."""
    written = itf(GOING_ON.model, LOOP)
    assert [state["lit"] for state in written["states"]] == [False, False, True]
    assert (written["loop"], written["#meta"]["back"]) == (1, "Switch")
    assert itf_py.trace_from_json(written).loop == 1


def test_itf_of_a_run_that_stops() -> None:
    written = itf(STOPPING.model, STOP)
    assert (len(written["states"]), written["loop"], "back" in written["#meta"]) == (1, 0, False)


def test_tla_names_the_state_to_go_back_to() -> None:
    text = tla_module(GOING_ON.model, LOOP)
    assert "\n\n(* Step 3: Switch. Back to State1 *)\n\n====" in text
    assert "State2 ==" in text and "State3" not in text


def test_tla_of_a_run_that_stops() -> None:
    text = tla_module(STOPPING.model, STOP)
    assert "State0 ==" in text and "\n\n(* Stuttering *)\n\n====" in text


def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each format of `check`, and of `trace` for what `check` wrote; the exit code is TLC's for liveness."""
    asked = ["check", f"{LAMP}:Lamp", "--engine", "explore", "--property", "wears-out"]
    assert main([*asked, "--format", "json", "--out", str(tmp_path / "t.json")]) == 13
    assert main([*asked, "--format", "tla"]) == 13
    assert "(* Step 3: Switch. Back to State1 *)" in capsys.readouterr().out
    written = json.loads((tmp_path / "t.json").read_text())["properties"]["wears-out"]
    assert (written["stem"], written["loop"], written["trace"]["loop"]) == (1, 2, 1)
    replayed = ["trace", str(tmp_path / "t.json"), "--protocol", f"{LAMP}:Lamp"]
    assert main(replayed) == 0
    assert "Back to state 1, for ever: WearsOut" in capsys.readouterr().out
    assert main([*replayed, "--format", "itf"]) == 0
    assert json.loads(capsys.readouterr().out)["loop"] == 1
