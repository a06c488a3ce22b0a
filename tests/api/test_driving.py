"""Runs of a model drive a system, and the first difference is told with the run up to there."""

from pathlib import Path
from typing import Any

import pytest

import leadline
from tests.cli.counter import Counter


class System:
    """Counts as the protocol does."""

    made: list["System"] = []  # the tests empty it

    def __init__(self) -> None:
        self.count = 0
        self.closed = False
        self.made.append(self)

    def count_up(self, node: str) -> None:
        self.count += 1

    def observe(self) -> dict[str, Any]:
        return {"count": self.count}

    def close(self) -> None:
        self.closed = True


class Wrong(System):
    """Loses the third count."""

    def count_up(self, node: str) -> None:
        if self.count != 2:
            super().count_up(node)


def test_a_right_system(tmp_path: Path) -> None:
    System.made.clear()
    trace = leadline.check(Counter, property="never-one")["never-one"].trace
    assert trace is not None
    assert leadline.drive(System, Counter, [trace]) == 1
    assert leadline.drive(System, Counter, random=5, top=4, nodes=2) == 20
    assert len(System.made) == 6 and all(one.closed for one in System.made)


def test_the_first_difference_is_told() -> None:
    with pytest.raises(leadline.Differs) as found:
        leadline.drive(Wrong, Counter, random=1)
    text = str(found.value)
    assert text.startswith("after CountUp(node = n1) the system differs: count is 2, and the model says 3\n")
    assert "  3  CountUp(node = n1)" in text


def test_a_random_run_that_fails_is_cut_down() -> None:
    class Picky(System):
        """Never counts for the second node."""

        def count_up(self, node: str) -> None:
            if node != "n2":
                super().count_up(node)

    with pytest.raises(leadline.Differs) as found:
        leadline.drive(Picky, Counter, random=20, nodes=2, top=9, seed=3)
    text = str(found.value)
    assert "  1  CountUp(node = n2)" in text
    assert "  2  " not in text


def test_mistakes_in_an_adapter() -> None:
    class Idle:
        def observe(self) -> dict[str, Any]:
            return {}

    with pytest.raises(
        leadline.UserError, match="Idle has no method count_up: it needs one for each of count_up"
    ):
        leadline.drive(Idle, Counter, random=1)

    class Blind(System):
        def observe(self) -> Any:
            return 3

    with pytest.raises(leadline.UserError, match=r"Blind.observe\(\) returns 3"):
        leadline.drive(Blind, Counter, random=1)

    class Odd(System):
        def observe(self) -> dict[str, Any]:
            return {"cuont": 1}

    with pytest.raises(leadline.UserError, match="counter has no variable `cuont`: did you mean `count`"):
        leadline.drive(Odd, Counter, random=1)
