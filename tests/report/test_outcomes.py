"""An answer is expected if it agrees with what is known of the property at that point."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from leadline.symbolic.engines.ask.result import Judgement
from leadline.symbolic.grid.cells import Cell, cells
from leadline.symbolic.report.findings import ShownTrace, findings
from leadline.symbolic.report.outcomes import as_expected, outcome, surprises, tally
from tests.grid.rows import row

BACKUP = {
    "variant": "backup-manager",
    "resource_managers": 2,
    "rm_may_fail": True,
    "tm_may_fail": True,
    "fairness": "as-published",
}
"""A point at which consistency is known to be violated in 24 steps."""


def cell(parameters: Mapping[str, Any] = BACKUP, **changes: Any) -> Cell:
    about = {"protocol": "two-phase-commit", "source": "two-phase-commit", "property": "consistency"}
    (found,) = cells([row(**{**about, "parameters": json.dumps(parameters), **changes})], {})
    return found


SAFE: dict[str, Any] = {"verdict": "safe", "steps": None, "trace": None}
HOLDS_AT = {**BACKUP, "rm_may_fail": False}
NOTHING_AT = {**BACKUP, "resource_managers": 9}


@pytest.mark.parametrize(
    ("found", "agrees", "counts"),
    [
        (cell(steps=24), True, Judgement.PASSED),
        (cell(steps=30), True, Judgement.PASSED),
        (cell(steps=23), False, Judgement.FAILED),
        (cell(**SAFE, depth=23), True, Judgement.PASSED),
        (cell(**SAFE, depth=24), False, Judgement.FAILED),
        (cell(verdict="out-of-bounds", steps=2), False, Judgement.FAILED),
        (cell(verdict="unknown", steps=None), None, Judgement.OPEN),
        (cell(HOLDS_AT, steps=9), False, Judgement.FAILED),
        (cell(HOLDS_AT, **SAFE), True, Judgement.PASSED),
        (cell(NOTHING_AT, steps=9), None, Judgement.FAILED),
        (cell(NOTHING_AT, **SAFE), None, Judgement.PASSED),
        (cell(property="no-such-property"), None, Judgement.FAILED),
        (cell(source="no-such-protocol"), None, Judgement.FAILED),
        (cell(source="no_such_file.py"), None, Judgement.FAILED),
        (cell(source="no_such_file.py", kind="probe"), True, Judgement.PASSED),
        (cell(source="no_such_file.py", kind="probe", **SAFE), None, Judgement.OPEN),
        (cell(source="no_such_file.py", kind="probe", verdict="proved"), False, Judgement.FAILED),
    ],
)
def test_what_is_expected(found: Cell, agrees: bool | None, counts: Judgement) -> None:
    assert as_expected(found) is agrees
    assert outcome(found) is counts


def test_what_is_asked_in_vain_is_open_unless_it_is_known_to_be_wrong() -> None:
    """Safe to some depth, and no answer beyond."""
    about = {"protocol": "two-phase-commit", "source": "two-phase-commit", "property": "consistency"}
    beyond = row(
        **about, parameters=json.dumps(BACKUP), query="b", verdict="unknown", steps=None, depth_asked=40
    )
    for depth, counts in ((10, Judgement.OPEN), (24, Judgement.FAILED)):
        safe = row(**about, parameters=json.dumps(BACKUP), **SAFE, depth=depth, depth_asked=depth)
        (found,) = cells([safe, beyond], {})
        assert outcome(found) is counts
        assert tally([found]).startswith(
            "1 without an answer" if counts is Judgement.OPEN else "1 not as expected"
        )


def test_they_are_counted_and_told() -> None:
    found = [
        cell(),
        cell(HOLDS_AT, **SAFE),
        cell(NOTHING_AT),
        cell(NOTHING_AT, verdict="unknown", steps=None),
    ]
    assert tally(found) == (
        "1 as expected, 1 not as expected, 1 of which nothing is known (1 violated or out of bounds), "
        "1 without an answer, of 4 cells"
    )
    ((surprise, known),) = surprises(found)
    assert (surprise, known.text()) == (found[0], "violated in 24 steps")
    text = findings(found[:2], lambda _: ShownTrace((), ""))
    assert "Not as expected" in text and "violated in 3 steps; known: violated in 24 steps" in text
    assert "Not as expected" not in findings(found[1:2], lambda _: ShownTrace((), ""))
