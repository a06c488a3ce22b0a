"""k-induction: a property that holds for k steps, and after any k steps along which it held, always holds.

M. Sheeran, S. Singh, G. Stålmarck: Checking Safety Properties Using Induction and a SAT-Solver, FMCAD 2000.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, Instance, StatePredicates, StepsUnrolling, Unrolled
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.engines.ask.query import Options, option
from leadline.symbolic.engines.ask.result import Result, Verdict
from leadline.symbolic.engines.bounded.search import Clock, Search
from leadline.symbolic.lang import Model, Property
from leadline.symbolic.solve import Satisfiability, Solver


@dataclass(frozen=True)
class KInductionOptions(Options):
    """The options of k-induction.

    Attributes:
        depth: the most steps to look ahead, 0 or more.
        simple: whether only runs count that visit no state twice. Some properties are proved only so; it
            takes a clause for each pair of states.
    """

    engine = "k-induction"

    depth: int = option(
        10, metavar="K", most=100_000, doc="steps to look ahead at most (k-induction; default: 10)"
    )
    simple: bool = option(
        True, negated="any-path", doc="also consider runs that visit a state twice (k-induction)"
    )


def k_induction(
    model: Model, target: Property, options: KInductionOptions, new_solver: Callable[[], Solver]
) -> Result:
    """Prove a property by k-induction with k = 1, 2, ... or find a shortest counterexample.

    A proof says besides that nothing goes out of bounds. If something does, only counterexamples are looked
    for from then on. Without an answer the property is safe within `options.depth` steps.

    Args:
        model: the model.
        target: the property.
        options: how far to go.
        new_solver: makes a fresh solver; two are needed.

    Raises:
        ModelError: if the model has no initial state.
        InternalError: if a counterexample does not replay.
    """
    clock = Clock()
    search = Search(Semantics(model), [target], new_solver(), clock, StepsUnrolling)
    search.start()
    step = _Step(search.encoding, search.predicates, new_solver(), simple=options.simple)
    proved = False
    for depth in range(options.depth + 1):
        search.look(depth, last=False)
        if not search.open or search.unknown is not None:
            break
        outside = search.out_of_bounds is not None or bool(search.own_out_of_bounds)
        if not outside and step.holds():
            proved = True
            break
        if depth < options.depth:
            search.advance()
    result = search.result(target.name, "k-induction", "steps")
    return replace(result, verdict=Verdict.PROVED) if proved else result


class _Step:
    """The induction step: a row of states, any at first, of which only the last may be bad."""

    def __init__(
        self, encoding: Encoding, predicates: StatePredicates, solver: Solver, *, simple: bool
    ) -> None:
        self._encoding, self._predicates, self._simple = encoding, predicates, simple
        self._solver = solver
        self._circuit = Unrolled(solver)
        size = len(encoding.input_row)
        first = solver.new_variables(size)
        self._rows: list[Sequence[int]] = [range(first, first + size)]
        Instance(encoding.validity, self._rows[0], self._circuit)

    def holds(self) -> bool:
        """Whether, after one more step than when it was last asked, the last state cannot be bad."""
        here = Instance(self._predicates.template, self._rows[-1], self._circuit)
        broken = (here(self._predicates.violated[0]), here(self._predicates.out_of_bounds[0]))
        self._circuit.require([[-x] for x in broken])
        relation = self._encoding.step
        step = Instance(relation.template, self._rows[-1], self._circuit)
        self._circuit.require([[step(relation.taken)]])
        self._rows.append(self._solver.named(step.all(relation.state)))
        Instance(self._encoding.validity, self._rows[-1], self._circuit)
        if self._simple:
            self._be_new()
        there = Instance(self._predicates.template, self._rows[-1], self._circuit)
        after = Instance(relation.template, self._rows[-1], self._circuit)
        bad = self._circuit.disj(
            [
                there(self._predicates.violated[0]),
                there(self._predicates.out_of_bounds[0]),
                after(relation.out_of_bounds),
            ]
        )
        return bad == -TRUE or self._solver.check([bad]) is Satisfiability.UNSATISFIABLE

    def _be_new(self) -> None:
        """The last state is none of the earlier ones."""
        *earlier, last = self._rows
        for row in earlier:
            differences = [self._circuit.xor(x, y) for x, y in zip(row, last, strict=True)]
            self._circuit.require([differences])
