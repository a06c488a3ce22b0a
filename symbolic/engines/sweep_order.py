"""The order in which a sweep passes over the actions.

The protocol's own order comes first. The rest goes by the number of steps after which an action is first
enabled, seen in a short breadth-first look at the concrete states; among equals, and for actions that the
look did not meet, by what they read and write.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from leadline.symbolic.concrete import Outcome, Semantics, State
from leadline.symbolic.encode import static_order
from leadline.symbolic.lang.model import Action, Model

LOOK = 1000
"""States that the look visits at most: it takes a few hundredths of a second."""

BEGINNINGS = 100
"""Initial states among them: where there are many, the look must get beyond them."""

TRIES = 1000
"""Values that the picks of one action try in one state, and outcomes: large types are cut short."""

ALL_TRIES = 50_000
"""The same over all actions and states, and the actions looked at."""


def sweep_order(model: Model, semantics: Semantics) -> tuple[Action, ...]:
    """The actions in the order of a sweep."""
    own = {name: place for place, name in enumerate(model.sweep_order)}
    first = first_enabled(model, semantics)
    ranks = {action.name: place for place, action in enumerate(static_order(model))}
    far = LOOK

    def key(action: Action) -> tuple[int, int, int]:
        return own.get(action.name, len(own)), first.get(action.name, far), ranks[action.name]

    return tuple(sorted(model.actions, key=key))


def first_enabled(model: Model, semantics: Semantics) -> dict[str, int]:
    """For each action that a bounded look meets, the number of steps after which it is enabled."""
    look = _Look(semantics)
    layer = list(islice(look.states(look.outcomes(None, "init")), BEGINNINGS))
    found: dict[str, int] = {}
    depth = 0
    while layer and not look.full and len(found) < len(model.actions):
        after: list[State] = []
        for state in layer:
            for action in model.actions:
                if action.name in found and look.full:
                    continue
                outcomes = list(look.outcomes(state, action.name))
                if outcomes:
                    found.setdefault(action.name, depth)
                after += look.states(iter(outcomes))
        layer, depth = after, depth + 1
    return found


class _Look:
    """What a look has seen, and what it may still do."""

    def __init__(self, semantics: Semantics) -> None:
        self.semantics = semantics
        self.left = ALL_TRIES
        self.seen: set[State] = set()

    @property
    def full(self) -> bool:
        """Whether it takes no further states."""
        return len(self.seen) >= LOOK

    def outcomes(self, state: State | None, action: str) -> Iterator[Outcome]:
        """The outcomes of an action in a state, as far as the look goes."""
        self.left -= 1
        for attempt in islice(self.semantics.attempts(state, action), max(0, min(TRIES, self.left))):
            self.left -= 1
            if attempt is not None:
                yield attempt

    def states(self, outcomes: Iterator[Outcome]) -> Iterator[State]:
        """The new states among outcomes."""
        for outcome in outcomes:
            state = outcome.state
            if state is not None and state not in self.seen and not self.full:
                self.seen.add(state)
                yield state
