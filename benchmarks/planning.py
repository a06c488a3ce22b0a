"""How long the plan of a large grid takes, and how much memory: `python -m leadline.benchmarks.planning`.

Ten thousand trivial queries, once as 500 points with 4 properties and 5 depths each, once as 10,000 points.
Each plan is made in a process of its own, whose CPU seconds (with imports) and peak memory are printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.symbolic.lang import Int, Protocol, action, invariant, parameter


class Trivial(Protocol):
    """Two numbers grow, the second once the first is at its end."""

    first: int = parameter(1, at_least=1, doc="end of the first number")
    second: int = parameter(1, at_least=1, doc="end of the second number")
    third: int = parameter(1, at_least=1, doc="a number that nothing changes")

    def define(self, state: Any) -> None:
        state.a = Int(0, self.first)
        state.b = Int(0, self.second)
        state.c = Int(0, self.third)

    def init(self, start: Any) -> None:
        start.a = 0
        start.b = 0
        start.c = 0

    @action
    def grow(self, now: Any, nxt: Any) -> None:
        """The first number grows."""
        nxt.require(now.a < self.first)
        nxt.a = now.a + 1

    @action
    def grow_more(self, now: Any, nxt: Any) -> None:
        """The second number grows."""
        nxt.require(now.a == self.first, now.b < self.second)
        nxt.b = now.b + 1


@invariant(Trivial)
def first_is_small(protocol: Any, now: Any) -> Any:
    """Holds."""
    return now.a <= protocol.first


@invariant(Trivial)
def second_is_small(protocol: Any, now: Any) -> Any:
    """Holds."""
    return now.b <= protocol.second


@invariant(Trivial)
def third_stays(protocol: Any, now: Any) -> Any:
    """Holds."""
    return now.c == 0


@invariant(Trivial)
def one_after_the_other(protocol: Any, now: Any) -> Any:
    """Holds."""
    return (now.b > 0).implies(now.a == protocol.first)


@dataclass(frozen=True)
class Shape:
    """A grid of 10,000 queries: what it is called, and its table."""

    name: str
    table: str


SHAPES = (
    Shape(
        "500 points, 4 properties, 5 depths",
        "depth = { from = 1, to = 5 }\n"
        "parameters = { first = { from = 1, to = 10 }, second = { from = 1, to = 10 }, "
        "third = { from = 1, to = 5 } }\n",
    ),
    Shape(
        "10,000 points, 1 property, 1 depth",
        'properties = "third-stays"\n'
        "parameters = { first = { from = 1, to = 25 }, second = { from = 1, to = 20 }, "
        "third = { from = 1, to = 20 } }\n",
    ),
)

_PROGRAM = """
import resource, sys
from pathlib import Path
from leadline.symbolic.grid.plan.plan import plan
queries = len(plan(Path(sys.argv[1])).queries)
used = resource.getrusage(resource.RUSAGE_SELF)
print(queries, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


@dataclass(frozen=True)
class Planned:
    """What a plan took: queries, CPU seconds, peak megabytes."""

    queries: int
    seconds: float
    memory_mb: float


def measure(shape: Shape) -> Planned:
    """Plan a grid in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "grid.toml")
        source = f"{Path(__file__).resolve()}:{Trivial.__name__}"
        file.write_text(f'[[check]]\nprotocol = "{source}"\n{shape.table}', encoding="utf-8")
        ran = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(file)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    queries, seconds, memory = ran.stdout.split()
    return Planned(int(queries), float(seconds), float(memory))


def main(shapes: Sequence[Shape] = SHAPES) -> None:
    """Measure and print a line for each grid."""
    for shape in shapes:
        took = measure(shape)
        print(
            f"{shape.name}: {took.queries:,} queries planned in {took.seconds:.1f} s of CPU, "
            f"at most {took.memory_mb:.0f} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
