"""Exported modules: names, guards, parts, and models that TLA+ cannot express."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from leadline.symbolic.export import large_sets, module_name, tla_module, tlc_config
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Option,
    Protocol,
    Seq,
    Set,
    Sort,
    Tuple,
    UserError,
    action,
    any_of,
    build,
    choose,
    exists,
    forall,
    implies,
    invariant,
    ite,
    map_of,
    of,
    pick,
    probe,
    record,
    set_of,
    sort,
    union,
)
from leadline.symbolic.lang.types import Enum, Type
from tests.export.parsed import check_module, declared, definitions


class Clashing(Protocol):
    """Every name in it means something in TLA+, or means two things."""

    protocol_name = "integers"

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 2, prefix="x")
        self.Peer = sort("Peer", 2, prefix="y")
        self.Record = record("Seq", x1=Int(0, 1), else_=Bool())
        state.declare("len", self.Record, tla="Len")
        state.declare("none", Bool(), tla="None")
        state.declare("x1", Int(0, 3))
        state.declare("act", Set(self.Node), tla="Send")
        state.declare("S", Map(self.Peer, Option(Int(0, 3))))
        state.declare("dashed", Bool(), tla="a-b")
        state.declare("size_", Seq(Int(0, 1), 2), tla="S_")

    def init(self, start: Any) -> None:
        start.len = of(self.Record, x1=start.pick("x1", Int(0, 1)), else_=False)
        start.none = False
        start.x1 = 0
        start.act = set()
        start.S = map_of(self.Peer, lambda x1: None)
        start.dashed = False
        start.size_ = []

    @action
    def send(self, now: Any, nxt: Any, node: Any = pick("Node"), vars: Any = pick("Peer")) -> None:
        """Ends no comment: *) (* and \\* neither."""
        nxt.require(exists(self.Node, lambda node: ~now.act.has(node)), now.S[vars].is_none)
        nxt.act = now.act.add(node)
        nxt.x1 = set_of(now.x1, 1).greatest

    @action(tla="Next")
    def next_(self, now: Any, nxt: Any) -> None:
        nxt.act = now.act.filter(lambda part1: part1 != "x1")

    @action(tla="INVARIANT")
    def word(self, now: Any, nxt: Any) -> None:
        nxt.none = True


@invariant(Clashing, tla="Send")
def sent(protocol: Any, now: Any) -> Any:
    """Claims nothing."""
    return now.x1 >= 0


@probe(Clashing, tla="Node")
def node(protocol: Any, now: Any) -> Any:
    """Is violated."""
    return forall(protocol.Node, lambda vars: ~now.act.has(vars))


def clashing() -> Model:
    return build(Clashing(), [sent, node])


def test_names_that_clash_get_a_number() -> None:
    model = clashing()
    module = check_module(model)
    assert module_name(model) == "Integers2"
    variables = declared(module, "variable_declaration")
    assert variables == ["Len2", "None2", "x12", "Send", "S", "a_b", "S2"]
    assert declared(module, "constant_declaration") == ["Node", "Peer", "None", "x1"]
    own = [
        name
        for name in definitions(module)
        if name not in ("vars", "Init", "Next", "Spec", "InBounds", "Symmetry")
    ]
    assert own == ["Max", "BoundedSeq", "Seq2", "Send2", "Next2", "INVARIANT2", "Send3", "Node2"]


def test_a_sort_with_a_named_member_is_not_swapped() -> None:
    assert "Symmetry == Permutations(Peer)" in tla_module(clashing())


def test_configuration() -> None:
    text = tlc_config(clashing(), ["node"], deadlock=True)
    assert text == (
        "SPECIFICATION Spec\n"
        "CHECK_DEADLOCK TRUE\n"
        "CONSTANTS\n"
        "  Node = {x1, x2}\n"
        "  Peer = {y1, y2}\n"
        "  None = None\n"
        "  x1 = x1\n"
        "INVARIANTS\n"
        "  InBounds\n"
        "  Node2\n"
        "\\* Fewer states, but counts that are not those of Leadline:\n"
        "\\* SYMMETRY Symmetry\n"
    )
    with pytest.raises(UserError, match="did you mean `sent`"):
        tlc_config(clashing(), ["sen"])


def test_comments() -> None:
    text = tla_module(clashing())
    assert "\\* Ends no comment: *) (* and \\* neither.\nSend2 ==" in text
    assert "\\* Is violated.\n\\* A probe: it should be violated.\nNode2 ==" in text


LOW, HIGH = Int(0, 1), Int(1, 2)


def of_one(kind: Type, start: Any, act: Any, **more: Any) -> Model:
    """A protocol of one variable `v` that starts so, with one action."""

    def define(self: Any, state: Any) -> None:
        state.v = kind

    def init(self: Any, begin: Any) -> None:
        begin.v = start

    methods = {"define": define, "init": init, "act": action(act), "protocol_name": "one-way", **more}
    return build(type("OneWay", (Protocol,), methods)())


def act_of(text: str) -> str:
    """The operator of the action in a module's text."""
    return text[text.index("\nAct ==") : text.index("\nNext ==")].strip()


def test_picks_guards_and_updates() -> None:
    def act(self: Any, now: Any, nxt: Any, low: Any = pick(LOW), high: Any = pick(HIGH)) -> None:
        nxt.require((low < high) & (now.v[0] == low))
        third = nxt.pick("third", set_of(low, high))
        nxt.require(third != now.v[1])
        nxt.v[1] = third

    assert act_of(tla_module(of_one(Tuple((Int(0, 3), Int(0, 3))), (0, 0), act))) == (
        "Act ==\n"
        "  \\E low \\in 0..1, high \\in 1..2 :\n"
        "    /\\ low < high\n"
        "    /\\ v[1] = low\n"
        "    /\\ \\E third \\in {low, high} :\n"
        "         /\\ third # v[2]\n"
        "         /\\ v' = [v EXCEPT ![2] = third]"
    )


def test_a_pick_from_what_another_picked_is_bound_inside() -> None:
    def act(self: Any, now: Any, nxt: Any, low: Any = pick(LOW)) -> None:
        nxt.v = nxt.pick("high", set_of(low, 1))

    text = act_of(tla_module(of_one(Int(0, 3), 0, act)))
    assert text == "Act ==\n  \\E low \\in 0..1 :\n    \\E high \\in {low, 1} :\n      v' = high"


def test_a_guard_spares_what_lies_behind_it() -> None:
    """TLC goes into all sides of a disjunction that stands where an action may; ours does not stand there."""

    def act(self: Any, now: Any, nxt: Any) -> None:
        nxt.require(any_of(now.v.is_none, now.v.value == 1), any_of(now.v == 1, now.v == 2))

    text = act_of(tla_module(of_one(Option(Int(0, 3)), None, act)))
    assert "  /\\ TRUE = (v = None \\/ v = 1)\n  /\\ v = 1 \\/ v = 2\n  /\\ UNCHANGED vars" in text


def test_long_parts_that_recur_get_a_name() -> None:
    def act(self: Any, now: Any, nxt: Any) -> None:
        long = ite(now.v < 1, now.v + 1, ite(now.v < 2, now.v + 2, now.v - 1))
        nxt.require(long != 2)
        nxt.v = long

    text = act_of(tla_module(of_one(Int(0, 3), 0, act)))
    assert text == (
        "Act ==\n"
        "  LET part1 ==\n"
        "        IF v < 1 THEN v + 1\n"
        "        ELSE IF v < 2 THEN v + 2 ELSE v - 1\n"
        "  IN  /\\ part1 # 2\n"
        "      /\\ v' = part1"
    )


def test_parts_of_a_pick_s_domain_are_named_around_it() -> None:
    def act(self: Any, now: Any, nxt: Any, low: Any = pick(LOW)) -> None:
        long = set_of(now.v, low, 1).filter(lambda x: any_of(x == low + 1, x == low + 2, x == 3))
        nxt.require(long.has(low))
        nxt.v = nxt.pick("high", long)

    text = act_of(tla_module(of_one(Int(0, 3), 0, act)))
    assert re.search(
        r"^  \\E low .*\n    LET part1 ==(.*\n)+    IN  /\\ low \\in part1\n", text, re.MULTILINE
    )
    assert "/\\ \\E high \\in part1 :" in text


def test_the_header_tells_of_choose() -> None:
    def without(self: Any, now: Any, nxt: Any) -> None:
        nxt.v = 1

    def with_choose(self: Any, now: Any, nxt: Any) -> None:
        nxt.v = choose(Int(0, 3), lambda x: x != now.v)

    told = "TLA+ leaves open which of several values CHOOSE takes"
    assert told not in tla_module(of_one(Int(0, 3), 0, without))
    assert told in tla_module(of_one(Int(0, 3), 0, with_choose))


def test_a_model_without_actions_has_no_next_state() -> None:
    model = of_one(Int(0, 3), 0, lambda self, now, nxt: None)
    text = tla_module(replace(model, actions=()))
    assert "Next ==\n  FALSE\n" in text


@pytest.mark.parametrize("many", [30, pytest.param(1500, marks=pytest.mark.slow)])
def test_long_expressions_break_and_overflow_nothing(many: int) -> None:
    def act(self: Any, now: Any, nxt: Any) -> None:
        value = now.v
        for place in range(many):
            value = ite(now.v == place % 4, place % 3, value)
        nxt.v = value
        nxt.require(implies(now.v < 3, any_of(*(now.v + place != place * 2 for place in range(many)))))

    text = tla_module(of_one(Int(0, 3), 0, act))
    assert max(map(len, text.splitlines())) <= 110
    assert text.count("ELSE") == many


NAMELESS = [
    (sort("Node", 1, prefix="n-"), "the member n-1 of Node is not a name"),
    (Sort("Node", ("IN",)), "the member IN of Node is not a name"),
    (Enum("Mode", ('a"b', "c")), "the member 'a\"b' of Mode is not a string"),
    (record("Info", IF=Bool()), "the field IF of Info is not a name"),
    (union("Msg", ask={"type": Bool()}), "Msg: ask has a field `type`, which is the name of the tag"),
]


@pytest.mark.parametrize(("kind", "told"), NAMELESS, ids=[told for _, told in NAMELESS])
def test_what_tla_has_no_name_for_is_told(kind: Type, told: str) -> None:
    model = of_one(Option(kind), None, lambda self, now, nxt: None)
    for write in (tla_module, tlc_config):
        with pytest.raises(UserError) as error:
            write(model)
        assert str(error.value).startswith(f"one-way cannot be written as TLA+:\n{told}")


def test_fields_of_a_pick_that_would_have_one_name_are_told() -> None:
    alike = record("Info", a_b=Bool(), aB=Bool())

    def choose(self: Any, now: Any, nxt: Any) -> None:
        nxt.pick("some", alike)

    model = of_one(Bool(), True, choose)
    with pytest.raises(UserError, match="the fields a_b and aB of Info are both aB"):
        tla_module(model)


def test_a_module_ends_in_one_line_end() -> None:
    for text in (tla_module(clashing()), tlc_config(clashing())):
        assert text.endswith("\n") and not text.endswith("\n\n")
        assert not any(line.endswith(" ") for line in text.splitlines())


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        (Set(Int(1, 19)), None),
        (Set(Int(1, 20)), "1,048,576 values"),
        (Map(Int(0, 9), Set(Int(1, 2))), "1,048,576 values"),
        (Set(Set(Int(1, 20))), "more than 2,147,483,647 values"),
        (Map(Int(0, 9), Set(Set(Set(Int(1, 20))))), "more than 2,147,483,647 values"),
    ],
    ids=repr,
)
def test_sets_that_tlc_cannot_enumerate_are_told(kind: Type, count: str | None) -> None:
    """With the line of the pick or of the quantifier, and the repair. A test of membership is no mistake."""

    def act(self: Any, now: Any, nxt: Any, one: Any = pick(kind)) -> None:
        nxt.v = True

    told = large_sets(of_one(Bool(), False, act))
    assert len(told) == (0 if count is None else 1)
    for text in told:
        assert text.startswith(f"{__file__}:{act.__code__.co_firstlineno}")
        assert count is not None and count in text and repr(kind) in text


def test_a_quantifier_over_a_large_set_is_told_and_a_test_of_membership_is_not() -> None:
    large = Set(Int(1, 20))

    def tests(self: Any, now: Any, nxt: Any) -> None:
        nxt.require(now.v <= {1, 2})

    def ranges(self: Any, now: Any, nxt: Any) -> None:
        nxt.require(exists(large, lambda one: one == now.v))

    assert large_sets(of_one(large, set(), tests)) == []
    (told,) = large_sets(of_one(large, set(), ranges))
    assert "-maxSetSize 1048576" in told


class Below(Protocol):
    """Subtracts from a negative number on more than one line."""

    def define(self, state: Any) -> None:
        state.declare("number", Int(-400, 400), tla="aNameThatTakesUpMostOfTheRoomThatIsLeftOnTheLine")

    def init(self, start: Any) -> None:
        start.number = 0

    @action
    def fall(self, now: Any, nxt: Any) -> None:
        nxt.number = -1 - ite(now.number > 0, now.number * 2 + now.number * 3, now.number * 5)


def test_a_negative_number_is_one_operand() -> None:
    text = tla_module(build(Below()))
    assert "-1 - " in text and "\n              - " not in text.replace("-1 - ", "")
