"""States side by side: a *lane* for each state, and a packed *row* for each bit of all of them.

A state is some words of 64 bits. A batch of states is an array of shape (states, words). Sliced, it is an array of
rows, one for each bit of a state: bit `i` of a row belongs to the state in lane `i`, so that one operation on a
row is an operation on all states. This module has all that goes from one form to the other; with the bitwise
operations of `programs` and the arrays of `search` it is what another array library would have to offer.

The transposition is by blocks of eight lanes and eight bits: H. S. Warren, Hacker's Delight, 2nd edition, 7-3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.int64]

WORD = 64
_SWAPS = tuple(
    (np.uint64(shift), np.uint64(mask))
    for shift, mask in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))
)


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
    columns = -(-bits // 8)
    # The bytes of a state that have wanted bits, one after the other for all lanes.
    lanes = np.zeros((columns, size * WORD), np.uint8)
    lanes[:, : len(states)] = states.view(np.uint8)[:, :columns].T
    _transpose(lanes.view(np.uint64))
    # Byte j of each block now has bit j of its eight lanes.
    by_bit = lanes.reshape(columns, size * 8, 8).transpose(0, 2, 1).reshape(columns * 8, size * 8)
    rows[:] = np.ascontiguousarray(by_bit)[:bits].view(np.uint64)


def unsliced(rows: Words, states: int) -> Words:
    """The states of the first lanes; the inverse of `sliced`.

    Args:
        rows: a row for each bit of all words of a state.
        states: the number of states.
    """
    columns = len(rows) // 8
    blocks = rows.view(np.uint8).reshape(columns, 8, -1).transpose(0, 2, 1)
    lanes = np.ascontiguousarray(blocks).reshape(columns, -1)
    _transpose(lanes.view(np.uint64))
    return np.ascontiguousarray(lanes[:, :states].T).view(np.uint64)


def _transpose(blocks: Words) -> None:
    """Transpose blocks of eight times eight bits in place."""
    swap = np.empty_like(blocks)
    for shift, mask in _SWAPS:
        np.right_shift(blocks, shift, swap)
        np.bitwise_xor(swap, blocks, swap)
        np.bitwise_and(swap, mask, swap)
        np.bitwise_xor(blocks, swap, blocks)
        np.left_shift(swap, shift, swap)
        np.bitwise_xor(blocks, swap, blocks)


def last_lanes(states: int) -> np.uint64:
    """The mask of the lanes that have states in the last word of each row."""
    return np.uint64((1 << ((states - 1) % WORD + 1)) - 1)


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
