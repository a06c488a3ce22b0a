"""`leadline check --proof`, and the race of solvers, on the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from leadline.symbolic.cli import ask as command
from leadline.symbolic.engines import Answer, Limits, Query, Result, Verdict
from leadline.symbolic.lang import Model
from tests.cli.conftest import Leadline
from tests.solve.drup import check, read_dimacs, read_proof


def accepted(path: str) -> int:
    return check(read_dimacs(Path(f"{path}.cnf").read_text()), read_proof(Path(path).read_text()))


@pytest.mark.parametrize("solver", ["z3", "cadical", "auto"])
def test_what_is_safe_gets_a_proof(solver: str, leadline: Leadline) -> None:
    ran = leadline(
        "check", "counter.py", "--depth", "2", "--deadlock", "--solver", solver, "--proof", "p.drup"
    )
    assert ran.code == 0, "never-one is reached, and proves nothing"
    first, second = ran.err.splitlines()[-2:]
    assert first.startswith(
        "leadline: wrote p.drup.cnf: that within 2 steps a step goes out of bounds or one of these fails: "
        "below-three, not-negative, deadlock ("
    )
    assert second.startswith("leadline: wrote p.drup: its refutation by CaDiCaL (DRUP, ")
    assert accepted("p.drup") >= 1


def test_a_claim_about_runs_gets_no_proof(leadline: Leadline) -> None:
    asked = ("check", "two-phase-commit", "--depth", "1", "--unroll", "steps", "--proof", "p.drup")
    ran = leadline(*asked, "--property", "consistency", "--property", "termination")
    first, second, _ = ran.err.splitlines()[-3:]
    assert ran.code == 0 and first.startswith("leadline: no proof of termination: a proof is about states")
    assert "one of these fails: consistency (" in second
    ran = leadline(*asked, "--property", "termination")
    assert ran.code == 0 and "no proof of termination" in ran.err.splitlines()[-1]


def test_the_answer_itself_stays_as_it_is(leadline: Leadline) -> None:
    ran = leadline(
        "check", "counter.py", "--property", "not-negative", "--format", "json", "--proof", "p.drup"
    )
    assert ran.code == 0
    assert json.loads(ran.out)["results"][0]["verdict"] == "safe"
    depth = json.loads(ran.out)["results"][0]["depth"]
    assert f"within {depth} sweeps" in ran.err
    assert accepted("p.drup") >= 1


def test_what_is_violated_gets_none(leadline: Leadline) -> None:
    ran = leadline("check", "counter.py", "--property", "never-one", "--proof", "p.drup")
    assert ran.code == 0
    assert ran.err == "leadline: no property is safe: there is nothing to prove\n"
    assert not Path("p.drup").exists()


def test_a_proof_that_takes_too_long_leaves_the_question_open(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(_: Model, query: Query, limits: Limits) -> Answer:
        assert (query.properties, limits.seconds) == (("not-negative",), 30)
        late = Result("not-negative", query.engine, Verdict.UNKNOWN, reason="time: stopped after 30 s")
        return Answer([late])

    monkeypatch.setattr(command, "answer_in_child", slow)
    ran = leadline(
        "check", "counter.py", "--property", "not-negative", "--timeout", "30", "--proof", "p.drup"
    )
    assert "not-negative  safe" in ran.out
    assert (ran.code, ran.err) == (20, "leadline: no proof: time: stopped after 30 s\n")


@pytest.mark.parametrize("engine", ["explore", "pdr", "portfolio"])
def test_another_engine_writes_none(engine: str, leadline: Leadline) -> None:
    ran = leadline("check", "counter.py", "--engine", engine, "--proof", "p.drup")
    complaint = f"--proof means nothing to the engine {engine}: leave one of them out"
    assert (ran.code, ran.out, ran.err) == (2, "", f"leadline: {complaint}\n")


@pytest.mark.parametrize(
    ("path", "complaint"),
    [("nowhere/p", "--proof nowhere/p: there is no folder nowhere"), (".", "--proof .: this is a folder")],
)
def test_where_a_proof_cannot_go(path: str, complaint: str, leadline: Leadline) -> None:
    ran = leadline("check", "counter.py", "--proof", path)
    assert (ran.code, ran.out, ran.err) == (2, "", f"leadline: {complaint}\n")


def test_a_folder_in_the_formulas_place(leadline: Leadline) -> None:
    Path("p.cnf").mkdir()
    ran = leadline("check", "counter.py", "--proof", "p")
    assert (ran.code, ran.err) == (2, "leadline: --proof p.cnf: this is a folder\n")


@pytest.mark.parametrize("name", ["p", "p.cnf"])
def test_devices_and_pipes_are_not_replaced(name: str, leadline: Leadline) -> None:
    os.mkfifo(name)
    ran = leadline("check", "counter.py", "--proof", "p")
    complaint = f"leadline: --proof {name}: this is a device or a pipe; a proof needs a file\n"
    assert (ran.code, ran.err) == (2, complaint)
    assert Path(name).is_fifo()


def test_a_link_is_followed(leadline: Leadline) -> None:
    Path("elsewhere").mkdir()
    Path("p").symlink_to("elsewhere/p.drup")
    ran = leadline("check", "counter.py", "--property", "not-negative", "--depth", "2", "--proof", "p")
    assert ran.code == 0
    assert Path("p").is_symlink()
    assert accepted("p") >= 1


def test_the_winner_of_the_race_is_recorded(leadline: Leadline) -> None:
    ran = leadline("check", "counter.py", "--solver", "auto", "--format", "json")
    results = json.loads(ran.out)["results"]
    assert ran.code == 12
    assert {one["solver"] for one in results} in ({"z3"}, {"cadical"})
    verdicts = {one["property"]: one["verdict"] for one in results}
    assert verdicts == {"below-three": "violated", "not-negative": "safe", "never-one": "violated"}
    assert ran.err == f"leadline: answered by {results[0]['solver']}\n"
