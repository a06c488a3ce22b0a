"""Random modules with TLC's answers to them.

`python -m tests.tla.random_modules --count 300 -- timeout 10 java -cp tla2tools.jar tlc2.TLC` has TLC answer so
many modules, one after the other, and writes `tests/data/tlc_random.json`: for each its seed, the hash of its
text, TLC's exit code, its distinct states and the steps to the farthest of them where it ends by itself, and the
steps of a counterexample that is no loop. A module that TLC does not answer in time is left out, and one that has
an answer there already is not asked again. The answers are of TLC built from its sources, with one worker.

A view hides a variable that nothing else reads, so that the states found do not depend on the order of the search.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_STOPPED = 124  # the exit code of timeout
_HEAD = """EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANT Nodes
VARIABLES x, f, s, m{hidden}
vars == <<x, f, s, m{hidden}>>
View == <<x, f, s, m>>
Symmetry == Permutations(Nodes)
"""
_GUARDS = (
    "x < 3",
    "x > 0",
    "f[1] <= x",
    's = "a"',
    's # "b"',
    "m # {}",
    "Cardinality(m) < 2",
    "f[0] + f[1] < 4",
    "TRUE",
    "x % 2 = 0",
    "Len(s) < 2",
)
_UPDATES = {
    "x": (
        "x + 1",
        "x - 1",
        "(x + 2) % 4",
        "f[1]",
        "Cardinality(m)",
        '(IF s = "a" THEN 0 ELSE x + 1)',
        "x",
        "6 \\div (x + 2)",
    ),
    "f": (
        "[f EXCEPT ![x] = @ + 1]",
        "[f EXCEPT ![1] = x]",
        "[f EXCEPT ![x] = (@ + x) % 3]",
        "[f EXCEPT ![x + 1] = f[x]]",
        "[i \\in 0..2 |-> (f[i] + 1) % 3]",
        "f",
        "[f EXCEPT ![0] = 1 - @, ![9] = @ + 1]",
    ),
    "s": ('"a"', '"b"', '(IF s = "a" THEN "c" ELSE "a")', "s", '[i \\in {"a", "b", "c"} |-> "b"][s]'),
    "m": ("m \\cup {n}", "m \\ {n}", "{n}", "m", "{k \\in m : k # n}", "Nodes \\ m"),
}
_STATES = (
    "x < {k}",
    "x # {k}",
    "f[1] < {k}",
    's # "c"',
    's = "c" => x < {k}',
    "Cardinality(m) < 2",
    "f[x % 3] <= {k}",
    "x > -2",
    "Len(s) + x # {k}",
)
_STEPS = ("[][x' >= x]_x", "[][f'[0] <= {k}]_vars", "[][s' # s]_s", "[][x' # {k}]_vars")
_RUNS = (
    "<>(x = {k})",
    "[]<>(x = {k})",
    '(s = "b") ~> (x > 1)',
    "<>[](f[0] < {k})",
    '[]((s = "a") => <>(s # "a"))',
)


def module(seed: int) -> tuple[str, str]:
    """The module and the configuration of a seed."""
    chance = random.Random(seed)
    k = chance.randrange(1, 5)
    kind = chance.choice(["INVARIANT", "INVARIANT", "INVARIANT", "STEP", "RUN", "DEADLOCK"])
    hiding = kind in ("INVARIANT", "DEADLOCK") and chance.random() < 0.2
    claims = {"INVARIANT": _STATES, "STEP": _STEPS, "RUN": _RUNS, "DEADLOCK": ("TRUE",)}[kind]
    actions = _actions(chance, hiding, seed % 50 == 49)
    nexts = " \\/ ".join(f"A{number}(n)" for number in range(len(actions)))
    hidden = " /\\ h = 0" if hiding else ""
    body = [
        f'Init == x \\in 0..{chance.randrange(2)} /\\ f = [i \\in 0..2 |-> 0] /\\ s = "a"',
        f"  /\\ m \\in {{{{}}, Nodes}}{hidden}",
        *actions,
        f"Next == \\E n \\in Nodes : {nexts}",
        f"Spec == Init /\\ [][Next]_vars /\\ {chance.choice(['WF_vars(Next)', 'SF_x(Next)', 'TRUE'])}",
        f"Bound == x < {chance.randrange(3, 6)} /\\ x > -3 /\\ f[0] < 4 /\\ f[2] < 4",
        f"StepBound == {chance.choice(['x', 'f[1]'])}' < {chance.randrange(2, 4)} \\/ x' < x",
        f"Claim == {chance.choice(claims).format(k=k)}",
    ]
    config = ["SPECIFICATION Spec", "CONSTANT Nodes = {n1, n2}", "CONSTRAINT Bound"]
    if chance.random() < 0.5:
        config.append("ACTION_CONSTRAINT StepBound")
    if hiding:
        config.append("VIEW View")
    elif kind in ("INVARIANT", "DEADLOCK") and chance.random() < 0.4:
        config.append("SYMMETRY Symmetry")
    config.append(f"{'PROPERTY' if kind in ('STEP', 'RUN') else 'INVARIANT'} Claim")
    config.append(f"CHECK_DEADLOCK {'TRUE' if kind == 'DEADLOCK' else 'FALSE'}")
    head = _HEAD.format(hidden=", h" if hiding else "")
    return head + "\n".join(body), "\n".join(config) + "\n"


def _actions(chance: random.Random, hiding: bool, by_chance: bool) -> list[str]:
    """Some actions. If hiding, they count themselves in a further variable; one may take an element by chance."""
    actions = []
    for number in range(chance.randrange(1, 4)):
        parts = chance.sample(_GUARDS, chance.randrange(1, 3))
        parts += [f"{name}' = {chance.choice(values)}" for name, values in _UPDATES.items()]
        if by_chance and not number:
            parts.append("x' \\in {RandomElement({x, 0}), x'}")
        if hiding:
            parts.append(f"h' = (h + {number + 1}) % 3")
        actions.append(f"A{number}(n) == " + " /\\ ".join(parts))
    return actions


@dataclass(frozen=True)
class Family:
    """Modules of one kind.

    Attributes:
        module: gives the module and the configuration of a seed.
        data: the file with TLC's answers.
    """

    module: Callable[[int], tuple[str, str]]
    data: Path

    def rows(self) -> list[list[Any]]:
        """TLC's answers."""
        found: list[list[Any]] = json.loads(self.data.read_text()) if self.data.exists() else []
        return found

    def digest(self, seed: int) -> str:
        """The hash of a module and its configuration."""
        return hashlib.sha256("".join(self.module(seed)).encode()).hexdigest()[:8]

    def write(self, folder: Path, seed: int) -> Path:
        """Write the module of a seed with its configuration; the module's file is returned."""
        body, config = self.module(seed)
        (folder / "M.tla").write_text(f"---- MODULE M ----\n{body}\n====\n")
        (folder / "M.cfg").write_text(config)
        return folder / "M.tla"

    def answered(self, seed: int, tlc: Sequence[str]) -> list[object] | None:
        """TLC's answer as a row of the data; None if it was stopped before."""
        with tempfile.TemporaryDirectory() as folder:
            self.write(Path(folder), seed)
            ran = subprocess.run(
                [*tlc, "-config", "M.cfg", "M.tla"], cwd=folder, capture_output=True, text=True, check=False
            )
        if ran.returncode == _STOPPED:
            return None
        states = re.findall(r"(\d+) distinct states found, 0 states left", ran.stdout)
        depth = re.findall(r"depth of the complete state graph search is (\d+)", ran.stdout)
        length = max(0, len(re.findall(r"(?m)^State \d+:", ran.stdout)) - 1)  # an initial state has no number
        safety = ran.returncode in (11, 12) or "Action property" in ran.stdout
        ended = ran.returncode == 0 and states
        return [
            seed,
            self.digest(seed),
            ran.returncode,
            *([int(states[-1]), int(depth[-1]) - 1] if ended else [None, None]),
            length if safety else None,
        ]

    def ask(self, count: int, tlc: Sequence[str]) -> None:
        """Have TLC answer so many modules, beside those that it has answered."""
        rows = [row for row in self.rows() if row[1] == self.digest(row[0])]
        for seed in itertools.count(1 + max((row[0] for row in rows), default=-1)):
            if len(rows) >= count:
                break
            row = self.answered(seed, tlc)
            if row is not None:
                rows.append(row)
                self.data.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")


DATA = Path(__file__).parents[1] / "data"
MODULES = Family(module, DATA / "tlc_random.json")


def main(family: Family) -> None:
    """Have TLC answer modules."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("tlc", nargs="+")
    args = parser.parse_args()
    family.ask(args.count, args.tlc)


if __name__ == "__main__":
    main(MODULES)
