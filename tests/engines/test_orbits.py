"""Exploration of orbits: the numbers and lengths are those of all states."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import pytest

from leadline.symbolic.bits import NoCircuits, Orbits, search
from leadline.symbolic.bits.lanes import Words, words_for
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.concrete.orbits import Symmetric
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines import Query, answer
from leadline.symbolic.engines.bounded.alike import sorts_alike
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.lang import (
    Model,
    UserError,
    build,
)
from leadline.symbolic.lang.symmetry import group_of, permuted
from leadline.symbolic.meaning import Exploration
from tests.engines.crowd import Crowd, at_most_three, not_all
from tests.engines.numbers import lengths, names_of
from tests.exploring import explore
from tests.random_symmetric import symmetric_model

SMALL: dict[str, dict[str, Any]] = {
    "kafka-replication": {"replicas": 2},
    "kafka-transactions": {"clients": 1, "max_coordinator_changes": 2, "variant": "mended-become-leader"},
    "pulsar-compaction": {"keys": 0, "values": 0},
    "spanner-leases": {"replicas": 2},
    "two-phase-commit": {},
}
MOST = 4_000
"""States at most of a random protocol."""


def small_enough(model: Model) -> Exploration | None:
    found = explore(Semantics(model), names_of(model), max_states=MOST)
    return found if found.complete else None


def by_circuits(semantics: Semantics, depth: int | None = None) -> Exploration:
    explorer = CircuitExplorer(semantics, names_of(semantics.model), depth, lambda _: None, None)
    explorer.run()
    return explorer.summary()


def check_orbits(model: Model, alone: Exploration, depth: int | None = None) -> None:
    """Orbits, by values and on circuits, against all states."""
    properties = [model.properties[name] for name in names_of(model)]
    semantics = Symmetric(model, group_of(sorts_alike(model, [*properties, *model.constraints])))
    by_values = explore(semantics, names_of(model), depth)
    found = [by_values]
    with suppress(NoCircuits):
        found.append(by_circuits(semantics, depth))
    for orbits in found:
        assert orbits.states_within_steps == alone.states_within_steps
        assert orbits.orbits_within_steps is not None and orbits.orbits == orbits.orbits_within_steps[-1]
        assert orbits.orbits_within_steps == by_values.orbits_within_steps
        assert lengths(orbits) == lengths(alone)


@pytest.mark.parametrize("part", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_random_protocols(part: int) -> None:
    compared = 0
    for seed in range(part, 30, 2):
        model = symmetric_model(seed)
        try:
            alone = small_enough(model)
        except UserError:
            continue
        if alone is not None and alone.states > 10:
            compared += 1
            check_orbits(model, alone)
    assert compared > 1


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=[pytest.mark.slow] if one.startswith("kafka") else []) for one in SMALL],
)
def test_protocols(name: str) -> None:
    model = model_of(find(name), SMALL[name])
    check_orbits(model, explore(Semantics(model), names_of(model), depth=8), 8)


def test_the_largest_case() -> None:
    """737,794 states in 123,311 orbits, as they were counted before."""
    model = model_of(find("kafka-replication"), {})
    asked = Query("kafka-replication", {}, ("strong-isr",), ExploreOptions(symmetry=True))
    found = answer(model, asked).told(ExploreFacts)
    assert (found.by, found.states, found.orbits, found.complete) == ("circuits", 737_794, 123_311, True)


# -- orbits ------------------------------------------------------------------------------------------


def packed(model: Model, states: Iterable[State]) -> Words:
    numbers = [Facts(model).packed(state)[0] for state in states]
    return search.packed(numbers, words_for(len(Facts(model).literals)))


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 20))]
)
def test_one_image_stands_for_all(seed: int) -> None:
    """The least image of each is an image, it is that of all of them, and the images are counted."""
    model = symmetric_model(seed)
    kinds = [variable.type for variable in model.variables]
    semantics = Symmetric(model, group_of(sorts_alike(model, ())))
    orbits = Orbits(model, [one for one in semantics.group if one])
    dice = random.Random(seed)
    for _ in range(20):
        state = tuple(
            next(x for i, x in enumerate(k.values()) if i >= dice.randrange(9) or i == k.cardinality - 1)
            for k in kinds
        )
        images = {
            tuple(permuted(kind, x, one) for kind, x in zip(kinds, state, strict=True))
            for one in semantics.group
        }
        rows = packed(model, images)
        assert orbits.sizes(rows).tolist() == [len(images)] * len(images)
        least = {tuple(row) for row in orbits.least(rows).tolist()}
        assert len(least) == 1 and least <= {tuple(row) for row in rows.tolist()}
        assert semantics.weight is not None and semantics.canonical is not None
        assert semantics.weight(state) == len(images)
        assert {semantics.canonical(image) for image in images} == {semantics.canonical(state)}


def crowd(*claims: Any) -> Model:
    return build(Crowd(), claims)


@pytest.mark.parametrize(
    "claims", [pytest.param((not_all,), marks=pytest.mark.slow), (not_all, at_most_three)]
)
def test_constraints_deadlocks_and_bounds(claims: tuple[Any, ...]) -> None:
    model = crowd(*claims)
    alone = explore(Semantics(model), names_of(model))
    assert alone.steps_out_of_bounds and (alone.deadlocks > 0) == (len(claims) == 1)
    check_orbits(model, alone)


def test_a_path_is_one_of_the_protocol() -> None:
    model = crowd(not_all)
    meaning = Semantics(model)
    symmetric = Symmetric(model, group_of(sorts_alike(model, list(model.properties.values()))))
    for found in (explore(meaning, names_of(model)), by_circuits(symmetric)):
        for path in (found.properties["not-all"].violation, found.deadlock, found.out_of_bounds):
            assert path is not None and path[0] in meaning.initial()
            for before, after in itertools.pairwise(path):
                assert before.state is not None and after in list(meaning.successors(before.state))


def query(name: str, **options: Any) -> tuple[Model, Query]:
    model = model_of(find(name), SMALL[name])
    return model, Query(name, SMALL[name], None, ExploreOptions(**options))


def test_claims_about_runs_are_refused() -> None:
    model, asked = query("two-phase-commit", symmetry=True)
    with pytest.raises(UserError, match=r"--symmetry: completed is a claim about runs.*--property"):
        answer(model, asked)


def test_symmetry_that_is_none_or_too_much_is_refused() -> None:
    model = model_of(find("two-phase-commit"), {})
    asked = Query("two-phase-commit", {}, ("consistency",), ExploreOptions(symmetry=True))
    with pytest.raises(UserError, match="treats the members of no sort alike"):
        answer(model, asked)
    many = {"replicas": 8}
    asked = Query("spanner-leases", many, None, ExploreOptions(symmetry=True))
    with pytest.raises(UserError, match=r"8 of Replica, have 40320 permutations, and at most 5040"):
        answer(model_of(find("spanner-leases"), many), asked)


def test_the_counts_are_told_as_reduced() -> None:
    model, asked = query("kafka-replication", symmetry=True)
    found = answer(model, asked).told(ExploreFacts)
    assert (found.states, found.orbits) == (5_973, 2_987)
    assert found.orbits_within_steps is not None and list(found.orbits_within_steps)[:4] == [1, 3, 9, 25]
    assert found.states_within_steps[:4] == [1, 5, 17, 49]
