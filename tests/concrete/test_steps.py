"""Steps: what an action's picks, guards and updates give, in which order, and what goes out of bounds."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.writer import out_of_bounds
from leadline.symbolic.lang import (
    Action,
    Bool,
    Enum,
    Int,
    InternalError,
    Map,
    Next,
    Option,
    OutOfBounds,
    Pick,
    Protocol,
    Set,
    State,
    Tuple,
    Type,
    UserError,
    action,
    build,
    enum,
    exists,
    forall,
    int_range,
    map_of,
    parameter,
    pick,
    record,
)
from leadline.symbolic.lang.span import NOWHERE
from leadline.symbolic.lang.types import Value
from leadline.symbolic.meaning import Step
from tests.concrete.protocols import Broken, Counter, Letters, Partial, Subsets


def semantics(protocol: Protocol) -> Semantics:
    return Semantics(build(protocol))


def naive(meaning: Semantics, one: Action, state: Any) -> Iterator[tuple[Mapping[str, Any], Any]]:
    """The outcomes of an action by the letter of its definition: picks and next state, or None."""

    def go(place: int, picks: dict[str, Any]) -> Iterator[tuple[Mapping[str, Any], Any]]:
        if place == len(one.body):
            values = dict(zip((v.name for v in meaning.model.variables), state, strict=True))
            values |= {name: meaning.evaluate(node, state, picks) for name, node in one.updates}
            yield picks, tuple(values.values())
            return
        item = one.body[place]
        if not isinstance(item, Pick):
            if meaning.evaluate(item, state, picks):
                yield from guarded(place + 1, picks)
            return
        domain = item.type.values() if item.domain is None else meaning.evaluate(item.domain, state, picks)
        for value in sorted(domain, key=item.type.order):
            yield from guarded(place + 1, {**picks, item.name: value})

    def guarded(place: int, picks: dict[str, Any]) -> Iterator[tuple[Mapping[str, Any], Any]]:
        try:
            yield from list(go(place, picks))
        except OutOfBounds:
            yield picks, None

    return guarded(0, {})


@pytest.mark.parametrize("protocol", [Letters(nodes=3), Letters(), Subsets(), Counter(guarded=False)])
def test_every_step_is_that_of_the_definition(protocol: Protocol) -> None:
    meaning = semantics(protocol)
    todo = [outcome.state for outcome in meaning.initial()]
    seen = set(todo)
    while todo:
        state = todo.pop()
        assert state is not None
        found = list(meaning.successors(state))
        for one in meaning.model.actions:
            expected = list(naive(meaning, one, state))
            mine = [outcome for outcome in found if outcome.action == one.name]
            assert Tally(o.state for o in mine if o.state) == Tally(s for _, s in expected if s)
            assert any(o.state is None for o in mine) == any(s is None for _, s in expected)
        for outcome in found:
            assert meaning.outcome(state, outcome.action, dict(outcome.picks)) == outcome
            if outcome.state is not None and outcome.state not in seen:
                seen.add(outcome.state)
                todo.append(outcome.state)
    assert len(seen) > 3


def test_outcomes_come_in_the_order_of_actions_and_picks() -> None:
    (start, *_) = semantics(Subsets()).initial()
    assert start == Step("init", {"members": frozenset()}, (frozenset(),))
    assert start.state is not None
    found = [dict(outcome.picks) for outcome in semantics(Subsets()).successors(start.state)]
    assert found == [{"a": a, "b": b} for a in ("n1", "n2", "n3") for b in ("n1", "n2", "n3")]


def test_attempts_can_be_given_up() -> None:
    """Each value of a pick is told as it is tried, so that a pick from a large type can be cut short."""
    meaning = semantics(Subsets())
    (start, *_) = meaning.initial()
    attempts = list(meaning.attempts(start.state, "join"))
    found = [one for one in attempts if one is not None]
    assert found == [one for one in meaning.successors(start.state or ()) if one.action == "join"]
    assert len(attempts) - len(found) == 3 + 9, "the values of the first pick, and of the second for each"
    assert [one for one in meaning.attempts(None, "init") if one is not None] == meaning.initial()
    assert next(iter(meaning.attempts(None, "init"))) is None


def test_initial_states_are_those_that_the_guards_allow() -> None:
    states = [outcome.state for outcome in semantics(Subsets()).initial()]
    assert states == [(frozenset(x),) for x in ((), ("n1",), ("n2",), ("n3",))]


def test_a_way_to_begin_may_be_out_of_bounds() -> None:
    fine, broken = semantics(Broken()).initial()
    assert fine.state == (0,)
    assert broken.state is None and broken.picks == {"wanted": 2}
    assert broken.why is not None and broken.why.startswith("2 is not in Int(0, 1) (protocols.py:")


def test_a_guard_that_fails_early_is_told_once_with_the_picks_made_so_far() -> None:
    found = [o for o in semantics(Partial()).successors((None, frozenset())) if o.action == "guard_fails"]
    assert [(dict(o.picks), o.state is None) for o in found] == [
        ({"a": "n1", "b": "n2"}, False),
        ({"a": "n2"}, True),
    ]
    assert found[1].why is not None and found[1].why.startswith("the value of None (")


def test_no_guard_passes_a_pick_whose_domain_may_fail() -> None:
    found = [o for o in semantics(Partial()).successors((None, frozenset())) if o.action == "domain_fails"]
    assert len(found) == 2 * 4 and all(o.state is None for o in found)


def test_a_guard_that_may_fail_does_not_pass_a_pick_that_may_have_no_choice() -> None:
    found = [o for o in semantics(Partial()).successors((None, frozenset())) if o.action == "nothing_to_pick"]
    assert found == []
    found = [
        o for o in semantics(Partial()).successors((None, frozenset({"n1"}))) if o.action == "nothing_to_pick"
    ]
    assert [o.state for o in found] == [None]


def test_an_outcome_by_its_picks() -> None:
    meaning = semantics(Subsets())
    state = (frozenset({"n1"}),)
    assert meaning.outcome(state, "leave", {"member": "n2"}) is None
    assert meaning.outcome(state, "join", {"a": "n1", "b": "n2"}) is None
    joined = meaning.outcome(state, "join", {"a": "n2", "b": "n3"})
    assert joined is not None and joined.state == (frozenset({"n1", "n2", "n3"}),)
    begun = meaning.outcome(None, "init", {"members": frozenset({"n3"})})
    assert begun is not None and begun.state == (frozenset({"n3"}),)
    assert meaning.outcome(None, "init", {"members": frozenset({"n3", "n1"})}) is None


def test_an_outcome_out_of_bounds_by_all_its_picks() -> None:
    meaning = semantics(Partial())
    found = meaning.outcome((None, frozenset()), "guard_fails", {"a": "n2", "b": "n1"})
    assert found is not None and found.state is None and found.picks == {"a": "n2"}


@pytest.mark.parametrize(
    ("name", "picks", "text"),
    [
        ("fly", {}, "has no action fly"),
        ("leave", {"who": "n1"}, "leave has no pick who"),
        ("join", {"a": "n2"}, "the pick `b` has no value"),
    ],
)
def test_an_impossible_question_is_an_internal_error(name: str, picks: dict[str, Any], text: str) -> None:
    with pytest.raises(InternalError, match=text):
        semantics(Subsets()).outcome((frozenset(),), name, picks)


def test_an_unknown_property_is_told() -> None:
    with pytest.raises(UserError, match="has no property `nonsense`"):
        semantics(Subsets()).holds("nonsense", (frozenset(),))


class Crowd(Protocol):
    """An action with many picks, a guard that may fail behind each, and loops inside them all."""

    size: int = parameter(8, doc="number of picks")

    def define(self, state: Any) -> None:
        self.Bit = Int(0, 1)
        self.Place = Int(1, self.size)
        state.bits = Map(self.Place, self.Bit)
        state.limit = Option(self.Bit)

    def init(self, start: Any) -> None:
        start.bits = map_of(self.Place, lambda place: 0)
        start.limit = 1

    @action
    def crowd(self, now: State, nxt: Next) -> None:
        """Every bit is picked; at most one may be 1, unless it already is."""
        picks = []
        for place in range(1, self.size + 1):
            picks.append(nxt.pick(f"p{place}", self.Bit))
            nxt.require(sum(picks) <= now.limit.value)
        many = int_range(1, now.limit.value + 7)
        nxt.require(forall(many, lambda x: exists(many, lambda y: exists(many, lambda z: x + y >= z))))
        for place, bit in enumerate(picks, start=1):
            nxt.bits[place] = bit


@pytest.mark.parametrize("size", [8, 9, 20])
def test_more_picks_than_loops_can_nest_are_followed(size: int) -> None:
    meaning, start = semantics(Crowd(size=size)), ((0,) * size, 1)
    found = list(meaning.successors(start))
    assert Tally(sum(o.state[0]) for o in found if o.state) == {0: 1, 1: size}
    assert [meaning.outcome(start, "crowd", dict(one.picks)) for one in found] == found


def test_names_never_get_into_the_code() -> None:
    hostile = enum("Hostile", "a'b", 'x"); raise SystemExit("', "new\nline", "{}", "\\")

    class Strange(Protocol):
        def define(self, state: Any) -> None:
            state.value = hostile

        def init(self, start: Any) -> None:
            start.value = "{}"

        @action
        def change(self, now: State, nxt: Next, to: Any = pick(hostile)) -> None:
            nxt.require(to != now.value, map_of(hostile, lambda x: x == to)[to])
            nxt.value = to

    found = [o.state for o in semantics(Strange()).successors(("{}",))]
    assert found == [(name,) for name in hostile.members if name != "{}"]


@pytest.mark.parametrize(
    ("source", "value", "shown"),
    [
        (Set(Int(0, 3)), frozenset({3, 0}), "{0, 3}"),
        (Option(Enum("Colour", ("red",))), None, "None"),
        (Option(Enum("Colour", ("red",))), "red", '"red"'),
        (Tuple((Bool(), Int(-1, 1))), (False, -1), "<<FALSE, -1>>"),
        (record("Entry", log_end=Int(0, 1), on=Bool()), (1, True), "[logEnd |-> 1, on |-> TRUE]"),
    ],
)
def test_a_value_out_of_bounds_is_printed_as_tla(source: Type, value: Value, shown: str) -> None:
    error = out_of_bounds(value, source, Int(0, 0), "x.py:7", NOWHERE)
    assert str(error) == f"{shown} is not in Int(0, 0) (x.py:7)"
