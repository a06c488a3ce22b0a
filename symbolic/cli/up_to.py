"""`leadline prove --up-to`: prove a property at every point up to given parameters."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leadline.symbolic.api.progress import live
from leadline.symbolic.catalog import Entry, find
from leadline.symbolic.cli.inputs import settings_of
from leadline.symbolic.cli.output import Exit, Report, as_json, deliver, exit_of, keep, tell, worst
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Limits, Listener
from leadline.symbolic.engines.growth import Growth, Point
from leadline.symbolic.engines.limits import timely
from leadline.symbolic.engines.pdr.words import formulas
from leadline.symbolic.engines.provers import PdrQuery
from leadline.symbolic.engines.result import trace_json
from leadline.symbolic.lang import ParameterError
from leadline.symbolic.lang.names import counted, setting_text
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.trace import lines

UP_TO = "--up-to"


def run(args: argparse.Namespace) -> Exit:
    """Prove a property at each point, and report how."""
    with timely(args.protocol, args.timeout):
        entry = find(args.protocol)
    settings = settings_of(entry, args.settings)
    ranges = _ranges(entry, settings, args.up_to)
    fixed = {name: value for name, value in settings.items() if name not in ranges}
    options = PdrQuery.chosen(
        {name: getattr(args, name) for name in ("strengthenings", "symmetry", "within_bounds")}
    )
    growth = Growth(entry, fixed, ranges, args.property, options)
    found: list[Point] = []
    try:
        with live(f"proving {args.property} of {entry.name}") as show:
            at = Listener(lambda now: show(f"{counted(len(found), 'point')} done; {now}"))
            for point in growth.points(Limits(args.timeout, args.memory), at):
                found.append(point)
    finally:
        if found:
            _deliver(args, growth, found)
    return worst([exit_of(x.result) for x in found if x.result is not None])


def _ranges(entry: Entry, settings: Mapping[str, Setting], texts: Sequence[str]) -> dict[str, range]:
    """The values of each parameter of --up-to.

    Raises:
        ParameterError: if one is no integer, or there is nothing between its least value and the last.
    """
    found = {}
    for name, last in settings_of(entry, texts, UP_TO).items():
        declared = entry.protocol.parameters[name]
        first = settings.get(name, declared.at_least)
        if declared.kind is not int or not isinstance(last, int):
            raise ParameterError(f"{UP_TO} {name}: only an integer grows, and {name} is {declared.range}")
        if not isinstance(first, int):
            raise ParameterError(f"{UP_TO} {name}: {name} has no least value, so say with -p where to begin")
        if first > last:
            raise ParameterError(f"{UP_TO} {name}={last}: this is below the first value, {first}")
        found[name] = range(first, last + 1)
    return found


# -- the answer ----------------------------------------------------------------------------------------


def _deliver(args: argparse.Namespace, growth: Growth, found: Sequence[Point]) -> None:
    written = as_json(_json(growth, found)) if args.format == "json" else None
    deliver(_report(growth, found, show=bool(args.show)), written, None)
    for point in found if args.out is not None else ():
        if point.result is not None and point.result.certificate is not None:
            path = _path(args.out, point)
            if keep(path, as_json(point.result.certificate)):
                tell(f"wrote {path}")
        else:
            tell(f"no certificate is written for {point.place}: {growth.goal} is not proved")


def _path(out: Path, point: Point) -> Path:
    """The certificate's file of a point: proof-replicas-3.json for proof.json."""
    values = "".join(f"-{name}-{value}" for name, value in point.varied.items())
    return out.with_name(f"{out.stem}{values}{out.suffix}")


def _report(growth: Growth, found: Sequence[Point], *, show: bool) -> Report:
    """The answer for a person."""
    report = Report()
    fixed = next((dict(x.model.parameters) for x in found if x.model is not None), {})
    shown = [f"{k} = {setting_text(x)}" for k, x in fixed.items() if x is not None and k not in growth.ranges]
    report.say(f"{growth.entry.name} ({', '.join(shown)})" if shown else growth.entry.name)
    report.say(f"{growth.goal}, at each point:")
    report.table(
        [*growth.ranges, "verdict", "clauses", "orbits", "seconds", "proof"],
        [[*map(str, one.varied.values()), *_row(one)] for one in found],
    )
    for one in found:
        if show and one.model is not None and one.invariant is not None and one.new != 0:
            report.say()
            report.say(f"The invariant at {one.place} is the conjunction of these:")
            told = [x.tla(one.model) for x in formulas(one.model, one.invariant)]
            for text in [*one.invariant.strengthenings, *told] or ["TRUE"]:
                report.say(f"  {text}")
        if one.result is not None and one.result.trace is not None and one.model is not None:
            report.say()
            report.trace(lines(Semantics(one.model), one.result.trace))
    return report


def _row(one: Point) -> list[str]:
    verdict = "-" if one.result is None else str(one.result.verdict)
    sizes = ["-", "-"] if one.invariant is None else [one.invariant.clauses, len(one.invariant.orbits)]
    return [verdict, *map(str, sizes), f"{one.seconds:.1f}", one.how]


def _json(growth: Growth, found: Sequence[Point]) -> dict[str, Any]:
    """The answer for a program."""
    return {
        "protocol": growth.entry.name,
        "property": growth.goal,
        "up_to": {name: values[-1] for name, values in growth.ranges.items()},
        "points": [_json_point(growth, one) for one in found],
    }


def _json_point(growth: Growth, one: Point) -> dict[str, Any]:
    made, result, invariant = one.model, one.result, one.invariant
    steps = None if made is None or result is None else result.trace
    return {
        "parameters": dict(one.varied if made is None else made.parameters),
        "constraints": [x.name for x in made.constraints] if made is not None else [],
        "verdict": None if result is None else str(result.verdict),
        "proof": one.how,
        "formulas_of": None if one.origin is None else dict(one.origin),
        "new_orbits": one.new,
        "clauses": None if invariant is None else invariant.clauses,
        "orbits": None if invariant is None else len(invariant.orbits),
        "seconds": round(one.seconds, 3),
        "steps": None if steps is None else steps.length,
        "trace": None if made is None else trace_json(made, steps, growth.entry.source),
    }
