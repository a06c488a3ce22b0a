"""Cells: the outcome of several rows together."""

from datetime import timedelta

import pytest

from leadline.symbolic.grid.cells import Goal, cells, obligations_of, proofs
from leadline.symbolic.grid.query import point_text
from leadline.symbolic.grid.rows import Row
from tests.grid.queries import obligation as asked_obligation, query as asked
from tests.grid.rows import ROW, obligation, row, unknown

SAFE = row(verdict="safe", steps=None, depth=10, trace=None)
TIMED_OUT = unknown("time: stopped after 9 s", depth=12)
MOOT = row(verdict="moot", steps=None, trace=None, depth=-1, reason="violated in 3 steps already")
TWO = {("f", "below-three"): 2}
PROOF = [obligation("initiation of x"), obligation("consecution of x under y", query="b2")]


@pytest.mark.parametrize(
    ("rows", "verdict", "text"),
    [
        ([SAFE, row()], "violated", "violated in 3 steps"),
        ([row(steps=4), row()], "violated", "violated in 3 steps"),
        ([row(), MOOT], "violated", "violated in 3 steps"),
        ([SAFE, TIMED_OUT], "safe", "safe within 10 steps"),
        ([SAFE, row(verdict="safe", steps=None, depth=11)], "safe", "safe within 11 steps"),
        ([TIMED_OUT, unknown("memory", depth=3)], "unknown",
         "unknown beyond 12 steps: time: stopped after 9 s"),
        ([row(verdict="out-of-bounds", reason="3 is not in 0..2"), SAFE], "out-of-bounds",
         "out-of-bounds in 3 steps: 3 is not in 0..2"),
        ([SAFE, *PROOF], "proved", "proved by 2 obligations"),
        ([*PROOF, row()], "violated", "violated in 3 steps"),
        (PROOF[:1], "unknown", "unknown: not every query has an answer"),
        ([MOOT], "unknown", "unknown: not every query has an answer"),
        ([*PROOF[:1], obligation("consecution of x under y", "unknown", reason="not inductive: x breaks")],
         "unknown", "unknown: not inductive: x breaks"),
        ([*PROOF[:1], SAFE], "safe", "safe within 10 steps"),
        ([row(verdict="proved", steps=None, reason=None)], "proved", "proved"),
    ],
)  # fmt: skip
def test_together(rows: list[Row], verdict: str, text: str) -> None:
    for order in (rows, rows[::-1]):
        (cell,) = cells(order, TWO)
        assert (cell.verdict, cell.text()) == (verdict, text)


@pytest.mark.parametrize(
    ("kind", "verdict", "said", "judgement"),
    [
        ("invariant", "violated", "violated", "failed"),
        ("invariant", "safe", "safe", "passed"),
        ("probe", "violated", "reached", "passed"),
        ("probe", "safe", "not reached", "open"),
        ("probe", "proved", "unreachable", "failed"),
        ("deadlock", "violated", "violated", "failed"),
    ],
)
def test_judgements(kind: str, verdict: str, said: str, judgement: str) -> None:
    (cell,) = cells([row(kind=kind, verdict=verdict)], {})
    assert (cell.said, cell.judgement) == (said, judgement)


def test_cells_are_apart_by_point_and_property() -> None:
    other = row(parameters="{}")
    found = cells([row(property="z"), other, row()], {})
    assert [cell.row for cell in found] == [other, row(), row(property="z")]


def test_only_the_latest_model_counts() -> None:
    newer = row(query="n", fingerprint="g", verdict="safe", started=ROW.started + timedelta(days=1))
    for rows in ([newer, row()], [row(), newer]):
        (cell,) = cells(rows, {})
        assert (cell.row, cell.rows) == (newer, (newer,))


def test_a_proof_needs_all_its_obligations_of_one_model() -> None:
    assert proofs(PROOF, TWO) == {Goal.of(ROW): (PROOF[1], PROOF[0])}
    assert proofs(PROOF[:1], TWO) == {}
    assert proofs([PROOF[0], PROOF[0]], TWO) == {}
    assert proofs(PROOF, {}) == {}, "nobody knows of how many obligations it consists"
    assert proofs([PROOF[0], obligation("consecution of x under y", fingerprint="g")], TWO) == {}
    assert proofs([PROOF[0], obligation("consecution of x under y", leadline_version="9")], TWO) == {}
    assert proofs([PROOF[0], obligation("consecution of x under y", "unknown", reason="time")], TWO) == {}


def test_two_solvers_for_an_obligation_are_one_obligation() -> None:
    by_two = [PROOF[0], obligation("initiation of x", solver="cadical", query="c3")]
    assert proofs(by_two, TWO) == {}
    assert len(proofs([*by_two, PROOF[1]], TWO)[Goal.of(ROW)]) == 2


def test_of_what_proofs_consist() -> None:
    bounded = asked()
    parts = [asked_obligation(name, solver=solver) for name in "ab" for solver in ("z3", "cadical")]
    assert obligations_of([bounded, *parts]) == {("f", "below-three"): 2}
    goal = Goal.of(bounded)
    assert (goal.property, goal.fingerprint, goal.leadline_version) == (
        "below-three",
        "f",
        ROW.leadline_version,
    )


def test_a_point_in_words() -> None:
    assert point_text({"a": 2, "b": False, "c": "kip-320", "d": None}) == "a = 2, b = false, c = kip-320"
