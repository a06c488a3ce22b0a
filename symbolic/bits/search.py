"""Breadth-first search over states as packed words, a batch at a time.

Each batch of a level is sliced, and the guards of all steps are evaluated in it at once. Each step that is enabled
somewhere then gives its successors, and those that are new are looked at: properties, constraints. The numbers
are those of a search from state to state, but for the order of states within a level.

The states visited are an exact set of packed words that knows their order. States lie one behind the other in the
order in which they were added. A table with open addressing and linear probing has the number of a state and some
bits of its hash in each slot that is taken. The bits tell most other states apart, and the words themselves tell
the rest: nothing depends on the hash being free of collisions.
"""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from mmap import mmap
from tempfile import TemporaryFile, gettempdir
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias
from weakref import finalize

import numpy as np
import numpy.typing as npt

from leadline.symbolic.bits.commuting import Commuting
from leadline.symbolic.bits.fair import Steps
from leadline.symbolic.bits.lanes import (
    WORD,
    Indices,
    Scatter,
    Words,
    count,
    keep_memory,
    sliced,
    unsliced,
    where,
    words_for,
)
from leadline.symbolic.bits.machine import Key, Machine, Move
from leadline.symbolic.bits.programs import Program, Registers, compiled
from leadline.symbolic.encode.circuit import FALSE, TRUE
from leadline.symbolic.encode.expressions import Claim
from leadline.symbolic.meaning import Levels

if TYPE_CHECKING:
    from leadline.symbolic.bits.orbits import Orbits


_FIRST = 1 << 12
_SET = np.uint64(1 << 32)
_CACHED = 1 << 15
"""The words that a core's cache holds beside others."""
_SMALL = 1 << 21
"""The number of slots up to which a table may be mostly empty: it grows four times at once."""
_MAPPED = 1 << 28
"""The bytes of states from which on they lie in a file."""
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def hashes(states: Words) -> Words:
    """A hash of each of some states: the finalizer of splitmix64 over their words.

    A bit in the middle is set, so that the upper half is not zero.
    """
    first, second, third = map(np.uint64, _MULTIPLIERS)
    hashed = np.empty(len(states), np.uint64)
    for piece in _pieces(states):
        found, (least, *others) = hashed[piece], states[piece].T
        np.multiply(least, first, found)
        found ^= found >> np.uint64(32)
        for column in others:
            found ^= column
            found *= second
            found ^= found >> np.uint64(29)
        found *= third
        found ^= found >> np.uint64(32)
        found |= _SET
    return hashed


def falling_to(place: int, parts: int, marks: Words) -> Indices:
    """The places of the states that fall to one of several parts of a search, by the lower halves of their hashes.

    Tables have the upper halves for slots.
    """
    first, last = ((x << 32) // parts for x in (place, place + 1))
    return np.flatnonzero(marks.view(np.uint32)[::2] - np.uint32(first) < last - first)


def _pieces(states: Words) -> Iterator[slice]:
    """States that fit into a core's cache at a time: going through their words one by one reads them often."""
    size = _CACHED // states.shape[1]
    return (slice(begin, begin + size) for begin in range(0, len(states), size))


class Rows:
    """States one behind the other.

    Many of them lie in a file that is mapped into memory: the system keeps those at hand that are looked at, and
    the others on the disk.

    Args:
        width: the number of words of a state.

    Attributes:
        size: the number of states.
        room: the states, and room for more.
    """

    def __init__(self, width: int) -> None:
        self.size = 0
        self.room = np.empty((_FIRST, width), np.uint64)
        self._file: IO[bytes] | None = None

    @property
    def all(self) -> Words:
        """The states in the order in which they were added."""
        return self.room[: self.size]

    def add(self, states: Words) -> None:
        """Add some states."""
        end = self.size + len(states)
        if end > len(self.room):
            self._grow(end)
        self.room[self.size : end] = states
        self.size = end

    def _grow(self, size: int) -> None:
        """Make room for so many states at least.

        Raises:
            MemoryError: if neither memory nor the disk has room for them.
        """
        width, most = self.room.shape[1], _MAPPED // (8 * self.room.shape[1])
        # Memory that is not touched is only a promise, and copies are touched once more.
        size = max(size, min(4 * self.size, most) if size <= most else self.size + self.size // 2)
        shape = size, width
        if size <= most:
            grown = np.empty(shape, np.uint64)
            grown[: self.size] = self.all
        else:
            if self._file is None:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115  # closed on the next line
                finalize(self, self._file.close)
                self._file.write(self.all.data)
            self._file.truncate(8 * size * shape[1])
            try:
                # A write to a page that the disk has no room for would end the process.
                if hasattr(os, "posix_fallocate"):  # macOS has none
                    os.posix_fallocate(self._file.fileno(), 0, 8 * size * shape[1])
            except OSError as error:
                raise MemoryError(f"{error.strerror}: {gettempdir()}") from error
            grown = np.frombuffer(mmap(self._file.fileno(), 0), np.uint64)[: size * shape[1]].reshape(shape)
        self.room = grown


class Table:
    """A set of states.

    A slot is a number. Its upper bits are those of a state's hash, and its lower ones, as many as tell all slots
    apart, are one more than the number of the state. The uppermost bits of a hash tell at which slot to look
    first. So the slots alone suffice to make a larger table, which is filled in its order.

    Args:
        width: the number of words of a state.
    """

    def __init__(self, width: int) -> None:
        self._rows = Rows(width)
        self._place(2 * _FIRST)
        self._looked_up = np.empty(0, np.int64)

    def _place(self, size: int) -> None:
        """Have so many free slots, a power of two."""
        self._slots = np.zeros(size, np.uint64)
        self._number = np.uint64(size - 1)
        self._first = np.uint64(WORD + 1 - size.bit_length())

    @property
    def size(self) -> int:
        """The number of states."""
        return self._rows.size

    @property
    def states(self) -> Words:
        """The states in the order in which they were added."""
        return self._rows.all

    def add(self, states: Words, most: int | None = None, marks: Words | None = None) -> tuple[Indices, bool]:
        """Add those of some states that are new.

        Args:
            states: the states.
            most: how many may be added; None for any number.
            marks: their `hashes`, if they are known.

        Returns:
            Which were added, as their places among those given, ascending, as their numbers are; and whether
            there were more. Nothing can be added after that.
        """
        if marks is None:
            marks = hashes(states)
        self.make_room(self.size + len(marks))
        self._looked_up = at = self._slot(marks)
        place, own, claimed, tries = np.arange(len(marks)), marks, np.zeros(len(marks), np.bool_), 0
        while len(place):
            there = self._slots.take(at)
            # Of equal states the first wins: later assignments prevail.
            free = np.flatnonzero(there == 0)[::-1]
            if len(free):
                # A new state claims a slot, by a number behind those of all that exist.
                spots, new = at.take(free), place.take(free)
                claims = self._entries(own.take(free), new + self.size)
                self._slots[spots] = claims
                now = self._slots.take(spots)
                lost = np.flatnonzero(now != claims)
                there[free.take(lost)] = now.take(lost)
                claimed[new] = True
                claimed[new.take(lost)] = False
            others = np.flatnonzero(there != 0)
            going = others.take(self._unlike(states, place, own, there, others))
            tries += 1
            place, own, at = place.take(going), own.take(going), self._next(at.take(going), tries)
            self._looked_up[place] = at
        new = np.flatnonzero(claimed)
        added = new[:most]
        self._rows.add(states.take(added, axis=0))
        numbers = np.arange(self.size - len(added), self.size)
        self._slots[self._looked_up.take(added)] = self._entries(marks.take(added), numbers)
        return added, len(new) > len(added)

    def numbers(self) -> Indices:
        """The numbers of the states that were given last, if none of them was left out."""
        return self._numbers(self._slots.take(self._looked_up))

    def _numbers(self, entries: Words) -> Indices:
        found: Indices = (entries & self._number).view(np.int64)
        found -= 1
        return found

    def _entries(self, marks: Words, numbers: Indices) -> Words:
        """The slots of states by their hashes, which are changed, and their numbers."""
        marks &= ~self._number
        marks |= (numbers + 1).view(np.uint64)
        return marks

    def _slot(self, marks: Words) -> Indices:
        """The slots at which to look for states first."""
        return (marks >> self._first).view(np.int64)

    def _next(self, at: Indices, tries: int) -> Indices:
        """The slots after some, which are changed: longer steps from try to try reach all and avoid heaps."""
        at += tries
        at &= len(self._slots) - 1
        return at

    def _unlike(self, states: Words, place: Indices, own: Words, there: Words, others: Indices) -> Indices:
        """Those of some states that are not the one in their slot, which may be one that is being added.

        Args:
            states: the states that are looked up.
            place: the places among them of those that are left.
            own: the hashes of these.
            there: what is in their slots.
            others: those whose slot is taken.

        Returns:
            Places in `others`.
        """
        there = there.take(others)
        unlike = (there ^ own.take(others)) > self._number
        alike = np.flatnonzero(~unlike)
        number = self._numbers(there.take(alike))
        new = np.flatnonzero(number >= self.size)
        # These have no place yet; any will do until they are put in.
        other = self._rows.room.take(number, axis=0, mode="clip")
        if len(new):
            other[new] = states.take(number.take(new) - self.size, axis=0)
        other ^= states.take(place.take(others.take(alike)), axis=0)
        if other.any():
            unlike[alike] = other.any(axis=1)
        return np.flatnonzero(unlike)

    def make_room(self, states: int) -> None:
        """See to it that a third of the slots stay free for so many states in all."""
        size = len(self._slots)
        while 3 * states > 2 * size:
            size *= 4 if size < _SMALL else 2
        if size > len(self._slots):
            slots, number = self._slots, self._number
            self._place(size)
            for begin in range(0, len(slots), _CACHED):
                some = slots[begin : begin + _CACHED]
                # Numbers of states get the bits of the hash that now tell slots apart.
                self._put(some.take(np.flatnonzero(some)) & (number | ~self._number))

    def _put(self, entries: Words) -> None:
        """Put what was in slots of a smaller table into free ones."""
        at, tries = self._slot(entries), 0
        while len(at):
            free = np.flatnonzero(self._slots.take(at) == 0)
            self._slots[at.take(free)] = entries.take(free)
            lost = np.flatnonzero(self._slots.take(at) != entries)
            tries += 1
            at, entries = self._next(at.take(lost), tries), entries.take(lost)


_KEPT = (
    *("within", "weights", "weighed", "fired", "first", "deadlocks", "deadlock", "failures", "failure"),
    *("unclear", "beyond", "expanded"),
)
"""The attributes of a search that a checkpoint keeps as they are."""
_LANES = 1 << 16
_REGISTER_BYTES = 4 << 20
"""About as much as a core's cache holds."""
_CANDIDATES = 1 << 16
"""The number of successors that are looked up together."""
_OF_EACH, _LEAVING = 4, 500
"""A search keeps about so many states from which a step leaves the types: of each step in a batch, and in all."""
_ORDERED = 1 << 13
"""So many successors are put in the order in which a search from state to state finds them: people see them."""


Moves: TypeAlias = npt.NDArray[np.uint16]
"""For each of some states one more than the place of the step before it, 0 for init."""
Tests: TypeAlias = dict[tuple[int, int], tuple[int, int]]
"""For guards, by the places of their action in the model and of themselves in its schedule: how often each is
evaluated, and how often it is true."""


@dataclass
class Found:
    """The findings about a claim.

    Attributes:
        violations: the number of states in which it is false.
        violated_at: the number of the first of them, or None.
        outside_at: that of the first state in which its evaluation goes out of bounds, or None.
    """

    violations: int = 0
    violated_at: int | None = None
    outside_at: int | None = None


class Findings(NamedTuple):
    """The findings of a search so far, as its attributes of the same names; those about a claim as a tuple."""

    size: int
    beyond: int
    weighed: int
    fired: Sequence[int]
    first: Sequence[int]
    deadlocks: int
    deadlock: int | None
    failures: int
    failure: int | None
    found: Sequence[tuple[int, int | None, int | None]]


class Begun(NamedTuple):
    """States whose steps are looked at next.

    Attributes:
        start: the number of the first of them.
        end: the end of their level, if some of its states were looked at before.
        findings: the findings so far.
    """

    start: int
    end: int | None
    findings: Findings


class Batches:
    """Runs a program on batches of states. Register files of several sizes are kept."""

    def __init__(self, program: Program) -> None:
        self.program = program
        words = max(32, min(_LANES // WORD, _REGISTER_BYTES // (8 * program.registers)))
        self.lanes = WORD << (words.bit_length() - 1)
        self._files: dict[int, Registers] = {}

    def run(self, states: Words) -> Registers:
        """The registers after the first section on some states, outputs zero in lanes without a state."""
        size = 1 << (-(-len(states) // WORD) - 1).bit_length()
        registers = self._files.get(size)
        if registers is None:
            registers = self._files[size] = Registers(self.program, size)
        last = (len(states) - 1) // WORD
        sliced(states, registers.inputs[:, : last + 1])
        outputs = registers.run(0)
        outputs[:, last] &= np.uint64((1 << (len(states) - last * WORD)) - 1)
        outputs[:, last + 1 :] = 0
        return registers

    def over(self, states: Words) -> Iterator[tuple[int, Words]]:
        """The outputs of the first section on some states in batches, each with the place of its first state."""
        for low in range(0, len(states), self.lanes):
            yield low, self.run(states[low : low + self.lanes]).outputs(0)


class BitChanges:
    """Writes literals into bits of states: what a step changes, or what is noted about it."""

    def __init__(self, changes: Sequence[tuple[int, int]], width: int) -> None:
        keep, put = (1 << width * WORD) - 1, 0
        for bit, literal in changes:
            if literal in (TRUE, FALSE):
                keep &= ~(1 << bit)
                put |= int(literal == TRUE) << bit
        varying = [(bit, literal) for bit, literal in changes if literal not in (TRUE, FALSE)]
        self.literals = [literal for _, literal in varying]
        self.scatter = Scatter.of([bit for bit, _ in varying])
        self._fixed = put or keep != (1 << width * WORD) - 1
        self._keep, self._put = packed([keep], width), packed([put], width)

    def to(self, states: Words, lanes: Indices, rows: Words) -> Words:
        """Some states, changed in place: each as its lane of the literals' rows says."""
        if self._fixed:
            states &= self._keep
            states |= self._put
        if self.literals:
            self.scatter.put(rows, lanes, states)
        return states


class _Taken(NamedTuple):
    """States after a step of some others.

    Attributes:
        move: 0 for init, or one more than the place of the step among the machine's.
        states: the states.
        parents: for each, the number of the one before; -1 for an initial one.
        marks: for each, the notes about the step, in a word; without one if nothing is noted.
    """

    move: int
    states: Words
    parents: Indices
    marks: Words


def occurring(
    states: Words, columns: Sequence[range], weights: Sequence[Indices] | None = None
) -> Iterator[tuple[Words, Indices]]:
    """For each range of bits of a state, the first state with each value that they have, and how many have it.

    The most frequent value comes first.

    Args:
        states: the states.
        columns: the ranges.
        weights: for each range, how many each of the states counts for; by default one.
    """
    for place, bits in enumerate(columns):
        # As one item each, since rows are compared far more slowly.
        items: npt.NDArray[Any] = np.zeros(len(states), np.uint64)
        if bits:
            low, high = bits.start // WORD, (bits.stop - 1) // WORD + 1
            mask = sum(1 << (bit - low * WORD) for bit in bits)
            part = states[:, low:high] & packed([mask], high - low)
            items = (
                part.ravel() if high - low == 1 else part.view(np.dtype((np.void, 8 * (high - low)))).ravel()
            )
        if weights is None:
            _, first, counts = np.unique(items, return_index=True, return_counts=True)
        else:
            _, first, which = np.unique(items, return_index=True, return_inverse=True)
            counts = np.bincount(which, weights[place], len(first)).astype(np.int64)
        order = np.lexsort((first, -counts))
        yield states[first[order]], counts[order]


def packed(numbers: Iterable[int], width: int) -> Words:
    """Numbers as states: the bits of a number are those of the state."""
    data = b"".join(number.to_bytes(8 * width, "little") for number in numbers)
    return np.frombuffer(data, np.uint64).reshape(-1, width)


def mapped(views: Batches, states: Words) -> tuple[Words, bool]:
    """The bits of some states that a program gives, as words, and whether any is out of bounds.

    Args:
        views: a program whose first output is the literal of being out of bounds; the bits come after it.
        states: the states.
    """
    bits = len(views.program.outputs[0]) - 1
    found = [np.empty((0, words_for(bits)), np.uint64)]
    outside = False
    for low, outputs in views.over(states):
        outside |= bool(outputs[0].any())
        rows = np.zeros((words_for(bits) * WORD, outputs.shape[1]), np.uint64)
        rows[:bits] = outputs[1:]
        found.append(unsliced(rows, len(states[low : low + views.lanes])))
    return np.concatenate(found), outside


@dataclass
class Search:
    """A breadth-first search, of which what it has found can be read even if an exception ends `run` early.

    Args:
        machine: the steps.
        claims: formulas to evaluate in each state.
        depth: the number of steps to go; None for as long as there are new states.
        max_states: the number of states at which to stop; None for no limit.
        progress: called after each level with its depth, and the numbers of new and of all states.
        notes: the number of notes of the machine's steps; with any, all steps between states are kept.
        orbits: gives the states that stand for others, if some do.
        weighing: whether to count the states that these stand for.
        key: the bits that tell states apart; by default all of a state.
        until_false: the place of a claim whose first violation ends the search; None for none.
        until_outside: the seconds of the processor for which the search goes on where a step leaves the types, to
            meet others. A search with wider ones goes on from there. None if such a step does not end it.
        every_step: whether to take steps also where others that commute with them lead to the same state.
        checkpoint: the folder in which levels are kept, and from which the search goes on; None for none.
        initial: formulas to evaluate in each initial state.

    Attributes:
        wrong_at_first: for each of these, an initial state in which it is false, and one in which its evaluation
            goes out of bounds; None for each that there is not.
        begun: the level that was looked at last; where a step leaves the types, the part of it from there on.
        table: the states, or what tells them apart.
        weights: for each depth, the number of states that those found stand for.
        weighed: the number of all of these.
        unclear: the reason why the key does not tell states apart, which ends the search: it is out of bounds in
            one, or the states found depend on which of several with one key is kept. Empty if it tells them apart.
        steps: the steps between them, if they are kept.
        parents: for each state the one that it came from, -1 for an initial one.
        within: for each depth, the number of states at most so many steps away.
        first: for init and each action, the number of states that it was the first to reach.
        fired: for init and each action, the number of its outcomes.
        deadlocks: the number of states without a step.
        deadlock: the number of the first of them, or None.
        failures: the number of steps out of bounds.
        failure: the number of the first state with such a step, or None.
        leaving: some states with such steps, if these end the search.
        found: the findings about the claims.
        full: whether a state was left out since there are as many as may be.
        complete: whether all states were found.
        beyond: the number of states that are beyond a constraint.
        expanded: the number of states whose steps were looked at; they come first.
    """

    machine: Machine
    claims: Sequence[Claim] = ()
    depth: int | None = None
    max_states: int | None = None
    progress: Callable[[int, int, int], None] = lambda *_: None
    notes: int = 0
    orbits: Orbits | None = None
    weighing: bool = False
    key: Key | None = None
    checkpoint: Levels | None = None
    until_outside: float | None = None
    until_false: int | None = None
    every_step: bool = False
    initial: Sequence[Claim] = ()
    wrong_at_first: list[tuple[Words | None, Words | None]] = field(default_factory=list, init=False)
    begun: Begun | None = field(default=None, init=False)
    weights: list[int] = field(default_factory=list, init=False)
    unclear: str = field(default="", init=False)
    parents: array[int] = field(default_factory=lambda: array("i"), init=False)
    leaving: list[Words] = field(default_factory=list, init=False)
    within: list[int] = field(default_factory=list, init=False)
    full: bool = field(default=False, init=False)
    complete: bool = field(default=False, init=False)
    expanded: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        keep_memory()
        machine = self.machine
        self.width = words_for(len(machine.inputs))
        self.table = Table(self.width if self.key is None else words_for(len(self.key.literals)))
        # Where the table has views, the states are kept beside it.
        self._kept = None if self.key is None else Rows(self.width)
        if self.key is not None:
            sections = [[self.key.outside, *self.key.literals]]
            self._views = Batches(compiled(machine.circuit, machine.inputs, sections))
            self._read = packed([sum(1 << place for place in self.key.read)], self.width)
        self._count_anew()
        self._action = np.array([0, *(1 + move.action for move in machine.moves)])
        self._together, self._numbered = _CANDIDATES, 0
        self._came, self._before, self._spares = array("H"), np.empty(0, np.uint16), False
        self._commuting = Commuting(machine)
        self.steps = Steps(self.notes) if self.notes else None
        self._after = [BitChanges(move.changes, self.width) for move in machine.moves]
        self._noted = [BitChanges(list(enumerate(move.notes)), 1) for move in machine.moves]
        outcomes = [
            *(move.enabled for move in machine.moves),
            *(one.literal for one in machine.failures),
            machine.dead,
        ]
        both = zip(self._after, self._noted, strict=True)
        sections = [outcomes, *([*after.literals, *noted.literals] for after, noted in both)]
        self._steps = Batches(compiled(machine.circuit, machine.inputs, sections))
        looked = [*chain(*self.claims), machine.beyond]
        self._looks = Batches(compiled(machine.circuit, machine.inputs, [looked]))
        self._pending: list[_Taken] = []
        self._waiting = self._level = 0

    def _count_anew(self) -> None:
        """Have no findings."""
        actions = len(self.machine.model.actions)
        self.fired, self.first = [0] * (1 + actions), [0] * (1 + actions)
        self.found = [Found() for _ in self.claims]
        self.deadlocks = self.failures = self.beyond = self.weighed = 0
        self.deadlock: int | None = None
        self.failure: int | None = None

    def findings(self) -> Findings:
        """The findings so far."""
        found = [(one.violations, one.violated_at, one.outside_at) for one in self.found]
        fired, first = [*self.fired], [*self.first]
        numbers = self.size, self.beyond, self.weighed, fired, first, self.deadlocks, self.deadlock
        return Findings(*numbers, self.failures, self.failure, found)

    @property
    def states(self) -> Words:
        """The states in the order in which they were found."""
        return self.table.states if self._kept is None else self._kept.all

    @property
    def size(self) -> int:
        """The number of states found, also of those beyond a constraint."""
        return self.table.size

    @property
    def counted(self) -> int:
        """The number of states found within the constraints."""
        return self.size - self.beyond

    def run(self, begin: Iterable[Words]) -> None:
        """Search.

        Args:
            begin: the initial states in batches, one for each way to begin.
        """
        start = self._resume()
        kept = self.table.size > 0
        for states in begin if not kept else ():
            if self.full:  # there may be far more
                break
            self.fired[0] += len(states)
            marks = np.zeros((len(states), min(self.notes, 1)), np.uint64)
            self._take(_Taken(0, states, np.full(len(states), -1), marks))
        self._add()
        self._look_at_first()
        self._go_on(start, kept=kept)

    def go_on_from(self, other: Search, row: Sequence[int], outside: int) -> bool:
        """Go on where a search with narrower types has met a step that leaves them.

        Args:
            other: that search, with the same actions and claims.
            row: the bits of its states as those of states here.
            outside: the literal that a state has none.

        Returns:
            False, with nothing done, if one of its states has none.
        """
        (start, end, begun), known, parents = other.before_outside()
        source = other.machine
        views = Batches(compiled(source.circuit, source.inputs, [[outside, *row]]))
        states, wrong = mapped(views, known)
        if wrong:
            return False
        if self.orbits is not None:
            states = self.orbits.least(states)
        self.table.add(self._keys(states))
        if self._kept is not None:
            self._kept.add(states)
        assert self.table.size == len(known), "two states became one"
        self.parents = parents
        self._look_from(0)
        self._look_at_first()
        self.within, self.weights = [*other.within], [*other.weights]
        self.fired, self.first = [*begun.fired], [*begun.first]
        self.deadlocks, self.deadlock = begun.deadlocks, begun.deadlock
        self._go_on(start, end)
        return True

    def before_outside(self) -> tuple[Begun, Words, array[int]]:
        """All states that were found before a step left the types, with their parents, and where to go on.

        Without such a step they are those found before the level that was looked at last.
        """
        assert self.begun is not None
        size = self.begun.findings.size
        return self.begun, self.states[:size], self.parents[:size]

    def _goes_elsewhere(self, start: int) -> bool:
        """Whether the levels from the one that begins with a number on were gone through in another way."""
        return False

    def _go_on(self, start: int, end: int | None = None, *, kept: bool = False) -> None:
        """Look at the steps of states.

        Args:
            start: the number of the first of them.
            end: the end of their level, if that was begun; None if it begins with them.
            kept: whether it is kept.
        """
        while not self.full and start < self.table.size:
            if end is None:
                if self._goes_elsewhere(start):
                    return
                if self.checkpoint is not None and not kept:
                    self._keep_level(self.checkpoint, start)
                kept = False
                self._close_level()
                if self.depth is not None and len(self.within) > self.depth:
                    break
                end = self.table.size
                self.begun = Begun(start, None, self.findings())
            self._begin_level(start, end)
            for low in range(start, end, self._steps.lanes):
                before = self.findings()
                self._expand(low, min(end, low + self._steps.lanes))
                if self.full:
                    break
                if self._ends:
                    if not (self._false or self.unclear):
                        self._look_ahead(low, end, before)
                    self._pending, self._waiting = [], 0
                    return
            self._add()
            start, end = end, None
        self.complete = not self.full and start == self.table.size

    def _look_ahead(self, low: int, end: int, before: Findings) -> None:
        """Where a step has left the types, go on with the other states for a while, to meet more such steps.

        Violations and deadlocks that are found meanwhile do not count: there may be shorter runs to them, by steps
        that have left the types.

        Args:
            low: the number of the first state that was looked at together with the one before the step.
            end: the end of their level.
            before: the findings before they were looked at.
        """
        self._add()
        now = self.findings()
        now = now._replace(fired=before.fired, deadlocks=before.deadlocks, deadlock=before.deadlock)
        self.begun = Begun(low, end, now)
        assert self.until_outside is not None
        until, self._spares = time.process_time() + self.until_outside, False
        known = [replace(one) for one in self.found]
        try:
            while not self.full and time.process_time() < until:
                if self.expanded == self.table.size:
                    self._add()
                if self.expanded == self.table.size:
                    break
                self._expand(self.expanded, min(self.table.size, self.expanded + self._steps.lanes))
        finally:  # also where a limit ends it
            self.found, self.deadlocks, self.deadlock = known, now.deadlocks, now.deadlock
            self.unclear, self.full = "", False

    @property
    def _false(self) -> bool:
        """Whether the claim is false whose violation ends the search."""
        return self.until_false is not None and self.found[self.until_false].violated_at is not None

    @property
    def _ends(self) -> bool:
        """Whether something was found that ends the search."""
        left = self.until_outside is not None and self.failures > 0
        return self._false or left or bool(self.unclear)

    def _begin_level(self, start: int, end: int) -> None:
        """Begin to look at the steps of the states from a number on, up to the end of their level."""
        self._start, self._level = start, end
        self._before, self._came = np.frombuffer(self._came, np.uint16), array("H")
        many = len(self._before) == end - start > _ORDERED
        every = self.every_step or bool(self.notes) or self.orbits is not None or self.key is not None
        self._spares = many and not every

    def _close_level(self) -> None:
        before, now = self.within[-1] if self.within else 0, self.counted
        if now > before or not self.within:
            self.within.append(now)
            self.weights.append(self.weighed)
            self.progress(len(self.within) - 1, now - before, now)

    def _keep_level(self, checkpoint: Levels, start: int) -> None:
        """Keep the level that is found, whose states have numbers from one on."""
        facts = {name: getattr(self, name) for name in _KEPT}
        found = self.findings().found
        rows = [self.states[start:].tobytes(), self.table.states[start:].tobytes() if self._kept else b""]
        parents = self.parents[start:].tobytes()
        checkpoint.keep({"start": start, "rows": rows, "parents": parents, "facts": facts, "found": found})

    def _resume(self) -> int:
        """Take the levels that are kept, within the bounds; the number of the first state of the last of them."""
        start = 0
        for level in self.checkpoint.levels() if self.checkpoint is not None else ():
            states, keys = (np.frombuffer(data, np.uint64) for data in level["rows"])
            states = states.reshape(-1, self.width)
            if self.max_states is not None and self.table.size + len(states) > self.max_states:
                break
            # So many levels were closed before this one.
            if self.table.size and self.depth is not None and len(level["facts"]["within"]) > self.depth:
                break
            if self._kept is None:
                self.table.add(states)
            else:
                self.table.add(keys.reshape(len(states), -1))
                self._kept.add(states)
            self.parents.frombytes(level["parents"])
            for name, fact in level["facts"].items():
                setattr(self, name, fact)
            self.found = [Found(*one) for one in level["found"]]
            start = level["start"]
        return start

    def _expand(self, low: int, high: int) -> None:
        """Find the successors of some states."""
        states = self.states[low:high].copy()
        registers = self._steps.run(states)
        outcomes = registers.outputs(0)[:, : -(-len(states) // WORD)]
        counts = count(outcomes).tolist()
        moves = self.machine.moves
        before = self._before[low - self._start : high - self._start]
        self._tell_wrong(low, outcomes[len(moves) :], counts[len(moves) :])
        for place, move in enumerate(moves):
            if counts[place]:
                self.fired[1 + move.action] += counts[place]
                lanes = where(outcomes[place])
                if self._spares:
                    lanes = lanes[self._commuting.needed(place).take(before.take(lanes))]
                    if not len(lanes):
                        continue
                rows = registers.run(place + 1)
                after, noted = self._after[place], self._noted[place]
                own = len(after.literals)
                found = after.to(states.take(lanes, axis=0), lanes, rows[:own])
                marks = np.zeros((len(lanes), min(self.notes, 1)), np.uint64)
                if self.steps is not None:
                    noted.to(marks, lanes, rows[own:])
                self._take(_Taken(1 + place, found, lanes + (low | self._numbered), marks))
        if self.key is not None:
            self._add()  # of a view the first state counts, as it is found from state to state
        self.expanded = high

    def _tell_wrong(self, low: int, outcomes: Words, counts: Sequence[int]) -> None:
        """Count steps out of bounds and deadlocks, of states from a number on."""
        for place, one in enumerate(self.machine.failures):
            if counts[place]:
                self.fired[1 + one.action] += counts[place]
                self.failures += counts[place]
                lanes = where(outcomes[place])[:_OF_EACH]
                if self.failure is None:
                    self.failure = low + int(lanes[0])
                if self.until_outside is not None and len(self.leaving) < _LEAVING:
                    self.leaving += [self.states[low + lane].copy() for lane in lanes.tolist()]
        if counts[-1]:
            self.deadlocks += counts[-1]
            if self.deadlock is None:
                self.deadlock = low + int(where(outcomes[-1])[0])

    def row(self, bits: int) -> Words:
        """The state that is given by its bits, alone."""
        return packed([bits], self.width)

    def moves_between(self, before: Words, after: Words) -> list[list[Move]]:
        """The steps from each state to one that the kept state at its place in `after` stands for."""
        found = [list[Move]() for _ in before]
        for low in range(0, len(before), self._steps.lanes):
            states, kept = (rows[low : low + self._steps.lanes].copy() for rows in (before, after))
            registers = self._steps.run(states)
            outcomes = registers.outputs(0)[: len(self.machine.moves), : -(-len(states) // WORD)]
            for place in map(int, np.flatnonzero(outcomes.any(axis=1))):
                lanes, step, rows = where(outcomes[place]), self._after[place], registers.run(place + 1)
                reached = step.to(states.take(lanes, axis=0), lanes, rows[: len(step.literals)])
                for lane in lanes[self.stand_for(reached, kept.take(lanes, axis=0))].tolist():
                    found[low + lane].append(self.machine.moves[place])
        return found

    def stand_for(self, states: Words, kept: Words) -> npt.NDArray[np.bool_]:
        """For each place, whether the kept state there stands for the state there."""
        least = states if self.orbits is None else self.orbits.least(states)
        same: npt.NDArray[np.bool_] = (least == kept).all(axis=1)
        return same

    def _take(self, taken: _Taken) -> None:
        """Look some states up, sooner or later."""
        self._pending.append(taken)
        self._waiting += len(taken.states)
        if self.key is None and self._waiting > self._together:
            self._add()

    def _add(self) -> None:
        """Keep the new ones of the states that wait for it."""
        pending, self._pending, self._waiting = self._pending, [], 0
        if not pending or self.full:
            return
        states = np.concatenate([one.states for one in pending])
        parents = np.concatenate([one.parents for one in pending])
        marks = np.concatenate([one.marks for one in pending])
        sizes = [len(one.states) for one in pending]
        takers = np.repeat(np.array([one.move for one in pending], np.uint16), sizes)
        self._keep(states, parents, marks, takers)

    def _keep(self, states: Words, parents: Indices, marks: Words, takers: Moves) -> None:
        """Keep the new ones of some states, each with the state, the notes and the step before it."""
        if len(states) <= _ORDERED or self.key is not None:
            order = np.argsort(parents, kind="stable")
            states, parents, marks, takers = states[order], parents[order], marks[order], takers[order]
        if self.orbits is not None:
            states = self.orbits.least(states)
        before = self.table.size
        added = self._enter(states)
        if self.steps is not None:
            self.steps.add(parents, self.table.numbers(), marks, self.table.size)
        self._look_at_new(before, parents[added], takers[added])

    def _enter(self, states: Words, marks: Words | None = None) -> Indices:
        """Put the new ones of some states into the table: their places among those given.

        Args:
            states: the states.
            marks: their `hashes`, if they are known.
        """
        most = None if self.max_states is None else self.max_states - self.table.size
        added, self.full = self.table.add(self._keys(states), most, marks)
        if self._kept is not None:
            self._kept.add(states[added])
            if not self.full and self._read.any() and self._depends_on_order(states, self.table.numbers()):
                self.unclear = "the states found depend on which one is kept for a value of the view"
        return added

    def _depends_on_order(self, states: Words, numbers: Indices) -> bool:
        """Whether a state differs, in the bits that are read, from the state of its own level that is kept for it.

        A state of an earlier level is kept in any order.

        Args:
            states: the states.
            numbers: for each the number of the state that is kept for it.
        """
        assert self._kept is not None
        level = np.flatnonzero(numbers >= self._level)
        differs = self._kept.all.take(numbers.take(level), axis=0) ^ states.take(level, axis=0)
        return bool((differs & self._read).any())

    def _look_at_new(self, before: int, parents: Indices, takers: Moves) -> None:
        """Evaluate the claims in the states from a number on, given the state and the step before each."""
        self._came.frombytes(takers.tobytes())
        self.parents.frombytes(parents.astype(self.parents.typecode).tobytes())
        takers = self._action.take(np.delete(takers, self._look_from(before) - before))
        for action, number in enumerate(np.bincount(takers, minlength=len(self.first)).tolist()):
            self.first[action] += number

    def _look_from(self, before: int) -> Indices:
        """Evaluate the claims in the states from a number on; the numbers of those beyond a constraint."""
        every = [np.empty(0, np.int64)]
        for low, outcomes in self._looks.over(self.states[before:]):
            low += before
            counts = count(outcomes).tolist()
            self.beyond += counts[-1]
            for place, found in enumerate(self.found):
                if counts[2 * place]:
                    found.violations += counts[2 * place]
                    if found.violated_at is None:
                        found.violated_at = low + int(where(outcomes[2 * place])[0])
                if counts[2 * place + 1] and found.outside_at is None:
                    found.outside_at = low + int(where(outcomes[2 * place + 1])[0])
            beyond = where(outcomes[-1])
            if self.orbits is not None and self.weighing:
                own = self.states[low : low + self._looks.lanes]
                self.weighed += int(self.orbits.sizes(np.delete(own, beyond, axis=0)).sum())
            every.append(beyond + low)
        return np.concatenate(every)

    def _look_at_first(self) -> None:
        """Evaluate the claims about initial states."""
        asked = [*chain(*self.initial)]
        first: list[Words | None] = [None] * len(asked)
        if asked:
            states = self.states[: np.count_nonzero(np.frombuffer(self.parents, np.int32) < 0)]
            looks = Batches(compiled(self.machine.circuit, self.machine.inputs, [asked]))
            for low, outcomes in looks.over(states):
                for place, lanes in enumerate(map(where, outcomes)):
                    if len(lanes) and first[place] is None:
                        first[place] = states[low + lanes[0]].copy()
        self.wrong_at_first = list(zip(first[::2], first[1::2], strict=True))

    def _keys(self, states: Words) -> Words:
        """The words by which states are told apart: those of their views, or their own."""
        if self.key is None:
            return states
        found, outside = mapped(self._views, states)
        if outside:
            self.unclear = "the view is out of bounds in a reachable state"
        return found

    def tested(self, reached: bool) -> Tests:
        """How often each guard is evaluated in states, and how often it is true.

        Args:
            reached: whether in all states; else only in those whose steps were looked at.
        """
        states = self.table.size if reached else self.expanded
        tests, within = self.machine.tests, -self.machine.beyond
        circuit = self.machine.circuit
        literals = [circuit.conj((x, within)) for one in tests for x in (one.tried, one.true)]
        batches = Batches(compiled(circuit, self.machine.inputs, [literals]))
        total = np.zeros(len(literals), np.uint64)
        for _, outputs in batches.over(self.states[:states]):
            total += count(outputs)
        found: Tests = {}
        for one, (tried, true) in zip(tests, total.reshape(-1, 2).tolist(), strict=True):
            before = found.get((one.action, one.place), (0, 0))
            found[one.action, one.place] = before[0] + tried, before[1] + true
        return found

    def occurring(self, columns: Sequence[range]) -> Iterator[tuple[Words, Indices]]:
        """`occurring` in the states found. States beyond a constraint are left out."""
        return occurring(self.states[self._within()], columns)

    def all_states(self) -> int:
        """The number of states, those included for which others stand."""
        if self.orbits is None:
            return self.counted
        return int(self.orbits.sizes(self.states[self._within()]).sum())

    def _within(self) -> Indices:
        """The numbers of the states within the constraints."""
        every = np.arange(len(self.states))
        if not self.beyond:
            return every
        batches = Batches(compiled(self.machine.circuit, self.machine.inputs, [[self.machine.beyond]]))
        beyond = [where(outputs[0]) + low for low, outputs in batches.over(self.states)]
        return np.delete(every, np.concatenate(beyond))

    def states_to(self, number: int) -> Words:
        """The states of a shortest path to a state."""
        return self.states[self.path(number)]

    def path(self, number: int) -> list[int]:
        """The numbers of the states of a shortest path to a state."""
        chain = [number]
        while self.parents[chain[-1]] >= 0:
            chain.append(self.parents[chain[-1]])
        return chain[::-1]
