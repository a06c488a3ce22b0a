"""`leadline repl`: expressions in a state."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.cli.conftest import Leadline


def lines(*typed: str) -> list[str]:
    return [part for line in typed for part in ("-e", line)]


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
        ((":next",), "  1  CountUp(node = n1)\n"),
        (
            (":take 1", ":take 1", ":go 1", "count", ":run"),
            "...1\n  0  Init\n  1  CountUp(node = n1) <-\n  2  ...",
        ),
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
    assert (ran.code, ran.err) == (0, "")
    place = 0
    for piece in shown.split("..."):
        place = ran.out.index(piece, place) + len(piece)


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("conut", "NameError: name 'conut' is not defined"),
        ("count + 'x'", "'x'"),
        ("count +", "SyntaxError"),
        (":find count", "a value of Bool is needed"),
        (":take 9", "a number in 1..1 is needed, not '9'"),
        (":go x", "a number in 0..0 is needed, not 'x'"),
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


def test_the_help_has_a_line_for_each_command(leadline: Leadline) -> None:
    out = leadline("repl", "counter.py", *lines(":help")).out
    assert "\\n" not in out and len(out.splitlines()) > 8
    assert "  :find EXPRESSION   go to the nearest reachable state in which it is true" in out.splitlines()
