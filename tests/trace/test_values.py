"""Values survive the way through JSON, and what is no value of a type is refused with its place."""

import itertools
import json
from typing import Any

import pytest

from leadline.symbolic.lang import Int, Map, Option, Record, Set, Tuple, Type, UserError
from leadline.symbolic.trace.values import from_json, to_json
from tests.trace.samples import ENTRY, KINDS, MESSAGE, NODE

NESTED: dict[str, Type] = {
    "map of sets": Map(NODE, Set(Option(NODE))),
    "map over records": Map(Record("K", (("on", Int(0, 1)), ("of", NODE))), Int(0, 1)),
    "map over sets": Map(Set(NODE), Tuple((Int(0, 1),))),
    "names that TLA+ would spell alike": Record("R", (("a_b", Int(0, 1)), ("aB", Int(0, 1)))),
}


@pytest.mark.parametrize("kind", [*KINDS.values(), *NESTED.values()], ids=[*KINDS, *NESTED])
def test_every_value_comes_back(kind: Type) -> None:
    values = list(itertools.islice(kind.values(), 2000))
    for value in values:
        assert from_json(kind, json.loads(json.dumps(to_json(kind, value))), "here") == value


def test_a_set_is_written_in_the_order_of_its_type() -> None:
    assert to_json(Set(Int(8, 17)), frozenset({16, 8, 17, 9})) == [8, 9, 16, 17]


@pytest.mark.parametrize(
    ("kind", "data", "complaint"),
    [
        (Int(0, 3), 4, r"^x: a value of Int\(0, 3\) is needed, not 4$"),
        (Int(0, 3), True, "^x: a value of Int"),
        (Int(0, 3), "__import__('os')", "^x: a value of Int"),
        (Int(0, 3), [1], "^x: a value of Int"),
        (NODE, "n3", r"^x: a value of Node \(n1, n2\) is needed, not 'n3'$"),
        (Option(NODE), {}, "^x: a value of Node"),
        (KINDS["history"], ["n1", "n1", "n1"], "^x: a sequence of at most 2 items is needed, not 3$"),
        (KINDS["history"], ["n1", 2], r"^x\[2\]: a value of Node"),
        (KINDS["history"], "n1", "^x: an array is needed, not 'n1'$"),
        (KINDS["pair"], [1], "^x: an array of 2 items is needed"),
        (Set(NODE), ["n1", "n1"], "^x: .* occurs twice$"),
        (Set(NODE), [["n1"]], r"^x\[1\]: a value of Node"),
        (ENTRY, {"from": "n1"}, "^x: an object with exactly from, endOffset is needed"),
        (ENTRY, {"from": "n1", "endOffset": 7}, r"^x\.endOffset: a value of Int\(-1, 2\)"),
        (MESSAGE, {"tag": "pong", "value": {}}, r"^x\.tag: a value of MessageTag \(ping, stop, value\)"),
        (MESSAGE, {"tag": ["ping"], "value": {}}, r"^x\.tag: a value of MessageTag"),
        (MESSAGE, {"tag": "ping", "value": {"to": "n1", "hops": 2}}, r"^x\.value\.hops: "),
        (KINDS["replica_log"], {"n1": {}}, "^x: an object with exactly n1, n2 is needed"),
        (KINDS["by_number"], [[0, True]], "^x: each of the map's 2 keys is needed once$"),
        (KINDS["by_number"], [[0, True], [0, False]], "^x: each of the map's 2 keys is needed once$"),
        (KINDS["by_number"], [[0, True], [1]], "^x, pair 2: an array of 2 items is needed"),
        (KINDS["by_number"], [[0, True], [1, 1]], r"^x\[1\]: a value of Bool"),
    ],
)
def test_what_is_no_value_is_refused(kind: Type, data: Any, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        from_json(kind, data, "x")
