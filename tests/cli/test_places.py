"""The places that messages name: equal expressions are one node, and each use of one has a place of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Leadline
from tests.cli.sarif import check_sarif

SOURCE = '''
from leadline.symbolic.lang import *


class Faulty(Protocol):
    """Each way to go out of bounds, after a harmless action with equal expressions."""

    way: str = parameter("assignment", choices=WAYS)

    def define(self, state):
        state.i = Int(0, 3)
        state.b = Bool()
        state.o = Option(Int(0, 3))

    def init(self, start):
        start.i, start.b, start.o = 0, False, None

    @action
    def harmless(self, now, nxt):
        nxt.require(now.i + 1 < 3, ~(now.o != None) | (now.o.value == 1))
        nxt.b = True
        nxt.i = ite(now.i < 3, now.i + 1, 3)

    @action
    def faulty(self, now, nxt):
        nxt.require(now.b)
        if self.way == "assignment":
            nxt.i = now.i + 1  # assignment
        if self.way == "guard":
            nxt.require(
                now.i >= 0,
                now.o.value == 1,  # guard
            )
        if self.way == "branch":
            with nxt.when(now.o.value == 1):  # branch
                nxt.require(now.i == 1)
            with nxt.otherwise():
                nxt.i = 0
        if self.way == "arm":
            with nxt.when(now.i == 0):
                nxt.i = 2
            with nxt.otherwise():
                nxt.i = now.i + 1  # arm
        if self.way == "helper":
            nxt.i = following(now)  # helper
        if self.way == "pick":
            chosen = nxt.pick("chosen", set_of(now.o.value))  # pick
            nxt.i = chosen


def following(now):
    return now.o.value


@invariant(Faulty)
def low(protocol, now):
    return now.i < 4


@invariant(Faulty, when=lambda protocol: protocol.way == "property")
def is_one(protocol, now):
    return (
        (now.i == 0)
        | (now.o.value == 1)  # property
    )


@invariant(Faulty)
def never_two(protocol, now):
    return (now.i > 3).implies(now.b)  # vacuous
'''
ACTIONS = ("assignment", "guard", "branch", "arm", "helper", "pick")
WAYS = (*ACTIONS, "property")
COMMANDS = {
    "explore": ("explore", "faulty.py"),
    "bmc": ("check", "faulty.py", "--depth", "8"),
    "sweeps": ("check", "faulty.py", "--depth", "8", "--unroll", "sweeps"),
    "portfolio": ("check", "faulty.py"),
    "pdr": ("prove", "faulty.py", "--property", "low"),
    "simulate": ("simulate", "faulty.py"),
}


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("faulty.py").write_text(SOURCE.replace("WAYS", repr(WAYS)))
    return Path("faulty.py")


def line_of(path: Path, way: str) -> int:
    (line,) = (n for n, x in enumerate(path.read_text().splitlines(), 1) if x.endswith(f"# {way}"))
    return line


@pytest.mark.parametrize("way", WAYS)
def test_out_of_bounds_is_told_where_it_was_evaluated(way: str, leadline: Leadline, source: Path) -> None:
    """In the action or property that went out of bounds, not where the first equal expression was written."""
    owner = "Faulty" if way in ACTIONS else "is-one"
    place = f"faulty.py:{line_of(source, way)}"
    setting = ("-p", f"way={way}")
    assert f"({place}, in {owner})" in leadline("explore", "faulty.py", *setting).out
    lines = leadline("explore", "faulty.py", *setting, "--format", "problems").out.splitlines()
    assert lines and all(line.startswith(f"{place}: error: ") for line in lines)
    assert all(f"in {owner})" in line for line in lines)
    found = check_sarif(json.loads(leadline("explore", "faulty.py", *setting, "--format", "sarif").out))
    region = found[0]["locations"][0]["physicalLocation"]["region"]
    assert region["startLine"] == line_of(source, way)


@pytest.mark.parametrize("command", COMMANDS)
def test_all_engines_tell_the_same_place(command: str, leadline: Leadline, source: Path) -> None:
    place = f"4 is not in Int(0, 3) (faulty.py:{line_of(source, 'assignment')}, in Faulty)"
    assert place in leadline(*COMMANDS[command]).out
    assert f'"reason": "{place}"' in leadline(*COMMANDS[command], "--format", "json").out


def test_vacuity_is_told_at_its_own_line(leadline: Leadline, source: Path) -> None:
    told = leadline("explore", "faulty.py", "-p", "way=property", "--property", "never-two", "--coverage").out
    assert f"`3 < i` is never true (faulty.py:{line_of(source, 'vacuous')})" in told
