"""Obligations of inductive proofs: each kind holds and fails as it should, and every failure is replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.catalog import model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Result
from leadline.symbolic.engines.prove.induction.engine import Checker, StepContext
from leadline.symbolic.engines.prove.induction.obligation import conjuncts, obligations
from leadline.symbolic.lang import InternalError, Model, ModelError, UserError
from leadline.symbolic.solve import SOLVERS
from leadline.symbolic.trace import Cti, TraceEnd
from tests.asking import entry_at

FILE = str(Path(__file__).parent / "inductive.py")


def twos(fault: str = "none") -> Model:
    return model_of(entry_at(FILE), {"fault": fault})


def checked(model: Model, goal: str, solver: str = "cadical") -> dict[str, Result]:
    checker = Checker(model, goal, SOLVERS[solver])
    return {one.name: checker.check(one) for one in obligations(model, goal)}


def failing(model: Model, goal: str, solver: str = "cadical") -> dict[str, str]:
    """The obligations that fail, each with the reason."""
    found = checked(model, goal, solver).items()
    assert all(one.definite for _, one in found)
    return {name: str(one.reason) for name, one in found if one.fails}


def cti(model: Model, goal: str, name: str) -> Cti:
    found = checked(model, goal)[name].cti
    assert found is not None
    return found


def test_the_obligations_and_their_order() -> None:
    assert [one.name for one in obligations(twos(), "even")] == [
        "initial states in bounds",
        "initiation of even",
        "in bounds under add",
        "consecution of even under add",
        "in bounds under fall",
        "consecution of even under fall",
        "implication",
    ]


def test_the_conjuncts() -> None:
    """A property with what strengthens it and what strengthens that; without it, where that entails it."""

    def names(goal: str) -> list[str]:
        return [one.name for one in conjuncts(twos(), goal)]

    assert names("even") == ["even"]
    assert names("not-five") == ["grows-by-twos", "help-of-helps"]
    assert names("at-most-eight") == ["at-most-nine", "help-of-helps"]
    assert names("impossible") == ["impossible", "contradiction"]
    assert names("grows-by-twos") == ["grows-by-twos", "help-of-helps"], "a strengthening can be a goal too"


def test_a_property_that_there_is_not() -> None:
    with pytest.raises(UserError, match="twos has no property `evn`: did you mean `even`"):
        obligations(twos(), "evn")


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("goal", ["even", "not-five"])
def test_what_is_inductive_is_proved(goal: str, solver: str) -> None:
    found = checked(twos(), goal, solver)
    assert all(one.holds for one in found.values())
    assert {one.solver for one in found.values()} == {solver}
    assert all(one.cti is None and one.reason is None for one in found.values())


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("fault", "goal", "expected"),
    [
        (
            "odd-start",
            "even",
            {"initiation of even": "not inductive: even is false in an initial state"},
        ),
        (
            "start-outside",
            "even",
            {
                "initial states in bounds": "not inductive: Init(first = -2) goes out of bounds "
                "(-2 is not in Int(0, 9) ("
            },
        ),
        (
            "odd-step",
            "even",
            {
                "consecution of even under fall": "not inductive: even is false after a step from a state "
                "that satisfies every conjunct"
            },
        ),
        (
            "step-outside",
            "even",
            {"in bounds under add": "not inductive: Add goes out of bounds (10 is not in Int(0, 9) ("},
        ),
        (
            "none",
            "not-seven",
            {
                "consecution of not-seven under add": "not inductive: not-seven is false after a step from a "
                "state that satisfies every conjunct"
            },
        ),
        (
            "none",
            "at-most-eight",
            {
                "implication": "not inductive: at-most-eight is false in a state that satisfies every "
                "conjunct",
                "consecution of help-of-helps under add": "not inductive: help-of-helps is false after a "
                "step from a state that satisfies every conjunct",
            },
        ),
        (
            "none",
            "evaluates",
            {
                "consecution of evaluates under add": "not inductive: the evaluation of evaluates goes out "
                "of bounds ("
            },
        ),
        (
            "none",
            "never-four",
            {
                "consecution of never-four under add": "not inductive: never-four is false after a step from "
                "a state that satisfies every conjunct"
            },
        ),
        (
            # No state satisfies the conjuncts, so that no step can leave them; the initial states tell.
            "none",
            "impossible",
            {
                "initiation of impossible": "not inductive: impossible is false in an initial state",
                "initiation of contradiction": "not inductive: contradiction is false in an initial state",
            },
        ),
    ],
)
def test_each_kind_of_obligation_fails(fault: str, goal: str, expected: dict[str, str], solver: str) -> None:
    found = failing(twos(fault), goal, solver)
    assert found.keys() == expected.keys()
    for name, reason in expected.items():
        assert found[name].startswith(reason)


def test_a_counterexample_is_a_step_between_two_states() -> None:
    found = cti(twos(), "not-seven", "consecution of not-seven under add")
    assert found.conjuncts == ("not-seven",)
    assert found.fragment.initial == (5,)
    (step,) = found.fragment.steps
    assert (step.action, step.picks, step.state) == ("add", {}, (7,))
    assert (found.fragment.ends, found.fragment.property) == (TraceEnd.VIOLATES, "not-seven")


def test_a_counterexample_of_a_step_out_of_bounds() -> None:
    found = cti(twos("step-outside"), "even", "in bounds under add")
    assert found.fragment.initial == (8,)
    assert [step.state for step in found.fragment.steps] == [None]
    assert (found.fragment.ends, found.fragment.property) == (TraceEnd.OUT_OF_BOUNDS, None)


def test_a_counterexample_of_an_evaluation_out_of_bounds() -> None:
    found = cti(twos(), "evaluates", "consecution of evaluates under add")
    assert (found.fragment.initial, found.fragment.last) == ((1,), (3,))
    assert (found.fragment.ends, found.fragment.property) == (TraceEnd.OUT_OF_BOUNDS, "evaluates")


def test_a_counterexample_without_a_step() -> None:
    found = cti(twos(), "at-most-eight", "implication")
    assert (found.fragment.initial, found.fragment.steps) == ((9,), ())


def test_a_counterexample_of_an_initial_state() -> None:
    found = cti(twos("odd-start"), "even", "initiation of even")
    assert (found.conjuncts, found.fragment.initial_picks) == ((), {"first": 1})
    assert (found.fragment.initial, found.fragment.steps) == ((1,), ())


def test_a_model_that_cannot_begin() -> None:
    """All its reachable states, of which there is none, satisfy everything: it is a mistake."""
    with pytest.raises(ModelError, match="twos has no initial state"):
        checked(twos("no-start"), "even")


def test_obligations_in_any_order() -> None:
    model = twos("odd-step")
    checker = Checker(model, "even", SOLVERS["cadical"])
    backwards = {one.name: checker.check(one).verdict for one in reversed(obligations(model, "even"))}
    assert backwards == {name: one.verdict for name, one in checked(model, "even").items()}


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (lambda found: {"initial": (6,)}, "the step: number becomes 8"),
        (lambda found: {"initial": (7,)}, "the first state: not-seven is false"),
        (lambda found: {"initial": None}, "there is no first state"),
        (lambda found: {"steps": (replace(found.steps[0], state=(8,)),)}, "the step: number becomes 7"),
        (lambda found: {"steps": (replace(found.steps[0], action="fall"),)}, "the step: Fall is not enabled"),
        (lambda found: {"steps": found.steps * 2}, "it has 2 steps"),
        (lambda found: {"property": "not-five"}, "the end: not-five holds"),
        (lambda found: {"steps": ()}, "the end: not-seven holds"),
    ],
)
def test_a_counterexample_that_does_not_replay_is_a_fault_of_ours(
    wrong: Any, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = StepContext.cti

    def lying(place: StepContext, obligation: Any) -> Cti:
        found = honest(place, obligation)
        return replace(found, fragment=replace(found.fragment, **wrong(found.fragment)))

    monkeypatch.setattr(StepContext, "cti", lying)
    with pytest.raises(
        InternalError, match=r"consecution of not-seven under add.* does not replay: "
    ) as told:
        checked(twos(), "not-seven")
    assert complaint in str(told.value)


def test_the_pieces_of_a_proof_are_needed() -> None:
    """Without its strengthenings the property is not inductive: the proof is not for nothing."""
    model = twos()
    alone = {name: one for name, one in model.properties.items() if name == "not-five"}
    bare = replace(model, properties=alone)
    assert list(failing(bare, "not-five")) == ["consecution of not-five under add"]
    assert Semantics(bare).holds("not-five", (3,))
