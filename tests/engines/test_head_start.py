"""Exploring has a head start in a portfolio: other engines begin only if it is not done soon."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Query, Verdict, answer
from leadline.symbolic.engines.explore import explore
from leadline.symbolic.engines.run import parallel
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.engines.run.portfolio import PortfolioOptions
from leadline.symbolic.engines.run.process import QueryProcess
from leadline.symbolic.meaning import Level


def begun(
    monkeypatch: pytest.MonkeyPatch, seconds: float, claim: str, limits: Limits | None = None
) -> tuple[list[str], Verdict]:
    """The engines that begin when exploring has a head start of some seconds, and the verdict."""
    engines: list[str] = []

    class Noted(QueryProcess):
        def __init__(self, model: Any, query: Query, *others: Any) -> None:
            engines.append(query.engine)
            super().__init__(model, query, *others)

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
    ("new", "before", "states", "left"),
    [
        (200, 100, 90_000, None),  # too few states to tell
        (120_000, 100_000, 400_000, None),
        (200_000, 50_000, 400_000, math.inf),
        (90, 100, 1_000, 0.81),
        (900_000, 1_000_000, 2_900_000, None),
    ],
)
def test_the_rest_is_foretold(new: int, before: int, states: int, left: float | None) -> None:
    assert explore.foretold(Level(9, new, states), before, 3_000_000) == left


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


def patience(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Pretended, list[float]]:
    """The patience of a portfolio, what goes ahead in it for 10 seconds from 100 on, and the clock."""
    clock, first = [100.0], Pretended()
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    found: Any = parallel._Patience()
    found.next_begins, found.head_start, found.ahead = 110.0, 10.0, {first: first}
    return found, first, clock


def test_a_head_start_is_shorter_or_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    found, first, clock = patience(monkeypatch)
    clock[0], first.ran = 108.0, 8.0
    assert found.end() == 110
    first.ran = 2.0
    assert found.end() == 116, "the machine has given six seconds to others"
    first.left = 0.5
    assert found.end() is None
    first.left = math.inf
    assert found.end() == 0
    first.left, first.searches = 0.5, False
    assert found.end() == 116


def test_processes_wait_for_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    found, first, clock = patience(monkeypatch)
    other = Pretended()

    def waiting(moment: float, ran: float, left: float | None = None) -> tuple[bool, bool]:
        clock[0], other.ran, first.left = moment, ran, left
        found.share({first: first, other: other})
        return first.waits, other.waits

    assert waiting(105, 0) == (False, False)
    found.next_begins, found.others_begin = None, 110.0
    assert waiting(111, 1) == (True, False)
    assert waiting(112, 2, left=0.9) == (False, True)
    assert waiting(129, 19) == (True, False)
    assert waiting(131, 21) == (False, False)
    assert waiting(131, 9) == (True, False), "of this turn ten seconds are lost on a busy machine"
    first.silent = True
    assert waiting(150, 40, left=0.9) == (False, False), "nobody waits for what has ended"


def test_a_process_waits_and_goes_on() -> None:
    settings = {"resource_managers": 3}
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
