"""`leadline check --proof`: a proof for what was found safe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.files import check_writable, is_special
from leadline.symbolic.cli.output import tell
from leadline.symbolic.cli.progress import live
from leadline.symbolic.cli.verdicts import counted
from leadline.symbolic.engines import Limits, Query, Result, Verdict, answer_proof, formula_of
from leadline.symbolic.lang import Model, UserError


def check_proof_writable(path: Path | None) -> None:
    """Look at --proof before the work begins, not after.

    Raises:
        UserError: if nothing can be written there.
    """
    if path is not None:
        _check_file(path)
        _check_file(formula_of(path))


def _check_file(path: Path) -> None:
    check_writable(path, "--proof")
    if is_special(path):
        raise UserError(f"--proof {path}: this is a device or a pipe; a proof needs a file")


def write_proof(path: Path, model: Model, query: Query, results: Sequence[Result], limits: Limits) -> Exit:
    """Write a proof that what was found safe is, and tell of it.

    Returns:
        HOLDS if there is one or nothing to prove, UNKNOWN if it was not finished within the limits.

    Raises:
        UserError: if it cannot be written.
        InternalError: if a verdict was wrong.
    """
    safe = [result.property for result in results if result.verdict is Verdict.SAFE]
    if not safe:
        tell("no property is safe: there is nothing to prove")
        return Exit.HOLDS
    with live("refuting a failure with proof"):
        made = answer_proof(model, query, safe, limits, path)
    if isinstance(made, str):
        tell(f"no proof: {made}")
        return Exit.UNKNOWN
    layers = counted(query.depth, query.unroll.removesuffix("s"))
    tell(
        f"wrote {formula_of(path)}: that within {layers} a step goes out of bounds or one of these fails: "
        f"{', '.join(safe)} ({made['variables']} variables, {made['clauses']} clauses)"
    )
    seconds = made["build"] + made["solve"]
    tell(f"wrote {path}: its refutation by CaDiCaL (DRUP, {made['proof_bytes']} bytes, {seconds:.1f} s)")
    return Exit.HOLDS
