"""Random modules with messages: every engine answers as TLC did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.tla import learning
from tests.tla.asking import Tlc, check
from tests.tla.random_messages import MESSAGES

ROWS: list[list[Any]] = [row for row in MESSAGES.rows() if (row[3] or 0) <= 2_000]
"""Of three other modules more states lie beyond the constraint, and are kept, than a question may find."""
SAMPLE = [row for row in ROWS if row[0] in (3, 10, 12, 18, 27)]
"""Modules with few states, of each kind of net; each takes less than a second."""


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of few possible messages have tables too."""
    monkeypatch.setattr(learning, "SMALL", 1)


@pytest.mark.parametrize("row", SAMPLE, ids=str)
def test_a_sample_is_answered_as_by_tlc(row: list[Any], tmp_path: Path) -> None:
    check(MESSAGES, Tlc(*row), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("row", [x for x in ROWS if x not in SAMPLE], ids=str)
def test_the_others_are_answered_as_by_tlc(row: list[Any], tmp_path: Path) -> None:
    check(MESSAGES, Tlc(*row), tmp_path)
