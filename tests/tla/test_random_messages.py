"""Random modules with messages: every engine answers as TLC did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.engines.bounded.alike import sorts_alike
from leadline.symbolic.engines.explore.explore import CIRCUITS, VALUES, has_slots
from leadline.symbolic.tla import learning
from tests.tla.asking import Asking, Tlc, check, check_states
from tests.tla.random_messages import MESSAGES

ROWS: list[list[Any]] = MESSAGES.rows()
SAMPLE = [row for row in ROWS if row[0] in (3, 10, 18, 27)]
"""Modules with few states, of each kind of net; each takes less than a second."""
SLOTTED = [row for row in ROWS if row[0] in (21, 55, 122, 135)]
"""Modules with several messages at once, two of them in a bag by hand that loses messages."""


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


@pytest.mark.parametrize("row", SLOTTED, ids=str)
def test_messages_in_slots_are_counted_as_by_tlc(
    row: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_slots(row, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("row", [x for x in ROWS if x not in SLOTTED], ids=str)
def test_the_others_in_slots_are_counted_as_by_tlc(
    row: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_slots(row, tmp_path, monkeypatch)


def check_slots(row: list[Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare the states of a module whose messages lie in slots with TLC's."""
    monkeypatch.setattr(learning, "MOST_LISTED", 0)
    monkeypatch.setattr(learning, "MOST_BITS", 1)
    asking = Asking(MESSAGES.write(folder, row[0]), Tlc(*row))
    if asking.model is None and row not in SLOTTED:
        pytest.skip("a set of over 16 elements is put into slots, which has no symbolic form")
    assert asking.model is not None
    assert has_slots(one.type for one in asking.model.variables) or row not in SLOTTED
    for by in (CIRCUITS, VALUES):
        check_states(asking, by)
        if sorts_alike(asking.model, [*asking.model.properties.values(), *asking.model.constraints]):
            check_states(asking, by, symmetry=True)
