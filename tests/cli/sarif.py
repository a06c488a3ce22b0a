"""A check of SARIF files."""

import re
from typing import Any


def check_sarif(document: dict[str, Any]) -> list[dict[str, Any]]:
    """See that a document is what sections 3.13 to 3.58 of SARIF 2.1.0 ask for; its results."""
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "Leadline"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for invocation in run["invocations"]:
        assert invocation["executionSuccessful"] is True
        for note in invocation["toolExecutionNotifications"]:
            assert note["level"] in {"none", "note", "warning", "error"}
            assert note["message"]["text"]
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert (result["kind"], result["level"]) == ("fail", "error")
        assert result["message"]["text"]
        assert len(result["locations"]) == 1
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        physical = result["locations"][0].get("physicalLocation")
        if physical is not None:
            assert re.fullmatch(r"(file:///)?[A-Za-z0-9._~%/-]+", physical["artifactLocation"]["uri"])
            assert physical["region"]["startLine"] >= 1
    results: list[dict[str, Any]] = run["results"]
    return results
