"""A line without effect is reported: a guard without `require`, say. Lines that do something are not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.symbolic.catalog import entries, find, ineffective
from leadline.symbolic.lang import ModelError
from tests.catalog.mistakes import FILE, mistakes

pytestmark = pytest.mark.usefixtures("tried_here")

ROOT = Path(__file__).parents[2]


IN_ACTION = "has no effect: a guard is nxt.require(...), a change is nxt.x = ..."
ELSEWHERE = "has no effect: return it, or use it"


@pytest.mark.parametrize(
    "line",
    [
        "now.x < 3",
        "n == now.x",
        "now.up.has(n)",
        "now.up.has(n) & (now.x < 3)",
        "~now.up.has(n)",
        "-now.x",
        "DEBUG or now.up.has(n)",
        "now.up",
        "now.log[1]",
        "n",
        "now.log.append(n)",
        "log.append(n)",
        "other.append(n)",
        "forall(Int(0, 3), lambda i: i < now.x)",
        "all_of(now.x < 3, now.up.has(n))",
    ],
)
def test_lines_that_say_nothing(line: str, tmp_path: Path) -> None:
    assert mistakes(tmp_path, action=line) == [f"`{line}` {IN_ACTION}"]


def test_wherever_a_state_is(tmp_path: Path) -> None:
    lines = {"action": "n > 1", "helper": "now.x > 2", "function": "now.x > 3", "claim": "now.x > 4"}
    told = mistakes(tmp_path, **lines)
    assert told == [
        f"`n > 1` {IN_ACTION}",
        f"`now.x > 2` {IN_ACTION}",
        f"`now.x > 3` {ELSEWHERE}",
        f"`now.x > 4` {ELSEWHERE}",
    ]


def test_a_state_may_be_given_by_position_only(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    text = FILE.format(action="pass", helper="pass", unrelated="pass", function="pass", claim="pass")
    path.write_text(text.replace("def below(now, n):", "def below(now, n, /):\n    now.up.has(n)"))
    with pytest.raises(ModelError, match=r"`now.up.has\(n\)` has no effect"):
        find(str(path))


def test_a_long_line_is_cut(tmp_path: Path) -> None:
    (told,) = mistakes(tmp_path, claim=f"now.x == {'1 + ' * 30}1")
    assert told == f"`now.x == {'1 + ' * 11}1 + ...` {ELSEWHERE}"


def test_what_is_told_otherwise_is_told_once(tmp_path: Path) -> None:
    (told,) = mistakes(tmp_path, action="nxt.x == 1")
    assert told.startswith("the next value of `x` cannot be compared")


@pytest.mark.parametrize(
    "line",
    [
        "...",
        '"a text"',
        "nxt.require(n > 1)",
        'nxt.pick("m", Int(0, 3))',
        "self.helper(now, nxt)",
        "names.append(now.x)",
        "item.append(1) if DEBUG else None",
        "DEBUG and print(now)",
        "below(now, n)",
    ],
)
def test_lines_that_may_do_something(line: str, tmp_path: Path) -> None:
    assert mistakes(tmp_path, action=line) == []


def test_our_own_protocols_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    functions_in = ineffective._functions_in

    def noted(file: str) -> Iterator[ast.FunctionDef]:
        seen.append(file)
        return functions_in(file)

    monkeypatch.setattr(
        ineffective, "_is_ours", lambda function: function.__module__ == "leadline.symbolic.lang"
    )
    monkeypatch.setattr(ineffective, "_functions_in", noted)
    for entry in entries().values():
        own = [x for x in entry.protocol.__mro__ if "leadline.encodings" in x.__module__]
        assert ineffective.ineffective_lines(own, entry.claims) == []
    modules = {Path(file).resolve().relative_to(ROOT).as_posix() for file in seen}
    assert {"encodings/kafka_transactions.py", "properties/two_phase_commit.py"} <= modules
