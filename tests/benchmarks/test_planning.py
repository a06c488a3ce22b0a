"""The measurement of planning runs, and plans what it says."""

import pytest

from leadline.benchmarks.planning import SHAPES, Shape, main, measure

SMALL = Shape("4 points", "depth = [1, 2]\nparameters = { first = [1, 2], third = [1, 2] }\n")


def test_what_is_measured() -> None:
    took = measure(SMALL)
    assert took.queries == 4 * 4 * 2
    assert took.seconds > 0
    assert 10 < took.memory_mb < 1024


def test_a_line_for_each_grid(capsys: pytest.CaptureFixture[str]) -> None:
    main([SMALL])
    out = capsys.readouterr().out
    assert out.startswith("4 points: 32 queries planned in ")
    assert out.endswith(" MB\n")


@pytest.mark.slow
def test_ten_thousand_queries_each() -> None:
    assert [measure(shape).queries for shape in SHAPES] == [10_000, 10_000]
