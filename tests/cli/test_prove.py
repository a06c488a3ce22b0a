"""`leadline prove` on the command line: the table, counterexamples, certificates, and what is refused."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.api import asked
from leadline.symbolic.cli import inputs
from leadline.symbolic.cli.terminal import Exit
from leadline.symbolic.engines import Answer, Limits, Listener, Query, Result, Verdict, answer
from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.lang import Model
from tests.cli.conftest import Leadline

TWOS = Path(__file__).parent.parent / "engines" / "inductive.py"

INDUCTION = ("--engine", "induction")
"""Where a property has no strengthenings, another engine is the default."""


@pytest.fixture
def here(leadline: Leadline) -> Leadline:
    """The command line in a folder that holds inductive.py too."""
    shutil.copy(TWOS, "inductive.py")
    return leadline


WRITE = "--write-strengthenings"


def rows(text: str) -> dict[str, list[str]]:
    """The table of obligations: verdict, solver and seconds by name."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("obligation "))
    found = {}
    for line in lines[start + 1 :]:
        if not line or line.split()[-1].count(".") != 1:
            break
        name, *cells = [cell.strip() for cell in line.split("  ") if cell]
        found[name] = cells
    return found


@pytest.mark.parametrize("solver", ["z3", "cadical", "auto"])
def test_a_proof(solver: str, here: Leadline) -> None:
    ran = here("prove", "inductive.py", "--property", "not-five", "--solver", solver, "--out", "p.json")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "twos (fault = none)"
    assert lines[1].split("  ")[0] == "property"
    assert lines[2].startswith("not-five  proved   2          10 of 10 obligations hold  ")
    table = rows(ran.out)
    assert list(table)[:3] == [
        "initial states in bounds",
        "initiation of grows-by-twos",
        "initiation of help-of-helps",
    ]
    assert len(table) == 10 and {cells[0] for cells in table.values()} == {"holds"}
    assert {cells[1] for cells in table.values()} <= ({solver} if solver != "auto" else {"z3", "cadical"})
    assert ran.err == "leadline: by induction: it is the engine that takes --solver\nleadline: wrote p.json\n"
    assert json.loads(Path("p.json").read_text())["verdict"] == "proved"


def test_a_counterexample_to_induction(here: Leadline) -> None:
    ran = here("prove", "inductive.py", *INDUCTION, "--property", "not-seven", "--out", "p.json")
    assert ran.code == 20
    assert "not-seven  unknown  1          6 of 7 obligations hold  " in ran.out
    assert rows(ran.out)["consecution of not-seven under add"][0] == "fails"
    assert ran.out.split("\n\n")[-1].splitlines() == [
        "twos (fault = none): consecution of not-seven under add fails",
        "  0  A state that satisfies every conjunct (it need not be reachable)",
        "       number = 5",
        "  1  Add",
        "       number = 7",
        "     NotSeven is false.",
        "       FALSE  number # 7   (7 # 7)",
    ]
    assert ran.err == "leadline: no certificate is written: not-seven is not proved\n"
    assert not Path("p.json").exists()


@pytest.mark.parametrize(
    ("fault", "goal", "expected"),
    [
        (
            "step-outside",
            "even",
            [
                "  0  A state that satisfies every conjunct (it need not be reachable)",
                "       number = 8",
                "  1  Add",
                "     Step 1 goes out of bounds: 10 is not in Int(0, 9) (",
            ],
        ),
        (
            "odd-start",
            "even",
            [
                "  0  Init(first = 1)",
                "       number = 1",
                "     Even is false.",
                "       FALSE  number % 2 = 0",
            ],
        ),
        (
            "none",
            "at-most-eight",
            [
                "  0  A state that satisfies every conjunct (it need not be reachable)",
                "       number = 1",
                "  1  Add",
                "       number = 3",
                "     HelpOfHelps is false.",
                "       TRUE   number = 3   (3 = 3)",
                "       FALSE  number < 3   (3 < 3)",
                "1 more obligation failed: see one with --obligation",
            ],
        ),
    ],
)
def test_other_counterexamples(fault: str, goal: str, expected: list[str], here: Leadline) -> None:
    ran = here("prove", "inductive.py", *INDUCTION, "-p", f"fault={fault}", "--property", goal)
    assert ran.code == 20
    shown = ran.out.split("\n\n")[-1].splitlines()[1:]
    assert len(shown) == len(expected)
    assert all(line.startswith(start) for line, start in zip(shown, expected, strict=True))


def test_one_obligation_alone(here: Leadline) -> None:
    """An obligation that holds proves nothing by itself, and a failure of another one is shown."""
    ran = here("prove", "inductive.py", "--property", "at-most-eight", "--obligation", "implication")
    assert ran.code == 20
    assert list(rows(ran.out)) == ["implication"]
    assert ran.out.splitlines()[-3:-1] == ["       number = 9", "     AtMostEight is false."]
    ran = here("prove", "inductive.py", "--property", "even", "--obligation", "implication")
    assert (ran.code, "1 of 7 obligations hold" in ran.out) == (20, True)


def test_json(here: Leadline) -> None:
    ran = here("prove", "inductive.py", *INDUCTION, "--property", "not-seven", "--format", "json")
    assert ran.code == 20
    told = json.loads(ran.out)
    assert (told["protocol"], told["property"], told["verdict"]) == ("twos", "not-seven", "unknown")
    assert (told["parameters"], told["conjuncts"]) == ({"fault": "none"}, ["not-seven"])
    failed = [one for one in told["obligations"] if one["verdict"] == "fails"]
    assert [one["name"] for one in failed] == ["consecution of not-seven under add"]
    assert failed[0]["seconds"].keys() == {"build", "solve", "total"}
    assert failed[0]["cti"]["induction"]["conjuncts"] == ["not-seven"]
    assert failed[0]["cti"]["states"] == [{"number": 5}, {"number": 7}]


def test_a_counterexample_in_a_file_is_shown_again(here: Leadline) -> None:
    shown = here("prove", "inductive.py", *INDUCTION, "--property", "not-seven").out.split("\n\n")[-1]
    told = here("prove", "inductive.py", *INDUCTION, "--property", "not-seven", "--format", "json").out
    Path("told.json").write_text(told)
    again = here("trace", "told.json", "--protocol", "inductive.py")
    assert (again.code, again.out) == (0, shown)
    one = here("trace", "told.json", "--protocol", "inductive.py", "--format", "json")
    Path("one.json").write_text(one.out)
    assert here("trace", "one.json", "--protocol", "inductive.py").out == shown
    itf = here("trace", "one.json", "--protocol", "inductive.py", "--format", "itf")
    assert itf.code == 2
    assert "a counterexample to induction" in itf.err and "itf cannot express" in itf.err
    drawn = here("trace", "one.json", "--protocol", "inductive.py", "--format", "mermaid")
    assert drawn.code == 0 and "A state that satisfies every conjunct" in drawn.out


def test_a_counterexample_that_was_tampered_with(here: Leadline) -> None:
    told = here("prove", "inductive.py", *INDUCTION, "--property", "not-seven", "--format", "json").out
    Path("told.json").write_text(told.replace('"number": 7', '"number": 8'))
    ran = here("trace", "told.json", "--protocol", "inductive.py")
    assert ran.code == 2
    assert "does not replay: the step: number becomes 7, and the trace says 8" in ran.err


# -- rechecking ------------------------------------------------------------------------------------------


def write_proof(leadline: Leadline, solver: str = "cadical") -> dict[str, Any]:
    name = ("two-phase-commit", "--property", "consistency")
    assert leadline("prove", *name, "--solver", solver, "--out", "p.json").code == 0
    made: dict[str, Any] = json.loads(Path("p.json").read_text())
    return made


@pytest.mark.parametrize(
    ("solver", "other"), [pytest.param("z3", "cadical", marks=pytest.mark.slow), ("cadical", "z3")]
)
def test_recheck(solver: str, other: str, leadline: Leadline) -> None:
    write_proof(leadline, solver)
    ran = leadline("prove", "--recheck", "p.json")
    assert ran.code == 0
    assert {cells[1] for cells in rows(ran.out).values()} == {other}
    assert ran.err == "leadline: p.json stands: 101 of 101 obligations hold by the other solver\n"


def test_recheck_by_a_solver(here: Leadline) -> None:
    """Any checks an invariant that a search has found, and another an obligation than that which answered it."""
    proof = ("prove", "inductive.py", "--property", "even", "--out", "p.json")
    assert here(*proof, "--engine", "pdr").code == 0
    for solver, title in (("cadical", "CaDiCaL"), ("z3", "Z3")):
        ran = here("prove", "inductive.py", "--recheck", "p.json", "--solver", solver)
        assert (ran.code, ran.err) == (0, f"leadline: p.json stands: 1 of 1 invariant checked by {title}\n")
    assert here(*proof, "--engine", "induction").code == 0
    ran = here("prove", "inductive.py", "--recheck", "p.json", "--solver", "z3")
    assert (ran.code, "--solver does not go with --recheck of a proof by induction" in ran.err) == (2, True)


def test_recheck_of_a_changed_model_is_refused(here: Leadline) -> None:
    assert here("prove", "inductive.py", *INDUCTION, "--property", "even", "--out", "p.json").code == 0
    source = Path("inductive.py")
    source.write_text(source.read_text().replace("now.number + 2", "now.number + 0"))
    ran = here("prove", "inductive.py", "--recheck", "p.json")
    assert (ran.code, ran.out) == (2, "")
    assert "p.json is a proof about another model" in ran.err


def test_recheck_of_a_forgery_does_not_stand(here: Leadline) -> None:
    assert here("prove", "inductive.py", *INDUCTION, "--property", "even", "--out", "p.json").code == 0
    made = json.loads(Path("p.json").read_text())
    told = json.loads(
        here("prove", "inductive.py", *INDUCTION, "--property", "not-seven", "--format", "json").out
    )
    made["property"] = "not-seven"
    made["conjuncts"] = [{"name": "not-seven", "formula": "number # 7"}]
    for one, other in zip(made["obligations"], told["obligations"], strict=True):
        one["name"] = other["name"]
    Path("p.json").write_text(json.dumps(made))
    ran = here("prove", "inductive.py", "--recheck", "p.json")
    assert ran.code == 20
    assert "consecution of not-seven under add fails" in ran.out
    assert ran.err.startswith("leadline: p.json does not stand: 6 of 7 obligations hold")


def test_a_file_that_would_run_needs_a_word(here: Leadline) -> None:
    assert here("prove", "inductive.py", *INDUCTION, "--property", "even", "--out", "p.json").code == 0
    ran = here("prove", "--recheck", "p.json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("if you trust it, leadline prove --recheck p.json --protocol inductive.py\n")
    assert here("prove", "--recheck", "p.json", "--protocol", "inductive.py").code == 0
    assert here("prove", "inductive.py", "--recheck", "p.json").code == 0
    ran = here("prove", "inductive.py", "--property", "even", "--protocol", "inductive.py")
    assert (ran.code, "--protocol goes with --recheck" in ran.err) == (2, True)
    ran = here("prove", "counter.py", "--recheck", "p.json")
    assert (ran.code, "is a proof about twos, not about counter" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("prove",), "nothing to prove"),
        (("prove", "inductive.py"), "nothing to prove: name a property of twos with --property: even, "),
        (("prove", "inductive.py", "--property", "evne"), "twos has no property `evne`: did you mean `even`"),
        (
            ("prove", "inductive.py", "--property", "even", "--obligation", "implies"),
            "even has no obligation `implies`",
        ),
        (
            ("prove", "inductive.py", "--property", "even", "--obligation", "implication", "--out", "p.json"),
            "some obligations alone prove nothing",
        ),
        (("prove", "inductive.py", "--property", "even", "--out", "no/p.json"), "there is no folder no"),
        (("prove", "inductive.py", "--property", "even", "--property", "small"), "--property is given twice"),
        (("prove", "--recheck", "nowhere.json"), "nowhere.json cannot be read"),
        (("prove", "--recheck", "p.json", "--property", "even"), "--property does not go with --recheck"),
        (("prove", "--recheck", "p.json", "-p", "fault=none"), "-p does not go with --recheck"),
        (
            ("prove", "inductive.py", "--property", "even", "--engine", "induction", WRITE, "x.py"),
            f"{WRITE} means nothing to the engine induction",
        ),
        (("prove", "inductive.py", "--property", "even", WRITE, "x"), "give a file that ends in .py"),
        (("prove", "inductive.py", "--property", "even", WRITE, "no/x.py"), "there is no folder no"),
        (
            ("prove", "inductive.py", "--property", "even", WRITE, "inductive.py"),
            "this is a file that the command reads",
        ),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], complaint: str, here: Leadline) -> None:
    ran = here(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err
    assert "Traceback" not in ran.err


def test_a_model_that_cannot_begin(here: Leadline) -> None:
    ran = here("prove", "inductive.py", "-p", "fault=no-start", "--property", "even")
    assert (ran.code, ran.out) == (150, "")
    assert "twos has no initial state" in ran.err and "Traceback" not in ran.err


def test_time(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "timely", lambda *_: nullcontext())  # the model is made in any case
    ran = leadline("prove", "two-phase-commit", "--property", "consistency", "--timeout", "0.001")
    assert ran.code == 20
    assert "consistency  unknown  4          0 of 101 obligations hold" in ran.out
    assert "time: stopped after 0.001 s" in ran.out


def test_an_interruption_shows_what_there_is(here: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    def tired(model: Model, query: Query, limits: Limits, listener: Listener) -> Answer:
        heard: list[Result] = []

        def until_the_third(result: Result) -> None:
            listener.done(result)
            heard.append(result)
            if len(heard) == 3:
                raise KeyboardInterrupt

        return answer(model, query, limits, Listener(done=until_the_third))

    monkeypatch.setattr(asked, "answer", tired)
    ran = here("prove", "inductive.py", *INDUCTION, "--property", "even", "--out", "p.json")
    assert ran.code == 130
    assert len(rows(ran.out)) == 3
    assert ran.err.startswith("leadline: interrupted; 3 of 7 parts answered so far")
    assert not Path("p.json").exists()


@pytest.mark.slow
def test_an_invariant_is_shown_as_formulas(leadline: Leadline) -> None:
    goal = ("--property", "consistency", "--no-strengthenings", "--show-invariant")
    ran = leadline("prove", "two-phase-commit", *goal)
    assert ran.code == 0
    line = r'~(rmState[1] = "committed" /\ rmState[2] = "aborted")'
    assert f"  {line}" in ran.out.splitlines()
    told = json.loads(leadline("prove", "two-phase-commit", *goal, "--format", "json").out)
    assert line in told["formulas"]
    assert len(told["formulas"]) == len(told["invariant"]) == told["orbits"]


def test_written_strengthenings_prove_the_property(here: Leadline) -> None:
    """Those that the proof assumed are imported; a property that is violated has none."""
    for more in ((), ("--no-strengthenings",)):
        ran = here("prove", "inductive.py", "--property", "not-five", WRITE, "found.py", *more)
        assert (ran.code, "wrote found.py; leadline prove found.py" in ran.err) == (0, True)
        ran = here("prove", "found.py", "--property", "not-five", "--engine", "induction")
        assert (ran.code, "proved" in ran.out) == (0, True)
    ran = here("prove", "inductive.py", "--property", "impossible", WRITE, "none.py")
    assert (ran.code, "no strengthenings are written: impossible is not proved" in ran.err) == (
        Exit.VIOLATED,
        True,
    )
    assert not Path("none.py").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "by induction: strengthenings are written for it"),
        (("--no-strengthenings",), "by pdr: it is the engine that takes --no-strengthenings"),
        pytest.param(("--engine", "pdr"), "", marks=pytest.mark.slow),
        pytest.param(
            ("--solver", "cadical"),
            "by induction: it is the engine that takes --solver",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_engine_and_why(options: tuple[str, ...], told: str, leadline: Leadline) -> None:
    ran = leadline("prove", "two-phase-commit", "--property", "consistency", *options)
    assert (ran.code, ran.err) == (0, f"leadline: {told}\n" if told else "")


def test_a_proof_that_is_stopped_tells_no_size(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    late = Result("consistency", "pdr", Verdict.UNKNOWN, reason="time: stopped after 9 s", cause=Cause.TIME)
    monkeypatch.setattr(asked, "answer", lambda *_: Answer([late]))
    ran = leadline("prove", "two-phase-commit", "--property", "consistency", "--engine", "pdr")
    assert ran.code == Exit.UNKNOWN
    assert "consistency: time: stopped after 9 s" in ran.out


def test_options_that_no_engine_takes_together(leadline: Leadline) -> None:
    arguments = ("prove", "two-phase-commit", "--property", "consistency")
    ran = leadline(*arguments, "--no-strengthenings", "--solver", "cadical")
    assert ran.code == 2
    for part in ("--no-strengthenings is for pdr", "--solver is for induction", "leave one"):
        assert part in ran.err


def test_the_only_property_needs_no_name(leadline: Leadline, tmp_path: Path) -> None:
    module = tmp_path / "Even.tla"
    module.write_text(
        "---- MODULE Even ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 2) % 8\n"
        "Inv == x % 2 = 0\n====\n"
    )
    module.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE\n")
    ran = leadline("prove", str(module))
    assert ran.code == 0 and ran.out.splitlines()[2].split()[:2] == ["Inv", "proved"]
