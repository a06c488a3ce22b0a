"""Queries in a child process: the same answers, and limits that hold."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from leadline.symbolic.engines import (
    Effort,
    Limits,
    Listener,
    Progress,
    Result,
    Verdict,
    answer_in_child,
)
from leadline.symbolic.engines.ask.query import SILENT, Ledger, refuse_too_large
from leadline.symbolic.engines.ask.result import Cause, Stop
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.run import limits as limits_module, process
from leadline.symbolic.engines.run.limits import TimeIsOver
from leadline.symbolic.engines.run.parallel import _Session
from leadline.symbolic.engines.run.process import Forked, Message, QueryProcess
from leadline.symbolic.lang import InternalError, ModelError, UserError
from leadline.symbolic.solve import SOLVERS
from tests.asking import bounded_query, here, model_for
from tests.engines.limited import HARD, is_at_depth_0, limited, over_after, query


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("Lift", {}),
        ("Begin", {}),
        pytest.param("Lift", {"at_top": "break"}, marks=pytest.mark.slow),
        pytest.param("Lift", {"at_top": "stop", "first": 2}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_the_answers_are_those_of_this_process(name: str, settings: dict[str, Any], solver: str) -> None:
    asked = query(name, settings=settings, solver=solver, deadlock=True)
    told: list[Result] = []
    there = limited(asked, Limits(), Listener(told=told.append))
    same = here(asked)
    nothing = Effort()
    assert [replace(one, effort=nothing) for one in there] == [replace(one, effort=nothing) for one in same]
    assert all(one.effort.total > 0 and one.effort.memory_mb > 10 for one in there)
    bad = {one.property for one in there if one.verdict is not Verdict.SAFE}
    assert {one.property for one in told} == bad
    assert bad and all(one.trace is not None for one in told), "traces survive the journey"


def test_progress_is_passed_on() -> None:
    heard: list[Progress] = []
    limited(query("Lift", 3, properties=("in-range",)), Limits(60, 4000), Listener(progress=heard.append))
    assert [one.depth for one in heard] == [0, 1, 2, 3]
    assert all(one.open == ("in-range",) and one.seconds > 0 for one in heard)


@pytest.mark.parametrize(
    "solver", [pytest.param(x, marks=[pytest.mark.slow] if x == "z3" else []) for x in SOLVERS]
)
def test_the_time_is_kept_by_killing(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts from before the limit are kept."""
    asked = query("Pigeons", settings=HARD, solver=solver)
    told: list[Result] = []
    over_after(monkeypatch, is_at_depth_0)
    flew, sits = limited(asked, Limits(seconds=600), Listener(told=told.append))
    assert (flew.verdict, flew.depth, flew.steps, flew.trace) == (Verdict.UNKNOWN, 0, None, None)
    assert (flew.reason, flew.cause) == ("time: stopped after 600 s", Cause.TIME)
    assert sits.cause is None
    assert (sits.verdict, sits.steps, sits.reason) == (Verdict.VIOLATED, 0, None)
    assert sits.trace is not None and [one.property for one in told] == ["somebody-sits"]
    assert flew.effort.total > 0 and flew.effort.memory_mb > 10 and flew.effort.clauses > 0
    assert flew.solver == solver


def test_a_counterexample_is_perhaps_not_the_shortest_when_the_time_is_over() -> None:
    asked = query("Lift", unroll="sweeps", shortest=True, properties=("below-top",))
    (found,) = here(query("Lift", unroll="sweeps", properties=("below-top",)))
    talk = _Session(model_for(asked), asked, Ledger(SILENT))
    talk.ledger.told(found)
    stop = Stop(Cause.TIME, "time: stopped after 1 s")
    ended = SimpleNamespace(query=asked, seconds=1.0, peak_mb=1.0, stop=lambda: stop)
    told = talk.result(found.about, cast(QueryProcess, ended))
    assert found.reason is None
    assert told == replace(found, reason="perhaps not the shortest: time: stopped after 1 s")


def test_an_exploration_that_begins_anew_has_come_as_far_as_before() -> None:
    """Circuits begin at the first level when values have gone far."""
    asked = replace(query("Lift", properties=("below-top",)), options=ExploreOptions())
    talk = _Session(model_for(asked), asked, Ledger(SILENT))
    for depth, far in ((14, "900 states within 14 steps"), (1, "4 states within 1 step")):
        talk.hear(Message("progress", Progress(depth, 0.0, text=far, left=float(depth))))
    stop = Stop(Cause.TIME, "time: stopped after 1 s")
    ended = SimpleNamespace(query=asked, seconds=1.0, peak_mb=1.0, stop=lambda: stop)
    told = talk.result(("below-top", None), cast(QueryProcess, ended))
    assert told.reason == "time: stopped after 1 s, with 900 states within 14 steps"
    assert (told.depth, talk.left) == (14, 1.0)


def test_too_little_time_for_anything_is_unknown_at_no_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a child may answer before this process looks at the clock: here nothing is read."""
    monkeypatch.setattr(QueryProcess, "read", lambda _: [])
    results = limited(query("Lift"), Limits(seconds=1e-9))
    assert len(results) == 5
    assert {(one.verdict, one.depth, one.reason) for one in results} == {
        (Verdict.UNKNOWN, -1, "time: stopped after 1e-09 s")
    }


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_memory_is_limited(solver: str) -> None:
    """A model too large for the limit, which the libraries and small queries keep."""
    asked = query("Pigeons", settings={"holes": 40}, properties=("nobody-flew",), solver=solver)
    (result,) = limited(asked, Limits(60, 200))
    assert (result.verdict, result.trace) == (Verdict.UNKNOWN, None)
    assert result.reason is not None and result.reason.startswith("memory: stopped at the limit of 200 MB")
    assert result.cause is Cause.MEMORY
    assert result.effort.memory_mb <= 200
    (fine,) = limited(query("Lift", properties=("in-range",), solver=solver), Limits(60, 200))
    assert fine.verdict is Verdict.SAFE


def test_the_memory_of_a_query_is_its_own() -> None:
    """Not that of this process, from which it was started."""
    ballast = bytes(300 << 20)
    (result,) = limited(query("Lift", properties=("in-range",), solver="cadical"), Limits(60))
    assert 10 < result.effort.memory_mb < 100
    flew, _ = limited(query("Pigeons", settings=HARD, solver="cadical"), Limits(seconds=1.5))
    assert 10 < flew.effort.memory_mb < 150
    assert len(ballast) >> 20 == 300


@pytest.mark.parametrize("megabytes", [1, 40, 80])
def test_a_limit_too_small_for_the_libraries(megabytes: int) -> None:
    (result,) = limited(query("Lift", properties=("in-range",)), Limits(60, megabytes))
    assert (result.verdict, result.depth) == (Verdict.UNKNOWN, -1)
    assert result.reason is not None and f"limit of {megabytes} MB" in result.reason


class Killer:
    """Kills the next child process as soon as it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pids: list[int] = []

        def forked(*arguments: Any) -> Forked:
            child = Forked(*arguments)
            assert child.pid is not None
            self.pids.append(child.pid)
            return child

        monkeypatch.setattr(process, "Forked", forked)

    def kill(self) -> None:
        os.kill(self.pids[-1], signal.SIGKILL)


def test_a_child_that_is_killed_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    killer = Killer(monkeypatch)
    listener = Listener(progress=lambda _: killer.kill())
    flew, sits = limited(query("Pigeons", settings=HARD), Limits(60), listener)
    assert (flew.verdict, flew.depth) == (Verdict.UNKNOWN, 0)
    assert (flew.reason, flew.cause) == ("crash: the query's process was ended by SIGKILL", Cause.CRASH)
    assert sits.verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("cannot allocate memory for thread-local data: ABORT", "memory: stopped at the limit of 3000 MB"),
        ("what(): std::bad_alloc", "memory: stopped at the limit of 3000 MB"),
        ("something else", "crash: the query's process was ended by SIGKILL, perhaps at the memory limit"),
    ],
)
def test_the_last_words_of_a_child_tell_that_it_got_no_memory(
    monkeypatch: pytest.MonkeyPatch, words: str, expected: str
) -> None:
    """As they come from the C library, which ends the process before Python hears of it."""
    killer = Killer(monkeypatch)
    monkeypatch.setattr(process.QueryProcess, "_last_words", lambda _: f" ({words})")
    listener = Listener(progress=lambda _: killer.kill())
    flew, _ = limited(query("Pigeons", settings=HARD), Limits(60, 3000), listener)
    assert flew.reason is not None and flew.reason.startswith(expected) and flew.reason.endswith(f"({words})")


def test_a_child_that_is_killed_under_a_memory_limit_may_have_met_it(monkeypatch: pytest.MonkeyPatch) -> None:
    killer = Killer(monkeypatch)
    listener = Listener(progress=lambda _: killer.kill())
    flew, _ = limited(query("Pigeons", settings=HARD), Limits(60, 3000), listener)
    expected = "crash: the query's process was ended by SIGKILL, perhaps at the memory limit of 3000 MB"
    assert flew.reason == expected


def test_no_child_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    killer = Killer(monkeypatch)

    def tired(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        limited(query("Pigeons", settings=HARD), Limits(60), Listener(progress=tired))
    limited(query("Lift", 1), Limits(60))
    limited(query("Lift"), Limits(seconds=0.01))
    assert len(killer.pids) == 3
    for pid in killer.pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_query_may_be_asked_from_another_thread() -> None:
    results: list[Result] = []
    asked = query("Lift", 2, properties=("never-two",))
    thread = threading.Thread(target=lambda: results.extend(limited(asked, Limits(60))))
    thread.start()
    thread.join(60)
    assert [(one.verdict, one.steps) for one in results] == [(Verdict.VIOLATED, 2)]


def test_the_users_mistake_comes_back_as_such() -> None:
    asked = query("Begin", settings={"fine": False, "broken": False})
    with pytest.raises(ModelError, match=r"protocols.py:\d+: begin has no initial state: the guards of init"):
        limited(asked, Limits(60))


OTHER = """
import os
from leadline.symbolic.lang import Int, Protocol

class Counter(Protocol):
    def define(self, state):
        state.count = Int(0, os.getpid())
    def init(self, start):
        start.count = 0
"""


def test_a_model_that_is_another_one_in_the_child(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(OTHER)
    asked = bounded_query(f"{tmp_path}/counter.py", 3, properties=(), deadlock=True)
    with pytest.raises(ModelError, match=r"counter.py makes another model each time that it is loaded"):
        limited(asked, Limits(60))


def test_a_fault_of_the_child_comes_back_in_full() -> None:
    asked = query("Lift", solver="nobody")
    with pytest.raises(InternalError, match=r"child process failed:\nTraceback[^$]*KeyError: 'nobody'"):
        limited(asked, Limits(60))


@pytest.mark.parametrize(
    ("limits", "any_limit"), [(Limits(), False), (Limits(seconds=1), True), (Limits(memory_mb=1), True)]
)
def test_whether_there_are_limits(limits: Limits, any_limit: bool) -> None:
    assert bool(limits) is any_limit


def test_a_time_limit_holds_although_its_alarm_rang_in_a_finalizer() -> None:
    class Finalized:
        def __del__(self) -> None:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM,))
            while not rang:
                pass

    rang = []

    class Noted(TimeIsOver):
        def __init__(self) -> None:
            rang.append(True)

    with pytest.MonkeyPatch.context() as patched, pytest.raises(TimeIsOver):
        patched.setattr(limits_module, "TimeIsOver", Noted)
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGALRM,))
        with limits_module.limited(Limits(seconds=0.05)):
            Finalized()
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                pass
    assert len(rang) == 2


def test_a_limit_that_is_over_at_once_leaves_no_alarm() -> None:
    for _ in range(20):
        with pytest.raises(TimeIsOver), limits_module.limited(Limits(seconds=1e-6)):
            time.sleep(60)
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_error_leaves_an_end_that_was_put_off_where_it_was() -> None:
    with limits_module.limited(Limits(seconds=60)):
        with pytest.raises(UserError), limits_module.put_off(60):
            raise UserError("no circuits")
        assert signal.getitimer(signal.ITIMER_REAL)[0] <= 60


def test_quantifiers_with_too_many_instances() -> None:
    """Refused before anything is built; smaller ones, and properties without pairs, are not."""
    query = bounded_query("two-phase-commit", 0, settings={"resource_managers": 10_000})
    model = model_for(query)
    with pytest.raises(UserError, match=r"consistency .*two_phase_commit.py.* [0-9,]{11} instances.*smaller"):
        here(query, model=model)
    with pytest.raises(UserError, match="choose smaller parameters"):
        answer_in_child(model, query, Limits(60))
    refuse_too_large(model, replace(query, properties=("type-ok", "completed")))
    refuse_too_large(model_for(replace(query, settings={"resource_managers": 4000})), query)
