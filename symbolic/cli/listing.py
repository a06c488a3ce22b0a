"""`leadline list`: the protocols there are."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from leadline.symbolic.catalog import Entry, complaints, entries, load_file, split_path
from leadline.symbolic.cli.describe import summary
from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.output import Report, add_format, as_json, columns, deliver, tell
from leadline.symbolic.lang import Parameter, UserError
from leadline.symbolic.trace.trace import setting


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("list", help="protocols, their parameters and properties")
    parser.add_argument("paths", nargs="*", metavar="FILE", help="Python files to list instead")
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """List every protocol with its parameters, its properties and what is known of them."""
    found = _entries(args.paths)
    report = Report()
    for number, entry in enumerate(found):
        if number:
            report.say()
        _text(report, entry)
    if not found:
        report.say("no protocols")
    deliver(report, as_json([_json(x) for x in found]) if args.format == "json" else None, None)
    return Exit.HOLDS


def _entries(paths: Sequence[str]) -> list[Entry]:
    if not paths:
        for complaint in complaints():
            tell(complaint)
        return list(entries().values())
    found: list[Entry] = []
    for path in paths:
        file = split_path(path)
        if file is None or file[1] is not None:
            raise UserError(f"{path} is not the path of a Python file")
        found += load_file(file[0])
    return found


def default_text(one: Parameter) -> str:
    """A parameter's default for a person to read."""
    return "derived" if one.default is None else setting(one.default)


def _text(report: Report, entry: Entry) -> None:
    report.say(entry.name if entry.source == entry.name else f"{entry.name} ({entry.source})")
    if entry.doc:
        report.say(f"  {summary(entry.doc)}")
    rows = [[x.name, default_text(x), x.range, x.doc] for x in entry.protocol.parameters.values()]
    _section(report, "parameters", rows)
    claims = [[claim.name, str(claim.kind), summary(claim.doc)] for claim in entry.claims]
    _section(report, "properties", claims)


def _section(report: Report, head: str, rows: list[list[str]]) -> None:
    if rows:
        report.say(f"  {head}")
        for line in columns(rows, "    "):
            report.say(line)


def _json(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "source": entry.source,
        "doc": entry.doc,
        "parameters": [parameter_json(one) for one in entry.protocol.parameters.values()],
        "properties": [
            {"name": claim.name, "tla": claim.tla, "kind": str(claim.kind), "doc": claim.doc}
            for claim in entry.claims
        ],
    }


def parameter_json(one: Parameter) -> dict[str, Any]:
    """A parameter's declaration as JSON."""
    return {
        "name": one.name,
        "kind": one.kind.__name__,
        "default": one.default,
        "at_least": one.at_least,
        "at_most": one.at_most,
        "choices": list(one.choices),
        "file": one.file,
        "doc": one.doc,
    }
