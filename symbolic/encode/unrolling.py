"""Unrolling by steps and by sweeps: the states after 0, 1, ... layers, as clauses in a solver.

A layer of steps holds one action. A layer of sweeps passes over all actions in one order and takes or skips
each. With actions A1..An and W = (A1 or skip); ...; (An or skip): T^(at most k) is contained in W^k, which is
contained in T^(at most k*n). So no bad state within k sweeps means none within k steps, and usually far more;
a counterexample in k sweeps is a run once its skips are dropped. J. Rintanen, K. Heljanko, I. Niemelä:
Planning as satisfiability, Artificial Intelligence 170, 2006; J. Dubrovin, T. Junttila, K. Heljanko:
Exploiting step semantics for efficient bounded model checking of asynchronous systems, Science of Computer
Programming 77, 2012.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from leadline.symbolic.encode.actions import Actions, PickSlots, Used, first_use
from leadline.symbolic.encode.circuit import Circuit
from leadline.symbolic.encode.encoding import (
    Decoded,
    Encoding,
    InitialStates,
    StatePredicates,
    StepRelation,
    Truth,
    decode_picks,
)
from leadline.symbolic.encode.template import Instance, Literals, Template, Unrolled, template
from leadline.symbolic.lang import Action, Sort, Value
from leadline.symbolic.meaning import Path, Step
from leadline.symbolic.solve import Sink


class Unrolling(ABC):
    """The states after 0, 1, ... layers. Layer t leads from state t to state t + 1.

    Args:
        encoding: the model's encoding.
        sink: the solver.
        initial: the initial states.

    Attributes:
        rows: the literals of each state.
    """

    def __init__(self, encoding: Encoding, sink: Sink, initial: InitialStates) -> None:
        self.encoding = encoding
        self.sink = sink
        self.circuit = Unrolled(sink)
        self._initial_states = initial
        self._initial = Instance(initial.template, (), self.circuit)
        self.rows: list[tuple[int, ...]] = [self._initial.all((*initial.state, *initial.used))]
        self._width = len(initial.state)

    @property
    def initial_out_of_bounds(self) -> int:
        """The literal that the initial state is out of bounds."""
        return self._initial(self._initial_states.out_of_bounds)

    def assert_initial(self) -> None:
        """Assert that there is an initial state within its bounds."""
        self.sink.add([(self._initial(self._initial_states.possible),)])

    @abstractmethod
    def out_of_bounds(self, depth: int) -> list[int]:
        """The literals of the ways in which the layer after the state at `depth` goes out of bounds."""

    @abstractmethod
    def extend(self) -> None:
        """Assert the layer after the last state, and add the state after it."""

    def predicates(self, predicates: StatePredicates, depth: int) -> Instance:
        """The predicates of the state at `depth`."""
        return self._make(predicates.template, depth)

    def _make(self, template: Template, depth: int) -> Instance:
        """An instance over the state at a depth."""
        return Instance(template, self.rows[depth][: len(template.inputs)], self.circuit)

    def run(self, depth: int, true: Truth, *, beyond: bool = False) -> Path:
        """The run to the state at `depth` under an assignment. It is not yet replayed.

        Args:
            depth: the layers before that state; -1 for the initial state that is out of bounds.
            true: the assignment.
            beyond: whether to add the step from that state that goes out of bounds.
        """
        picks = self._initial_states.picks(_held(self._initial, true))
        if depth < 0:
            return (Step("init", picks, None),)
        known: Decoded = {}
        begin = Step("init", picks, self._state(self.rows[0], true, known))
        return (begin, *self._steps(depth, true, known, beyond=beyond))

    @abstractmethod
    def _steps(self, depth: int, true: Truth, known: Decoded, *, beyond: bool) -> Iterator[Step]:
        """The steps of a run."""

    def _state(self, row: Literals, true: Truth, known: Decoded) -> tuple[Value, ...]:
        return self.encoding.decode(row[: self._width], true, known)


def _held(instance: Instance, true: Truth) -> Truth:
    """The assignment of a template's literals in an instance."""
    return lambda literal: true(instance(literal))


class StepsUnrolling(Unrolling):
    """The states after 0, 1, ... steps.

    A layer's step is asserted only once the next state is added. Before that, a layer can be asked whether
    its step goes out of bounds.

    Args:
        encoding: the model's encoding.
        sink: the solver.
        sorts: the sorts that obey the first-use rule: model and properties treat their members alike.
        cube: choices in the first steps, as `StepRelation.choices` spells them; the steps are asserted with
            these choices.

    Attributes:
        relation: one step.
    """

    def __init__(
        self, encoding: Encoding, sink: Sink, sorts: Sequence[Sort] = (), cube: Sequence[str] = ()
    ) -> None:
        super().__init__(encoding, sink, encoding.initial_under(sorts) if sorts else encoding.initial)
        self.relation = encoding.step_under(sorts) if sorts else encoding.step
        self._layers: list[Instance] = []
        self._chosen = _by_step(self.relation, cube)

    def _layer(self, depth: int) -> Instance:
        if depth == len(self._layers):
            self._layers.append(self._make(self.relation.template, depth))
        return self._layers[depth]

    def out_of_bounds(self, depth: int) -> list[int]:
        return [self._layer(depth)(self.relation.out_of_bounds)]

    def extend(self) -> None:
        depth = len(self.rows) - 1
        layer = self._layer(depth)
        chosen = self._chosen[depth] if depth < len(self._chosen) else []
        self.sink.add([(layer(x),) for x in (self.relation.taken, *chosen)])
        self.rows.append(self.sink.named(layer.all(self.relation.state)))
        self._make(self.encoding.validity, depth + 1)

    def choice(self, depth: int, made: Sequence[str]) -> dict[str, int]:
        """The literals of the next choice in the step from the state at `depth`, by its text."""
        layer = self._layer(depth)
        return {text: layer(x) for text, x in self.relation.choices(made).items()}

    def picked(self, depth: int, action: str, pick: str, value: Value) -> list[int]:
        """The literals that the step from the state at `depth` has a value for a pick, if it is of an action."""
        return [self._layer(depth)(x) for x in self.relation.picked(action, pick, value)]

    def _steps(self, depth: int, true: Truth, known: Decoded, *, beyond: bool) -> Iterator[Step]:
        for number, layer in enumerate(self._layers[: depth + beyond], start=1):
            action, picks = self.relation.chosen(_held(layer, true))
            state = self._state(self.rows[number], true, known) if number <= depth else None
            yield Step(action.name, picks, state)


def _by_step(relation: StepRelation, cube: Sequence[str]) -> list[list[int]]:
    """The literals of the choices in each of the first steps."""
    steps: list[list[int]] = []
    made: list[str] = []
    for text in cube:
        choices = relation.choices(made) if made else {}
        if not choices:
            made, choices = [], relation.choices(())
            steps.append([])
        made.append(text)
        steps[-1].append(choices[text])
    return steps


@dataclass(frozen=True)
class OptionalAction:
    """An action that a sweep takes or skips.

    Attributes:
        template: its inputs are the literals of the state before, and of the members used before.
        taken: the literal that the action is taken.
        out_of_bounds: the literal that taking it goes out of bounds.
        row: the literals after it that differ from those before, by their position among the inputs.
    """

    action: Action
    template: Template
    taken: int
    out_of_bounds: int
    row: Mapping[int, int]
    slots: PickSlots

    @cached_property
    def after(self) -> tuple[int, ...]:
        """The literals of `row`."""
        return tuple(self.row.values())


def optional_action(encoding: Encoding, action: Action, sorts: Sequence[Sort]) -> OptionalAction:
    """The template of an action that may be skipped, under the first-use rule on the sorts."""
    circuit = Circuit()
    state, before = encoding.free_state(circuit)
    used: Used = {sort: [circuit.input() for _ in sort.members] for sort in sorts}
    taken = circuit.input()
    slots = PickSlots(circuit)
    slots.add(action)
    effect = Actions(circuit, encoding.model, state, slots).effect(action, taken)
    allowed, used_after = first_use(circuit, action, slots, used)
    old = [*encoding.joined(before), *_row(used)]
    used_then = [circuit.mux(taken, *pair) for pair in zip(_row(used_after), _row(used), strict=True)]
    new = [*encoding.joined({**before, **encoding.rows_after(circuit, effect.next)}), *used_then]
    pairs = enumerate(zip(old, new, strict=True))
    row = {place: after for place, (x, after) in pairs if after != x}
    outside = circuit.conj((effect.out_of_bounds, allowed))
    constraints = [slots.valid(), circuit.implies(taken, effect.enabled), circuit.implies(taken, allowed)]
    made = template(circuit, old, [*row.values(), outside], constraints)
    return OptionalAction(action, made, taken, outside, row, slots)


def _row(used: Used) -> list[int]:
    return [literal for literals in used.values() for literal in literals]


@dataclass(frozen=True)
class _Taking:
    """An optional action in a layer: its instance, and the row after it."""

    kind: OptionalAction
    instance: Instance
    row: tuple[int, ...]


class SweepsUnrolling(Unrolling):
    """The states after 0, 1, ... sweeps.

    Args:
        encoding: the model's encoding.
        sink: the solver.
        order: the actions in the order in which a sweep passes over them.
        sorts: the sorts that obey the first-use rule: model and properties treat their members alike.
    """

    def __init__(
        self, encoding: Encoding, sink: Sink, order: Sequence[Action], sorts: Sequence[Sort] = ()
    ) -> None:
        super().__init__(encoding, sink, encoding.initial_under(sorts))
        self.actions = [optional_action(encoding, action, sorts) for action in order]
        self._layers: list[list[_Taking]] = []

    def _layer(self, depth: int) -> list[_Taking]:
        if depth == len(self._layers):
            row, layer = self.rows[depth], []
            for kind in self.actions:
                instance = Instance(kind.template, row, self.circuit)
                changed = list(row)
                for place, literal in zip(kind.row, instance.all(kind.after), strict=True):
                    changed[place] = literal
                row = tuple(changed)
                layer.append(_Taking(kind, instance, row))
            self._layers.append(layer)
        return self._layers[depth]

    def out_of_bounds(self, depth: int) -> list[int]:
        return [taking.instance(taking.kind.out_of_bounds) for taking in self._layer(depth)]

    def extend(self) -> None:
        layer = self._layer(len(self.rows) - 1)
        row = layer[-1].row if layer else self.rows[-1]
        # Unlike in steps, asserting that the state is of its type slows the search for counterexamples here.
        self.rows.append(self.sink.named(row))

    def _steps(self, depth: int, true: Truth, known: Decoded, *, beyond: bool) -> Iterator[Step]:
        for number, layer in enumerate(self._layers[: depth + beyond]):
            for taking in layer:
                held = _held(taking.instance, true)
                action = taking.kind.action
                picks = decode_picks(taking.kind.slots, action, held)
                if number == depth and held(taking.kind.out_of_bounds):
                    yield Step(action.name, picks, None)
                    return
                if held(taking.kind.taken):
                    yield Step(action.name, picks, self._state(taking.row, true, known))
