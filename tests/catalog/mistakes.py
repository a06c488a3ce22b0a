"""The mistakes in a protocol's file."""

from __future__ import annotations

from pathlib import Path

from leadline.symbolic.catalog import find
from leadline.symbolic.lang import ModelError

FILE = '''\
from leadline.symbolic.lang import *

DEBUG = False

class A(Protocol):
    """A protocol."""

    off = parameter(False)

    def define(self, state):
        state.x = Int(0, 9)
        state.up = Set(Int(0, 9))
        state.log = Seq(Int(0, 9), 3)

    def init(self, start):
        start.x = 0
        start.up = set()
        start.log = of(Seq(Int(0, 9), 0))

    @action
    def go(self, now, nxt, n=pick()):
        """An action."""
        log = now.log
        other = log
        names = []
        for item in names:
            pass
        {action}
        nxt.require(now.x < 3)
        nxt.x = now.x + 1

    def helper(self, now, nxt):
        {helper}
        return now.x

    def unrelated(self, number):
        {unrelated}

def below(now, n):
    {function}
    return now.x < n

def unused(a, b):
    a == b

@invariant(A)
def small(p, now):
    """A property."""
    {claim}
    return now.x < 3
'''.replace("pick()", "pick(Int(0, 9))")


def mistakes(folder: Path, **lines: str) -> list[str]:
    every = dict.fromkeys(("action", "helper", "unrelated", "function", "claim"), "pass")
    path = folder / "mine.py"
    path.write_text(FILE.format(**{**every, **lines}))
    try:
        find(str(path))
    except ModelError as error:
        number = {text.strip(): place for place, text in enumerate(path.read_text().splitlines(), start=1)}
        places = [str(one.span) for one in error.mistakes]
        assert places == [f"{path}:{number[line]}" for line in lines.values()]
        return [one.text for one in error.mistakes]
    return []
