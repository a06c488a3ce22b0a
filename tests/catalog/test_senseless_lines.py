"""Lines that Python decides by itself are reported: `is` on expressions, and guards that are always false."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find
from leadline.symbolic.lang import ModelError
from tests.catalog.mistakes import FILE, mistakes

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


def test_a_branch_needs_with(tmp_path: Path) -> None:
    (told,) = mistakes(tmp_path, action="nxt.when(now.x < 3)")
    assert told == "`nxt.when(now.x < 3)` opens no branch: write `with` before it, and `:` after it"


RETURNS = """with nxt.when(now.x > 3):
            nxt.log = now.log
            return"""


def test_a_return_does_not_end_a_branch(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="this ends the action whether the branch is taken or not"):
        find(str(written(tmp_path, ("pass\n        nxt.require", f"{RETURNS}\n        nxt.require"))))


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (("    @action\n", ""), "nothing calls the method go, which looks like an action: write @action"),
        (("        return now.x\n", ""), "nothing calls the method helper"),
        (("helper(self", "_helper(self"), ""),
        (
            (
                "def helper(self, now, nxt)",
                "@action\n    def on(self, now, nxt): pass\n    @action\n    def no(self, nxt, now): pass\n"
                "    def helper(self, now, nxt)",
            ),
            "the action no takes nxt, now, and others now, nxt: the current state comes first",
        ),
    ],
)
def test_methods_that_are_almost_actions(edit: tuple[str, str], text: str, tmp_path: Path) -> None:
    path = written(tmp_path, edit)
    if not text:
        find(str(path))
    else:
        with pytest.raises(ModelError, match=text):
            find(str(path))


def written(folder: Path, edit: tuple[str, str]) -> Path:
    """The file of mistakes without any, and with an edit."""
    path = folder / "mine.py"
    lines = dict.fromkeys(("action", "helper", "unrelated", "function", "claim"), "pass")
    path.write_text(FILE.format(**lines).replace(*edit, 1))
    return path
