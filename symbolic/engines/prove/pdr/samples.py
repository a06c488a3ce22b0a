"""Reachable states, gathered by random walks: no clause that excludes one of them is an invariant.

The sample is kept by literal: for each literal a number whose bit i says that it is true in sample i, so that
a cube is compared with all samples by a few operations on long numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from random import Random

from leadline.symbolic.concrete import Semantics, State, first_states
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.engines.prove.pdr.system import Choice, System
from leadline.symbolic.lang import Permutation, permuted

_MOST = 150_000
"""Samples that are kept at most, with their images under permutations."""

_STRIDE = 40
"""Steps of a walk before the next one begins, in a state that was found and not left yet."""


MOST_SECONDS = 2.0
"""The seconds of the processor after which walks end: some models take milliseconds for a step in values."""


MOST_INITIAL = 5_000
"""Initial states that are taken, where there are more."""


class Walks:
    """Reachable states of a model, found by random walks.

    Args:
        semantics: the model's concrete meaning.
        limit: the number of states at which to stop; initial states, up to `MOST_INITIAL`, are taken in any
            case.
        dice: what choices are drawn from.
        seconds: the seconds of the processor after which walks end.

    Attributes:
        states: the states.
    """

    def __init__(self, semantics: Semantics, limit: int, dice: Random, seconds: float = MOST_SECONDS) -> None:
        self._semantics = semantics
        self._dice = dice
        self.states: list[State]
        first, *self._steps = semantics.steps
        self.states, self._more = first_states(first, MOST_INITIAL)
        self._parents: dict[State, State | None] = dict.fromkeys(self.states)
        self._fired = [0] * len(self._steps)
        self._waiting = list(range(len(self.states)))
        self.walk(limit, seconds)

    @property
    def complete(self) -> bool:
        """Whether the states are all reachable ones."""
        return not self._waiting and not self._more

    def walk(self, limit: int, seconds: float = MOST_SECONDS) -> None:
        """Walk on until there are so many states, or all, or so many seconds of the processor are over."""
        steps, fired, waiting, dice = self._steps, self._fired, self._waiting, self._dice
        until = time.process_time() + seconds
        while waiting and len(self.states) < limit and time.process_time() < until:
            place = dice.randrange(len(waiting))
            waiting[place], waiting[-1] = waiting[-1], waiting[place]
            at = waiting.pop()
            for _ in range(_STRIDE):
                before = self.states[at]
                ranges = [(action, self._take(step, before)) for action, step in enumerate(steps)]
                found = [(fired[action], dice.random(), action, new) for action, new in ranges if new]
                if not found or time.process_time() > until:
                    waiting += [x for _, _, _, some in found for x in some]
                    break
                _, _, action, new = min(found)
                fired[action] += 1
                at = dice.choice(new)
                waiting += [x for _, _, _, some in found for x in some if x != at]
            else:
                waiting.append(at)

    def _take(self, step: Callable[..., None], parent: State) -> range:
        """Take the states after a step that are new; their places."""
        found: list[State | None] = []
        step(parent, found.append)
        before = len(self.states)
        for state in found:
            if state is not None and state not in self._parents:
                self._parents[state] = parent
                self.states.append(state)
        return range(before, len(self.states))

    def choices_to(self, state: State) -> list[Choice]:
        """The choices of a run to a state that was found, that of the initial state first."""
        chain: list[State | None] = [state]
        while chain[-1] is not None:
            chain.append(self._parents[chain[-1]])
        chain.reverse()
        return [self._between(before, after) for before, after in pairwise(chain)]

    def _between(self, before: State | None, after: State | None) -> Choice:
        """A way to get from a state, or from none to an initial one, to another."""
        outcomes = self._semantics.initial() if before is None else self._semantics.successors(before)
        found = next(x for x in outcomes if x.state == after)
        return found.action, dict(found.picks)


class Samples:
    """Reachable states, and their images under the permutations that map runs to runs.

    Args:
        system: the model's transition system.
        walks: the states.
        dice: what the permutations are drawn from where there are too many.
    """

    def __init__(self, system: System, walks: Walks, dice: Random) -> None:
        self._system, self._walks = system, walks
        self._states = walks.states
        own = self._by_literal()
        self._images = system.permutations(max(1, _MOST // max(1, len(walks.states))), dice)
        self._columns, self._all = self._with_images(own)

    # -- by literal --------------------------------------------------------------------------------

    def _by_literal(self) -> dict[int, int]:
        size = self._system.size
        pairs = [self._system.facts.packed(state) for state in self._states]
        every = (1 << size) - 1
        # A literal that does not matter may be true and may be false.
        true = _transposed([true | (every & ~matters) for true, matters in pairs], size)
        false = _transposed([every & ~true for true, _ in pairs], size)
        return {x: true[x - TRUE - 1] if x > 0 else false[-x - TRUE - 1] for x in self._literals()}

    def _literals(self) -> Iterable[int]:
        return (sign * x for x in self._system.row for sign in (1, -1))

    def _with_images(self, own: dict[int, int]) -> tuple[dict[int, int], int]:
        count = len(self._states)
        found = dict.fromkeys(own, 0)
        for place, permutation in enumerate(self._images):
            image = self._system.images_under(permutation)
            for literal, column in own.items():
                found[image[literal]] |= column << place * count
        return found, (1 << count * len(self._images)) - 1

    # -- questions ---------------------------------------------------------------------------------

    def hits(self, cube: Iterable[int]) -> int:
        """The samples and images of samples that are in a cube, as the bits of a number."""
        found = self._all
        for literal in cube:
            found &= self._columns[literal]
            if not found:
                return 0
        return found

    def within(self, hits: int, literal: int) -> int:
        """Those among some samples of which a literal is true."""
        return hits & self._columns[literal]

    def run(self, hits: int) -> list[Choice]:
        """The choices of a run to one of some samples, that of the initial state first."""
        image, place = divmod((hits & -hits).bit_length() - 1, len(self._states))
        return self._moved(self._walks.choices_to(self._states[place]), self._images[image])

    def _moved(self, choices: Sequence[Choice], permutation: Permutation) -> list[Choice]:
        """The choices of a run's image under a permutation."""
        model = self._system.model
        types = {
            (action.name, pick.name): pick.type
            for action in (model.init, *model.actions)
            for pick in action.picks
        }
        return [
            (action, {name: permuted(types[action, name], x, permutation) for name, x in picks.items()})
            for action, picks in choices
        ]


def _transposed(rows: Sequence[int], width: int) -> list[int]:
    """For each of the bits of several numbers, the number whose bit i is that of the i-th."""
    if not rows or not width:
        return [0] * width
    text = "".join([f"{row:0{width}b}" for row in reversed(rows)])
    return [int(text[place::width], 2) for place in range(width - 1, -1, -1)]
