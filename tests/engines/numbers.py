"""The numbers that an exploration tells."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Model,
)
from leadline.symbolic.meaning import Exploration


def names_of(model: Model) -> list[str]:
    return [one.name for one in model.properties.values() if one.temporal is None]


def numbers(found: Exploration) -> dict[str, Any]:
    """All that does not depend on which of several states was first."""
    return {
        **{name: getattr(found, name) for name in ("states", "states_within_steps", "complete", "generated")},
        **{name: getattr(found, name) for name in ("actions", "deadlocks", "steps_out_of_bounds", "stopped")},
        "violations": {name: one.violations for name, one in found.properties.items()},
        "lengths": lengths(found),
        "orbits": found.orbits_within_steps,
    }


def lengths(found: Exploration) -> dict[str, int | None]:
    """The lengths of the paths found."""
    paths = {"deadlock": found.deadlock, "outside": found.out_of_bounds}
    for name, one in found.properties.items():
        paths |= {f"{name} violated": one.violation, f"{name} outside": one.out_of_bounds}
    return {name: None if path is None else len(path) for name, path in paths.items()}
