"""Random mutants of modules: no traceback, and where exploration ends, the engines agree. See `mutants`."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.tla import origin
from tests.tla.mutants import BUILT_IN, Mutant, judged, mutants

FEW, MANY = 5, 200


def cases(count: int, seed: int) -> list[tuple[str, str, Mutant]]:
    return list(mutants(BUILT_IN, count, seed))


def told(case: tuple[str, str, Mutant]) -> str:
    return f"{case[0]}, {case[2].change}"


@pytest.mark.parametrize("case", cases(FEW, seed=7), ids=told)
def test_a_mutant(case: tuple[str, str, Mutant], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "AHEAD", 0.5)
    assert judged(tmp_path, *case) in ("agrees", "refused", "not lowered", "not ended", "unknown")


@pytest.mark.slow
def test_most_of_many_mutants_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "AHEAD", 0.5)
    found = [judged(tmp_path, *case) for case in cases(MANY, seed=1)]
    assert found.count("agrees") > MANY // 2
