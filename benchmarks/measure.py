"""One measurement: one case, one way, in processes of its own, so that its time and memory are its own."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from leadline.benchmarks.cases import Case
from leadline.benchmarks.children import Ended, run
from leadline.benchmarks.measurement import Measurement, Point, model
from leadline.benchmarks.outside import abc, apalache, beside, tlc
from leadline.benchmarks.ways import Way
from leadline.symbolic.engines import BmcOptions, Limits, Listener, Options, Query, Verdict, answer
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.files import environment
from leadline.symbolic.lang import InternalError
from leadline.symbolic.solve import DEFAULT


def measure(case: Case, way: Way, limits: Limits) -> Measurement:
    """Put a case to a way.

    Args:
        case: the case.
        way: the way; a command is on the PATH.
        limits: the time and the memory that it has, both given.
    """
    if way.unroll is not None:
        return _bounded(case, way, limits)
    match way.engine:
        case PdrOptions.engine:
            return _answered(case, PdrOptions(strengthenings=False), DEFAULT, limits)
        case "explore" if case.tlc is not None:
            return _answered(case, ExploreOptions(prove=True), DEFAULT, limits)
        case "explore":
            return _explored(case, limits)
        case "tlc":
            return tlc(case, limits)
        case "apalache-mc":
            return apalache(case, limits)
        case "berkeley-abc":
            return abc(case, limits)
        case "beside":
            return beside(case, limits)
    raise InternalError(f"nobody knows how to measure {way.engine}")


def _bounded(case: Case, way: Way, limits: Limits) -> Measurement:
    assert way.unroll is not None and way.solver is not None
    depth = case.steps if way.unroll == "steps" else case.sweeps
    return _answered(case, BmcOptions(depth, way.unroll, symmetry=way.symmetry), way.solver, limits)


def _answered(case: Case, options: Options, solver: str, limits: Limits) -> Measurement:
    query = Query(
        source=case.protocol,
        settings=dict(case.parameters),
        properties=(case.property,),
        options=options,
        solver=solver,
    )
    points: list[Point] = []
    listener = Listener(lambda now: points.append(Point(now.depth, now.seconds, now.variables, now.clauses)))
    asked = model(case)
    begin = time.perf_counter()
    try:
        (result,) = answer(asked, query, limits, listener).results
    except InternalError as error:
        # One failure is not to cost the other measurements of a long run.
        why = f"crash: {str(error).strip().splitlines()[-1]}"
        return Measurement(Verdict.UNKNOWN, time.perf_counter() - begin, points=tuple(points), reason=why)
    seconds = time.perf_counter() - begin
    effort, known = result.effort, result.verdict is not Verdict.UNKNOWN
    if result.verdict is Verdict.VIOLATED:
        points.append(Point(result.depth + 1, effort.total, effort.variables, effort.clauses))
    return Measurement(
        verdict=result.verdict,
        seconds=seconds,
        depth=result.depth,
        steps=result.steps,
        build=effort.build if known else None,
        solve=effort.solve if known else None,
        memory_mb=effort.memory_mb,
        variables=effort.variables,
        clauses=effort.clauses,
        points=tuple(points),
        reason=result.reason,
    )


def _explored(case: Case, limits: Limits) -> Measurement:
    assert limits.seconds is not None
    ended = run(
        [sys.executable, "-m", "leadline.benchmarks.explorer"],
        json.dumps(
            {
                "protocol": case.protocol,
                "parameters": dict(case.parameters),
                "property": case.property,
                "memory_mb": limits.memory_mb,
            }
        )
        + "\n",
        limits.seconds,
        more=environment(),
    )
    said = [json.loads(line) for line in ended.output.splitlines() if line.endswith("}")]
    points = tuple(Point(x["level"], x["seconds"], states=x["states"]) for x in said if "level" in x)
    end: dict[str, Any] = said[-1] if said and "verdict" in said[-1] else {}
    return Measurement(
        verdict=Verdict[end.get("verdict", "UNKNOWN")],
        seconds=ended.seconds,
        depth=points[-1].depth if points else -1,
        steps=end.get("steps"),
        memory_mb=end.get("memory_mb", ended.memory_mb),
        states=points[-1].states if points else 0,
        points=points,
        reason=_why(ended, end, limits),
    )


def _why(ended: Ended, end: dict[str, Any], limits: Limits) -> str | None:
    """Why an exploration has no answer; None if it has one."""
    if end.get("verdict") == "UNKNOWN":
        return f"memory: stopped at the limit of {limits.memory_mb} MB"
    if end:
        return None
    if ended.status is None:
        return f"time: stopped after {limits.seconds:g} s"
    return f"crash: exited with {ended.status} ({ended.last_words})"
