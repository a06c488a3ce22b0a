"""Random mutants of modules: no traceback, and where exploration ends, the engines agree. See `mutants`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leadline.symbolic.tla import origin
from tests.tla.mutants import BUILT_IN, Mutant, in_folder, judged, mutants

FEW, MANY = 5, 200
FOLDER = Path(os.environ.get("LEADLINE_TLA_MODULES", "/nowhere"))


@pytest.mark.parametrize("case", list(mutants(BUILT_IN, FEW, seed=7)), ids=str)
def test_a_mutant(case: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "AHEAD", 0.5)
    assert judged(tmp_path, case) in ("agrees", "refused", "not lowered", "not ended", "unknown")


def judge_many(cases: list[Mutant], folder: Path) -> list[str]:
    found = []
    for place, case in enumerate(cases):
        own = folder / str(place)
        own.mkdir()
        found.append(judged(own, case))
    return found


@pytest.mark.slow
def test_most_of_many_mutants_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "AHEAD", 0.5)
    found = judge_many(list(mutants(BUILT_IN, MANY, seed=1)), tmp_path)
    assert found.count("agrees") > MANY // 2


@pytest.mark.slow
@pytest.mark.skipif(
    not in_folder(FOLDER), reason="LEADLINE_TLA_MODULES names no folder with modules and configurations"
)
def test_mutants_of_published_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "AHEAD", 0.5)
    found = judge_many(list(mutants(in_folder(FOLDER), MANY, seed=1)), tmp_path)
    assert found.count("agrees") > MANY // 10
