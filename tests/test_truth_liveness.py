"""Claims about runs, at the parameters at which TLC has answered them.

`benchmarks/liveness.json` has TLC's verdicts on the modules that the encodings name, with the specification
that was checked: its fairness is the parameter `fairness`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import leadline
from leadline.benchmarks.cases import LIVENESS

ROWS: list[dict[str, Any]] = json.loads(LIVENESS.read_text())
LONG = 6.5
"""The seconds that TLC takes for a row that is tested among the slow ones."""
SMALLEST = {
    "kafka-transactions": {"clients": 1, "brokers": 1},
    "two-phase-commit": {"resource_managers": 1, "rm_may_fail": False},
}
"""The parameters of the protocols whose other rows are slow too."""


def marked(row: dict[str, Any]) -> Any:
    given = "-".join(map(str, row["parameters"].values()))
    name = f"{row['protocol']}-{row['property']}-{given}"
    small = SMALLEST.get(row["protocol"], {}).items() <= row["parameters"].items()
    long = row["tlc_seconds"] > LONG or not small
    return pytest.param(row, id=name, marks=[pytest.mark.slow] if long else [])


def asked(row: dict[str, Any], **options: Any) -> Any:
    name = row["property"]
    return leadline.check(row["protocol"], properties=[name], **options, **row["parameters"])[name]


@pytest.mark.parametrize("row", [marked(row) for row in ROWS])
def test_explored_states_give_the_verdict(row: dict[str, Any]) -> None:
    found = asked(row, engine="explore")
    assert found.verdict == ("violated" if row["result"] == "violated" else "safe")
    assert (found.trace is not None) == (found.verdict == "violated")


VIOLATED = [row for row in ROWS if row["result"] == "violated"]


@pytest.mark.parametrize("row", [marked(row) for row in VIOLATED])
def test_a_lasso_is_found_by_sweeps(row: dict[str, Any]) -> None:
    found = asked(row, unroll="sweeps", solver="cadical", depth=8)
    assert found.verdict == "violated" and found.trace is not None


def is_quick(row: dict[str, Any]) -> bool:
    """Whether a proof takes a few seconds."""
    return row["protocol"] == "pulsar-compaction" and not row["parameters"]["model_producer"]


PROVED = [row for row in ROWS if row["result"] == "holds" and row["parameters"].get("resource_managers") != 3]


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            *marked(row).values, id=marked(row).id, marks=[] if is_quick(row) else [pytest.mark.slow]
        )
        for row in PROVED
        if row["parameters"].get("transactions") != "circular"
    ],
)
def test_a_claim_that_holds_is_proved(row: dict[str, Any]) -> None:
    found = leadline.prove(row["protocol"], row["property"], engine="pdr", **row["parameters"])
    assert found.verdict == "proved" and found.certificate is not None
