"""Candidate lemmas: of several formulas those that are inductive together.

C. Flanagan, K. Leino: Houdini, an Annotation Assistant for ESC/Java, FME 2001.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.symbolic.encode import Encoding, Instance, StatePredicates, Unrolled
from leadline.symbolic.lang import Action, Model, Property
from leadline.symbolic.solve import PROVER, TRUE, Satisfiability, Solver


def inductive_part(model: Model, candidates: Sequence[Property]) -> tuple[Property, ...]:
    """The largest part of some formulas that is inductive.

    Every initial state satisfies them, and so does the state after a step from a state that does. A state
    satisfies a formula if its evaluation is within bounds and true.

    Args:
        model: the model.
        candidates: the formulas.
    """
    if not candidates:
        return ()
    encoding = Encoding(model)
    predicates = encoding.predicates(candidates)
    kept = _true_at_first(encoding, predicates)
    waiting = list(model.actions)
    while kept and waiting:
        fewer = _true_after(waiting[0], encoding, predicates, kept)
        waiting = waiting[1:] if fewer == kept else list(model.actions)
        kept = fewer
    return tuple(candidates[place] for place in kept)


def _true_at_first(encoding: Encoding, predicates: StatePredicates) -> list[int]:
    """The places of the formulas that every initial state satisfies."""
    circuit = Unrolled(PROVER())
    initial = Instance(encoding.initial.template, (), circuit)
    broken = _broken(predicates, initial.all(encoding.initial.state), circuit)
    kept = list(range(len(broken)))
    for place in range(len(broken)):
        if place in kept:
            kept = _unbroken(circuit, [initial(encoding.initial.possible), broken[place]], broken, kept)
    return kept


def _true_after(
    action: Action, encoding: Encoding, predicates: StatePredicates, kept: list[int]
) -> list[int]:
    """Some formulas, by their places, without such as an action breaks from a state that satisfies all.

    The action is encoded by itself, so that a formula over what it does not change folds to the one before.
    """
    step = Encoding(replace(encoding.model, actions=(action,))).step
    circuit = Unrolled(PROVER())
    size = len(encoding.input_row)
    first = circuit.sink.new_variables(size)
    row = range(first, first + size)
    Instance(encoding.validity, row, circuit)
    before = _broken(predicates, row, circuit)
    # As clauses, not as assumptions: what follows from them is simplified once for all questions.
    circuit.require([[-before[place]] for place in kept])
    taken = Instance(step.template, row, circuit)
    after = _broken(predicates, taken.all(step.state), circuit)
    fewer = kept
    for place in kept:
        if place in fewer and after[place] != before[place]:
            fewer = _unbroken(circuit, [taken(step.taken), after[place]], after, fewer)
    return fewer


def _broken(predicates: StatePredicates, row: Sequence[int], circuit: Unrolled) -> list[int]:
    """For each formula the literal that the state of a row does not satisfy it."""
    here = Instance(predicates.template, row, circuit)
    pairs = zip(predicates.violated, predicates.out_of_bounds, strict=True)
    return [circuit.disj((here(false), here(outside))) for false, outside in pairs]


def _unbroken(circuit: Unrolled, question: list[int], broken: list[int], kept: list[int]) -> list[int]:
    """Those kept, without the ones that are broken in a model in which the question is true, if there is one."""
    solver = circuit.sink
    assert isinstance(solver, Solver)
    if -TRUE in question or solver.check(question) is not Satisfiability.SATISFIABLE:
        return kept
    return [place for place in kept if not solver.true(broken[place])]
