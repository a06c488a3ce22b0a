"""Exit codes: those of TLC, which scripts know, and a few that TLC has no word for."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the process tells its caller."""

    HOLDS = 0
    WRONG_COMMAND = 2
    ASSUMPTION = 10
    DEADLOCK = 11
    VIOLATED = 12
    LIVENESS = 13
    UNKNOWN = 20
    OUT_OF_BOUNDS = 21
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    MODEL_MISTAKES = 150
    INTERNAL = 255


# A violation says more than an open question, and an open question more than "holds so far".
_WORST_FIRST = (Exit.VIOLATED, Exit.LIVENESS, Exit.DEADLOCK, Exit.OUT_OF_BOUNDS, Exit.UNKNOWN)


def worst(codes: list[Exit]) -> Exit:
    """The code for several verdicts together: that of the one that says most."""
    return next((code for code in _WORST_FIRST if code in codes), Exit.HOLDS)
