"""`leadline prove --up-to`, and proofs within bounds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from leadline.symbolic.cli.output import Exit
from tests.cli.conftest import Leadline

ENGINES = Path(__file__).parent.parent / "engines"
MENDED = ("-p", "variant=mended-handle-vote", "--property", "disjointness", "--no-strengthenings")
OUTSIDE = ("-p", "fault=step-outside", "--property", "even")


@pytest.fixture
def here(leadline: Leadline) -> Leadline:
    """The command line in a folder that holds inductive.py and protocols.py too."""
    for name in ("inductive.py", "protocols.py"):
        shutil.copy(ENGINES / name, name)
    return leadline


def test_each_point_has_its_line_and_its_certificate(leadline: Leadline) -> None:
    ran = leadline("prove", "spanner-leases", *MENDED, "--up-to", "replicas=2", "--out", "p.json")
    assert ran.code == 0
    title, goal, header, first, second = ran.out.splitlines()
    assert title.startswith("spanner-leases (") and "replicas" not in title
    assert goal == "disjointness, at each point:"
    assert header.split() == ["replicas", "verdict", "clauses", "orbits", "seconds", "proof"]
    assert first.split()[:2] == ["1", "proved"] and first.endswith("found by PDR")
    assert second.split()[:2] == ["2", "proved"]
    assert second.endswith("the formulas found at replicas = 1 are inductive")
    for replicas in (1, 2):
        path = Path(f"p-replicas-{replicas}.json")
        assert json.loads(path.read_text())["parameters"]["replicas"] == replicas
        assert leadline("prove", "--recheck", str(path)).code == 0
    assert not Path("p.json").exists()


def test_points_without_a_proof_and_points_that_are_none(here: Leadline) -> None:
    arguments = ("prove", "counter.py", "--property", "not-negative", "-p", "top=4", "--up-to", "top=6")
    told = json.loads(here(*arguments, "--format", "json").out)
    assert [(x["parameters"]["top"], x["verdict"]) for x in told["points"]] == [
        (4, "proved"),
        (5, None),
        (6, "proved"),
    ]
    assert "top is not 5" in told["points"][1]["proof"]
    ran = here("prove", "protocols.py:Lift", "--property", "never-two", "--up-to", "top=2", "--out", "l.json")
    assert ran.code == Exit.VIOLATED
    assert "never-two violated in 2 steps" in ran.out
    assert "no certificate is written for top = 2: never-two is not proved" in ran.err
    assert Path("l-top-1.json").exists() and not Path("l-top-2.json").exists()


def test_json_tells_where_formulas_come_from(leadline: Leadline) -> None:
    more = ("--up-to", "replicas=2", "--format", "json", "--show-invariant")
    told = json.loads(leadline("prove", "spanner-leases", *MENDED, *more).out)
    assert (told["protocol"], told["property"], told["up_to"]) == (
        "spanner-leases",
        "disjointness",
        {"replicas": 2},
    )
    first, second = told["points"]
    assert (first["formulas_of"], first["new_orbits"]) == (None, None)
    assert (second["formulas_of"], second["new_orbits"]) == ({"replicas": 1}, 0)
    assert second["parameters"]["replicas"] == 2 and second["orbits"] <= second["clauses"]


def test_the_invariant_is_shown_where_it_is_new(leadline: Leadline) -> None:
    more = ("--up-to", "replicas=2", "--show-invariant")
    ran = leadline("prove", "spanner-leases", *MENDED, *more)
    head, *formulas = ran.out.split("\n\n")[-1].splitlines()
    assert head == "The invariant at replicas = 1 is the conjunction of these:"
    assert all(line.startswith("  ") for line in formulas)
    assert "  \\A r \\in Replica : [leader |-> r, end |-> 3] \\notin intervals" in formulas


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("top=2", "-p", "top=3"), "--up-to top=2: this is below the first value, 3"),
        (("tpo=2",), "no parameter `tpo`"),
        (("top",), "--up-to top: write it as --up-to top=value"),
        (("top=10",), "top must be 1..9, and is 10"),
        (("overflow=true",), "--up-to overflow: only an integer grows, and overflow is true or false"),
        (("top=2", "--up-to", "top=3"), "--up-to top is given twice"),
        (("top=2", "--engine", "induction"), "--up-to means nothing to the engine induction"),
        (("top=2", "--solver", "z3"), "--solver does not go with --up-to"),
        (("top=2", "--obligation", "implication"), "--obligation does not go with --up-to"),
        (("top=2", "--write-strengthenings", "x.py"), "--write-strengthenings does not go with --up-to"),
        (("top=2", "--out", "no/p.json"), "there is no folder no"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], complaint: str, leadline: Leadline) -> None:
    ran = leadline("prove", "counter.py", "--property", "not-negative", "--up-to", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err


# -- within bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["pdr", "induction"])
def test_a_proof_that_fails_at_bounds_only_says_so(engine: str, here: Leadline) -> None:
    """The message names the bound, the action and the state, and says how to go on."""
    ran = here("prove", "inductive.py", *OUTSIDE, "--engine", engine)
    assert ran.code == (Exit.OUT_OF_BOUNDS if engine == "pdr" else Exit.UNKNOWN)
    assert "even is inductive within bounds" in ran.out
    assert "Add" in ran.out and "(10 is not in Int(0, 9) (" in ran.out and "inductive.py:42)" in ran.out
    assert "number = 8" in ran.out
    assert "--engine pdr --within-bounds" in ran.out and "@constraint" in ran.out
    told = json.loads(here("prove", "inductive.py", *OUTSIDE, "--engine", engine, "--format", "json").out)
    assert told["inductive_within_bounds"] is True


@pytest.mark.parametrize(
    "arguments",
    [
        ("-p", "fault=step-outside", "--property", "not-seven"),  # not inductive either
        ("-p", "fault=step-outside", "--property", "even", "--obligation", "in bounds under add"),
        ("--property", "even"),
    ],
)
def test_other_proofs_do_not(arguments: tuple[str, ...], here: Leadline) -> None:
    ran = here("prove", "inductive.py", *arguments, "--engine", "induction")
    assert "within bounds" not in ran.out


def test_a_proof_within_bounds_says_what_it_is(here: Leadline) -> None:
    ran = here("prove", "inductive.py", *OUTSIDE, "--within-bounds", "--out", "p.json")
    assert ran.code == 0
    assert "even      proved within bounds  -" in ran.out
    assert "even: of the states reached within bounds; what is beyond is not said" in ran.out
    again = here("prove", "--recheck", "p.json", "--protocol", "inductive.py")
    assert (again.code, "even: of the states reached within bounds" in again.out) == (0, True)
    claim = json.loads(Path("p.json").read_text())
    assert claim.pop("within_bounds") is True
    Path("p.json").write_text(json.dumps(claim))
    refused = here("prove", "--recheck", "p.json", "--protocol", "inductive.py")
    assert (refused.code, "steps in bounds" in refused.out) == (Exit.UNKNOWN, True)


def test_a_violation_within_bounds_is_found(here: Leadline) -> None:
    goal = ("-p", "fault=step-outside", "--property", "never-four")
    ran = here("prove", "inductive.py", *goal, "--within-bounds")
    assert (ran.code, "never-four violated in 2 steps" in ran.out) == (Exit.VIOLATED, True)
