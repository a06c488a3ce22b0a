"""Lines that Python decides by itself are reported: `is` on expressions, and guards that are always false."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.mistakes import mistakes

pytestmark = pytest.mark.usefixtures("tried_here")

IDENTICAL = [
    ("nxt.require(now.x is None)", "now.x is None", "False", "now.x == None"),
    ("nxt.require(now.x is not None)", "now.x is not None", "True", "now.x != None"),
    ("nxt.require((now.x is 3) & (n < 3))", "now.x is 3", "False", "now.x == 3"),
    ("nxt.require(None is log[1])", "None is log[1]", "False", "None == log[1]"),
    ("item = 3 if n is None else 2", "n is None", "False", "n == None"),
    ("nxt.require(now.x + 1 is n)", "now.x + 1 is n", "False", "now.x + 1 == n"),
    ("if (m := nxt.pick('m', now.up)) is None: pass", "(m := nxt.pick('m', now.up)) is None", "False", None),
    ("nxt.require(now.up.filter(lambda u: u is None).size == 1)", "u is None", "False", "u == None"),
    ("nxt.require(forall(now.up, lambda u: u is not n))", "u is not n", "True", "u != n"),
]


@pytest.mark.filterwarnings("ignore:.is. with a")
@pytest.mark.parametrize(("line", "shown", "value", "mend"), IDENTICAL)
def test_identity_of_an_expression(
    line: str, shown: str, value: str, mend: str | None, tmp_path: Path
) -> None:
    (told,) = mistakes(tmp_path, action=line)
    assert told.startswith(f"`{shown}` is Python's {value} in every state")
    assert mend is None or told.endswith(f": write {mend}")


def test_identity_wherever_a_state_is(tmp_path: Path) -> None:
    lines = {"helper": "y = now.x is None", "function": "y = n is now", "claim": "y = now.x is True"}
    told = mistakes(tmp_path, **lines)
    assert len(told) == 3 and all("is Python's False" in text for text in told)


@pytest.mark.parametrize(
    "line",
    [
        "nxt.require(False)",
        "nxt.require(1 > 2)",
        "nxt.require(now.x < 9, DEBUG)",
        "nxt.require(not True)",
        "off = False; nxt.require(off)",
        "nxt.require(of(Int(0, 3), 2) == 3)",
        "nxt.require(minimum(1 + 1, of(Int(0, 3), 2)) > 2)",
    ],
)
def test_a_guard_that_is_always_false(line: str, tmp_path: Path) -> None:
    (told,) = mistakes(tmp_path, action=line)
    assert "is always false, so the action is never taken" in told and "make it a parameter" in told


@pytest.mark.parametrize(
    "line",
    [
        "nxt.require(names is not None)",
        "item = self.lookup if item is None else item",
        "names = now.log if DEBUG else None; nxt.require(True if names is None else n < 3)",
        "nxt.require(not DEBUG)",
        "nxt.require(True)",
        "nxt.require(of(Int(0, 3), 2) == 2)",
        "nxt.require(of(Int(0, self.size), 2) == 3)",
        "nxt.require(self.off)",
        "off = self.off; nxt.require(off)",
        "nxt.require(*(n < k for k in names if k is not None))",
        "names = sorted([1, 2], key=lambda n: n is None)",
    ],
)
def test_lines_that_depend_on_parameters_or_on_python(line: str, tmp_path: Path) -> None:
    assert mistakes(tmp_path, action=line, unrelated="number = number is None") == []
