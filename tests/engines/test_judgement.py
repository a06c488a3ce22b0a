"""An answer about a probe means the same everywhere: reached, unreachable, or not reached within the bound."""

from pathlib import Path

import pytest

import leadline
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.ask.result import Judgement, judged, said
from leadline.symbolic.lang import PropertyKind
from tests.engines.stuck import STUCK


@pytest.mark.parametrize(
    ("kind", "verdict", "complete", "judgement", "words"),
    [
        (PropertyKind.PROBE, Verdict.VIOLATED, False, Judgement.PASSED, "reached"),
        (PropertyKind.PROBE, Verdict.PROVED, False, Judgement.FAILED, "unreachable"),
        (PropertyKind.PROBE, Verdict.SAFE, True, Judgement.FAILED, "unreachable"),
        (PropertyKind.PROBE, Verdict.SAFE, False, Judgement.OPEN, "not reached"),
        (PropertyKind.PROBE, Verdict.UNKNOWN, False, Judgement.OPEN, "unknown"),
        (PropertyKind.PROBE, Verdict.OUT_OF_BOUNDS, False, Judgement.FAILED, "out-of-bounds"),
        (PropertyKind.INVARIANT, Verdict.SAFE, False, Judgement.PASSED, "safe"),
        (PropertyKind.INVARIANT, Verdict.SAFE, True, Judgement.PASSED, "safe"),
        (PropertyKind.INVARIANT, Verdict.VIOLATED, False, Judgement.FAILED, "violated"),
        (None, Verdict.VIOLATED, False, Judgement.FAILED, "violated"),
        (PropertyKind.TEMPORAL, Verdict.UNKNOWN, False, Judgement.OPEN, "unknown"),
    ],
)
def test_judgements(
    kind: PropertyKind | None, verdict: Verdict, complete: bool, judgement: Judgement, words: str
) -> None:
    assert judged(kind, verdict, complete=complete) is judgement
    assert said(kind, verdict, complete=complete) == words


def test_the_library(tmp_path: Path) -> None:
    path = tmp_path / "stuck.py"
    path.write_text(STUCK)
    for found in (leadline.explore(path), leadline.check(path)):
        assert {name: str(one.judgement) for name, one in found.items()} == {
            "small": "passed",
            "never-one": "passed",
            "never-five": "failed",
        }
        assert found["never-one"].verdict == "violated" and found["never-one"].trace is not None
        assert not found.holds
        assert "never-one violated" not in str(found), "a probe that is reached shows no run"
    within = leadline.check(path, depth=3)
    assert (within["never-five"].judgement, within["never-one"].judgement) == ("open", "passed")
    assert str(within["never-five"]) == "not reached within 3 steps"
