"""The modules that the tests of the language server open."""

from pathlib import Path
from typing import Any

BASE = r"""---- MODULE Base ----
EXTENDS Naturals
CONSTANT N
VARIABLE x  \* how far it went

\* Begin at zero.
Init == x = 0

(* One step
   further. *)
Step(n) == x < N /\ x' = x + n
Next == \E n \in 1..2 : Step(n)
Small == x < 3
TypeOK == x \in 0..(N + 1)
THEOREM Init => Small
BY DEF Init, Small
====
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANT N = 3\nINVARIANTS TypeOK Small\nCHECK_DEADLOCK FALSE\n"
TOP = r"""---- MODULE Top ----
EXTENDS Base
Far == ~Small
====
"""
OTHER = r"""---- MODULE Other ----
VARIABLE y
B == INSTANCE Base WITH N <- 5, x <- y
Init == y = 0
Big == y > 1 /\ ~B!Small
Point == [left |-> 1, right |-> 2]
Use == Point.left
====
"""
PROTOCOL = '''"""Count."""

from leadline import Int, Protocol, action, invariant


class Count(Protocol):
    """A counter."""

    def define(self, state):
        state.n = Int(0, 5)

    def init(self, start):
        start.n = 0

    @action
    def up(self, now, nxt):
        nxt.require(now.n < 4)
        nxt.n = now.n + 1


@invariant(Count)
def is_small(protocol, now):
    return now.n < 3
'''


def written(folder: Path) -> Path:
    """The folder, with all these files in it."""
    texts = {"Base.tla": BASE, "Base.cfg": CONFIG, "Top.tla": TOP, "Other.tla": OTHER, "count.py": PROTOCOL}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


def at(uri: str, text: str, words: str, within: int = 0) -> dict[str, Any]:
    """The parameters of a request about the place where words begin, some characters on."""
    offset = text.index(words) + within
    line = text.count("\n", 0, offset)
    column = offset - text.rfind("\n", 0, offset) - 1
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": column}}


def place(location: dict[str, Any]) -> tuple[str, int, int]:
    """The file's name, line and column of a location."""
    start = location["range"]["start"]
    return location["uri"].rpartition("/")[2], start["line"], start["character"]
