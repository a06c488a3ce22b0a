"""The measurement of plans: their time, and the sizes that they predict."""

import re
from pathlib import Path

import pytest

from leadline.benchmarks.planning import GRIDS, SHAPES, Shape, accuracy, main, measure

SMALL = Shape("4 points", "depth = [1, 2]\nparameters = { first = [1, 2], third = [1, 2] }\n")


@pytest.mark.slow
def test_a_line_for_each_grid(capsys: pytest.CaptureFixture[str]) -> None:
    main([SMALL], [])
    told = r"4 points: 32 queries planned in (\S+) s of CPU, the next time in \S+ s, at most (\d+) MB\n"
    line = re.fullmatch(told, capsys.readouterr().out)
    assert line is not None
    assert float(line[1]) > 0 and 10 < int(line[2]) < 1024


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
        assert found.ratios[0] > 0.7 and found.ratios[-1] < 1.5


@pytest.mark.slow
def test_ten_thousand_queries_each() -> None:
    assert [measure(shape).queries for shape in SHAPES] == [10_000, 10_000]
