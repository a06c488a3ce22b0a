"""Exploring has a head start in a portfolio: other engines begin only if it is not done soon."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Query, Result, Verdict, answer
from leadline.symbolic.engines.ask.query import SILENT, Ledger
from leadline.symbolic.engines.explore import explore
from leadline.symbolic.engines.run import parallel
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.engines.run.portfolio import PortfolioOptions
from leadline.symbolic.engines.run.process import QueryProcess, used_by
from leadline.symbolic.meaning import Level


def begun(
    monkeypatch: pytest.MonkeyPatch, seconds: float, claim: str, limits: Limits | None = None
) -> tuple[list[str], Verdict]:
    """The engines that begin when exploring has a head start of some seconds, and the verdict."""
    engines: list[str] = []

    class Noted(QueryProcess):
        def __init__(self, model: Any, query: Query, limits: Limits, branches: bool, beside: bool) -> None:
            assert beside, "the fork server would be started"
            engines.append(query.engine)
            super().__init__(model, query, limits, branches, beside)

    monkeypatch.setattr(parallel, "QueryProcess", Noted)
    monkeypatch.setattr(explore, "HEAD_START", seconds)
    settings = {"resource_managers": 1}
    model = model_of(find("two-phase-commit"), settings)
    found = answer(
        model, Query("two-phase-commit", settings, (claim,), PortfolioOptions()), limits or Limits()
    )
    return sorted(engines), found.results[0].verdict


def test_exploring_answers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(monkeypatch, 600, "consistency") == (["explore"], Verdict.PROVED)


@pytest.mark.slow
def test_the_others_begin_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(monkeypatch, 1e-6, "consistency") == (["bmc", "explore", "pdr"], Verdict.PROVED)


def test_a_claim_about_runs_is_answered_alone_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(monkeypatch, 600, "completed") == (["explore"], Verdict.PROVED)


def test_little_time_is_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(monkeypatch, 30, "consistency", Limits(100))[0] == ["bmc", "explore", "pdr"]


@pytest.mark.parametrize(
    ("levels", "left"),
    [
        ([1, 5], None),
        ([1, 3, 10, 40, 200], None),  # levels that grow faster and faster
        ([400, 200, 100], 100 / 700),
        ([100, 100, 100], None),
        ([50, 200, 100, 400, 200, 800], None),  # two kinds of levels that both double
        ([512, 1024, 1448, 1448, 1024], (512 + 181 + 45 + 8 + 1) / 5456),
        ([40_000, 50_000, 60_000], None),  # too few states to tell
        ([100_000, 200_000, 400_000, 800_000], math.inf),
        ([1_000_000, 900_000, 810_000], math.inf),
    ],
)
def test_the_rest_is_foretold(levels: list[int], left: float | None) -> None:
    forecast, states, found = explore.Forecast(3_000_000), 0, None
    for depth, new in enumerate(levels):
        states += new
        found = forecast.left(Level(depth, new, states))
    assert found == (left if left is None else pytest.approx(left, rel=0.05))


class Pretended:
    """A process that runs as long as the test says."""

    silent = False
    searches = True
    left: float | None = None

    def __init__(self) -> None:
        self.ran = 0.0
        self.waits = False

    def cpu_seconds(self) -> float:
        return self.ran

    def wait(self, waits: bool) -> None:
        self.waits = waits


def patience(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Pretended]:
    """The patience of a portfolio, and what goes ahead in it for ten seconds. It is 100 o'clock."""
    first = Pretended()
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    found: Any = parallel._Patience()
    found.head_starts, found.begun = [10.0], [{first: first}]
    return found, first


def test_a_head_start_ends_by_the_work_done(monkeypatch: pytest.MonkeyPatch) -> None:
    found, first = patience(monkeypatch)
    first.ran = 8.0
    assert found.end() == 102
    first.ran = 11.0
    assert found.end() == 99
    first.left = 0.5
    assert found.end() is None
    first.left = math.inf
    assert found.end() == 0
    first.left, first.searches = 0.5, False
    assert found.end() == 99


def test_processes_wait_for_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    found, first = patience(monkeypatch)
    other = Pretended()

    def waiting(ran: float, left: float | None = None) -> tuple[bool, bool]:
        other.ran, first.left = ran, left
        found.share()
        return first.waits, other.waits

    found.share()
    assert not first.waits
    found.begun.append({other: other})
    assert waiting(1) == (True, False)
    assert waiting(2, left=0.9) == (False, True)
    assert waiting(19) == (True, False)
    assert waiting(21) == (False, False)
    found.soon = 101.0
    assert waiting(1) == (False, True), "only a shorter counterexample is waited for"
    found.soon, first.silent = None, True
    assert waiting(40, left=0.9) == (False, False), "nobody waits for what has ended"


def test_head_starts_follow_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    found, first = patience(monkeypatch)
    second, third = Pretended(), Pretended()
    found.head_starts.append(4.0)
    first.ran = 10.0
    assert found.end() == 100
    found.begun.append({second: second})
    assert found.end() == 104
    second.ran = 5.0
    assert found.end() == 99
    first.left = 0.5
    assert found.end() is None
    first.left = None
    found.begun.append({third: third})
    assert found.end() is None

    def waiting(ran: float) -> tuple[bool, bool, bool]:
        third.ran = ran
        found.share()
        return first.waits, second.waits, third.waits

    assert waiting(7) == (True, True, False)
    assert waiting(9) == (True, False, False)
    second.ran = 21.0
    assert waiting(21) == (False, False, False)
    first.left = 0.5
    assert waiting(7) == (False, True, True)


def test_sweeps_have_a_last_turn_before_types_widen(monkeypatch: pytest.MonkeyPatch) -> None:
    found, first = patience(monkeypatch)
    found.begun.append({})
    first.ran = 30.0
    assert found.end() is None
    found.spares = True
    assert found.end() == 100 + 120 - 30
    first.left = math.inf
    assert found.end() == 0
    first.left, first.silent = None, True
    assert found.end() == 0


def test_nothing_is_asked_that_is_answered() -> None:
    model = model_of(find("two-phase-commit"), {})
    query = Query("two-phase-commit", {}, None, PortfolioOptions(), deadlock=True)
    known = Ledger(SILENT)
    assert parallel._unsettled(model, query, known) is query
    for name, verdict in (("consistency", Verdict.VIOLATED), ("type-ok", Verdict.UNKNOWN)):
        known.done(Result(name, "explore", verdict))
    left = parallel._unsettled(model, query, known)
    assert left.names(model) == tuple(x for x in query.names(model) if x != "consistency")
    known.done(Result("deadlock", "explore", Verdict.PROVED))
    assert not parallel._unsettled(model, query, known).deadlock


def test_work_is_that_of_all_processes_that_one_has_started() -> None:
    busy = subprocess.Popen(["sh", "-c", "yes > /dev/null & wait"], start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while (used_by(busy.pid) or 0.0) < 0.1 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert (used_by(busy.pid) or 0.0) >= 0.1, "the shell only waits"
    finally:
        os.killpg(busy.pid, signal.SIGKILL)
        busy.wait()
    assert used_by(busy.pid) == 0


def test_where_the_time_is_over_what_a_process_printed_is_no_reason() -> None:
    settings = {"resource_managers": 3}
    model = model_of(find("two-phase-commit"), settings)
    query = Query("two-phase-commit", settings, ("consistency",), explore.ExploreOptions())
    with QueryProcess(model, query, Limits(60)) as process:
        process._errors.write(b"a module's Print")
        assert process.stop().text == "time: stopped after 60 s"


def test_a_process_waits_and_goes_on() -> None:
    settings = {"resource_managers": 7}  # it goes on for hours
    model = model_of(find("two-phase-commit"), settings)
    query = Query("two-phase-commit", settings, ("consistency",), explore.ExploreOptions())

    def state(process: QueryProcess) -> str:
        return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]

    with QueryProcess(model, query, Limits()) as process:
        process.read()  # it runs
        process.wait(True)
        deadline = time.monotonic() + 30
        while state(process) != "T" and time.monotonic() < deadline:
            time.sleep(0.01)
        assert state(process) == "T"
        process.wait(False)
        assert state(process) != "T"
