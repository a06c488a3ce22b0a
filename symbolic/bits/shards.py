"""A search that is divided over several places by the hash of states.

Each place has a *shard*: the states whose hash falls to it. It goes through a level by itself, and finds the shard
of each successor; blocks of these are sent there and looked up when the next level begins. Blocks are looked up in
a fixed order, so that a level that is gone through once more gives the same numbers to the same states.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from leadline.symbolic.bits.lanes import Indices, Words
from leadline.symbolic.bits.search import Findings, Moves, Search, Table, falling_to, hashes

NUMBERS = 32
"""The bits of a state's number in its shard; the number of the shard comes before them."""


class Block(NamedTuple):
    """States on their way to a shard.

    Attributes:
        states: the states.
        parents: for each, the state before it by shard and number; -1 for an initial one.
        moves: for each, 0 for init, or one more than the place of the step.
    """

    states: Words
    parents: Indices
    moves: Moves


@dataclass
class Shard(Search):
    """The part of a search that falls to one place.

    Args:
        number: its number.
        of: the number of shards.

    Attributes:
        out: the blocks of successors for each shard, of the last level.
    """

    number: int = 0
    of: int = 1
    parents: array[int] = field(default_factory=lambda: array("q"), init=False)
    out: list[list[Block]] = field(default_factory=list, init=False)

    def mine(self, states: Words) -> Words:
        """Those of some states that fall to this shard."""
        found: Words = states[falling_to(self.number, self.of, hashes(states))]
        return found

    def go(self, blocks: Iterable[Block], *, expand: bool) -> Findings:
        """Go through a level.

        Args:
            blocks: the states that have been sent here, in the order of the shards that have sent them.
            expand: whether to find their successors.

        Returns:
            The findings about the states that are new at this level, with their number as the size.
        """
        self._count_anew()
        self._sends, self.out = False, [[] for _ in range(self.of)]
        self.parents, self._came = array("q"), array("H")
        start = self.table.size
        for block in blocks:
            self.fired[0] += int(np.count_nonzero(block.parents < 0))
            notes = np.empty((len(block.states), 0), np.uint64)
            self._keep(block.states, block.parents, notes, block.moves)
        end = self.table.size
        if expand:
            self._begin_level(start, end)
            self._sent, self._sends = Table(self.width), True
            for low in range(start, end, self._steps.lanes):
                self._expand(low, min(end, low + self._steps.lanes))
            self._add()
            self._sends = False
        return self.findings()._replace(size=end - start)

    def _keep(self, states: Words, parents: Indices, marks: Words, takers: Moves) -> None:
        """Keep new states, or put successors into the blocks for their shards: each once."""
        if not self._sends:
            super()._keep(states, parents, marks, takers)
            return
        first, _ = self._sent.add(states)
        states, parents = states[first], parents[first] | (self.number << NUMBERS)
        marks, moves = hashes(states), takers[first]
        for place, blocks in enumerate(self.out):
            own = falling_to(place, self.of, marks)
            if len(own):
                blocks.append(Block(states[own], parents[own], moves[own]))


def joined(blocks: Sequence[Block]) -> Block:
    """Some blocks, at least one, as one."""
    return Block(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
