"""`leadline conform`: is the log of an implementation a run of the protocol?"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from leadline.symbolic.api.asked import Part
from leadline.symbolic.api.progress import live
from leadline.symbolic.cli.inputs import add_limits, add_protocol, at_least, chosen_model
from leadline.symbolic.cli.output import (
    TRACES,
    add_format,
    as_json,
    check_writable,
    deliver,
    write_out,
    written_trace,
)
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.conform import Conformance, Fits, LogMap, conformance, read_map
from leadline.symbolic.conform.ask import MOST_STATES
from leadline.symbolic.engines import Limits
from leadline.symbolic.lang import Model
from leadline.symbolic.trace import lines

_SHOWN = 40
_CODES = {
    Fits.CONFORMS: Exit.HOLDS,
    Fits.DIFFERS: Exit.VIOLATED,
    Fits.OUT_OF_BOUNDS: Exit.OUT_OF_BOUNDS,
    Fits.UNKNOWN: Exit.UNKNOWN,
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Decide whether a log is a run of a protocol. What the log does not tell is found: picks, parts of "
        "states, and steps that it does not show."
    )
    add_protocol(parser)
    parser.add_argument(
        "logs",
        metavar="LOG",
        nargs="+",
        type=Path,
        help="NDJSON, CSV (.csv) or ITF (.itf.json); several files are of nodes without one clock",
    )
    parser.add_argument("--map", metavar="MAP.toml", type=Path, help="what the fields of the log mean")
    parser.add_argument(
        "--hidden",
        metavar="N",
        type=at_least(0),
        default=0,
        help="steps before each event that the log need not show (default: 0)",
    )
    _declare_search(parser)
    add_format(parser, "text", "json", *TRACES, out=True)
    parser.add_argument(
        "--html",
        metavar="FILE.html",
        type=Path,
        help="also write a page to walk through the completed run, or that of the longest beginning that fits",
    )
    parser.set_defaults(run=run)


def _declare_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--by",
        choices=("auto", "values", "circuits", "solver"),
        default="auto",
        help="follow the states that fit, as values or on circuits, or ask a solver (default: auto, the cheapest)",
    )
    parser.add_argument(
        "--max-states",
        metavar="N",
        type=at_least(1),
        default=MOST_STATES,
        help=f"the most states after an event (default: {MOST_STATES:,})",
    )
    add_limits(parser)


def run(args: argparse.Namespace) -> Exit:
    """Answer the question, and show the run or the reason."""
    check_writable(args.out)
    check_writable(args.html, "--html")
    about = read_map(args.map) if args.map is not None else LogMap()
    entry, _, model = chosen_model(args)
    with live("explaining the log: ") as show:
        found = conformance(
            model,
            args.logs,
            about,
            hidden=args.hidden,
            by=args.by,
            limits=Limits(args.timeout, args.memory).within_machine(),
            most_states=args.max_states,
            longest=_SHOWN if args.format == "text" and args.html is None else None,
            progress=lambda events: show(f"{events:,} events"),
        )
    written = _written(args, found, model, entry.source)
    code = deliver(_report(found, model, args.format == "text"), written, args.out)
    if args.html is not None and found.run is not None:
        # Here, since only this option needs it.
        from leadline.symbolic.report.trace_page import trace_page

        what = "the log" if found else "the longest beginning of the log that is a run of the model"
        write_out(
            args.html, trace_page(Semantics(model), found.run, f"A run that explains {what}."), "--html"
        )
        tell(f"wrote {args.html}")
    return max(code, _CODES[found.verdict])


def _written(args: argparse.Namespace, found: Conformance, model: Model, source: str) -> str | None:
    """The answer in the format asked for; None if that is text, or there is no run to write."""
    if args.format == "json":
        return as_json(found.to_json(model, source))
    if args.format == "text" or found.run is None:
        return None
    return written_trace(args.format, Semantics(model), found.run, source, args.out)


def _report(found: Conformance, model: Model, with_run: bool) -> Iterator[Part]:
    if found and found.run is not None and with_run and found.run.length <= _SHOWN:
        yield from lines(Semantics(model), found.run)
        yield ""
    if found and with_run and (found.run is None or found.run.length > _SHOWN):
        tell("the run is long: --format json, itf or tla and --html write it")
    if found.place is not None:
        yield f"{found.place}: {found.event or ''}".rstrip(": ")
        yield from (f"  {text}" for text in found.why.lines())
        yield ""
    yield from (f"{name} in the log is taken for {member}" for name, member in found.names.items())
    yield found.headline()
