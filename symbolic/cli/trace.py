"""`leadline trace`: replay and show a stored counterexample."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leadline.symbolic.catalog import Entry, model_of, model_on_values
from leadline.symbolic.cli import output
from leadline.symbolic.cli.inputs import add_file, add_module, entry_of_data, store_place
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.bounded.search import deadlock_property
from leadline.symbolic.export import SequentialCircuit, is_aiger, origin_of, witness
from leadline.symbolic.lang import Foreign, UserError
from leadline.symbolic.report.trace_page import trace_page
from leadline.symbolic.trace import (
    DEADLOCK,
    Cti,
    Line,
    Stored,
    Trace,
    chosen_traces,
    cti_begin,
    cti_disagreement,
    cti_document,
    cti_lines,
    disagreement,
    is_cti,
    lines,
    replay,
    stored_cti,
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""

    parser.add_argument(
        "file",
        metavar="FILE",
        type=store_place,
        help="JSON from `check`, `explore` or `prove` with --format json, or from a store, also by its URI; or "
        "an AIGER file from `export`",
    )
    about = "replay the witness that a hardware model checker found for the AIGER file"
    add_file(parser, "--from-aiger-witness", "WITNESS", about, dest="witness")
    parser.add_argument(
        "--protocol", metavar="FILE.py", help="the file of a protocol that is neither built in nor installed"
    )
    add_module(parser)
    parser.add_argument("--property", metavar="NAME", help="show only the trace of this property")
    output.add_format(parser, "text", "json", *output.TRACES, out=True)
    add_file(parser, "--html", "FILE.html", "also write a page to walk through the run step by step")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Replay the traces of a file and show them."""
    output.check_writable(args, "out", "html")
    if args.witness is not None and not isinstance(args.file, Path):
        raise UserError(
            f"--from-aiger-witness: {args.file} is elsewhere, and a file of this machine is needed"
        )
    if args.witness is None:
        one = args.format != "text" or args.html is not None
        stored = chosen_traces(args.file, args.property, "--property", one=one)
        found = [_replayed(args, each) for each in stored]
    else:
        found = [_witnessed(args)]
    parts: list[str | Line] = []
    for one in found:
        parts += ["", *one.lines()]
    written = None if args.format == "text" else _written(args, found[0])
    code = output.deliver(parts[1:], written, args.out)
    if args.html is not None:
        output.write_out(args.html, _page(args, found[0]), "--html")
        tell(f"wrote {args.html}")
    return code


@dataclass(frozen=True)
class _Shown:
    """A run, or a counterexample to induction, that was replayed."""

    entry: Entry
    semantics: Semantics
    trace: Trace | Cti

    def lines(self) -> Iterator[Line]:
        if isinstance(self.trace, Cti):
            return cti_lines(self.semantics, self.trace)
        return lines(self.semantics, self.trace)


def _page(args: argparse.Namespace, shown: _Shown) -> str:
    note = f"Replayed step by step as this page was written; leadline trace {args.file} does so too."
    if isinstance(shown.trace, Trace):
        return trace_page(shown.semantics, shown.trace, note)
    begin = cti_begin(shown.semantics.model, shown.trace)
    return trace_page(shown.semantics, shown.trace.fragment, note, begin=begin)


def _written(args: argparse.Namespace, shown: _Shown) -> str:
    entry, semantics, trace = shown.entry, shown.semantics, shown.trace
    if isinstance(trace, Trace):
        return output.written_trace(args.format, semantics, trace, entry.source, args.out)
    if args.format == "json":
        return output.as_json(cti_document(semantics.model, trace, entry.source))
    if args.format not in ("itf", "tla"):
        return output.picture(args.format, semantics, trace.fragment, cti_begin(semantics.model, trace))
    raise UserError(
        f"{args.file} is a counterexample to induction and no run, which {args.format} cannot express: "
        "write it as json or as a picture"
    )


def _entry(args: argparse.Namespace, stored: Stored, what: str) -> Entry:
    witness = () if args.witness is None else ("--from-aiger-witness", str(args.witness))
    command = ("leadline", "trace", str(args.file), *witness)
    args.properties = stored.claims
    return entry_of_data(args, stored, f"is {what} of", command)


def _witnessed(args: argparse.Namespace) -> _Shown:
    """The run that a hardware model checker found, replayed."""
    stored = origin_of(args.file)
    entry = _entry(args, stored, "a model")
    model = model_of(entry, stored.settings)
    known = {**model.properties, DEADLOCK: deadlock_property(model)}
    machine = SequentialCircuit(model, [known[name] for name in stored.data["properties"] if name in known])
    if not is_aiger(args.file, machine, stored.source):
        raise UserError(
            f"{args.file} is not what Leadline exports of {entry.name} now: the protocol, Leadline or the "
            "file has changed, so export it again"
        )
    semantics, trace = Semantics(model), witness(machine, args.witness)
    replay(semantics, trace)
    return _Shown(entry, semantics, trace)


_OTHER = (
    "its model is another: the protocol has changed since, or a module's properties were chosen by --property"
)


def _replayed(args: argparse.Namespace, stored: Stored) -> _Shown:
    entry = _entry(args, stored, "a trace")
    if issubclass(entry.protocol, Foreign) and not is_cti(stored):
        # Here, since protocols in Python need none of it.
        from leadline.symbolic.engines.explore.specifications import replayed

        made, run = replayed(model_on_values(entry, stored.settings), stored)
        return _Shown(entry, Semantics(made), run)
    model = model_of(entry, stored.settings)
    semantics = Semantics(model)
    trace: Trace | Cti
    if is_cti(stored):
        trace = stored_cti(model, stored)
        wrong = cti_disagreement(semantics, trace)
    else:
        trace = stored.trace(model)
        wrong = disagreement(semantics, trace)
    changed = stored.data["fingerprint"] != model.fingerprint
    if wrong is not None:
        why = f" ({_OTHER})" if changed else ""
        raise UserError(f"{stored.place} does not replay{why}: {wrong}")
    if changed:
        tell(f"{stored.place} replays, though {_OTHER}")
    return _Shown(entry, semantics, trace)
