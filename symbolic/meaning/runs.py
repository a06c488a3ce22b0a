"""Temporal formulas on a run that is known.

A run that goes on for ever is given by finitely many states of which the last leads back to one of them. Formulas
are evaluated at its places by their definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
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
    OutOfBounds,
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

    @property
    def visited(self) -> Sequence[State]:
        """Its states and, unless it stops in the last one for ever, the one at the loop again."""
        return self.states if self.loop == len(self.states) - 1 else [*self.states, self.states[self.loop]]

    @property
    def repeated(self) -> range:
        """The places that it visits infinitely often."""
        return range(self.loop, len(self.states))


def satisfies(runs: Predicates, formula: Temporal, word: Word) -> bool:
    """Whether a run satisfies a temporal formula.

    Raises:
        OutOfBounds: if the evaluation of a predicate in it goes out of bounds.
    """
    return _Valuation(runs, word.states, word.loop).of(expanded(formula), 0) is True


def is_refuted(runs: Predicates, formula: Temporal, states: Sequence[State]) -> bool:
    """Whether these states alone already refute a formula: no run that begins with them satisfies it.

    A predicate that goes out of bounds elsewhere makes no difference then, as one of an invariant does not.

    Raises:
        OutOfBounds: if they do not, and the evaluation of a predicate in it goes out of bounds.
    """
    valuation = _Valuation(runs, states, None)
    if valuation.of(expanded(formula), 0) is False:
        return True
    if valuation.error is not None:
        raise valuation.error
    return False


class _Valuation:
    """The values of formulas at the places of a run.

    Args:
        runs: evaluates predicates.
        states: the states of the run.
        loop: the place to which the last state leads; None if these states are only the beginning of runs. Then
            the value of a formula is None where it differs among them.

    Attributes:
        error: for the beginning of runs, the first error of a predicate, which has the value None then.
    """

    error: OutOfBounds | None = None

    def __init__(self, runs: Predicates, states: Sequence[State], loop: int | None) -> None:
        self._runs, self._states, self._loop = runs, states, loop
        self._known: dict[tuple[int, int], bool | None] = {}

    def of(self, formula: Temporal, place: int) -> bool | None:
        """The value of a formula without quantifiers at a place."""
        key = id(formula), place
        if key not in self._known:
            try:
                self._known[key] = self._value(formula, place)
            except OutOfBounds as error:
                if self._loop is not None:
                    raise
                self._known[key], self.error = None, self.error or error
        return self._known[key]

    def _value(self, formula: Temporal, place: int) -> bool | None:
        match formula:
            case Holds(node=node):
                return self._runs.holds(node, self._states[place])
            case Happens(node=node):
                return self._happens(node, place)
            case Negated(item=item):
                value = self.of(item, place)
                return None if value is None else not value
            case Both(items=items):
                return _all([self.of(x, place) for x in items])
            case Either(items=items):
                return _any([self.of(x, place) for x in items])
            case Always(item=item):
                return _all(self._from(item, place))
            case Eventually(item=item):
                return _any(self._from(item, place))
            case LeadsTo(premise=premise, conclusion=conclusion):
                return self._leads(premise, conclusion, place)
        raise TypeError(f"{type(formula).__name__} is no temporal formula")

    def _rest(self, place: int) -> range:
        """The places that the run visits from a place on."""
        begin = place if self._loop is None else min(place, self._loop)
        return range(begin, len(self._states))

    def _from(self, item: Temporal, place: int) -> Iterable[bool | None]:
        """The values of a formula from a place on."""
        if self._loop is None:
            # Lazily: a state that refutes the formula ends its evaluation. What comes after is not known.
            return chain((self.of(item, i) for i in self._rest(place)), [None])
        return [self.of(item, i) for i in self._rest(place)]

    def _happens(self, node: Any, place: int) -> bool | None:
        if place + 1 < len(self._states):
            return self._runs.happens(node, self._states[place], self._states[place + 1])
        if self._loop is None:
            return None
        return self._runs.happens(node, self._states[place], self._states[self._loop])

    def _leads(self, premise: Temporal, conclusion: Temporal, place: int) -> bool | None:
        if self._loop is None:
            return None  # the conclusion may hold later
        asked, given = [*self._from(premise, place)], [*self._from(conclusion, place)]
        # A formula that holds in the loop holds again and again, so it answers at every place.
        in_loop = any(self._from(conclusion, self._loop))
        return in_loop or all(any(given[i:]) for i, one in enumerate(asked) if one)


def _all(values: Iterable[bool | None]) -> bool | None:
    unknown = False
    for value in values:
        if value is False:
            return False
        unknown |= value is None
    return None if unknown else True


def _any(values: Iterable[bool | None]) -> bool | None:
    found = _all(None if value is None else not value for value in values)
    return None if found is None else not found
