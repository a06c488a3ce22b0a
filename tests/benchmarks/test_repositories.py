"""The table of modules of public repositories, on a module of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.benchmarks import repositories
from leadline.benchmarks.repositories import Model, Ran, main, models, page
from leadline.symbolic.tla.read.config import read_config

MODULE = """---- MODULE Climb ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 3 /\\ x' = x + 1
Low == x < 3
====
"""


def test_each_configuration_is_in_the_table() -> None:
    """Others are those of decisions and of the tests of commands."""
    elsewhere = {"MCRaft3.cfg", "MCElection2.cfg", "MCElection3.cfg", "MCConsensus3.cfg"}
    listed = {one.config for one in models()}
    assert {path.name for path in repositories.MODELS.glob("*.cfg")} == listed | elsewhere
    for one in models():
        config = read_config(repositories.MODELS / one.config)
        assert one.violated is None or one.violated in {x.operator for x in config.invariants}
        assert one.states > 0 and (one.extended is None or (repositories.MODELS / one.extended).is_file())


@pytest.mark.slow
def test_a_model_is_measured_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "climb").mkdir()
    (tmp_path / "climb" / "Climb.tla").write_text(MODULE)
    (tmp_path / "Climb.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n")
    row = {"module": "climb/Climb.tla", "extended": None, "config": "Climb.cfg", "bounds": "1 climber"}
    told = [{**row, "states": 4, "violated": "Low", "steps": 3}]
    (tmp_path / "models.json").write_text(json.dumps(told))
    monkeypatch.setattr(repositories, "MODELS", tmp_path)
    out, record = tmp_path / "page.md", tmp_path / "record.jsonl"
    words = ["--modules", str(tmp_path), "--out", str(out), "--record", str(record)]
    main(words)
    runs = repositories.recorded(record)["Climb.cfg"]
    assert {name: one.verdict for name, one in runs.items()} == {
        "explore": "violated", "check": "violated", "made": "made", "pdr": "violated",
    }  # fmt: skip
    text = out.read_text()
    assert "| climb/Climb.tla (Climb.cfg) | 1 climber | 4, Low violated |" in text
    assert "- wrong: 0" in text and "- answered by `check` as TLC does: 1" in text
    main(words)
    assert len(record.read_text().splitlines()) == 4, "what the record has is not run again"


def test_a_wrong_count_or_verdict_is_told() -> None:
    one = Model("m/M.tla", None, "M.cfg", "2 nodes", 10)
    right = Ran("holds", 10, 1.0)
    assert "- wrong: 0" in page([(one, {"explore": right, "check": right})], "")
    assert "- wrong: 1" in page([(one, {"explore": Ran("holds", 11, 1.0)})], "")
    assert "- wrong: 1" in page([(one, {"explore": right, "pdr": Ran("violated", None, 1.0)})], "")
    late = Ran("-", 7, 1.0, "time: stopped")
    assert "- M.cfg, explore: time: stopped" in page([(one, {"explore": late})], "")
