"""The order of the actions in a sweep.

The protocol's own order comes first. The other actions are sorted by the number of steps after which
they are first enabled, seen in the runs that types were learned from, or else in a short breadth-first look at the
concrete states; ties, and actions that were not met, stay as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import Action, Model
from leadline.symbolic.meaning import Step

LOOK = 1000
"""The most states that the look visits, in a few hundredths of a second."""

BEGINNINGS = 100
"""The most initial states among them: where there are many, the look must get beyond them."""

TRIES = 1000
"""The most values to try for the picks of an action in a state: large types are cut short."""

ALL_TRIES = 10_000
"""The same over all actions and states, with the number of actions added."""


def sweep_order(model: Model, semantics: Semantics) -> tuple[Action, ...]:
    """The actions in the order of a sweep."""
    given = {one.name for one in model.actions} <= set(model.sweep_order)
    return _in_order(model, _first_taken(model) or ({} if given else first_enabled(model, semantics)))


def known_order(base: Model, actions: Sequence[Action]) -> tuple[str, ...]:
    """The names of the actions of a model made of another one, in the order of a sweep as far as it is known.

    Args:
        base: the other model. Where runs have told when its actions are taken, no look at the new one is needed.
        actions: the actions of the new model; those that the other one has not come first.
    """
    first = _first_taken(base)
    if not first:
        return base.sweep_order
    own = [one.name for one in _in_order(base, first)]
    return (*(one.name for one in actions if one.name not in own), *own)


def _first_taken(model: Model) -> dict[str, int]:
    """The number of steps after which actions were taken in runs; none where no runs were taken."""
    known = {} if model.origin is None else model.origin.first_taken()
    return {one.name: known[one.tla] for one in model.actions if one.tla in known}


def _in_order(model: Model, first: Mapping[str, int]) -> tuple[Action, ...]:
    own = {name: place for place, name in enumerate(model.sweep_order)}

    def key(action: Action) -> tuple[int, int]:
        return own.get(action.name, len(own)), first.get(action.name, LOOK)

    return tuple(sorted(model.actions, key=key))


def first_enabled(model: Model, semantics: Semantics) -> dict[str, int]:
    """The number of steps after which an action is first enabled, for the actions that the look meets."""
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
    """The states that a look has seen, and the number of tries left."""

    def __init__(self, semantics: Semantics) -> None:
        self.semantics = semantics
        self.left = ALL_TRIES
        self.seen: set[State] = set()

    @property
    def full(self) -> bool:
        """Whether it has seen as many states as it may."""
        return len(self.seen) >= LOOK

    def outcomes(self, state: State | None, action: str) -> Iterator[Step]:
        """The outcomes of an action in a state, as many as the look may try."""
        self.left -= 1
        for attempt in islice(self.semantics.attempts(state, action), max(0, min(TRIES, self.left))):
            self.left -= 1
            if attempt is not None:
                yield attempt

    def states(self, outcomes: Iterator[Step]) -> Iterator[State]:
        """The new states among outcomes."""
        for outcome in outcomes:
            state = outcome.state
            if state is not None and state not in self.seen and not self.full:
                self.seen.add(state)
                yield state
