"""Covering runs: each goal is met by a run of the model, and what is told to be unreachable is never met."""

import json

import pytest
from hypothesis import HealthCheck, assume, given, settings

from leadline.symbolic.api.workbench import expression_of
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.coverage import Counted
from leadline.symbolic.conform.cover import Coverage, Covered, goals_of
from leadline.symbolic.conform.logs import log_of
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.notation.expressions import to_tla
from leadline.symbolic.trace import disagreement
from tests.exploring import explore
from tests.strategies import models

FEW = settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))


def not_in_python(text: str) -> Node:
    raise UserError(f"{text} is no expression")


def covered(model: Model, goal: str, depth: int | None = None, most: int = 100_000) -> Covered:
    semantics = Semantics(model)
    search = Coverage(semantics, goals_of(semantics, goal, not_in_python), depth, most)
    search.run()
    return search.covered()


@pytest.fixture(scope="module")
def commit() -> Model:
    return model_of(find("two-phase-commit"), {})


def test_every_action_is_taken_by_few_short_runs(commit: Model) -> None:
    found = covered(commit, "actions")
    assert not found.missing
    taken = {step.action for run, _ in found.runs for step in run.steps}
    assert taken == {one.name for one in commit.actions}
    assert len(found.runs) < len(commit.actions) / 2
    for run, goals in found.runs:
        assert goals and disagreement(Semantics(commit), run) is None


def test_pairs_of_actions() -> None:
    commit = model_of(find("two-phase-commit"), {"rm_may_fail": False})
    found = covered(commit, "pairs")
    assert found.complete
    met = {
        (x.action, y.action) for run, _ in found.runs for x, y in zip(run.steps, run.steps[1:], strict=False)
    }
    semantics = Semantics(commit)
    graph = explore(semantics, [])
    assert graph.complete and found.states == graph.states
    assert len(met) == found.met
    assert "Terminating, then TM_B1" in found.missing


def test_values_of_a_part(commit: Model) -> None:
    found = covered(commit, "rmState[1]")
    assert [goals[0] for _, goals in found.runs if goals] and not found.missing
    with pytest.raises(UserError, match="--goal rmStat: write actions, pairs, guards, properties, a part"):
        covered(commit, "rmStat")


def test_values_of_an_expression(commit: Model) -> None:
    aborted = expression_of(find("two-phase-commit"), {}, commit, "now.rm_state[1] == 'aborted'")
    semantics = Semantics(commit)
    search = Coverage(semantics, goals_of(semantics, "gone", lambda _: aborted), None, 100_000)
    search.run()
    found = search.covered()
    assert {goal for _, goals in found.runs for goal in goals} == {"gone = TRUE", "gone = FALSE"}


def test_guards_and_properties(commit: Model) -> None:
    assert not covered(commit, "guards").missing
    found = covered(commit, "properties")
    assert (found.met, found.missing) == (1, [])


def test_what_is_not_met_within_a_limit_is_not_unreachable(commit: Model) -> None:
    found = covered(commit, "actions", depth=3)
    assert found.missing and not found.complete
    assert all(run.length <= 3 for run, _ in found.runs)


def possible(semantics: Semantics) -> set[str]:
    """The actions with a step within bounds from a reachable state."""
    waiting = [x.state for x in semantics.initial() if x.state is not None]
    seen, found = set(waiting), set[str]()
    while waiting:
        for one in semantics.successors(waiting.pop()):
            if one.state is not None:
                found.add(one.action)
                if one.state not in seen:
                    seen.add(one.state)
                    waiting.append(one.state)
    return found


@FEW
@given(model=models())
def test_random_protocols(model: Model) -> None:
    semantics = Semantics(model)
    assume(any(x.state is not None for x in semantics.initial()))
    ours = covered(model, "actions", most=1_000)
    if ours.complete:
        assert ours.missing == [one.tla for one in model.actions if one.name not in possible(semantics)]
    for run, _ in ours.runs:
        assert disagreement(semantics, run) is None


@FEW
@given(model=models())
def test_guards_of_random_protocols_are_those_of_the_coverage_of_explore(model: Model) -> None:
    semantics = Counted(model)
    assume(any(x.state is not None for x in semantics.initial()))
    explored = explore(semantics, [], max_states=60)
    ours = covered(model, "guards", most=60)
    if not (ours.complete and explored.complete):
        return
    names = {variable.name: variable.tla for variable in model.variables}
    true = {f"{x.action.tla}: {to_tla(x.node, names)} is true" for x in semantics.guards if x.true}
    assert {goal for _, goals in ours.runs for goal in goals if goal.endswith(" is true")} == true


def test_a_run_as_a_log(commit: Model) -> None:
    run, _ = covered(commit, "actions").runs[0]
    lines = [json.loads(line) for line in log_of(commit, run).splitlines()]
    actions = {one.name: one.tla for one in commit.actions}
    assert [one["action"] for one in lines] == ["Init", *(actions[step.action] for step in run.steps)]
    assert len(lines) == run.length + 1
