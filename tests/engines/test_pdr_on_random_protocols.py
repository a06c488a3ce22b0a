"""PDR against exploration on random small protocols: verdicts, and invariants that stand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.prove.pdr import Invariant, PdrOptions, pdr, recheck
from leadline.symbolic.lang import Model, ModelError
from leadline.symbolic.meaning import Exploration
from leadline.symbolic.solve import SOLVERS
from tests.exploring import explore
from tests.random_symmetric import symmetric_model
from tests.strategies import models

MOST = 20_000
"""States to explore at most; larger models are skipped."""

SLOW_TO_MAKE = [HealthCheck.too_slow, HealthCheck.data_too_large]


def expected(seen: Exploration, name: str) -> Verdict:
    checked = seen.properties[name]
    if checked.violation is not None:
        return Verdict.VIOLATED
    outside = checked.out_of_bounds or seen.out_of_bounds
    return Verdict.PROVED if outside is None else Verdict.OUT_OF_BOUNDS


def compare(model: Model, options: PdrOptions) -> int:
    """PDR and exploration give the same verdict of each property; the number of proofs."""
    names = list(model.properties)
    try:
        seen = explore(Semantics(model), names, max_states=MOST)
    except ModelError:
        with pytest.raises(ModelError, match="has no initial state"):
            pdr(model, model.properties[names[0]], options)
        return 0
    if not seen.complete:
        return 0
    proofs = 0
    for name in names:
        result = pdr(model, model.properties[name], options)
        assert result.verdict is expected(seen, name), name
        if result.verdict is Verdict.OUT_OF_BOUNDS:
            compare_within_bounds(model, name, options, evaluates=not seen.properties[name].out_of_bounds)
        if result.trace is not None:
            shortest = seen.properties[name].steps or 0
            assert result.verdict is not Verdict.VIOLATED or result.trace.length >= shortest
        if result.invariant is not None:
            proofs += 1
            check_invariant(model, name, result.invariant, seen.states)
    return proofs


def compare_within_bounds(model: Model, name: str, options: PdrOptions, *, evaluates: bool) -> None:
    """If steps out of bounds count as none, a property that can be evaluated is proved."""
    try:
        result = pdr(model, model.properties[name], replace(options, within_bounds=True))
    except ModelError:
        assert all(x.state is None for x in Semantics(model).initial())
        return
    assert result.verdict is (Verdict.PROVED if evaluates else Verdict.OUT_OF_BOUNDS)
    if result.invariant is not None:
        assert not recheck(model, model.properties[name], result.invariant, SOLVERS["cadical"])


def check_invariant(model: Model, name: str, found: Invariant, states: int) -> None:
    """Both solvers accept it, and refuse it with a literal changed that excludes a state."""
    target = model.properties[name]
    for solver in SOLVERS.values():
        assert not recheck(model, target, found, solver)
    changed = _with_a_literal_changed(found, Random(states))
    if changed is not None and _excludes_one(model, changed):
        assert recheck(model, target, changed, SOLVERS["cadical"])


def _with_a_literal_changed(found: Invariant, dice: Random) -> Invariant | None:
    if not found.orbits:
        return None
    place = dice.randrange(len(found.orbits))
    first, *others = found.orbits[place]
    flipped = dice.choice(first)
    changed = (tuple(-x if x == flipped else x for x in first), *others)
    orbits = (*found.orbits[:place], changed, *found.orbits[place + 1 :])
    return Invariant(found.strengthenings, orbits, found.in_bounds)


def _excludes_one(model: Model, invariant: Invariant) -> bool:
    """Whether a reachable state is excluded by a clause of which every literal matters there."""
    facts = Facts(model)
    return any(
        _inside(facts, state, cube)
        for state in _reachable(model)
        for orbit in invariant.orbits
        for cube in orbit
    )


def _reachable(model: Model) -> set[State]:
    semantics = Semantics(model)
    seen = {x.state for x in semantics.initial() if x.state is not None}
    waiting = list(seen)
    while waiting:
        for outcome in semantics.successors(waiting.pop()):
            if outcome.state is not None and outcome.state not in seen:
                seen.add(outcome.state)
                waiting.append(outcome.state)
    return seen


def _inside(facts: Facts, state: State, cube: tuple[int, ...]) -> bool:
    true, matters = facts.packed(state)
    places = [(abs(x) - TRUE - 1, x > 0) for x in cube]
    return all(matters >> place & 1 and bool(true >> place & 1) == sign for place, sign in places)


def sampled(seed: int) -> PdrOptions:
    """Few samples; every other time so many after some questions that they are all, or nearly."""
    few = PdrOptions(samples=seed % 40)
    return replace(few, longer=((seed % 9, 60), (32 + seed, 3000))) if seed % 2 else few


@given(models())
@settings(max_examples=8, deadline=None, suppress_health_check=SLOW_TO_MAKE)
def test_verdicts_are_those_of_exploration(model: Model) -> None:
    compare(model, PdrOptions())


@pytest.mark.parametrize("seed", range(8))
def test_verdicts_are_those_of_exploration_with_symmetry(seed: int) -> None:
    compare(symmetric_model(seed), sampled(seed))


@pytest.mark.slow
@given(models())
@settings(max_examples=500, deadline=None, suppress_health_check=SLOW_TO_MAKE)
def test_verdicts_are_those_of_exploration_often(model: Model) -> None:
    compare(model, PdrOptions(samples=10))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 520))
def test_verdicts_are_those_of_exploration_with_symmetry_often(seed: int) -> None:
    compare(symmetric_model(seed), sampled(seed))
