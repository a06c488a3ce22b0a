"""The table of tlaplus/Examples, on a folder with two small models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.benchmarks import tla
from leadline.benchmarks.tla import Example, Ran, Row, examples, main, page, recorded

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


@pytest.fixture
def climb(tmp_path: Path) -> Path:
    """A folder as tlaplus/Examples has them, with four models."""
    folder = tmp_path / "specifications" / "climb"
    folder.mkdir(parents=True)
    (folder / "Climb.tla").write_text(MODULE)
    config = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"
    (folder / "Good.cfg").write_text(f"{config}INVARIANT TypeOK\n")
    (folder / "Bad.cfg").write_text(f"{config}INVARIANT Low\n")
    models = [
        model("specifications/climb/Good.cfg", distinctStates=4),
        model("specifications/climb/Bad.cfg", "safety failure"),
        model("specifications/climb/Large.cfg", distinctStates=2_000_000),
        model("specifications/climb/Unknown.cfg"),
    ]
    modules = [{"path": "specifications/climb/Climb.tla", "models": models}]
    (folder / "manifest.json").write_text(json.dumps({"modules": modules}))
    return tmp_path


def words(folder: Path, *more: str) -> list[str]:
    """The options of the benchmark."""
    out, record = str(folder / "out.md"), str(folder / "record.jsonl")
    return ["--examples", str(folder), "--out", out, "--record", record, *more]


def test_models_are_taken_by_the_manifest_the_smallest_first(climb: Path) -> None:
    assert [(one.states, one.wanted) for one in examples(climb)] == [(None, "violated"), (4, "holds")]


@pytest.mark.slow
def test_models_are_explored_and_checked(climb: Path) -> None:
    main(words(climb, "--about", "On a small machine."))
    told = (climb / "out.md").read_text()
    for what in ("explored with TLC's number of states and verdict", "answered by `check`"):
        assert f"{what}: 2 of 2 (100.0%)" in told
    assert "wrong: 0" in told and "On a small machine." in told
    assert "| climb/Good.cfg | 4 | 4 | holds |" in told
    assert "| climb/Bad.cfg | violated | 4 | violated |" in told


def test_what_the_record_has_is_not_run_again(climb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    ends = {"Good.cfg": Ran("-", 2, 1.0, "a | b"), "Bad.cfg": Ran("violated", 4, 1.0, "")}

    def run(_: Path, one: Example, command: tuple[str, ...], __: int) -> Ran:
        asked.append((Path(one.config).name, *command))
        return ends[asked[-1][0]]

    monkeypatch.setattr(tla, "_run", run)
    main(words(climb, "--commands", "explore"))
    assert asked == [("Bad.cfg", "explore"), ("Good.cfg", "explore")]
    main(words(climb, "--commands", "explore", "symbolic", "--only", "Bad"))
    assert asked[2:] == [("Bad.cfg", "check", "--engine", "pdr")]
    assert "1 of 1 (100.0%), not run on 1 more" in (climb / "out.md").read_text()
    main(words(climb, "--commands", "explore", "--again"))
    assert asked[3:] == [("Good.cfg", "explore")]
    told = (climb / "out.md").read_text()
    assert "verdict: 1 of 2 (50.0%)" in told and "explore: a \\| b" in told


def test_a_violation_that_pdr_does_not_find_is_searched_by_bmc(
    climb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: Path, __: Example, command: tuple[str, ...], ___: int) -> Ran:
        return Ran("violated" if "bmc" in command else "-", None, 2.0, f"{climb}/M.tla:1:1: time")

    monkeypatch.setattr(tla, "_run", run)
    bad, good = examples(climb)
    found = tla.measured(climb, bad, "symbolic", 60, 60)
    assert (found.verdict, found.seconds) == ("violated", 4.0)
    assert tla.measured(climb, good, "symbolic", 60, 60) == Ran("-", None, 2.0, "M.tla:1:1: time")
    assert tla.measured(climb, bad, "symbolic", 3, 60).verdict == "-", "it took four seconds of three"


def test_what_is_right_and_wrong() -> None:
    good, bad = Example("M.tla", "Good.cfg", 4, False), Example("M.tla", "Bad.cfg", None, True)
    held, none = Ran("holds", 5, 1.0, ""), Ran("-", None, 1.0, "time")
    assert Row(good, {"explore": held}).wrong and not Row(good, {"explore": held}).right("explore")
    assert Row(good, {"check": held}).right("check"), "check counts no states"
    assert Row(bad, {"symbolic": held}).wrong
    assert not Row(good, {"explore": none}).wrong
    assert not Row(good, {"explore": Ran("safety holds", 2, 1.0, "Live: time")}).wrong
    safety = Row(good, {"symbolic": Ran("safety holds", None, 1.0, "Live: time")})
    assert safety.safe and not safety.right("symbolic") and not safety.wrong
    assert not Row(bad, safety.runs).safe, "of a model with a violation that says nothing"


def test_only_claims_about_runs_are_open() -> None:
    results = [
        {"property": "TypeOK", "verdict": "proved"},
        {"property": "Live", "verdict": "unknown", "reason": "time"},
    ]
    told = tla.judged({"results": results}, 1.0, {"Live"})
    assert told == Ran("safety holds", None, 1.0, "Live: time")
    assert tla.judged({"results": results}, 1.0, set()).verdict == "-"
    assert tla.judged({"results": results[1:]}, 1.0, {"Live"}).verdict == "-", "nothing is proved"


def test_the_page_is_made_from_the_record() -> None:
    told = tla.OUT.read_text()
    rows = recorded(tla.RECORD)
    assert {row.ran("explore").verdict for row in rows} > {"holds", "violated"}
    assert told == page(rows, tla.about_machine(tla.OUT))
