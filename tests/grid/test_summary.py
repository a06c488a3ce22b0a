"""Rows in words."""

from datetime import timedelta

import pytest

from leadline.symbolic.engines.ask.result import Note, NoteKind
from leadline.symbolic.grid.rows import Row, notes_json
from leadline.symbolic.grid.summary import counts, groups, latest, verdict_text
from tests.grid.rows import ROW, obligation, row, unknown

NOTES = notes_json(
    [
        Note(NoteKind.VACUOUS, "holds vacuously, since x"),
        *(Note(NoteKind.NEVER_TAKEN, f"never taken: {name}") for name in ("A", "B")),
    ]
)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (row(), "violated in 3 steps"),
        (row(steps=1), "violated in 1 step"),
        (row(stem=1, loop=2, kind="temporal"), "violated in 3 steps, back to state 1"),
        (row(stem=3, loop=1, kind="temporal"), "violated in 3 steps, then stops"),
        (row(steps=0, kind="probe"), "reached in 0 steps"),
        (row(verdict="safe", steps=None, depth=9), "safe within 9 steps"),
        (
            row(verdict="safe", steps=None, depth=9, kind="probe"),
            "not reached within 9 steps",
        ),
        (
            row(verdict="out-of-bounds", reason="3 is not in 0..2"),
            "out-of-bounds in 3 steps: 3 is not in 0..2",
        ),
        (unknown("time: stopped after 9 s", depth=4), "unknown beyond 4 steps: time: stopped after 9 s"),
        (unknown("error: a\nb\n", depth=-1), "unknown: b"),
        (row(verdict="proved", steps=None), "proved"),
        (row(verdict="safe", unroll="sweeps", steps=None, depth=1), "safe within 1 sweep"),
        (obligation("implication"), "proved"),
        (
            obligation("implication", "unknown", reason="not inductive: x breaks"),
            "unknown: not inductive: x breaks",
        ),
        (
            row(verdict="moot", steps=None, depth=-1, reason="violated at depth 3"),
            "moot: violated at depth 3",
        ),
        (
            row(verdict="proved", reason="all 4 reachable states explored", notes=NOTES),
            "proved: all 4 reachable states explored; holds vacuously, since x; 2 actions never taken",
        ),
    ],
)
def test_verdicts(found: Row, text: str) -> None:
    assert verdict_text(found) == text


def test_groups() -> None:
    other = row(parameters='{"nodes":1,"overflow":true,"top":null}')
    first, second = groups([row(), row(protocol="else"), other])
    assert first.title == "counter (nodes = 1)"
    assert first.varying == ("overflow", "top")
    assert [first.point(one) for one in first.rows] == [["false", "3"], ["true", "-"]]
    assert second.title == "else (nodes = 1, overflow = false, top = 3)"
    (bare,) = groups([row(parameters="{}")])
    assert bare.title == "counter"


def test_counts() -> None:
    assert counts([]) == "no queries"
    assert counts([row()]) == "1 query: 1 violated"
    rows = [row(verdict="safe"), unknown("time"), row(verdict="moot"), row(), row()]
    assert counts(rows) == "5 queries: 2 violated, 1 unknown, 1 safe, 1 moot"
    assert counts([row(verdict="moot"), row(verdict="proved")]) == "2 queries: 1 proved, 1 moot"


def test_only_the_latest_of_what_was_asked_again() -> None:
    newer = row(query="n", fingerprint="g", started=ROW.started + timedelta(days=1))
    deeper = row(query="d", depth_asked=12)
    assert latest([newer, row(), deeper]) == latest([row(), newer, deeper]) == [newer, deeper]


def test_points_come_by_the_size_of_their_numbers() -> None:
    points = ['{"n":2}', '{"n":10}', '{"n":"x"}', '{"n":null}']
    rows = [row(query=str(at), parameters=text) for at, text in enumerate(points)]
    assert [one.query for one in latest(rows)] == ["3", "0", "1", "2"]


def test_latest_takes_what_has_no_depth() -> None:
    rows = [obligation("b", query="b"), obligation("a", query="a"), row(seed=1, query="s"), row()]
    assert [one.query for one in latest(rows)] == ["a1", "s", "a", "b"]


def test_what_was_asked() -> None:
    assert row().question() == "10 steps"
    assert obligation("initiation of x").question() == "initiation of x"
