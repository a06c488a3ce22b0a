"""The guesses of a proof by rounds: the predicates that settle, and the number of rounds that a run may have."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from random import Random

from leadline.symbolic.concrete import State
from leadline.symbolic.engines.runs.product import Product
from leadline.symbolic.engines.runs.rounds import rounds_model
from leadline.symbolic.engines.runs.settling import Moves
from leadline.symbolic.engines.runs.walking import Counted, Rounds, Steps
from leadline.symbolic.lang import Model
from leadline.symbolic.meaning.walks import MOST_SECONDS, Walks
from leadline.symbolic.trace import Trace

MOST_ROUNDS = 20
"""Rounds that are tried. A run with more is likely to have them without end."""

LOOK = 15_000
"""States of the product that are looked at."""


class Counting:
    """Guesses about a product, from random walks and from counterexamples to earlier guesses.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
        seed: what random choices are drawn from.
        share: the share of `MOST_SECONDS` that each of its random walks may take, above 0 and at most 1.

    Attributes:
        settling: the predicates that settle.
        most: the number of rounds that a run may have; None if there may be no such number.
    """

    def __init__(self, product: Product, name: str, seed: int = 0, share: float = 1.0) -> None:
        self._product, self._name = product, name
        self._seconds = share * MOST_SECONDS
        self._steps = Steps(product, name)
        self._moves = Moves(product)
        walks: Walks[State] = Walks(self._steps, LOOK, Random(seed), self._seconds)
        self._moves.look(self._steps, walks.states, self._seconds)
        self.settling = self._moves.settling()
        found = self._walked(seed)
        while not walks.complete and self._moved([one.state for one in found]):
            found = self._walked(seed)
        self.most = self._rounds(found)

    def _walked(self, seed: int) -> list[Counted]:
        """States of the product with its rounds counted."""
        moves = self._moves.moving(self.settling) if self.settling else None
        rounds = Rounds(self._steps, MOST_ROUNDS + 1, moves)
        walks: Walks[Counted] = Walks(rounds, LOOK, Random(seed), self._seconds)
        return walks.states

    def _moved(self, states: Iterable[State]) -> bool:
        """Whether the steps from more states say something else about what settles."""
        self._moves.look(self._steps, dict.fromkeys(states), self._seconds)
        before, self.settling = self.settling, self._moves.settling()
        return before != self.settling

    def _rounds(self, states: Iterable[Counted]) -> int | None:
        most = max((one.rounds for one in states), default=0)
        return most if most <= MOST_ROUNDS else None

    def model(self, most: int) -> Model:
        """The model that claims a number of rounds."""
        return rounds_model(self._product, self._name, most, self.settling)

    def learn(self, trace: Trace) -> None:
        """Another guess, after a counterexample to the present one."""
        assert self.most is not None
        size = len(self._product.variables)
        states = [stage.state[:size] for stage in trace.stages if stage.state is not None]
        for before, after in pairwise(states):
            self._moves.observe(before, after)
        settling = self._moves.settling()
        if settling == self.settling:
            self.most = self.most + 1 if self.most < MOST_ROUNDS else None
        self.settling = settling
