"""TLA+ modules on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Leadline
from tests.tla.modules import MAILBOX, MAILBOX_CFG


@pytest.fixture
def mailbox(tmp_path: Path) -> str:
    (tmp_path / "Mailbox.tla").write_text(MAILBOX)
    (tmp_path / "Mailbox.cfg").write_text(MAILBOX_CFG)
    return str(tmp_path / "Mailbox.tla")


def test_check(mailbox: str, leadline: Leadline) -> None:
    ran = leadline("check", mailbox, "--format", "json")
    assert ran.code == 12
    results = {one["property"]: one for one in json.loads(ran.out)["results"]}
    assert results["NotAllServed"]["verdict"] == "violated"
    assert results["TypeOK"]["verdict"] == "proved"
    shown = leadline("check", mailbox, "--property", "NotAllServed", "--engine", "explore").out
    assert 'msgs: added {[from |-> p1, type |-> "req"]}' in shown
    assert "Receive(m = [from |-> p1" in shown


def test_constants_by_parameters(mailbox: str, leadline: Leadline) -> None:
    ran = leadline("explore", mailbox, "-p", "Procs={p1, p2, p3}", "-p", "Max=1", "--format", "json")
    data = json.loads(ran.out)
    assert (ran.code, data["complete"]) == (0, True)
    assert data["parameters"] == {"Procs": ["p1", "p2", "p3"], "Max": 1}


def test_prove_and_show(mailbox: str, leadline: Leadline) -> None:
    assert leadline("prove", mailbox, "--property", "TypeOK").code == 0
    shown = leadline("show", mailbox).out
    assert "Send" in shown and "queue" in shown


@pytest.mark.parametrize(
    ("config", "more", "code", "told"),
    [
        (MAILBOX_CFG, ["--invariant", "Nowhere"], 2, "Mailbox has no operator `Nowhere`"),
        (MAILBOX_CFG.replace("Max = 2", ""), [], 150, "constant Max has no value"),
        (MAILBOX_CFG, ["-p", "Most=2"], 2, "has no parameter `Most`"),
    ],
)
def test_mistakes(
    config: str, more: list[str], code: int, told: str, tmp_path: Path, leadline: Leadline
) -> None:
    (tmp_path / "Mailbox.tla").write_text(MAILBOX)
    (tmp_path / "Mailbox.cfg").write_text(config)
    ran = leadline("check", str(tmp_path / "Mailbox.tla"), *more)
    assert (ran.code, told in ran.err) == (code, True), ran.err


def test_options_of_modules_are_for_modules(leadline: Leadline) -> None:
    ran = leadline("check", "two-phase-commit", "--config", "a.cfg")
    assert ran.code == 2 and "is for TLA+ modules" in ran.err


CLAIMS = {"Small": 12, "Up": 13, "Two": 13, "Back": 13}
WAYS = (
    ["explore"],
    ["check"],
    ["check", "--depth", "3"],
    ["check", "--engine", "pdr"],
)


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.parametrize("claim", CLAIMS)
def test_exit_codes_of_properties(way: list[str], claim: str, tmp_path: Path, leadline: Leadline) -> None:
    """They are TLC's: `[]P` is an invariant, and whatever else PROPERTY names is a claim about runs."""
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\n"
    body += "Small == [](x < 2)\nUp == [][x' > x]_x\nTwo == x = 2 /\\ Up\nBack == <>(x = 2)\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{body}====\n")
    (tmp_path / "M.cfg").write_text(f"INIT Init NEXT Next PROPERTY {claim}\n")
    assert leadline(*way, str(tmp_path / "M.tla")).code == CLAIMS[claim]
