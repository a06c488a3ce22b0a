"""A proof of a bounded verdict, made in a child process with limits."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from leadline.symbolic.engines.limited import deadline_of
from leadline.symbolic.engines.process import QueryProcess, listen
from leadline.symbolic.engines.query import Limits, Query
from leadline.symbolic.lang import Model, UserError


def formula_of(proof: Path) -> Path:
    """Where the formula is that a proof refutes: beside it, with `.cnf` added to its name."""
    return proof.with_name(f"{proof.name}.cnf")


def answer_proof(
    model: Model, query: Query, names: Sequence[str], limits: Limits, proof: Path
) -> dict[str, Any] | str:
    """Write a proof that no property fails within the query's depth, and the formula that it refutes.

    Args:
        model: the model that was searched.
        query: the query that was answered; its properties and solver are not looked at.
        names: the properties that were found safe, the deadlock's name among them if it was.
        limits: wall clock and address space for the proof alone.
        proof: the file for the proof (DRUP as text); the formula's is `formula_of` it. Both appear once they
            are complete.

    Returns:
        What `Refutation` tells, by name; or why there is no proof (time, memory, crash).

    Raises:
        UserError: if the files cannot be written.
        InternalError: if the formula can be satisfied: then the verdict was wrong.
    """
    with _parts(proof, formula_of(proof)) as (proof_part, formula_part):
        job = {"names": list(names), "proof": str(proof_part), "formula": str(formula_part)}
        with QueryProcess(model, query.alone(), limits, refute=job) as process:
            for _, message in listen([process], deadline_of(limits)):
                if message.kind == "refuted":
                    _publish({formula_part: formula_of(proof), proof_part: proof})
                    refutation: dict[str, Any] = message.body
                    return refutation
            process.end()
            return process.reason()


@contextmanager
def _parts(*paths: Path) -> Iterator[list[Path]]:
    """A file beside each path, to be written first; what is left of them in the end goes."""
    parts = [path.resolve().with_name(f".{path.name}.{os.getpid()}.part") for path in paths]
    try:
        yield parts
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def _publish(names: dict[Path, Path]) -> None:
    for part, path in names.items():
        try:
            part.replace(path.resolve())
        except OSError as error:
            raise UserError(f"--proof {path}: {error.strerror}") from error
