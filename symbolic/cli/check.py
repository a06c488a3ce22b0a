"""`leadline check`: bounded model checking of one protocol at given parameters."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry
from leadline.symbolic.cli.exits import Exit, worst
from leadline.symbolic.cli.files import check_writable
from leadline.symbolic.cli.formats import written_trace
from leadline.symbolic.cli.inputs import (
    add_properties,
    add_protocol,
    at_least,
    chosen_model,
    chosen_properties,
    seconds,
)
from leadline.symbolic.cli.output import Report, add_format, as_json, deliver, tell
from leadline.symbolic.cli.progress import live
from leadline.symbolic.cli.proof import check_proof_writable, write_proof
from leadline.symbolic.cli.verdicts import (
    add_traces,
    counted,
    distinct,
    effort_json,
    exit_of,
    trace_json,
    verdict_text,
)
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import (
    UNROLLINGS,
    Limits,
    Listener,
    Progress,
    Query,
    Result,
    Verdict,
    answer,
)
from leadline.symbolic.engines.query import AUTO
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.trace import DEADLOCK, end_reason
from leadline.symbolic.trace.trace import title

SOLVERS = ("z3", "cadical", AUTO)
SWEEPS = 10
"""Sweeps to look ahead where no depth is given."""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("check", help="whether a bad state can be reached within so many steps")
    add_protocol(parser)
    add_properties(parser)
    parser.add_argument(
        "--depth",
        type=at_least(0),
        metavar="K",
        help=f"layers to look ahead: steps, or without a depth {SWEEPS} sweeps, to hunt for a deep bug",
    )
    parser.add_argument(
        "--unroll",
        choices=UNROLLINGS,
        help="what a layer holds: one step (the default with --depth), or one sweep over all actions, each "
        "taken or skipped (the default without): k sweeps cover all runs of k steps and many far longer ones",
    )
    parser.add_argument(
        "--shortest", action="store_true", help="make a counterexample found by sweeps a shortest one"
    )
    parser.add_argument(
        "--no-symmetry",
        dest="symmetry",
        action="store_false",
        help="do not use that members of a sort are interchangeable (sweeps)",
    )
    parser.add_argument(
        "--solver",
        choices=SOLVERS,
        default=SOLVERS[0],
        help="default: z3; auto lets both race on two cores, and on one core it is cadical",
    )
    _add_limits(parser)
    parser.add_argument(
        "--proof",
        type=Path,
        metavar="FILE",
        help="prove by CaDiCaL, whichever solver searched, what was found safe: FILE.cnf is the formula that "
        "one of these properties fails or a step goes out of bounds (DIMACS), FILE its refutation (DRUP)",
    )
    add_format(parser, "text", "json", "itf", "tla", out=True)
    parser.set_defaults(run=run)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="S",
        help="give up after so many seconds; a proof has as many again",
    )
    parser.add_argument(
        "--memory",
        type=at_least(1, Limits.LARGEST),
        metavar="MB",
        help="give up beyond so many megabytes; solvers that race have as many each",
    )


def run(args: argparse.Namespace) -> Exit:
    """Check, and report the verdicts with their counterexamples."""
    check_writable(args.out)
    check_proof_writable(args.proof)
    entry, settings, model = chosen_model(args)
    names = chosen_properties(model, args.properties)
    if not names and not args.deadlock:
        raise UserError(
            f"there is nothing to check: {entry.name} has no property at these parameters; state one, or ask "
            "for deadlocks with --deadlock"
        )
    query = Query(
        source=entry.source,
        settings=settings,
        properties=names,
        depth=SWEEPS if args.depth is None else args.depth,
        unroll=args.unroll or ("sweeps" if args.depth is None else "steps"),
        solver=args.solver,
        symmetry=args.symmetry,
        shortest=args.shortest,
        deadlock=args.deadlock,
    )
    limits = Limits(args.timeout, args.memory)
    results = _ask(model, query, limits)
    semantics = Semantics(model)
    _deliver(args, entry, semantics, results)
    winners = dict.fromkeys(result.solver for result in results if result.solver != AUTO)
    if query.solver == AUTO and winners:
        tell(f"answered by {', '.join(winners)}")
    codes = [exit_of(result.property, result.verdict) for result in results]
    if args.proof is not None:
        codes.append(write_proof(args.proof, model, query, results, limits))
    return worst(codes)


def _ask(model: Model, query: Query, limits: Limits) -> list[Result]:
    """The answers; on Ctrl-C those that there are so far are shown first."""
    so_far: dict[str, Result] = {}
    reached: list[Progress] = []
    with live(f"checking {model.protocol}") as show:

        def progress(now: Progress) -> None:
            reached[:] = [now]
            size = f"{now.variables} variables, {now.clauses} clauses"
            show(f"depth {now.depth}, {size}")

        def told(result: Result) -> None:
            so_far[result.property] = result

        listener = Listener(progress, told)
        try:
            return answer(model, query, limits, listener)
        except KeyboardInterrupt:
            pass
    _report(Semantics(model), list(so_far.values())).show()
    depth = f"within {reached[0].depth} steps" if reached else "at any depth"
    asked = [*(one.name for one in query.chosen(model)), *([DEADLOCK] if query.deadlock else [])]
    still = [name for name in asked if name not in so_far]
    tell(f"interrupted; no counterexample {depth} so far: {', '.join(still) or 'nothing left to search'}")
    raise KeyboardInterrupt


def _deliver(args: argparse.Namespace, entry: Entry, semantics: Semantics, results: list[Result]) -> None:
    report = _report(semantics, results)
    if args.format == "text":
        deliver(report, None, args.out)
    elif args.format == "json":
        model = semantics.model
        found = [_json(model, entry, result) for result in results]
        deliver(report, as_json({"results": found}), args.out)
    else:
        _deliver_trace(args, entry, semantics, results)


def _deliver_trace(
    args: argparse.Namespace, entry: Entry, semantics: Semantics, results: list[Result]
) -> None:
    """The counterexample of the worst verdict; the verdicts themselves are told apart from it."""
    for result in results:
        tell(f"{result.property}: {_verdict(semantics.model, result)}")
    for line in _reasons(semantics, results):
        tell(line)
    worst_first = sorted(results, key=lambda result: -result.verdict)
    traces = distinct([result.trace for result in worst_first])
    if not traces:
        tell(f"there is no counterexample to write as {args.format}")
        return
    if len(traces) > 1:
        tell(f"one of {len(traces)} counterexamples is written; choose another with --property")
    text = written_trace(args.format, semantics, traces[0], entry.source, args.out)
    deliver(Report(), text, args.out)


def _report(semantics: Semantics, results: list[Result]) -> Report:
    report = Report()
    report.say(title(semantics.model))
    if results:
        report.table(
            ["property", "verdict", "steps", "seconds", "MB"],
            [_row(semantics.model, result) for result in results],
        )
    for line in _reasons(semantics, results):
        report.say(line)
    add_traces(report, semantics, distinct([result.trace for result in results]))
    return report


def _reasons(semantics: Semantics, results: list[Result]) -> Iterator[str]:
    """Why verdicts are what they are, or may not be the last word."""
    for result in results:
        # Why a trace is out of bounds stands at its end.
        told = end_reason(semantics, result.trace) if result.trace is not None else None
        if result.reason != told:
            yield f"{result.property}: {result.reason}"


def _verdict(model: Model, result: Result) -> str:
    text = verdict_text(model, result.property, result.verdict)
    if result.verdict not in (Verdict.SAFE, Verdict.UNKNOWN) or result.depth < 0:
        return text
    beyond = "within" if result.verdict is Verdict.SAFE else "beyond"
    layers = counted(result.depth, result.unroll.removesuffix("s"))
    # Every run of k steps is among the runs of k sweeps.
    covered = f" (at least {counted(result.depth, 'step')})" if result.unroll == "sweeps" else ""
    return f"{text} {beyond} {layers}{covered}"


def _row(model: Model, result: Result) -> list[str]:
    steps = "-" if result.steps is None else str(result.steps)
    effort = result.effort
    return [result.property, _verdict(model, result), steps, f"{effort.total:.1f}", f"{effort.memory_mb:.0f}"]


def _json(model: Model, entry: Entry, result: Result) -> dict[str, Any]:
    return {
        "protocol": result.protocol,
        "parameters": dict(result.parameters),
        "property": result.property,
        "engine": result.engine,
        "unroll": result.unroll,
        "solver": result.solver,
        "verdict": str(result.verdict),
        "depth": result.depth,
        # All runs of so many steps are covered, by k sweeps those of k and many far longer.
        "steps_covered": None if result.depth < 0 else result.depth,
        "steps": result.steps,
        **effort_json(result.effort),
        "trace": trace_json(model, result.trace, entry.source),
        "reason": result.reason,
    }
