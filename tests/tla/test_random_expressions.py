"""Random expressions: every engine answers as TLC did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tla.asking import Tlc, check
from tests.tla.random_expressions import EXPRESSIONS

ROWS: list[list[Any]] = EXPRESSIONS.rows()
SAMPLE = ROWS[7::40]


@pytest.mark.parametrize("row", SAMPLE, ids=str)
def test_a_sample_is_answered_as_by_tlc(row: list[Any], tmp_path: Path) -> None:
    check(EXPRESSIONS, Tlc(*row), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("row", [x for x in ROWS if x not in SAMPLE], ids=str)
def test_the_others_are_answered_as_by_tlc(row: list[Any], tmp_path: Path) -> None:
    check(EXPRESSIONS, Tlc(*row), tmp_path)
