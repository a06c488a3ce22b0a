"""Paths: the outcomes that lead from an initial state through others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from leadline.symbolic.lang import InternalError
from leadline.symbolic.meaning.interface import Meaning, Outcome, State

Path: TypeAlias = tuple[Outcome, ...]
"""The outcome of init, and then that of each step; of length 1 for an initial state."""


def path_of(semantics: Meaning, states: Sequence[State | None]) -> Path:
    """A path through some states, the first an initial one; a last None is a step out of bounds.

    Where states stand for others, it is a path through such as they stand for.
    """
    path = list[Outcome]()
    for following in states:
        before = path[-1].state if path else None
        outcomes = semantics.initial() if before is None else semantics.successors(before)
        path.append(_reaching(semantics, outcomes, following))
    return tuple(path)


def _reaching(semantics: Meaning, outcomes: Iterable[Outcome], state: State | None) -> Outcome:
    """The first of some outcomes that leads to a state, or out of bounds if that is None.

    Raises:
        InternalError: if none does.
    """
    canonical = semantics.canonical
    for outcome in outcomes:
        found = outcome.state
        if found == state or (canonical is not None and found is not None and canonical(found) == state):
            return outcome
    raise InternalError(f"no step reaches {state!r}, though one was taken")
