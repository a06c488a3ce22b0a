"""Findings as SARIF 2.1.0, which code hosts and editors show beside the source lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import leadline
from leadline.symbolic.files import real_path
from leadline.symbolic.lang import Span

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True)
class Finding:
    """A property that fails at a point.

    Attributes:
        protocol: the protocol's name.
        goal: the property's name, or "deadlock".
        parameters: the point, as `parameters_json` writes it.
        text: a sentence about it.
        span: the line to show it at; None if it is not known.
        about: further facts by name; None is left out.
    """

    protocol: str
    goal: str
    parameters: str
    text: str
    span: Span | None
    about: Mapping[str, object]

    @property
    def rule(self) -> str:
        """The rule that it breaks."""
        return f"{self.protocol}/{self.goal}"

    @property
    def stable(self) -> str:
        """Its fingerprint, which stays the same even if the protocol's text changes."""
        text = "\n".join((self.protocol, self.goal, self.parameters))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def document(findings: Sequence[Finding], notes: Sequence[str]) -> dict[str, object]:
    """The JSON object of a run.

    Args:
        findings: the results, with a rule for each property of a protocol.
        notes: a sentence for each question without an answer: a notification of the run, not a result.
    """
    rules = list(dict.fromkeys(one.rule for one in findings))
    told = [{"level": "warning", "message": {"text": text}} for text in notes]
    run = {
        "tool": {
            "driver": {
                "name": "Leadline",
                "version": leadline.__version__,
                "rules": [
                    {"id": rule, "shortDescription": {"text": f"{rule.replace('/', ': ', 1)} holds"}}
                    for rule in rules
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": told}],
        "results": [_result(one, rules.index(one.rule)) for one in findings],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(one: Finding, rule: int) -> dict[str, object]:
    return {
        "ruleId": one.rule,
        "ruleIndex": rule,
        "kind": "fail",
        "level": "error",
        "message": {"text": one.text},
        "locations": [_location(one)],
        "partialFingerprints": {"leadlineCell/v1": one.stable},
        "properties": {name: value for name, value in one.about.items() if value is not None},
    }


def _location(one: Finding) -> dict[str, object]:
    named = {"fullyQualifiedName": one.rule, "kind": "member"}
    if one.span is None:
        return {"logicalLocations": [named]}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": address(one.span)},
            "region": {"startLine": one.span.line},
        },
        "logicalLocations": [named],
    }


def address(span: Span) -> str:
    """The URI of a line's file; relative if it is below the working directory, as code hosts want it."""
    path = real_path(Path(span.file))
    here = real_path(Path())
    if not path.is_absolute():
        # The path is no possible one, as a stored row's may be, or the working directory is gone.
        return quote(path.as_posix())
    whole = path.as_uri()
    return whole.removeprefix(f"{here.as_uri()}/") if path.is_relative_to(here) else whole
