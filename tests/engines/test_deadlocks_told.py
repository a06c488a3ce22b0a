"""A deadlock is told when it is found, as violations are: a limit may end the search before it has all states."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.ask.query import Listener, Query
from leadline.symbolic.engines.ask.result import Progress, Result
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.run.parallel import answer_here
from leadline.symbolic.meaning.explore import Explorer
from leadline.symbolic.trace import DEADLOCK


@pytest.mark.parametrize("by", ["circuits", "values"])
def test_a_deadlock_is_told_at_its_level(by: str) -> None:
    told: list[Result] = []
    depths: list[int] = []

    def progress(now: Progress) -> None:
        if not told:
            depths.append(now.depth)

    model = model_of(find("kafka-replication"), {"replicas": 2, "max_records": 1, "max_leader_epoch": 1})
    query = Query("kafka-replication", {}, ("type-ok",), ExploreOptions(by=by), deadlock=True)
    answer = answer_here(model, query, Listener(progress, done=told.append))
    (found,) = [one for one in answer.results if one.property == DEADLOCK]
    (early,) = told
    assert (early.property, early.verdict, early.steps) == (DEADLOCK, Verdict.VIOLATED, found.steps)
    assert found.steps is not None and max(depths) <= found.steps + 1
    assert early.trace is not None and found.trace is not None
    assert early.trace.same_cause(found.trace)


@pytest.mark.parametrize("kind", [CircuitExplorer, Explorer])
def test_no_run_to_a_deadlock_is_made_where_none_is_asked_for(
    kind: type[CircuitExplorer | Explorer[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count alone is told; a run takes the actions compiled, which may take as long as the search."""

    def deadlocked(_: object) -> None:
        pytest.fail("no deadlock was asked for")

    monkeypatch.setattr(kind, "deadlocked", deadlocked)
    model = model_of(find("kafka-replication"), {"replicas": 2, "max_records": 1, "max_leader_epoch": 1})
    by = "circuits" if kind is CircuitExplorer else "values"
    answer = answer_here(model, Query("kafka-replication", {}, ("type-ok",), ExploreOptions(by=by)))
    assert answer.told(ExploreFacts).deadlocks
