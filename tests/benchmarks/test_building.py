"""The measurement of building asks every way, and names the dearest query that took long."""

from __future__ import annotations

import pytest

from leadline.benchmarks import building
from leadline.symbolic.engines import Verdict


def test_a_protocol_is_asked_by_every_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "DEPTHS", {"steps": 1, "sweeps": 1})
    found = list(building.measure("transaction-commit"))
    assert [(one.result.unroll, one.result.solver) for one in found] == [
        ("steps", "z3"),
        ("steps", "cadical"),
        ("sweeps", "z3"),
        ("sweeps", "cadical"),
    ]
    assert {one.result.verdict for one in found} == {Verdict.SAFE}
    assert all(0 < one.share < 1 for one in found)
    monkeypatch.setattr(building, "LONG", 0.0)
    assert all(one.counts for one in found)
    building.main(["transaction-commit"])
    assert "transaction-commit        4    4 " in capsys.readouterr().out
