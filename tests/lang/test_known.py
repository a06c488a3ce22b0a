"""Tables of what is known of a property: which row speaks, what agrees with it, and mistakes in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leadline.symbolic.lang import (
    Claim,
    Int,
    Known,
    ModelError,
    Protocol,
    at_least,
    at_most,
    build,
    expected,
    holds,
    invariant,
    parameter,
    probe,
    proved,
    violated,
)


class Clock(Protocol):
    """A clock that stands."""

    hands: int = parameter(2, at_least=1, at_most=4, doc="hands")
    hours: int | None = parameter(None, at_least=1, doc="hours; by default derived")
    kind: str = parameter("wall", choices=("wall", "wrist"), doc="kind")
    runs: bool = parameter(True, doc="whether it runs")

    def define(self, state: Any) -> None:
        state.hour = Int(0, 23)

    def init(self, start: Any) -> None:
        start.hour = 0


DEFAULTS = {"hands": 2, "hours": None, "kind": "wall", "runs": True}


def claim(known: Any, mark: Callable[..., Callable[..., Claim]] = invariant) -> Claim:
    def early(protocol: Any, now: Any) -> Any:
        return now.hour < 12

    return mark(Clock, known=known)(early)


@pytest.mark.parametrize(
    ("row", "changes", "speaks"),
    [
        (holds(), {}, True),
        (holds(), {"hands": 3}, False),
        (holds(), {"hours": 12}, False),
        (holds(hands=3), {"hands": 3}, True),
        (holds(hands=3), {"hands": 3, "kind": "wrist"}, False),
        (holds(hands=(1, 3)), {}, False),
        (holds(hands=(1, 3)), {"hands": 3}, True),
        (holds(hands=range(2, 4)), {"hands": 3}, True),
        (holds(hands=range(2, 4)), {"hands": 4}, False),
        (holds(hands=at_least(3)), {"hands": 4}, True),
        (holds(hands=at_least(3)), {}, False),
        (holds(hands=at_most(2)), {"hands": 1}, True),
        (holds(hands=at_most(2)), {"hands": 3}, False),
        (holds(hours=at_least(1)), {}, False),
        (holds(kind=..., runs=...), {"kind": "wrist", "runs": False}, True),
        (holds(hours=...), {"hours": 7}, True),
    ],
)
def test_which_rows_speak(row: Known, changes: dict[str, Any], speaks: bool) -> None:
    assert expected(claim([row]), Clock, {**DEFAULTS, **changes}) is (row if speaks else None)


def test_the_first_row_that_speaks_counts() -> None:
    rows = [violated(3, hands=4), holds(hands=...)]
    assert expected(claim(rows), Clock, {**DEFAULTS, "hands": 4}) is rows[0]
    assert expected(claim(rows), Clock, DEFAULTS) is rows[1]
    assert expected(claim(rows[0]), Clock, {**DEFAULTS, "hands": 4}) is rows[0], "one row needs no list"


def test_a_probe_is_expected_to_be_violated() -> None:
    assert expected(claim([]), Clock, DEFAULTS) is None
    assert expected(claim([], probe), Clock, DEFAULTS) == violated()
    assert expected(claim([holds()], probe), Clock, DEFAULTS) == holds()


@pytest.mark.parametrize(
    ("row", "verdict", "steps", "depth", "agrees"),
    [
        (holds(), "safe", None, 4, True),
        (proved(), "proved", None, -1, True),
        (proved(), "violated", 3, 2, False),
        (holds(), "out-of-bounds", 3, 2, False),
        (holds(), "unknown", None, 2, None),
        (violated(5), "violated", 5, 4, True),
        (violated(5), "violated", 9, -1, True),
        (violated(5), "violated", 4, 3, False),
        (violated(5), "safe", None, 4, True),
        (violated(5), "safe", None, 5, False),
        (violated(5), "proved", None, -1, False),
        (violated(5), "out-of-bounds", 2, 1, False),
        (violated(5), "unknown", None, 4, None),
        (violated(at_most(5)), "violated", 3, 2, True),
        (violated(at_most(5)), "safe", None, 4, None),
        (violated(at_most(5)), "safe", None, 5, False),
        (violated(), "violated", 3, 2, True),
        (violated(), "safe", None, 50, None),
        (violated(), "proved", None, -1, False),
    ],
)
def test_what_agrees(row: Known, verdict: str, steps: int | None, depth: int, agrees: bool | None) -> None:
    assert row.agrees(verdict, steps=steps, depth=depth) is agrees


@pytest.mark.parametrize(
    ("row", "text", "where"),
    [
        (holds(), "holds", ""),
        (violated(1, hands=3), "violated in 1 step", "hands = 3"),
        (violated(at_most(7), hands=at_least(3)), "violated in at most 7 steps", "hands >= 3"),
        (violated(hands=at_most(3), runs=False), "violated", "hands <= 3, runs = false"),
        (proved(hands=range(1, 4), kind=...), "proved", "hands = 1..3, any kind"),
        (proved(hands=(1, 3)), "proved", "hands = 1 or 3"),
    ],
)
def test_in_words(row: Known, text: str, where: str) -> None:
    assert (row.text(), row.where_text()) == (text, where)


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ([holds(hand=1)], "known names a parameter that there is not: `hand`: did you mean `hands`?"),
        ([holds(hands=9)], "known: hands must be 1..4, and is 9"),
        ([violated(3, kind=("wall", "tower"))], "known: kind must be wall | wrist, and is 'tower'"),
        ([holds(runs=1)], "known: runs must be true or false, and is 1"),
        ("holds", "known takes rows, as in known=[holds(), violated(4, nodes=3)], and not 'holds'"),
        ([holds(), 7], "known takes rows, as in known=[holds(), violated(4, nodes=3)], and not 7"),
    ],
)
def test_mistakes(known: Any, told: str) -> None:
    with pytest.raises(ModelError) as raised:
        build(Clock(), [claim(known)])
    (mistake,) = raised.value.mistakes
    assert told in mistake.text and "the property early" in mistake.text
    assert mistake.span.file == __file__
