"""`leadline repl`: expressions in a state."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.symbolic.cli import repl
from leadline.symbolic.engines.run.limits import TimeIsOver
from tests.cli.conftest import Leadline, Ran


def lines(*typed: str) -> list[str]:
    return [part for line in typed for part in ("-e", line)]


def check_shown(ran: Ran, shown: str) -> None:
    """Check that a session ended well and showed these pieces, `...` for what is between them."""
    assert (ran.code, ran.err) == (0, "")
    place = 0
    for piece in shown.split("..."):
        place = ran.out.index(piece, place) + len(piece)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (("count + 1",), "1\n"),
        (("now.count == count",), "TRUE\n"),
        (("forall(Node, lambda node: node.is_in(seen_by))",), "FALSE\n"),
        (("below_three",), "TRUE\n"),
        (("top", "Node.members"), "3\n('n1',)\n"),
        (("high = count >= 2", "high", ":find high", "high"), "FALSE\nafter 2 steps: ...\nTRUE\n"),
        ((":find count > 1 & high",), "NameError"),
        ((":find count > 3",), "not true in any state\n"),
        ((":steps",), "  1  CountUp(node = n1)\n"),
        (
            (":take 1", ":take 1", ":go 1", "count", ":run"),
            "...1\n  0  Init\n  1  CountUp(node = n1) <-\n  2  ...",
        ),
        (
            (":take 1", ":back", ":init", ":init 1", ":run"),
            "  1  Init\n     count = 0\n     seenBy = {}\nafter 0 steps: Init\n...  0  Init <-\n",
        ),
        ((":find count == 3", ":steps"), "no step is possible\n"),
        (
            (":why CountUp", ":why count_up(node = n1)"),
            "CountUp(node = n1): it is possible\nCountUp(node = n1): it is possible\n",
        ),
        (
            (":find count == 3", ":why CountUp"),
            "CountUp: its guard `count < 3` is false (`3 < 3`)\n",
        ),
        ((":quit", "1"), ""),
        ((":state",), "     count = 0\n     seenBy = {}\n"),
        (
            (":find count == 3", "count + 1 > 3", "choose(of(Set(Node)), lambda x: True)"),
            "...TRUE\nout of bounds:...",
        ),
        (("",), ""),
    ],
)
def test_what_is_typed(typed: tuple[str, ...], shown: str, leadline: Leadline) -> None:
    ran = leadline("repl", "counter.py", *lines(*typed))
    if shown == "NameError":
        assert (ran.code, "name 'high' is not defined" in ran.err) == (2, True)
        return
    check_shown(ran, shown)


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("conut", "NameError: name 'conut' is not defined"),
        ("count + 'x'", "'x'"),
        ("count +", "SyntaxError"),
        (":find count", "a value of Bool is needed"),
        (":take 9", "a number in 1..1 is needed, not '9'"),
        (":go 7", "a number in 0..0 is needed, not '7'"),
        (":go x", "a number is needed, not 'x': :go 1, say"),
        (":back", "this is the initial state"),
        (":why count", "has no action `count`: did you mean `count_up`?"),
        (":why CountUp(none = n1)", "CountUp has no pick `none`: did you mean `node`?"),
        (":why CountUp(node = n7)", "node = n7: there is no such value: it may be n1"),
        (":why CountUp(n1)", "write the picks as :why CountUp(PICK = VALUE, ...)"),
        (":why", "write :why ACTION"),
        (":jump", "there is no :jump: :help tells what there is"),
    ],
)
def test_what_cannot_be_understood(typed: str, complaint: str, leadline: Leadline) -> None:
    ran = leadline("repl", "counter.py", *lines(typed, "count"))
    assert (ran.code, ran.out) == (2, "0\n"), "the next line is answered"
    assert complaint in ran.err
    assert "Traceback" not in ran.err


def test_a_trace(leadline: Leadline) -> None:
    leadline("check", "counter.py", "-p", "top=4", "--depth", "3", "--format", "json", "--out", "found.json")
    ran = leadline("repl", "counter.py", "--trace", "found.json")
    assert "choose one with --property" in ran.err
    asked = ("repl", "counter.py", "--trace", "found.json", "--property", "below-three")
    assert leadline(*asked, *lines("count", "top", ":go 1", "count")).out.startswith("3\n4\nafter 1 step: ")
    assert "-p does not go with --trace" in leadline(*asked, "-p", "top=3").err
    text = Path("found.json").read_text().replace('"count": 1', '"count": 2')
    Path("found.json").write_text(text)
    assert "does not replay: step 1" in leadline(*asked, *lines("count")).err


def test_lines_of_a_pipe(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("count\n:take 1\ncount\n"))
    assert leadline("repl", "counter.py").out.startswith("0\nafter 1 step: CountUp(node = n1)\n")


def test_quit_ends_a_pipe(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("count\n:quit\ncount\n"))
    ran = leadline("repl", "counter.py")
    assert (ran.code, ran.out, ran.err) == (0, "0\n", "")


def test_a_reader_that_goes_away_ends_it(leadline: Leadline) -> None:
    """`head` closes the pipe after a line, while more are written than it holds."""
    Path("lines").write_text("list(range(20_000))\n" * 20)
    command = f"{sys.executable} -m leadline repl counter.py < lines | head -c 5; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("[0, 10\n", "")


def test_the_help_has_a_line_for_each_command(leadline: Leadline) -> None:
    out = leadline("repl", "counter.py", *lines(":help")).out
    told = set(re.findall(r"^  :(\w+)|, :(\w+)", out, re.MULTILINE))
    code = ast.parse(Path(repl.__file__).read_text())
    cases = {
        x.value.value
        for case in ast.walk(code)
        if isinstance(case, ast.match_case)
        for x in ast.walk(case.pattern)
        if isinstance(x, ast.MatchValue) and isinstance(x.value, ast.Constant)
    }
    assert cases | {"quit"} == {one or other for one, other in told}


def test_a_protocol_with_claims_about_runs_and_refinements(leadline: Leadline) -> None:
    ran = leadline("repl", "two-phase-commit", *lines("consistency", ":steps", ":why TM_commit"))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("TRUE\n  1  RM_MAIN_decide(rm = 1)\n")
    assert '`tmState.state = "commit"` is false (`"init" = "commit"`)' in ran.out


RING = """
---- MODULE Ring ----
EXTENDS Naturals
CONSTANT N
VARIABLES at, done
Node == 0..(N-1)
Init == at \\in Node /\\ done = {}
Pass(i) == at = i /\\ i \\notin done /\\ at' = (i + 1) % N /\\ done' = done \\union {i}
Reset == done = Node /\\ done' = {} /\\ UNCHANGED at
Next == (\\E i \\in Node : Pass(i)) \\/ Reset
Small == at < N
====
"""


@pytest.fixture
def ring(leadline: Leadline) -> Leadline:
    Path("Ring.tla").write_text(RING)
    Path("Ring.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Small\nCONSTANT N = 3\n")
    return leadline


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ((":init", ":steps"), "  1  Init\n     at = 0\n     done = {}\n  2  Init\n...  1  Pass(i = 0)\n"),
        (("at + N", "Small", "X == at + 1", "X * 2"), "3\nTRUE\n2\n"),
        (
            (":init 2", ":take 1", ":back", "at", ":run"),
            "after 0 steps: Init\n...1\n  0  Init <-\n  1  Pass(i = 1)\n",
        ),
        (
            (":find done = {0, 2}", ":run"),
            "after 2 steps: Pass(i = 0)\n     at = 1\n     done: added {0}\n  0  Init\n  1  Pass(i = 2)\n",
        ),
        ((":find at = 3",), "not true in any state\n"),
        (
            (":why Reset", ":why Pass(i = 2)", ":why Pass"),
            "Reset: its guard `done = {0, 1, 2}` is false (`{} = {0, 1, 2}`)\n"
            "Pass(i = 2): its guard `at = 2` is false (`0 = 2`)\n"
            "Pass(i = 0): it is possible\n",
        ),
        (("[x \\in 0..1 |-> x][at + 5]",), "no value: "),
    ],
)
def test_a_tla_module(typed: tuple[str, ...], shown: str, ring: Leadline) -> None:
    ran = ring("repl", "Ring.tla", *lines(*typed))
    check_shown(ran, shown)


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("at'", "the expression is about a step: expected one about one state"),
        ("att", "unknown operator `att`"),
        ("at +", "unfinished"),
        (":why Resett", "Ring has no action `Resett`: did you mean `Reset`?"),
        (":find [](at = 1)", "about a behaviour"),
    ],
)
def test_tla_that_cannot_be_understood(typed: str, complaint: str, ring: Leadline) -> None:
    ran = ring("repl", "Ring.tla", *lines(typed, "at"))
    assert (ran.code, ran.out) == (2, "0\n")
    assert complaint in ran.err
    assert "Traceback" not in ran.err and "mistake" not in ran.err


def test_a_trace_of_a_tla_module(ring: Leadline) -> None:
    text = Path("Ring.cfg").read_text().replace("Small", "Never")
    Path("Ring.cfg").write_text(text)
    Path("Ring.tla").write_text(RING.replace("Small == at < N", "Never == done # {0, 1}"))
    ring("check", "Ring.tla", "--format", "json", "--out", "found.json")
    ran = ring("repl", "Ring.tla", "--trace", "found.json", "--property", "Never", *lines("done", ":run"))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("{0, 1}\n  0  Init\n  1  Pass(i = 0)\n  2  Pass(i = 1) <-\n")


FORMLESS = """
---- MODULE Formless ----
EXTENDS Naturals, TLCExt, TLC
VARIABLE x
Init == x = 0
Up == \\E i \\in 1..3 : x > i /\\ x' = x + i
Down == x # 0 /\\ x' = x - 1
Level == x = TLCGet("level") - 1 /\\ x' = x + 1
Next == Up \\/ Down \\/ Level
====
"""


def test_why_of_a_module_without_a_symbolic_form(leadline: Leadline) -> None:
    Path("Formless.tla").write_text(FORMLESS)
    ran = leadline("repl", "Formless.tla", *lines(":why Up", ":why Down", ":why Level"))
    assert ran.out.splitlines() == [
        "Up: `x > i` is false at each of 3 evaluations (Formless.tla:6)",
        "Down: `x # 0` is false (Formless.tla:7)",
        "Level: it is possible",
    ]
    typed = (":steps", ":steps", ":take 1", ":take 2", ":back", ":go 2", ":steps", 'TLCGet("level")')
    ran = leadline("repl", "Formless.tla", *lines(*typed))
    assert ran.err == ""
    assert ran.out.endswith("  1  Up(i = 1)\n  2  Down\n  3  Level\n3\n"), "the level is that of the state"
    assert "no symbolic form" in leadline("repl", "Formless.tla", *lines(":why Up(i = 1)")).err


def test_why_where_formulas_take_long(ring: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> None:
        raise TimeIsOver

    monkeypatch.setattr("leadline.symbolic.tla.outline.formed_around", late)
    ran = ring("repl", "Ring.tla", *lines(":why Reset", ":why Pass(i = 1)", ":why Pass"))
    assert ran.out == "Reset: `done = Node` is false (Ring.tla:9)\nPass: it is possible\n"
    assert "not made within 15 s: ask about the action without picks" in ran.err
