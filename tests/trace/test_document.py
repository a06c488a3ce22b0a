"""Traces in files: what was written is read again, and a file that is not right is refused with the place."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.lang import UserError
from leadline.symbolic.trace import Trace, document, replay, stored_traces
from tests.trace.samples import ALL, MODEL, OVERFLOW, SEMANTICS, VIOLATION


def stored(path: Path, data: Any) -> Trace:
    path.write_text(json.dumps(data), encoding="utf-8")
    (one,) = stored_traces(path)
    return one.trace(MODEL)


@pytest.mark.parametrize("trace", ALL.values(), ids=ALL)
def test_what_was_written_is_read_again(trace: Trace, tmp_path: Path) -> None:
    read = stored(tmp_path / "t.json", document(MODEL, trace, "everything"))
    assert read == trace
    replay(SEMANTICS, read)


def test_names_are_those_of_tla() -> None:
    written = document(MODEL, VIOLATION, "everything")
    assert written["vars"][:2] == ["isOn", "count"]
    assert written["states"][1]["replicaLog"]["n1"] == {"from": "n1", "endOffset": 0}
    assert written["actions"][0] == {
        "name": "send_to",
        "tla": "SendTo",
        "picks": {"newNode": "n1", "hops": 0},
    }
    assert (written["length"], len(written["states"]), len(written["actions"])) == (2, 3, 2)
    assert (written["ends"], written["property"], written["source"]) == ("violates", "small", "everything")


def test_a_step_out_of_bounds_has_no_state() -> None:
    written = document(MODEL, OVERFLOW, "everything")
    assert (written["length"], len(written["states"]), len(written["actions"])) == (3, 3, 3)


def test_every_trace_of_results_is_found(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    written = document(MODEL, VIOLATION, "everything")
    path.write_text(json.dumps({"results": [{"trace": None}, {"trace": written}]}))
    assert [one.place for one in stored_traces(path)] == [f"{path}.results[1].trace"]
    path.write_text(
        json.dumps({"states": 3, "properties": {"small": {"trace": written}, "x": {"trace": None}}})
    )
    assert [one.place for one in stored_traces(path)] == [f"{path}.properties.small.trace"]


Edit = Callable[[dict[str, Any]], object]
BAD: dict[str, tuple[Edit, str]] = {
    "state missing": (
        lambda d: d["states"].__delitem__(slice(1, 3)),
        r"t\.json: as many states as actions, or one more",
    ),
    "length": (lambda d: d.update(length=5), "a length to match are needed"),
    "field missing": (lambda d: d.pop("vars"), r"t\.json: vars is missing"),
    "field of another kind": (lambda d: d.update(states={}), r"t\.json\.states: an array is needed"),
    "true for a number": (lambda d: d.update(length=True), r"t\.json\.length: an integer is needed"),
    "version": (lambda d: d.update(version=9), r"t\.json\.version: this Leadline reads version 1, not 9"),
    "variables": (lambda d: d["vars"].reverse(), r"t\.json\.vars: everything has the variables isOn, count"),
    "value": (
        lambda d: d["states"][1].update(count="1"),
        r"t\.json\.states\[1\]\.count: a value of Int\(0, 3\)",
    ),
    "variable missing": (
        lambda d: d["states"][0].pop("count"),
        r"t\.json\.states\[0\]: an object with exactly",
    ),
    "state of another kind": (
        lambda d: d["states"].__setitem__(0, 1),
        r"states\[0\]: an object with exactly",
    ),
    "action": (
        lambda d: d["actions"][0].update(name="send"),
        r"actions\[0\]\.name: everything has no action `send`: did you mean `send_to`\?",
    ),
    "action of another kind": (lambda d: d["actions"][0].update(name=["x"]), r"actions\[0\]\.name: "),
    "no action": (lambda d: d["actions"].__setitem__(1, "x"), r"actions\[1\]: an object with name, tla and"),
    "pick": (lambda d: d["actions"][1]["picks"].update(hops=9), r"actions\[1\]\.picks\.hops: a value of"),
    "pick missing": (lambda d: d["actions"][1]["picks"].pop("hops"), r"actions\[1\]\.picks: an object with"),
    "initial pick": (
        lambda d: d["initial_picks"].clear(),
        r"initial_picks: an object with exactly firstOwner",
    ),
    "end": (lambda d: d.update(ends="badly"), r"t\.json\.ends: one of violates, out-of-bounds, deadlock"),
    "property": (lambda d: d.update(property="smal"), r"no property `smal`: did you mean `small`\?"),
}


@pytest.mark.parametrize(("edit", "complaint"), BAD.values(), ids=BAD)
def test_a_bad_trace_is_refused(edit: Edit, complaint: str, tmp_path: Path) -> None:
    data = copy.deepcopy(document(MODEL, VIOLATION, "everything"))
    edit(data)
    with pytest.raises(UserError, match=complaint):
        stored(tmp_path / "t.json", data)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not JSON: Expecting value.*; expected what `--format json`"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", "a JSON object is needed"),
        ('{"a": 1, "a": 2}', "is not JSON: an object has the key 'a' twice"),
        ('{"a": ' + "9" * 5000 + "}", "is not JSON"),
        ('{"#meta": {}, "vars": []}', "is in ITF.* `leadline conform PROTOCOL"),
        ('{"results": 3}', r"\.results: an array of objects is needed"),
        ('{"results": [{}]}', r"\.results: none of the 1 results has a trace"),
        ('{"results": [{"trace": 3}]}', r"\.results\[0\]\.trace: an object is needed"),
    ],
)
def test_what_is_no_trace_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(UserError, match=complaint):
        stored_traces(path)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.json cannot be read: No such file"):
        stored_traces(tmp_path / "nowhere.json")
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="latin:1 is no text in UTF-8"):
        stored_traces(tmp_path / "latin")
