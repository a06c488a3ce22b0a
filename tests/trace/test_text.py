"""Traces as a person reads them, and as TLA+."""

from typing import Any

from leadline.symbolic.lang import AnyOf, Bool, Int, Map, Option, Protocol, Record, Seq, Set, Tuple, build
from leadline.symbolic.lang.structures import record
from leadline.symbolic.trace import Trace, TraceEnd, lines, tla_module
from leadline.symbolic.trace.text import changes, in_full
from tests.trace.samples import (
    MESSAGE,
    MODEL,
    NODE,
    OVERFLOW,
    REACHED,
    RESTED,
    SEMANTICS,
    UNDEFINED,
    VIOLATION,
)


def shown(trace: Trace) -> list[str]:
    return [str(line) for line in lines(SEMANTICS, trace)]


def test_a_violation() -> None:
    assert shown(VIOLATION) == [
        "everything (last = 3): small violated in 2 steps",
        "  0  Init(firstOwner = None)",
        "       isOn = FALSE",
        "       count = 0",
        '       colour = "red"',
        "       owner = None",
        '       pair = <<0, "red">>',
        "       replicaLog = (n1 :> [from |-> n1, endOffset |-> -1] @@ "
        "n2 :> [from |-> n2, endOffset |-> -1])",
        "       byNumber = (0 :> FALSE @@ 1 :> TRUE)",
        "       inbox = {}",
        "       history = <<>>",
        '       newest = [type |-> "stop"]',
        "  1  SendTo(newNode = n1, hops = 0)",
        "       isOn = TRUE",
        "       count = 1",
        '       colour = "green"',
        "       owner = n1",
        "       replicaLog[n1].endOffset = 0",
        '       inbox: added {[type |-> "ping", to |-> n1, hops |-> 0]}',
        "       history = <<n1>>",
        '       newest = [type |-> "value", value |-> FALSE]',
        "  2  SendTo(newNode = n2, hops = 1)",
        "       isOn = FALSE",
        "       count = 2",
        "       owner = n2",
        "       pair[1] = 1",
        "       replicaLog[n2].endOffset = 1",
        '       inbox: added {[type |-> "ping", to |-> n2, hops |-> 1]}',
        "       history: appended n2",
        "       newest.value = TRUE",
        "     Small is false.",
        "       FALSE  count < 2   (2 < 2)",
    ]


def test_ends() -> None:
    assert shown(REACHED)[0] == "everything (last = 3): never-owned reached in the initial state"
    assert shown(REACHED)[-2:] == [
        "     NeverOwned is false, as a probe should be.",
        "       FALSE  owner = None   (n2 = None)",
    ]
    assert shown(OVERFLOW)[0] == "everything (last = 3): out of bounds in 3 steps"
    step, end = shown(OVERFLOW)[-2:]
    assert step == "  3  SendTo(newNode = n1, hops = 0)"
    assert end.startswith("     Step 3 goes out of bounds: <<n1, n2, n1>> is not in Seq(Node, 2) (")
    assert shown(UNDEFINED)[-1].startswith(
        "     The evaluation of owner-is-first goes out of bounds: the value of None"
    )
    assert shown(RESTED)[-4:-2] == [
        "  3  Quiesce",
        '       inbox: removed {[type |-> "ping", to |-> n1, hops |-> 0], '
        '[type |-> "ping", to |-> n2, hops |-> 1]}',
    ]


def test_only_what_changed_is_told() -> None:
    log = Seq(Record("R", (("id", Int(0, 9)),)), 3)
    assert list(changes(log, "log", ((1,), (2,)), ((1,), (3,)))) == ["log[2].id = 3"]
    assert list(changes(log, "log", ((1,), (2,)), ((2,),))) == ["log = <<[id |-> 2]>>"]
    assert list(changes(Option(log), "x", None, ())) == ["x = <<>>"]
    assert list(changes(Option(log), "x", ((1,),), None)) == ["x = None"]
    assert list(changes(Option(log), "x", ((1,),), ((2,),))) == ["x[1].id = 2"]
    stop, ping = ("stop", ()), ("ping", ("n1", 0))
    assert list(changes(MESSAGE, "m", stop, ping)) == ['m = [type |-> "ping", to |-> n1, hops |-> 0]']
    assert list(changes(MESSAGE, "m", ping, ("ping", ("n2", 0)))) == ["m.to = n2"]
    assert list(changes(Set(NODE), "s", frozenset({"n1"}), frozenset({"n2"}))) == [
        "s: added {n2}",
        "s: removed {n1}",
    ]
    assert list(changes(Tuple((NODE, NODE)), "t", ("n1", "n1"), ("n1", "n1"))) == []


def test_many_parts_that_changed_are_told_as_a_whole() -> None:
    bits = Seq(Int(0, 1), 12)
    assert changes(bits, "bits", (0,) * 12, (1,) * 12) == [f"bits = <<{', '.join('1' * 12)}>>"]
    wide = Seq(Int(0, 10**9), 100)
    old, new = (10**8,) * 100, (1,) * 9 + (10**8,) * 91
    assert changes(wide, "wide", old, new) == [f"wide[{place}] = 1" for place in range(1, 10)]


def test_a_long_value_has_a_line_for_each_part() -> None:
    wide = Map(NODE, Set(Int(1000, 1020)))
    value = (frozenset(range(1000, 1012)), frozenset({1000}))
    numbers = ", ".join(map(str, range(1000, 1012)))
    assert in_full(wide, "big", value) == ["big =", f"  ( n1 :> {{{numbers}}} @@", "    n2 :> {1000} )"]
    members = [f"    {number}," for number in range(1001, 1020)]
    everyone = frozenset(range(1000, 1021))
    assert in_full(wide.value, "s", everyone) == ["s =", "  { 1000,", *members, "    1020 }"]


def test_a_tla_module() -> None:
    text = tla_module(MODEL, OVERFLOW, "Run_1", "no room")
    assert text.startswith(
        "-" * 33 + " MODULE Run_1 " + "-" * 33 + "\n\n(* everything (last = 3): out of bounds"
    )
    assert "CONSTANTS\n  None, n1, n2\n" in text
    assert "(* Initial state: Init(firstOwner = None) *)\nState0 ==\n  /\\ isOn = FALSE\n" in text
    assert "(* Step 1: SendTo(newNode = n1, hops = 0) *)\nState1 ==\n" in text
    assert "(* Step 3: SendTo(newNode = n1, hops = 0) goes out of bounds: no room *)\n" in text
    assert "State3" not in text
    assert text.endswith("=" * 80 + "\n")


def test_a_tla_module_has_a_name_that_tla_allows() -> None:
    assert " MODULE counterexample " in tla_module(MODEL, VIOLATION, "run-1.2")


def test_a_comment_cannot_end_early() -> None:
    text = tla_module(MODEL, OVERFLOW, reason="x *) y (* z")
    assert "goes out of bounds: x * ) y ( * z *)" in text


class Hidden(Protocol):
    """Its variables are called what the module that describes a state has other uses for."""

    def define(self, state: Any) -> None:
        state.declare("first", Bool(), tla="Len")
        state.declare("second", Bool(), tla="State0")

    def init(self, start: Any) -> None:
        start.first = start.second = True


def test_a_tla_module_has_each_name_once() -> None:
    end = Trace({}, (True, True), (), TraceEnd.DEADLOCK)
    text = tla_module(build(Hidden()), end)
    assert "VARIABLES\n  Len2,\n  State0\n" in text
    assert text.count("Len2 = TRUE") == text.count("State0 = TRUE") == 1
    assert "\nState02 ==\n" in text


def test_a_value_of_several_kinds_is_told_without_its_tag() -> None:
    kinds = AnyOf(
        "Leader", (("atom", record("atom", value=Int(0, 3))), ("bool", record("bool", value=Bool())))
    )
    assert list(changes(kinds, "leader", ("atom", (1,)), ("atom", (2,)))) == ["leader = 2"]
    assert list(changes(kinds, "leader", ("atom", (1,)), ("bool", (True,)))) == ["leader = TRUE"]
