"""Unrolling by steps: a row of states, each one step after the one before, as clauses in a solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from leadline.symbolic.encode.copies import Layers
from leadline.symbolic.encode.steps import Decoded, Encoding, StatePredicates, Truth
from leadline.symbolic.encode.template import Instance, Sink, Template, Unrolled
from leadline.symbolic.lang.model import Action
from leadline.symbolic.lang.types import Value


@dataclass(frozen=True)
class RawStep:
    """A step as the solver sees it, not yet replayed; without a state after it if it goes out of bounds."""

    action: Action
    picks: dict[str, Value]
    state: tuple[Value, ...] | None


@dataclass(frozen=True)
class RawRun:
    """A run as the solver sees it; without an initial state if that is what goes out of bounds."""

    initial_picks: dict[str, Value]
    initial: tuple[Value, ...] | None
    steps: tuple[RawStep, ...]


class Unrolling(Protocol):
    """States after 0, 1, ... layers, as clauses in a solver."""

    @property
    def initial_out_of_bounds(self) -> int:
        """That the initial state is out of bounds."""

    def assert_initial(self) -> None:
        """From now on there is an initial state within its bounds."""

    def out_of_bounds(self, depth: int) -> list[int]:
        """The ways in which the layer after the state at `depth` goes out of bounds."""

    def extend(self) -> None:
        """Add the state one layer further on."""

    def predicates(self, predicates: StatePredicates, depth: int) -> Instance:
        """The predicates of the state at `depth`."""

    def run(self, depth: int, true: Truth, *, beyond: bool = False) -> RawRun:
        """The run to the state at `depth` under an assignment; with `beyond`, to the step out of bounds."""


class StepsUnrolling:
    """The states after 0, 1, ... steps. Variable 1 of the sink must be the constant true.

    Layer t leads from state t to state t + 1; a layer's step is only asserted once the next state is asked
    for, so a layer can also be asked whether its step goes out of bounds.
    """

    def __init__(self, encoding: Encoding, sink: Sink) -> None:
        self.encoding = encoding
        self.sink = sink
        self.circuit = Unrolled(sink)
        initial = encoding.initial
        self._initial = Instance(initial.template, (), self.circuit)
        self.rows: list[tuple[int, ...]] = [self._initial.all(initial.state)]
        self._layers: list[Instance] = []
        self._like: dict[Template, Layers] = {}
        self._beside: dict[int, list[Instance]] = {}

    @property
    def initial_out_of_bounds(self) -> int:
        """That the initial state is out of bounds."""
        return self._initial(self.encoding.initial.out_of_bounds)

    def assert_initial(self) -> None:
        """From now on there is an initial state within its bounds."""
        self.sink.add([(self._initial(self.encoding.initial.possible),)])

    def _layer(self, depth: int) -> Instance:
        if depth == len(self._layers):
            self._layers.append(self._make(self.encoding.step.template, depth))
        return self._layers[depth]

    def out_of_bounds(self, depth: int) -> list[int]:
        """That the step from the state after `depth` steps goes out of bounds."""
        return [self._layer(depth)(self.encoding.step.out_of_bounds)]

    def extend(self) -> None:
        """Assert the step from the last state and add the state after it."""
        layer = self._layer(len(self.rows) - 1)
        relation = self.encoding.step
        self.sink.add([(layer(relation.taken),)])
        self.rows.append(self.sink.named(layer.all(relation.state)))
        self._make(self.encoding.validity, len(self.rows) - 1)

    def predicates(self, predicates: StatePredicates, depth: int) -> Instance:
        """The predicates of the state after `depth` steps."""
        return self._make(predicates.template, depth)

    def _make(self, template: Template, depth: int) -> Instance:
        """An instance on the state at a depth."""
        like = self._like.setdefault(template, Layers(self.circuit))
        beside = self._beside.setdefault(depth, [])
        like.begin(self.rows[depth], beside, named=depth > 0)
        made = like.instance(template, self.rows[depth])
        beside.append(made)
        return made

    def run(self, depth: int, true: Truth, *, beyond: bool = False) -> RawRun:
        """The run to the state after `depth` steps under an assignment; with `beyond`, one step more."""
        picks = self.encoding.initial.picks(lambda literal: true(self._initial(literal)))
        if depth < 0:
            return RawRun(picks, None, ())
        known: Decoded = {}
        states = [self.encoding.decode(row, true, known) for row in self.rows[: depth + 1]]
        after = [*states[1:], None] if beyond else states[1:]
        steps = [self._step(layer, state, true) for layer, state in zip(self._layers, after, strict=False)]
        return RawRun(picks, states[0], tuple(steps))

    def _step(self, layer: Instance, state: tuple[Value, ...] | None, true: Truth) -> RawStep:
        action, picks = self.encoding.step.chosen(lambda literal: true(layer(literal)))
        return RawStep(action, picks, state)
