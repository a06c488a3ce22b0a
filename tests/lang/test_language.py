"""Short forms of the language: each means the same concretely and to both solvers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.bounded.bmc import BmcOptions
from leadline.symbolic.lang import (
    AnyExpr,
    BoolExpr,
    Claim,
    Declarations,
    Int,
    IntExpr,
    Map,
    Model,
    ModelError,
    Next,
    Option,
    Protocol,
    Record,
    Seq,
    Set,
    State,
    Tuple,
    action,
    all_of,
    build,
    enum,
    exists,
    fold,
    forall,
    invariant,
    ite,
    map_of,
    of,
    parameter,
    pick,
    record,
    sort,
    sum_of,
)
from leadline.symbolic.lang.symmetry import symmetric_sorts
from leadline.symbolic.solve import SOLVERS
from tests.asking import bounded_check


class Sample(Protocol):
    """One state, and steps that pick."""

    picks = {"node": "Node", "mode": "Mode"}

    size: int = parameter(3, at_least=1)
    offset: int | None = parameter(None)

    def define(self, state: Declarations) -> None:
        self.Node = sort("Node", self.size)
        self.Mode = enum("Mode", "working", "prepared", "committed")
        self.Pair = Tuple((Int(-2, 4), self.Mode))
        self.Step = Int(0, 1)
        state.count = Map(self.Node, Int(-2, 4))
        state.mode = self.Mode
        state.pair = self.Pair
        state.few = Set(Int(1, 4))
        state.log = Seq(Int(0, 3), 3)
        state.modes = Set(self.Mode)
        state.wide = Map(self.Node, Option(Int(0, 2000)))

    def init(self, start: Next) -> None:
        start.count = dict(zip(self.Node.members, (4, -2, 1), strict=True))
        start.mode = "prepared"
        start.pair = (3, "working")
        start.few = {1, 4}
        start.log = [3, 1]
        start.modes = {"prepared", "committed"}
        start.wide = {"n1": 1500, "n2": None, "n3": 0}

    def total(self, now: State) -> IntExpr:
        """A typed helper without a cast: the state's parts are expressions of any type."""
        return now.pair[0] + now.log.length

    def is_prepared(self, now: State) -> BoolExpr:
        return now.mode == "prepared"

    def first(self, now: State) -> AnyExpr:
        return now.pair[1]

    @action
    def act(self, now: State, nxt: Next, node: AnyExpr, mode: AnyExpr, step: AnyExpr = pick("Step")) -> None:
        nxt.require(now.count[node] > 0, mode.is_in({"prepared", "committed"}))
        nxt.count[node] = now.count[node] - step
        nxt.mode = mode


@invariant(Sample)
def prepared(sample: Sample, now: State) -> BoolExpr:
    """Of use in the next one."""
    return sample.is_prepared(now)


def unpacked(number: IntExpr, mode: AnyExpr) -> BoolExpr:
    return (number == 3) & (mode == "working")


TRUE: dict[str, Callable[[Any, Any], Any]] = {
    "sum over a map": lambda p, now: sum_of(now.count) == 3,
    "sum over a type": lambda p, now: sum_of(p.Node, lambda n: now.count[n] * 2) == 6,
    "sum over a set": lambda p, now: sum_of(now.few) == 5,
    "sum over an empty set": lambda p, now: sum_of(now.few - {1, 4}) == 0,
    "sum over a sequence": lambda p, now: sum_of(now.log) == 4,
    "sum over a filter": lambda p, now: sum_of(now.few.filter(lambda x: x > 1), lambda x: x + 1) == 5,
    "sum of one number": lambda p, now: (sum_of(p.Node, lambda n: 2) == 6) & (now.mode == "prepared"),
    "sum of conditions": lambda p, now: sum_of(p.Node, lambda n: ite(now.count[n] > 0, 1, 0)) == 2,
    "fold over a sequence": lambda p, now: fold(now.log, 0, lambda a, x: 10 * a + x) == 31,
    "fold over a set": lambda p, now: fold(now.few, 0, lambda a, x: 10 * a + x) == 14,
    "fold over a map": lambda p, now: fold(now.count, 100, lambda a, x: a - x) == 97,
    "fold of sets": lambda p, now: fold(now.log, now.few, lambda s, x: s.add(x)).size == 3,
    "prepend": lambda p, now: (now.log.prepend(2)[1] == 2) & (now.log.prepend(2).length == 3),
    "two domains": lambda p, now: exists(p.Node, now.few, lambda n, x: now.count[n] == x),
    "three domains": lambda p, now: forall(p.Node, now.few, now.modes, lambda n, x, m: x <= 4),
    "one domain for two": lambda p, now: exists(now.few, lambda a, b: a < b),
    "unpacked": lambda p, now: unpacked(*now.pair),
    "in a literal set": lambda p, now: now.mode.is_in({"prepared", "committed"}),
    "in a literal list": lambda p, now: now.mode.is_in(["prepared", now.pair[1]]),
    "not in a literal set": lambda p, now: ~now.pair[1].is_in({"prepared", "committed"}),
    "number in a literal set": lambda p, now: ~now.pair[0].is_in({9, 4}),
    "equal to a literal set": lambda p, now: now.modes == {"prepared", "committed"},
    "given a literal set": lambda p, now: of(Set(p.Mode), {"prepared"}) <= now.modes,
    "in a type": lambda p, now: now.pair[0].is_in(Int(0, 3)) & ~now.pair[0].is_in(Int(0, 2)),
    "map in a type": lambda p, now: now.count.is_in(Map(p.Node, Int(-2, 4))),
    "map not in a type": lambda p, now: ~now.count.is_in(Map(p.Node, Int(-1, 4))),
    "set in a type": lambda p, now: now.few.is_in(Set(Int(1, 4))) & ~now.few.is_in(Set(Int(2, 4))),
    "sequence in a type": lambda p, now: now.log.is_in(Seq(Int(1, 3), 2)) & ~now.log.is_in(Seq(Int(0, 3), 1)),
    "options in a type": lambda p, now: ~now.wide.is_in(Map(p.Node, Int(0, 2000))),
    "options in a type of options": lambda p, now: now.wide.is_in(Map(p.Node, Option(Int(0, 1500)))),
    "property in a property": lambda p, now: prepared(p, now) & (p.total(now) == 5),
    "component": lambda p, now: p.first(now) == "working",
}  # fmt: skip


def claim_of(name: str) -> Claim:
    def stated(protocol: Any, now: Any) -> Any:
        return TRUE[name](protocol, now)

    stated.__name__ = name.replace(" ", "_")
    return invariant(Sample)(stated)


CLAIMS = {name: claim_of(name) for name in TRUE}


@pytest.fixture(scope="module")
def sample() -> Model:
    return build(Sample(), [prepared, *CLAIMS.values()])


@pytest.mark.parametrize("name", TRUE)
def test_holds_of_the_state(name: str, sample: Model) -> None:
    semantics = Semantics(sample)
    (outcome,) = semantics.initial()
    assert outcome.state is not None
    assert semantics.holds(CLAIMS[name].name, outcome.state)


@pytest.mark.parametrize("solver", SOLVERS)
def test_holds_in_the_encoding(solver: str, sample: Model) -> None:
    results = bounded_check(sample, list(sample.properties.values()), BmcOptions(0), SOLVERS[solver])
    assert {x.property: x.verdict for x in results} == dict.fromkeys(sample.properties, Verdict.SAFE)


def test_picks_are_said_once(sample: Model) -> None:
    (act,) = sample.actions
    assert [(one.name, repr(one.type)) for one in act.picks] == [
        ("node", "Node"),
        ("mode", "Mode"),
        ("step", "Int(0, 1)"),
    ]


class Wider(Sample):
    """Adds to what the base picks."""

    picks = {"other": "Node"}

    @action
    def move(self, now: State, nxt: Next, node: AnyExpr, other: AnyExpr) -> None:
        nxt.require(node != other)


def test_picks_of_bases_count_too() -> None:
    _, move = build(Wider()).actions
    assert [one.name for one in move.picks] == ["node", "other"]


def test_sums_treat_members_alike() -> None:
    """Unlike a fold, which goes through the members one by one."""

    class Sums(Protocol):
        def define(self, state: Declarations) -> None:
            self.Node = sort("Node", 3)
            state.count = Map(self.Node, Int(0, 2))

        def init(self, start: Next) -> None:
            start.count = map_of(self.Node, lambda node: 0)

    def few(protocol: Any, now: Any) -> Any:
        return sum_of(now.count) < 3

    def folded(protocol: Any, now: Any) -> Any:
        return fold(now.count, 0, lambda a, x: a + x) < 3

    made = build(Sums(), [invariant(Sums)(few), invariant(Sums)(folded)])
    assert [x.name for x in symmetric_sorts(made, [made.properties["few"]])] == ["Node"]
    assert symmetric_sorts(made, [made.properties["folded"]]) == ()


class Can(Protocol):
    """A record of two wide ranges, as in the coffee can."""

    most: int = parameter(1000)

    def define(self, state: Declarations) -> None:
        self.Can: Record = record("Can", black=Int(0, self.most), white=Int(0, self.most))
        state.can = self.Can

    def init(self, start: Next) -> None:
        start.can = {"black": 3, "white": 2}

    @action
    def drop(self, now: State, nxt: Next) -> None:
        nxt.require(now.can.black > 0)
        nxt.can.black = now.can.black - 1


@invariant(Can)
def type_ok(can: Can, now: State) -> BoolExpr:
    return all_of(
        now.can.is_in(record("Can", black=Int(0, 3), white=Int(1, can.most))),
        now.can.is_in(can.Can),
    )


def test_no_value_of_a_type_is_listed() -> None:
    made = build(Can(), [type_ok])
    (result,) = bounded_check(made, [made.properties["type-ok"]], BmcOptions(2), SOLVERS["cadical"])
    assert result.verdict is Verdict.SAFE
    assert Encoding(made).predicates(list(made.properties.values())).template.size < 500


def test_a_limit_is_a_mistake_in_the_model() -> None:
    @invariant(Can)
    def listed(can: Can, now: State) -> BoolExpr:
        return exists(can.Can, lambda other: other == now.can)

    made = build(Can(), [listed])
    with pytest.raises(
        ModelError, match=r"test_language\.py:\d+: each of the values of Can .* over 65536 are too many"
    ):
        Encoding(made).predicates(list(made.properties.values()))
