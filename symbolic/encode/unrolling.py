"""Unrolling by steps: a row of states, each one step after the one before, as clauses in a solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.cnf import Clause, Template
from leadline.symbolic.encode.steps import Encoding, StatePredicates, Truth
from leadline.symbolic.lang.model import Action
from leadline.symbolic.lang.types import Value


class ClauseSink(Protocol):
    """Where clauses go: a solver."""

    def new_variables(self, count: int) -> int:
        """Reserve variables; the first one's number."""

    def add(self, clauses: Sequence[Clause]) -> None:
        """Assert clauses."""


@dataclass(frozen=True)
class Instance:
    """A template's instance: `literals[x]` is the solver's literal for variable x of the template."""

    literals: dict[int, int]

    def __call__(self, literal: int) -> int:
        """The solver's literal for a literal of the template."""
        return self.literals[literal] if literal > 0 else -self.literals[-literal]


def instantiate(template: Template, given: Sequence[int], sink: ClauseSink) -> Instance:
    """A new instance of a template whose inputs are the given literals of the sink."""
    first = sink.new_variables(len(template.own))
    literals = {TRUE: TRUE}
    literals.update(zip(template.inputs, given, strict=True))
    literals.update(zip(template.own, range(first, first + len(template.own)), strict=True))
    renamed = dict(literals)
    renamed.update((-variable, -literal) for variable, literal in literals.items())
    look = renamed.__getitem__
    sink.add([tuple(map(look, clause)) for clause in template.clauses])
    return Instance(literals)


@dataclass(frozen=True)
class RawStep:
    """A step as the solver sees it, not yet replayed."""

    action: Action
    picks: dict[str, Value]


class StepsUnrolling:
    """The states after 0, 1, ... steps. Variable 1 of the sink must be the constant true.

    Layer t leads from state t to state t + 1; a layer's step is only asserted once the next state is asked
    for, so a layer can also be asked whether its step goes out of bounds.
    """

    def __init__(self, encoding: Encoding, sink: ClauseSink) -> None:
        self.encoding = encoding
        self.sink = sink
        initial = encoding.initial
        self._initial = instantiate(initial.template, (), sink)
        self.rows: list[tuple[int, ...]] = [tuple(map(self._initial, initial.state))]
        self._layers: list[Instance] = []

    @property
    def initial_out_of_bounds(self) -> int:
        """That the initial state is out of bounds."""
        return self._initial(self.encoding.initial.out_of_bounds)

    def assert_initial(self) -> None:
        """From now on there is an initial state within its bounds."""
        self.sink.add([(self._initial(self.encoding.initial.possible),)])

    def layer(self, depth: int) -> Instance:
        """The layer that leads on from the state after `depth` steps."""
        if depth == len(self._layers):
            relation = self.encoding.step
            made = instantiate(relation.template, self._given(depth, relation.template), self.sink)
            self._layers.append(made)
        return self._layers[depth]

    def out_of_bounds(self, depth: int) -> int:
        """That the step from the state after `depth` steps goes out of bounds."""
        return self.layer(depth)(self.encoding.step.out_of_bounds)

    def extend(self) -> None:
        """Assert the step from the last state and add the state after it."""
        depth = len(self.rows) - 1
        layer = self.layer(depth)
        relation = self.encoding.step
        self.sink.add([(layer(relation.taken),)])
        self.rows.append(tuple(map(layer, relation.state)))
        validity = self.encoding.validity
        instantiate(validity, self._given(depth + 1, validity), self.sink)

    def predicates(self, predicates: StatePredicates, depth: int) -> Instance:
        """The predicates of the state after `depth` steps."""
        return instantiate(predicates.template, self._given(depth, predicates.template), self.sink)

    def _given(self, depth: int, template: Template) -> list[int]:
        by_variable = dict(zip(self.encoding.input_row, self.rows[depth], strict=True))
        return [by_variable[variable] for variable in template.inputs]

    def state(self, depth: int, true: Truth) -> tuple[Value, ...]:
        """The state after `depth` steps under an assignment."""
        return self.encoding.decode(self.rows[depth], true)

    def initial_picks(self, true: Truth) -> dict[str, Value]:
        """The picks of the initial state under an assignment."""
        return self.encoding.initial.picks(lambda literal: true(self._initial(literal)))

    def step(self, depth: int, true: Truth) -> RawStep:
        """The step from the state after `depth` steps under an assignment."""
        layer = self._layers[depth]
        action, picks = self.encoding.step.chosen(lambda literal: true(layer(literal)))
        return RawStep(action, picks)
