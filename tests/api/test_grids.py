"""Grids of the library: of tables in Python, whose protocols may be classes."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

import leadline
from tests.cli.counter import Counter


@pytest.mark.slow  # it starts Spark
def test_a_grid_of_a_class(tmp_path: Path) -> None:
    """Spark's workers get a class by value; what they answer is stored, and not asked again."""
    table = {"protocol": Counter, "parameters": {"top": range(2, 5)}, "depth": 4, "solver": "cadical"}
    results = leadline.grid(table, store=tmp_path / "store", conf={"spark.driver.host": "127.0.0.1"})
    found = {(row["parameters"]["top"], row["property"]): row["verdict"] for row in results}
    assert found[2, "below-three"] == "safe"
    assert found[3, "below-three"] == found[4, "below-three"] == "violated"
    assert results.complete and len(results) == 9
    assert set(results.to_pandas()["top"]) == {2, 3, 4}
    assert '<table class="map">' in results._repr_html_()
    assert "9 queries" in str(results)
    results.report(tmp_path / "page.html")
    assert "Replayed step by step" in (tmp_path / "page.html").read_text()
    again = leadline.grid([table], store=tmp_path / "store")
    assert "9 answered in an earlier run were skipped" in str(again)


@pytest.mark.parametrize(
    ("grid", "complaint"),
    [
        ({"protocol": Counter, "depths": 3}, r"the grid: check\[1\]: a check has no key `depths`"),
        ([{"protocol": Counter, "parameters": {"top": (0, 3)}}], "top must be 1..9, and is 0"),
        ({"check": [], "depth": 3}, "nothing is asked"),
        (3, "a grid is a path, a table or several, and not 3"),
    ],
)
def test_a_wrong_grid_is_told(
    grid: Any, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(leadline.UserError, match=complaint):
        leadline.grid(grid)
    gc.collect()
    assert list(tmp_path.iterdir()) == []
