"""The course of a grid, with an executor that answers in any order, loses queries, and stops them late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, strategies as st

from leadline.symbolic.grid.pruning import Moot, Pruning
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.schedule import EndedQuery, RunProgress, Schedule
from leadline.symbolic.grid.task import TaskResult
from tests.grid.queries import finding, obligation, query

BUGS = {1: 3, 2: 0, 3: None}
"""Points, and how many steps the bug takes there; where there is none, a proof succeeds."""

BOUNDED = [
    query(parameters=str(point), depth=depth, unroll=unroll)
    for point in BUGS
    for unroll, depths in (("steps", 6), ("sweeps", 3))
    for depth in range(depths)
]


def proof(point: int) -> list[GridQuery]:
    return [obligation(name, parameters=str(point)) for name in ("initiation", "consecution")]


def grids() -> st.SearchStrategy[list[GridQuery]]:
    """Some bounded queries and some proofs, each of these whole, in any order."""
    bounded = st.lists(st.sampled_from(BOUNDED), unique=True)
    proofs = st.sets(st.sampled_from(sorted(BUGS)))
    both = st.builds(
        lambda some, points: [*some, *(one for x in points for one in proof(x))], bounded, proofs
    )
    return both.flatmap(st.permutations)


def truth(asked: GridQuery) -> Row:
    """The row of a query's answer."""
    bug = BUGS[int(asked.parameters)]
    if asked.obligation is not None:
        return finding(asked, "proved" if bug is None or asked.obligation == "initiation" else "unknown")
    assert asked.depth is not None
    reach = asked.depth if asked.unroll == "steps" else asked.depth * 3
    if bug is None or bug > reach:
        return finding(asked, "safe", asked.depth)
    return finding(asked, "violated", (bug if asked.unroll == "steps" else -(-bug // 3)) - 1, bug)


@dataclass
class Kept:
    """An archive that remembers."""

    answers: list[str] = field(default_factory=list)
    moots: dict[str, Moot] = field(default_factory=dict)
    losses: dict[str, str] = field(default_factory=dict)

    def keep(self, answer: TaskResult) -> None:
        self.answers.append(answer.row.query)

    def unanswered(self, query: GridQuery, why: Moot | str) -> None:
        if isinstance(why, Moot):
            self.moots[query.id] = why
        else:
            self.losses[query.id] = why


@dataclass
class Fake:
    """An executor whose course somebody chooses: a number below each given one."""

    choose: Callable[[int], int]
    slots: int = 2
    loses: bool = False
    running: list[GridQuery] = field(default_factory=list)
    cancelled: set[str] = field(default_factory=set)
    started: list[GridQuery] = field(default_factory=list)
    findings: dict[str, Row] = field(default_factory=dict)

    def width(self) -> int:
        return self.slots

    def start(self, query: GridQuery) -> None:
        self.running.append(query)
        self.started.append(query)
        assert len(self.running) <= self.slots

    def cancel(self, query: GridQuery) -> None:
        assert query in self.running
        self.cancelled.add(query.id)

    def wait(self, seconds: float) -> EndedQuery | None:
        if self.choose(5) == 4:
            return None
        query = self.running.pop(self.choose(len(self.running)))
        if (query.id in self.cancelled and self.choose(2)) or (self.loses and self.choose(4) == 3):
            return EndedQuery(query, None, "lost: the worker died")
        self.findings[query.id] = truth(query)
        return EndedQuery(query, TaskResult(truth(query), stored=bool(self.choose(2))))


def ran(fake: Fake, queries: list[GridQuery], *, prune: bool = True) -> Kept:
    kept = Kept()
    told: list[RunProgress] = []
    schedule = Schedule(queries, {one.id: 1.0 for one in queries}, kept, Pruning(queries) if prune else None)
    schedule.run(fake, told.append)
    progress = schedule.progress
    assert progress.done + progress.moot == progress.total == len(queries) and progress.running == 0
    return kept


@given(grids(), st.integers(1, 5), st.booleans(), st.data())
def test_every_query_is_answered_moot_or_lost(
    queries: list[GridQuery], slots: int, loses: bool, data: st.DataObject
) -> None:
    fake = Fake(lambda below: data.draw(st.integers(0, below - 1)), slots, loses)
    kept = ran(fake, queries)
    assert len(fake.started) == len({one.id for one in fake.started}), "nothing is run twice"
    found = set(fake.findings)
    assert set(kept.answers) <= found
    names = [*found, *kept.moots, *kept.losses]
    assert sorted(names) == sorted(one.id for one in queries), "each ends in one way"
    for name, why in kept.moots.items():
        (asked,) = [one for one in queries if one.id == name]
        cause = fake.findings[why.by]
        assert cause.parameters == asked.parameters
        if cause.verdict == "violated" and asked.obligation is None:
            assert truth(asked).verdict == "violated"
        elif cause.verdict == "violated":
            assert truth(obligation("consecution", parameters=asked.parameters)).verdict == "unknown"
        else:
            assert (cause.verdict, asked.obligation) == ("proved", None)
            assert truth(asked).verdict == "safe"
    assert not kept.losses or loses


def test_pruning_saves_most_of_a_grid_with_bugs() -> None:
    queries = [query(parameters="1", depth=depth, solver=x) for depth in range(12) for x in ("z3", "cadical")]
    fake = Fake(lambda below: 0, slots=1)
    kept = ran(fake, queries)
    assert (len(fake.started), len(kept.moots)) == (7, 17), "three depths by both solvers, one violation"
    everything = Fake(lambda below: 0, slots=1)
    assert ran(everything, queries, prune=False).moots == {}
    assert len(everything.started) == 24


def test_one_that_runs_is_cancelled_and_its_answer_counts_if_it_comes() -> None:
    deep, shallow = query(parameters="1", depth=5), query(parameters="1", depth=3)
    for answers_anyway in (False, True):
        choices = iter([0, 0, 0, 0, 0, 0 if answers_anyway else 1, 0])
        fake = Fake(lambda below, choices=choices: min(next(choices), below - 1))  # type: ignore[misc]  # bound now
        kept = ran(fake, [shallow, deep])
        assert fake.cancelled == {deep.id}
        assert (deep.id in kept.moots) is not answers_anyway


def test_a_lost_query_is_named_with_its_reason() -> None:
    asked = query(parameters="3")
    fake = Fake(lambda below: below - 1 if below == 4 else 0, loses=True)
    assert ran(fake, [asked]).losses == {asked.id: "lost: the worker died"}


def test_an_archive_that_takes_no_more_ends_the_run() -> None:
    class Full(Kept):
        def keep(self, answer: TaskResult) -> None:
            raise OSError(28, "No space left on device")

    queries = [query(parameters="3", depth=depth) for depth in range(6)]
    fake = Fake(lambda below: 0, slots=2)
    schedule = Schedule(queries, {}, Full(), None)
    with pytest.raises(OSError, match="No space left"):
        schedule.run(fake, lambda _: None)
    assert len(fake.started) == 2
