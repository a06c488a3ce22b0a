"""The measurement of plans: their time, and the sizes that they predict."""

from pathlib import Path

import pytest

from leadline.benchmarks.planning import GRIDS, SHAPES, Shape, accuracy, main, measure

SMALL = Shape("4 points", "depth = [1, 2]\nparameters = { first = [1, 2], third = [1, 2] }\n")


def test_what_is_measured() -> None:
    took = measure(SMALL)
    assert took.queries == 4 * 4 * 2
    assert took.seconds > 0
    assert 10 < took.memory_mb < 1024


def test_a_line_for_each_grid(capsys: pytest.CaptureFixture[str]) -> None:
    main([SMALL], [])
    out = capsys.readouterr().out
    assert out.startswith("4 points: 32 queries planned in ")
    assert out.endswith(" MB\n")


def test_predicted_sizes_are_compared_with_real_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(
        '[[check]]\nprotocol = "spanner-leases"\nparameters = { replicas = { from = 2, to = 5 } }\n'
    )
    found = accuracy(grid)
    assert (len(found.ratios), found.measured) == (4, 3)
    assert 0.8 < found.ratios[0] <= 1 <= found.ratios[-1] < 1.25
    main([], [grid])
    assert capsys.readouterr().out.startswith("grid.toml: at 4 points the predicted size of a layer is ")


@pytest.mark.slow
def test_the_grids_that_come_along_are_predicted_well() -> None:
    for grid in GRIDS:
        found = accuracy(grid)
        assert found.measured < len(found.ratios)
        assert found.ratios[0] > 0.7 and found.ratios[-1] < 1.4


@pytest.mark.slow
def test_ten_thousand_queries_each() -> None:
    assert [measure(shape).queries for shape in SHAPES] == [10_000, 10_000]
