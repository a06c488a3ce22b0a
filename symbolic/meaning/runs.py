"""Temporal formulas on a run that is known.

A run that goes on for ever is given by finitely many states of which the last leads back to one of them. Formulas
are evaluated from the inside out, state by state, by their definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from leadline.symbolic.lang import (
    Always,
    Both,
    Either,
    Eventually,
    Happens,
    Holds,
    LeadsTo,
    Negated,
    Temporal,
    expanded,
)
from leadline.symbolic.meaning.interface import State


class Predicates(Protocol):
    """Evaluates the predicates in temporal formulas."""

    def holds(self, node: Any, state: Any, /) -> bool:
        """Whether a state satisfies a predicate.

        Raises:
            OutOfBounds: if its evaluation goes out of bounds.
        """

    def happens(self, node: Any, before: Any, after: Any, /) -> bool:
        """Whether a step satisfies a predicate over steps and changes a variable.

        Raises:
            OutOfBounds: if its evaluation goes out of bounds.
        """


@dataclass(frozen=True)
class Word:
    """A run that goes on for ever.

    Attributes:
        states: its states; the last leads to the one at `loop`.
        loop: a place in `states`.
    """

    states: Sequence[State]
    loop: int

    def after(self, place: int) -> State:
        """The state after the one at a place."""
        return self.states[place + 1] if place + 1 < len(self.states) else self.states[self.loop]

    def from_here(self, place: int) -> range:
        """The places that the run visits from a place on."""
        return range(min(place, self.loop), len(self.states))

    @property
    def repeated(self) -> range:
        """The places that it visits infinitely often."""
        return range(self.loop, len(self.states))


def satisfies(runs: Predicates, formula: Temporal, word: Word) -> bool:
    """Whether a run satisfies a temporal formula.

    Raises:
        OutOfBounds: if the evaluation of a predicate in it goes out of bounds.
    """
    return _values(runs, expanded(formula), word)[0]


def _values(runs: Predicates, formula: Temporal, word: Word) -> list[bool]:
    """The value of a formula at each place."""
    places = range(len(word.states))
    match formula:
        case Holds(node=node):
            return [runs.holds(node, state) for state in word.states]
        case Happens(node=node):
            return [runs.happens(node, word.states[i], word.after(i)) for i in places]
        case Negated(item=item):
            return [not value for value in _values(runs, item, word)]
        case Both(items=items):
            columns = [_values(runs, item, word) for item in items]
            return [all(column[i] for column in columns) for i in places]
        case Either(items=items):
            columns = [_values(runs, item, word) for item in items]
            return [any(column[i] for column in columns) for i in places]
        case Always(item=item):
            inner = _values(runs, item, word)
            return [all(inner[j] for j in word.from_here(i)) for i in places]
        case Eventually(item=item):
            inner = _values(runs, item, word)
            return [any(inner[j] for j in word.from_here(i)) for i in places]
        case LeadsTo(premise=premise, conclusion=conclusion):
            asked, given = _values(runs, premise, word), _values(runs, conclusion, word)
            answered = [any(given[j] for j in word.from_here(i)) for i in places]
            return [all(answered[j] for j in word.from_here(i) if asked[j]) for i in places]
    raise TypeError(f"{type(formula).__name__} is no temporal formula")


def is_refuted(runs: Predicates, formula: Temporal, states: Sequence[State]) -> bool:
    """Whether these states alone already refute a formula: no run that begins with them satisfies it.

    Raises:
        OutOfBounds: if the evaluation of a predicate in it goes out of bounds.
    """
    return _decided(runs, expanded(formula), states, 0) is False


def _decided(runs: Predicates, formula: Temporal, states: Sequence[State], place: int) -> bool | None:
    """The value of a formula at a place in every run that begins with these states; None if they differ."""

    def at(item: Temporal, i: int = place) -> bool | None:
        return _decided(runs, item, states, i)

    rest = range(place, len(states))
    match formula:
        case Holds(node=node):
            return runs.holds(node, states[place])
        case Happens(node=node):
            return runs.happens(node, states[place], states[place + 1]) if place + 1 in rest else None
        case Negated(item=item):
            value = at(item)
            return None if value is None else not value
        case Both(items=items):
            return _all(at(x) for x in items)
        case Either(items=items):
            return _any(at(x) for x in items)
        case Always(item=item):
            return False if any(at(item, i) is False for i in rest) else None
        case Eventually(item=item):
            return True if any(at(item, i) is True for i in rest) else None
        case LeadsTo():
            return None
    raise TypeError(f"{type(formula).__name__} is no temporal formula")


def _all(values: Iterator[bool | None]) -> bool | None:
    known = list(values)
    return False if False in known else None if None in known else True


def _any(values: Iterator[bool | None]) -> bool | None:
    known = list(values)
    return True if True in known else None if None in known else False
