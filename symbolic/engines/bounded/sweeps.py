"""The order of the actions in a sweep.

The protocol's own order comes first. The other actions of a module are sorted by the number of steps after which
the runs that types were learned from first took them; ties, actions that these runs did not take, and those of
other protocols stay as they are written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from leadline.symbolic.lang import Action, Model


def sweep_order(model: Model) -> tuple[Action, ...]:
    """The actions in the order of a sweep."""
    known = {} if model.origin is None else model.origin.first_taken()
    own = {name: place for place, name in enumerate(model.sweep_order)}

    def key(action: Action) -> tuple[int, float]:
        return own.get(action.name, len(own)), known.get(action.tla, math.inf)

    return tuple(sorted(model.actions, key=key))


def known_order(base: Model, actions: Sequence[Action]) -> tuple[str, ...]:
    """The names of the actions of a model made of another one, in the order of a sweep.

    Args:
        base: the other model.
        actions: the actions of the new model; those that the other one has not come first.
    """
    own = [one.name for one in sweep_order(base)]
    return (*(one.name for one in actions if one.name not in own), *own)
