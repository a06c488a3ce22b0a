"""The plan of a grid: its queries, and what was dropped, known in full before anything runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leadline.symbolic.catalog import model_of
from leadline.symbolic.grid.gridfile import Check, Mistakes, read_checks
from leadline.symbolic.grid.query import GridQuery, parameters_json
from leadline.symbolic.lang import AssumptionFailed, Model, ModelError, UserError
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.trace import DEADLOCK

Settings = tuple[tuple[str, Setting], ...]


@dataclass(frozen=True)
class Plan:
    """What a grid file asks.

    Attributes:
        queries: each once, in the order of the file.
        dropped: a sentence for each point or property that is not asked.
    """

    queries: tuple[GridQuery, ...]
    dropped: tuple[str, ...]


def plan(path: Path) -> Plan:
    """The plan of a grid file.

    Raises:
        UserError: with every mistake in the file, each with its place.
    """
    mistakes = Mistakes(path)
    dropped: list[str] = []
    queries: dict[str, GridQuery] = {}
    for check in read_checks(path, mistakes):
        asked = list(_queries(check, mistakes, dropped))
        if not asked:
            mistakes.say(check.place, "asks nothing: no parameters are left at which a property applies")
        for query in asked:
            queries.setdefault(query.id, query)
    mistakes.check()
    return Plan(tuple(queries.values()), tuple(dropped))


def _queries(check: Check, mistakes: Mistakes, dropped: list[str]) -> Iterator[GridQuery]:
    told: set[object] = set()
    for values in itertools.product(*check.parameters.values()):
        settings = tuple(zip(check.parameters, values, strict=True))
        point = f"{check.entry.name} at {_spelled(settings)}"
        try:
            model = model_of(check.entry, dict(settings))
        except AssumptionFailed as error:
            dropped.append(f"{point}: {error}")
            continue
        except UserError as error:
            # One mistake in the protocol comes up at many points, its text with other numbers.
            key = tuple(x.span for x in error.mistakes) if isinstance(error, ModelError) else str(error)
            if key not in told:
                told.add(key)
                mistakes.say(check.place, f"at {_spelled(settings)}: {error}")
            continue
        missing = [name for name in check.properties if name not in model.properties]
        dropped += [f"{point}: the property {name} does not apply" for name in missing]
        yield from _at(check, settings, model)


def _at(check: Check, settings: Settings, model: Model) -> Iterator[GridQuery]:
    """The queries at one point."""
    wanted = check.properties or tuple(model.properties)
    kinds = {name: str(model.properties[name].kind) for name in wanted if name in model.properties}
    if check.deadlock:
        kinds[DEADLOCK] = DEADLOCK
    ways = itertools.product(kinds.items(), check.depths, check.unrollings, check.solvers)
    for (name, kind), depth, unroll, solver in ways:
        yield GridQuery(
            protocol=model.protocol,
            source=check.entry.source,
            settings=settings,
            parameters=parameters_json(model.parameters),
            property=name,
            kind=kind,
            depth=depth,
            unroll=unroll,
            solver=solver,
            limits=check.limits,
            fingerprint=model.fingerprint,
        )


def _spelled(settings: Settings) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings) or "its defaults"
