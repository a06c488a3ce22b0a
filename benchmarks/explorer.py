"""The explicit explorer in a process of its own: `python -m leadline.benchmarks.explorer`, its job on stdin.

The job is a JSON object: `protocol`, `parameters`, `property`, `memory_mb`. Each line of the answer is
one, too: a level that is done, at last how it ended. It stops at the first violation, as other checkers do.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.run.limits import own_peak_mb
from leadline.symbolic.meaning import Explorer, Level


class _Violated(Exception):
    """A state was met in which the property does not hold."""


class _Strict(Semantics):
    """A semantics whose properties do not return from a violation."""

    def property_function(self, name: str) -> Callable[[State, Mapping[str, Any]], bool]:
        holds = super().property_function(name)

        def look(state: State, environment: Mapping[str, Any]) -> bool:
            if not holds(state, environment):
                raise _Violated
            return True

        return look


def main() -> None:
    """Explore, and say how it goes."""
    begin = time.perf_counter()
    job = json.loads(sys.stdin.readline())
    size = job["memory_mb"] << 20
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    last = Level(-1, 0, 0)

    def say(**what: Any) -> None:
        print(json.dumps(what), flush=True)

    def progress(level: Level) -> None:
        nonlocal last
        last = level
        say(level=level.depth, states=level.states, seconds=time.perf_counter() - begin)

    try:
        model = model_of(find(job["protocol"]), job["parameters"])
        explorer = Explorer(_Strict(model), [job["property"]], progress=progress)
        explorer.run()
        found = explorer.summary()
        checked = found.properties[job["property"]]
        outside = found.steps_out_of_bounds or checked.out_of_bounds
        verdict = "VIOLATED" if checked.violation else "OUT_OF_BOUNDS" if outside else "SAFE"
        end: dict[str, Any] = {"verdict": verdict, "steps": checked.steps}
    except _Violated:
        end = {"verdict": "VIOLATED", "steps": last.depth + 1}
    except MemoryError:
        end = {"verdict": "UNKNOWN", "steps": None}
    say(**end, memory_mb=own_peak_mb())
    # Giving back millions of states one by one is no part of the exploration.
    os._exit(0)


if __name__ == "__main__":
    main()
