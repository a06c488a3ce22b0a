"""Sets of many states on circuits: the guards and updates of all of them at once.

The steps are those of `leadline.symbolic.bits`. A run that is found with such sets is put together and replayed
by values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from leadline.symbolic.bits.lanes import Indices, Words, where, words_for
from leadline.symbolic.bits.machine import Machine
from leadline.symbolic.bits.programs import compiled
from leadline.symbolic.bits.search import Batches, BitChanges, Table, packed
from leadline.symbolic.concrete import State
from leadline.symbolic.conform.events import Calls, Event, Part, formula
from leadline.symbolic.conform.states import StateSet
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.lang import Model, Value

_MOST_REMEMBERED = 1_000


class _Chosen(NamedTuple):
    """The places of the machine's steps that an event may be, and of its ways out of bounds."""

    moves: Sequence[int]
    failures: Sequence[int]


class Circuits:
    """The steps of a model on circuits.

    Args:
        model: the model.
        hidden: the names of the actions that a log need not show.

    Attributes:
        outside: whether a hidden step, or one that could be an event, has left the model's bounds so far.

    Raises:
        NoCircuits: if picks have too many values.
        ModelError: if an expression has no circuit.
    """

    def __init__(self, model: Model, hidden: Sequence[str]) -> None:
        self.outside = False
        self._machine = machine = Machine(model)
        self._facts = Facts(model)
        self._hidden: Calls = {name: {} for name in hidden}
        self.width = words_for(len(machine.inputs))
        self._written = [BitChanges(move.changes, self.width) for move in machine.moves]
        outcomes = [*(x.enabled for x in machine.moves), *(x.literal for x in machine.failures)]
        sections = [outcomes, *(x.literals for x in self._written)]
        self._steps = Batches(compiled(machine.circuit, machine.inputs, sections))
        self._test = lru_cache(_MOST_REMEMBERED)(self._new_test)
        self._chosen = lru_cache(_MOST_REMEMBERED)(self._choice)
        self._literals: dict[Part, tuple[int, int]] = {}

    def packed(self, states: Iterable[State]) -> PackedSet:
        """A set of states."""
        # Sorted, since a set that is made again must be the same.
        words = packed(sorted(self._facts.packed(state)[0] for state in states), self.width)
        return PackedSet(self, words)

    def state(self, words: Words) -> State:
        """The value of a state."""
        return self._machine.state(words)

    def word(self, state: State) -> Words:
        """The words of a state."""
        (words,) = packed([self._facts.packed(state)[0]], self.width)
        return np.asarray(words)

    # -- steps --------------------------------------------------------------------------------------------

    def after(self, states: Words, event: Event | None) -> Iterator[tuple[Words, Indices]]:
        """The states after an event, or a hidden step without one, each with the place of the one before it."""
        calls, before, after = (
            (self._hidden, (), ()) if event is None else (event.actions, event.before, event.after)
        )
        places = self._fitting(states, before)
        if event is not None and not event.is_step:
            places = places[self._fitting(states[places], after)]
            yield states[places], places
            return
        chosen = self._chosen(tuple((name, *picks.items()) for name, picks in calls.items()))
        for low in range(0, len(places), self._steps.lanes):
            batch = places[low : low + self._steps.lanes]
            for found, lanes in self._stepped(states[batch], chosen):
                fitting = self._fitting(found, after)
                yield found[fitting], batch[lanes[fitting]]

    def _stepped(self, states: Words, chosen: _Chosen) -> Iterator[tuple[Words, Indices]]:
        registers = self._steps.run(states)
        outcomes = registers.outputs(0)
        taken: list[bool] = np.any(outcomes, axis=1).tolist()
        self.outside |= any(taken[place] for place in chosen.failures)
        for place in chosen.moves:
            if taken[place]:
                lanes = where(outcomes[place])
                rows = registers.run(place + 1)
                yield self._written[place].to(states.take(lanes, axis=0), lanes, rows), lanes

    def _choice(self, told: tuple[tuple[Any, ...], ...]) -> _Chosen:
        """The steps that have given picks: for each action its name, and pairs of a pick and its value."""
        calls: Calls = {name: dict(picks) for name, *picks in told}
        moves, failures = self._machine.moves, enumerate(self._machine.failures, len(self._machine.moves))
        return _Chosen(
            [x for x, one in enumerate(moves) if self._is_of(one.action, one.picks, calls)],
            [x for x, one in failures if self._is_of(one.action, one.picks, calls)],
        )

    def _is_of(self, action: int, made: Mapping[str, Value], calls: Calls) -> bool:
        """Whether a step is one of some calls. One out of bounds may lack picks that it had not made by then."""
        told = calls.get(self._machine.model.actions[action].name)
        return told is not None and all(told.get(name, value) == value for name, value in made.items())

    def _fitting(self, states: Words, parts: tuple[Part, ...]) -> Indices:
        if not parts or not len(states):
            return np.arange(len(states))
        test = self._test(parts)
        found = [where(~np.bitwise_or.reduce(outputs)) + low for low, outputs in test.over(states)]
        places = np.concatenate(found)
        return places[places < len(states)]

    def _new_test(self, parts: tuple[Part, ...]) -> Batches:
        """Tells of states whether they lack a part."""
        for part in parts:
            if part not in self._literals:
                claim = self._machine.claim(formula(self._machine.model, part))
                self._literals[part] = claim.violated, claim.outside
        literals = [x for part in parts for x in self._literals[part]]
        return Batches(compiled(self._machine.circuit, self._machine.inputs, [literals]))


class PackedSet:
    """A set of states as packed words, with the methods of `ValueSet`."""

    def __init__(self, circuits: Circuits, words: Words) -> None:
        self._circuits, self._words = circuits, words

    def __len__(self) -> int:
        return len(self._words)

    def values(self) -> frozenset[State]:
        return frozenset(map(self._circuits.state, self._words))

    def after(self, event: Event) -> StateSet:
        return self._of(found for found, _ in self._circuits.after(self._words, event))

    def and_hidden(self) -> StateSet:
        return self._of(chain([self._words], (x for x, _ in self._circuits.after(self._words, None))))

    def joined(self, other: StateSet) -> StateSet:
        words = other._words if isinstance(other, PackedSet) else self._circuits.packed(other.values())._words
        return self._of([self._words, words])

    def few(self, most: int) -> StateSet:
        return PackedSet(self._circuits, self._words[:most])

    def before(self, event: Event | None, target: State) -> State | None:
        word = self._circuits.word(target)
        for found, places in self._circuits.after(self._words, event):
            there = np.flatnonzero((found == word).all(axis=1))
            if len(there):
                return self._circuits.state(self._words[places[there[0]]])
        return None

    def _of(self, parts: Iterable[Words]) -> PackedSet:
        table = Table(self._circuits.width)
        for words in parts:
            if len(words):
                table.add(words)
        # A copy, since a table has room for more.
        return PackedSet(self._circuits, table.states.copy())
