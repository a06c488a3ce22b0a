"""A model as a transition system over the literals of a state: what the queries of PDR are asked of.

The row of a state's literals has the numbers 2, 3, ... in every formula here, and a *cube* is a tuple of such
literals, the set of the states in which all are true. Don't-cares (the item of an option that is absent, say)
are false. Only a don't-care that a permutation may negate is free after each step and at the start: a sort of two
members has one literal, which their exchange negates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import permutations, product
from math import factorial, inf, prod
from random import Random

from leadline.symbolic.encode import (
    Encoding,
    InitialStates,
    Instance,
    StatePredicates,
    StepRelation,
    Unrolled,
)
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.encoding import Truth
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines.bounded.alike import representative_cases, sorts_alike
from leadline.symbolic.lang import Model, Permutation, Property, Value, exchanges
from leadline.symbolic.solve import Formula

Cube = tuple[int, ...]
"""Literals of a state, ascending: the set of the states in which all are true."""


class BadCause(StrEnum):
    """The ways in which a state can be bad."""

    VIOLATED = "the property is false"
    UNDEFINED = "the property's evaluation is out of bounds"
    STEP_OUTSIDE = "a step is out of bounds"


Choice = tuple[str, Mapping[str, Value]]
"""An action's name and its picks."""


@dataclass(frozen=True)
class Layer:
    """A state, its badness, and a step from it, as clauses.

    Attributes:
        formula: the clauses; the state's literals are variables 2, 3, ... of it.
        inputs: the variables that are free beside the state's.
        taken: the literal that there is a step.
        after: for each literal of the row, the literal after the step.
        bad: for each way to be bad, the literal that the state is bad in that way.
    """

    formula: Formula
    inputs: tuple[int, ...]
    taken: int
    after: tuple[int, ...]
    bad: dict[BadCause, int]
    _instance: Instance
    _step: StepRelation

    @cached_property
    def prime(self) -> dict[int, int]:
        """For each literal of the row, positive and negative, the literal after the step."""
        found = {}
        for number, literal in enumerate(self.after, start=TRUE + 1):
            found[number], found[-number] = literal, -literal
        return found

    def choice(self, true: Truth) -> Choice:
        """The action and the picks of an assignment; no action's name where there are none."""
        if not self._step.actions:
            return "", {}
        action, picks = self._step.chosen(lambda literal: true(self._instance(literal)))
        return action.name, picks


@dataclass(frozen=True)
class Start:
    """The initial states, as clauses.

    Attributes:
        formula: the clauses; the state's literals are variables 2, 3, ... of it.
        possible: the literal that there is an initial state within its bounds.
        outside: the literal that it is out of bounds.
    """

    formula: Formula
    possible: int
    outside: int
    _instance: Instance
    _initial: InitialStates

    def picks(self, true: Truth) -> dict[str, Value]:
        """The picks of the initial state of an assignment."""
        return self._initial.picks(lambda literal: true(self._instance(literal)))


class System:
    """The transition system of a model and a property.

    Args:
        model: the model.
        target: the property.
        assumed: properties that are known to hold in every reachable state.
        symmetric: whether to look for sorts whose members may be treated alike.
        encoding: the model's encoding, if there is one.

    Attributes:
        facts: what each literal of a state says.
        size: the number of literals of a state.
        generators: permutations of the literals, each as the image of every literal, that together generate
            all that map runs to runs; none where no sort is treated alike.
    """

    def __init__(
        self,
        model: Model,
        target: Property,
        assumed: Sequence[Property] = (),
        *,
        symmetric: bool = True,
        encoding: Encoding | None = None,
    ) -> None:
        self.model = model
        self.target = target
        self.assumed = tuple(assumed)
        self.encoding = Encoding(model) if encoding is None else encoding
        self.facts = Facts(model)
        self.size = len(self.facts.literals)
        assert self.encoding.input_row == tuple(range(TRUE + 1, TRUE + 1 + self.size)), "one row of inputs"
        self.sorts = sorts_alike(model, [target, *assumed], truth_alone=True) if symmetric else ()
        self.generators = tuple(self._generators())

    def _generators(self) -> Iterator[dict[int, int]]:
        """An exchange of two members of each sort and a rotation of all, which generate all permutations."""
        for sort in self.sorts:
            names = [(sort.name, one) for one in sort.members]
            rotation = dict(zip(names, [*sort.members[1:], *sort.members[:1]], strict=True))
            for permutation in (*exchanges(sort)[:1], *[rotation][: len(names) > 2]):
                moved = self.images_under(permutation)
                if any(literal != image for literal, image in moved.items()):
                    yield moved

    def permutations(self, most: int, dice: Random) -> list[Permutation]:
        """The permutations of the sorts' members that map runs to runs, or so many drawn at random.

        The first is the identity.
        """
        members = [sort.members for sort in self.sorts]
        chosen: Iterable[Sequence[Sequence[str]]]
        if prod(factorial(len(some)) for some in members) <= most:
            chosen = product(*map(permutations, members))
        else:
            drawn = [[dice.sample(some, len(some)) for some in members] for _ in range(most - 1)]
            chosen = [members, *drawn]
        return [
            {
                (sort.name, member): image
                for sort, order in zip(self.sorts, orders, strict=True)
                for member, image in zip(sort.members, order, strict=True)
            }
            for orders in chosen
        ]

    def images_under(self, permutation: Permutation) -> dict[int, int]:
        """The image of every literal under a permutation of the sorts' members."""
        found = {}
        for number, literal in zip(self.row, self.facts.image(permutation), strict=True):
            found[number], found[-number] = literal, -literal
        return found

    @cached_property
    def kind(self) -> dict[int, int]:
        """For each literal the least of its images."""
        found: dict[int, int] = {}
        for literal in (sign * x for x in self.row for sign in (1, -1)):
            if literal not in found:
                images = [image for (image,) in self.orbit((literal,))]
                found |= dict.fromkeys(images, min(images))
        return found

    def rivals(self, cube: Cube, literal: int) -> list[int]:
        """The literals that say which value a part has, and are false where one of a cube is true.

        Only those of values that other literals of the cube name.
        """
        named = {value for x in cube if x != literal for value in self._named[abs(x)]}
        return [rival for rival, value in self._rivals[literal] if value in named]

    @cached_property
    def _named(self) -> dict[int, set[Value]]:
        """For each literal of the row the values that it names, as a key, a member or what a part is."""
        return {
            number: {x.value for x in said.fact[1] if x.type is not None}
            for number, said in zip(self.row, self.facts.literals, strict=True)
        }

    @cached_property
    def _rivals(self) -> dict[int, list[tuple[int, Value]]]:
        """For each literal its rivals, each with its value; a literal that a part is absent has all its values."""
        found: dict[int, list[tuple[int, Value]]] = defaultdict(list)
        parts: dict[object, list[tuple[int, Value]]] = defaultdict(list)
        for number, said in zip(self.row, self.facts.literals, strict=True):
            name, (*way, test) = said.fact
            if test.kind == "is" and not said.moved:
                one = (number, test.value)
                parts[name, tuple(way)].append(one)
                for alone in (clause[0] for clause in said.needs if len(clause) == 1):
                    found[-alone].append(one)
        for values in parts.values():
            for number, _ in values:
                found[number] += [one for one in values if one[0] != number]
        return found

    def orbit(self, cube: Cube, most: float = inf) -> tuple[Cube, ...]:
        """A cube and its images under all permutations that map runs to runs, the cube first.

        Args:
            cube: the cube.
            most: about as many images are enough.
        """
        found = {cube: None}
        waiting = [cube]
        while waiting and len(found) < most:
            one = waiting.pop()
            for image in self.generators:
                other = tuple(sorted([image[x] for x in one]))
                if other not in found:
                    found[other] = None
                    waiting.append(other)
        return tuple(found)

    @cached_property
    def layer(self) -> Layer:
        """Any state of the declared types, and a step from it."""
        circuit = self._circuit()
        row = self.row
        Instance(self.encoding.validity, row, circuit)
        for literal, masked in zip(row, self.facts.masked(circuit, row), strict=True):
            circuit.require([[masked, -literal]])
        return self._layer(circuit)

    def _layer(self, circuit: Unrolled) -> Layer:
        row, relation = self.row, self.encoding.step
        inputs: list[int] = []
        step = Instance(relation.template, row, circuit)
        here = Instance(self._predicates.template, row, circuit)
        for instance in (step, here):
            inputs += instance.free
        goal, *assumed = self._predicates.claims
        for wrong in (*(x.violated for x in assumed), *(x.outside for x in assumed)):
            circuit.require([[-here(wrong)]])
        after = self._without_dont_cares(circuit, step.all(relation.state), inputs)
        bad = {
            BadCause.VIOLATED: here(goal.violated),
            BadCause.UNDEFINED: here(goal.outside),
            BadCause.STEP_OUTSIDE: step(relation.out_of_bounds),
        }
        formula = circuit.sink
        assert isinstance(formula, Formula)
        return Layer(formula, tuple(inputs), step(relation.taken), after, bad, step, relation)

    @property
    def row(self) -> tuple[int, ...]:
        """The variables of a state's literals."""
        return tuple(range(TRUE + 1, TRUE + 1 + self.size))

    def _circuit(self) -> Unrolled:
        formula = Formula()
        formula.new_variables(self.size)
        return Unrolled(formula)

    @cached_property
    def _predicates(self) -> StatePredicates:
        cases = representative_cases(self.target.formula, self.sorts)
        return self.encoding.predicates([replace(self.target, formula=cases), *self.assumed])

    def _without_dont_cares(
        self, circuit: Unrolled, row: Sequence[int], inputs: list[int]
    ) -> tuple[int, ...]:
        """The literals of a row, where each that does not matter is false, or a new input if it may be negated."""
        found = []
        for literal, said in zip(self.facts.masked(circuit, row), self.facts.literals, strict=True):
            if said.moved:
                matters = circuit.conj(said.needed(circuit, row))
                if matters != TRUE:
                    inputs.append(circuit.input())
                    literal = circuit.mux(matters, literal, inputs[-1])
            found.append(literal)
        return tuple(found)

    @cached_property
    def start(self) -> Start:
        """The initial states."""
        return self._start(self._circuit())

    def _start(self, circuit: Unrolled) -> Start:
        initial = self.encoding.initial
        instance = Instance(initial.template, (), circuit)
        row = self._without_dont_cares(circuit, instance.all(initial.state), [])
        possible = instance(initial.possible)
        for number, literal in zip(self.row, row, strict=True):
            circuit.require([[-possible, -number, literal], [-possible, number, -literal]])
        formula = circuit.sink
        assert isinstance(formula, Formula)
        return Start(formula, possible, instance(initial.out_of_bounds), instance, initial)

    def first_layer(self) -> tuple[Start, Layer]:
        """An initial state, and a step from it, in one formula."""
        circuit = self._circuit()
        return self._start(circuit), self._layer(circuit)
