"""States side by side: a *lane* for each state, and a packed *row* for each bit of all of them.

A state is some words of 64 bits. A batch of states is an array of shape (states, words). Sliced, it is an array of
rows, one for each bit of a state: bit `i` of a row belongs to the state in lane `i`, so that one operation on a
row is an operation on all states. This module has all that goes from one form to the other; with the bitwise
operations of `programs` and the arrays of `search` it is what another array library would have to offer.

The transposition is by blocks of 64 lanes and 64 bits, many of them at once: H. S. Warren, Hacker's Delight,
2nd edition, 7-3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.int64]

WORD = 64
_SWAPS = tuple(
    (shift, np.uint64(mask))
    for shift, mask in (
        (32, 0x00000000FFFFFFFF),
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    )
)
_BLOCKS = 1 << 10
"""So many blocks at a time fit into a core's cache."""
_WORDS = 4
"""Blocks of so many words of a state are transposed together, so that a state is in the cache for all of them."""


def keep_memory() -> None:
    """Have the memory of arrays that are given up used for the next ones, rather than asked of the system again.

    glibc does so with arrays that are no larger than one it has given back, of 32 MB at most.
    """
    np.empty(31 << 20, np.uint8)


def words_for(bits: int) -> int:
    """The number of words that hold so many bits; at least one."""
    return max(1, -(-bits // WORD))


def sliced(states: Words, rows: Words) -> None:
    """Slice a batch of states.

    Args:
        states: of shape (states, words); not more than the lanes of the rows. Lanes without a state become zero.
        rows: receives the rows of the first bits; of shape (bits, lanes / 64).
    """
    bits, size = rows.shape
    lanes = states
    if len(states) < size * WORD:
        lanes = np.zeros((size * WORD, states.shape[1]), np.uint64)
        lanes[: len(states)] = states
    by_word = lanes.reshape(size, WORD, -1).transpose(2, 1, 0)
    for first, last, begin, end in _pieces(words_for(bits), size):
        blocks = by_word[first:last, :, begin:end].copy()
        _transpose(blocks)
        place = rows[first * WORD : last * WORD, begin:end]
        place[:] = blocks.reshape(-1, end - begin)[: len(place)]


def unsliced(rows: Words, states: int, chosen: Indices | None = None) -> Words:
    """The states of the first lanes; the inverse of `sliced`.

    Args:
        rows: the rows of the first bits of a state; its other bits are zero.
        states: the number of states.
        chosen: the places of these rows among those given; None for all.
    """
    bits, size = rows.shape
    if chosen is not None:
        bits = len(chosen)
    words = words_for(bits)
    lanes = np.empty((size, WORD, words), np.uint64)
    for first, last, begin, end in _pieces(words, size):
        blocks = np.zeros((last - first, WORD, end - begin), np.uint64)
        some = slice(first * WORD, last * WORD)
        place = rows[some if chosen is None else chosen[some], begin:end]
        blocks.reshape(-1, end - begin)[: len(place)] = place
        _transpose(blocks)
        lanes[begin:end, :, first:last] = blocks.transpose(2, 1, 0)
    return lanes.reshape(-1, words)[:states]


def _pieces(words: int, size: int) -> Iterator[tuple[int, int, int, int]]:
    """Pieces of so many words of a state in so many words of a row: the bounds of each."""
    height = max(min(words, _WORDS), _BLOCKS // max(1, size))
    width = _BLOCKS // height
    for begin in range(0, size, width):
        for first in range(0, words, height):
            yield first, min(first + height, words), begin, min(begin + width, size)


def _transpose(blocks: Words) -> None:
    """Transpose blocks of 64 times 64 bits in place: in an array of shape (words, 64, size), along its middle."""
    words, _, size = blocks.shape
    room = np.empty(blocks.size // 2, np.uint64)
    for number, mask in _SWAPS:
        halves = blocks.reshape(words, 32 // number, 2, number, size)
        upper, lower = halves[:, :, 0], halves[:, :, 1]
        swap, shift = room.reshape(upper.shape), np.uint64(number)
        np.right_shift(upper, shift, swap)
        np.bitwise_xor(swap, lower, swap)
        np.bitwise_and(swap, mask, swap)
        np.bitwise_xor(lower, swap, lower)
        np.left_shift(swap, shift, swap)
        np.bitwise_xor(upper, swap, upper)


def where(row: Words) -> Indices:
    """The lanes at which a row is set, in ascending order."""
    bits = np.unpackbits(row.view(np.uint8), bitorder="little")
    return np.flatnonzero(bits.view(np.bool_))


def count(rows: Words) -> npt.NDArray[np.uint64]:
    """The number of lanes at which each row is set."""
    found: npt.NDArray[np.uint64] = np.bitwise_count(rows).sum(axis=-1, dtype=np.uint64)
    return found


@dataclass(frozen=True, eq=False)
class Scatter:
    """Puts bits of rows into states.

    Attributes:
        byte: the bytes of a state that receive bits from rows, ascending.
        begins: for each byte, the place of its first bit among the rows.
        shifts: for each row, the place of its bit in its byte.
        keep: for each byte, the mask of the bits that stay.
    """

    byte: Sequence[int]
    begins: Sequence[int]
    shifts: npt.NDArray[np.uint8]
    keep: Sequence[np.uint8]

    @staticmethod
    def of(bits: Sequence[int]) -> Scatter:
        """The scatter of rows for some bits of a state.

        Args:
            bits: the bit for each row, ascending.
        """
        byte = sorted({bit >> 3 for bit in bits})
        keep = [0xFF & ~sum(1 << (bit & 7) for bit in bits if bit >> 3 == one) for one in byte]
        begins = [next(i for i, bit in enumerate(bits) if bit >> 3 == one) for one in byte]
        shifts = np.array([bit & 7 for bit in bits], np.uint8).reshape(-1, 1)
        return Scatter(byte, begins, shifts, [*map(np.uint8, keep)])

    def put(self, rows: Words, lanes: Indices, states: Words) -> None:
        """Set the bits of states.

        Args:
            rows: the rows, one for each bit.
            lanes: the lane of each state.
            states: the states; changed in place.
        """
        found = rows.view(np.uint8).take(lanes >> 3, axis=1)
        found >>= (lanes & 7).astype(np.uint8)
        found &= np.uint8(1)
        found <<= self.shifts
        columns = states.view(np.uint8)
        ends = [*self.begins[1:], len(rows)]
        for byte, keep, begin, end in zip(self.byte, self.keep, self.begins, ends, strict=True):
            whole = found[begin]
            for bit in found[begin + 1 : end]:
                whole |= bit
            column = columns[:, byte]
            column &= keep
            column |= whole
