"""Results as SARIF 2.1.0, which code hosts show beside the lines they speak of.

A result for each property that fails at a point, at the line where the property is written; a rule for each
property of a protocol. What is unknown is a notification of the run: nothing is known to be wrong there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from leadline.symbolic.grid.store.cells import Cell
from leadline.symbolic.grid.versions import leadline_version
from leadline.symbolic.report.outcomes import Outcome, outcome, sentence
from leadline.symbolic.report.places import address, place_of

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(cells: Sequence[Cell]) -> dict[str, Any]:
    """The document as JSON takes it.

    Args:
        cells: what is known.
    """
    failed = [cell for cell in cells if outcome(cell) is Outcome.FAILED]
    rules = list(dict.fromkeys(_rule_id(cell) for cell in failed))
    notes = [
        {"level": "warning", "message": {"text": sentence(cell)}}
        for cell in cells
        if outcome(cell) is Outcome.OPEN
    ]
    run = {
        "tool": {
            "driver": {
                "name": "Leadline",
                "version": leadline_version(),
                "rules": [
                    {"id": rule, "shortDescription": {"text": f"{rule.replace('/', ': ', 1)} holds"}}
                    for rule in rules
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": [_result(cell, rules.index(_rule_id(cell))) for cell in failed],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule_id(cell: Cell) -> str:
    return f"{cell.goal.protocol}/{cell.goal.property}"


def _result(cell: Cell, rule: int) -> dict[str, Any]:
    row = cell.row
    about = {"parameters": dict(cell.settings), "query": row.query, "steps": row.steps, "trace": row.trace}
    return {
        "ruleId": _rule_id(cell),
        "ruleIndex": rule,
        "kind": "fail",
        "level": "error",
        "message": {"text": sentence(cell)},
        "locations": [_location(cell)],
        "partialFingerprints": {"leadlineCell/v1": _stable(cell)},
        "properties": {name: value for name, value in about.items() if value is not None},
    }


def _location(cell: Cell) -> dict[str, Any]:
    named = {"fullyQualifiedName": _rule_id(cell), "kind": "member"}
    place = place_of(cell)
    if place is None:
        return {"logicalLocations": [named]}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": address(place)},
            "region": {"startLine": place.line},
        },
        "logicalLocations": [named],
    }


def _stable(cell: Cell) -> str:
    """What a result keeps from run to run, whatever the protocol's text becomes."""
    goal = cell.goal
    text = "\n".join((goal.protocol, goal.property, goal.parameters))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
