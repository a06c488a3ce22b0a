"""The concrete meaning of claims about runs: temporal formulas and fairness, evaluated on a run that is known.

A run that goes on for ever is given by finitely many states of which the last leads back to one of them. Formulas
are evaluated from the inside out, state by state, by their definition. Whether an action can be taken is tried.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.concrete.module import ANYWHERE, Source
from leadline.symbolic.concrete.semantics import Semantics, State
from leadline.symbolic.lang import (
    Always,
    Both,
    Either,
    Eventually,
    Fairness,
    Happens,
    Holds,
    LeadsTo,
    Negated,
    OutOfBounds,
    Pick,
    Property,
    Temporal,
    Value,
    expanded,
    is_step,
    primed,
)
from leadline.symbolic.lang.nodes import Node

Keys = tuple[Value, ...]
"""The values at which a fairness condition holds by itself."""


class Runs:
    """Evaluates predicates over states and steps, and the enabledness that fairness needs; remembers both.

    Args:
        semantics: the concrete meaning of the model.
        claim: the property whose predicates are evaluated, for errors.
    """

    def __init__(self, semantics: Semantics, claim: Property | None = None) -> None:
        self.semantics = semantics
        self._source = ANYWHERE if claim is None else Source.of(claim)
        names = [variable.name for variable in semantics.model.variables]
        self._places = {name: place for place, name in enumerate(names)}
        both = [*names, *map(primed, names)]
        self._both = {name: place for place, name in enumerate(both)}
        self._functions: dict[Node, Callable[[State, Mapping[str, Value]], Value]] = {}

    def holds(self, node: Node, state: State) -> bool:
        """Whether a state satisfies a predicate.

        Raises:
            OutOfBounds: if its evaluation goes out of bounds.
        """
        return bool(self.semantics.evaluate(node, state, None, self._source))

    def happens(self, node: Node, before: State, after: State) -> bool:
        """Whether a step satisfies a predicate over steps and changes a variable.

        Raises:
            OutOfBounds: if its evaluation goes out of bounds.
        """
        if before == after:
            return False
        if node not in self._functions:
            self._functions[node] = function_of(node, self._both, (), self._source)
        return bool(self._functions[node]((*before, *after), {}))

    def evaluate(self, node: Node, states: Sequence[State]) -> None:
        """Evaluate a predicate over states or steps wherever a run can.

        Raises:
            OutOfBounds: if its evaluation goes out of bounds.
        """
        if not is_step(node):
            for state in states:
                self.holds(node, state)
        for before, after in itertools.pairwise(states):
            self.happens(node, before, after)

    # -- fairness -----------------------------------------------------------------------------------

    def keys(self, fair: Fairness) -> Iterator[Keys]:
        """The tuples of values at which a condition holds by itself."""
        return itertools.product(*(tuple(kind.values()) for kind in fair.types))

    def chances(self, fair: Fairness, state: State) -> set[tuple[Keys, State | None]]:
        """The steps from a state that count for a condition: the values at which they do, and where they lead.

        A step out of bounds leads nowhere. It counts, too, if it changes a watched variable or takes one of
        them out of bounds: a run that stops before it is not fair.
        """
        watched = [self._places[name] for name in fair.of] or range(len(state))
        found = set()
        for arm in fair.arms:
            for outcome in self.semantics.attempts(state, arm.action):
                if outcome is None:
                    continue
                after, picks = outcome.state, dict(outcome.picks)
                if after is None:
                    counts = changes_beyond(self.semantics, state, arm.action, picks, watched)
                else:
                    counts = any(state[i] != after[i] for i in watched)
                if counts:
                    keys = tuple(self.semantics.evaluate(key, state, picks) for key in arm.keys)
                    found.add((keys, after))
        return found


def changes_beyond(
    semantics: Semantics, state: State, action: str, picks: Mapping[str, Value], watched: Sequence[int]
) -> bool:
    """Whether a step out of bounds is one whose guards hold and that changes a variable, if only in principle.

    Args:
        semantics: the concrete meaning of the model.
        state: the state before the step.
        action: the action's name.
        picks: the picks that were made before the step went out of bounds.
        watched: the places of the variables that count.
    """
    model = semantics.model
    one = next(x for x in model.actions if x.name == action)
    guards = [item for item in one.body if not isinstance(item, Pick)]
    places = {model.variables[place].name: place for place in watched}
    if len(picks) < len(one.picks):
        return False
    try:
        if not all(semantics.evaluate(guard, state, picks) for guard in guards):
            return False
    except OutOfBounds:
        return False
    for name, node in one.updates:
        try:
            if name in places and semantics.evaluate(node, state, picks) != state[places[name]]:
                return True
        except OutOfBounds:
            return True
    return False


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


def satisfies(runs: Runs, formula: Temporal, word: Word) -> bool:
    """Whether a run satisfies a temporal formula.

    Raises:
        OutOfBounds: if the evaluation of a predicate in it goes out of bounds.
    """
    return _values(runs, expanded(formula), word)[0]


def _values(runs: Runs, formula: Temporal, word: Word) -> list[bool]:
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


def neglected(runs: Runs, fair: Fairness, word: Word) -> Keys | None:
    """The first values at which a run neglects a fairness condition; None if it satisfies the condition."""
    chances = [runs.chances(fair, word.states[i]) for i in word.repeated]
    taken = [
        {keys for keys, after in found if after == word.after(i)}
        for i, found in zip(word.repeated, chances, strict=True)
    ]
    able = [{keys for keys, _ in found} for found in chances]
    for keys in runs.keys(fair):
        if any(keys in x for x in taken):
            continue
        often = any(keys in x for x in able) if fair.strong else all(keys in x for x in able)
        if often:
            return keys
    return None


def is_refuted(runs: Runs, formula: Temporal, states: Sequence[State]) -> bool:
    """Whether these states alone already refute a formula: no run that begins with them satisfies it.

    Raises:
        OutOfBounds: if the evaluation of a predicate in it goes out of bounds.
    """
    return _decided(runs, expanded(formula), states, 0) is False


def _decided(runs: Runs, formula: Temporal, states: Sequence[State], place: int) -> bool | None:
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
