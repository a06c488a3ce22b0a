"""Counterexamples to induction as documents: written, read, and refused where they are malformed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.catalog import model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.trace import (
    Cti,
    Step,
    Stored,
    Trace,
    TraceEnd,
    cti_disagreement,
    cti_document,
    cti_lines,
    is_cti,
    stored_cti,
)
from tests.asking import entry_at

FILE = str(Path(__file__).parent.parent / "engines" / "inductive.py")


def model(fault: str = "none") -> Model:
    return model_of(entry_at(FILE), {"fault": fault})


STEP = Cti(
    "consecution of not-seven under add",
    ("not-seven",),
    Trace({}, (5,), (Step("add", {}, (7,)),), TraceEnd.VIOLATES, "not-seven"),
)
NO_STEP = Cti("implication", ("at-most-nine",), Trace({}, (9,), (), TraceEnd.VIOLATES, "at-most-eight"))
INITIAL = Cti("initiation of even", (), Trace({"first": 1}, (1,), (), TraceEnd.VIOLATES, "even"))
NO_STATE = Cti("initial states in bounds", (), Trace({"first": -2}, None, (), TraceEnd.OUT_OF_BOUNDS))
BEYOND = Cti(
    "in bounds under add",
    ("even",),
    Trace({}, (8,), (Step("add", {}, None),), TraceEnd.OUT_OF_BOUNDS),
)
ALL = [
    ("none", STEP),
    ("none", NO_STEP),
    ("odd-start", INITIAL),
    ("start-outside", NO_STATE),
    ("step-outside", BEYOND),
]


@pytest.mark.parametrize(("fault", "cti"), ALL)
def test_a_document_holds_all_of_it(fault: str, cti: Cti) -> None:
    document = cti_document(model(fault), cti, FILE)
    assert is_cti(Stored("here", document))
    assert stored_cti(model(fault), Stored("here", document)) == cti
    assert cti_disagreement(Semantics(model(fault)), cti) is None


@pytest.mark.parametrize(("fault", "cti"), ALL)
def test_another_model_disagrees(fault: str, cti: Cti) -> None:
    """A counterexample of a faulty model is none of the sound one, and the other way round."""
    other = "no-start" if fault == "none" else "none"
    disagreement = cti_disagreement(Semantics(model(other)), cti)
    # The step and the formulas are the same in a model that only begins otherwise.
    assert (disagreement is None) == (fault == "none")


def test_the_text_of_an_initial_state_out_of_bounds() -> None:
    shown = [str(line) for line in cti_lines(Semantics(model("start-outside")), NO_STATE)]
    assert shown[:2] == [
        "twos (fault = start-outside): initial states in bounds fails",
        "  0  Init(first = -2)",
    ]
    assert shown[2].startswith("     The initial state goes out of bounds: -2 is not in Int(0, 9) (")


@pytest.mark.parametrize(
    ("about", "complaint"),
    [
        (None, "here.induction: an object is needed"),
        ({"obligation": "x"}, "here.induction: conjuncts is missing, so this is no trace of Leadline's"),
        ({"obligation": 1, "conjuncts": []}, "here.induction.obligation: text is needed"),
        (
            {"obligation": "x", "conjuncts": ["odd"]},
            "here.induction.conjuncts: an array of names of properties of twos is needed",
        ),
        (
            {"obligation": "x", "conjuncts": [["even"]]},
            "here.induction.conjuncts[0]: text is needed",
        ),
    ],
)
def test_a_malformed_document(about: Any, complaint: str) -> None:
    document = {**cti_document(model(), STEP, FILE), "induction": about}
    with pytest.raises(UserError) as told:
        stored_cti(model(), Stored("here", document))
    assert str(told.value) == complaint
