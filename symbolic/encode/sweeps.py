"""Unrolling by sweeps: a layer passes over all actions in one order and takes or skips each.

With actions A1..An and W = (A1 or skip); ...; (An or skip): T^(at most k) is contained in W^k, which is
contained in T^(at most k*n). So no bad state within k sweeps means none within k steps, and usually far more;
a counterexample in k sweeps is a run once its skips are dropped. J. Rintanen, K. Heljanko, I. Niemelä:
Planning as satisfiability, Artificial Intelligence 170, 2006; J. Dubrovin, T. Junttila, K. Heljanko:
Exploiting step semantics for efficient bounded model checking of asynchronous systems, Science of Computer
Programming 77, 2012.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from leadline.symbolic.encode.actions import Actions, PickSlots
from leadline.symbolic.encode.circuit import Circuit
from leadline.symbolic.encode.copies import Layers
from leadline.symbolic.encode.steps import Decoded, Encoding, Row, StatePredicates, Truth, decode_picks
from leadline.symbolic.encode.symmetry import Used, first_use
from leadline.symbolic.encode.template import Instance, Sink, Template, Unrolled, template
from leadline.symbolic.encode.unrolling import RawRun, RawStep
from leadline.symbolic.lang.model import Action
from leadline.symbolic.lang.types import Sort, Value


@dataclass(frozen=True)
class OptionalAction:
    """An action that a layer takes or skips.

    Attributes:
        template: inputs are the literals of the state before and of what was used before.
        taken: the literal that the action is taken.
        out_of_bounds: the literal that taking it goes out of bounds.
        row: the literals of state and use after it, as far as they differ from those before, by position.
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


class SweepsUnrolling:
    """The states after 0, 1, ... sweeps. Variable 1 of the sink must be the constant true.

    Args:
        encoding: the model's encoding.
        sink: the solver.
        order: the actions in the order in which a sweep passes over them.
        sorts: those that the model and the properties treat alike; the first-use rule applies to them.
    """

    def __init__(
        self, encoding: Encoding, sink: Sink, order: Sequence[Action], sorts: Sequence[Sort] = ()
    ) -> None:
        self.encoding = encoding
        self.sink = sink
        self.circuit = Unrolled(sink)
        self.sorts = tuple(sorts)
        self.actions = [optional_action(encoding, action, self.sorts) for action in order]
        self._width = len(encoding.input_row)
        initial = encoding.initial_under(self.sorts)
        self._initial_states = initial
        self._initial = Instance(initial.template, (), self.circuit)
        self.rows: list[tuple[int, ...]] = [self._initial.all((*initial.state, *initial.used))]
        self._layers: list[list[_Taking]] = []
        self._like = Layers(self.circuit)
        self._beside: dict[int, list[Instance]] = {}

    @property
    def initial_out_of_bounds(self) -> int:
        """That the initial state is out of bounds."""
        return self._initial(self._initial_states.out_of_bounds)

    def assert_initial(self) -> None:
        """From now on there is an initial state within its bounds."""
        self.sink.add([(self._initial(self._initial_states.possible),)])

    def _layer(self, depth: int) -> list[_Taking]:
        if depth == len(self._layers):
            row, layer = self.rows[depth], []
            self._like.begin(row, self._beside.get(depth, ()), named=depth > 0)
            for kind in self.actions:
                instance = self._like.instance(kind.template, row)
                changed = list(row)
                for place, literal in zip(kind.row, instance.all(kind.after), strict=True):
                    changed[place] = literal
                row = tuple(changed)
                layer.append(_Taking(kind, instance, row))
            self._layers.append(layer)
        return self._layers[depth]

    def out_of_bounds(self, depth: int) -> list[int]:
        """That some action of the sweep from the state after `depth` sweeps goes out of bounds."""
        return [taking.instance(taking.kind.out_of_bounds) for taking in self._layer(depth)]

    def extend(self) -> None:
        """Add the state after one more sweep."""
        layer = self._layer(len(self.rows) - 1)
        row = layer[-1].row if layer else self.rows[-1]
        # Unlike in steps, asserting that the state is of its type slows the search for counterexamples here.
        self.rows.append(self.sink.named(row))

    def predicates(self, predicates: StatePredicates, depth: int) -> Instance:
        """The predicates of the state after `depth` sweeps."""
        made = Instance(predicates.template, self.rows[depth][: self._width], self.circuit)
        self._beside.setdefault(depth, []).append(made)
        return made

    def run(self, depth: int, true: Truth, *, beyond: bool = False) -> RawRun:
        """The run to the state after `depth` sweeps under an assignment, its skips dropped.

        With `beyond`, it goes on to the first action of the next sweep that goes out of bounds.
        """
        steps: list[RawStep] = []
        known: Decoded = {}
        initial = self._state(self.rows[0], true, known) if depth >= 0 else None
        for number, layer in enumerate(self._layers[: depth + beyond]):
            for taking in layer:
                held = _under(taking.instance, true)
                action = taking.kind.action
                picks = decode_picks(taking.kind.slots, action, held)
                if number == depth and held(taking.kind.out_of_bounds):
                    return RawRun(self._picks(true), initial, (*steps, RawStep(action, picks, None)))
                if held(taking.kind.taken):
                    steps.append(RawStep(action, picks, self._state(taking.row, true, known)))
        return RawRun(self._picks(true), initial, tuple(steps))

    def _state(self, row: Row, true: Truth, known: Decoded) -> tuple[Value, ...]:
        return self.encoding.decode(row[: self._width], true, known)

    def _picks(self, true: Truth) -> dict[str, Value]:
        return self._initial_states.picks(_under(self._initial, true))


def _under(instance: Instance, true: Truth) -> Truth:
    return lambda literal: true(instance(literal))
