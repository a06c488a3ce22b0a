"""Random runs side by side: a run in each lane, and a choice of its own in each lane at each step.

The choice is a part of the circuit. Its inputs are the bits of the state and tosses of a coin. It draws an enabled
action, each as likely or by its weight, and then one of that action's outcomes. In each lane the weights of what
can be drawn sum up to a number of a few bits. Its product with a fraction, which the tosses are, is a random
number below it. A binary tree leads to the place at which the sum from the left exceeds that number. So a step of
all lanes is one program over rows, whatever they choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, zip_longest

import numpy as np
import numpy.typing as npt

from leadline.symbolic.bits.lanes import (
    WORD,
    Indices,
    Words,
    count,
    keep_memory,
    sliced,
    unsliced,
    where,
    words_for,
)
from leadline.symbolic.bits.machine import Machine
from leadline.symbolic.bits.programs import Registers, compiled
from leadline.symbolic.bits.search import Found, Table
from leadline.symbolic.encode.circuit import FALSE, Circuit
from leadline.symbolic.encode.expressions import Claim, Integers
from leadline.symbolic.encode.values import Values

LANES = 1 << 17
"""The number of runs side by side at most."""
_WAITING, _OVER = 8, 2
"""One lane in so many may wait for another run; or to be given up, once all runs have begun."""
_EXACT = 12
"""The probability of each outcome is exact to so many bits."""
_ROWS = 16
"""The rows that a core's cache holds."""

Bits = list[int]
"""A number that is not negative: the literals of its bits, the lowest first."""


@dataclass(frozen=True)
class _Node:
    """Some of the literals to draw from.

    Attributes:
        place: the place of the only one among all; that of the first, if there are more.
        weight: the sum of the weights of those that are true, as bits, the lowest first.
        halves: the parts of it; none of a single literal.
    """

    place: int
    weight: Bits
    halves: Sequence[_Node] = ()


class Draw:
    """Draws one of several literals that are true, by the tosses of a coin.

    A random number below the sum of the weights of what is true leads down a tree to the literal at which the sum
    from the left exceeds it. One node of a level is met at most, so all nodes of a level have one number.

    Args:
        circuit: the circuit, which gets inputs for the tosses.
        groups: literals, and the literal that one of them is to be drawn: that of one group at most is true.
        weights: the weight of each of all literals, a positive integer.

    Attributes:
        drawn: for each of the literals, the literal that it is the one; none is, if none is true.
        tosses: the inputs for the tosses.
    """

    def __init__(
        self, circuit: Circuit, groups: Iterable[tuple[int, Sequence[int]]], weights: Sequence[int]
    ) -> None:
        self._circuit, self._integers = circuit, Integers(Values(circuit))
        self.drawn = [FALSE] * len(weights)
        self.tosses = range(0)
        roots: list[tuple[int, _Node]] = []
        begin = 0
        for here, literals in groups:
            end = begin + len(literals)
            if literals:
                root = self._tree(literals, weights[begin:end], begin)
                roots.append((circuit.conj((here, circuit.disj(root.weight))), root))
            begin = end
        if roots:
            self._descend(roots, self._below(self._weight(roots)))

    def _tree(self, literals: Sequence[int], weights: Sequence[int], begin: int) -> _Node:
        if len(literals) == 1:
            bits = range(weights[0].bit_length())
            return _Node(begin, [literals[0] if weights[0] >> i & 1 else FALSE for i in bits])
        middle = len(literals) // 2
        left = self._tree(literals[:middle], weights[:middle], begin)
        right = self._tree(literals[middle:], weights[middle:], begin + middle)
        added = self._integers.add([*left.weight, FALSE], [*right.weight, FALSE])
        return _Node(begin, added[: sum(weights).bit_length()], (left, right))

    def _weight(self, nodes: Sequence[tuple[int, _Node]]) -> Bits:
        """The weight of the node whose literal is true."""
        both = self._circuit.both
        columns = zip_longest(
            *([both(here, x) for x in node.weight] for here, node in nodes), fillvalue=FALSE
        )
        return [self._circuit.disj(column) for column in columns]

    def _below(self, total: Bits) -> Bits:
        """A random number below another one: the whole part of its product with the fraction of tosses."""
        last = self._circuit.inputs(bits := len(total) + _EXACT)
        self.tosses = range(last - bits + 1, last + 1)
        product: Bits = [FALSE] * len(total)
        for toss in self.tosses:
            summand = [self._circuit.both(toss, bit) for bit in total]
            product = self._integers.add([*product, FALSE], [*summand, FALSE])[1 : len(total) + 1]
        return product

    def _descend(self, nodes: Sequence[tuple[int, _Node]], number: Bits) -> None:
        """Go to the literal at which the sum from the left exceeds a number, in the node whose literal is true."""
        circuit = self._circuit
        while nodes:
            for here, node in nodes:
                if not node.halves:
                    self.drawn[node.place] = here
            inner = [(here, node.halves) for here, node in nodes if node.halves]
            left = self._weight([(here, halves[0]) for here, halves in inner])
            less, rest = self._minus(number, left)
            nodes = []
            for here, (first, second) in inner:
                to_first = circuit.both(here, less)
                nodes += [(to_first, first), (circuit.xor(here, to_first), second)]
            size = max((len(node.weight) for _, node in nodes), default=0)
            pairs = zip(number[:size], rest, strict=False)
            number = [circuit.mux(less, x, y) for x, y in pairs]

    def _minus(self, number: Bits, other: Bits) -> tuple[int, Bits]:
        """Whether a number is less than another one, and otherwise the difference."""
        borrow, rest = FALSE, []
        for x, y in zip_longest(number, other, fillvalue=FALSE):
            unlike = self._circuit.xor(x, y)
            rest.append(self._circuit.xor(unlike, borrow))
            borrow = self._circuit.mux(unlike, y, borrow)
        return borrow, rest


_MOVED, _STUCK, _OUTSIDE, _TAKEN = range(4)
"""The rows that a step of all lanes tells: the lanes whose run goes on, is stuck, goes out of bounds; from the
last one on those that take each action, and then those in which each claim is false and is out of bounds."""


def _step(
    machine: Machine, claims: Sequence[Claim], actions: Sequence[Set[int]], weights: Sequence[int]
) -> tuple[Sequence[int], Sequence[int]]:
    """The inputs and the outputs of a step of all lanes.

    Its inputs are the bits of the state, the lanes that go on, and tosses of a coin. Its outputs are what it
    tells, and the bits of the state after the step.
    """
    circuit = machine.circuit
    conj, disj = circuit.conj, circuit.disj
    goes = circuit.input()
    ways = [[way for way in machine.ways if way.action in parts] for parts in actions]
    tried = [[disj((way.enabled, way.outside)) for way in own] for own in ways]
    acting = Draw(circuit, [(goes, [disj(own) for own in tried])], weights)
    outcomes = Draw(circuit, zip(acting.drawn, tried, strict=True), [1] * len(machine.ways))
    drawn = list(zip(chain(*ways), outcomes.drawn, strict=True))
    outside = disj([conj((taken, way.outside)) for way, taken in drawn])
    moved = [
        conj((disj([taken for way, taken in drawn if way.action == place]), -outside))
        for place in range(len(machine.model.actions))
    ]
    told = [disj(moved), conj((goes, machine.dead)), outside, *acting.drawn, *chain(*claims)]
    inputs = (*machine.inputs, goes, *acting.tosses, *outcomes.tosses)
    return inputs, [*told, *machine.after(drawn, moved)]


class Narrow:
    """States without the bits that no run has set, which some models have many of.

    The other bits lie one behind the other as they were met, so a state gets wider in the middle of the runs,
    by zeros.

    Args:
        bits: the number of all bits of a state.
    """

    def __init__(self, bits: int) -> None:
        self._all = bits
        self._bits, self._unset = np.empty(0, np.int64), np.arange(bits)

    def states(self, rows: Words, lanes: int) -> Words:
        """The states in the first lanes.

        Args:
            rows: the rows of all bits.
            lanes: the number of states.
        """
        met = np.bitwise_or.reduce(rows[self._unset], axis=1) != 0
        if met.any():
            self._bits = np.concatenate([self._bits, self._unset[met]])
            self._unset = self._unset[~met]
        return unsliced(rows, lanes, self._bits)

    def slice(self, states: Words, rows: Words) -> None:
        """Set the rows of all bits to those of some states."""
        own = np.empty((min(len(self._bits), WORD * states.shape[1]), rows.shape[1]), np.uint64)
        sliced(states, own)
        rows[:] = 0
        rows[self._bits[: len(own)]] = own

    def whole(self, states: Words) -> Words:
        """Some states with all bits."""
        found = [np.empty((0, words_for(self._all)), np.uint64)]
        for begin in range(0, len(states), LANES):
            part = states[begin : begin + LANES]
            rows = np.empty((self._all, -(-len(part) // WORD)), np.uint64)
            self.slice(part, rows)
            found.append(unsliced(rows, len(part)))
        return np.concatenate(found)


def _widened(states: Words, width: int) -> Words:
    """Some states with zeros up to so many words."""
    return np.pad(states, ((0, 0), (0, width - states.shape[1])))


@dataclass
class RandomRuns:
    """Random runs, of which what they have met can be read even if an exception ends `run` early.

    Args:
        machine: the steps.
        claims: formulas to evaluate in each state.
        actions: for each action the places of its parts in the machine.
        weights: how likely each action is beside the others.
        most: the number of runs.
        depth: the steps of a run at most.
        seed: the seed of the choices.
        probes: the places of the claims of which the runs count that reach a violation.
        progress: called after each step of all lanes.

    Attributes:
        runs: the number of runs that have begun.
        longest: the steps of the longest one.
        met: the number of different states that runs have met.
        taken: how often each action was taken.
        runs_taking: for each action the number of runs that take it.
        hits: for each probe and each number of steps, the runs that reach it first after so many.
        deadlocks: the number of runs that end in a state without a step.
        deadlock: the number of such a state, or None.
        failure: the number of a state with a step out of bounds that was taken, or None.
        found: the findings about the claims; violations are not counted.
    """

    machine: Machine
    claims: Sequence[Claim]
    actions: Sequence[Set[int]]
    weights: Sequence[int]
    most: int
    depth: int
    seed: int
    probes: Sequence[int] = ()
    progress: Callable[[], None] = lambda: None
    runs: int = field(default=0, init=False)
    longest: int = field(default=0, init=False)
    met: int = field(default=0, init=False)
    deadlocks: int = field(default=0, init=False)
    deadlock: int | None = field(default=None, init=False)
    failure: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        keep_memory()
        inputs, outputs = _step(self.machine, self.claims, self.actions, self.weights)
        self.program = compiled(self.machine.circuit, inputs, [outputs])
        self.found = [Found() for _ in self.claims]
        self.taken = np.zeros(len(self.weights), np.uint64)
        self.runs_taking = self.taken.copy()
        self.hits = np.zeros((len(self.probes), self.depth + 1), np.int64)
        self._coin = np.random.SFC64(abs(self.seed))
        self.narrow = Narrow(len(self.machine.inputs))
        self._table = Table(1)
        self._parents = np.empty(0, np.int32)
        self._depths = np.empty(0, np.int32)

    @property
    def states(self) -> Words:
        """The different states that runs have met."""
        return self.narrow.whole(self._table.states[: self.met])

    @property
    def depths(self) -> npt.NDArray[np.int32]:
        """The fewest steps after which a run has met each of them."""
        return self._depths[: self.met]

    def by_depth(self) -> list[int]:
        """For each number of steps, the different states that runs meet after so many, and after no fewer."""
        found: list[int] = np.bincount(self.depths).tolist()
        return found

    def reached(self, probe: int) -> tuple[int, float | None]:
        """The runs that reach a probe, by its place among them, and the median of the steps; None without runs."""
        hits = self.hits[probe]
        runs = int(hits.sum())
        return runs, float(np.median(np.repeat(np.arange(len(hits)), hits))) if runs else None

    def path(self, number: int) -> list[int]:
        """The numbers of the states of a run to a state: no run has met it after fewer steps."""
        chain = [number]
        while (before := int(self._parents[chain[-1]])) >= 0:
            chain.append(before)
        return chain[::-1]

    def run(self, begin: Words) -> None:
        """Take the runs.

        Args:
            begin: the initial states, one for each way to begin, of which there is at least one.
        """
        rows = np.empty((len(self.machine.inputs), -(-len(begin) // WORD)), np.uint64)
        sliced(begin, rows)
        starts = self.narrow.states(rows, len(begin))
        self.runs = min(self.most, LANES)
        lanes = _Lanes(self._begun(starts, self.runs), self)
        numbers = np.full(self.runs, -1)
        while len(lanes.states):
            # Most steps of some models change nothing.
            new = np.flatnonzero(lanes.changed)
            numbers[new] = self._meet(
                lanes.states.take(new, axis=0), numbers.take(new), lanes.depths.take(new)
            )
            ended = lanes.step(numbers)
            self.progress()
            # Beginning again and giving up go through all lanes, so they wait for some of them.
            if (_WAITING if self.runs < self.most else _OVER) * len(ended) < len(lanes.states):
                continue
            again, over = np.split(ended, [self.most - self.runs])
            self.runs += len(again)
            lanes.begin(again, self._begun(starts, len(again)))
            lanes.drop(over)
            numbers[again] = -1
            numbers = np.delete(numbers, over)

    def toss(self, shape: tuple[int, int]) -> Words:
        """Rows of tosses of a coin."""
        found: Words = self._coin.random_raw(shape)
        return found

    def _begun(self, starts: Words, number: int) -> Words:
        found: Words = starts[(self._coin.random_raw(number) % np.uint64(len(starts))).astype(np.int64)]
        return found

    def _meet(self, states: Words, parents: Indices, depths: npt.NDArray[np.int32]) -> Indices:
        """Note that runs are in some states after so many steps, each coming from another one; their numbers."""
        if (width := states.shape[1]) > self._table.states.shape[1]:
            wider = Table(width)
            wider.add(_widened(self._table.states, width))
            self._table = wider
        self._table.add(states)
        numbers = self._table.numbers()
        if self._table.size > len(self._depths):
            more = max(self._table.size, 2 * len(self._depths)) - len(self._depths)
            self._parents = np.concatenate([self._parents, np.full(more, -1, np.int32)])
            self._depths = np.concatenate([self._depths, np.full(more, self.depth + 1, np.int32)])
        # The state before has met its least depth already, so chains of parents get shorter only.
        sooner = np.flatnonzero(depths < self._depths.take(numbers))
        own = numbers[sooner]
        np.minimum.at(self._depths, own, depths[sooner])
        least = depths[sooner] == self._depths.take(own)
        self._parents[own[least]] = parents[sooner[least]]
        self.met = self._table.size
        return numbers

    def note(self, lanes: _Lanes, told: Words, numbers: Indices, depths: npt.NDArray[np.int32]) -> None:
        """Count what a step of all lanes tells.

        Args:
            lanes: the lanes, after the step.
            told: the rows.
            numbers: the state in each lane before the step.
            depths: the steps to it.
        """
        counts = count(told)
        if counts[_STUCK]:
            self.deadlocks += int(counts[_STUCK])
            self.deadlock = self._first(self.deadlock, told[_STUCK], numbers)
        if counts[_OUTSIDE]:
            self.failure = self._first(self.failure, told[_OUTSIDE], numbers)
        claimed = _TAKEN + len(self.weights)
        self.taken = self.taken + counts[_TAKEN:claimed]
        self.runs_taking = self.runs_taking + count(lanes.marked(0, told[_TAKEN:claimed]))
        self.longest = max(self.longest, int(lanes.depths.max()))
        for place, found in enumerate(self.found):
            violated, outside = claimed + 2 * place, claimed + 2 * place + 1
            if counts[violated]:
                found.violated_at = self._first(found.violated_at, told[violated], numbers)
            if counts[outside]:
                found.outside_at = self._first(found.outside_at, told[outside], numbers)
        reached = lanes.marked(len(self.weights), told[[claimed + 2 * place for place in self.probes]])
        for hits, row in zip(self.hits, reached, strict=True):
            if row.any():
                hits += np.bincount(depths[where(row)], minlength=self.depth + 1)

    def _first(self, known: int | None, row: Words, numbers: Indices) -> int:
        """A state that was found; otherwise that in a lane of a row which runs meet after the fewest steps."""
        if known is not None:
            return known
        found = numbers[where(row)]
        return int(found[self._depths.take(found).argmin()])


class _Lanes:
    """The runs that are under way.

    Attributes:
        states: the state of each.
        depths: the steps that each has taken.
        goes: whether each goes on.
        changed: whether its state is another one than before its last step.
    """

    def __init__(self, states: Words, runs: RandomRuns) -> None:
        self.states, self.depths = states, np.zeros(len(states), np.int32)
        self.goes = np.ones(len(states), np.bool_)
        self.changed = self.goes.copy()
        self._runs = runs
        self._bits = len(runs.machine.inputs)
        # For each action and each probe, the runs that have met it.
        self._marks = np.zeros((len(runs.weights) + len(runs.probes), -(-len(states) // WORD)), np.uint64)
        self._registers, self._sliced = Registers(runs.program, self._marks.shape[1]), False

    def row(self, lanes: npt.NDArray[np.bool_]) -> Words:
        """Some of the lanes as a row."""
        row = np.zeros(self._marks.shape[1], np.uint64)
        packed = np.packbits(lanes, bitorder="little")
        row.view(np.uint8)[: len(packed)] = packed
        return row

    def marked(self, first: int, rows: Words) -> Words:
        """Mark the lanes of some rows; those that were not yet."""
        marks = self._marks[first : first + len(rows)]
        new: Words = rows & ~marks
        marks |= rows
        return new

    def step(self, numbers: Indices) -> Indices:
        """Take a step in each lane that goes on, and have it noted; the lanes whose run has ended."""
        inputs, runs = self._registers.inputs, self._runs
        if not self._sliced:
            runs.narrow.slice(self.states, inputs[: self._bits])
        inputs[self._bits] = self.row(self.goes & (self.depths < runs.depth))
        tosses = inputs[self._bits + 1 :]
        tosses[:] = runs.toss(tosses.shape)
        own = self._registers.run(0)
        told, after = np.split(own, [len(own) - self._bits])
        told &= self.row(np.ones(len(self.goes), np.bool_))
        self.goes, depths = self._lanes_of(told[_MOVED]), self.depths
        self.depths = depths + self.goes
        runs.note(self, told, numbers, depths)
        self.states, self._sliced = runs.narrow.states(after, len(self.goes)), True
        changed = np.zeros_like(after[:1])
        for begin in range(0, self._bits, _ROWS):
            old, new = inputs[begin : min(begin + _ROWS, self._bits)], after[begin : begin + _ROWS]
            old ^= new
            changed |= np.bitwise_or.reduce(old, axis=0)
            old[:] = new
        self.changed = self._lanes_of(changed)
        return np.flatnonzero(~self.goes)

    def _lanes_of(self, row: Words) -> npt.NDArray[np.bool_]:
        """Whether each lane is set in a row."""
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")
        return bits[: len(self.states)].view(np.bool_)

    def begin(self, lanes: Indices, states: Words) -> None:
        """Begin runs in some lanes."""
        if len(lanes):
            self.states[lanes] = _widened(states, self.states.shape[1])
            self.depths[lanes], self._sliced = 0, False
            self.goes[lanes] = self.changed[lanes] = True
            begun = np.zeros(len(self.states), np.bool_)
            begun[lanes] = True
            self._marks &= ~self.row(begun)

    def drop(self, lanes: Indices) -> None:
        """Give up some lanes."""
        if not len(lanes):
            return
        kept = np.delete(np.arange(len(self.states)), lanes)
        self.states, self.depths, self._sliced = self.states[kept], self.depths[kept], False
        self.goes, self.changed = self.goes[kept], self.changed[kept]
        marks = np.unpackbits(self._marks.view(np.uint8), axis=1, bitorder="little")[:, kept]
        size = max(1, -(-len(kept) // WORD))
        self._registers.clear(size)
        self._marks = np.zeros((len(marks), size), np.uint64)
        packed = np.packbits(marks, axis=1, bitorder="little")
        self._marks.view(np.uint8)[:, : packed.shape[1]] = packed
