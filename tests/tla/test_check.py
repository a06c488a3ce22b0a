"""`check` of modules that the solvers cannot have whole: explicit search answers, and the reason is told once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.tla import origin
from tests.tla.loading import write

COUNTING = """
EXTENDS Integers, Sequences, TLC
VARIABLE x
Init == x = 0
Next == x < 5 /\\ x' = x + 1
Negative == x \\div (-1) > -4
Registered == TLCSet(1, x) /\\ TLCGet(1) < 4
Few == x < 9
"""
WORDS = """
EXTENDS Integers, Sequences
VARIABLE s
Init == s = "a"
Next == Len(s) < 5 /\\ s' = s \\o "c"
Short == Len(s) < 4 /\\ (Len(s) > 1 => Tail(s) # "" /\\ SubSeq(s, 1, 1) = "a")
"""
MIXED = """
EXTENDS Integers, Sequences
VARIABLE s
Init == s = "none"
Next == s' = IF Len(s) = 4 THEN <<1>> ELSE IF Len(s) < 3 THEN Append(s, 1) ELSE s
Inv == Len(s) # 3
"""
FALLING = """
EXTENDS Integers
VARIABLE x
Init == x = 3
Next == x' = x - 1
Inv == 10 \\div x < 100
"""
FAR = """
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x < 300 /\\ x' = x + 1
Inv == x # 200
"""


def written(folder: Path, body: str, invariants: str) -> str:
    path = write(folder, M=body)
    path.with_suffix(".cfg").write_text(f"INIT Init NEXT Next INVARIANTS {invariants} CHECK_DEADLOCK FALSE\n")
    return str(path)


@pytest.mark.parametrize(
    ("body", "invariant", "why"),
    [
        (COUNTING, "Negative", "M.tla:7:15: the divisor is in"),
        (COUNTING, "Registered", "TLCSet"),
        (WORDS, "Short", "a string is used as a sequence"),
        (MIXED, "Inv", "no symbolic form, so that only exploration answers"),
    ],
)
def test_what_has_no_symbolic_form_is_explored(
    tmp_path: Path, body: str, invariant: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, body, invariant)
    for arguments in (["explore", path], ["check", path], ["check", path, "--depth", "9"]):
        assert main(arguments) == 12
        out, err = capsys.readouterr()
        assert f"{invariant} violated in " in out
        assert ("explore" in arguments) or (why in err and "M.tla" in err)


def test_what_has_no_symbolic_form_is_no_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, COUNTING, "Few Registered")
    assert main(["prove", path, "--property", "Few"]) == 20
    assert main(["check", path, "--engine", "pdr"]) == 20
    told = capsys.readouterr().err
    assert "TLCSet" in told and "mistake" not in told
    assert main(["check", path, "--property", "Few", "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert found["verdict"] == "proved"


def test_an_error_of_the_module_is_one_however_wide_the_types_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, FALLING, "Inv")
    assert main(["check", path, "--depth", "5", "--format", "json"]) == 21
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["verdict"], found["steps"], found["steps_covered"]) == ("out-of-bounds", 3, None)


def test_types_that_grow_without_end_leave_the_question_to_exploration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(origin, "AHEAD", 0.0)
    monkeypatch.setattr(origin, "AFTERWARDS", 0.001)
    monkeypatch.setattr(origin, "MOST_GROWTH", 2)
    assert main(["check", written(tmp_path, FAR, "Inv")]) == 12
    out, err = capsys.readouterr()
    assert "Inv violated in 200 steps" in out
    assert "the numbers in x grow again and again" in err
