"""Explorations that several processes divide: the numbers, verdicts and paths of the search on values."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from leadline.symbolic.bits import NoCircuits, divided, search
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.orbits import Symmetric
from leadline.symbolic.engines.bounded.alike import sorts_alike
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.lang import UserError, group_of
from leadline.symbolic.meaning import Level
from tests.engines.explorers import check_same
from tests.engines.numbers import names_of, numbers
from tests.random_symmetric import symmetric_model


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide searches from their first level on, take many rounds, and leave out steps that commute."""
    monkeypatch.setattr(divided, "ALONE", 1)
    monkeypatch.setattr(divided, "_ROUND", 50)
    monkeypatch.setattr(search, "_ORDERED", 0)


@pytest.mark.parametrize(
    ("name", "parameters", "depth", "workers"),
    [
        ("two-phase-commit", {}, 8, 3),
        ("two-phase-commit", {"variant": "backup-manager"}, 8, 2),
        pytest.param(
            "kafka-replication",
            {"replicas": 2, "variant": "kip-320-first-try"},
            5,
            2,
            marks=pytest.mark.slow,
        ),
        ("pulsar-compaction", {"message_sent_limit": 2}, None, 2),
    ],
)
def test_built_in_protocols(name: str, parameters: dict[str, Any], depth: int | None, workers: int) -> None:
    assert check_same(model_of(find(name), parameters), depth, workers=workers) is not None


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(x, marks=pytest.mark.slow) for x in range(6, 12))]
)
def test_random_protocols(seed: int) -> None:
    with suppress(NoCircuits, UserError):
        check_same(symmetric_model(seed), most=2_000, workers=2)


def explorer_of(
    semantics: Semantics, progress: Callable[[Level], None] = lambda _: None, workers: int = 2
) -> CircuitExplorer:
    return CircuitExplorer(semantics, names_of(semantics.model), None, progress, None, workers=workers)


def explored(semantics: Semantics, workers: int = 2) -> CircuitExplorer:
    explorer = explorer_of(semantics, workers=workers)
    explorer.run()
    return explorer


def symmetric() -> Symmetric:
    model = model_of(find("two-phase-commit"), {})
    return Symmetric(model, group_of(sorts_alike(model, list(model.properties.values()))))


@pytest.mark.slow
def test_orbits() -> None:
    assert numbers(explored(symmetric()).summary()) == numbers(explored(symmetric(), 1).summary())


@pytest.mark.slow
def test_values_that_occur() -> None:
    semantics = Semantics(model_of(find("two-phase-commit"), {}))
    alone, together = explored(semantics, 1).values(), explored(semantics).values()
    for name, one in alone.items():
        other = together[name]
        assert other["distinct"] == one["distinct"]
        assert sorted(map(str, other["most_frequent"])) == sorted(map(str, one["most_frequent"]))


class Stopped(Exception):
    pass


def test_a_search_that_is_interrupted_tells_what_it_reached() -> None:
    def progress(level: Level) -> None:
        if level.depth == 8:
            raise Stopped

    semantics = Semantics(model_of(find("two-phase-commit"), {}))
    explorer = explorer_of(semantics, progress)
    with pytest.raises(Stopped):
        explorer.run()
    found = explorer.summary("interrupted")
    assert found.states_within_steps == explored(semantics, 1).summary().states_within_steps[:9]
    assert explorer.values().keys() == {one.name for one in semantics.model.variables}


def test_a_search_that_is_interrupted_while_it_is_divided_tells_what_it_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A time limit may ring then, where types have widened and millions of states are divided at once."""

    def share(*_: object) -> None:
        raise Stopped

    semantics = Semantics(model_of(find("two-phase-commit"), {}))
    monkeypatch.setattr(divided, "ALONE", 30_000)
    monkeypatch.setattr(divided, "WorkerSearch", share)
    explorer = explorer_of(semantics)
    with pytest.raises(Stopped):
        explorer.run()
    found = explorer.summary("interrupted")
    reached, every = found.states_within_steps, explored(semantics, 1).summary().states_within_steps
    assert found.states > 30_000 and reached == every[: len(reached)]
    assert any(one.violation for one in found.properties.values())


@pytest.fixture
def pids(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that are made from now on."""
    made: list[int] = []
    fork = os.fork

    def noted() -> int:
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "fork", noted)
    return made


def test_a_process_that_is_killed_is_memory_that_lacks(pids: list[int]) -> None:
    """A system that is short of memory ends processes. Violations that were found are told all the same."""
    semantics = Semantics(model_of(find("two-phase-commit"), {}))
    told = None

    def progress(level: Level) -> None:
        nonlocal told
        if explorer.violated() and told is None:
            told = explorer.violated()
            os.kill(pids[0], signal.SIGKILL)

    explorer = explorer_of(semantics, progress)
    with pytest.raises(MemoryError, match="ended a process"):
        explorer.run()
    assert told
    assert all(explorer.summary("memory").properties[name].violation for name in told)


def test_an_interrupt_while_a_share_is_started_leaves_none(
    pids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    fork = os.fork

    def interrupted() -> int:
        pid = fork()
        if pid:
            signal.raise_signal(signal.SIGINT)
        return pid

    monkeypatch.setattr(os, "fork", interrupted)
    explorer = explorer_of(Semantics(model_of(find("two-phase-commit"), {})))
    with pytest.raises(KeyboardInterrupt):
        explorer.run()
    del explorer
    gc.collect()
    (pid,) = pids
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_shares_end_with_the_search(pids: list[int]) -> None:
    explorer = explored(Semantics(model_of(find("two-phase-commit"), {"resource_managers": 1})), 3)
    assert len(pids) == 2
    del explorer
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
