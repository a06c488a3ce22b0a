"""The states visited: an exact set of packed words that knows their order.

States lie one behind the other in the order in which they were added. A table with open addressing and linear
probing has the number of a state and some bits of its hash in each slot that is taken. The bits tell most other
states apart, and the words themselves tell the rest: nothing depends on the hash being free of collisions.
"""

from __future__ import annotations

import numpy as np

from leadline.symbolic.bits.lanes import Indices, Words

_FIRST = 1 << 12
_NUMBER = np.uint64(0xFFFFFFFF)
_TAG = np.uint64(0xFFFFFFFF00000000)
_REHASHED = 1 << 16
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def hashes(states: Words) -> Words:
    """A hash of each of some states: the finalizer of splitmix64 over their words."""
    first, second, third = map(np.uint64, _MULTIPLIERS)
    found = states[:, 0] * first
    found ^= found >> np.uint64(32)
    for column in states.T[1:]:
        found ^= column
        found *= second
        found ^= found >> np.uint64(29)
    found *= third
    found ^= found >> np.uint64(32)
    return found


class Rows:
    """States one behind the other.

    Args:
        width: the number of words of a state.

    Attributes:
        size: the number of states.
        room: the states, and room for more.
    """

    def __init__(self, width: int) -> None:
        self.size = 0
        self.room = np.empty((_FIRST, width), np.uint64)

    @property
    def all(self) -> Words:
        """The states in the order in which they were added."""
        return self.room[: self.size]

    def add(self, states: Words) -> None:
        """Add some states."""
        end = self.size + len(states)
        if end > len(self.room):
            grown = np.empty((max(end, self.size + self.size // 2), self.room.shape[1]), np.uint64)
            grown[: self.size] = self.all
            self.room = grown
        self.room[self.size : end] = states
        self.size = end


class Table:
    """A set of states.

    Args:
        width: the number of words of a state.

    Attributes:
        looked_up: the slots of the states that were given last, those that are new among them.
    """

    def __init__(self, width: int) -> None:
        self.looked_up = np.empty(0, np.int64)
        self._rows = Rows(width)
        self._slots = np.zeros(2 * _FIRST, np.uint64)

    @property
    def size(self) -> int:
        """The number of states."""
        return self._rows.size

    @property
    def states(self) -> Words:
        """The states in the order in which they were added."""
        return self._rows.all

    def add(self, states: Words, most: int | None = None) -> tuple[Indices, bool]:
        """Add those of some states that are new.

        Args:
            states: the states.
            most: how many may be added; None for any number.

        Returns:
            Which were added, as their places among those given, ascending, as their numbers are; and whether
            there were more. Nothing can be added after that.
        """
        self._make_room(len(states))
        marks = hashes(states)
        at = self._slot(marks)
        marks &= _TAG
        # A new state claims a slot, by a number behind those of all that exist.
        claims = marks | np.arange(self.size + 1, self.size + 1 + len(states), dtype=np.uint64)
        place = np.arange(len(states))
        slot = np.full(len(states), -1)
        self.looked_up = np.empty(len(states), np.int64)
        while len(place):
            there = self._slots[at]
            self.looked_up[place] = at
            free = np.flatnonzero(there == 0)
            if len(free):
                # Of equal states the first wins: later assignments prevail.
                self._slots[at[free[::-1]]] = claims[place[free[::-1]]]
                there[free] = self._slots[at[free]]
                won = free[there[free] == claims[place[free]]]
                slot[place[won]] = at[won]
            going = self._differs(states, place, there, marks)
            place, at = place[going], (at[going] + 1) & (len(self._slots) - 1)
        new = np.flatnonzero(slot >= 0)
        added = new[:most]
        numbers = np.arange(self.size + 1, self.size + 1 + len(added), dtype=np.uint64)
        self._slots[slot[added]] = marks[added] | numbers
        self._rows.add(states[added])
        return added, len(new) > len(added)

    def numbers(self) -> Indices:
        """The numbers of the states that were given last, if none of them was left out."""
        found: Indices = (self._slots[self.looked_up] & _NUMBER).astype(np.int64) - 1
        return found

    def _slot(self, marks: Words) -> Indices:
        """The slot at which to look for a state first."""
        return (marks & np.uint64(len(self._slots) - 1)).astype(np.int64)

    def _differs(self, states: Words, place: Indices, there: Words, marks: Words) -> Indices:
        """Those of some states that are not the one in their slot, which may be one that is being added."""
        differs = (there ^ marks[place]) > _NUMBER
        alike = np.flatnonzero(~differs)
        number = (there[alike] & _NUMBER).astype(np.int64) - 1
        own = number - self.size
        other = self._rows.room[np.where(own >= 0, 0, number)]
        if own.max(initial=-1) >= 0:
            other[own >= 0] = states[own[own >= 0]]
        for column, own_column in zip(other.T, states.T, strict=True):
            differs[alike] |= column != own_column[place[alike]]
        return np.flatnonzero(differs)

    def _make_room(self, more: int) -> None:
        """See to it that a third of the slots stay free, so many more states come."""
        needed = self.size + more
        if 3 * needed > 2 * len(self._slots):
            size = len(self._slots)
            while 3 * needed > 2 * size:
                size *= 2
            self._slots = np.zeros(size, np.uint64)
            for begin in range(0, self.size, _REHASHED):
                self._enter(begin, min(begin + _REHASHED, self.size))

    def _enter(self, begin: int, end: int) -> None:
        """Put states that have numbers into a table that lacks them."""
        marks = hashes(self.states[begin:end])
        at = self._slot(marks)
        entries = (marks & _TAG) | np.arange(begin + 1, end + 1, dtype=np.uint64)
        while len(at):
            free = np.flatnonzero(self._slots[at] == 0)
            self._slots[at[free]] = entries[free]
            lost = np.flatnonzero(self._slots[at] != entries)
            at, entries = (at[lost] + 1) & (len(self._slots) - 1), entries[lost]
