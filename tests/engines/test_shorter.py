"""A counterexample is replaced by a shorter one that another engine finds soon after."""

from dataclasses import replace

import pytest

from leadline.symbolic.engines import Answer, Effort, Limits, Listener, Query, Result, Verdict, answer
from leadline.symbolic.engines.ask.query import Ledger
from leadline.symbolic.engines.bounded.bmc import BmcOptions
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.run import parallel
from leadline.symbolic.engines.run.parallel import answer_here, answer_in_children
from leadline.symbolic.lang import Model
from leadline.symbolic.meaning.interface import Step
from leadline.symbolic.meaning.trace import Trace, TraceEnd
from leadline.symbolic.solve import LONE
from tests.asking import model_for

SETTINGS = {"variant": "backup-manager"}


def backup() -> Model:
    return model_for(query(ExploreOptions()))


def query(options: BmcOptions | ExploreOptions) -> Query:
    return Query("two-phase-commit", SETTINGS, ("consistency",), options=options, solver=LONE)


def test_a_shortest_counterexample_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps mostly find one of more than 24 steps, long before explorations are through so many."""
    monkeypatch.setattr(parallel, "_SECOND_MORE", 600.0)
    queries = [query(BmcOptions(50, "sweeps")), query(ExploreOptions())]
    (found,) = answer_in_children(backup(), queries, Limits(600)).results
    assert (found.verdict, found.steps) == (Verdict.VIOLATED, 24)


@pytest.mark.slow
def test_not_for_longer_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_SECOND_MORE", 0.0)
    queries = [query(BmcOptions(50, "sweeps")), query(ExploreOptions())]
    (found,) = answer_in_children(backup(), queries, Limits(600)).results
    assert found.verdict is Verdict.VIOLATED and (found.steps or 0) >= 24


def test_exploration_tells_a_violation_before_its_end() -> None:
    told: list[tuple[int, Result]] = []
    depths: list[int] = []
    listener = Listener(
        lambda now: depths.append(now.depth), lambda _: None, lambda one: told.append((depths[-1], one))
    )
    (final,) = answer_here(backup(), query(ExploreOptions()), listener).results
    (depth, first), *_ = told
    assert (first.verdict, first.steps, final.steps) == (Verdict.VIOLATED, 24, 24)
    assert depth == 24 < depths[-1], "the search goes on"


def test_a_shorter_result_takes_the_place_of_a_longer_one() -> None:
    heard: list[int | None] = []
    ledger = Ledger(Listener(lambda _: None, lambda _: None, lambda one: heard.append(one.steps)))
    for steps in (31, 24, 28):
        ledger.done(Result("x", "bmc", Verdict.VIOLATED, Effort(), steps=steps))
    assert heard == [31, 24]
    assert ledger.final["x", None].steps == 24


@pytest.mark.slow
def test_shortest_is_proved() -> None:
    (found,) = answer(backup(), query(BmcOptions(50, "sweeps", shortest=True))).results
    assert found.steps == 24


def test_an_unknown_answer_says_once_how_far_each_came() -> None:
    found = [
        Result(
            name, engine, Verdict.UNKNOWN, reason=f"time: x{f', with {far}' if far else ''}", reached=reached
        )
        for name in ("a",)
        for engine, far in (("bmc", "no bug within 9 steps"), ("pdr", "4 frames"), ("explore", ""))
        for reached in [{engine: far} if far else {}]
    ]
    best = parallel._best(found)
    told = "time: x (bmc: no bug within 9 steps; pdr: 4 frames; explore: nothing yet)"
    assert best.reason == told
    assert best.reached == {"bmc": "no bug within 9 steps", "pdr": "4 frames"}


def test_how_far_each_engine_of_a_portfolio_came_is_told_with_its_name() -> None:
    """A member that asked others says how far each of them came, once."""
    formless = Result("a", "explore", Verdict.UNKNOWN, reason="memory: y", reached={"explore": "5 states"})
    asked = {"circuits": "90 states", "pdr": "1 frame"}
    formulas = Result(
        "a", "formulas", Verdict.UNKNOWN, reason="time: x, with 90 states", reached=asked, depth=3
    )
    assert parallel._best([formless, formulas]).reason == (
        "explore: memory: y, with 5 states; formulas: time: x (circuits: 90 states; pdr: 1 frame)"
    )


def test_of_runs_out_of_bounds_the_shortest_is_told() -> None:
    """One engine ends with such a run while another, which has told a shorter one, looks for a violation."""
    model = backup()
    heard = Ledger(Listener())
    sessions = [
        parallel._Session(model, query(options), heard) for options in (BmcOptions(9), ExploreOptions())
    ]
    long, short = (
        Result("consistency", engine, Verdict.OUT_OF_BOUNDS, Effort(), steps=trace.length, trace=trace)
        for engine, trace in (("bmc", ending_in_an_error(16)), ("explore", ending_in_an_error(10)))
    )
    heard.told(short)
    sessions[0].answer = Answer([long], out_of_bounds=long.trace)
    found = parallel._settled(sessions, heard)
    assert found == Answer([short], out_of_bounds=short.trace)
    assert parallel._best([replace(long, depth=15), short]) == short


def test_an_error_of_the_module_is_told_rather_than_a_shorter_run_that_leaves_the_types() -> None:
    error, leaves = (
        Result("a", "explore", Verdict.OUT_OF_BOUNDS, Effort(), steps=trace.length, trace=trace)
        for trace in (ending_in_an_error(16), replace(ending_in_an_error(10), why=None))
    )
    assert parallel._best([leaves, error]) == error


def ending_in_an_error(steps: int) -> Trace:
    """A run whose last step is an error of the module."""
    return Trace(
        {}, (), (Step("act", {}, None),) * steps, TraceEnd.OUT_OF_BOUNDS, why="the assertion is false"
    )
