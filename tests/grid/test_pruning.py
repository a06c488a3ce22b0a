"""Queries that an answer makes moot, and queries that it must not."""

from __future__ import annotations

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import BmcOptions, Query, Verdict, answer_here
from leadline.symbolic.grid.pruning import Moot, Pruning
from leadline.symbolic.grid.query import GridQuery
from tests.engines.limited import FILE
from tests.grid.queries import finding, obligation, query, with_options


def moot(found: GridQuery, others: list[GridQuery], depth: int, steps: int) -> list[GridQuery]:
    """Queries that a violation makes moot."""
    learned = Pruning([found, *others]).learn(finding(found, "violated", depth, steps))
    return [one for one in others if one.id in learned]


def test_a_violation_by_steps() -> None:
    """Of three steps: shallower queries are safe, and two sweeps may find it or not."""
    found = query(depth=4)
    pointless = [
        query(depth=5),
        query(depth=3),
        query(depth=4, solver="cadical"),
        query(depth=4, seed=1),
        query(depth=3, unroll="sweeps"),
        obligation("initiation"),
    ]
    still = [query(depth=2), query(depth=2, unroll="sweeps"), query(depth=0)]
    assert moot(found, pointless + still, 2, 3) == pointless


def test_a_violation_by_sweeps() -> None:
    """Of seven steps, which need not be the fewest, in the second sweep."""
    found = query(depth=4, unroll="sweeps")
    pointless = [
        query(depth=2, unroll="sweeps", solver="cadical"),
        query(depth=9, unroll="sweeps"),
        query(depth=7),
    ]
    still = [query(depth=1, unroll="sweeps"), query(depth=6)]
    assert moot(found, pointless + still, 1, 7) == pointless


def test_a_violation_in_an_initial_state() -> None:
    found = query(depth=0)
    pointless = [query(depth=1), query(depth=0, unroll="sweeps"), query(depth=0, solver="cadical")]
    assert moot(found, pointless, -1, 0) == pointless


@pytest.mark.parametrize(
    "change",
    [
        {"protocol": "another"},
        {"parameters": '{"top":4}'},
        {"property": "never-one"},
        {"fingerprint": "changed"},
    ],
    ids=str,
)
def test_of_another_subject_nothing_is_moot(change: dict[str, str]) -> None:
    assert moot(query(depth=3), [query(depth=9, **change)], 2, 3) == []


@pytest.mark.parametrize("verdict", ["safe", "unknown", "out-of-bounds"])
def test_other_answers_make_nothing_moot(verdict: str) -> None:
    found, other = query(depth=5), query(depth=3)
    assert Pruning([found, other]).learn(finding(found, verdict, 5)) == {}


def test_a_proof_is_one_only_when_it_is_complete() -> None:
    """Whichever solver answered; a bounded query of a proved property is moot, an obligation is not."""
    first, second = obligation("first"), obligation("second", solver="cadical")
    again, bounded = obligation("first", solver="cadical"), query()
    pruning = Pruning([first, second, again, bounded])
    assert pruning.learn(finding(first, "proved")) == {}
    assert pruning.learn(finding(again, "unknown")) == {}
    moot = Moot(second.id, "proved for every depth by 2 obligations")
    assert pruning.learn(finding(second, "proved")) == {bounded.id: moot}


def test_nothing_becomes_moot_twice_nor_once_it_is_answered() -> None:
    first, second, third = (query(depth=depth) for depth in (3, 4, 5))
    pruning = Pruning([first, second, third])
    pruning.learn(finding(third, "violated", 2, 3))
    assert pruning.learn(finding(first, "violated", 2, 3)) == {}


def test_what_is_moot_names_the_answer() -> None:
    found, proof = query(depth=3), obligation("implication")
    learned = Pruning([found, proof, query(depth=4)]).learn(finding(found, "violated", 2, 1))
    assert learned[query(depth=4).id] == Moot(found.id, "violated in 1 step")
    assert learned[proof.id] == Moot(found.id, "violated in 1 step, so there is no proof")


@pytest.mark.parametrize(("top", "shortest", "unroll"), [(2, 2, "steps"), (4, 4, "sweeps")])
def test_the_engine_finds_what_pruning_says_it_would(top: int, shortest: int, unroll: str) -> None:
    """Every query that a violation makes moot is violated indeed, whoever found it."""
    source, settings = f"{FILE}:Lift", {"top": top}
    model = model_of(find(source, tried=True), settings)

    def ask(asked: GridQuery) -> tuple[Verdict, int, int | None]:
        assert asked.depth is not None and asked.unroll is not None
        options = BmcOptions(asked.depth, asked.unroll)
        (result,) = answer_here(model, Query(source, settings, ("below-top",), options, asked.solver)).results
        return result.verdict, result.depth, result.steps

    others = [
        query(depth=depth, unroll=way, solver=solver)
        for depth in range(7)
        for way in ("steps", "sweeps")
        for solver in ("z3", "cadical")
    ]
    found = query(depth=6, unroll=unroll)
    verdict, depth, steps = ask(found)
    assert verdict is Verdict.VIOLATED and steps is not None and steps >= shortest
    pointless = moot(found, [one for one in others if one.id != found.id], depth, steps)
    assert {ask(one)[0] for one in pointless} == {Verdict.VIOLATED}
    assert len(pointless) >= 5
    assert with_options(found, depth=0) not in pointless
