"""Fair runs in the graph of states and steps, as arrays.

A fair run ends in a strongly connected component whose steps meet all conditions. Components are found for all
states at once. States that no cycle can go through are left out, by the number of steps that lead to them or from
them. Each state then takes the colour of the last state that leads to it: states of one component have one
colour, and those from which the last state of their colour can be reached are its component (S. Orzan: On
distributed verification and verified distribution, 2004; with the trimming of G. Slota, S. Rajamanickam, K.
Madduri: BFS and coloring-based parallel algorithms for strongly connected components, IPDPS 2014). Where strong
fairness of an action is not served, the states in which it can be taken are left out, and the rest is searched
again (O. Lichtenstein, A. Pnueli, POPL 1985).
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from leadline.symbolic.bits.lanes import WORD, Indices, Words
from leadline.symbolic.lang import InternalError

Numbers = npt.NDArray[np.int32]
Marks = npt.NDArray[np.unsignedinteger[Any]]
Flags = npt.NDArray[np.bool_]

_TYPES = {8: "B", 16: "H", 32: "I", WORD: "Q"}


class Steps:
    """The steps between states that are known by numbers.

    Args:
        notes: the number of notes about a step, at most 64.
    """

    def __init__(self, notes: int) -> None:
        self._ends = array("i"), array("i")
        self._marks = array(next(code for bits, code in _TYPES.items() if notes <= bits))

    def add(self, sources: Indices, targets: Indices, marks: Words, states: int) -> None:
        """Add steps.

        Args:
            sources: the state before each; a negative one is no step.
            targets: the state after each.
            marks: the notes about each, a bit for each note, as a column.
            states: the number of states; a step to one that has no number yet is left out.
        """
        known = (sources >= 0) & (targets < states)
        for ends, numbers in zip(self._ends, (sources, targets), strict=True):
            ends.frombytes(numbers[known].astype(np.int32).tobytes())
        self._marks.frombytes(marks[known, 0].astype(f"u{self._marks.itemsize}").tobytes())

    def graph(self, size: int) -> Graph:
        """The graph of the states with the first numbers."""
        source, target = (np.frombuffer(ends, np.int32) for ends in self._ends)
        return Graph(size, source, target, np.frombuffer(self._marks, f"u{self._marks.itemsize}"))


@dataclass(frozen=True)
class Conditions:
    """The conditions of fairness. A step's notes say, in this order, which of the recurrent ones it meets, and for
    each strong one whether the action in question can be taken before it, and whether the step takes it.

    Attributes:
        recurrent: the number of conditions that are to be met again and again.
        strong: the number of strong ones.
    """

    recurrent: int
    strong: int

    @property
    def notes(self) -> int:
        """The number of notes about a step."""
        return self.recurrent + 2 * self.strong

    def neglected(self, marks: Words) -> Words:
        """Of steps that are taken again and again, by what is noted about any: the strong ones not served."""
        every = np.uint64((1 << self.strong) - 1)
        able, taken = marks >> np.uint64(self.recurrent), marks >> np.uint64(self.recurrent + self.strong)
        found: Words = able & ~taken & every
        return found

    def met(self, marks: Words) -> Flags:
        """Likewise, whether all of the recurrent ones are met."""
        every = np.uint64((1 << self.recurrent) - 1)
        found: Flags = (marks & every) == every
        return found

    def wanted(self, marks: int) -> int:
        """The demands on a loop in a component, by the notes on each of its steps."""
        able = marks >> self.recurrent & (1 << self.strong) - 1
        return (1 << self.recurrent) - 1 | able << self.recurrent + self.strong


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph.

    Attributes:
        size: the number of states.
        source: for each step the state before it.
        target: the state after it.
        marks: the notes about it.
    """

    size: int
    source: Numbers
    target: Numbers
    marks: Marks

    def where(self, which: Flags) -> Graph:
        """The graph of some steps."""
        return Graph(self.size, self.source[which], self.target[which], self.marks[which])

    def marked(self, place: Numbers) -> Words:
        """The notes of all steps of each place together; `place` gives the place of each step."""
        found = np.zeros(self.size, np.uint64)
        for bit in range(int(np.bitwise_or.reduce(self.marks)).bit_length()):
            of_bit = place[(self.marks >> bit & 1).astype(np.bool_)]
            found[of_bit] |= np.uint64(1 << bit)
        return found

    def fair_loop(self, conditions: Conditions) -> list[int] | None:
        """States around which a fair run may go for ever, from the first state where that is possible on.

        A run that stops is preferred; it is the easiest to understand.
        """
        stays = self.source == self.target
        still = self.where(stays)
        stopping = still.marked(still.source)
        alone = np.zeros(self.size, np.bool_)
        alone[still.source] = True
        alone &= conditions.met(stopping) & (conditions.neglected(stopping) == 0)
        if alone.any():
            return [int(np.argmax(alone))]
        component = self._fair_component(conditions)
        return None if component is None else component._loop(conditions)

    def _fair_component(self, conditions: Conditions) -> Graph | None:
        """The fair component whose first state comes before those of the others."""
        graph = self
        while len(graph.source):
            label = components(graph)
            graph = graph.where((label[graph.source] == label[graph.target]) & (label[graph.source] >= 0))
            marks = graph.marked(label[graph.source])
            met, neglected = conditions.met(marks), conditions.neglected(marks)
            of_step = label[graph.source]
            fair = met[of_step] & (neglected[of_step] == 0)
            if fair.any():
                first = graph.source[fair].min()
                return graph.where(of_step == label[first])
            able = (graph.marks.astype(np.uint64) >> np.uint64(conditions.recurrent)) & neglected[of_step]
            lost = np.zeros(self.size, np.bool_)
            lost[graph.source[able != 0]] = True
            graph = graph.where(met[of_step] & ~lost[graph.source] & ~lost[graph.target])
        return None

    def _loop(self, conditions: Conditions) -> list[int]:
        """States of a way through all of a component that does what is wanted, from its first state back to it."""
        steps = _Sorted(self)
        first = int(self.source.min())
        wanted = conditions.wanted(int(np.bitwise_or.reduce(self.marks)))
        path = [first]
        while wanted:
            for state, mark in steps.nearest(path[-1], wanted, None):
                path.append(state)
                wanted &= ~mark
        if path[-1] != first or len(path) == 1:
            path += [state for state, _ in steps.nearest(path[-1], 0, first)]
        return path[:-1]


class _Sorted:
    """Steps in the order of their states.

    Attributes:
        begin: the state that each step is sorted by.
        end: its other state.
        marks: the notes about it.
        first: for each state, the place of its first step; then that behind the last one of all.
    """

    def __init__(self, graph: Graph, *, backward: bool = False) -> None:
        begin, end = (graph.target, graph.source) if backward else (graph.source, graph.target)
        order = np.argsort(begin, kind="stable")
        self._size = graph.size
        self._set(begin[order], end[order], graph.marks[order])

    def _set(self, begin: Numbers, end: Numbers, marks: Marks) -> None:
        self.begin, self.end, self.marks = begin, end, marks
        self.first = np.zeros(self._size + 1, np.int64)
        np.cumsum(np.bincount(begin, minlength=self._size), out=self.first[1:])

    def keep(self, which: Flags) -> None:
        """Leave out the other steps."""
        self._set(self.begin[which], self.end[which], self.marks[which])

    def of(self, states: Indices) -> Indices:
        """The places of the steps of some states."""
        begin = self.first[states]
        number = self.first[states + 1] - begin
        ends = np.cumsum(number)
        found: Indices = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - (ends - number), number)
        return found

    def nearest(self, begin: int, wanted: int, back: int | None) -> list[tuple[int, int]]:
        """A shortest way from a state whose last step does something wanted, or leads back to a state.

        Returns:
            The state after each step, and the notes about the step.
        """
        via = np.full(self._size, -1)
        states = np.array([begin])
        while len(states):
            places = self.of(states)
            last = (
                self.marks[places] & self.marks.dtype.type(wanted) != 0
                if wanted
                else self.end[places] == back
            )
            if last.any():
                path = [int(places[np.argmax(last)])]
                while self.begin[path[-1]] != begin:
                    path.append(int(via[self.begin[path[-1]]]))
                return [(int(self.end[x]), int(self.marks[x])) for x in path[::-1]]
            places = places[via[self.end[places]] < 0]
            via[self.end[places[::-1]]] = places[::-1]
            states = _distinct(self.end[places], self._size)
        raise InternalError("a component is not strongly connected, though it was found")


def _distinct(states: Numbers, size: int) -> Indices:
    """Some states, each once, ascending."""
    if len(states) < size >> 4:
        return np.unique(states).astype(np.int64)
    there = np.zeros(size, np.bool_)
    there[states] = True
    return np.flatnonzero(there)


def components(graph: Graph) -> Numbers:
    """For each state that a cycle of several states may go through, the number of one of its strongly connected
    component; -1 for others."""
    graph = graph.where(graph.source != graph.target)
    ways = _Sorted(graph), _Sorted(graph, backward=True)
    label = np.full(graph.size, -1, np.int32)
    alive = np.zeros(graph.size, np.bool_)
    alive[graph.source] = True
    while True:
        _trim(alive, *ways)
        _trim(alive, *ways[::-1])
        if not alive.any():
            return label
        colour = _coloured(np.flatnonzero(alive), ways[0])
        _label(label, np.flatnonzero(alive & (colour == np.arange(graph.size))), colour, ways[1])
        alive &= label < 0
        for way in ways:
            way.keep(alive[way.begin] & alive[way.end] & (colour[way.begin] == colour[way.end]))


def _trim(alive: Flags, ahead: _Sorted, behind: _Sorted) -> None:
    """Leave out states from which no step leads on, and then those of which none does any more."""
    number = np.diff(ahead.first)
    gone = np.flatnonzero(alive & (number == 0))
    while len(gone):
        alive[gone] = False
        before = behind.end[behind.of(gone)]
        before = before[alive[before]]
        np.subtract.at(number, before, 1)
        gone = _distinct(before[number[before] == 0], len(alive))
    for way in (ahead, behind):
        way.keep(alive[way.begin] & alive[way.end])


def _coloured(states: Indices, ahead: _Sorted) -> Numbers:
    """For each state the greatest number of those that lead to it."""
    colour = np.arange(len(ahead.first) - 1, dtype=np.int32)
    while len(states):
        places = ahead.of(states)
        before, after = ahead.begin[places], ahead.end[places]
        greater = colour[before] > colour[after]
        np.maximum.at(colour, after[greater], colour[before[greater]])
        states = _distinct(after[greater], len(colour))
    return colour


def _label(label: Numbers, states: Indices, colour: Numbers, behind: _Sorted) -> None:
    """Label the states from which the first of their colour can be reached, beginning with these."""
    label[states] = states
    while len(states):
        places = behind.of(states)
        after, before = behind.begin[places], behind.end[places]
        new = before[(colour[before] == colour[after]) & (label[before] < 0)]
        label[new] = colour[new]
        states = _distinct(new, len(colour))
