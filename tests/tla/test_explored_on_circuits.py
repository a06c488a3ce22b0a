"""Modules that take long are explored on circuits: the answer is that of their values."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_on_values
from leadline.symbolic.engines import Answer, Query, answer
from leadline.symbolic.engines.explore import specifications
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from tests.tla.modules import ALL

WITHOUT_MODEL = """---- MODULE Odd ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x < 3 /\\ x' = x + 1
Low == TLCGet("level") < 100
====
"""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search on values takes long."""
    monkeypatch.setattr(specifications, "SHORT", -1.0)


def explored(folder: Path, module: str, config: str, by: str | None = None) -> tuple[Answer, ExploreFacts]:
    path = folder / f"{module.split()[2]}.tla"
    path.write_text(module)
    path.with_suffix(".cfg").write_text(config)
    model = model_on_values(find(str(path)), {})
    asked = Query(str(path), {}, None, ExploreOptions(by=by), deadlock=True)
    found = answer(model, asked)
    return found, found.told(ExploreFacts)


OTHER_ACTIONS = "Votes"
"""A module whose model calls an action otherwise than the interpreter does."""


@pytest.mark.parametrize("name", [name for name in ALL if name != OTHER_ACTIONS])
def test_both_explorers_answer_alike(name: str, tmp_path: Path, at_once: None) -> None:
    module, config = ALL[name]
    found, facts = explored(tmp_path, module, config)
    expected, by_values = explored(tmp_path, module, config, "values")
    assert (facts.by, by_values.by) == ("circuits", "values")
    assert list(facts.states_within_steps) == list(by_values.states_within_steps)
    assert (facts.deadlocks, facts.complete) == (by_values.deadlocks, by_values.complete)
    verdicts = [(one.property, one.verdict, one.steps) for one in expected.results]
    assert [(one.property, one.verdict, one.steps) for one in found.results] == verdicts
    assert facts.actions == by_values.actions


def test_a_module_without_a_model_stays_on_values(tmp_path: Path, at_once: None) -> None:
    _, facts = explored(tmp_path, WITHOUT_MODEL, "INIT Init NEXT Next INVARIANT Low")
    assert (facts.by, facts.states) == ("values", 4)


def test_a_module_whose_actions_have_other_names_stays_on_values(tmp_path: Path, at_once: None) -> None:
    _, facts = explored(tmp_path, *ALL[OTHER_ACTIONS])
    assert facts.by == "values"


def test_a_short_search_is_on_values(tmp_path: Path) -> None:
    _, facts = explored(tmp_path, *ALL["Climb"])
    assert facts.by == "values"
