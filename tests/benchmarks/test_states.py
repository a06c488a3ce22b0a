"""The table of explorations."""

from __future__ import annotations

import pytest

from leadline.benchmarks import states


def test_both_explorers_count_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    states.main(["--only", "3 terms"])
    head, _, row = capsys.readouterr().out.splitlines()
    cells = dict(zip(head.split("|"), row.split("|"), strict=True))
    assert cells[" states "].strip() == "67,725"
    assert float(cells[" times as fast "]) > 0
