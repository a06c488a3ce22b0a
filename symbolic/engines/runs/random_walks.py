"""Walks through a product, with its rounds counted or not, by values. Each state's steps are evaluated once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.runs.direct import noting_model
from leadline.symbolic.engines.runs.product import Product

Truths: TypeAlias = tuple[bool, ...]
"""A Boolean for each mark, and of a mark with keys for each tuple of them."""

Add: TypeAlias = Callable[[Any], object]


class Done(NamedTuple):
    """A step, by the state after it, and what it does.

    Attributes:
        after: the state of the product.
        met: of `Product.recurrent`, what it meets.
        able: of `Product.strong`, the actions that can be taken.
        taken: of `Product.strong`, what it takes.
    """

    after: State
    met: Truths
    able: Truths
    taken: Truths


class ProductSteps:
    """The steps of a product.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
    """

    def __init__(self, product: Product, name: str) -> None:
        self._semantics = Semantics(noting_model(product, name))
        self._size = len(product.variables)
        met, strong = len(product.recurrent), len(product.strong)
        self._ends = (self._size + met, self._size + met + strong, self._size + met + 2 * strong)
        self._known: dict[State, tuple[tuple[Done | None, ...], ...]] = {}
        self.strong = strong > 0

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        """The initial states and each action, as `leadline.symbolic.concrete.Semantics.steps`."""
        return [self._begin, *(partial(self._plain, place) for place in range(self.actions))]

    @property
    def actions(self) -> int:
        """The number of actions."""
        return len(self._semantics.steps) - 1

    def _begin(self, _: None, add: Add) -> None:
        self._semantics.steps[0](None, lambda found: add(None if found is None else found[: self._size]))

    def _plain(self, place: int, state: State, add: Add) -> None:
        for one in self.of(state)[place]:
            add(None if one is None else one.after)

    def of(self, state: State) -> tuple[tuple[Done | None, ...], ...]:
        """For each action its steps from a state of the product; None stands for one out of bounds."""
        if state not in self._known:
            # The notes, which follow the product's variables, are written by each action and read by none.
            self._known[state] = tuple(self._found(step, state) for step in self._semantics.steps[1:])
        return self._known[state]

    def _found(self, step: Callable[..., None], state: State) -> tuple[Done | None, ...]:
        found: dict[Done | None, None] = {}

        def add(after: State | None) -> None:
            found[None if after is None else self._done(after)] = None

        step(state, add)
        return tuple(found)

    def _done(self, after: State) -> Done:
        met, able, taken = self._ends
        notes = [after[self._size : met], after[met:able], after[able:taken]]
        return Done(after[: self._size], *(tuple(x for one in some for x in flat(one)) for some in notes))


class CountedState(NamedTuple):
    """A state with its rounds counted.

    Attributes:
        state: the state of the product.
        begun: whether the counting has begun.
        met: of the conditions, those met in this round.
        able: of strong fairness, what could be done since the counting began.
        taken: of strong fairness, what was done in this round.
        rounds: the number of rounds.
    """

    state: State
    begun: bool
    met: Truths
    able: Truths
    taken: Truths
    rounds: int


class Rounds:
    """The steps of a product with its rounds counted, as those of `leadline.symbolic.engines.runs.rounds`.

    Args:
        steps: the steps of the product.
        most: the number up to which rounds are counted.
        moves: whether a step from a state to another moves a predicate that has settled; None if none has.
    """

    def __init__(self, steps: ProductSteps, most: int, moves: Callable[[State, State], bool] | None) -> None:
        self._steps, self._most, self._moves = steps, most, moves
        self._chosen = moves is not None or steps.strong

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        """The initial states, each action, and the beginning of the counting where the run chooses it."""
        counting = [partial(self._count, place) for place in range(self._steps.actions)]
        return [self._begin, *counting, *([self._choose] if self._chosen else [])]

    def _begin(self, _: None, add: Add) -> None:
        def begun(state: State | None) -> None:
            add(None if state is None else CountedState(state, not self._chosen, (), (), (), 0))

        self._steps.steps[0](None, begun)

    def _choose(self, at: CountedState, add: Add) -> None:
        if not at.begun:
            add(at._replace(begun=True))

    def _count(self, place: int, at: CountedState, add: Add) -> None:
        for one in self._steps.of(at.state)[place]:
            if one is None:
                add(None)
            elif not at.begun:
                add(at._replace(state=one.after))
            elif self._moves is None or not self._moves(at.state, one.after):
                met, able, taken = (
                    _either(old, new)
                    for old, new in zip(
                        (at.met, at.able, at.taken), (one.met, one.able, one.taken), strict=True
                    )
                )
                done = all(met) and all(x or not y for x, y in zip(taken, able, strict=True))
                rounds = min(at.rounds + done, self._most)
                add(CountedState(one.after, True, () if done else met, able, () if done else taken, rounds))


def _either(old: Truths, new: Truths) -> Truths:
    return tuple(x or y for x, y in zip(old, new, strict=True)) if old else new


def flat(value: Any) -> list[bool]:
    """The Booleans of a Boolean, of a map of Booleans, of a map of such maps."""
    if isinstance(value, bool):
        return [value]
    inner = value.values() if isinstance(value, dict) else value
    return [one for part in inner for one in flat(part)]
