"""Bounded checks find what exploration finds, at the same depth, with each solver."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Effort, Listener, Progress, Query, Result, Verdict
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.lang import InternalError, Model, ModelError
from leadline.symbolic.meaning import Exploration
from leadline.symbolic.solve import SOLVERS, Satisfiability
from leadline.symbolic.solve.cadical import CadicalSolver
from leadline.symbolic.trace import DEADLOCK, TraceEnd
from tests.asking import bounded_query, here, model_for, options_of
from tests.engines.cases import CASES, FILE, LONG, entry
from tests.exploring import explore


def query(name: str, depth: int, **options: Any) -> Query:
    properties = tuple(options.pop("properties", ())) or None
    settings = options.pop("settings", {})
    source = entry(name).source
    return bounded_query(
        source, depth, settings=settings, properties=properties, **{"solver": "cadical", **options}
    )


def ask(asked: Query, listener: Listener = SILENT) -> dict[str, Result]:
    return {result.property: result for result in here(asked, listener)}


def explored(asked: Query) -> tuple[Model, Exploration]:
    model = model_for(asked)
    names = [one.name for one in asked.chosen(model)]
    return model, explore(Semantics(model), names, options_of(asked).depth)


def expected(asked: Query) -> dict[str, tuple[Verdict, int | None]]:
    """Verdict and length of each property as exploration has them."""
    _, exploration = explored(asked)
    step = exploration.out_of_bounds
    found: dict[str, tuple[Verdict, int | None]] = {}
    for name, checked in exploration.properties.items():
        outside = [path for path in (checked.out_of_bounds, step) if path is not None]
        if checked.violation is not None:
            found[name] = Verdict.VIOLATED, len(checked.violation) - 1
        elif outside:
            found[name] = Verdict.OUT_OF_BOUNDS, len(checked.out_of_bounds or outside[0]) - 1
        else:
            found[name] = Verdict.SAFE, None
    return found


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
        *(("z3", *case) for case in CASES[4::3]),
    ],
    ids=str,
)
def test_verdicts_and_lengths_are_those_of_exploration(
    name: str, settings: dict[str, Any], solver: str
) -> None:
    for depth in (0, 1, 2, 3, 6):
        asked = query(name, depth, settings=settings, solver=solver)
        results = ask(asked)
        assert {key: (x.verdict, x.steps) for key, x in results.items()} == expected(asked)
        for result in results.values():
            assert result.solver == solver and (result.engine, result.unroll) == ("bmc", "steps")
            assert (result.trace is None) == (result.verdict is Verdict.SAFE)
            assert result.trace is None or result.trace.length == result.steps
            violated = result.verdict is Verdict.VIOLATED and result.steps is not None
            assert result.depth == ((result.steps or 0) - 1 if violated else depth)


def test_a_step_out_of_bounds_says_which_and_why() -> None:
    result = ask(query("Lift", 9, settings={"at_top": "break"}, properties=["in-range"]))["in-range"]
    assert (result.verdict, result.steps, result.depth) == (Verdict.OUT_OF_BOUNDS, 5, 9)
    assert result.trace is not None and result.trace.ends is TraceEnd.OUT_OF_BOUNDS
    assert result.trace.last is None and result.trace.steps[-1].action == "up"
    assert result.reason is not None and result.reason.startswith("5 is not in Int(0, 4) (")


def test_a_property_out_of_bounds_says_where_and_why() -> None:
    name = "not-evaluable-at-one"
    result = ask(query("Lift", 2, properties=[name]))[name]
    assert (result.verdict, result.steps) == (Verdict.OUT_OF_BOUNDS, 1)
    assert result.trace is not None and result.trace.last == (1,) and result.trace.property == name
    assert result.reason is not None and "divisor" in result.reason


def test_a_way_to_begin_out_of_bounds() -> None:
    result = ask(query("Begin", 2, properties=["zero"]))["zero"]
    assert (result.verdict, result.steps) == (Verdict.OUT_OF_BOUNDS, 0)
    assert result.trace is not None and result.trace.initial is None
    assert result.trace.initial_picks["number"] in (2, 3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_way_to_begin_is_the_users_mistake(solver: str) -> None:
    asked = query("Begin", 2, settings={"fine": False, "broken": False}, solver=solver)
    with pytest.raises(
        ModelError, match=r"protocols.py:\d+: begin has no initial state: the guards of init exclude"
    ):
        ask(asked)


@pytest.mark.parametrize("solver", ["cadical", pytest.param("z3", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "settings", "steps"),
    [
        ("Lift", {"at_top": "stop"}, 4),
        ("Lift", {"at_top": "stop", "first": 3}, 1),
        ("Lift", {"at_top": "back"}, None),
        ("Lift", {"at_top": "break"}, None),
        ("Still", {}, 0),
        ("Dice", {}, 1),
        ("Pigeons", {"holes": 2}, 0),
    ],
)
def test_deadlocks(name: str, settings: dict[str, Any], steps: int | None, solver: str) -> None:
    for depth in (0, 3, 5):
        asked = query(name, depth, settings=settings, solver=solver, deadlock=True)
        found = ask(asked)[DEADLOCK]
        assert list(ask(asked))[-1] == DEADLOCK
        if steps is not None and steps <= depth:
            assert (found.verdict, found.steps) == (Verdict.VIOLATED, steps)
            assert found.trace is not None and found.trace.ends is TraceEnd.DEADLOCK
        else:
            assert found.verdict is not Verdict.VIOLATED
    _, exploration = explored(query(name, 5, settings=settings))
    path = exploration.deadlock
    assert (None if path is None else len(path) - 1) == steps


def test_a_failing_replay_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = Semantics.outcome

    def astray(self: Semantics, state: Any, action: str, picks: Any) -> Any:
        return None if action == "up" else outcome(self, state, action, picks)

    monkeypatch.setattr(Semantics, "outcome", astray)
    with pytest.raises(InternalError, match=r"counterexample of lift does not replay: step 1 \(up\)"):
        ask(query("Lift", 3, properties=["never-two"]))


def test_the_listener_hears_of_every_depth_and_of_every_worse_verdict() -> None:
    heard: list[Any] = []
    listener = Listener(progress=heard.append, told=heard.append)
    properties = ["never-two", "in-range", "below-top"]
    asked = query("Lift", 5, settings={"at_top": "break"}, properties=properties)
    ask(asked, listener)
    told = [(x.property, x.verdict, x.steps) for x in heard if isinstance(x, Result)]
    assert told[0] == ("never-two", Verdict.VIOLATED, 2)
    # Both are seen in the states four steps away.
    assert sorted(told[1:]) == [
        ("below-top", Verdict.VIOLATED, 4),
        ("in-range", Verdict.OUT_OF_BOUNDS, 5),
    ]
    progress = [x for x in heard if isinstance(x, Progress)]
    assert [x.depth for x in progress] == [0, 1, 2, 3, 4, 5]
    assert [len(x.open) for x in progress] == [3, 3, 2, 2, 1, 1]
    for before, after in pairwise(progress):
        assert after.seconds >= before.seconds
        assert after.variables >= before.variables and after.clauses > before.clauses


def test_out_of_bounds_is_told_before_the_violation_that_wins() -> None:
    told: list[Result] = []
    name = "not-evaluable-at-one"
    asked = query("Lift", 4, settings={"at_top": "stop"}, properties=[name])
    verdicts = expected(asked)
    ask(asked, Listener(told=told.append))
    assert [one.verdict for one in told] == [Verdict.OUT_OF_BOUNDS, Verdict.VIOLATED]
    assert (told[-1].verdict, told[-1].steps) == verdicts[name]


def test_a_search_ends_once_nothing_is_open() -> None:
    heard: list[Progress] = []
    ask(query("Lift", 50, properties=["off-the-ground"]), Listener(progress=heard.append))
    assert heard == []


def test_a_solver_that_gives_up_is_unknown_at_the_depth_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    check = CadicalSolver.check
    count = 0

    def tired(self: CadicalSolver, assumptions: Any) -> Satisfiability:
        nonlocal count
        count += 1
        return check(self, assumptions) if count < 5 else Satisfiability.UNKNOWN

    monkeypatch.setattr(CadicalSolver, "check", tired)
    properties = ["off-the-ground", "below-top"]
    results = ask(query("Lift", 50, settings={"top": 40, "first": 3}, properties=properties))
    assert results["off-the-ground"].verdict is Verdict.VIOLATED
    unknown = results["below-top"]
    assert (unknown.verdict, unknown.steps, unknown.trace) == (Verdict.UNKNOWN, None, None)
    assert unknown.reason == "the solver gave up: CaDiCaL always answers"
    assert 0 <= unknown.depth < 37


def test_verdicts_are_ordered_and_the_worst_wins() -> None:
    words = ["proved", "safe", "unknown", "out-of-bounds", "violated"]
    assert [str(verdict) for verdict in sorted(Verdict)] == words
    assert max(Verdict.SAFE, Verdict.UNKNOWN) is Verdict.UNKNOWN
    assert max(Verdict.OUT_OF_BOUNDS, Verdict.UNKNOWN, Verdict.PROVED) is Verdict.OUT_OF_BOUNDS


def test_the_effort_is_counted() -> None:
    def effort_of(depth: int) -> Effort:
        asked = query("Lift", depth, settings={"top": 40, "first": 3}, properties=["below-top"])
        return ask(asked)["below-top"].effort

    effort = effort_of(3)
    assert 0 < effort.build < effort.total and 0 < effort.solve < effort.total
    assert effort.memory_mb > 10 and effort.variables > 10 and effort.clauses > 10
    assert effort_of(6).clauses > effort.clauses


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("settings", [{}, {"top": 2}, {"fails": True}], ids=str)
def test_a_pick_from_nothing_stops_only_its_own_action(settings: dict[str, Any], solver: str) -> None:
    """A type without values once made every other action impossible too: a false `safe`."""
    source = f"{FILE.parent.parent / 'encode' / 'protocols.py'}:Picky"
    asked = bounded_query(source, 4, settings=settings, solver=solver)
    results = ask(asked)
    assert {key: (x.verdict, x.steps) for key, x in results.items()} == expected(asked)
    assert results["never-three"].verdict is Verdict.VIOLATED
