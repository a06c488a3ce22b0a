"""Orbits: the states that permutations of the members of sorts turn into each other, as one state.

C. N. Ip, D. L. Dill: Better verification through symmetry, Formal Methods in System Design 9, 1996. The
representative of a state is its least image. This is the oracle for `leadline.symbolic.bits.orbits`, and finds
paths. The identity alone puts what is in slots in order, so that equal sets of messages are equal values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from leadline.symbolic.concrete.semantics import Semantics, State
from leadline.symbolic.lang import Model, Permutation, permuted


class Symmetric(Semantics):
    """The meaning of a model whose states stand for their orbits: each step leads to a least image.

    Args:
        model: the model.
        group: permutations of members of sorts that it treats alike, with the identity and all that combine them.
        watched: the names of sorts whose order shows in some states. A search has to look whether it reaches one.
        weighing: whether a state that stands for others counts for all of them.
    """

    def __init__(
        self,
        model: Model,
        group: Sequence[Permutation],
        watched: frozenset[str] = frozenset(),
        *,
        weighing: bool = True,
    ) -> None:
        super().__init__(model)
        self.group = group
        self.watched = watched
        self._kinds = [variable.type for variable in model.variables]
        self.canonical = self._least
        if weighing:
            self.weight = lambda state: len(set(self._images(state)))

    def _images(self, state: State) -> list[State]:
        return [
            tuple(permuted(kind, x, one) for kind, x in zip(self._kinds, state, strict=True))
            for one in self.group
        ]

    def _least(self, state: State) -> State:
        def ranks(image: State) -> list[Any]:
            return [kind.order(x) for kind, x in zip(self._kinds, image, strict=True)]

        return min(self._images(state), key=ranks)

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        return [self._to_least(step) for step in super().steps]

    def _to_least(self, step: Callable[..., None]) -> Callable[..., None]:
        def find(state: State | None, add: Callable[[Any], None]) -> None:
            step(state, lambda found: add(None if found is None else self._least(found)))

        return find


def in_order(model: Model) -> Semantics:
    """The meaning of a model in whose states what is in slots is in order: the identity alone is no symmetry."""
    return Symmetric(model, [{}], weighing=False)
