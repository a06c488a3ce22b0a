"""Sorts that a model treats alike: swapping two of their members maps reachable states to reachable states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leadline.symbolic.catalog import entries, find, model_of
from leadline.symbolic.lang import (
    Int,
    Map,
    Model,
    Option,
    Protocol,
    Record,
    Seq,
    Set,
    Tuple,
    Union,
    action,
    build,
    choose,
    forall,
    invariant,
    ite,
    map_of,
    of,
    pick,
    sort,
)
from leadline.symbolic.lang.symmetry import symmetric_sorts
from tests.swapped import assert_closed

NODE = sort("Node", 3)
PAIR = Tuple((NODE, Int(0, 1)))
LETTER = Union("Letter", (("to", Record("to", (("whom", NODE),))), ("lost", Record("lost", ()))))
COUNTS = Map(NODE, Int(0, 2))
NAMED_MAP = Map(Int(0, 1), Option(NODE))


class Base(Protocol):
    """Nodes are marked; subclasses say the rest."""

    def define(self, state: Any) -> None:
        state.marked = Set(NODE)
        state.first = Option(NODE)
        state.counts = COUNTS

    def init(self, start: Any) -> None:
        start.marked = set()
        start.first = None
        start.counts = map_of(NODE, lambda node: 0)

    @action
    def mark(self, now: Any, nxt: Any, node: Any = pick(NODE)) -> None:
        """Any node."""
        nxt.require(~now.marked.has(node))
        nxt.marked = now.marked.add(node)
        nxt.counts = now.counts.set(node, 1)


def with_guard(guard: Callable[[Any], Any]) -> Model:
    """The base with one more action under a guard."""

    def more(self: Any, now: Any, nxt: Any) -> None:
        nxt.require(guard(now))
        nxt.marked = set()

    return build(type("More", (Base,), {"more": action(more)})())


def with_value(value: Callable[[Any], Any]) -> Model:
    """The base with one more action that gives `first` a value."""

    def more(self: Any, now: Any, nxt: Any) -> None:
        nxt.first = value(now)

    return build(type("More", (Base,), {"more": action(more)})())


ALIKE: dict[str, Model] = {
    "nothing named": build(Base()),
    "quantified": with_guard(lambda now: forall(NODE, lambda a, b: (a == b) | ~now.marked.has(a))),
    "no members": with_guard(lambda now: now.marked == of(Set(NODE))),
    "all members": with_guard(lambda now: now.marked == of(Set(NODE), "n1", "n2", "n3")),
    "the universe": with_guard(lambda now: now.marked == NODE),
    "a map that tells none apart": with_guard(
        lambda now: now.counts == of(COUNTS, {"n1": 1, "n2": 1, "n3": 1})
    ),
    "absent": with_value(lambda now: of(Option(NODE), None)),
    "a set that has all pairs": with_guard(
        lambda now: of(Set(Set(NODE)), {"n1", "n2"}, {"n2", "n3"}, {"n1", "n3"}).has(now.marked)
    ),
    "an empty sequence": with_guard(lambda now: of(Seq(NODE, 2)).length == now.marked.size),
    "a choice among numbers": with_guard(lambda now: choose(Int(0, 2), lambda x: x == now.marked.size) == 1),
    "a letter without members": with_guard(
        lambda now: (now.first == None) | (of(LETTER, "lost") == of(LETTER, "lost"))  # noqa: E711
    ),
}
APART: dict[str, Model] = {
    "named in a guard": with_guard(lambda now: now.marked.has("n1")),
    "named in a value": with_value(lambda now: "n2"),
    "some members": with_guard(lambda now: now.marked == of(Set(NODE), "n1", "n2")),
    "a set that has some pairs": with_guard(
        lambda now: of(Set(Set(NODE)), {"n1", "n2"}, {"n2", "n3"}).has(now.marked)
    ),
    "a map that tells them apart": with_guard(
        lambda now: now.counts == of(COUNTS, {"n1": 1, "n2": 0, "n3": 0})
    ),
    "named in a pair": with_guard(
        lambda now: ite(now.marked.size == 1, of(PAIR, "n1", 0), of(PAIR, "n2", 0))[1] == 0
    ),
    "named in a letter": with_guard(
        lambda now: ite(now.marked.size == 1, of(LETTER, "to", whom="n1"), of(LETTER, "lost")).is_a("to")
    ),
    "the first of several": with_value(lambda now: choose(NODE, lambda node: ~now.marked.has(node))),
    "named behind a number": with_guard(
        lambda now: (
            ite(now.marked.size == 1, of(NAMED_MAP, {0: None, 1: "n1"}), of(NAMED_MAP, {0: None, 1: None}))[
                0
            ].is_some
        )
    ),
}


@pytest.mark.parametrize("model", ALIKE.values(), ids=ALIKE)
def test_alike(model: Model) -> None:
    assert symmetric_sorts(model, ()) == (NODE,)
    assert_closed(model, (NODE,), 6)


@pytest.mark.parametrize("model", APART.values(), ids=APART)
def test_told_apart(model: Model) -> None:
    assert symmetric_sorts(model, ()) == ()


def test_a_property_may_tell_apart_what_the_protocol_does_not() -> None:
    @invariant(Base)
    def fine(protocol: Any, now: Any) -> Any:
        return now.marked.size < 3

    @invariant(Base)
    def unfair(protocol: Any, now: Any) -> Any:
        return ~now.marked.has("n3")

    model = build(Base(), [fine, unfair])
    assert symmetric_sorts(model, [model.properties["fine"]]) == (NODE,)
    assert symmetric_sorts(model, model.properties.values()) == ()


def test_only_sorts_that_occur() -> None:
    class Numbers(Protocol):
        def define(self, state: Any) -> None:
            state.number = Int(0, 1)

        def init(self, start: Any) -> None:
            start.number = 0

    assert symmetric_sorts(build(Numbers()), ()) == ()


BUILT_IN: dict[str, list[str]] = {
    "kafka-replication": ["Replica"],
    "kafka-transactions": ["Client", "TopicPartition"],
    "pulsar-compaction": ["Key", "Value"],
    "spanner-leases": ["Replica"],
    "spanner-transactions": [],
    "transaction-commit": [],
    "two-phase-commit": [],
}


def variants(name: str) -> list[dict[str, Any]]:
    """The settings of each variant of a protocol."""
    choices = getattr(entries()[name].protocol.parameters.get("variant"), "choices", None)
    return [{"variant": choice} for choice in choices] if choices else [{}]


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_protocols(name: str) -> None:
    for settings in variants(name):
        model = model_of(find(name), settings)
        sorts = symmetric_sorts(model, model.properties.values())
        assert [one.name for one in sorts] == BUILT_IN[name]
        assert_closed(model, sorts, 3)


def test_every_built_in_protocol_is_looked_at() -> None:
    assert set(entries()) == set(BUILT_IN)
