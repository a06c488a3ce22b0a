"""Names that TLA+ could not tell apart, and types too large or too deep to be built."""

from __future__ import annotations

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import Bool, Int, Map, ModelError, Seq, Set, Tuple, build, sort
from leadline.symbolic.lang.types import DEEPEST, MOST_PARTS, TOO_MANY, Type
from tests.lang.sample import BEFORE, INIT, check, in_action, load, model

BOTH = "are both `{name}` in TLA+ and in counterexamples"


def declared(*lines: str) -> str:
    return BEFORE + "".join(f"        {line}\n" for line in lines) + INIT


def test_two_variables_of_one_name() -> None:
    check(
        declared("state.ab_c = Bool()  #a", "state.abC = Bool()  #b"),
        "{b}: the variables `ab_c` (at {a}) and `abC` are both `abC` in TLA+ and in counterexamples: "
        'rename one, or write state.declare("abC", its_type, tla="another name")',
    )


def test_two_fields_of_one_name() -> None:
    check(
        declared('state.x = Seq(Option(record("Wrong", ab_c=Bool(), abC=Bool())), 2)  #a'),
        "{a}: the fields `ab_c` and `abC` of Wrong, in x, are both `abC` in TLA+ and in counterexamples: "
        "rename one",
    )
    check(
        declared('state.x = union("Msg", ping={"a_b": Bool(), "aB": Bool()})  #a'),
        "{a}: the fields `a_b` and `aB` of ping, in x, are both `aB` in TLA+ and in "
        "counterexamples: rename one",
    )


def test_two_actions_of_one_name() -> None:
    acts = "".join(
        f"    @action{mark}\n    def {name}(self, now, nxt):\n        nxt.count = 1\n"
        for mark, name in (("  #a", "go_on"), ('(tla="GoOn")  #b', "other"), ('(tla="Init")  #c', "third"))
    )
    first = next(i for i, line in enumerate((BEFORE + INIT).splitlines(), 1) if "def init" in line)
    repair = 'rename one, or give one another name with tla="..."'
    check(
        BEFORE + INIT + acts,
        f"{{b}}: the actions go_on (at {{a}}) and other {BOTH.format(name='GoOn')}: {repair}",
        f"{{c}}: the actions init (at sample.py:{first}) and third {BOTH.format(name='Init')}: {repair}",
    )


def test_actions_of_one_name_in_different_variants() -> None:
    acts = "".join(
        f'    @action(tla="Go", when=lambda p: p.size == {size})\n'
        f"    def go{size}(self, now, nxt):\n        nxt.count = 1\n"
        for size in (1, 2)
    )
    assert [one.name for one in model(BEFORE + INIT + acts).actions] == ["go2"]


def test_two_properties_of_one_name() -> None:
    claims = "".join(
        f'@invariant(Sample, tla="Same")  #{name}\ndef {name}(p, now):\n    return now.count < 3\n'
        for name in "ab"
    )
    check(
        in_action("pass") + "\n" + claims,
        f"{{b}}: the properties a (at {{a}}) and b {BOTH.format(name='Same')}: "
        'rename one, or give one another name with tla="..."',
    )


def test_two_picks_of_one_name() -> None:
    check(
        in_action("nxt.pick('a_b', self.Node)\nnxt.pick('aB', self.Node)  #a"),
        "{a}: the picks `a_b` and `aB` are both `aB` in TLA+: rename one",
    )


PARTS = (
    "has more than 100,000 parts, one for each key of a map, possible member of a set and place of a sequence"
)
SMALLER = "narrow its ranges, or give smaller parameters"
HUGE = 10**30


@pytest.mark.parametrize("number", [MOST_PARTS + 1, 10**9, HUGE])
def test_too_large(number: int) -> None:
    shown = f"{number:,}"
    told = {
        f'self.X = sort("X", {number})': f"the sort X would have {shown} members, "
        f"and 100,000 is the most: {SMALLER}",
        f"state.x = Map(Int(1, {number}), Bool())": f"a map from Int(1, {number}) would have more than "
        f"100,000 keys: {SMALLER}",
        f"state.x = Set(Int(1, {number}))": f"x {PARTS}: narrow its type, or give smaller parameters",
        f"state.x = Seq(Bool(), {number})": f"x {PARTS}: narrow its type, or give smaller parameters",
        f"state.x = Map(Int(1, 500), Seq(Bool(), {number} // 500))": f"x {PARTS}: narrow its type, "
        "or give smaller parameters",
        f"state.x = Map(Set(Int(1, {number})), Bool())": f"a map from Set(Int(1, {number})) would have more "
        f"than 100,000 keys: {SMALLER}",
    }
    for line, text in told.items():
        with pytest.raises(ModelError) as caught:
            model(declared(line))
        assert caught.value.mistakes[0].text == text, line
        assert caught.value.mistakes[0].span.file == "sample.py"


def test_a_map_of_too_many_keys_in_an_action() -> None:
    check(
        in_action("nxt.require(map_of(Int(1, 10**9), lambda k: k)[1] == 1)  #a"),
        f"{{a}}: a map from Int(1, 1000000000) would have more than 100,000 keys: {SMALLER}",
    )


def test_integers_may_be_large() -> None:
    names = load(declared(f"state.x = Int(0, {HUGE})") + "        start.x = 7\n")
    assert build(names["Sample"]()).variable("x").type.cardinality == HUGE + 1


@pytest.mark.parametrize(
    "kind",
    [
        Bool(),
        Int(3, 1),
        Int(0, 4),
        Tuple((Int(0, 2), Bool())),
        Tuple((Int(1, 0), Bool())),
        Set(Int(1, 5)),
        Map(Int(0, 2), Bool()),
        Map(Int(1, 0), Bool()),
        Map(Bool(), Int(1, 0)),
        Seq(Int(0, 2), 4),
        Seq(Bool(), 0),
        Seq(Int(0, 0), 5),
        Seq(Int(1, 0), 5),
    ],
    ids=repr,
)
def test_small_numbers_of_values_are_exact(kind: Type) -> None:
    assert kind.capped == kind.cardinality == len(list(kind.values()))


def test_numbers_of_values_are_capped_where_they_are_large() -> None:
    large = Int(0, HUGE)
    for kind in (large, Set(large), Seq(large, 2), Map(Int(0, 99), large), Tuple((large, large))):
        assert kind.capped == TOO_MANY
    assert Map(sort("X", 3), Set(Int(0, 9))).width == 30
    assert Tuple((Seq(Bool(), 4), Bool())).width == 6


def test_types_too_deep() -> None:
    line = "for _ in range({number}): kind = Tuple((kind,))  #a"
    text = f"{{a}}: a type nested deeper than {DEEPEST}: give the state fewer types within types"
    for number in (DEEPEST, 400):
        check(declared("kind = Bool()", line.format(number=number)), text)
    deep = declared("kind = Bool()", line.format(number=DEEPEST - 1), "state.deep = kind")
    with pytest.raises(ModelError, match="init does not assign deep"):
        model(deep)


def test_a_type_of_what_is_no_type() -> None:
    check(
        declared("state.x = Map(3, Bool())  #a"),
        "{a}: Python says: TypeError: Map is built of types, such as Int(0, 3), and 3 is none",
    )


@pytest.mark.parametrize(
    ("kind", "value", "meant"),
    [
        ("Map(self.Node, self.Mode)", "'idle'", "{node: 'idle' for node in self.Node.members}"),
        ("Map(self.Node, Seq(Bool(), 2))", "[]", "{node: [] for node in self.Node.members}"),
        ("Map(self.Node, Set(self.Mode))", "{'busy'}", "{node: {'busy'} for node in self.Node.members}"),
        (
            "Map(self.Node, self.Info)",
            "{'seen': 1, 'buddy': None}",
            "map_of(self.Node, lambda node: of(self.Info, seen=1, buddy=None))",
        ),
        ("Option(Map(self.Node, self.Mode))", "'idle'", "{node: 'idle' for node in self.Node.members}"),
        (
            "Map(self.Node, Map(self.Node, self.Mode))",
            "map_of(self.Node, lambda other: 'busy')",
            "map_of(self.Node, lambda node: {other: 'busy' for other in self.Node.members})",
        ),
    ],
)
def test_maps_of_literals(kind: str, value: str, meant: str) -> None:
    def initial(text: str) -> object:
        return list(Semantics(model(declared(f"state.x = {kind}") + f"        start.x = {text}\n")).initial())

    assert initial(f"map_of(self.Node, lambda node: {value})") == initial(meant)


def test_maps_of_literals_are_compared_and_assigned() -> None:
    at = "map_of(self.Node, lambda node: 'idle')"
    source = declared("state.x = Map(self.Node, self.Mode)") + f"        start.x = {at}\n"
    act = "\n    @action\n    def act(self, now, nxt):\n        "
    act += f"nxt.require(now.x == {at})\n        nxt.x = {at}\n"
    assert [one.name for one in model(source + act).actions] == ["act"]


def test_maps_of_literals_that_do_not_fit() -> None:
    source = declared("state.x = Map(self.Node, self.Mode)")
    check(
        source + "        start.x = map_of(self.Node, lambda node: 'ide')  #a\n",
        "{a}: 'ide' is not a member of Mode; it has idle, busy",
    )
    check(
        source + "        start.x = map_of(Bool(), lambda node: 'idle')  #a\n",
        "{a}: the string 'idle' has no type here: write of(E, 'idle')",
    )
