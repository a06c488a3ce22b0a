"""A loop selected in an unrolling: the last state is an earlier one, all conditions met in between.

A. Biere, K. Heljanko, T. Junttila, T. Latvala, V. Schuppan: Linear encodings of bounded LTL model checking,
LMCS 2006: a selector for each earlier state, in place of a copy of the state in every state. The conditions are
those of the product, and each step notes which of them it meets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, Unrolling
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines.bounded.search import BoundedSearch, Clock, SolverQuestion
from leadline.symbolic.engines.runs.loops import SAVE, stuck
from leadline.symbolic.engines.runs.product import Product, flags_of
from leadline.symbolic.lang import Model
from leadline.symbolic.lang.rules import negation
from leadline.symbolic.solve import Solver
from leadline.symbolic.trace import Step, TraceEnd, trace_of_path


def noting_model(product: Product, name: str) -> Model:
    """The product, whose steps note what they meet; with one property, that a run may not stop for ever.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
    """
    actions = []
    for one in product.watched:
        noted = ((flag, mark.value(node)) for flag, mark, node in product.noted(one))
        actions.append(replace(one.action, updates=(*one.action.updates, *noted)))
    return product.model(name, negation(stuck(product)), actions, product.nothing_noted, lemmas=False)


class LoopSearch(BoundedSearch):
    """A search by steps for a run that stops, or for a loop.

    Args:
        product: the product.
        semantics: the meaning of its `noting_model`.
        solver: a fresh solver.
        clock: adds up the seconds.
        unroll: makes the unrolling, by steps.
    """

    def __init__(
        self,
        product: Product,
        semantics: Semantics,
        solver: Solver,
        clock: Clock,
        unroll: Callable[[Encoding, Solver], Unrolling],
    ) -> None:
        (target,) = semantics.model.properties.values()
        super().__init__(semantics, [target], solver, clock, unroll)
        places: dict[str, list[int]] = {}
        for place, literal in enumerate(Facts(semantics.model).literals):
            places.setdefault(literal.fact[0], []).append(place)
        self._same = [place for one in product.variables for place in places.get(one.name, ())]
        self._met = [place for flag, _ in flags_of(product.recurrent, "met") for place in places[flag]]
        able = [place for flag, _ in flags_of(product.strong, "able") for place in places[flag]]
        taken = [place for flag, _ in flags_of(product.strong, "taken") for place in places[flag]]
        self._strong = list(zip(able, taken, strict=True))
        self._selectors: dict[int, Sequence[int]] = {}

    def _violations(self, depth: int) -> list[SolverQuestion]:
        (target,) = self.targets
        questions = super()._violations(depth)
        if depth and target.name not in self.found:
            questions.append(SolverQuestion(self._closed(depth), depth, TraceEnd.VIOLATES, target.name))
        return questions

    def _closed(self, depth: int) -> int:
        """The literal that the state at a depth equals an earlier one, with all conditions met in between."""
        circuit, rows = self.unrolling.circuit, self.unrolling.rows
        selectors = [circuit.input() for _ in range(depth)]
        for selector, row in zip(selectors, rows, strict=False):
            for place in self._same:
                old, new = row[place], rows[depth][place]
                if old != new:
                    circuit.require([[-selector, -old, new], [-selector, old, -new]])
        within = [circuit.disj(selectors[:number]) for number in range(1, depth + 1)]

        def in_loop(place: int) -> int:
            pairs = zip(within, rows[1:], strict=True)
            return circuit.disj([circuit.conj((inside, row[place])) for inside, row in pairs])

        met = [in_loop(place) for place in self._met]
        served = [circuit.disj((-in_loop(able), in_loop(taken))) for able, taken in self._strong]
        closed = circuit.conj([circuit.disj(selectors), *met, *served])
        self._selectors[closed] = selectors
        return closed

    def _record(self, question: SolverQuestion) -> None:
        if question.literal not in self._selectors or question.ends is not TraceEnd.VIOLATES:
            super()._record(question)
            return
        assert question.target is not None
        chosen = self._selectors[question.literal]
        begin = next(place for place, selector in enumerate(chosen) if self.solver.true(selector))
        run = [*self.unrolling.run(question.depth, self.solver.true)]
        run.insert(begin + 1, Step(SAVE, {}, run[begin].state))
        self.found[question.target] = trace_of_path(tuple(run), TraceEnd.VIOLATES, question.target)
