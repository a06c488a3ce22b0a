"""Types learned from runs: the interpreter runs ahead, and the values that it meets give each variable a type."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from leadline.symbolic.lang.types import Type
from leadline.symbolic.tla import shapes
from leadline.symbolic.tla.interpreter import FAILURES, Interpreter, State
from leadline.symbolic.tla.typing import type_of

WALK = 300
"""The steps of a random walk."""


class _Enough(Exception):
    """No more states are needed."""


@dataclass
class Learner:
    """The types of the values met so far.

    Attributes:
        interpreter: the meaning of the specification.
        types: the type of each variable; `Never` before the first state.
    """

    interpreter: Interpreter
    types: dict[str, Type] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.interpreter.variables:
            self.types.setdefault(name, shapes.NEVER)
        self._met: list[set[Any]] = [set() for _ in self.interpreter.variables]
        constraints = self.interpreter.specification.constraints
        self._constraints = [self.interpreter.predicate(one) for one in constraints]

    def meet(self, states: Iterable[State]) -> None:
        """Widen the types to hold the values of states."""
        for state in states:
            for name, met, value in zip(self.interpreter.variables, self._met, state, strict=True):
                if value not in met:
                    met.add(value)
                    self.types[name] = shapes.join(self.types[name], type_of(value))

    def initial(self) -> list[State]:
        """The initial states."""
        return self._found(self.interpreter.steps[0], None)

    def some_initial(self, most: int = 10_000) -> list[State]:
        """The first initial states."""
        found: list[State] = []

        def add(state: State | None) -> None:
            if state is not None:
                found.append(state)
            if len(found) >= most:
                raise _Enough

        with suppress(_Enough):
            self.interpreter.steps[0](None, add)
        return found

    def successors(self, state: State) -> list[State]:
        """The states after a state, within the constraints; none if it is beyond them."""
        if not all(self._holds(test, state) for test in self._constraints):
            return []
        return [after for step in self.interpreter.steps[1:] for after in self._found(step, state)]

    def _holds(self, test: Callable[[State], bool], state: State) -> bool:
        try:
            return bool(test(state))
        except FAILURES:
            return False

    def _found(self, step: Callable[..., None], state: State | None) -> list[State]:
        found: list[State | None] = []
        step(state, found.append)
        return [one for one in found if one is not None]

    def run_ahead(self, starts: Sequence[State], seconds: float, most: int = 50_000) -> None:
        """Meet states breadth first for half of the time, and then those of random walks.

        Args:
            starts: where runs begin.
            seconds: the time, of the processor.
            most: the most states met breadth first.
        """
        begin = time.process_time()
        known = dict.fromkeys(starts)
        self.meet(known)
        frontier = list(known)
        while frontier and len(known) < most:
            found: dict[State, None] = {}
            for state in frontier:
                found |= dict.fromkeys(x for x in self.successors(state) if x not in known)
                if time.process_time() - begin > seconds / 2:
                    break
            self.meet(found)
            known |= found
            if time.process_time() - begin > seconds / 2:
                break
            frontier = list(found)
        if frontier and starts:
            self._walk(starts, begin + seconds)

    def _walk(self, starts: Sequence[State], until: float) -> None:
        chance = random.Random(0)
        while time.process_time() < until:
            state = chance.choice(starts)
            for _ in range(WALK):
                after = self.successors(state)
                if not after:
                    break
                self.meet(after)
                state = chance.choice(after)
