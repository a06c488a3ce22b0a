"""Orbits: the states that permutations of the members of sorts turn into each other, as one state.

C. N. Ip, D. L. Dill: Better verification through symmetry, Formal Methods in System Design 9, 1996. The
representative of a state is its least image. The least one is found variable by variable: of the permutations
that make the variables before least, those are kept that make this one least. Which these are depends on few
values, so it is remembered, and most states need a look-up for each variable, however many permutations
there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import permutations, product
from typing import Any

from leadline.symbolic.concrete.semantics import Semantics, State
from leadline.symbolic.lang import Model, Permutation, Sort, Type, Value, permuted


def permutations_of(sorts: Sequence[Sort]) -> int:
    """The number of permutations of the members of sorts."""
    return math.prod(math.factorial(sort.cardinality) for sort in sorts)


class Orbits:
    """The orbits of a model's states.

    Args:
        kinds: the types of the variables.
        sorts: the sorts whose members are permuted, few enough that their permutations can be listed.
    """

    def __init__(self, kinds: Iterable[Type], sorts: Sequence[Sort]) -> None:
        members = [tuple(sort.values()) for sort in sorts]
        self._group: list[Permutation] = [
            {
                (sort.name, x): y
                for sort, own, image in zip(sorts, members, images, strict=True)
                for x, y in zip(own, image, strict=True)
                if x != y
            }
            for images in product(*map(permutations, members))
        ]
        self._kinds = tuple(kinds)
        # Sets of permutations by number, the whole group first.
        everything = tuple(range(len(self._group)))
        self._kept = [everything]
        self._numbers = {everything: 0}
        self._steps: list[dict[tuple[int, Value], tuple[Value, int]]] = [{} for _ in self._kinds]

    def least(self, state: State) -> State:
        """The least image of a state."""
        kept = 0
        image = []
        for place, steps in enumerate(self._steps):
            found = steps.get((kept, state[place]))
            if found is None:
                found = self._step(place, kept, state[place])
            image.append(found[0])
            kept = found[1]
        return tuple(image)

    def size(self, state: State) -> int:
        """The number of states in the orbit of a state."""
        kept = 0
        for place, steps in enumerate(self._steps):
            found = steps.get((kept, state[place])) or self._step(place, kept, state[place])
            kept = found[1]
        # The permutations that give the least image are as many as those that change nothing.
        return len(self._group) // len(self._kept[kept])

    def _step(self, place: int, kept: int, value: Value) -> tuple[Value, int]:
        """The least image of a variable's value under some permutations, and the number of those that give it."""
        kind = self._kinds[place]
        by_image: dict[Value, list[int]] = {}
        for number in self._kept[kept]:
            by_image.setdefault(permuted(kind, value, self._group[number]), []).append(number)
        least = min(by_image, key=kind.rank)
        left = tuple(by_image[least])
        if left not in self._numbers:
            self._numbers[left] = len(self._kept)
            self._kept.append(left)
        found = self._steps[place][kept, value] = least, self._numbers[left]
        return found


class Symmetric(Semantics):
    """The meaning of a model whose states stand for their orbits: each step leads to a least image.

    Args:
        model: the model.
        sorts: the sorts whose members it treats alike.
    """

    def __init__(self, model: Model, sorts: Sequence[Sort]) -> None:
        super().__init__(model)
        self._orbits = Orbits([variable.type for variable in model.variables], sorts)
        self.canonical = self._orbits.least
        self.weight = self._orbits.size

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        return [self._to_least(step) for step in super().steps]

    def _to_least(self, step: Callable[..., None]) -> Callable[..., None]:
        least = self._orbits.least

        def find(state: State | None, add: Callable[[Any], None]) -> None:
            step(state, lambda found: add(None if found is None else least(found)))

        return find
