"""Steps: what an action's picks, guards and updates give, in which order, and what goes out of bounds."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from leadline.symbolic.concrete import Outcome, Semantics
from leadline.symbolic.lang import (
    Action,
    Int,
    InternalError,
    OutOfBounds,
    Pick,
    Protocol,
    State,
    UserError,
    action,
    build,
    enum,
    pick,
)
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
        for value in sorted(domain, key=item.type.rank):
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
    assert start == Outcome("init", (("members", frozenset()),), (frozenset(), 0))
    assert start.state is not None
    found = [dict(outcome.picks) for outcome in semantics(Subsets()).successors(start.state)]
    assert found == [{"a": a, "b": b} for a in ("n1", "n2", "n3") for b in ("n1", "n2", "n3")]


def test_initial_states_are_those_that_the_guards_allow() -> None:
    states = [outcome.state for outcome in semantics(Subsets()).initial()]
    assert states == [(frozenset(x), 0) for x in ((), ("n1",), ("n2",), ("n3",))]


def test_a_way_to_begin_may_be_out_of_bounds() -> None:
    fine, broken = semantics(Broken()).initial()
    assert fine.state == (0,)
    assert broken.state is None and broken.picks == (("wanted", 2),)
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
    found = [o for o in semantics(Partial()).successors((None, frozenset({"n1"}))) if o.action == "nothing_to_pick"]
    assert [o.state for o in found] == [None]


def test_an_outcome_by_its_picks() -> None:
    meaning = semantics(Subsets())
    state = (frozenset({"n1"}), 0)
    assert meaning.outcome(state, "leave", {"member": "n2"}) is None
    assert meaning.outcome(state, "join", {"a": "n1", "b": "n2"}) is None
    joined = meaning.outcome(state, "join", {"a": "n2", "b": "n3"})
    assert joined is not None and joined.state == (frozenset({"n1", "n2", "n3"}), 0)
    begun = meaning.outcome(None, "init", {"members": frozenset({"n3"})})
    assert begun is not None and begun.state == (frozenset({"n3"}), 0)
    assert meaning.outcome(None, "init", {"members": frozenset({"n3", "n1"})}) is None


def test_an_outcome_out_of_bounds_by_all_its_picks() -> None:
    meaning = semantics(Partial())
    found = meaning.outcome((None, frozenset()), "guard_fails", {"a": "n2", "b": "n1"})
    assert found is not None and found.state is None and found.picks == (("a", "n2"),)


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
        semantics(Subsets()).outcome((frozenset(), 0), name, picks)


def test_an_unknown_property_is_told() -> None:
    with pytest.raises(UserError, match="has no property `nonsense`"):
        semantics(Subsets()).holds("nonsense", (frozenset(), 0))


class Crowd(Protocol):
    """An action with nine picks."""

    def define(self, state: Any) -> None:
        self.Bit = Int(0, 1)
        state.bit = self.Bit

    def init(self, start: Any) -> None:
        start.bit = 0

    @action
    def crowd(self, now: State, nxt: Any) -> None:
        """Nine picks."""
        for place in range(9):
            nxt.bit = nxt.pick(f"p{place}", self.Bit) if place == 8 else now.bit
