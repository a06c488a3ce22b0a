"""A store to report on: two parameters, a third that makes small multiples, and a condition to find."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import BmcOptions, Limits, Options, Query
from leadline.symbolic.grid.kinds import KINDS
from leadline.symbolic.grid.query import GridQuery, parameters_json
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import answer
from tests.grid.rows import row, unknown

EVIL = "\"'><script>fetch('http://evil.example/')</script><img src=http://evil.example/x>&amp;<style>*{display:none}"


def planted() -> Iterator[Row]:
    """A property that is violated where replicas >= 3 and log >= 2; one point is not known."""
    for fast in (False, True):
        for replicas in (2, 3, 4):
            for log in (1, 2):
                point = json.dumps(
                    {"replicas": replicas, "log": log, "fast": fast, "nodes": 1}, sort_keys=True
                )
                of: dict[str, Any] = {
                    "query": f"r{replicas}l{log}{'f' if fast else 's'}",
                    "protocol": "log",
                    "source": "log",
                    "property": "agreement",
                    "parameters": point,
                    "task_seconds": float(replicas * log),
                    "predicted_seconds": float(replicas),
                    "trace": None,
                }
                if (replicas, log, fast) == (4, 1, True):
                    yield unknown("time: stopped after 9 s", **{**of, "depth": 5})
                elif replicas >= 3 and log >= 2:
                    yield row(**of, steps=replicas + 5)
                else:
                    yield row(**of, verdict="safe", steps=None, depth=10 * log)


def real(
    source: str, property: str, *, depth: int = 4, explore: bool = False, **settings: Any
) -> tuple[Row, dict[str, str]]:
    """The answer of a real check, or of explicit search, with its counterexample."""
    options: Options = BmcOptions(depth)
    if explore:
        (options,) = KINDS["explore"].questions({}, ())
    model = model_of(find(source), settings)
    query = GridQuery(
        protocol=model.protocol,
        parameters=parameters_json(model.parameters),
        kind=str(model.properties[property].kind),
        query=Query(source, settings, (property,), options, "cadical"),
        limits=Limits(60, 2000),
        fingerprint=model.fingerprint,
    )
    found = answer(query, "run-1", 0.5)
    return found.row, dict(found.documents)


def filled(folder: Path) -> Store:
    """The store, in a folder that holds counter.py."""
    store = Store(folder / "store")
    store.create()
    for one in planted():
        store.keep(one)
    for top in (2, 3):
        store.keep(*real(str(folder / "counter.py"), "below-three", top=top))
    store.keep(*real("pulsar-compaction", "duplicate-null-key-message", depth=3))
    return store
