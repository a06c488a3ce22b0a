"""A bounded verdict as one formula, refuted with a proof: what a child process does for `--proof`.

The formula says: within so many layers some property is violated or its evaluation goes out of bounds, or
the initial state or a step does. It is made from scratch and not incremental, so a proof of its
unsatisfiability stands alone: it needs neither the search nor its solver to be believed. That the formula
means what its comments say is still Leadline's word, and so is the rule of first use that sweeps obey.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding
from leadline.symbolic.engines.bmc import SWEEPS, BmcOptions, chosen_unrolling
from leadline.symbolic.engines.deadlock import deadlock_property
from leadline.symbolic.lang import InternalError
from leadline.symbolic.lang.model import Model, Property
from leadline.symbolic.solve import TRUE, Formula, refute
from leadline.symbolic.trace import DEADLOCK


@dataclass(frozen=True)
class Refutation:
    """A formula that was refuted, and its proof.

    Attributes:
        variables: the formula's.
        clauses: the formula's.
        proof_bytes: the size of the proof.
        build: seconds for the formula.
        solve: seconds for the refutation.
    """

    variables: int
    clauses: int
    proof_bytes: int
    build: float
    solve: float


def write_refutation(
    model: Model, names: Sequence[str], options: BmcOptions, proof: Path, formula: Path
) -> Refutation:
    """Refute that a property fails within `options.depth` layers, and write formula and proof.

    Args:
        model: the model.
        names: the properties that a search found safe; the deadlock's name is one of them if it is meant.
        options: how far, and how; its `deadlock` and `shortest` mean nothing here.
        proof: the file for the proof (DRUP as text).
        formula: the file for the formula (DIMACS).

    Raises:
        InternalError: if the formula can be satisfied: then the search was wrong.
    """
    begin = time.perf_counter()
    made = failure(model, names, options)
    with formula.open("w", encoding="utf-8") as file:
        made.write(file, _comments(model, names, options))
    built = time.perf_counter()
    if not refute(made.clauses, proof):
        raise InternalError(
            f"{', '.join(names)} of {model.protocol}: safe within {options.depth} {options.unroll} by the "
            "search, and yet the formula of a failure can be satisfied"
        )
    done = time.perf_counter()
    size = proof.stat().st_size
    return Refutation(made.variables, len(made.clauses), size, built - begin, done - built)


def failure(model: Model, names: Sequence[str], options: BmcOptions) -> Formula:
    """The formula that a property fails, or a step goes out of bounds, within `options.depth` layers.

    A run may end at any layer, and need not be one that could go on: layers beyond its end are under a guard
    that is false there.
    """
    targets = [_target(model, name) for name in names]
    formula, encoding = Formula(), Encoding(model)
    predicates = encoding.predicates(targets)
    unrolling = chosen_unrolling(Semantics(model), targets, options)(encoding, formula)
    ends = [unrolling.initial_out_of_bounds]
    alive = formula.new_variables(1)
    with formula.under(alive):
        unrolling.assert_initial()
    # Without actions there is no layer at all: their choice in it could not be made.
    last = options.depth if model.actions else 0
    for depth in range(last + 1):
        here = unrolling.predicates(predicates, depth)
        bad = list(map(here, predicates.violated))
        bad += [
            here(x) for one, x in zip(targets, predicates.out_of_bounds, strict=True) if one.name != DEADLOCK
        ]
        bad += unrolling.out_of_bounds(depth) if depth < last else []
        ends.append(formula.new_variables(1))
        formula.add([(-ends[-1], alive), (-ends[-1], *dict.fromkeys(x for x in bad if x != -TRUE))])
        if depth < last:
            further = formula.new_variables(1)
            formula.add([(-further, alive)])
            alive = further
            with formula.under(alive):
                unrolling.extend()
    formula.add([tuple(ends)])
    return formula


def _target(model: Model, name: str) -> Property:
    return deadlock_property(model) if name == DEADLOCK else model.properties[name]


def _comments(model: Model, names: Sequence[str], options: BmcOptions) -> list[str]:
    parameters = ", ".join(f"{name} = {value}" for name, value in model.parameters.items())
    comments = [
        f"leadline: {model.protocol} ({parameters})",
        f"within {options.depth} {options.unroll} one of these fails, or a step goes out of bounds:",
        *names,
        f"fingerprint of the model: {model.fingerprint}",
    ]
    if options.unroll == SWEEPS and options.symmetry:
        comments.append("up to a renaming of interchangeable members of sorts (--no-symmetry does without)")
    return comments
