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
from leadline.symbolic.cli.output import Report, add_format, as_json, deliver
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import UserError
from leadline.symbolic.trace import (
    Cti,
    Stored,
    Trace,
    cti_disagreement,
    cti_document,
    cti_lines,
    disagreement,
    end_reason,
    is_cti,
    lines,
    stored_cti,
    stored_traces,
)


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("trace", help="replay and show a stored counterexample")
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="what `check`, `explore` or `prove` wrote with --format json"
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
    for number, (_, semantics, shown) in enumerate(found):
        if number:
            report.say()
        _add(report, semantics, shown)
    written = None if args.format == "text" else _written(args, *found[0])
    deliver(report, written, args.out)
    return Exit.HOLDS


def _add(report: Report, semantics: Semantics, shown: Trace | Cti) -> None:
    if isinstance(shown, Cti):
        report.trace(cti_lines(semantics, shown))
    else:
        report.trace(lines(semantics.model, shown, end_reason(semantics, shown)))


def _written(args: argparse.Namespace, entry: Entry, semantics: Semantics, shown: Trace | Cti) -> str:
    if isinstance(shown, Trace):
        return written_trace(args.format, semantics, shown, entry.source, args.out)
    if args.format != "json":
        raise UserError(
            f"{args.file} is no run but a counterexample to induction, which {args.format} has no word for: "
            "write it as json"
        )
    return as_json(cti_document(semantics.model, shown, entry.source))


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


def _replayed(args: argparse.Namespace, stored: Stored) -> tuple[Entry, Semantics, Trace | Cti]:
    entry = _entry(args, stored)
    model = model_of(entry, stored.settings)
    semantics = Semantics(model)
    trace: Trace | Cti
    if is_cti(stored):
        trace = stored_cti(model, stored)
        wrong = cti_disagreement(semantics, trace)
    else:
        trace = stored.trace(model)
        wrong = disagreement(semantics, trace)
    if wrong is not None:
        changed = stored.data["fingerprint"] != model.fingerprint
        why = " (the protocol has changed since the trace was written)" if changed else ""
        raise UserError(f"{stored.place} does not replay{why}: {wrong}")
    return entry, semantics, trace
