"""A protocol is edited between two runs of a grid: what its answers depend on is asked again."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.grid.query import GridQuery

LOW = """
from leadline.symbolic.lang import Bool, Int, Protocol, action, invariant, strengthening


class Low(Protocol):
    def define(self, state):
        state.n = Int(0, 5)

    def init(self, start):
        start.n = 0

    @action
    def up(self, now, nxt):
        nxt.require(now.n < 5)
        nxt.n = now.n + 1


@invariant(Low)
def low(protocol, now):
    return now.n < 3


@invariant(Low)
def fine(protocol, now):
    return now.n <= 5


@strengthening(Low, {aim})
def helping(protocol, now):
    return now.n {helping}
"""
PROOFS = """
solver = "cadical"

[[check]]
protocol = "low.py"
properties = "low"
depth = 6
kinds = ["bounded", "induction"]
"""
SWEPT = """
from leadline.symbolic.lang import Bool, Protocol, action, invariant


class Swept(Protocol):
    sweep_order = {order}

    def define(self, state):
        state.open = Bool()
        state.through = Bool()

    def init(self, start):
        start.open = False
        start.through = False

    @action
    def unlock(self, now, nxt):
        nxt.open = True

    @action
    def enter(self, now, nxt):
        nxt.require(now.open)
        nxt.through = True


@invariant(Swept)
def outside(protocol, now):
    return ~now.through
"""
SWEEPS = """
solver = "cadical"

[[check]]
protocol = "swept.py"
unroll = "sweeps"
depth = 1
"""


def edited(texts: Sequence[str], name: str, grid: str) -> None:
    """Run a grid over each text of a protocol; the store is `kept`."""
    Path("grid.toml").write_text(grid)
    for text in texts:
        Path(name).write_text(text)
        main(["grid", "grid.toml", "--store", "kept"])


@pytest.mark.parametrize(
    ("before", "after", "helping"),
    [
        pytest.param('of="low"', 'of="low", entails=True', "<= 5", marks=pytest.mark.slow),
        ('of="low"', 'of="fine"', "!= 2"),
    ],
)
def test_a_strengthening_that_is_edited_proves_nothing_false(
    before: str,
    after: str,
    helping: str,
    folder: Path,
    asked: list[GridQuery],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Obligations of the same names held before the edit, and `low` is false after three steps."""
    texts = [LOW.format(aim=aim, helping=helping) for aim in (before, after)]
    edited(texts, "low.py", PROOFS.replace("depth = 6", "depth = 2"))
    asked.clear()
    Path("grid.toml").write_text(PROOFS)
    capsys.readouterr()
    assert main(["grid", "grid.toml", "--store", "kept"]) in (0, 20)
    told = capsys.readouterr().out
    assert "violated in 3 steps" in told
    assert "certificate" not in told and "proved for every depth" not in told
    assert not any(Path("kept", "certificates").iterdir())


def test_an_edit_that_makes_a_proof_is_seen(
    folder: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown of before the edit does not stay one."""
    grid = PROOFS.replace('"low"', '"fine"').replace('"bounded", ', "").replace("depth = 6", "")
    aims = ('of="fine"', 'of="low"')
    edited([LOW.format(aim=aim, helping="!= 2") for aim in aims], "low.py", grid)
    assert "1 proof, its certificate" in capsys.readouterr().out


def test_another_order_of_sweeps_is_another_question(
    folder: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    orders = ('("enter", "unlock")', '("unlock", "enter")')
    edited([SWEPT.format(order=order) for order in orders], "swept.py", SWEEPS)
    told = capsys.readouterr().out
    assert told.index("safe within 1 sweep") < told.index("violated in 2 steps")
