"""Sorts that a search may treat alike where the order of evaluation decides if a step is out of bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product, repeat
from typing import Any

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.bounded.alike import representative_cases, sorts_alike
from leadline.symbolic.engines.bounded.bmc import STEPS, SWEEPS, BmcOptions
from leadline.symbolic.lang import (
    Int,
    Map,
    Model,
    Option,
    Protocol,
    Set,
    action,
    build,
    exists,
    forall,
    group_of,
    implies,
    int_range,
    invariant,
    map_of,
    of,
    parameter,
    permuted,
    pick,
    set_of,
    sort,
)
from leadline.symbolic.lang.symmetry import symmetric_sorts
from leadline.symbolic.solve.cadical import CadicalSolver
from tests.asking import bounded_check
from tests.random_symmetric import Choosing, symmetric_model
from tests.swapped import assert_closed

NODE = sort("Node", 3)
SIX = Map(NODE, Int(0, 6))


class Shares(Protocol):
    """Two nodes get numbers: first somebody 6, then somebody 0, by which a share cannot be divided.

    Whether the question of `ask` is evaluated at the 0 depends on which of the two nodes comes first.
    """

    asks: str = parameter("all", choices=("all", "some", "none", "safely"), doc="the question")

    def define(self, state: Any) -> None:
        state.numbers = SIX
        state.stage = Int(0, 2)
        state.answer = Option(NODE)

    def init(self, start: Any) -> None:
        start.numbers = map_of(NODE, lambda node: 1)
        start.stage = 0
        start.answer = None

    @action
    def six(self, now: Any, nxt: Any, node: Any = pick(NODE)) -> None:
        nxt.require(now.stage == 0)
        nxt.stage = 1
        nxt.numbers = now.numbers.set(node, 6)

    @action
    def nothing(self, now: Any, nxt: Any, node: Any = pick(NODE)) -> None:
        nxt.require(now.stage == 1, now.numbers[node] == 1)
        nxt.stage = 2
        nxt.numbers = now.numbers.set(node, 0)

    @action
    def ask(self, now: Any, nxt: Any) -> None:
        nxt.require(now.stage == 2)
        if self.asks == "all":
            nxt.require(forall(NODE, lambda node: 6 // now.numbers[node] > 1))
        elif self.asks == "some":
            nxt.require(exists(NODE, lambda node: 6 // now.numbers[node] == 1))
        elif self.asks == "safely":
            nxt.require(forall(NODE, lambda node: (now.numbers[node] > 0) & (6 // now.numbers[node] > 1)))
        nxt.stage = 0


@invariant(Shares)
def fine(protocol: Any, now: Any) -> Any:
    """Holds."""
    return now.stage < 3


def verdict(model: Model, *, symmetry: bool) -> Verdict:
    options = BmcOptions(3, unroll=SWEEPS, symmetry=symmetry)
    (result,) = bounded_check(model, list(model.properties.values()), options, CadicalSolver)
    return result.verdict


@pytest.mark.parametrize(
    ("asks", "alike", "expected"),
    [
        ("all", False, Verdict.OUT_OF_BOUNDS),
        ("some", False, Verdict.OUT_OF_BOUNDS),
        ("none", True, Verdict.SAFE),
        ("safely", True, Verdict.SAFE),
    ],
)
def test_an_order_that_shows_tells_apart(asks: str, alike: bool, expected: Verdict) -> None:
    """Treating the nodes alike once made a step out of bounds vanish: the 6 came before the 0."""
    model = build(Shares(asks=asks), [fine])
    targets = list(model.properties.values())
    assert symmetric_sorts(model, targets) == (NODE,)
    assert sorts_alike(model, targets) == ((NODE,) if alike else ())
    assert verdict(model, symmetry=True) is verdict(model, symmetry=False) is expected


def test_an_order_that_shows_in_a_property() -> None:
    @invariant(Shares)
    def all_share(protocol: Any, now: Any) -> Any:
        return forall(NODE, lambda node: 6 // now.numbers[node] > 1)

    model = build(Shares(asks="none"), [fine, all_share])
    assert sorts_alike(model, [model.properties["fine"]]) == (NODE,)
    assert sorts_alike(model, [model.properties["all-share"]]) == ()


@pytest.mark.parametrize("unroll", [STEPS, SWEEPS])
def test_false_of_one_and_out_of_bounds_at_another(unroll: str) -> None:
    """The claim is not true either way; a run renamed to use the nodes in order meets the division by 0 first."""

    @invariant(Shares)
    def none_has_all(protocol: Any, now: Any) -> Any:
        return (now.stage < 2) | forall(NODE, lambda node: 6 // (6 - now.numbers[node]) > 1)

    model = build(Shares(asks="none"), [none_has_all])
    targets = list(model.properties.values())
    assert sorts_alike(model, targets) == ()
    assert sorts_alike(model, targets, truth_alone=True) == (NODE,)
    (result,) = bounded_check(model, targets, BmcOptions(3, unroll=unroll), CadicalSolver)
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, 2)


KEY = sort("Key", 2)


class Marks(Protocol):
    """Keys of nodes, of which one is the best."""

    def define(self, state: Any) -> None:
        state.keys = Map(NODE, Set(KEY))
        state.best = NODE

    def init(self, start: Any) -> None:
        start.keys = map_of(NODE, lambda _: of(Set(KEY), frozenset()))
        start.best = start.pick("best", NODE)

    @action
    def add(self, now: Any, nxt: Any, node: Any = pick(NODE), key: Any = pick(KEY)) -> None:
        nxt.keys = now.keys.set(node, now.keys[node] | set_of(key))


def owned_once(now: Any, m: Any, k: Any, n: Any) -> Any:
    return implies(now.keys[m].has(k) & now.keys[n].has(k), m == n)


CLAIMS: dict[str, Callable[[Any], Any]] = {
    "three": lambda now: forall(
        NODE, lambda m: forall(KEY, lambda k: forall(NODE, lambda n: owned_once(now, m, k, n)))
    ),
    "a premise": lambda now: forall(
        NODE, lambda n: implies(n != now.best, forall(NODE, lambda m: now.keys[m] <= now.keys[n]))
    ),
    "parts": lambda now: (
        forall(NODE, lambda n: (n == now.best) | (now.keys[n].size < 2))
        & forall(KEY, lambda k: forall(KEY, lambda o: (k == o) | now.keys[now.best].has(k)))
    ),
    "some": lambda now: forall(NODE, lambda n: exists(KEY, lambda k: now.keys[n].has(k))),
    "members": lambda now: forall(
        NODE, lambda n: forall(now.keys[n], lambda k: forall(NODE, lambda m: now.keys[m].has(k)))
    ),
    "members first": lambda now: forall(
        now.keys[now.best],
        lambda k: forall(NODE, lambda m: forall(KEY, lambda o: owned_once(now, m, k, now.best))),
    ),
    "numbers": lambda now: forall(int_range(0, 1), lambda i: forall(NODE, lambda n: now.keys[n].size != i)),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_some_cases_stand_for_all(name: str) -> None:
    """A state violates a claim if and only if one of its images violates these cases."""

    @invariant(Marks)
    def claim(protocol: Any, now: Any) -> Any:
        return CLAIMS[name](now)

    model = build(Marks(), [claim])
    formula, kinds = model.properties["claim"].formula, [x.type for x in model.variables]
    sorts = sorts_alike(model, list(model.properties.values()))
    cases, evaluate = representative_cases(formula, sorts), Semantics(model).evaluate
    assert set(sorts) == {NODE, KEY} and cases != formula
    truths = set()
    for state in product(*(kind.values() for kind in kinds)):
        images = [tuple(map(permuted, kinds, state, repeat(way))) for way in group_of(sorts)]
        truths.add(evaluate(formula, state))
        assert evaluate(formula, state) == all(evaluate(cases, image) for image in images)
    assert truths == {True, False}


def test_a_member_of_a_set_is_permuted_with_the_state() -> None:
    """After `\\A k \\in keys` not one key stands for all."""

    @invariant(Marks)
    def claim(protocol: Any, now: Any) -> Any:
        return forall(now.keys[now.best], lambda k: forall(KEY, lambda o: k == o))

    model = build(Marks(), [claim])
    formula = model.properties["claim"].formula
    assert representative_cases(formula, (NODE, KEY)) == formula


@pytest.mark.parametrize("seed", range(60))
def test_random_protocols(seed: int) -> None:
    model = symmetric_model(seed)
    assert_closed(model, sorts_alike(model, list(model.properties.values())), 3)


def test_random_choices() -> None:
    """A choice by an order that does not show in any step or claim treats members alike."""
    known = Counter[str]()
    for seed in range(150):
        model = symmetric_model(seed, Choosing)
        properties = list(model.properties.values())
        alike = sorts_alike(model, properties)
        assert_closed(model, alike, 3)
        chosen = {*symmetric_sorts(model, properties, in_any_order=False)} - {
            *symmetric_sorts(model, properties)
        }
        known["alike"] += len(chosen.intersection(alike))
        known["apart"] += len(chosen.difference(alike))
    assert known["alike"] >= 5 and known["apart"] >= 5, known
