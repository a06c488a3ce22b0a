"""The table of explorations."""

from __future__ import annotations

import pytest

from leadline.benchmarks import states


@pytest.mark.slow
def test_both_explorers_count_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (states.Row("KIP-320 2/2/2/2", "kafka-replication", "strong-isr", {"replicas": 2}), *states.ROWS)
    monkeypatch.setattr(states, "ROWS", rows)
    states.main(["--only", "2/2/2/2"])
    head, _, row = capsys.readouterr().out.splitlines()
    cells = dict(zip(head.split("|"), row.split("|"), strict=True))
    assert cells[" states "].strip() == "5,973"
    assert float(cells[" times as fast "]) > 0
