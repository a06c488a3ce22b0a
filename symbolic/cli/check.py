"""`leadline check`: bounded model checking of one protocol at given parameters."""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.symbolic.api.progress import live
from leadline.symbolic.cli import ask
from leadline.symbolic.cli.inputs import at_least
from leadline.symbolic.cli.output import check_writable, is_special, worst
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.engines import Limits, Verdict, answer_in_child, engines_of
from leadline.symbolic.lang import NoBehaviour, UserError
from leadline.symbolic.solve import PROVER


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    ask.declare(parser, "check")
    parser.add_argument(
        "--proof",
        type=Path,
        metavar="FILE",
        help=f"write a proof by {PROVER.title} that the properties found safe are safe: FILE.cnf is the "
        "formula that one of them fails or a step goes out of bounds (DIMACS), FILE its refutation (DRUP); "
        "--timeout and --memory limit the proof apart from the search",
    )
    parser.add_argument(
        "--all",
        metavar="N",
        type=at_least(1),
        help="tell up to N counterexamples to invariants, each to another violation: another value of --view, or "
        "without it another state up to the names of members",
    )
    parser.add_argument(
        "--view",
        metavar="EXPRESSION",
        help="with --all: the expression by which violations differ, as in `cover --goal`",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Check, and write a proof if one is asked for."""
    if args.all is not None:
        # Here, since few checks ask for several counterexamples.
        from leadline.symbolic.cli.cover import violations

        return violations(args)
    if args.view is not None:
        raise UserError("--view tells counterexamples of --all N apart: add --all")
    if args.proof is not None:
        # Here, since few checks write a proof.
        from leadline.symbolic.engines.bounded.refutation import formula_of

        _check_writable(args.proof)
        _check_writable(formula_of(args.proof))
        # A refutation is of a bounded check, by whichever solver.
        args.engine = args.engine or next(x.name for x in engines_of("check").values() if x.takes_solver)
    try:
        asked = ask.put(args)
    except NoBehaviour as found:
        return ask.assumed(found, args)
    asked.deliver(args.format, args.out)
    if args.proof is None:
        return asked.exit()
    return worst([asked.exit(), _write_proof(args.proof, asked, Limits(args.timeout, args.memory))])


def _check_writable(path: Path) -> None:
    check_writable(path, "--proof")
    if is_special(path):
        raise UserError(f"--proof {path}: this is a device or a pipe; a proof needs a file")


def _write_proof(path: Path, asked: ask.Question, limits: Limits) -> Exit:
    """Write a proof of the properties that were found safe.

    Returns:
        HOLDS if it is written or there is nothing to prove, UNKNOWN if it was not finished within the limits.

    Raises:
        UserError: if it cannot be written.
        InternalError: if a verdict was wrong.
    """
    from leadline.symbolic.engines.bounded.refutation import answer_proof, formula_of

    runs = {one.name for one in asked.model.properties.values() if one.temporal is not None}
    safe = [result.property for result in asked.answer.results if result.verdict is Verdict.SAFE]
    if not safe:
        tell("no property is safe: there is nothing to prove")
    if about_runs := [name for name in safe if name in runs]:
        tell(
            f"no proof of {', '.join(about_runs)}: a proof is about states, and a claim about runs gets none"
        )
        safe = [name for name in safe if name not in runs]
    if not safe:
        return Exit.HOLDS
    with live("refuting a failure with proof"):
        made = answer_proof(asked.query, safe, path, lambda one: answer_in_child(asked.model, one, limits))
    if isinstance(made, str):
        tell(f"no proof: {made}")
        return Exit.UNKNOWN
    tell(
        f"wrote {formula_of(path)}: that within {made.within} a step goes out of bounds or one of these "
        f"fails: {', '.join(safe)} ({made.variables} variables, {made.clauses} clauses)"
    )
    seconds = made.build + made.solve
    tell(f"wrote {path}: its refutation by {PROVER.title} (DRUP, {made.proof_bytes} bytes, {seconds:.1f} s)")
    return Exit.HOLDS
