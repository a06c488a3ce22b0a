"""The reasons why the loop of a run satisfies each fairness condition: in text, in JSON, and of TLA+ modules."""

from pathlib import Path

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.trace import document, lines
from tests.tla.explored import MUTEX
from tests.trace.swinging import found, swinging


def test_each_value_of_a_condition_has_its_reason() -> None:
    model, trace = swinging()
    told = [str(line).strip() for line in lines(Semantics(model), trace)]
    assert told[told.index("fairness:") + 1 :] == [
        "WF_locked(Lock) at d1, d2, d3: not enabled in state 0",
        "SF_vars(Swing) at d1: taken at step 5",
        "SF_vars(Swing) at d2: taken at step 1",
        "SF_vars(Swing) at d3: taken at step 3",
    ]
    found = document(model, trace, "doors")["fairness"]
    assert found[:2] == [
        {
            "condition": "WF_locked(Lock)",
            "at": ["d1", "d2", "d3"],
            "why": "not enabled in state 0",
            "state": 0,
        },
        {"condition": "SF_vars(Swing)", "at": ["d1"], "why": "taken at step 5", "step": 5},
    ]


def test_the_premises_of_a_module(tmp_path: Path) -> None:
    """The values of the claim's quantifier, and those of the fairness conditions of the specification."""
    model, trace = found(tmp_path, "Weak", "Live")
    told = [str(line).strip() for line in lines(Semantics(model), trace)]
    assert told[told.index("Back to state 0, for ever: Live is false of this run, which is fair.") + 1 :] == [
        "for p = p2, in state 2:",
        'FALSE  pc[p2] = "in"   ("try" = "in")',
        "fairness:",
        "WF_vars(Enter(p)) at p = p1: taken at step 1",
        "WF_vars(Enter(p)) at p = p2: never enabled in the loop",
        "WF_vars(Leave(p)) at p = p1: taken at step 2",
        "WF_vars(Leave(p)) at p = p2: never enabled in the loop",
    ]


def test_a_run_that_stops_under_fairness(tmp_path: Path) -> None:
    """A premise of the claim is fairness, too, though the model has none."""
    body = MUTEX.replace("Enter(p) == ", "Enter(p) == p = turn /\\ FALSE /\\ ")
    model, trace = found(tmp_path, "Every", "Some", body)
    told = [str(line).strip() for line in lines(Semantics(model), trace)]
    assert "Nothing happens any more: Some is false of this run, which is fair." in told
    assert told[-1] == "WF_vars(Next): never enabled in the loop"
