"""Random modules, and random expressions in modules: every engine answers as TLC did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tla.asking import Tlc, check
from tests.tla.random_expressions import EXPRESSIONS
from tests.tla.random_modules import MODULES, Family

SAMPLE = [
    *((MODULES, row) for row in MODULES.rows()[3::75]),
    *((EXPRESSIONS, row) for row in EXPRESSIONS.rows()[7::40]),
]
OTHERS = [
    (family, row) for family in (MODULES, EXPRESSIONS) for row in family.rows() if (family, row) not in SAMPLE
]


def _name(one: object) -> str:
    return one.data.stem if isinstance(one, Family) else str(one)


@pytest.mark.parametrize(("family", "row"), SAMPLE, ids=_name)
def test_a_sample_is_answered_as_by_tlc(family: Family, row: list[Any], tmp_path: Path) -> None:
    check(family, Tlc(*row), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("family", "row"), OTHERS, ids=_name)
def test_the_others_are_answered_as_by_tlc(family: Family, row: list[Any], tmp_path: Path) -> None:
    check(family, Tlc(*row), tmp_path)
