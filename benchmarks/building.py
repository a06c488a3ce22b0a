"""How much of a query is building its formula: `python -m leadline.benchmarks.building`.

Every property of every protocol and variant at its defaults, by steps and by sweeps, with every solver: of
the answers that took over a second, the share of the wall clock that building took. This takes about twenty
minutes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leadline.symbolic.catalog import entries, find, model_of
from leadline.symbolic.engines import BmcOptions, Limits, Query, Result, answer_in_child
from leadline.symbolic.solve import SOLVERS

DEPTHS = {"steps": 24, "sweeps": 8}
SECONDS = 6
"""For each query: what is not answered by then is left out."""

LONG = 1.0
"""Seconds from which on a query counts."""


@dataclass(frozen=True)
class Asked:
    """A query and its answer."""

    variant: str
    result: Result

    @property
    def counts(self) -> bool:
        """Whether it was answered, and took long."""
        effort = self.result.effort
        return effort.total > LONG and effort.solve > 0

    @property
    def share(self) -> float:
        """How much of its time went into building."""
        return self.result.effort.build / self.result.effort.total


def measure(protocol: str) -> Iterator[Asked]:
    """The queries about a protocol, one after the other."""
    declared = entries()[protocol].protocol.parameters.get("variant")
    for variant in declared.choices if declared is not None else ("",):
        settings = {"variant": variant} if variant else {}
        model = model_of(find(protocol), settings)
        for name in (one.name for one in model.properties.values() if one.temporal is None):
            for unroll, depth in DEPTHS.items():
                for solver in SOLVERS:
                    query = Query(protocol, settings, (name,), BmcOptions(depth, unroll), solver)
                    (result,) = answer_in_child(model, query, Limits(SECONDS)).results
                    yield Asked(variant, result)


def main(protocols: Sequence[str] = ()) -> None:
    """Measure, and print the dearest query of each protocol."""
    print(f"queries; those answered in {LONG:g} to {SECONDS} s; the largest share of building, and where")
    for protocol in protocols or entries():
        asked = list(measure(protocol))
        long = sorted((one for one in asked if one.counts), key=lambda one: one.share)
        line = f"{protocol:22}{len(asked):5}{len(long):5}"
        for one in long[-1:]:
            result = one.result
            where = " ".join(filter(None, (one.variant, result.property, result.unroll, result.solver)))
            line += f"{one.share:7.0%}  {where}: {result.effort.build:.2f} of {result.effort.total:.2f} s"
        print(line, flush=True)


if __name__ == "__main__":
    main()
