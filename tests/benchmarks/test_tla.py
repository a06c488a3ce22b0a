"""The table of tlaplus/Examples, on a folder with two small models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.benchmarks import tla
from leadline.benchmarks.tla import Example, Ran, Row, examples, main, table

MODULE = """---- MODULE Climb ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 3 /\\ x' = x + 1
Low == x < 3
TypeOK == x \\in 0..3
====
"""


def model(path: str, result: str = "success", **more: object) -> dict[str, object]:
    return {"path": path, "mode": "exhaustive search", "result": result, **more}


@pytest.mark.slow
def test_models_are_explored_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "specifications" / "climb"
    folder.mkdir(parents=True)
    (folder / "Climb.tla").write_text(MODULE)
    config = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT"
    (folder / "Good.cfg").write_text(f"{config} TypeOK\n")
    (folder / "Bad.cfg").write_text(f"{config} Low\n")
    models = [
        model("specifications/climb/Good.cfg", distinctStates=4),
        model("specifications/climb/Bad.cfg", "safety failure"),
        model("specifications/climb/Large.cfg", distinctStates=2_000_000),
        model("specifications/climb/Unknown.cfg"),
    ]
    modules = [{"path": "specifications/climb/Climb.tla", "models": models}]
    (folder / "manifest.json").write_text(json.dumps({"modules": modules}))
    assert not list(examples(tmp_path, "ab"))
    assert [one.states for one in examples(tmp_path, "abcd")] == [4, None]
    out = tmp_path / "out.md"
    main(["--examples", str(tmp_path), "--out", str(out), "--only", "Good"])
    asked: list[str] = []
    bad = Ran("violated", 4, 1.0, "")

    def run(_: Path, one: Example, *__: object) -> Ran:
        asked.append(one.config)
        return bad

    monkeypatch.setattr(tla, "_run", run)
    main(["--examples", str(tmp_path), "--out", str(out), "--only", "Bad"])
    assert asked == ["specifications/climb/Bad.cfg"] * 2
    told = out.read_text()
    for count in (1, 2):
        asked_by = f"answered by `check --engine pdr`: {count}; wrong: 0"
        assert f"{count}; explored with TLC's number and verdict: {count}; {asked_by}" in told
    assert "| climb/Good.cfg | 4 | 4 | holds |" in told
    assert "| climb/Bad.cfg | violated | 4 | violated |" in told

    (good, _) = examples(tmp_path, "abcd")
    none = Ran("-", None, 1.0, "a | b")
    wrong = Row(good, Ran("holds", 5, 1.0, ""), none, 60)
    assert wrong.wrong and not wrong.right and not wrong.answered_symbolically
    assert Row(good, none, Ran("violated", None, 1.0, ""), 60).wrong

    main(["--examples", str(tmp_path), "--out", str(out), "--only", "Bad", "--commands", "symbolic"])
    assert asked == ["specifications/climb/Bad.cfg"] * 3
    assert "| climb/Bad.cfg | violated | 4 | violated |" in out.read_text()
    assert "symbolic: a \\| b" in table([wrong], "abcd")
