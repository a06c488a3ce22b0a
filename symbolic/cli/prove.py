"""`leadline prove`: prove one property for all depths, and write or recheck its certificate."""

from __future__ import annotations

import argparse
import shlex
import time
from pathlib import Path

from leadline.symbolic.api.results import certificate_of
from leadline.symbolic.catalog import model_of
from leadline.symbolic.cli import ask, inputs
from leadline.symbolic.cli.output import add_format, as_json, check_writable, keep
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.engines import Limits, Verdict
from leadline.symbolic.engines.prove.certificates import InductionCertificate, read_certificate, recheck
from leadline.symbolic.engines.prove.invariants import understood
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.engines.prove.pdr.strengthenings import importable, strengthenings_file
from leadline.symbolic.engines.run.limits import timely
from leadline.symbolic.lang import Model, UserError, setting_text
from leadline.symbolic.solve import SOLVERS

WRITE = "--write-strengthenings"


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    inputs.add_protocol(parser, optional=True)
    parser.add_argument(
        "--property", metavar="NAME", action=inputs.Once, help="the property to prove (default: the only one)"
    )
    ask.add_question(parser, "prove")
    _add_recheck(parser)
    add_format(parser, "text", "json", "markdown")
    ask.add_traces(parser)
    inputs.add_file(parser, "--out", "FILE", "write a certificate of the proof to FILE")
    about = "write the invariant that pdr finds to FILE.py, as strengthenings"
    inputs.add_file(parser, WRITE, "FILE.py", about)
    parser.set_defaults(run=run)


def _add_recheck(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--recheck",
        type=inputs.store_place,
        metavar="FILE",
        help="recheck a certificate: each obligation by the solver that did not answer it, with the property "
        "and the parameters of the certificate",
    )
    parser.add_argument(
        "--protocol",
        dest="file",
        metavar="FILE.py",
        help="with --recheck: the file of a protocol that is neither built in nor installed",
    )


def run(args: argparse.Namespace) -> Exit:
    """Prove a property or recheck a certificate, and report a counterexample if an obligation fails."""
    if args.file is not None and (args.recheck is None or args.protocol is not None):
        raise UserError("--protocol goes with --recheck, in place of PROTOCOL")
    return _prove(args) if args.recheck is None else _recheck(args)


def _prove(args: argparse.Namespace) -> Exit:
    if args.protocol is None:
        raise UserError("nothing to prove: write leadline prove PROTOCOL --property NAME (or --recheck FILE)")
    if args.out is not None and args.obligations:
        raise UserError("--out: some obligations alone prove nothing; leave --obligation out")
    begin = time.monotonic()
    check_writable(args, "out", "write_strengthenings")
    if args.write_strengthenings is not None:
        _check_strengthenings(args)
    # The configuration of a module need not name the property.
    args.properties = [] if args.property is None else [args.property]
    entry, settings, model = inputs.chosen_model(args)
    if args.property is None:
        args.property = _only_property(model)
    (target,) = model.choose_properties((args.property,))
    if args.write_strengthenings is not None:
        importable(entry.protocol.__module__, args.write_strengthenings)
        if target.temporal is not None:
            raise UserError(
                f"{target.name} is a claim about runs, and here only claims about states can be used"
            )
    query, why = ask.query_of(args, "prove", entry, settings, model, (args.property,))
    if why:
        tell(f"by {query.engine}: {why}")
    asked = ask.Question(entry, model, query)
    asked.every_trace, asked.form = ask.every_trace(args), args.format
    asked.ask(f"proving {args.property} of {model.protocol}", Limits(args.timeout, args.memory).since(begin))
    asked.deliver()
    _write(args.out, asked)
    _write_strengthenings(args.write_strengthenings, asked)
    return asked.exit()


def _only_property(model: Model) -> str:
    """The name of a model's property, if it has only one."""
    if len(model.claimed) != 1:
        names = ", ".join(model.claimed) or "it has none"
        raise UserError(f"nothing to prove: name a property of {model.protocol} with --property: {names}")
    return model.claimed[0]


def _check_strengthenings(args: argparse.Namespace) -> None:
    """The engine that writes strengthenings is pdr, and they go into a Python file, beside a protocol in one."""
    if args.protocol.endswith(".tla"):
        raise UserError(
            f"{WRITE} is for protocols in Python, and {args.protocol} is none: --show-invariant prints it"
        )
    if args.engine not in (None, PdrOptions.engine):
        raise UserError(f"{WRITE} means nothing to the engine {args.engine}: leave one of them out")
    if args.write_strengthenings.suffix != ".py":
        raise UserError(f"{WRITE} {args.write_strengthenings}: give a file that ends in .py")
    args.engine = PdrOptions.engine


def _write_strengthenings(path: Path | None, asked: ask.Question) -> None:
    if path is None:
        return
    (found,) = asked.verdicts
    if found.verdict is not Verdict.PROVED or found.certificate is None:
        tell(f"no strengthenings are written: {found.property} is not proved")
        return
    made, model = found.certificate, asked.model
    invariant = understood(model, made["strengthenings"], made["clauses"])
    if not keep(path, strengthenings_file(asked.entry, model, found.property, invariant, path), WRITE):
        return
    settings = [f"-p{name}={setting_text(value)}" for name, value in asked.query.settings.items()]
    proof = ["leadline", "prove", str(path), *settings, "--property", found.property, "--engine", "induction"]
    tell(f"wrote {path}; {shlex.join(proof)} proves the same")


def _write(out: Path | None, asked: ask.Question) -> None:
    if out is None:
        return
    (found,) = asked.verdicts
    if found.verdict is not Verdict.PROVED:
        tell(f"no certificate is written: {found.property} is not proved")
        return
    made = certificate_of(asked, found)
    if made is None:
        tell(f"no certificate is written: the engine {asked.engine.name} has none")
        return
    if keep(out, as_json(made)):
        tell(f"wrote {out}")


def _recheck(args: argparse.Namespace) -> Exit:
    for option, given in (
        ("-p", args.settings),
        ("--property", args.property),
        ("--obligation", args.obligations),
        ("--out", args.out),
        (WRITE, args.write_strengthenings),
    ):
        if given:
            raise UserError(f"{option} does not go with --recheck: the certificate tells it")
    begin = time.monotonic()
    found = read_certificate(args.recheck)
    if args.solver is not None and isinstance(found, InductionCertificate):
        raise UserError(
            "--solver does not go with --recheck of a proof by induction: each obligation is answered by the "
            "solver that did not answer it; leave it out"
        )
    command = ("leadline", "prove", "--recheck", str(args.recheck))
    args.protocol = args.protocol or args.file
    with timely(args.protocol, Limits(args.timeout)):
        entry = inputs.entry_of_data(args, found, "is a proof about", command)
        model = model_of(entry, found.settings, found.learned)
    found.queries(model, entry.source)  # Report errors in the certificate before the work begins.
    asked = ask.Question(entry, model, found.whole(entry.source))
    asked.form = args.format
    limits = Limits(args.timeout, args.memory).since(begin)
    asked.ask(
        f"checking {args.recheck} again",
        limits,
        lambda _, listener: recheck(
            model, found, limits, source=entry.source, solver=args.solver, listener=listener
        ),
    )
    asked.deliver()
    stands = asked.exit() is Exit.HOLDS
    how = "stands" if stands else "does not stand"
    held = asked.wording.extent(asked.model, asked.query, asked.answer)
    solver = SOLVERS[args.solver].title if args.solver in SOLVERS else "the other solver"
    tell(f"{args.recheck} {how}: {held} by {solver}")
    return Exit.HOLDS if stands else Exit.UNKNOWN
