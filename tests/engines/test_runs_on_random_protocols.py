"""Claims about runs of random protocols: explored states, lassos, proofs and short runs one by one agree."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leadline.symbolic.concrete import Runs, Semantics, State, neglected
from leadline.symbolic.engines import ENGINES, BmcOptions, Options, Query, Result, Verdict, answer_here
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.runs.reduction import Counting
from leadline.symbolic.lang import Model, OutOfBounds, PropertyKind
from leadline.symbolic.meaning import Word, satisfies
from leadline.symbolic.trace import disagreement
from tests.random_runs import random_runs

LONGEST = 5
"""States of the runs that are tried one by one."""

DEEP = 40
"""Layers within which a lasso is found; more than any model of these has states."""


def asked(model: Model, options: Options, *names: str) -> dict[str, Result]:
    query = Query("random", {}, names or tuple(model.properties), options, solver="cadical")
    found = answer_here(model, query).results
    for one in found:
        if one.trace is not None:
            assert disagreement(Semantics(model), one.trace) is None
    return {one.property: one for one in found}


def words(semantics: Semantics) -> Iterator[Word]:
    """The runs of at most so many states before they repeat."""
    waiting: list[tuple[State, ...]] = [(x.state,) for x in semantics.initial() if x.state is not None]
    while waiting:
        path = waiting.pop()
        last = path[-1]
        if semantics.constraint is not None and not semantics.constraint(last, {}):
            continue
        yield Word(path, len(path) - 1)
        after = {x.state for x in semantics.successors(last) if x.state is not None}
        for state in after:
            yield from (Word(path, place) for place, other in enumerate(path) if other == state)
            if len(path) < LONGEST and state != last:
                waiting.append((*path, state))


def violated_by_short_runs(model: Model) -> set[str]:
    """The claims that a short run violates, by their definition."""
    semantics = Semantics(model)
    runs, found = Runs(semantics), set[str]()
    for word in words(semantics):
        for name, claim in model.properties.items():
            formula = claim.temporal
            if name in found or formula is None or satisfies(runs, formula, word):
                continue
            if all(neglected(runs, fair, word) is None for fair in model.fairness):
                found.add(name)
    return found


WILD = 0.3
"""The share of numbers that may be out of bounds, in protocols in which that happens often."""


def compare(seed: int, beyond: float = 0.03) -> dict[str, Verdict]:
    """The verdicts, after states explored both ways, lassos by sweeps and short runs have been compared."""
    model = random_runs(seed, beyond)
    explored = asked(model, ExploreOptions(prove=True, by="circuits"))
    verdicts = {name: one.verdict for name, one in explored.items()}
    by_values = asked(model, ExploreOptions(prove=True, by="values"))
    assert verdicts == {name: one.verdict for name, one in by_values.items()}, f"{seed}, by values"
    try:
        short = violated_by_short_runs(model)
    except OutOfBounds:
        short = set()
    for name in short:
        assert verdicts[name] is Verdict.VIOLATED, f"{name} of {seed} is violated by a short run"
    for name, verdict in verdicts.items():
        by_sweeps = asked(model, BmcOptions(DEEP if verdict is Verdict.VIOLATED else 6, "sweeps"), name)[name]
        expected = Verdict.SAFE if verdict is Verdict.PROVED else verdict
        assert by_sweeps.verdict is expected, f"{name} of {seed}: {by_sweeps.verdict}, not {expected}"
    return verdicts


def compare_steps(seed: int, verdicts: dict[str, Verdict]) -> None:
    """By steps, where the loop is selected in the unrolling."""
    model = random_runs(seed)
    for name, verdict in verdicts.items():
        found = asked(model, BmcOptions(DEEP if verdict is Verdict.VIOLATED else 6, "steps"), name)[name]
        assert found.verdict is (Verdict.SAFE if verdict is Verdict.PROVED else verdict), f"{name} of {seed}"


def compare_proofs(seed: int, verdicts: dict[str, Verdict], beyond: float = 0.03) -> None:
    """Rounds are counted first, and loops looked for where rounds have no end. Each proof has a certificate."""
    model = random_runs(seed, beyond)
    for name, verdict in verdicts.items():
        found = asked(model, ENGINES["pdr"].options(), name)[name]
        assert found.verdict is verdict, f"{name} of {seed}: {found.verdict}, not {verdict}"
        assert (found.certificate is not None) is (verdict is Verdict.PROVED)


def compare_proofs_by_loops(seed: int, verdicts: dict[str, Verdict]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Counting, "_rounds", lambda self, states: None)
        compare_proofs(seed, verdicts)


@pytest.mark.parametrize(
    "seed", [0, 1, 2, 3, *(pytest.param(x, marks=pytest.mark.slow) for x in range(4, 8))]
)
def test_all_ways_agree(seed: int) -> None:
    verdicts = compare(seed)
    compare_steps(seed, verdicts)
    if seed % 4 == 0:
        compare_proofs(seed, verdicts)
        compare_proofs_by_loops(seed, verdicts)


@pytest.mark.parametrize("seed", [1246])
def test_all_ways_agree_where_a_fair_action_goes_out_of_bounds(seed: int) -> None:
    """A run that stops before it is not fair; the step is what is wrong."""
    verdicts = compare(seed)
    assert set(verdicts.values()) == {Verdict.OUT_OF_BOUNDS}
    compare_proofs(seed, verdicts)


@pytest.mark.slow
def test_all_ways_agree_where_much_goes_out_of_bounds() -> None:
    found = set()
    for seed in range(150):
        verdicts = compare(seed, WILD)
        found |= {*verdicts.values()}
        if seed % 5 == 0:
            compare_proofs(seed, verdicts, WILD)
    assert Verdict.OUT_OF_BOUNDS in found


def test_the_sample_has_all_verdicts_and_kinds() -> None:
    models = [random_runs(seed) for seed in range(60)]
    kinds = {one.kind for model in models for one in model.properties.values()}
    assert kinds == {PropertyKind.TEMPORAL, PropertyKind.STEP}
    assert {fair.strong for model in models for fair in model.fairness} == {False, True}
    assert any(fair.types for model in models for fair in model.fairness)
    assert any(model.constraints for model in models)


@pytest.mark.slow
def test_all_ways_agree_on_500() -> None:
    verdicts = {}
    for seed in range(1000, 1500):
        verdicts[seed] = compare(seed)
        compare_proofs(seed, verdicts[seed])
        compare_steps(seed, verdicts[seed])
        if seed % 5 == 0:
            compare_proofs_by_loops(seed, verdicts[seed])
    found = {verdict for each in verdicts.values() for verdict in each.values()}
    assert found == {Verdict.PROVED, Verdict.VIOLATED, Verdict.OUT_OF_BOUNDS}
