"""Invariants restated at other parameters, and proofs at every point up to given ones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines import Limits, Verdict
from leadline.symbolic.engines.growth import Growth, Point
from leadline.symbolic.engines.pdr import Invariant, PdrOptions, minimized, pdr, recheck
from leadline.symbolic.engines.pdr.restated import restated
from leadline.symbolic.engines.provers import PdrQuery
from leadline.symbolic.lang import Model
from leadline.symbolic.solve import SOLVERS
from tests.engines.test_words import EVERYTHING, excluded, orbit_of, random_state

HERE = Path(__file__).parent
ACTORS = str(HERE.parent / "protocols" / "readers_writers.py")
MENDED = {"variant": "mended-handle-vote"}


@pytest.mark.parametrize("seed", range(8))
def test_random_clauses_mean_the_same_when_restated(seed: int) -> None:
    """In the same model: a state is excluded by the formulas' clauses if it was before."""
    dice = Random(seed)
    model = model_of(EVERYTHING, {})
    facts = Facts(model)
    orbits = []
    for _ in range(3):
        true, _ = facts.packed(random_state(model, dice))
        some = dice.sample(range(len(facts.literals)), dice.randint(1, 4))
        cube = tuple(sorted(x + 2 if true >> x & 1 else -x - 2 for x in some))
        orbits.append(orbit_of(model, facts, cube, dice.choice([("Node", "Key"), ("Node",), ()])))
    before = Invariant((), tuple(orbits))
    after, lost = restated(model, before, model, model.properties["quiet"])
    assert lost == 0
    states = [random_state(model, dice) for _ in range(60)]
    for one, other in pairwise(states):
        mixed = tuple(dice.choice(pair) for pair in zip(one, other, strict=True))
        for state in (one, mixed):
            assert excluded(facts, state, before) is excluded(facts, state, after)


@pytest.mark.parametrize(
    ("name", "goal", "settings"),
    [
        ("two-phase-commit", "consistency", {}),
        ("spanner-leases", "disjointness", MENDED),
        ("pulsar-compaction", "compaction-horizon-correctness", {}),
        ("kafka-replication", "strong-isr", {"replicas": 2, "log_size": 1, "max_leader_epoch": 1}),
    ],
    ids=["two-phase-commit", "spanner-leases", "pulsar-compaction", "kafka-replication"],
)
def test_a_restated_invariant_is_inductive_where_it_was_found(
    name: str, goal: str, settings: Mapping[str, Any]
) -> None:
    model = model_of(find(name), settings)
    target = model.properties[goal]
    found = pdr(model, target, PdrOptions(strengthenings=False)).invariant
    assert found is not None
    least = minimized(model, target, found)
    again, lost = restated(model, least, model, target)
    assert (lost, again.clauses > 0) == (0, True)
    assert recheck(model, target, again, SOLVERS["cadical"]) == ()


def grown(source: str, goal: str, settings: Mapping[str, Any], **ranges: range) -> list[Point]:
    growth = Growth(find(source), settings, ranges, goal, PdrQuery(strengthenings=False))
    return [*growth.points(Limits())]


def check_invariant(model: Model | None, goal: str, invariant: Invariant | None) -> None:
    assert model is not None and invariant is not None
    assert recheck(model, model.properties[goal], invariant, SOLVERS["cadical"]) == ()


def test_formulas_that_are_inductive_at_a_larger_point_are_kept() -> None:
    first, second = grown("spanner-leases", "disjointness", MENDED, replicas=range(1, 3))
    assert (first.how, first.origin, first.new) == ("found by PDR", None, None)
    assert second.how == "the formulas found at replicas = 1 are inductive"
    assert (second.origin, second.new) == ({"replicas": 1}, 0)
    for point in (first, second):
        assert point.result is not None and point.result.verdict is Verdict.PROVED
        check_invariant(point.model, "disjointness", point.invariant)


def test_formulas_that_are_not_inductive_are_repaired() -> None:
    first, second = grown(ACTORS, "safety", {}, actors=range(1, 3))
    assert first.invariant is not None and second.invariant is not None and second.new is not None
    assert second.how.startswith("repaired by PDR: ")
    assert second.how.endswith(f" in {second.new} orbits")
    assert 0 < second.new <= len(second.invariant.orbits)
    for point in (first, second):
        check_invariant(point.model, "safety", point.invariant)


def test_a_violation_at_a_larger_point_is_found() -> None:
    first, second = grown(f"{HERE / 'protocols.py'}:Lift", "never-two", {}, top=range(1, 3))
    assert first.result is not None and second.result is not None
    assert (first.result.verdict, second.result.verdict) == (Verdict.PROVED, Verdict.VIOLATED)
    assert second.result.steps == 2 and second.invariant is None


@pytest.mark.slow
def test_a_grid_of_points_lends_formulas_to_larger_ones() -> None:
    sizes = {"replicas": 2, "max_records": 1}
    points = grown(
        "kafka-replication", "strong-isr", sizes, log_size=range(1, 3), max_leader_epoch=range(1, 3)
    )
    assert [(x.varied["log_size"], x.varied["max_leader_epoch"]) for x in points] == [
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
    ]
    assert [x.origin for x in points] == [
        None,
        {"log_size": 1, "max_leader_epoch": 1},
        {"log_size": 1, "max_leader_epoch": 1},
        {"log_size": 2, "max_leader_epoch": 1},
    ]
    for point in points:
        check_invariant(point.model, "strong-isr", point.invariant)


def test_time_is_for_all_points_together() -> None:
    growth = Growth(
        find("two-phase-commit"), {}, {"resource_managers": range(5, 8)}, "consistency", PdrQuery()
    )
    points = [*growth.points(Limits(0.01))]
    assert [x.result.verdict for x in points if x.result] == [Verdict.UNKNOWN] * 3
    assert points[-1].how == "not proved: time: none is left"
