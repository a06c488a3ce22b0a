"""TLA+ modules on the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Leadline
from tests.tla.loading import write
from tests.tla.modules import ALL, MAILBOX, MAILBOX_CFG
from tests.tla.random_modules import MODULES


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
    assert data["parameters"] == {"Procs": "{p1, p2, p3}", "Max": "1"}


def test_prove_and_show(mailbox: str, leadline: Leadline) -> None:
    assert leadline("prove", mailbox, "--property", "TypeOK").code == 0
    shown = leadline("show", mailbox).out
    assert "Send" in shown and "queue" in shown


@pytest.mark.parametrize(
    ("config", "more", "code", "told"),
    [
        (MAILBOX_CFG, ["--invariant", "Nowhere"], 2, "Mailbox has no operator `Nowhere`"),
        (MAILBOX_CFG.replace("Max = 2", ""), [], 150, "constant Max has no value"),
        (MAILBOX_CFG, ["-p", "Most=2"], 2, "has no constant `Most`"),
    ],
)
def test_mistakes(
    config: str, more: list[str], code: int, told: str, tmp_path: Path, leadline: Leadline
) -> None:
    (tmp_path / "Mailbox.tla").write_text(MAILBOX)
    (tmp_path / "Mailbox.cfg").write_text(config)
    ran = leadline("check", str(tmp_path / "Mailbox.tla"), *more)
    assert (ran.code, told in ran.err) == (code, True), ran.err


def test_operators_that_could_be_meant_are_told(mailbox: str, leadline: Leadline) -> None:
    """They were buried among those of the library and of instances."""
    module = Path(mailbox)
    module.write_text(module.read_text().replace("FiniteSets", "FiniteSets, SequencesExt", 1))
    told = leadline("prove", mailbox, "--property", "Nowhere").err
    assert "`Nowhere`: it has vars, Message, Init, Send, Receive, Serve" in told and "Last" not in told, told


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
    ran = leadline(*way, str(tmp_path / "M.tla"))
    assert ran.code == CLAIMS[claim]
    assert claim == "Back" or "Nothing happens any more" not in ran.out, "the steps alone violate it"


@pytest.mark.parametrize(
    ("name", "form"),
    [
        pytest.param(name, form, marks=[pytest.mark.slow] if number and form != "text" else [])
        for number, name in enumerate(ALL)
        for form in ("text", "json", "itf")
    ],
)
def test_exploration_is_told_alike_by_both_commands(
    name: str, form: str, tmp_path: Path, leadline: Leadline
) -> None:
    body, config = ALL[name]
    path = tmp_path / f"{name}.tla"
    path.write_text(body)
    path.with_suffix(".cfg").write_text(config)
    compare(path, form, leadline)


def compare(path: Path, form: str, leadline: Leadline, *more: str) -> None:
    """Ask both commands, and compare all that they tell."""
    first = leadline("explore", str(path), "--format", form, *more)
    second = leadline("check", "--engine", "explore", str(path), "--format", form, *more)
    assert (first.code, first.out, first.err) == (second.code, second.out, second.err)
    assert first.out or "no counterexample" in first.err or first.code == 150


ENDING = [seed for seed, _, _, distinct, *_ in MODULES.rows() if distinct is not None]
"""The random modules in whose states TLC comes to an end."""


@pytest.mark.parametrize("seed", ENDING[7::50])
def test_exploration_of_random_modules_is_told_alike_by_both_commands(
    seed: int, tmp_path: Path, leadline: Leadline
) -> None:
    for form in ("text", "json", "itf"):
        compare(MODULES.write(tmp_path, seed), form, leadline)


@pytest.mark.slow  # 150 CPU seconds
def test_exploration_of_every_random_module_is_told_alike(tmp_path: Path, leadline: Leadline) -> None:
    for seed, *_ in MODULES.rows():
        for form in ("text", "json", "itf"):
            compare(MODULES.write(tmp_path, seed), form, leadline, "--depth", "4")


PUBLISHED = Path(os.environ.get("LEADLINE_TLA_MODULES", "/nowhere"))
ELASTIC = PUBLISHED / "elasticsearch-formal-models" / "cluster" / "tla"
EXAMPLES = Path(os.environ.get("LEADLINE_TLA_EXAMPLES", "/nowhere")) / "specifications"
MODELS = Path(__file__).parents[1] / "tla" / "models"


@pytest.mark.parametrize(
    ("module", "config", "needs"),
    [
        (MODELS / "MCRaft.tla", "MCRaft2.cfg", PUBLISHED / "raft.tla" / "raft.tla"),
        (MODELS / "MCRaft.tla", "MCRaft3.cfg", PUBLISHED / "raft.tla" / "raft.tla"),
        (MODELS / "MCConsensus.tla", "MCConsensus2.cfg", ELASTIC / "consensus.tla"),
        *(
            (EXAMPLES / name, Path(name).with_suffix(".cfg").name, EXAMPLES / name)
            for name in ("DieHard/DieHard.tla", "ewd840/EWD840.tla", "Prisoners/Prisoners.tla")
        ),
    ],
    ids=lambda one: Path(one).name,
)
def test_exploration_of_published_modules_is_told_alike(
    module: Path, config: str, needs: Path, leadline: Leadline
) -> None:
    if not needs.is_file():
        pytest.skip(f"no {needs}: LEADLINE_TLA_MODULES and LEADLINE_TLA_EXAMPLES name folders with modules")
    more = ("--config", str(module.with_name(config)), "--path", str(needs.parent), "--depth", "4")
    for form in ("text", "json", "itf"):
        compare(module, form, leadline, *more)


def test_exploration_of_a_module_tells_why(tmp_path: Path, leadline: Leadline) -> None:
    """The values for which the property fails, and why the loop is fair, as for protocols in Python."""
    body = 'EXTENDS Naturals\nVARIABLES x, s\nInit == x = 0 /\\ s = "a"\n'
    body += "Up == x < 2 /\\ x' = x + 1 /\\ UNCHANGED s\nTurn == s' = \"b\" /\\ UNCHANGED x\n"
    body += "Spec == Init /\\ [][Up \\/ Turn]_<<x, s>> /\\ WF_x(Up)\n"
    body += 'Small == \\A n \\in 0..2 : x # n + 1\nEver == \\A t \\in {"a", "b"} : <>(s = t)\n'
    path = write(tmp_path, Why=body)
    path.with_suffix(".cfg").write_text(
        "SPECIFICATION Spec INVARIANT Small PROPERTY Ever CHECK_DEADLOCK FALSE"
    )
    out = leadline("explore", str(path)).out
    assert "Small is false.\n       FALSE  x # 1   (1 # 1)\n" in out
    assert 'for t = "b"' in out and "WF_x(Up): never enabled in the loop" in out
    told = json.loads(leadline("explore", str(path), "--format", "json").out)
    assert told["properties"]["Small"]["trace"]["states"][0] == {"x": 0, "s": "a"}


def test_fairness_of_an_action_that_takes_some_of_a_bag(tmp_path: Path, leadline: Leadline) -> None:
    """The domain of a function that is a set of pairs is filtered by its pairs."""
    body = "EXTENDS Naturals, Bags\nVARIABLES bag, n\nInit == bag = EmptyBag /\\ n = 0\n"
    body += "Send == n < 2 /\\ bag' = bag (+) SetToBag({[to |-> n]}) /\\ n' = n + 1\n"
    body += "Take == \\E m \\in {x \\in BagToSet(bag) : x.to = 1} : bag' = bag (-) SetToBag({m}) /\\ n' = n\n"
    body += "Spec == Init /\\ [][Send \\/ Take]_<<bag, n>> /\\ WF_<<bag, n>>(Take)\nAll == <>(n = 2)\n"
    path = write(tmp_path, Sent=body)
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec PROPERTY All CHECK_DEADLOCK FALSE")
    assert "WF_<<bag, n>>(Take): never enabled in the loop" in leadline("explore", str(path)).out


def test_a_property_without_a_symbolic_form_is_told_without_its_reason(
    mailbox: str, leadline: Leadline
) -> None:
    path = Path(mailbox).with_name("Word.tla")
    body = 'EXTENDS Naturals, Sequences\nVARIABLE s\nInit == s = ""\nNext == s\' = s \\o "c"\n'
    body += "Short == Len(s) < 2\n"
    body += "Never == <>(Len(s) = 9)\nSpec == Init /\\ [][Next]_s /\\ WF_s(Len(s) > 3 /\\ Next)\n"
    path.write_text(f"---- MODULE Word ----\n{body}====\n")
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec INVARIANT Short PROPERTY Never")
    out = leadline("explore", str(path), "--depth", "3").out
    assert 's = "cc"\n     Short is false.\n' in out
    assert "Never is false of this run, which is fair.\n" in out
