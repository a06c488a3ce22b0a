"""Walks through a product, with its rounds counted or not, by values. Each state's steps are evaluated once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.runs.product import TRUE, Product
from leadline.symbolic.lang import Map, Type, Value

Truths: TypeAlias = tuple[bool, ...]
"""A Boolean for each mark, and of a mark with keys for each tuple of them."""

Add: TypeAlias = Callable[[Any], object]

Moving: TypeAlias = Callable[[State, State], tuple[bool, bool]]
"""Whether a step from a state to another moves predicates that settle, and those of the first level go back."""


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
        actions = []
        for one in product.watched:
            noted = ((flag, mark.value(node)) for flag, mark, node in product.noted(one))
            actions.append(replace(one.action, updates=(*one.action.updates, *noted)))
        self._semantics = Semantics(product.model(name, TRUE, actions, product.nothing_noted))
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
        back: whether a step moved a predicate that settles, and against its way.
    """

    state: State
    begun: bool
    met: Truths
    able: Truths
    taken: Truths
    rounds: int
    back: bool = False


class Rounds:
    """The steps of a product with its rounds counted, as those of `leadline.symbolic.engines.runs.rounds`.

    Args:
        steps: the steps of the product.
        most: the number up to which rounds are counted.
        moves: tells what a step does to predicates that settle; None if none does.

    Attributes:
        chosen: whether the run chooses when the counting begins.
    """

    def __init__(self, steps: ProductSteps, most: int, moves: Moving | None) -> None:
        self._steps, self._most, self._moves = steps, most, moves
        self.chosen = moves is not None or steps.strong

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        """The initial states, each action, and the beginning of the counting where the run chooses it."""
        counting = [partial(self._count, place) for place in range(self._steps.actions)]
        return [self._begin, *counting, *([self._choose] if self.chosen else [])]

    def _begin(self, _: None, add: Add) -> None:
        def begun(state: State | None) -> None:
            add(None if state is None else CountedState(state, not self.chosen, (), (), (), 0))

        self._steps.steps[0](None, begun)

    def _choose(self, at: CountedState, add: Add) -> None:
        if not at.begun:
            add(at._replace(begun=True))

    def _count(self, place: int, at: CountedState, add: Add) -> None:
        for one in self._steps.of(at.state)[place]:
            if one is None:
                add(None)
                continue
            moved, back = (False, False) if self._moves is None else self._moves(at.state, one.after)
            if not at.begun:
                add(at._replace(state=one.after, back=at.back or back))
            elif not moved:
                met, able, taken = (
                    _either(old, new)
                    for old, new in zip(
                        (at.met, at.able, at.taken), (one.met, one.able, one.taken), strict=True
                    )
                )
                done = all(met) and all(x or not y for x, y in zip(taken, able, strict=True))
                rounds = min(at.rounds + done, self._most)
                rest = () if done else met, able, () if done else taken, rounds, at.back
                add(CountedState(one.after, True, *rest))


class CountedSteps:
    """The states and steps of the model that `leadline.symbolic.engines.runs.rounds` makes of a product.

    Args:
        product: the product.
        rounds: its steps with the rounds counted.
        most: the number of rounds that a run may have.
    """

    def __init__(self, product: Product, rounds: Rounds, most: int) -> None:
        self._rounds, self._most = rounds, most
        self._kinds = [
            [one.type for one in marks] for marks in (product.recurrent, product.strong, product.strong)
        ]
        self._counted: dict[State, CountedState] = {}

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        """The initial states and each action."""
        return [partial(self._step, one) for one in self._rounds.steps]

    def _step(self, step: Callable[..., None], state: State | None, add: Add) -> None:
        step(None if state is None else self._counted[state], lambda one: add(self._state(one)))

    def _state(self, one: CountedState | None) -> State | None:
        if one is None:
            return None
        notes = zip(self._kinds, (one.met, one.able, one.taken), strict=True)
        flags = [_nested(kind, truths) for kinds, some in notes for truths in [iter(some)] for kind in kinds]
        bits = [one.rounds >= number for number in range(1, self._most + 1)]
        last = one.back or one.rounds > self._most
        state = (*one.state, *flags, *bits, last, *([one.begun] if self._rounds.chosen else []))
        self._counted[state] = one
        return state


def _nested(kind: Type, truths: Iterator[bool]) -> Value:
    """The value that has these truths; those that lack are false."""
    if isinstance(kind, Map):
        return tuple(_nested(kind.value, truths) for _ in kind.keys)
    return next(truths, False)


def _either(old: Truths, new: Truths) -> Truths:
    return tuple(x or y for x, y in zip(old, new, strict=True)) if old else new


def flat(value: Any) -> list[bool]:
    """The Booleans of a Boolean, of a map of Booleans, of a map of such maps."""
    if isinstance(value, bool):
        return [value]
    inner = value.values() if isinstance(value, dict) else value
    return [one for part in inner for one in flat(part)]
