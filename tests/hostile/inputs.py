"""Valid inputs of each kind, and seeded ways to spoil them."""

from __future__ import annotations

import random
import re

MARK = "owned-by-a-case"
"""A file that is there if anything of an input was evaluated."""

EVIL = f"__import__('pathlib').Path('{MARK}').touch()"

WORDS = (
    EVIL,
    f"open('{MARK}','w')",
    f"$(touch {MARK})",
    "9" * 5000,
    "-1",
    "1e999",
    "NaN",
    "Infinity",
    "0x10",
    "1_000_000_000_000",
    "null",
    "true",
    "''",
    '""',
    '"\\ud800"',
    "\x00",
    "\x1b[2J",
    "\u202e",
    "\ufeff",
    "\U0001d54f",
    "(" * 3000,
    "[" * 3000,
    "{" * 3000,
    "not " * 2000,
    "[1,[2,[3]]]",
    '{"a":{"a":{}}}',
    "/dev/zero",
    "../../../../etc/passwd",
    "a" * 5000,
    "**",
    ":=",
    "lambda: 0",
    ".__class__",
    "\\",
    "\r",
    "==",
    "=",
    ",",
    ";",
    "(*",
    '"',
    "'",
)

_TOKEN = re.compile(r"\w+|\S")


def spoiled(text: str, seed: int) -> bytes:
    """A text with one to three spots spoiled: words replaced, put in or left out, lines moved, its end cut off."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        found = [*_TOKEN.finditer(text)]
        if not found:
            break
        spot = chance.choice(found)
        word = chance.choice(WORDS)
        way = chance.randrange(7)
        if way == 0:
            text = text[: spot.start()]
        elif way == 1:
            text = text[: spot.start()] + text[spot.end() :]
        elif way == 2:
            lines = text.split("\n")
            chance.shuffle(lines)
            text = "\n".join(lines)
        elif way == 3:
            text = text[: spot.start()] + word + text[spot.start() :]
        else:
            text = text[: spot.start()] + word + text[spot.end() :]
    data = text.encode("utf-8", "surrogatepass")
    if chance.randrange(12) == 0:
        place = chance.randrange(len(data) + 1)
        data = data[:place] + bytes(chance.randrange(256) for _ in range(4)) + data[place:]
    return data


GRID = """\
timeout_seconds = 60
memory_mb = 500
solver = "z3"
depth = [1, 2]

[[check]]
protocol = "spanner-leases"
properties = ["disjointness"]
parameters = { replicas = [1, 2] }
constraints = ["replicas < 3 or replicas == 1"]

[[check]]
protocol = "two-phase-commit"
kinds = "induction"
properties = "consistency"
parameters = { resource_managers = 1, rm_may_fail = [true, false] }
"""

CONSTRAINTS = (
    "replicas < 3 and not (replicas == 2 or replicas >= 7)",
    "replicas * 2 + 1 <= 9 - replicas % 2",
    "variant == 'kip-320' or replicas != 2",
)

WHERE = (
    "verdict == 'violated' and nodes > 2",
    "not (task_seconds > 1.5e0 or parameters.depth == 7)",
    'overflow != null or solver == "z3"',
)

PROTOCOL = """\
from leadline.symbolic.lang import Int, Map, Protocol, Set, action, invariant, of, parameter, sort

class Small(Protocol):
    '''A small protocol.'''

    top: int = parameter(2, at_least=1, at_most=3, doc="where it ends")
    picks = {"node": "Node"}
    sweep_order = ("up",)

    def define(self, state):
        self.Node = sort("Node", 2)
        state.count = Int(0, self.top)
        state.seen = Set(self.Node)

    def init(self, start):
        start.count = 0
        start.seen = of(Set(self.Node))

    @action
    def up(self, now, nxt, node):
        nxt.require(now.count < self.top)
        nxt.count = now.count + 1

@invariant(Small)
def small(protocol, now):
    return now.count <= protocol.top
"""

MODULE = """\
---- MODULE Jug ----
EXTENDS Naturals
CONSTANTS Size, Names
VARIABLES water, owner
ASSUME Size > 0
TypeOK == water \\in 0..Size /\\ owner \\in Names
Init == water = 0 /\\ owner \\in Names
Fill(n) == water < Size /\\ water' = water + 1 /\\ owner' = n
Next == \\E n \\in Names : Fill(n)
====
"""

CONFIG = "INIT Init\nNEXT Next\nCONSTANTS Size = 2 Names = {a, b}\nINVARIANT TypeOK\nCHECK_DEADLOCK FALSE\n"
