"""Random modules: every engine answers as TLC did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tla.asking import Tlc, check
from tests.tla.random_modules import MODULES

ROWS: list[list[Any]] = MODULES.rows()
SAMPLE = ROWS[3::75]


@pytest.mark.parametrize("row", SAMPLE, ids=str)
def test_a_sample_is_answered_as_by_tlc(row: list[Any], tmp_path: Path) -> None:
    check(MODULES, Tlc(*row), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("row", [x for x in ROWS if x not in SAMPLE], ids=str)
def test_the_others_are_answered_as_by_tlc(row: list[Any], tmp_path: Path) -> None:
    check(MODULES, Tlc(*row), tmp_path)
