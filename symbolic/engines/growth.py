"""One invariant at ever larger parameters: the formulas found at one point are tried at the next.

At each point the formulas of a smaller one are restated and checked by induction. Where they are not
inductive, property-directed reachability begins with them.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from leadline.symbolic.catalog import Entry, model_of
from leadline.symbolic.engines.invariants import (
    Clauses,
    InvariantQuery,
    invariant_certificate,
    spelled,
    understood,
)
from leadline.symbolic.engines.limits import Limits, TimeIsOver, limited
from leadline.symbolic.engines.parallel import answer
from leadline.symbolic.engines.pdr import Invariant
from leadline.symbolic.engines.pdr.restated import restated
from leadline.symbolic.engines.provers import PdrQuery
from leadline.symbolic.engines.query import SILENT, Listener, Options, Query
from leadline.symbolic.engines.result import Result, Verdict
from leadline.symbolic.lang import AssumptionFailed, Model
from leadline.symbolic.lang.names import counted, setting_text
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.solve import LONE


@dataclass(frozen=True)
class Point:
    """The answer at one point of the parameters.

    Attributes:
        varied: the values of the parameters that grow.
        how: how the property was proved, or why it was not.
        seconds: of wall clock.
        model: the model there; None where the parameters break an assumption.
        result: the verdict, with its certificate where it is a proof.
        invariant: of a proof.
        origin: the values at the point whose formulas were tried.
        new: the orbits of the invariant that were not among these formulas.
    """

    varied: Mapping[str, int]
    how: str
    seconds: float = 0.0
    model: Model | None = None
    result: Result | None = None
    invariant: Invariant | None = None
    origin: Mapping[str, int] | None = None
    new: int | None = None

    @property
    def place(self) -> str:
        """The values of the parameters that grow, in words."""
        return ", ".join(f"{name} = {setting_text(value)}" for name, value in self.varied.items())


@dataclass(frozen=True)
class Growth:
    """A property to prove at every point of some ranges.

    Attributes:
        entry: the protocol.
        settings: the parameters that stay.
        ranges: the values of each parameter that grows, ascending.
        goal: the property's name.
        options: how to search at a point where no formulas suffice.
    """

    entry: Entry
    settings: Mapping[str, Setting]
    ranges: Mapping[str, Sequence[int]]
    goal: str
    options: PdrQuery

    def points(self, limits: Limits, listener: Listener = SILENT) -> Iterator[Point]:
        """The answer at each point, the smallest first. The formulas tried at a point are those of the last
        smaller one that was proved.

        Args:
            limits: wall clock for all points together, and address space.
            listener: is told of the progress of each search.

        Raises:
            ModelError: if a model has mistakes.
            UserError: if a model does not have the property, or it is a claim about runs.
        """
        end = None if limits.seconds is None else time.monotonic() + limits.seconds
        proved: list[Point] = []
        for values in itertools.product(*self.ranges.values()):
            varied = dict(zip(self.ranges, values, strict=True))
            smaller = (x for x in reversed(proved) if all(x.varied[name] <= varied[name] for name in varied))
            left = limits if end is None else replace(limits, seconds=end - time.monotonic())
            point = self._point(varied, next(smaller, None), left, listener)
            if point.invariant is not None:
                proved.append(point)
            yield point

    def _point(
        self, varied: dict[str, int], origin: Point | None, limits: Limits, listener: Listener
    ) -> Point:
        begin = time.monotonic()
        try:
            if limits.seconds is not None and limits.seconds <= 0:
                raise TimeIsOver
            with limited(Limits(limits.seconds)):
                model = model_of(self.entry, {**self.settings, **varied})
        except AssumptionFailed as failed:
            return Point(varied, str(failed))
        except TimeIsOver:
            reason = "time: none is left"
            unknown = Result(self.goal, self.options.engine, Verdict.UNKNOWN, reason=reason)
            return Point(varied, f"not proved: {reason}", time.monotonic() - begin, result=unknown)
        model.about_states((self.goal,))
        left = limits.after(time.monotonic() - begin)
        if left is None:
            left = replace(limits, seconds=0.0)
        ask = _Ask(self, model, varied, left, listener)
        point = ask.by_pdr(()) if origin is None else ask.with_formulas(origin)
        return replace(point, seconds=time.monotonic() - begin)


@dataclass(frozen=True)
class _Ask:
    """The questions at one point."""

    growth: Growth
    model: Model
    varied: Mapping[str, int]
    limits: Limits
    listener: Listener

    def with_formulas(self, origin: Point) -> Point:
        """Try the formulas of a smaller point, and begin with them where they are not inductive."""
        assert origin.model is not None and origin.invariant is not None
        goal, source = self.growth.goal, self.growth.entry.source
        tried, lost = restated(origin.model, origin.invariant, self.model, self.model.properties[goal])
        clauses = spelled(self.model, tried)
        within = self.growth.options.within_bounds
        result = self._result(InvariantQuery(tried.strengthenings, clauses, within))
        if result.verdict is not Verdict.PROVED:
            point = self.by_pdr(clauses)
            return replace(self._repaired(point, tried, origin, lost), origin=origin.varied)
        made = invariant_certificate(self.model, goal, source, tried, clauses)
        how = f"the formulas found at {origin.place} are inductive"
        result = replace(result, certificate=made)
        return Point(self.varied, how, 0.0, self.model, result, tried, origin.varied, 0)

    def by_pdr(self, lemmas: Clauses) -> Point:
        """Search, beginning with some clauses."""
        result = self._result(replace(self.growth.options, lemmas=lemmas, show=True))
        made = result.certificate
        if result.verdict is not Verdict.PROVED or made is None:
            why = f"not proved: {result.reason}" if result.reason else "not proved"
            return Point(self.varied, why, 0.0, self.model, result)
        within = self.growth.options.within_bounds
        found = understood(self.model, made["strengthenings"], made["clauses"], in_bounds=not within)
        return Point(self.varied, "found by PDR", 0.0, self.model, result, found)

    @staticmethod
    def _repaired(point: Point, tried: Invariant, origin: Point, lost: int) -> Point:
        """The answer with what became of the formulas that were tried."""
        if point.invariant is None:
            return point
        known = {frozenset(orbit) for orbit in tried.orbits}
        new = [orbit for orbit in point.invariant.orbits if frozenset(orbit) not in known]
        how = f"repaired by PDR: {counted(sum(map(len, new)), 'new clause')} in {counted(len(new), 'orbit')}"
        if lost:
            how += f"; {counted(lost, 'formula')} found at {origin.place} cannot be stated here"
        return replace(point, how=how, new=len(new))

    def _result(self, options: Options) -> Result:
        growth = self.growth
        settings = {**growth.settings, **self.varied}
        query = Query(growth.entry.source, settings, (growth.goal,), options, LONE)
        if self.limits.seconds == 0:
            return Result(growth.goal, options.engine, Verdict.UNKNOWN, reason="time: none is left")
        return answer(self.model, query, self.limits, self.listener).results[0]
