"""The plan of a grid: its queries, the longest first, and the points that are dropped.

The model at each point is built once; only the facts that a plan needs of it are kept.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry, model_or_outline
from leadline.symbolic.engines import ENGINES, Options, Query
from leadline.symbolic.engines.ask.result import LOG
from leadline.symbolic.grid.cost import CostModel, LayerFormula, layer_formula
from leadline.symbolic.grid.gridfile import CheckTable, Mistakes, read_checks
from leadline.symbolic.grid.kinds import BY_ENGINE
from leadline.symbolic.grid.query import (
    GridQuery,
    ParameterValues,
    Settings,
    parameters_json,
    point_text,
)
from leadline.symbolic.lang import AssumptionFailed, Model, ModelError, PropertyKind, UserError, counted
from leadline.symbolic.solve import DEFAULT
from leadline.symbolic.trace import DEADLOCK

MOST_QUERIES = 200_000
"""The most queries of a grid."""


@dataclass(frozen=True)
class DroppedPoints:
    """Points of a table that are dropped, in part or as a whole, for one reason.

    Attributes:
        place: the table's place in the file.
        protocol: the protocol's name.
        why: "constraint" or "assumption" if nothing is asked at these points; "property" or "kind" if only
            one property, or one kind of query about it, is not.
        text: the reason in words.
        first: the first of the points, in words.
        points: the number of points.
    """

    place: str
    protocol: str
    why: str
    text: str
    first: str
    points: int = 1

    @property
    def whole(self) -> bool:
        """Whether nothing is asked at these points."""
        return self.why in ("constraint", "assumption")

    def __str__(self) -> str:
        where = self.first if self.points == 1 else f"{self.points} points, the first {self.first}"
        return f"{self.protocol} at {where}: {self.text}"


@dataclass(frozen=True)
class Plan:
    """The queries of a grid file and their predicted cost.

    Attributes:
        queries: the queries, each once, the longest first by prediction.
        costs: predicts the seconds of each query.
        drops: the points that are dropped, with the reasons.
        layers: the size of a layer as a formula, for each table that has queries.
        places: the place of each query in the order of the file, by its id.
        predicted: the predicted seconds of each query, by its id.
        name: the grid file's name without its ending; "" of a grid that is no file.
    """

    queries: tuple[GridQuery, ...]
    costs: CostModel
    drops: tuple[DroppedPoints, ...]
    layers: tuple[LayerFormula, ...]
    places: Mapping[str, int]
    predicted: Mapping[str, float] = field(repr=False)
    name: str = ""

    @property
    def dropped(self) -> tuple[str, ...]:
        """A sentence for each reason for which points are dropped."""
        return tuple(map(str, self.drops))

    def in_file_order(self) -> tuple[GridQuery, ...]:
        """The queries in the order of the file."""
        return tuple(sorted(self.queries, key=lambda query: self.places[query.id]))


def plan(
    grid: Path | Mapping[str, Any],
    costs: CostModel | None = None,
    progress: Callable[[int, int], object] = lambda *_: None,
) -> Plan:
    """The plan of a grid.

    Args:
        grid: the grid file, or what one holds.
        costs: predicts the seconds of queries; a model with the default coefficients if it is left out.
        progress: called with the number of points that were looked at, and that of all, whenever one was. At
            each a model is made, and made again in another process to compare them: some milliseconds.

    Raises:
        UserError: with every mistake in it, each with its place.
    """
    mistakes = Mistakes(grid if isinstance(grid, Path) else Path("the grid"))
    checks = read_checks(grid, mistakes)
    provers: dict[str, set[str]] = {}
    for check in checks:
        asked = {kind.engine for kind in check.asked.kinds if kind.proves}
        provers.setdefault(check.entry.source, set()).update(asked)
    costs = costs or CostModel()
    count = sum(math.prod(map(len, check.parameters.values())) for check in checks)
    planner = _Planner(mistakes, provers, lambda looked_at: progress(looked_at, count))
    for check in checks:
        planner.add(check)
    mistakes.check()
    layers = planner.fit(costs.layers)
    measured = {name: size for formula in layers for name, size in formula.sizes.items()}
    queries = planner.queries
    sizes = {name: planner.sizes[query.fingerprint] for name, query in queries.items()}
    model = costs.sized(sizes, measured)
    predicted = {name: model.predict(query) for name, query in queries.items()}
    # The sort is stable: queries of one cost stay in the order of the file.
    order = sorted(queries, key=lambda name: -predicted[name])
    return Plan(
        queries=tuple(queries[name] for name in order),
        costs=model,
        drops=tuple(planner.drops.values()),
        layers=layers,
        places={name: place for place, name in enumerate(queries)},
        predicted=predicted,
        name=grid.stem if isinstance(grid, Path) else "",
    )


class _Planner:
    """Gathers the queries of one table after another.

    Args:
        mistakes: takes the mistakes.
        provers: the engines that are asked for proofs about each protocol, by the protocol's source.
        progress: called with the number of points that were looked at, whenever one was.
    """

    def __init__(
        self, mistakes: Mistakes, provers: Mapping[str, Set[str]], progress: Callable[[int], object]
    ) -> None:
        self.mistakes = mistakes
        self._provers = provers
        self._known: dict[tuple[str, str], GridPoint | UserError] = {}
        self._looked_at = 0
        self._progress = progress
        self.queries: dict[str, GridQuery] = {}
        self.sizes: dict[str, float] = {}
        self.drops: dict[tuple[str, str], DroppedPoints] = {}
        self._asked: list[tuple[CheckTable, Mapping[Settings, str]]] = []

    def add(self, check: CheckTable) -> None:
        asked: dict[Settings, str] = {}
        wrong = len(self.mistakes)
        for point in self._points_of(check):
            try:
                for query in _queries(check, point):
                    asked[point.settings] = point.fingerprint
                    self.queries.setdefault(query.id, query)
            except UserError as error:
                self.mistakes.say(f"{check.place}.map", f"at {_text(point.settings)}: {error}")
            self._missing(check, point)
            if len(self.queries) > MOST_QUERIES:
                self.mistakes.say(
                    check.place, f"the grid has more than {MOST_QUERIES} queries up to here: split it"
                )
                return
        if asked:
            self._asked.append((check, asked))
        elif len(self.mistakes) == wrong:
            self.mistakes.say(check.place, f"asks nothing: {self._nothing(check)}")

    def fit(self, known: Mapping[str, int]) -> tuple[LayerFormula, ...]:
        """The size of a layer in each table as a formula; fills `sizes` from these.

        Args:
            known: sizes that were measured before, by the model's fingerprint.
        """
        formulas = []
        for check, points in self._asked:
            formula = layer_formula(check.entry, points, known)
            for settings, fingerprint in points.items():
                self.sizes.setdefault(fingerprint, formula.at(settings))
            formulas.append(formula)
        return tuple(formulas)

    def _points_of(self, check: CheckTable) -> Iterator[GridPoint]:
        told: set[object] = set()
        defaults = {name: one.default for name, one in check.entry.protocol.parameters.items()}
        for chosen in itertools.product(*check.parameters.values()):
            settings = tuple(zip(check.parameters, chosen, strict=True))
            self._progress(self._looked_at)
            self._looked_at += 1
            values = {**defaults, **dict(settings)}
            if not self._allowed(check, settings, values, told):
                continue
            try:
                yield self._point(check.entry, settings, values)
            except AssumptionFailed as error:
                self._drop(check, "assumption", str(error), settings)
            except ModelError as error:
                # One mistake in the protocol comes up at many points, each time with other numbers.
                places = tuple(one.span for one in error.mistakes)
                if places not in told:
                    told.add(places)
                    self.mistakes.of_model(error, _text(settings))
            except UserError as error:
                if str(error) not in told:
                    told.add(str(error))
                    self.mistakes.say(check.place, f"at {_text(settings)}: {error}")

    def _point(self, entry: Entry, settings: Settings, values: ParameterValues) -> GridPoint:
        """The point with these parameters, built once."""
        key = entry.source, parameters_json(values)
        if key not in self._known:
            try:
                model = model_or_outline(entry, dict(settings))
                self._known[key] = GridPoint(
                    settings=settings,
                    protocol=model.protocol,
                    parameters=key[1],
                    fingerprint=model.fingerprint,
                    kinds={name: one.kind for name, one in model.properties.items()},
                    claimed=model.claimed,
                    parts=_parts(model, self._provers.get(entry.source, ())),
                )
            except UserError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, UserError):
            raise found
        # Another table may set other parameters to the same values.
        return replace(found, settings=settings)

    def _allowed(
        self, check: CheckTable, settings: Settings, values: ParameterValues, told: set[object]
    ) -> bool:
        """Whether a point satisfies the constraints; notes the first one that it breaks."""
        for number, constraint in enumerate(check.constraints, start=1):
            try:
                if constraint.holds(values):
                    continue
            except ZeroDivisionError:
                if number not in told:
                    told.add(number)
                    place = f"{check.place}.constraints[{number}]"
                    self.mistakes.say(place, f"it divides by zero at {_text(settings)}")
                return False
            self._drop(check, "constraint", f"the constraint `{constraint.text}` is false", settings)
            return False
        return True

    def _missing(self, check: CheckTable, point: GridPoint) -> None:
        """Note the properties that the table names and that are not asked about at a point."""
        for name in check.properties or ():
            if name not in point.kinds:
                self._drop(check, "property", f"the property {name} does not apply", point.settings)
                continue
            for kind in check.asked.kinds:
                if (why := kind.refuses(point.kinds[name])) is not None:
                    self._drop(check, "kind", f"{name} is a {point.kinds[name]}: {why}", point.settings)

    def _drop(self, check: CheckTable, why: str, text: str, settings: Settings) -> None:
        known = self.drops.get((check.place, text))
        if known is None:
            found = DroppedPoints(check.place, check.entry.name, why, text, _text(settings))
            self.drops[check.place, text] = found
        else:
            self.drops[check.place, text] = replace(known, points=known.points + 1)

    def _nothing(self, check: CheckTable) -> str:
        own = [one for one in self.drops.values() if one.place == check.place]
        whole = [one for one in own if one.whole]
        count = math.prod(map(len, check.parameters.values()))
        if sum(one.points for one in whole) < count:
            return "no parameters are left at which a property applies"
        told = "; ".join(f"at {one.points} {one.text}" for one in whole)
        return f"all of its {counted(count, 'point')} are dropped: {told}"


def _queries(check: CheckTable, point: GridPoint) -> Iterator[GridQuery]:
    asked = check.asked
    model = cache(partial(model_or_outline, check.entry, dict(point.settings)))
    names = point.claimed if check.properties is None else check.properties
    names = tuple(name for name in names if name in point.kinds)
    for kind in asked.kinds:
        # An engine without solver gets one query instead of one for each solver.
        solvers = asked.solvers if ENGINES[kind.engine].takes_solver else (DEFAULT,)
        subjects = [LOG] if kind.of_logs else [*names, *([DEADLOCK] if asked.deadlock else [])]
        for name in subjects:
            if kind.refuses(_kind(point, name)) is None:
                whole = kind.questions(asked.axes, point.parts.get((kind.engine, name), ()))
                options = [one for each in whole for one in kind.cut(model, name, each)]
                for one, solver, seed in itertools.product(options, solvers, asked.seeds):
                    yield _query(check, point, name, one, solver, seed)


def _text(settings: Settings) -> str:
    return point_text(dict(settings), "its defaults")


def _kind(point: GridPoint, name: str) -> str:
    return name if name in (DEADLOCK, LOG) else str(PropertyKind(point.kinds[name]))


def _query(
    check: CheckTable, point: GridPoint, name: str, options: Options, solver: str, seed: int
) -> GridQuery:
    deadlock = name == DEADLOCK
    query = Query(
        source=check.entry.source,
        settings=dict(point.settings),
        properties=() if deadlock or name == LOG else (name,),
        options=options,
        solver=solver,
        seed=seed,
        deadlock=deadlock,
    )
    return GridQuery(
        protocol=point.protocol,
        parameters=point.parameters,
        kind=_kind(point, name),
        query=query,
        limits=check.asked.limits,
        fingerprint=point.fingerprint,
    )


@dataclass(frozen=True)
class GridPoint:
    """A protocol at given parameters.

    Attributes:
        settings: the parameters that the grid sets.
        protocol: the protocol's name.
        parameters: all parameters, as `parameters_json` writes them.
        fingerprint: the model's.
        kinds: the kind of each property.
        claimed: the properties that are asked about where the table names none.
        parts: the parts of a proof, by the engine that is asked for it and the property.
    """

    settings: Settings
    protocol: str
    parameters: str
    fingerprint: str
    kinds: Mapping[str, PropertyKind]
    claimed: tuple[str, ...]
    parts: Mapping[tuple[str, str], tuple[str, ...]]


def _parts(model: Model, provers: Iterable[str]) -> dict[tuple[str, str], tuple[str, ...]]:
    return {
        (engine, name): BY_ENGINE[engine].parts(model, name)
        for engine in provers
        for name, one in model.properties.items()
        if BY_ENGINE[engine].refuses(one.kind) is None and not model.alone
    }
