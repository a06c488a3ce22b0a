"""The order in which a sweep passes over the actions.

The protocol's own order comes first. The rest goes by the number of steps after which an action is first
enabled, seen in a short breadth-first look at the concrete states; among equals, and for actions that the
look did not meet, by what they read and write.
"""

from __future__ import annotations

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.encode import static_order
from leadline.symbolic.lang.model import Action, Model

LOOK = 2000
"""States that the look visits at most: it takes a few hundredths of a second."""


def sweep_order(model: Model, semantics: Semantics) -> tuple[Action, ...]:
    """The actions in the order of a sweep."""
    own = {name: place for place, name in enumerate(model.sweep_order)}
    first = first_enabled(model, semantics)
    ranks = {action.name: place for place, action in enumerate(static_order(model))}
    far = len(first) + LOOK

    def key(action: Action) -> tuple[int, int, int]:
        return own.get(action.name, len(own)), first.get(action.name, far), ranks[action.name]

    return tuple(sorted(model.actions, key=key))


def first_enabled(model: Model, semantics: Semantics) -> dict[str, int]:
    """For each action met, the least number of steps after which it is enabled."""
    layer: list[State] = [x.state for x in semantics.initial() if x.state is not None][:LOOK]
    seen = set(layer)
    found: dict[str, int] = {}
    depth = 0
    while layer and len(seen) < LOOK and len(found) < len(model.actions):
        after: list[State] = []
        for state in layer:
            for outcome in semantics.successors(state):
                found.setdefault(outcome.action, depth)
                if outcome.state is not None and outcome.state not in seen and len(seen) < LOOK:
                    seen.add(outcome.state)
                    after.append(outcome.state)
        layer, depth = after, depth + 1
    return found
