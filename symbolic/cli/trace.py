"""`leadline trace`: a stored counterexample, replayed and shown."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry, find, model_of, split_path
from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.files import check_writable
from leadline.symbolic.cli.formats import written_trace
from leadline.symbolic.cli.output import Report, add_format, deliver
from leadline.symbolic.cli.verdicts import add_traces
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import UserError
from leadline.symbolic.trace import Stored, Trace, disagreement, stored_traces


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("trace", help="replay and show a stored counterexample")
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="what `check` or `explore` wrote with --format json"
    )
    parser.add_argument(
        "--protocol", metavar="FILE.py", help="the protocol, where it is not built in or installed"
    )
    parser.add_argument("--property", metavar="NAME", help="of several traces, the one of this property")
    add_format(parser, "text", "json", "itf", "tla", out=True)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Replay every trace of the file and show it."""
    check_writable(args.out)
    stored = _chosen(args, stored_traces(args.file))
    found = [_replayed(args, one) for one in stored]
    report = Report()
    for number, (_, semantics, trace) in enumerate(found):
        if number:
            report.say()
        part = Report()
        add_traces(part, semantics, [trace])
        report.parts += part.parts[1:]
    written = None
    if args.format != "text":
        entry, semantics, trace = found[0]
        written = written_trace(args.format, semantics, trace, entry.source, args.out)
    deliver(report, written, args.out)
    return Exit.HOLDS


def _chosen(args: argparse.Namespace, stored: list[Stored]) -> list[Stored]:
    names = [str(one.data["property"] or one.data["ends"]) for one in stored]
    chosen = [one for one, name in zip(stored, names, strict=True) if args.property in (None, name)]
    if not chosen:
        raise UserError(f"{args.file} has no trace of {args.property}: it has {', '.join(names)}")
    if args.format != "text" and len(chosen) > 1:
        raise UserError(f"{args.file} has several traces: choose one with --property ({', '.join(names)})")
    return chosen


def _entry(args: argparse.Namespace, stored: Stored) -> Entry:
    """The protocol of a trace. Loading a Python file runs it, so the trace's word for it is not enough."""
    if args.protocol is None and split_path(stored.source) is not None:
        command = shlex.join(["leadline", "trace", str(args.file), "--protocol", stored.source])
        raise UserError(
            f"{stored.place} is a trace of {stored.protocol} in {stored.source}, a file that would run: "
            f"if you trust it, {command}"
        )
    entry = find(args.protocol or stored.protocol)
    if entry.name != stored.protocol:
        raise UserError(f"{stored.place} is a trace of {stored.protocol}, not of {entry.name}")
    return entry


def _replayed(args: argparse.Namespace, stored: Stored) -> tuple[Entry, Semantics, Trace]:
    entry = _entry(args, stored)
    model = model_of(entry, stored.settings)
    trace = stored.trace(model)
    semantics = Semantics(model)
    wrong = disagreement(semantics, trace)
    if wrong is not None:
        changed = stored.data["fingerprint"] != model.fingerprint
        why = " (the protocol has changed since the trace was written)" if changed else ""
        raise UserError(f"{stored.place} does not replay{why}: {wrong}")
    return entry, semantics, trace
