"""Walks through a product, with its rounds counted or not, by values. Each state's steps are evaluated once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, TypeAlias

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.runs.product import TRUE, Product
from leadline.symbolic.lang import Value

Add: TypeAlias = Callable[[Any], object]

Moving: TypeAlias = Callable[[State, State], tuple[bool, bool]]
"""Whether a step from a state to another moves predicates that settle, and those of the first level go back."""


class ProductSteps:
    """The steps of a product.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.

    Attributes:
        size: the number of the product's variables.
        noted: how many notes there are about a step, in the order of `Product.flags`: of what it meets, of the
            actions that can be taken, and of those that it takes.
    """

    def __init__(self, product: Product, name: str) -> None:
        actions = []
        for one in product.watched:
            noted = ((flag, mark.value(node)) for flag, mark, node in product.noted(one))
            actions.append(replace(one.action, updates=(*one.action.updates, *noted)))
        self._semantics = Semantics(product.model(name, TRUE, actions, product.nothing_noted))
        self.size = len(product.variables)
        self.noted = len(product.recurrent), len(product.strong), len(product.strong)
        self._known: dict[State, tuple[tuple[State | None, ...], ...]] = {}

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        """The initial states and each action, as `leadline.symbolic.concrete.Semantics.steps`."""
        return [self._begin, *(partial(self._plain, place) for place in range(self.actions))]

    @property
    def actions(self) -> int:
        """The number of actions."""
        return len(self._semantics.steps) - 1

    def _begin(self, _: None, add: Add) -> None:
        self.begin(lambda found: add(None if found is None else found[: self.size]))

    def begin(self, add: Add) -> None:
        """The initial states, with notes of which none is true."""
        self._semantics.steps[0](None, add)

    def _plain(self, place: int, state: State, add: Add) -> None:
        for one in self.of(state)[place]:
            add(None if one is None else one[: self.size])

    def of(self, state: State) -> tuple[tuple[State | None, ...], ...]:
        """For each action the states after its steps from a state of the product, with the notes about each step.

        None stands for a step out of bounds.
        """
        if state not in self._known:
            # The notes, which follow the product's variables, are written by each action and read by none.
            self._known[state] = tuple(self._found(step, state) for step in self._semantics.steps[1:])
        return self._known[state]

    def _found(self, step: Callable[..., None], state: State) -> tuple[State | None, ...]:
        found: list[State | None] = []
        step(state, found.append)
        return tuple(dict.fromkeys(found))


class CountedSteps:
    """The states and steps of the model that `leadline.symbolic.engines.runs.rounds` makes of a product.

    Args:
        steps: the steps of the product.
        most: the number of rounds that a run may have.
        moves: tells what a step does to predicates that settle; None if none does.
    """

    def __init__(self, steps: ProductSteps, most: int, moves: Moving | None) -> None:
        self._steps, self._moves = steps, moves
        self._end = steps.size + sum(steps.noted)
        self._last = self._end + most
        # Whether the run chooses when the counting begins: the last part of a state says whether it has begun.
        self._chosen = moves is not None or steps.noted[1] > 0

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        """The initial states, each action, and the beginning of the counting where the run chooses it."""
        counting = [partial(self._count, place) for place in range(self._steps.actions)]
        return [self._begin, *counting, *([self._choose] if self._chosen else [])]

    def rounds(self, state: State) -> int:
        """The number of rounds in a state, at most one more than a run may have."""
        return len([*takewhile(bool, state[self._end : self._last + 1])])

    def _begin(self, _: None, add: Add) -> None:
        none = (False,) * (self._last + 1 - self._end + self._chosen)
        self._steps.begin(lambda found: add(None if found is None else (*found, *none)))

    def _choose(self, at: State, add: Add) -> None:
        if not at[-1]:
            add((*at[:-1], True))

    def _count(self, place: int, at: State, add: Add) -> None:
        size, end, last = self._steps.size, self._end, self._last
        before, noted, rounds, begun = at[:size], at[size:end], at[end : last + 1], at[last + 1 :]
        for one in self._steps.of(before)[place]:
            if one is None:
                add(None)
                continue
            after = one[:size]
            moved, back = (False, False) if self._moves is None else self._moves(before, after)
            if begun == (False,):
                add((*after, *noted, *rounds[:-1], rounds[-1] or back, *begun))
            elif not moved:  # once the counting has begun, nothing that has settled moves
                met, able, taken = self._parts(_either(noted, one[size:]))
                if all(flat(met)) and all(x or not y for x, y in zip(flat(taken), flat(able), strict=True)):
                    met, taken = _nothing(met), _nothing(taken)
                    rounds = tuple([x or y for x, y in zip(rounds, (True, *rounds), strict=False)])
                add((*after, *met, *able, *taken, *rounds, *begun))

    def _parts(self, notes: State) -> tuple[State, State, State]:
        """Notes by their words."""
        met, able, _ = self._steps.noted
        return notes[:met], notes[met : met + able], notes[met + able :]


def _either(old: Value, new: Value) -> Value:
    """Notes of which each is true that is true in one of two."""
    return old or new if isinstance(old, bool) else tuple(map(_either, old, new))


def _nothing(notes: Value) -> Value:
    """As many notes of which none is true."""
    return False if isinstance(notes, bool) else tuple(map(_nothing, notes))


def flat(value: Any) -> list[bool]:
    """The Booleans of a Boolean, of a map of Booleans, of a map of such maps."""
    if isinstance(value, bool):
        return [value]
    inner = value.values() if isinstance(value, dict) else value
    return [one for part in inner for one in flat(part)]
