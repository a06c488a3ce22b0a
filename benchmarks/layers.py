"""The cost of instantiating a layer, deeper and deeper: `python -m leadline.benchmarks.layers`.

For every protocol at its defaults, by steps and by sweeps, with every solver: the CPU time that each layer
after the first takes until it is in the solver, a property's formula included; each is the best of some runs.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from leadline.symbolic.catalog import entries, find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, Unrolling
from leadline.symbolic.engines import BmcOptions, chosen_unrolling
from leadline.symbolic.engines.run.limits import seldom_collected
from leadline.symbolic.lang import Model, Property
from leadline.symbolic.solve import SOLVERS, Solver

LAYERS, RUNS = 16, 5


@dataclass(frozen=True)
class Measured:
    """Milliseconds for each layer after the first, of one protocol by one way."""

    protocol: str
    unroll: str
    solver: str
    milliseconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Of the middle one."""
        return statistics.median(self.milliseconds)


def measure(protocol: str, layers: int = LAYERS, runs: int = RUNS) -> Iterator[Measured]:
    """A protocol by every way.

    Args:
        protocol: its name.
        layers: how many layers to make, at least two.
        runs: how often to measure.
    """
    model = model_of(find(protocol), {})
    for unroll in ("steps", "sweeps"):
        encoding, make = Encoding(model), _unrolling(model, unroll)
        for name, solver in SOLVERS.items():
            found = [_run(encoding, make, solver(), layers) for _ in range(runs)]
            yield Measured(protocol, unroll, name, tuple(map(min, zip(*found, strict=True)))[1:])


def _unrolling(model: Model, unroll: str) -> Callable[[Encoding, Solver], Unrolling]:
    return chosen_unrolling(Semantics(model), [_property(model)], BmcOptions(LAYERS, unroll))


def _property(model: Model) -> Property:
    return model.properties[model.claimed[0]]


def _run(
    encoding: Encoding, make: Callable[[Encoding, Solver], Unrolling], solver: Solver, layers: int
) -> list[float]:
    """Milliseconds for each layer of one run."""
    unrolling = make(encoding, solver)
    predicates = encoding.predicates([_property(encoding.model)])
    took = []
    for depth in range(layers):
        begin = time.process_time()
        unrolling.extend()
        unrolling.predicates(predicates, depth + 1)(predicates.claims[0].violated)
        took.append(1e3 * (time.process_time() - begin))
    return took


def main(protocols: Sequence[str] = ()) -> None:
    """Measure and print a line for each way."""
    print(f"milliseconds for a layer, the best of {RUNS} runs for each of {LAYERS - 1}: median, dearest")
    with seldom_collected():
        for protocol in protocols or entries():
            for one in measure(protocol):
                way = f"{one.protocol:22}{one.unroll:8}{one.solver:9}"
                print(f"{way}{one.median:6.1f}{max(one.milliseconds):7.1f}", flush=True)


if __name__ == "__main__":
    main()
