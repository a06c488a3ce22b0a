"""Sweeps against exploration: T^(at most k) is contained in W^k, and what sweeps find is a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from leadline.symbolic.catalog import model_of
from leadline.symbolic.concrete import MissingPick, Semantics
from leadline.symbolic.engines import Result, Verdict
from leadline.symbolic.engines.bounded.bmc import SWEEPS, BmcOptions
from leadline.symbolic.engines.bounded.search import deadlock_property
from leadline.symbolic.lang import Model, OutOfBounds, Protocol, UserError, build
from leadline.symbolic.meaning import Exploration
from leadline.symbolic.solve import SOLVERS
from leadline.symbolic.solve.cadical import CadicalSolver
from leadline.symbolic.trace import DEADLOCK, Trace, TraceEnd, replay
from tests.asking import bounded_check
from tests.concrete.protocols import Broken, Counter, Letters, Partial, Subsets
from tests.encode.protocols import Picky, Shelf
from tests.engines.cases import CASES, LONG, entry
from tests.exploring import explore
from tests.random_symmetric import symmetric_model
from tests.strategies import models
from tests.truth import Row, by_size, model_of_row, name_of, rows_where, shortest_violations

MOST = 20_000
"""States; protocols with more are not compared."""


def sweeps(
    model: Model, depth: int, *, symmetry: bool = True, shortest: bool = False, solver: str = "cadical"
) -> dict[str, Result]:
    options = BmcOptions(depth, unroll=SWEEPS, symmetry=symmetry, shortest=shortest)
    targets = [*model.properties.values(), deadlock_property(model)]
    results = bounded_check(model, targets, options, SOLVERS[solver])
    return {result.property: result for result in results}


@dataclass(frozen=True)
class Known:
    """The steps to a violation of a property and to something out of bounds, by exploration."""

    violation: int | None
    outside: int | None


def length(path: Any) -> int | None:
    return len(path) - 1 if path is not None else None


def known(exploration: Exploration) -> dict[str, Known]:
    found = {}
    step = length(exploration.out_of_bounds)
    for name, checked in exploration.properties.items():
        ways = [x for x in (length(checked.out_of_bounds), step) if x is not None]
        found[name] = Known(checked.steps, min(ways, default=None))
    found[DEADLOCK] = Known(length(exploration.deadlock), step)
    return found


def check_contained(model: Model, depth: int, solver: str = "cadical") -> bool:
    """Compare sweeps with exploration, with and without symmetry; whether there was anything to compare."""
    semantics = Semantics(model)
    try:
        exploration = explore(semantics, list(model.properties), max_states=MOST)
    except UserError:
        return False
    if not exploration.complete:
        return False
    plain = sweeps(model, depth, symmetry=False, solver=solver)
    alike = sweeps(model, depth, solver=solver)
    shortest = sweeps(model, depth, shortest=True, solver=solver)
    for name, truth in known(exploration).items():
        check_shortest(shortest[name], alike[name], truth)
        check_result(semantics, plain[name], truth, depth)
        check_result(semantics, alike[name], truth, depth)
        assert (plain[name].verdict, plain[name].depth) == (alike[name].verdict, alike[name].depth), name
    return True


def check_result(semantics: Semantics, result: Result, truth: Known, depth: int) -> None:
    verdict = result.verdict
    if truth.violation is not None and truth.violation <= depth:
        assert verdict is Verdict.VIOLATED
        assert result.depth < truth.violation
    elif truth.outside is not None and truth.outside <= depth:
        assert verdict >= Verdict.OUT_OF_BOUNDS
    if verdict is Verdict.VIOLATED:
        assert truth.violation is not None and result.steps is not None
        assert truth.violation <= result.steps
    elif verdict is Verdict.OUT_OF_BOUNDS:
        assert truth.outside is not None and result.steps is not None
        assert truth.outside <= result.steps
    else:
        assert verdict is Verdict.SAFE and result.trace is None and result.depth == depth
    if result.trace is not None:
        assert result.trace.length == result.steps
        replay(semantics, result.trace)
        assert_minimal(semantics, result.trace)


def check_shortest(shortest: Result, found: Result, truth: Known) -> None:
    """Check the shortened result of sweeps; a violation may turn up below a step out of bounds."""
    assert shortest.verdict >= found.verdict
    if shortest.verdict is Verdict.VIOLATED:
        assert shortest.steps == truth.violation
    elif shortest.verdict is Verdict.OUT_OF_BOUNDS:
        assert shortest.steps == truth.outside


def assert_minimal(semantics: Semantics, trace: Trace) -> None:
    """Without any one of its steps, the trace is no run to the same kind of end."""
    for left_out in range(trace.length):
        rest = [step for place, step in enumerate(trace.steps) if place != left_out]
        state, ended = trace.initial, False
        for step in rest:
            assert state is not None
            try:
                outcome = semantics.outcome(state, step.action, step.picks)
            except MissingPick:  # A step out of bounds has only the picks made before.
                break
            if outcome is None:
                break
            state = outcome.state
            if state is None:
                ended = trace.ends is TraceEnd.OUT_OF_BOUNDS and trace.last is None
                break
        else:
            ended = state is not None and is_bad(semantics, trace, state)
        assert not ended, f"step {left_out + 1} of {trace.length} can be dropped"


def is_bad(semantics: Semantics, trace: Trace, state: Any) -> bool:
    if trace.ends is TraceEnd.DEADLOCK:
        return not list(semantics.successors(state))
    if trace.property is None:
        return False
    try:
        return not semantics.holds(trace.property, state) and trace.ends is TraceEnd.VIOLATES
    except OutOfBounds:
        return trace.ends is TraceEnd.OUT_OF_BOUNDS


# -- protocols made by hand -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("solver", "name", "settings"),
    [
        *(
            pytest.param(
                "cadical",
                *case,
                marks=[pytest.mark.slow] if case in LONG else [],
                id=f"cadical-{case[0]}-{case[1]}",
            )
            for case in CASES
        ),
        *(("z3", *case) for case in CASES if case[0] != "Lift"),
    ],
    ids=str,
)
def test_verdicts_agree_with_exploration(solver: str, name: str, settings: dict[str, Any]) -> None:
    model = model_of(entry(name), settings)
    for depth in (0, 1, 4) if solver == "cadical" else (2,):
        assert check_contained(model, depth, solver)


HAND_MADE: list[Protocol] = [
    *(Counter(), Counter(guarded=False), Subsets(), Partial(), Broken(), Letters(), Shelf()),
    *(Picky(), Picky(top=2), Picky(fails=True)),
]


@pytest.mark.parametrize("protocol", HAND_MADE, ids=lambda one: type(one).__name__)
def test_deadlocks_and_bounds_agree_with_exploration(protocol: Protocol) -> None:
    model = build(protocol)
    for depth in (0, 1, 3):
        assert check_contained(model, depth)


@pytest.mark.parametrize(("name", "settings"), CASES, ids=str)
def test_the_shortest_is_as_short_as_exploration_has_it(name: str, settings: dict[str, Any]) -> None:
    model = model_of(entry(name), settings)
    truth = known(explore(Semantics(model), list(model.properties)))
    found = sweeps(model, 6)
    for name, result in sweeps(model, 6, shortest=True).items():
        check_shortest(result, found[name], truth[name])
        if result.trace is not None:
            replay(Semantics(model), result.trace)


def test_an_action_is_taken_once_in_a_sweep() -> None:
    result = sweeps(model_of(entry("Lift"), {"top": 3}), 3)["below-top"]
    assert (result.verdict, result.depth, result.steps) == (Verdict.VIOLATED, 2, 3)


# -- random protocols -------------------------------------------------------------------------------


def test_random_symmetric_protocols() -> None:
    compared = [check_contained(symmetric_model(seed), 1 + seed % 3) for seed in range(6)]
    assert sum(compared) > 4


@pytest.mark.slow
def test_many_random_symmetric_protocols() -> None:
    compared = [check_contained(symmetric_model(seed), 1 + seed % 4) for seed in range(25, 800)]
    assert sum(compared) > 600


@pytest.mark.parametrize("solver", ["cadical", pytest.param("z3", marks=pytest.mark.slow)])
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(models())
def test_random_protocols(solver: str, model: Model) -> None:
    check_contained(model, 3, solver)


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(models())
def test_many_random_protocols(solver: str, model: Model) -> None:
    check_contained(model, 4, solver)


def test_random_protocols_have_runs() -> None:
    """The comparison would say nothing if they had no violations, deadlocks and steps out of bounds."""
    found = []
    for seed in range(25):
        model = symmetric_model(seed)
        exploration = explore(Semantics(model), list(model.properties), max_states=MOST)
        found += [x for one in known(exploration).values() for x in (one.violation, one.outside)]
    assert sum(x is not None and x > 0 for x in found) > 25
    assert sum(x is not None and x > 1 for x in found) > 5


# -- built-in protocols -----------------------------------------------------------------------------

SOUGHT = {"KafkaTruncateToHighWatermark", "Kip101", "TPC", "TPCBTM"}
"""TLC's names of the modules that are looked at: the others' bugs take long to refute below their depth."""


def violated(row: Row) -> bool:
    return row["module"] in SOUGHT and any(
        one["shortest_violation_steps"] is not None for one in row["properties"].values()
    )


def check_row(row: Row, *, symmetry: bool) -> None:
    model = model_of_row(row)
    wanted = {k: v for k, v in shortest_violations(row).items() if v is not None}
    properties = [model.properties[name] for name in wanted]
    options = BmcOptions(12, unroll=SWEEPS, symmetry=symmetry, shortest=True)
    results = bounded_check(model, properties, options, CadicalSolver)
    assert {result.property: result.steps for result in results} == wanted
    for result in results:
        assert result.verdict is Verdict.VIOLATED and result.trace is not None
        replay(Semantics(model), result.trace)


def cheap(row: Row) -> bool:
    """Not Kafka's with three replicas or over 10 steps, nor others of over 20: refuting those takes long."""
    longest = max(one["shortest_violation_steps"] or 0 for one in row["properties"].values())
    if row["module"].startswith("TPC"):
        return violated(row) and longest < 20
    return violated(row) and longest < 10 and row["parameters"]["Replicas"] == "{r1,r2}"


@pytest.mark.parametrize("row", by_size(rows_where(cheap), 3_000))
def test_shortest_violations_are_those_of_tlc(row: Row) -> None:
    check_row(row, symmetry=True)


@pytest.mark.slow
@pytest.mark.parametrize("row", rows_where(violated), ids=name_of)
def test_shortest_violations_without_symmetry(row: Row) -> None:
    check_row(row, symmetry=False)


@pytest.mark.slow
@pytest.mark.parametrize("row", rows_where(violated), ids=name_of)
def test_all_shortest_violations_are_those_of_tlc(row: Row) -> None:
    check_row(row, symmetry=True)
