"""A bounded verdict as one formula, refuted with a proof that others can check.

The formula says: within so many layers some property is violated or its evaluation goes out of bounds, or
the initial state or a step does. It is made from scratch and not incremental, so a proof of its
unsatisfiability stands alone: it needs neither the search nor its solver to be believed. That the formula
means what its comments say rests on Leadline, and so does the rule of first use that sweeps obey.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding
from leadline.symbolic.engines.ask.engine import Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Query, option
from leadline.symbolic.engines.ask.result import Answer, Effort, EngineFacts, Result, Verdict
from leadline.symbolic.engines.bounded.bmc import SWEEPS, BmcOptions, chosen_unrolling
from leadline.symbolic.engines.bounded.search import claim_named
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.lang import InternalError, Model, UserError, counted
from leadline.symbolic.solve import TRUE, Formula, refute
from leadline.symbolic.trace import DEADLOCK


@dataclass(frozen=True)
class RefutationOptions(BmcOptions):
    """The options of a refutation: those of the bounded check that found no counterexample, and the files.

    Attributes:
        proof: the path of the file for the proof (DRUP as text).
        formula: the path of the file for the formula (DIMACS).
    """

    engine = "refutation"

    proof: str = option("")
    formula: str = option("")


@dataclass(frozen=True)
class Refuted(EngineFacts):
    """A formula that was refuted, and its proof.

    Attributes:
        within: the layers that it speaks of, for a person.
        variables: the number of the formula's variables.
        clauses: the number of its clauses.
        proof_bytes: the size of the proof.
        build: seconds for the formula.
        solve: seconds for the refutation.
    """

    within: str
    variables: int
    clauses: int
    proof_bytes: int
    build: float
    solve: float


class Refutation(Engine):
    """A refutation of the formula that one of the properties fails, with a proof."""

    options = RefutationOptions
    facts = Refuted

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options_as(RefutationOptions)
        names = query.names(model)
        try:
            made = write_refutation(model, names, options, Path(options.proof), Path(options.formula))
        except OSError as error:
            raise UserError(f"the proof cannot be written: {error.strerror}") from error
        effort = Effort(made.build, made.solve, made.build + made.solve)
        results = [Result(name, self.name, Verdict.SAFE, effort, depth=options.depth) for name in names]
        return Answer(results, made)


def write_refutation(
    model: Model, names: Sequence[str], options: BmcOptions, proof: Path, formula: Path
) -> Refuted:
    """Refute that a property fails within `options.depth` layers, and write formula and proof.

    Args:
        model: the model.
        names: the properties that a search found safe, perhaps with the deadlock's name.
        options: those of the search; `shortest` is ignored.
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
    within = counted(options.depth, options.unroll.removesuffix("s"))
    return Refuted(within, made.variables, len(made.clauses), size, built - begin, done - built)


def failure(model: Model, names: Sequence[str], options: BmcOptions) -> Formula:
    """The formula that a property fails, or a step goes out of bounds, within `options.depth` layers.

    A run may end at any layer, also where no action is enabled: the layers beyond its end have a guard, which
    is then false.
    """
    targets = [claim_named(model, name) for name in names]
    formula, encoding = Formula(), Encoding(model)
    predicates = encoding.predicates(targets)
    unrolling = chosen_unrolling(Semantics(model), targets, options)(encoding, formula)
    ends = [unrolling.initial_out_of_bounds]
    alive = formula.new_variables(1)
    with formula.under(alive):
        unrolling.assert_initial()
    # Without actions there are no layers: a layer is a choice of one.
    last = options.depth if model.actions else 0
    for depth in range(last + 1):
        here = unrolling.predicates(predicates, depth)
        pairs = list(zip(names, predicates.claims, strict=True))
        bad = [here(one.violated) for _, one in pairs]
        bad += [here(one.outside) for name, one in pairs if name != DEADLOCK]
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


def formula_of(proof: Path) -> Path:
    """The path of the formula that a proof refutes: beside it, with `.cnf` added to its name."""
    return proof.with_name(f"{proof.name}.cnf")


def answer_proof(
    query: Query, names: Sequence[str], proof: Path, ask: Callable[[Query], Answer]
) -> Refuted | str:
    """Write a proof that no property fails within the query's depth, and the formula that it refutes.

    Args:
        query: the bounded query that was answered; its properties and solver are ignored.
        names: the properties that were found safe, the deadlock's name among them if it was.
        proof: the file for the proof (DRUP as text); the formula's is `formula_of` it. Both appear once they
            are complete.
        ask: answers a query, in a process with the limits of the proof.

    Returns:
        The refutation; or why there is no proof (time, memory, crash).

    Raises:
        UserError: if the files cannot be written.
        InternalError: if the formula can be satisfied: then the verdict was wrong.
    """
    with _parts(proof, formula_of(proof)) as (proof_part, formula_part):
        bounded = asdict(query.options_as(BmcOptions))
        options = RefutationOptions(**bounded, proof=str(proof_part), formula=str(formula_part))
        asked = replace(
            query,
            properties=tuple(name for name in names if name != DEADLOCK),
            deadlock=DEADLOCK in names,
            options=options,
        )
        made = ask(asked)
        if not isinstance(made.facts, Refuted):
            return made.results[0].reason or "no reason is known"
        for part, path in ((formula_part, formula_of(proof)), (proof_part, proof)):
            try:
                part.replace(path.resolve())
            except OSError as error:
                raise UserError(f"--proof {path}: {error.strerror}") from error
        return made.facts


@contextmanager
def _parts(*paths: Path) -> Iterator[list[Path]]:
    """A temporary file beside each path; those that still exist at the end are removed."""
    parts = [path.resolve().with_name(f".{path.name}.{os.getpid()}.part") for path in paths]
    try:
        yield parts
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
