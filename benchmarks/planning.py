"""The time and memory that plans take, and how good they are: `python -m leadline.benchmarks.planning`.

Ten thousand trivial queries, once as 500 points with 4 properties and 5 depths each, once as 10,000 points.
Each grid is planned twice in a process of its own: first without any measured layer, then with those that the
first plan measured, as a store keeps them. Printed are the CPU seconds, the first with imports, and the peak
memory. Then the size of a layer that a plan predicts is compared with the real size, at every point of the
grids in `benchmarks/grids`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.grid.cost import layer_size
from leadline.symbolic.grid.plan import plan
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
    """A grid of 10,000 queries: its name and its table."""

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

GRIDS = tuple(Path(__file__).parent.joinpath("grids", name) for name in ("main.toml", "frontier.toml"))

_PROGRAM = """
import resource, sys, time
from pathlib import Path
from leadline.symbolic.grid.plan import plan
found = plan(Path(sys.argv[1]))
first = time.process_time()
plan(Path(sys.argv[1]), found.costs)
again = time.process_time() - first
print(len(found.queries), first, again, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@dataclass(frozen=True)
class Planned:
    """The number of queries, the CPU seconds of the first plan and of the next, and the peak megabytes."""

    queries: int
    seconds: float
    again: float
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
    queries, seconds, again, memory = ran.stdout.split()
    return Planned(int(queries), float(seconds), float(again), float(memory))


@dataclass(frozen=True)
class Accuracy:
    """The predicted size of layers, as shares of the real one.

    Attributes:
        ratios: for each point of a grid, predicted by real, ascending.
        measured: the number of points at which the plan had built the layer.
    """

    ratios: tuple[float, ...]
    measured: int


def accuracy(file: Path) -> Accuracy:
    """Compare the predicted size of a layer with the real one at every point of a grid."""
    todo = plan(file)
    points = {query.fingerprint: query for query in todo.queries}
    ratios = [
        todo.costs.sizes[query.id] / layer_size(model_of(find(query.source), dict(query.settings)))
        for query in points.values()
    ]
    return Accuracy(tuple(sorted(ratios)), len(todo.costs.layers))


def main(shapes: Sequence[Shape] = SHAPES, grids: Sequence[Path] = GRIDS) -> None:
    """Measure and print a line for each grid."""
    for shape in shapes:
        took = measure(shape)
        print(
            f"{shape.name}: {took.queries:,} queries planned in {took.seconds:.1f} s of CPU, "
            f"the next time in {took.again:.1f} s, at most {took.memory_mb:.0f} MB",
            flush=True,
        )
    for file in grids:
        found = accuracy(file)
        low, middle, high = found.ratios[0], statistics.median(found.ratios), found.ratios[-1]
        print(
            f"{file.name}: at {len(found.ratios)} points the predicted size of a layer is "
            f"{low:.2f} to {high:.2f} times the real one, the median {middle:.2f}; built at {found.measured}",
            flush=True,
        )


if __name__ == "__main__":
    main()
