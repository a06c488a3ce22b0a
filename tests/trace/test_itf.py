"""ITF as Apalache's ADR 015 describes it, read back by itf-py."""

import json
import re
from typing import Any

import itf_py
import pytest

from leadline.symbolic.trace import Trace, itf
from tests.trace.samples import ALL, MODEL, OVERFLOW, VIOLATION


def conforms(value: Any) -> bool:
    """Whether a value is one of the expressions that the ADR lists. JSON numbers and null are none."""
    if isinstance(value, (bool, str)):
        return True
    if isinstance(value, list):
        return all(map(conforms, value))
    if not isinstance(value, dict):
        return False
    if not any(key.startswith("#") for key in value):
        return all(map(conforms, value.values()))
    ((key, inside),) = value.items()
    if key == "#bigint":
        return isinstance(inside, str) and re.fullmatch("-?[0-9]+", inside) is not None
    if key == "#map":
        return all(len(pair) == 2 and all(map(conforms, pair)) for pair in inside)
    return key in ("#tup", "#set") and all(map(conforms, inside))


@pytest.mark.parametrize("trace", ALL.values(), ids=ALL)
def test_a_trace_conforms(trace: Trace) -> None:
    written = json.loads(json.dumps(itf(MODEL, trace)))
    assert set(written) == {"#meta", "params", "vars", "states"}
    assert written["vars"] == [variable.tla for variable in MODEL.variables]
    for number, state in enumerate(written["states"]):
        assert set(state) == {"#meta", *written["vars"]}
        assert state["#meta"]["index"] == number
        assert all(conforms(state[name]) for name in written["vars"])


def test_each_type_has_its_form() -> None:
    (_, first, second) = itf(MODEL, VIOLATION)["states"]
    ping_1 = {"tag": "ping", "value": {"to": "n1", "hops": {"#bigint": "0"}}}
    ping_2 = {"tag": "ping", "value": {"to": "n2", "hops": {"#bigint": "1"}}}
    untouched = {"from": "n2", "endOffset": {"#bigint": "-1"}}
    assert first == {
        "#meta": {"index": 1, "action": "SendTo(newNode = n1, hops = 0)"},
        "isOn": True,
        "count": {"#bigint": "1"},
        "colour": "green",
        "owner": "n1",
        "pair": {"#tup": [{"#bigint": "0"}, "red"]},
        "replicaLog": {"#map": [["n1", {"from": "n1", "endOffset": {"#bigint": "0"}}], ["n2", untouched]]},
        "byNumber": {"#map": [[{"#bigint": "0"}, False], [{"#bigint": "1"}, True]]},
        "inbox": {"#set": [ping_1]},
        "history": ["n1"],
        "newest": {"tag": "value", "value": {"value": False}},
    }
    assert second["inbox"] == {"#set": [ping_1, ping_2]}


def test_nothing_and_an_empty_record_have_names() -> None:
    (start, *_) = itf(MODEL, VIOLATION)["states"]
    assert start["owner"] == "None"
    assert start["newest"] == {"tag": "stop", "value": "U_OF_UNIT"}


def test_a_step_out_of_bounds_is_told_apart() -> None:
    written = itf(MODEL, OVERFLOW, "too many")
    assert len(written["states"]) == 3
    assert written["#meta"]["ends"] == "out-of-bounds"
    assert written["#meta"]["out-of-bounds"] == "SendTo(newNode = n1, hops = 0): too many"


def test_itf_py_reads_it() -> None:
    written = itf(MODEL, VIOLATION)
    for state in written["states"]:
        del state["replicaLog"]  # itf-py makes attributes of fields, and `from` cannot be one
    read = itf_py.trace_from_json(written)
    assert read.states[2].values["count"] == 2
    assert read.states[2].values["history"] == ["n1", "n2"]
    assert {type(message).__name__ for message in read.states[2].values["inbox"]} == {"ping"}
