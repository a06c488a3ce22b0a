"""A check by steps that is cut into parts: together they answer as the whole one does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import BmcOptions, Result, Verdict
from leadline.symbolic.engines.bounded.alike import sorts_alike
from leadline.symbolic.engines.bounded.bmc import Cube, cubes
from leadline.symbolic.engines.bounded.search import deadlock_property
from leadline.symbolic.grid.kinds import KINDS
from leadline.symbolic.lang import Int, Model, Protocol, UserError, action, build, invariant, ite
from leadline.symbolic.meaning import Step
from leadline.symbolic.solve import SOLVERS
from leadline.symbolic.trace import DEADLOCK
from tests.asking import bounded_check
from tests.random_symmetric import symmetric_model
from tests.strategies import models

DEPTH = 4


def parts_of(model: Model, goal: str, split: int, depth: int = DEPTH) -> Sequence[BmcOptions]:
    """The options of the parts of a check."""
    found = KINDS["bounded"].cut(lambda: model, goal, BmcOptions(depth, split=split))
    return [one for one in found if isinstance(one, BmcOptions)]


def check_parts(model: Model, split: int, depth: int = DEPTH) -> int:
    """Compare each property's verdict and shortest counterexample with those of all parts; the most parts."""
    most = 0
    for target in (*model.properties.values(), deadlock_property(model)):
        try:
            (whole,) = bounded_check(model, [target], BmcOptions(depth), SOLVERS["cadical"])
        except UserError:
            return 0
        options = parts_of(model, target.name, split, depth)
        results = [one for x in options for one in bounded_check(model, [target], x, SOLVERS["cadical"])]
        assert together(results) == (whole.verdict, whole.steps), (target.name, options)
        most = max(most, len(options))
    return most


def together(results: Sequence[Result]) -> tuple[Verdict, int | None]:
    worst = max(result.verdict for result in results)
    found = [result.steps for result in results if result.verdict is worst and result.steps is not None]
    return worst, min(found, default=None)


@pytest.mark.parametrize("split", [2, pytest.param(7, marks=pytest.mark.slow)])
def test_random_symmetric_protocols(split: int) -> None:
    assert sum(check_parts(symmetric_model(seed), split) >= split for seed in range(7)) > 3


@given(models())
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_protocols(model: Model) -> None:
    check_parts(model, 5)


@pytest.mark.slow
@pytest.mark.parametrize("split", [2, 5, 12, 40])
def test_many_random_symmetric_protocols(split: int) -> None:
    assert sum(check_parts(symmetric_model(seed), split) >= split for seed in range(12, 250)) > 100


@pytest.mark.slow
@given(models())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_many_random_protocols(model: Model) -> None:
    check_parts(model, 9)


# -- which runs a part is about -----------------------------------------------------------------------


def agrees(cube: Cube, steps: Sequence[Step]) -> bool:
    """Whether the steps of a run are those of a cube, as far as both go."""
    left = list(cube)
    for step in steps:
        if not left:
            return True
        if left.pop(0) != step.action:
            return False
        picks = {f"{name}={value}" for name, value in step.picks.items()}
        names = {text.partition("=")[0] for text in picks}
        while left and left[0].partition("=")[0] in names and "=" in left[0]:
            if left.pop(0) not in picks:
                return False
    return True


def walk(semantics: Semantics, dice: Random, steps: int) -> list[Step]:
    """The steps of a random run; the last may go out of bounds."""
    state = dice.choice(semantics.initial()).state
    run: list[Step] = []
    while state is not None and len(run) < steps:
        outcomes = list(semantics.successors(state))
        if not outcomes:
            break
        run.append(dice.choice(outcomes))
        state = run[-1].state
    return run


@pytest.mark.parametrize("least", [2, 9, 30])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("kafka-replication", {}), ("two-phase-commit", {}), ("pulsar-compaction", {"max_crash_times": 1})],
)
def test_every_run_agrees_with_a_cube(name: str, parameters: dict[str, int], least: int) -> None:
    model = model_of(find(name), parameters)
    found = cubes(model, (), least, DEPTH)
    assert len(found) >= min(least, 5) and len(set(found)) == len(found)
    dice, semantics = Random(least), Semantics(model)
    for _ in range(100):
        run = [step for step in walk(semantics, dice, DEPTH + 1) if step.state is not None]
        # Without symmetry a run that is as long as the cubes agrees with no more than one of them.
        number = sum(agrees(cube, run) for cube in found)
        assert number == 1 if len(run) > DEPTH else number >= 1


def test_of_cubes_that_are_images_of_each_other_one_is_left() -> None:
    model = model_of(find("kafka-replication"), {})
    sorts = sorts_alike(model, [model.properties["strong-isr"]])
    plain, alike = cubes(model, (), 6, 1), cubes(model, sorts, 6, 1)
    assert len(plain) == 6
    assert alike == [
        ("controller_elect_leader", "new_leader=r1"),
        ("controller_shrink_isr", "replica=r1"),
    ]


class Fork(Protocol):
    """To the left the way ends after a step, to the right after three; a third turn is out of bounds."""

    def define(self, state: Any) -> None:
        state.place = Int(0, 4)

    def init(self, start: Any) -> None:
        start.place = 0

    @action
    def left(self, now: Any, nxt: Any) -> None:
        """To the first place."""
        nxt.require(now.place == 0)
        nxt.place = 1

    @action
    def right(self, now: Any, nxt: Any) -> None:
        """To the second place and on."""
        nxt.require(now.place != 1, now.place < 4)
        nxt.place = ite(now.place == 0, 2, now.place + 1)

    @action
    def astray(self, now: Any, nxt: Any) -> None:
        """Out of bounds from the end of the right way."""
        nxt.require(now.place == 4)
        nxt.place = now.place + 1


@invariant(Fork)
def never_left(protocol: Any, now: Any) -> Any:
    """Violated after a step that nothing follows."""
    return now.place != 1


@invariant(Fork)
def positive(protocol: Any, now: Any) -> Any:
    """Holds."""
    return now.place >= 0


def test_a_cube_without_a_next_step_stays() -> None:
    """Runs that end within the cubes are told by the cubes that are left."""
    model = build(Fork(), [never_left, positive])
    assert set(cubes(model, (), 50, 10)) == {("left",), ("right", "right", "right")}
    assert check_parts(model, 50, 10) == 2


def test_a_part_tells_itself() -> None:
    part, *_ = parts = parts_of(model_of(find("kafka-replication"), {}), "strong-isr", 2)
    assert [one.split for one in parts] == [2, 2]
    assert part.part == "controller_elect_leader"
    assert part.whole == replace(part, cube=())
    assert BmcOptions().part is None and BmcOptions().whole is None


def test_what_cannot_be_cut_is_asked_as_a_whole() -> None:
    model = model_of(find("kafka-replication"), {})
    assert parts_of(model, "strong-isr", 5, depth=0) == [BmcOptions(0)]
    assert parts_of(model, DEADLOCK, 1) == [BmcOptions(DEPTH)]


def test_claims_about_runs_are_not_cut() -> None:
    model = model_of(find("two-phase-commit"), {})
    (claim, *_) = [one.name for one in model.properties.values() if one.temporal is not None]
    assert parts_of(model, claim, 4) == [BmcOptions(DEPTH)]
