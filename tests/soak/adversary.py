"""The adversary: a list of harms made from a seed, and how each is done."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

_T = TypeVar("_T")

_SHORTEST = 0.1  # of a pause, relative to the average one

HARMS: Mapping[str, int] = {
    "kill driver": 2,
    "interrupt driver": 1,
    "terminate driver": 1,
    "kill driver's Java": 2,
    "kill executor": 3,
    "kill worker": 2,
    "kill master": 1,
    "kill Python worker": 3,
    "kill fork server": 2,
    "kill solver child": 4,
    "fill disk": 2,
    "cut store": 2,
    "corrupt row": 5,
    "compact store": 1,
    "second grid": 1,
    "kill second grid": 1,
}
"""The harms, with their weights."""

ENDS_A_DRIVER = frozenset(
    {
        *("kill driver", "interrupt driver", "terminate driver", "kill driver's Java", "kill master"),
        *("fill disk", "cut store"),
    }
)
"""The harms that end a driver. In the middle third none is done, so that one driver lives for long."""


@dataclass(frozen=True)
class Harm:
    """A harm that is to be done.

    Attributes:
        at: when, in seconds from the start.
        kind: one of `HARMS`.
        pick: a number in [0, 1) that chooses the victim.
        lasts: seconds until it is undone, if it can be.
    """

    at: float
    kind: str
    pick: float
    lasts: float

    def choose(self, victims: Sequence[_T]) -> _T | None:
        """One of several victims; None if there is none."""
        return victims[int(self.pick * len(victims))] if victims else None


def harms(seed: int, seconds: float, pause: float) -> Iterator[Harm]:
    """The harms of a seed, in the order of their times.

    Args:
        seed: the seed.
        seconds: how long the adversary is at work.
        pause: seconds between two harms, on average.
    """
    chance = random.Random(seed)
    kinds, weights = [*HARMS], [*HARMS.values()]
    at = pause
    while at < seconds:
        (kind,) = chance.choices(kinds, weights)
        pick, lasts = chance.random(), chance.uniform(2, 8)
        calm = seconds / 3 <= at < 2 * seconds / 3
        if not (calm and kind in ENDS_A_DRIVER):
            yield Harm(at, kind, pick, lasts)
        at += pause * (_SHORTEST + chance.expovariate(1 / (1 - _SHORTEST)))


@dataclass(frozen=True)
class Undo:
    """The end of a harm, and its time."""

    at: float
    what: str
    do: Callable[[], None]
