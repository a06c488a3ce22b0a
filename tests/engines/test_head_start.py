"""Exploring has a head start in a portfolio: other engines begin only if it is not done soon."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Query, Verdict, answer
from leadline.symbolic.engines.explore import explore
from leadline.symbolic.engines.run import parallel
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.engines.run.portfolio import PortfolioOptions
from leadline.symbolic.engines.run.process import QueryProcess


def begun(
    monkeypatch: pytest.MonkeyPatch, seconds: float, claim: str, limits: Limits | None = None
) -> tuple[list[str], Verdict]:
    """The engines that begin when exploring has a head start of some seconds, and the verdict."""
    engines: list[str] = []

    class Noted(QueryProcess):
        def __init__(self, model: Any, query: Query, limits: Limits, branches: bool) -> None:
            engines.append(query.engine)
            super().__init__(model, query, limits, branches)

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


def test_the_others_begin_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(monkeypatch, 1e-6, "consistency") == (["bmc", "explore", "pdr"], Verdict.PROVED)


def test_a_claim_about_runs_is_answered_alone_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(monkeypatch, 600, "completed") == (["explore"], Verdict.PROVED)


def test_little_time_is_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(monkeypatch, 30, "consistency", Limits(100))[0] == ["bmc", "explore", "pdr"]
