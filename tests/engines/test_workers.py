"""Exploration by several processes, and of orbits: the numbers and lengths of one process and of all states."""

from __future__ import annotations

import itertools
import os
import random
import signal
from collections.abc import Callable
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Exploration, Explorer, Level, Semantics, explore
from leadline.symbolic.concrete.orbits import Orbits, Symmetric
from leadline.symbolic.engines import Query, Verdict, answer
from leadline.symbolic.engines.explore import ExploreOptions
from leadline.symbolic.engines.limits import Limits, TimeIsOver, limited
from leadline.symbolic.engines.sweeps import sorts_alike
from leadline.symbolic.engines.workers import Team, WorkerDied, team
from leadline.symbolic.engines.workers.lines import Pool, pair
from leadline.symbolic.engines.workers.worker import FULL, Owner, Worker
from leadline.symbolic.lang import (
    Int,
    Map,
    Model,
    Protocol,
    Set,
    UserError,
    action,
    build,
    constraint,
    invariant,
    map_of,
    pick,
    set_of,
    sort,
)
from leadline.symbolic.lang.symmetry import permuted
from tests.random_symmetric import symmetric_model

SMALL: dict[str, dict[str, Any]] = {
    "kafka-replication": {"replicas": 2},
    "kafka-transactions": {"clients": 1, "max_coordinator_changes": 2, "variant": "mended-become-leader"},
    "pulsar-compaction": {"keys": 0, "values": 0},
    "spanner-leases": {"replicas": 2},
    "two-phase-commit": {},
}
MOST = 4_000
"""States at most of a random protocol."""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers begin at the first level with two states, and send so few together that many are sent twice."""
    monkeypatch.setattr(team, "ENOUGH", 2)
    monkeypatch.setattr("leadline.symbolic.engines.workers.worker._BATCH", 3)


def names_of(model: Model) -> list[str]:
    return [one.name for one in model.properties.values() if one.temporal is None]


def together(
    model: Model,
    workers: int,
    *,
    semantics: Semantics | None = None,
    depth: int | None = None,
    max_states: int | None = None,
    progress: Callable[[Level], None] = lambda _: None,
) -> Exploration:
    """An exploration by workers; it must leave no process behind."""
    explorer = Team(semantics or Semantics(model), names_of(model), depth, progress, max_states, workers)
    try:
        explorer.run()
    finally:
        check_none_is_left(explorer)
    return explorer.summary()


def check_none_is_left(explorer: Team) -> None:
    for member in explorer.members:
        with pytest.raises(ProcessLookupError):
            os.kill(member.pid, 0)


def numbers(found: Exploration) -> dict[str, Any]:
    """All that does not depend on which of several states was first."""
    paths = {"deadlock": found.deadlock, "outside": found.out_of_bounds}
    for name, one in found.properties.items():
        paths |= {f"{name} violated": one.violation, f"{name} outside": one.out_of_bounds}
    return {
        **{name: getattr(found, name) for name in ("states", "states_within_steps", "complete", "generated")},
        **{name: getattr(found, name) for name in ("fired", "deadlocks", "steps_out_of_bounds", "stopped")},
        "violations": {name: one.violations for name, one in found.properties.items()},
        "lengths": {name: None if path is None else len(path) for name, path in paths.items()},
        "orbits": found.orbits_within_steps,
    }


def small_enough(model: Model) -> Exploration | None:
    found = explore(Semantics(model), names_of(model), max_states=MOST)
    return found if found.complete else None


def check_all_ways(model: Model, alone: Exploration, workers: int) -> None:
    """Workers, orbits, and orbits by workers, each against one process over all states."""
    assert numbers(together(model, workers)) == numbers(alone)
    properties = [model.properties[name] for name in names_of(model)]
    sorts = sorts_alike(model, [*properties, *model.constraints])
    orbits = explore(Symmetric(model, sorts), names_of(model))
    assert orbits.states_within_steps == alone.states_within_steps
    assert orbits.orbits_within_steps is not None and orbits.orbits == orbits.orbits_within_steps[-1]
    assert numbers(orbits)["lengths"] == numbers(alone)["lengths"]
    by_both = together(model, workers, semantics=Symmetric(model, sorts))
    assert numbers(by_both) == numbers(orbits)


@pytest.mark.parametrize("part", range(2))
def test_random_protocols(part: int) -> None:
    compared = 0
    for seed in range(part, 50, 2):
        model = symmetric_model(seed)
        try:
            alone = small_enough(model)
        except UserError:
            continue
        if alone is not None and alone.states > 10:
            compared += 1
            check_all_ways(model, alone, 2 + seed % 2)
    assert compared > 3


@pytest.mark.parametrize("name", SMALL)
def test_protocols(name: str) -> None:
    model = model_of(find(name), SMALL[name])
    alone = explore(Semantics(model), names_of(model), depth=8)
    for workers in (2, 3):
        assert numbers(together(model, workers, depth=8)) == numbers(alone)
    properties = [model.properties[name] for name in names_of(model)]
    sorts = sorts_alike(model, properties)
    orbits = explore(Symmetric(model, sorts), names_of(model), depth=8)
    assert orbits.states_within_steps == alone.states_within_steps
    assert numbers(orbits)["lengths"] == numbers(alone)["lengths"]


@pytest.mark.slow
def test_the_largest_case() -> None:
    """737,794 states in 123,311 orbits, as they were counted before."""
    model = model_of(find("kafka-replication"), {})
    semantics = Symmetric(model, sorts_alike(model, list(model.properties.values())))
    found = together(model, 2, semantics=semantics)
    assert (found.states, found.orbits, found.complete) == (737_794, 123_311, True)
    assert together(model, 2).states == 737_794


# -- orbits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_the_size_of_an_orbit_is_the_number_of_images(seed: int) -> None:
    model = symmetric_model(seed)
    kinds = [variable.type for variable in model.variables]
    sorts = sorts_alike(model, ())
    orbits = Orbits(kinds, sorts)
    dice = random.Random(seed)
    for _ in range(20):
        state = tuple(
            next(x for i, x in enumerate(k.values()) if i >= dice.randrange(9) or i == k.cardinality - 1)
            for k in kinds
        )
        images = {
            tuple(permuted(kind, x, one) for kind, x in zip(kinds, state, strict=True))
            for one in orbits._group
        }
        assert orbits.size(state) == len(images)
        assert {orbits.least(image) for image in images} == {orbits.least(state)}
        assert orbits.least(state) in images


class Crowd(Protocol):
    """Members enter one by one, and count; too far is out of bounds, and a full house has no step."""

    def define(self, state: Any) -> None:
        self.Member = sort("Member", 4)
        state.inside = Set(self.Member)
        state.counts = Map(self.Member, Int(0, 2))

    def init(self, start: Any) -> None:
        start.inside = set_of()
        start.counts = map_of(self.Member, lambda _: 0)

    @action
    def enter(self, now: Any, nxt: Any, who: Any = pick("Member")) -> None:
        """A member enters."""
        nxt.require(~now.inside.has(who))
        nxt.inside = now.inside.add(who)

    @action
    def count(self, now: Any, nxt: Any, who: Any = pick("Member")) -> None:
        """Somebody outside counts, perhaps too far."""
        nxt.require(~now.inside.has(who))
        nxt.counts = now.counts.set(who, now.counts[who] + 1)


@invariant(Crowd)
def not_all(protocol: Crowd, now: Any) -> Any:
    """Violated once all are inside."""
    return now.inside.size < 4


@constraint(Crowd)
def at_most_three(protocol: Crowd, now: Any) -> Any:
    """No more than three are inside."""
    return now.inside.size <= 3


def crowd(*claims: Any) -> Model:
    return build(Crowd(), claims)


@pytest.mark.parametrize("claims", [(not_all,), (not_all, at_most_three)])
@pytest.mark.parametrize("workers", [2, 3])
def test_constraints_deadlocks_and_bounds(claims: tuple[Any, ...], workers: int) -> None:
    model = crowd(*claims)
    alone = explore(Semantics(model), names_of(model))
    assert alone.steps_out_of_bounds and (alone.deadlocks > 0) == (len(claims) == 1)
    check_all_ways(model, alone, workers)


@pytest.mark.parametrize("depth", [0, 1, 3, 6])
def test_a_bound_on_depth(depth: int) -> None:
    model = crowd(not_all)
    assert numbers(together(model, 2, depth=depth)) == numbers(
        explore(Semantics(model), names_of(model), depth=depth)
    )


@pytest.mark.parametrize("workers", [2, 3])
def test_a_bound_on_states(workers: int) -> None:
    model = crowd(not_all)
    whole = explore(Semantics(model), names_of(model))
    found = together(model, workers, max_states=whole.states)
    assert numbers(found) == numbers(whole)
    for most in (5, 100, whole.states - 1):
        found = together(model, workers, max_states=most)
        assert (found.states, found.complete, found.stopped) == (most, False, f"states: stopped at {most}")
        full = found.states_within_steps
        assert full == whole.states_within_steps[: len(full)]


def test_a_state_without_room_is_not_forgotten_when_it_comes_before_its_level() -> None:
    """Else the exploration would be called complete."""
    semantics = Semantics(crowd(not_all))
    whole = Explorer(semantics, [])
    whole.begin()
    new = next(one.state for one in semantics.successors(whole.order[0]) if one.state not in whole.seen)
    (parent, above), (here, peer), pool = pair(), pair(), Pool(0)
    worker = Worker(whole, 0, Owner(lambda state: 0, None), parent, {1: here}, pool)
    peer.send(([new], [0]))
    peer.send(None)
    worker._mail(None)
    worker._do_level(range(0))
    assert worker.stopped == FULL
    for end in (parent, above, here, peer, pool):
        end.close()


def test_a_path_is_one_of_the_protocol() -> None:
    model = crowd(not_all)
    meaning = Semantics(model)
    for semantics in (meaning, Symmetric(model, sorts_alike(model, list(model.properties.values())))):
        found = together(model, 3, semantics=semantics)
        for path in (found.properties["not-all"].violation, found.deadlock, found.out_of_bounds):
            assert path is not None and path[0] in meaning.initial()
            for before, after in itertools.pairwise(path):
                assert before.state is not None and after in list(meaning.successors(before.state))


# -- ends --------------------------------------------------------------------------------------------


def ended(what: Callable[[Team], None], error: type[BaseException]) -> Exploration:
    """The summary of an exploration of the crowd that is ended at the fourth level."""
    model = crowd(not_all)

    def progress(level: Level) -> None:
        if level.depth == 3:
            what(explorer)

    explorer = Team(Semantics(model), names_of(model), None, progress, None, 2)
    with pytest.raises(error):
        explorer.run()
    check_none_is_left(explorer)
    found, whole = explorer.summary("ended"), explore(Semantics(model), names_of(model))
    assert (found.complete, found.stopped) == (False, "ended")
    assert found.states_within_steps == whole.states_within_steps[:4]
    assert found.states_within_steps[-1] <= found.states < whole.states
    return found


def test_a_worker_that_is_killed() -> None:
    found = ended(lambda explorer: os.kill(explorer.members[1].pid, signal.SIGKILL), WorkerDied)
    assert found.out_of_bounds is not None and len(found.out_of_bounds) == 4


def test_a_worker_whose_end_the_next_level_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is seen when the level is sent to it. Nothing comes then, not from the other either, which waits."""
    monkeypatch.setattr(team, "_GRACE", 0.05)

    def kill(explorer: Team) -> None:
        other, lost = (member.pid for member in explorer.members)
        os.kill(other, signal.SIGSTOP)
        os.kill(lost, signal.SIGKILL)
        os.waitid(os.P_PID, lost, os.WEXITED | os.WNOWAIT)

    with limited(Limits(20)):
        ended(kill, WorkerDied)


def test_a_worker_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours in a worker is told as such."""
    model = crowd(not_all)
    parent, expand = os.getpid(), Explorer.expand

    def broken(explorer: Explorer, index: int) -> None:
        if os.getpid() != parent:
            raise ZeroDivisionError("ours")
        expand(explorer, index)

    monkeypatch.setattr(Explorer, "expand", broken)
    with pytest.raises(Exception, match=r"a worker failed:\n(.|\n)*ZeroDivisionError: ours"):
        together(model, 2)


def test_a_worker_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    parent, expand = os.getpid(), Explorer.expand

    def hungry(explorer: Explorer, index: int) -> None:
        if os.getpid() != parent and len(explorer.within) == 0 and len(explorer.order) > 60:
            raise MemoryError
        expand(explorer, index)

    monkeypatch.setattr(Explorer, "expand", hungry)
    with pytest.raises(MemoryError):
        together(crowd(not_all), 2)


def test_an_interrupt_and_an_alarm() -> None:
    ended(lambda _: signal.raise_signal(signal.SIGINT), KeyboardInterrupt)
    with limited(Limits(3600)):
        ended(lambda _: signal.raise_signal(signal.SIGALRM), TimeIsOver)


def query(name: str, **options: Any) -> tuple[Model, Query]:
    model = model_of(find(name), SMALL[name])
    return model, Query(name, SMALL[name], None, ExploreOptions(**options))


def test_an_answer_after_a_death(monkeypatch: pytest.MonkeyPatch) -> None:
    direct = Team._direct

    def killed(explorer: Team) -> None:
        os.kill(explorer.members[0].pid, signal.SIGKILL)
        direct(explorer)

    monkeypatch.setattr(Team, "_direct", killed)
    model, asked = query("spanner-leases", worker_processes=2)
    found = answer(model, asked)
    assert found.facts["stopped"] == "crash: a worker was ended by SIGKILL"
    assert found.results[0].verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("name", ["workers", "symmetry"])
def test_claims_about_runs_are_refused(name: str) -> None:
    options: dict[str, Any] = {"worker_processes": 2} if name == "workers" else {"symmetry": True}
    model, asked = query("two-phase-commit", **options)
    with pytest.raises(UserError, match=rf"--{name}: completed is a claim about runs.*--property"):
        answer(model, asked)


def test_symmetry_that_is_none_or_too_much_is_refused() -> None:
    model = model_of(find("two-phase-commit"), {})
    asked = Query("two-phase-commit", {}, ("consistency",), ExploreOptions(symmetry=True))
    with pytest.raises(UserError, match="treats the members of no sort alike"):
        answer(model, asked)
    many = {"replicas": 8}
    asked = Query("spanner-leases", many, None, ExploreOptions(symmetry=True))
    with pytest.raises(UserError, match=r"8 of Replica, have 40320 permutations, and at most 5040"):
        answer(model_of(find("spanner-leases"), many), asked)


def test_the_counts_are_told_as_reduced() -> None:
    model, asked = query("kafka-replication", symmetry=True)
    found = answer(model, asked)
    assert (found.facts["states"], found.facts["orbits"]) == (5_973, 2_987)
    assert found.facts["orbits_within_steps"][:4] == [1, 3, 9, 25]
    assert found.facts["states_within_steps"][:4] == [1, 5, 17, 49]
