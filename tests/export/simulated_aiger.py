"""AIGER files read and simulated for all inputs at once, apart from the code under test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Row:
    """A state that was reached: its latches, and the inputs and the row that led to it."""

    latches: tuple[bool, ...]
    inputs: int
    before: Row | None


class Circuit:
    """A circuit read from an AIGER file of either form.

    Attributes:
        latches: the literal, the next literal and the reset value of each latch.
        bads: the literals of the bad-state outputs.
        gates: the literal and the operands of each gate.
        symbols: the symbol of each input (`i0`), latch (`l0`) and bad-state output (`b0`).
        comment: the lines of the comment.
    """

    def __init__(self, content: bytes) -> None:
        self._rest = content
        form, *counts = self._line().split()
        most, inputs, latches, outputs, gates, bads = map(int, counts)
        assert form in ("aag", "aig") and outputs == 0 and most == inputs + latches + gates
        self.inputs = [2 * i for i in range(1, inputs + 1)]
        if form == "aag":
            assert [int(self._line()) for _ in range(inputs)] == self.inputs
        first = range(2 * (inputs + 1), 2 * (inputs + latches + 1), 2)
        heads = [self._line() if form == "aag" else f"{latch} {self._line()}" for latch in first]
        self.latches = [tuple(map(int, line.split())) for line in heads]
        self.bads = [int(self._line()) for _ in range(bads)]
        after = 2 * (inputs + latches + 1)
        lhs = range(after, after + 2 * gates, 2)
        self.gates = [self._ascii() if form == "aag" else self._binary(gate) for gate in lhs]
        assert all(gate == x > left >= right for (gate, left, right), x in zip(self.gates, lhs, strict=True))
        self.symbols: dict[str, str] = {}
        while (line := self._line()) != "c":
            name, _, text = line.partition(" ")
            self.symbols[name] = text
        self.comment = self._rest.decode().splitlines()

    def _line(self) -> str:
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def _ascii(self) -> tuple[int, int, int]:
        gate, left, right = map(int, self._line().split())
        return gate, left, right

    def _binary(self, gate: int) -> tuple[int, int, int]:
        left = gate - self._delta()
        return gate, left, left - self._delta()

    def _delta(self) -> int:
        size = next(i for i, byte in enumerate(self._rest) if byte < 0x80) + 1
        groups, self._rest = self._rest[:size], self._rest[size:]
        return sum((byte & 0x7F) << 7 * i for i, byte in enumerate(groups))

    @cached_property
    def _columns(self) -> list[int]:
        """For each input its values in all assignments: bit n is its value in the n-th."""
        halves = [1 << i for i in range(len(self.inputs))]
        return [self._all // ((1 << half) + 1) << half for half in halves]

    @cached_property
    def _all(self) -> int:
        return (1 << (1 << len(self.inputs))) - 1

    def _values(self, latches: tuple[bool, ...]) -> list[int]:
        """The values of all literals in a state, for all inputs."""
        values = [0, self._all]
        for column in (*self._columns, *(self._all if latch else 0 for latch in latches)):
            values += [column, column ^ self._all]
        for _, left, right in self.gates:
            both = values[left] & values[right]
            values += [both, both ^ self._all]
        return values

    def bad_states(self, frames: int) -> dict[str, tuple[int, str]]:
        """The first of so many frames in which each bad-state output can be true, and a witness of it."""
        found: dict[str, tuple[int, str]] = {}
        level = [Row(tuple(bool(reset) for _, _, reset in self.latches), 0, None)]
        seen = {row.latches for row in level}
        for frame in range(frames):
            after: list[Row] = []
            for row in level:
                values = self._values(row.latches)
                for number, literal in enumerate(self.bads):
                    if values[literal]:
                        text = self._witness(number, row, _lowest(values[literal]))
                        found.setdefault(self.symbols[f"b{number}"], (frame, text))
                for latches, inputs in self._successors(values):
                    if latches not in seen:
                        seen.add(latches)
                        after.append(Row(latches, inputs, row))
            level = after
        return found

    def _successors(self, values: list[int]) -> list[tuple[tuple[bool, ...], int]]:
        """The states after a step, each with inputs that lead to it."""
        groups: list[tuple[tuple[bool, ...], int]] = [((), self._all)]
        for _, literal, _ in self.latches:
            split = [
                ((*latches, bit), group & values[literal ^ (not bit)])
                for latches, group in groups
                for bit in (False, True)
            ]
            groups = [(latches, group) for latches, group in split if group]
        return [(latches, _lowest(group)) for latches, group in groups]

    def _witness(self, number: int, row: Row, inputs: int) -> str:
        frames = [inputs]
        while row.before is not None:
            frames.append(row.inputs)
            row = row.before
        digits = [f"{x:0{len(self.inputs)}b}"[::-1] if self.inputs else "" for x in reversed(frames)]
        return "\n".join(["1", f"b{number}", "".join(str(int(x)) for x in row.latches), *digits, ".", ""])


def _lowest(group: int) -> int:
    return (group & -group).bit_length() - 1
