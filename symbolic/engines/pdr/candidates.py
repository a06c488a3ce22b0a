"""Candidate lemmas: of several formulas those that are inductive together.

C. Flanagan, K. Leino: Houdini, an Annotation Assistant for ESC/Java, FME 2001.
"""

from __future__ import annotations

from collections.abc import Sequence

from leadline.symbolic.encode import Encoding, Instance, Unrolled
from leadline.symbolic.lang import Model, Property
from leadline.symbolic.solve import PROVER, Satisfiability, Solver


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

    def broken(row: Sequence[int], circuit: Unrolled) -> list[int]:
        here = Instance(predicates.template, row, circuit)
        pairs = zip(predicates.violated, predicates.out_of_bounds, strict=True)
        return [circuit.disj((here(false), here(outside))) for false, outside in pairs]

    begin = Unrolled(PROVER())
    initial = Instance(encoding.initial.template, (), begin)
    at_first = broken(initial.all(encoding.initial.state), begin)
    kept = _unbroken(begin, [initial(encoding.initial.possible)], at_first, [])

    circuit = Unrolled(PROVER())
    size = len(encoding.input_row)
    first = circuit.sink.new_variables(size)
    row = range(first, first + size)
    Instance(encoding.validity, row, circuit)
    step = Instance(encoding.step.template, row, circuit)
    after = broken(step.all(encoding.step.state), circuit)
    before = broken(row, circuit)
    unbroken = _unbroken(circuit, [step(encoding.step.taken)], after, before, kept)
    return tuple(candidates[place] for place in unbroken)


def _unbroken(
    circuit: Unrolled,
    assumed: Sequence[int],
    broken: Sequence[int],
    before: Sequence[int],
    kept: Sequence[int] | None = None,
) -> list[int]:
    """The places of formulas that are not broken while those kept were not broken before."""
    solver = circuit.sink
    assert isinstance(solver, Solver)
    kept = list(range(len(broken)) if kept is None else kept)
    while kept:
        some = circuit.disj([broken[place] for place in kept])
        held = [-before[place] for place in kept] if before else []
        if (
            -1 in (some, *held, *assumed)
            or solver.check([*assumed, *held, some]) is not Satisfiability.SATISFIABLE
        ):
            break
        kept = [place for place in kept if not solver.true(broken[place])]
    return kept
