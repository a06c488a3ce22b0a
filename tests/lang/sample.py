"""A protocol to put mistakes into, and the whole text that is told of them."""

from __future__ import annotations

import re
from textwrap import dedent, indent
from typing import Any

import pytest

from leadline.symbolic.lang import Claim, Model, ModelError, Protocol, build

FILE = "sample.py"

BEFORE = """
from leadline.symbolic.lang import *

class Sample(Protocol):
    size = parameter(2, at_least=1, at_most=3, doc="number of nodes")

    def define(self, state):
        self.Node = sort("Node", self.size)
        self.Mode = enum("Mode", "idle", "busy")
        self.Info = record("Info", seen=Int(0, 3), buddy=Option(self.Node))
        self.Msg = union("Msg", ping={"round": Int(0, 3)}, stop={})
        state.count = Int(0, 3)
        state.mode = self.Mode
        state.leader = self.Node
        state.info = Map(self.Node, self.Info)
        state.log = Seq(self.Node, 2)
        state.inbox = Set(self.Msg)
        state.pair = Tuple((Bool(), Int(0, 3)))
"""
INIT = """
    def init(self, start):
        start.count = 0
        start.mode = "idle"
        start.leader = "n1"
        start.info = map_of(self.Node, lambda node: of(self.Info, seen=0, buddy=None))
        start.log = []
        start.inbox = set()
        start.pair = (True, 0)
"""


def in_action(body: str, arguments: str = "") -> str:
    """The source of the sample with one action of that body."""
    head = f"\n    @action\n    def act(self, now, nxt{arguments}):\n"
    return BEFORE + INIT + head + indent(dedent(body).strip("\n"), " " * 8) + "\n"


def in_init(body: str) -> str:
    """The source of the sample, its last lines of `init` those of the body."""
    return BEFORE + INIT + indent(dedent(body).strip("\n"), " " * 8) + "\n"


def load(source: str) -> dict[str, Any]:
    """The names that a source defines; its lines are those of the file `sample.py`."""
    names: dict[str, Any] = {}
    exec(compile(source, FILE, "exec"), names)
    return names


def model(source: str, **settings: Any) -> Model:
    """The model of the sample's source with all its claims."""
    names = load(source)
    claims = [x for x in names.values() if isinstance(x, Claim)]
    protocols = [x for x in names.values() if isinstance(x, type) and issubclass(x, Protocol)]
    return build(protocols[-1](**settings), claims)


def check(source: str, *told: str) -> None:
    """Check that building reports exactly these mistakes, in this order; none if there are none.

    A line of the source that ends in `#a` is the place `{a}` of the texts. After the place come words of the
    mistake's text, `...` for those between them.
    """
    places = {
        line.rpartition("#")[2].strip(): f"{FILE}:{number}"
        for number, line in enumerate(source.splitlines(), start=1)
        if "#" in line
    }
    if not told:
        model(source)
        return
    with pytest.raises(ModelError) as caught:
        model(source)
    got = [str(mistake) for mistake in caught.value.mistakes]
    assert len(got) == len(told), got
    for one, words in zip(got, told, strict=True):
        place, _, text = words.format(**places).partition(": ")
        assert re.search(f"^{re.escape(place)}: .*{'.*'.join(map(re.escape, text.split(' ... ')))}", one), one
