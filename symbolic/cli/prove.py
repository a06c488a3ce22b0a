"""`leadline prove`: proof by induction of one property, obligation by obligation."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry, find, model_of, split_path
from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.files import check_writable, write_out
from leadline.symbolic.cli.inputs import Once, add_protocol, at_least, chosen_model, seconds
from leadline.symbolic.cli.output import add_format, as_json, deliver, tell
from leadline.symbolic.cli.progress import live
from leadline.symbolic.cli.proved import Findings
from leadline.symbolic.engines import Limits, Verdict
from leadline.symbolic.engines.induction import (
    Certificate,
    ObligationResult,
    answer_obligations,
    certificate,
    obligations,
    read_certificate,
    recheck,
)
from leadline.symbolic.engines.query import AUTO
from leadline.symbolic.lang import UserError

SOLVERS = ("z3", "cadical", AUTO)


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "prove", help="whether a property is inductive with its strengthenings: a proof for all depths"
    )
    add_protocol(parser, optional=True)
    parser.add_argument("--property", metavar="NAME", action=Once, help="the property to prove")
    parser.add_argument(
        "--obligation",
        dest="obligations",
        metavar="NAME",
        action="append",
        default=[],
        help="check only this obligation, which proves nothing; repeat it for several",
    )
    parser.add_argument(
        "--solver",
        choices=SOLVERS,
        help="default: z3; auto lets both work from both ends on two cores, and on one core it is cadical",
    )
    parser.add_argument("--timeout", type=seconds, metavar="S", help="give up after so many seconds")
    parser.add_argument(
        "--memory",
        type=at_least(1, Limits.LARGEST),
        metavar="MB",
        help="give up beyond so many megabytes; two solvers have as many each",
    )
    parser.add_argument(
        "--recheck",
        type=Path,
        metavar="FILE",
        help="check a certificate again, each obligation by the solver that did not answer it; property and "
        "parameters are those of the certificate",
    )
    add_format(parser, "text", "json")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write a certificate of the proof to a file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Check the obligations, and report them with a counterexample to induction if one fails."""
    return _prove(args) if args.recheck is None else _recheck(args)


def _prove(args: argparse.Namespace) -> Exit:
    if args.protocol is None or args.property is None:
        raise UserError("say what to prove: leadline prove PROTOCOL --property NAME (or --recheck FILE)")
    if args.out is not None and args.obligations:
        raise UserError("--out: some obligations alone prove nothing; leave --obligation out")
    check_writable(args.out)
    entry, _, model = chosen_model(args)
    findings = Findings(model, args.property, entry.source)
    with live(f"proving {args.property} of {model.protocol}") as show:
        told = _Told(show, len(args.obligations or obligations(model, args.property)))
        try:
            findings.results = answer_obligations(
                model,
                args.property,
                args.solver or SOLVERS[0],
                Limits(args.timeout, args.memory),
                source=entry.source,
                names=args.obligations,
                told=told,
            )
        except KeyboardInterrupt:
            findings.results = told.results
            interrupted = True
        else:
            interrupted = False
    _deliver(args, findings)
    if interrupted:
        tell(f"interrupted; {findings.extent()} so far")
        raise KeyboardInterrupt
    _write(args.out, findings)
    return Exit.HOLDS if findings.verdict is Verdict.PROVED else Exit.UNKNOWN


class _Told:
    """Counts the answers for the progress line, and keeps them for an interruption."""

    def __init__(self, show: Any, total: int) -> None:
        self.show = show
        self.total = total
        self.results: list[ObligationResult] = []

    def __call__(self, result: ObligationResult) -> None:
        self.results.append(result)
        self.show(f"{len(self.results)} of {self.total} obligations")


def _write(out: Path | None, findings: Findings) -> None:
    if out is None:
        return
    if findings.verdict is not Verdict.PROVED:
        tell(f"no certificate is written: {findings.goal} is not proved")
        return
    made = certificate(findings.model, findings.goal, findings.results, source=findings.source)
    write_out(out, as_json(made))
    tell(f"wrote {out}")


def _recheck(args: argparse.Namespace) -> Exit:
    for option, given in (
        ("-p", args.settings),
        ("--property", args.property),
        ("--obligation", args.obligations),
        ("--solver", args.solver),
        ("--out", args.out),
    ):
        if given:
            raise UserError(f"{option} does not go with --recheck: the certificate says what is checked")
    found = read_certificate(args.recheck)
    entry = _entry(args, found)
    model = model_of(entry, found.settings)
    found.shares(model)  # What is wrong with the certificate is told before the work begins.
    findings = Findings(model, found.property, entry.source)
    with live(f"checking {args.recheck} again") as show:
        told = _Told(show, len(found.obligations))
        limits = Limits(args.timeout, args.memory)
        findings.results = recheck(model, found, limits, source=entry.source, told=told)
    _deliver(args, findings)
    stands = findings.verdict is Verdict.PROVED
    how = "stands" if stands else "does not stand"
    tell(f"{args.recheck} {how}: {findings.extent()} by the other solver")
    return Exit.HOLDS if stands else Exit.UNKNOWN


def _entry(args: argparse.Namespace, found: Certificate) -> Entry:
    """The protocol of a certificate, whose word is not enough to load a Python file: that runs it."""
    if args.protocol is None and split_path(found.source) is not None:
        command = shlex.join(["leadline", "prove", found.source, "--recheck", str(args.recheck)])
        raise UserError(
            f"{found.place} is a proof about {found.protocol} in {found.source}, a file that would run: "
            f"if you trust it, {command}"
        )
    entry = find(args.protocol or found.protocol)
    if entry.name != found.protocol:
        raise UserError(f"{found.place} is a proof about {found.protocol}, not about {entry.name}")
    return entry


def _deliver(args: argparse.Namespace, findings: Findings) -> None:
    written = as_json(findings.as_json()) if args.format == "json" else None
    deliver(findings.report(), written, None)
