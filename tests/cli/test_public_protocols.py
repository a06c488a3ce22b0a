"""Protocols of tlaplus/Examples in a user's own file: their sizes, and `check` without options."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.cli.terminal import Exit
from leadline.symbolic.concrete import Semantics
from tests.cli.conftest import Leadline
from tests.exploring import explore

PROTOCOLS = Path(__file__).parent.parent / "protocols"


@pytest.mark.slow
def test_readers_and_writers_have_the_states_that_tlc_counts() -> None:
    """The numbers of specifications/ReadersWriters/manifest.json."""
    model = model_of(find(str(PROTOCOLS / "readers_writers.py")), {})
    found = explore(Semantics(model), ["safety"])
    assert (found.states, found.generated, found.diameter) == (21_527, 59_674, 12)


@pytest.mark.parametrize(("discs", "moves"), [(3, 7), (5, 31)])
def test_hanoi_takes_so_many_moves(discs: int, moves: int) -> None:
    model = model_of(find(str(PROTOCOLS / "hanoi.py")), {"discs": discs})
    found = explore(Semantics(model), ["not-solved"])
    assert (found.states, found.properties["not-solved"].steps) == (3**discs, moves)


def test_check_proves_readers_and_writers(leadline: Leadline) -> None:
    ran = leadline("check", str(PROTOCOLS / "readers_writers.py"))
    assert (ran.code, ran.out.splitlines()[2].split()[:2]) == (0, ["safety", "proved"])


def test_check_solves_hanoi(leadline: Leadline) -> None:
    """Ten sweeps do not reach it."""
    ran = leadline("check", str(PROTOCOLS / "hanoi.py"))
    name, verdict, steps, *_ = ran.out.splitlines()[2].split()
    assert (ran.code, name, verdict) == (Exit.HOLDS, "not-solved", "reached")
    assert int(steps) >= 31
