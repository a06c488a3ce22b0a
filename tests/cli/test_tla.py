"""`leadline explore` and `leadline show` of TLA+ modules: options, formats and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Leadline

MODULE = """
---- MODULE Jug ----
EXTENDS Naturals
CONSTANTS Size, Names
VARIABLES water, owner
ASSUME Size > 0
TypeOK == water \\in 0..Size /\\ owner \\in Names
NotFull == water < Size
Init == water = 0 /\\ owner \\in Names
Fill(n) == water < Size /\\ water' = water + 1 /\\ owner' = n
Next == \\E n \\in Names : Fill(n)
Grows == [][water' > water]_<<water, owner>>
====
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANTS Size = 2 Names = {a, b}\nINVARIANT TypeOK\nCHECK_DEADLOCK FALSE\n"


@pytest.fixture(autouse=True)
def module(leadline: Leadline) -> None:
    """Jug.tla with its configuration, in the folder of the command line."""
    Path("Jug.tla").write_text(MODULE)
    Path("Jug.cfg").write_text(CONFIG)


def test_a_module_is_explored(leadline: Leadline) -> None:
    ran = leadline("explore", "Jug.tla")
    assert ran.code == 0
    assert "Jug (Size = 2, Names = {a, b})" in ran.out
    assert "6 states within 2 steps (all reachable states), 2 deadlocks" in ran.out
    assert "TypeOK    safe" in ran.out


def test_options_replace_what_the_configuration_says(leadline: Leadline) -> None:
    ran = leadline("explore", "Jug.tla", "-p", "Size=1 + 2", "-p", "Names={c}", "--invariant", "NotFull")
    assert ran.code == 12
    assert "Jug (Size = 3, Names = {c})" in ran.out
    assert "Jug (Size = 3, Names = {c}): NotFull violated in 3 steps" in ran.out
    assert "  3  Fill(n = c)\n       water = 3\n     NotFull is false.\n       FALSE  water < 3" in ran.out
    assert "TypeOK" not in ran.out


def test_a_module_without_configuration_has_init_and_next(leadline: Leadline) -> None:
    Path("Jug.cfg").unlink()
    ran = leadline("explore", "Jug.tla", "-p", "Size=1", "-p", "Names={c}", "--property", "Grows")
    assert ran.code == 11, "the deadlock at the end is a mistake by default"
    assert "Grows     safe" in ran.out


def test_a_configuration_and_modules_elsewhere(leadline: Leadline) -> None:
    Path("other").mkdir()
    Path("Jug.tla").rename("other/Jug.tla")
    Path("Main.tla").write_text("---- MODULE Main ----\nEXTENDS Jug\n====\n")
    ran = leadline("explore", "Main.tla", "--config", "Jug.cfg", "--path", "other")
    assert ran.code == 0
    assert "Main (Size = 2" in ran.out


def test_json_is_as_for_protocols_in_python(leadline: Leadline) -> None:
    ran = leadline("explore", "Jug.tla", "--invariant", "NotFull", "--format", "json")
    told = json.loads(ran.out)
    assert (told["protocol"], told["parameters"]) == ("Jug", {"Size": "2", "Names": "{a, b}"})
    assert (told["states"], told["states_within_steps"], told["complete"]) == (6, [2, 4, 6], True)
    found = told["properties"]["NotFull"]
    assert (found["verdict"], found["steps"]) == ("violated", 2)
    assert found["trace"]["actions"][0] == {"name": "Fill", "tla": "Fill", "picks": {"n": "a"}}
    assert found["trace"]["states"][-1] == {"water": 2, "owner": "a"}


def test_a_counterexample_in_itf(leadline: Leadline) -> None:
    ran = leadline("explore", "Jug.tla", "--invariant", "NotFull", "--format", "itf", "--out", "bad.itf.json")
    told = json.loads(Path("bad.itf.json").read_text())
    assert ran.code == 12
    assert told["vars"] == ["water", "owner"]
    assert told["states"][2]["water"] == {"#bigint": "2"}


def test_a_trace_of_a_module_asks_for_the_module(leadline: Leadline) -> None:
    leadline("explore", "Jug.tla", "--invariant", "NotFull", "--format", "json", "--out", "bad.json")
    ran = leadline("trace", "bad.json", "--property", "NotFull")
    assert ran.code == 2
    assert "leadline trace bad.json --protocol Jug.tla" in ran.err


def test_a_trace_of_a_module_is_replayed_as_it_was_found(leadline: Leadline) -> None:
    """By the constants and the property of the trace, and by the configuration and invariants of the options."""
    Path("Jug.cfg").rename("Other.cfg")
    Path("Big.cfg").write_text(CONFIG.replace("INIT Init", "CONSTANT Level <- Limit INIT Init"))
    Path("Jug.tla").write_text(
        MODULE.replace("TypeOK ==", "Level == 1\nLimit == 2\nTypeOK ==").replace(
            "water < Size /\\ water'", "water < Level /\\ water'"
        )
    )
    leadline(
        "check", "Jug.tla", "--config", "Big.cfg", "--property", "NotFull", "--format", "json", "--out", "bad"
    )
    for options in (["--config", "Big.cfg"], ["--config", "Big.cfg", "--invariant", "TypeOK"]):
        shown = leadline("trace", "bad", "--protocol", "Jug.tla", *options)
        assert (shown.code, "NotFull is false" in shown.out) == (0, True), shown.err
        told = leadline("repl", "Jug.tla", "--trace", "bad", *options, "-e", "Level")
        assert (told.code, told.out) == (0, "2\n"), told.err
    wrong = leadline("trace", "bad", "--protocol", "Jug.tla")
    assert wrong.code == 2 and "does not replay: step 2 (Fill)" in wrong.err
    assert (
        "--config is for TLA+ modules" in leadline("trace", "bad", "--protocol", "x.py", "--config", "x").err
    )


def test_a_property_about_one_state_is_checked_in_every_state(leadline: Leadline) -> None:
    """A PROPERTY of the configuration is so in initial states alone, as for TLC, which warns of it too."""
    found = leadline("check", "Jug.tla", "--property", "NotFull", "--property", "Grows")
    assert found.code == 12 and "NotFull   violated  2 " in found.out
    Path("Jug.cfg").write_text(f"{CONFIG}PROPERTY NotFull")
    for options in ([], ["--property", "NotFull"]):
        found = leadline("check", "Jug.tla", *options)
        assert (found.code, found.err.count("Jug.cfg:6:10: NotFull is about one state")) == (0, 1)


def test_strengthenings_of_a_module_are_refused_at_once(leadline: Leadline) -> None:
    ran = leadline("prove", "Jug.tla", "--property", "TypeOK", "--write-strengthenings", "lemmas.py")
    assert (ran.code, ran.out) == (2, "") and "Jug.tla is none: --show-invariant" in ran.err


def test_a_module_is_shown(leadline: Leadline) -> None:
    ran = leadline("show", "Jug.tla")
    assert ran.code == 0
    assert "actions:\n  Fill\n" in ran.out
    assert "variables:\n  water\n  owner\n" in ran.out


FAULTS = {
    ("explore", "Jug.tla", "-p", "Sise=1"): (2, "did you mean `Size`?"),
    ("explore", "Jug.tla", "-p", "Size"): (2, "-p Size: write it as"),
    ("explore", "Jug.tla", "-p", "Size=(1"): (150, "the definition before is unfinished"),
    ("explore", "Jug.tla", "-p", "Size=0"): (10, "Jug.tla:6:13: the assumption is false"),
    ("explore", "Jug.tla", "-p", "Size=0", "--by", "circuits"): (10, "Jug.tla:6:13: the assumption is false"),
    ("explore", "Jug.tla", "--invariant", "Fil"): (2, "did you mean `Fill`?"),
    ("explore", "Nothing.tla"): (2, "Nothing.tla cannot be read"),
    ("explore", "Jug.tla", "--config", "no.cfg"): (2, "no.cfg cannot be read"),
    ("explore", "Broken.tla"): (150, "Broken.tla:2:6: unknown operator `x`"),
    ("check", "Jug.tla", "--property", "deadlock"): (2, "no operator `deadlock`: write --deadlock"),
    ("check", "counter.py", "--property", "deadlock"): (2, "no property `deadlock`: write --deadlock"),
    ("explore", "counter.py", "--invariant", "x"): (2, "--invariant is for TLA+ modules"),
}


@pytest.mark.parametrize("command", FAULTS)
def test_a_users_mistake_is_told(leadline: Leadline, command: tuple[str, ...]) -> None:
    Path("Broken.tla").write_text("---- MODULE Broken ----\nA == x\n====\n")
    code, text = FAULTS[command]
    ran = leadline(*command)
    assert (ran.code, text in ran.err) == (code, True), ran.err
    assert "Traceback" not in ran.err


def test_symmetry_can_be_asked_for(leadline: Leadline) -> None:
    """The members of Names can be exchanged: two states in three stand for others."""
    assert (
        "3 states within 2 steps (all reachable states), 1 deadlock"
        in leadline("explore", "Jug.tla", "--symmetry").out
    )
    ran = leadline("explore", "Jug.tla", "--symmetry", "-p", "Names={a}")
    assert ran.code == 2 and "Jug has no constant that is a set of several model values" in ran.err


def test_a_counterexample_as_a_module(leadline: Leadline) -> None:
    ran = leadline("explore", "Jug.tla", "--invariant", "NotFull", "--format", "tla")
    assert ran.code == 12 and "State2 ==\n  /\\ water = 2" in ran.out


@pytest.mark.parametrize("engine", ["bmc", pytest.param("pdr", marks=pytest.mark.slow)])
def test_a_property_with_too_many_instances_is_unknown(leadline: Leadline, engine: str) -> None:
    """It has no answer, which is no mistake in the command line; the others have theirs."""
    Path("Large.tla").write_text("""
---- MODULE Large ----
EXTENDS Naturals
VARIABLES x, q
Init == x = 0 /\\ q \\in SUBSET (1..9)
Next == x' = (x + 1) % 3 /\\ UNCHANGED q
Huge == \\A S, T, U \\in SUBSET (1..9) : S \\cup T \\cup U = q => S \\subseteq q
Small == x < 3
Low == x < 2
====
""")
    Path("Large.cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Huge Small\n")
    ran = leadline("check", "Large.tla", "--engine", engine)
    words = {row[0]: row[1] for row in map(str.split, ran.out.splitlines()) if len(row) > 1}
    assert ran.code == 20 and words["Huge"] == "unknown" and words["Small"] in ("safe", "proved")
    assert "Huge: the quantifiers of Huge (" in ran.out and "Large.tla:7:1) have" in ran.out
    Path("Large.cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Low Huge\n")
    assert leadline("check", "Large.tla", "--engine", engine).code == 12
