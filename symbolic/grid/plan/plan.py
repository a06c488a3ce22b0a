"""The plan of a grid: its queries, the longest first, and what was dropped, known before anything runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from leadline.symbolic.grid.cost.cost import CostModel
from leadline.symbolic.grid.plan.gridfile import BOUNDED, INDUCTION, Check, read_checks
from leadline.symbolic.grid.plan.mistakes import Mistakes
from leadline.symbolic.grid.plan.points import Families, Family, Point, Points, Settings, how_many, spelled
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.lang import AssumptionFailed, ModelError, PropertyKind, UserError
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.trace import DEADLOCK

MOST = 200_000
"""How many queries a grid may have."""


@dataclass(frozen=True)
class Dropped:
    """Points of a table at which something is not asked, for one reason.

    Attributes:
        place: the table's place in the file.
        protocol: the protocol's name.
        why: what drops them: "constraint" or "assumption" (nothing is asked there), "property" or "kind".
        text: the reason in words.
        first: the first of the points.
        points: how many they are.
    """

    place: str
    protocol: str
    why: str
    text: str
    first: str
    points: int = 1

    @property
    def whole(self) -> bool:
        """Whether nothing at all is asked at these points."""
        return self.why in ("constraint", "assumption")

    def __str__(self) -> str:
        where = self.first if self.points == 1 else f"{self.points} points, the first {self.first}"
        return f"{self.protocol} at {where}: {self.text}"


@dataclass(frozen=True)
class Plan:
    """What a grid file asks.

    Attributes:
        queries: each once, the longest first by prediction.
        costs: predicts what each of them costs.
        drops: what is not asked, and why.
        families: of the points that are asked, those that differ in integers alone, with their layers' sizes.
        places: the place of each query in the order of the file, by its id.
    """

    queries: tuple[GridQuery, ...]
    costs: CostModel
    drops: tuple[Dropped, ...]
    families: tuple[Family, ...]
    places: Mapping[str, int]
    predicted: Mapping[str, float] = field(repr=False)

    @property
    def dropped(self) -> tuple[str, ...]:
        """A sentence for each reason for which something is not asked."""
        return tuple(map(str, self.drops))

    def in_file_order(self) -> tuple[GridQuery, ...]:
        """The queries in the order of the file."""
        return tuple(sorted(self.queries, key=lambda query: self.places[query.id]))


def plan(path: Path, costs: CostModel | None = None) -> Plan:
    """The plan of a grid file.

    Args:
        path: the file.
        costs: how to predict what queries cost; by the defaults if it is left out.

    Raises:
        UserError: with every mistake in the file, each with its place.
    """
    mistakes = Mistakes(path)
    checks = read_checks(path, mistakes)
    proofs = {check.entry.source for check in checks if INDUCTION in check.asked.kinds}
    planner = _Planner(mistakes, Points(proofs))
    for check in checks:
        planner.add(check)
    mistakes.check()
    model = (costs or CostModel()).sized(planner.sizes)
    queries = planner.queries
    predicted = {name: model.predict(query) for name, query in queries.items()}
    # Stable: what costs the same stays in the order of the file.
    order = sorted(queries, key=lambda name: -predicted[name])
    return Plan(
        queries=tuple(queries[name] for name in order),
        costs=model,
        drops=tuple(planner.drops.values()),
        families=tuple(planner.families),
        places={name: place for place, name in enumerate(queries)},
        predicted=predicted,
    )


class _Planner:
    """Gathers the queries of one table after the other."""

    def __init__(self, mistakes: Mistakes, points: Points) -> None:
        self.mistakes = mistakes
        self.queries: dict[str, GridQuery] = {}
        self.sizes: dict[str, float] = {}
        self.drops: dict[tuple[str, str], Dropped] = {}
        self.families: list[Family] = []
        self._points = points

    def add(self, check: Check) -> None:
        """Gather the queries of a table."""
        asked, wrong = False, len(self.mistakes.found)
        families = Families(check.entry, check.parameters)
        for point in self._points_of(check, families):
            for query, size in _queries(check, point):
                asked = True
                self.queries.setdefault(query.id, query)
                self.sizes.setdefault(query.id, size)
            self._missing(check, point)
            if len(self.queries) > MOST:
                self.mistakes.say(check.place, f"the grid has more than {MOST} queries up to here: split it")
                return
        self.families += families.found.values()
        if not asked and len(self.mistakes.found) == wrong:
            self.mistakes.say(check.place, f"asks nothing: {self._nothing(check)}")

    def _points_of(self, check: Check, families: Families) -> Iterator[Point]:
        told: set[object] = set()
        defaults = {name: one.default for name, one in check.entry.protocol.parameters.items()}
        for values in itertools.product(*check.parameters.values()):
            settings = tuple(zip(check.parameters, values, strict=True))
            if not self._allowed(check, settings, {**defaults, **dict(settings)}, told):
                continue
            try:
                yield self._points.at(check.entry, settings, families.of(settings))
            except AssumptionFailed as error:
                self._drop(check, "assumption", str(error), settings)
            except UserError as error:
                # One mistake in the protocol comes up at many points, its text with other numbers.
                key = tuple(x.span for x in error.mistakes) if isinstance(error, ModelError) else str(error)
                if key not in told:
                    told.add(key)
                    self.mistakes.say(check.place, f"at {spelled(settings)}: {error}")

    def _allowed(
        self, check: Check, settings: Settings, values: Mapping[str, Setting | None], told: set[object]
    ) -> bool:
        """Whether a point satisfies the constraints; the first one that it breaks is noted."""
        for number, constraint in enumerate(check.constraints, start=1):
            try:
                if constraint.holds(values):
                    continue
            except ZeroDivisionError:
                if number not in told:
                    told.add(number)
                    place = f"{check.place}.constraints[{number}]"
                    self.mistakes.say(place, f"it divides by zero at {spelled(settings)}")
                return False
            self._drop(check, "constraint", f"the constraint `{constraint.text}` is false", settings)
            return False
        return True

    def _missing(self, check: Check, point: Point) -> None:
        """Note which of the properties that are named are not asked at a point."""
        for name in check.properties or ():
            if name not in point.kinds:
                self._drop(check, "property", f"the property {name} does not apply", point.settings)
            elif INDUCTION in check.asked.kinds and name not in point.obligations:
                text = f"{name} is a {point.kinds[name]}: only invariants are proved"
                self._drop(check, "kind", text, point.settings)

    def _drop(self, check: Check, why: str, text: str, settings: Settings) -> None:
        known = self.drops.get((check.place, text))
        if known is None:
            found = Dropped(check.place, check.entry.name, why, text, spelled(settings))
            self.drops[check.place, text] = found
        else:
            self.drops[check.place, text] = replace(known, points=known.points + 1)

    def _nothing(self, check: Check) -> str:
        own = [one for one in self.drops.values() if one.place == check.place]
        whole = [one for one in own if one.whole]
        count = how_many(check.parameters)
        if sum(one.points for one in whole) < count:
            return "no parameters are left at which a property applies"
        told = "; ".join(f"at {one.points} {one.text}" for one in whole)
        return f"all of its {count} point{'s' if count != 1 else ''} are dropped: {told}"


def _queries(check: Check, point: Point) -> Iterator[tuple[GridQuery, float]]:
    """The queries at one point, each with the size of its layers."""
    asked = check.asked
    names = point.claimed if check.properties is None else check.properties
    names = tuple(name for name in names if name in point.kinds)
    if BOUNDED in asked.kinds:
        for name in (*names, *([DEADLOCK] if asked.deadlock else [])):
            ways = itertools.product(asked.depths, asked.unrollings, asked.solvers, asked.seeds)
            for depth, unroll, solver, seed in ways:
                base = _query(check, point, name, solver, seed)
                query = replace(base, engine="bmc", depth=depth, unroll=unroll)
                yield query, point.size.layer + point.size.properties.get(name, 0)
    if INDUCTION in asked.kinds:
        for name in names:
            proofs = itertools.product(point.obligations.get(name, ()), asked.solvers, asked.seeds)
            for obligation, solver, seed in proofs:
                query = replace(_query(check, point, name, solver, seed), obligation=obligation)
                yield query, point.size.layer + point.size.properties.get(name, 0)


def _query(check: Check, point: Point, name: str, solver: str, seed: int) -> GridQuery:
    """An obligation that is yet to be named."""
    return GridQuery(
        protocol=point.protocol,
        source=check.entry.source,
        settings=point.settings,
        parameters=point.parameters,
        property=name,
        kind=DEADLOCK if name == DEADLOCK else str(PropertyKind(point.kinds[name])),
        engine=INDUCTION,
        depth=None,
        unroll=None,
        obligation=None,
        solver=solver,
        seed=seed,
        limits=check.asked.limits,
        fingerprint=point.fingerprint,
    )
