"""Predicates that settle: on every run each of them changes finitely often, as long as the claim is unmet.

The predicates come in levels. A step moves those of the first level one way only, from false to true, say. A
step that moves none of the earlier levels moves those of a level one way only. So the first level settles on
every run, then the second, and so on; a fair run that violates the claim has an end on which none moves.

These are the stabilising constraints of K. Claessen, N. Sörensson: A liveness checking algorithm that counts,
FMCAD 2012, found by looking at states that are reached, and by levels. They are guesses: the model that
`leadline.symbolic.engines.runs.rounds` makes of them has the claim that they are right.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from leadline.symbolic.concrete import State
from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.engines.runs.product import Mark, Product
from leadline.symbolic.engines.runs.random_walks import Moving, ProductSteps, flat
from leadline.symbolic.lang import (
    BOOL,
    NOWHERE,
    Bool,
    Int,
    Map,
    Named,
    Option,
    Record,
    Seq,
    Set,
    Sort,
    Tuple,
    Type,
    Union,
    UserError,
    Variable,
    as_node,
    nodes as n,
)
from leadline.symbolic.lang.rules import comparison, connective, equality

MOST_VALUES = 64
"""Values of an integer, or of an enumeration, of which each has a predicate.

Those of a larger integer are the keys of one predicate; a larger enumeration has none.
"""

MOST_KEYS = 2000
"""Tuples of keys at which one predicate is looked at."""


@dataclass(frozen=True)
class Predicate:
    """A predicate over one variable, at each tuple of keys by itself.

    Attributes:
        variable: the variable's name.
        mark: the keys: those of the maps on the way, the members of a set, a member of a sort.
        node: the predicate over the variable and the keys.
        text: it in words, `*` for each key.
    """

    variable: str
    mark: Mark
    node: n.Node
    text: str


@dataclass(frozen=True)
class Settled:
    """A predicate, and whether steps move it from false to true alone, or from true to false alone."""

    predicate: Predicate
    rises: bool

    @property
    def text(self) -> str:
        """It in words, as a certificate has it."""
        return f"{'rises' if self.rises else 'falls'}: {self.predicate.text}"


Settling: TypeAlias = tuple[tuple[Settled, ...], ...]
"""The predicates that settle, by level."""


def understood(variables: Sequence[Variable], levels: Sequence[Sequence[str]]) -> Settling:
    """The levels that texts spell.

    Raises:
        UserError: if one of them is of no predicate of these variables.
    """
    known = {one.text: one for x in predicates(variables) for one in (Settled(x, True), Settled(x, False))}
    for text in (text for level in levels for text in level):
        if text not in known:
            raise UserError(f"the proof speaks of {text!r}, and the protocol has no such part")
    return tuple(tuple(known[text] for text in level) for level in levels)


# -- the predicates ------------------------------------------------------------------------------------


def predicates(variables: Iterable[Variable]) -> Iterator[Predicate]:
    """A few predicates over each part of each variable."""
    for one in variables:
        leaf = n.make(n.StateVar, one.type, NOWHERE, one.name)
        for mark, nodes, text in _tests(one.type, _Part(leaf, (), (), one.name)):
            keys = 1
            for key in mark.keys:
                keys *= key.type.cardinality
            if keys <= MOST_KEYS:
                yield Predicate(one.name, mark, connective(n.And, list(nodes)), text)


@dataclass(frozen=True)
class _Part:
    """A part of a variable: the node, the keys on the way, the conditions that it is there, the words."""

    node: n.Node
    keys: tuple[n.PickVar, ...]
    there: tuple[n.Node, ...]
    text: str

    def key(self, kind: Type) -> n.PickVar:
        return n.make(n.PickVar, kind, NOWHERE, f"at {len(self.keys)}")

    def component(self, kind: Type, place: int, name: str) -> _Part:
        node = n.make(n.Component, kind, NOWHERE, self.node, place)
        return _Part(node, self.keys, self.there, f"{self.text}.{name}")


_Test: TypeAlias = tuple[Mark, tuple[n.Node, ...], str]


def _tests(kind: Type, at: _Part) -> Iterator[_Test]:
    def test(node: n.Node, text: str, *more: n.PickVar) -> _Test:
        return Mark((*at.keys, *more)), (*at.there, node), text

    match kind:
        case Bool():
            yield test(at.node, at.text)
        case Int() if kind.cardinality <= MOST_VALUES:
            for value in range(kind.low + 1, kind.high + 1):
                yield test(comparison(n.Le, as_node(value), at.node), f"{at.text} >= {value}")
        case Int() if kind.cardinality <= MOST_KEYS:
            key = at.key(Int(kind.low + 1, kind.high))
            yield test(comparison(n.Le, key, at.node), f"{at.text} >= *", key)
        case Sort():
            key = at.key(kind)
            yield test(equality(at.node, key), f"{at.text} = *", key)
        case Named() if kind.cardinality <= MOST_VALUES:
            for value in kind.values():
                same = equality(at.node, n.make(n.Const, kind, NOWHERE, value))
                yield test(same, f"{at.text} = {value}")
        case Set():
            key = at.key(kind.item)
            yield test(n.make(n.Member, BOOL, NOWHERE, key, at.node), f"* in {at.text}", key)
        case Union():
            for tag, _ in kind.variants:
                yield test(n.make(n.IsVariant, BOOL, NOWHERE, at.node, tag), f"{at.text} is {tag}")
        case Option():
            there = n.make(n.IsSome, BOOL, NOWHERE, at.node)
            yield test(there, f"{at.text} # None")
            inner = n.make(n.Get, kind.item, NOWHERE, at.node)
            yield from _tests(kind.item, _Part(inner, at.keys, (*at.there, there), f"{at.text}.value"))
        case _:
            for part_kind, part in _parts(kind, at):
                yield from _tests(part_kind, part)


def _parts(kind: Type, at: _Part) -> Iterator[tuple[Type, _Part]]:
    """The parts of a part of some structure, with their types."""
    match kind:
        case Seq():
            length = Int(0, kind.capacity)
            size = n.make(n.Len, length, NOWHERE, at.node)
            yield length, _Part(size, at.keys, at.there, f"Len({at.text})")
        case Map():
            key = at.key(kind.key)
            inner = n.make(n.Apply, kind.value, NOWHERE, at.node, key)
            yield kind.value, _Part(inner, (*at.keys, key), at.there, f"{at.text}[*]")
        case Record():
            for place, (name, part) in enumerate(kind.fields):
                yield part, at.component(part, place, name)
        case Tuple():
            for place, part in enumerate(kind.items):
                yield part, at.component(part, place, str(place + 1))


# -- the guess -----------------------------------------------------------------------------------------


class Moves:
    """The predicates that observed steps move, and each way.

    Args:
        product: the product whose steps are observed.
    """

    def __init__(self, product: Product) -> None:
        self._variables = product.variables
        self._predicates = list(predicates(product.variables))
        places = {one.name: place for place, one in enumerate(product.variables)}
        self._own: list[list[tuple[int, Callable[[State, Any], Any]]]] = [[] for _ in product.variables]
        for number, one in enumerate(self._predicates):
            function = function_of(one.mark.value(one.node), places)
            self._own[places[one.variable]].append((number, function))
        self._known: dict[tuple[int, Any, Any], tuple[int, int]] = {}
        self._seen: set[tuple[int, int]] = set()

    def look(self, steps: ProductSteps, states: Iterable[State], seconds: float) -> None:
        """Observe all steps from some states; from the first ones only, where that takes too many seconds."""
        until = time.process_time() + seconds
        for state in states:
            if time.process_time() > until:
                break
            found = (one for several in steps.of(state) for one in several if one is not None)
            for after in {one[: steps.size] for one in found}:
                self.observe(state, after)

    def observe(self, before: State, after: State) -> None:
        """Observe a step."""
        rising, falling = self._between(before, after)
        if rising or falling:
            self._seen.add((rising, falling))

    def moving(self, settling: Settling) -> Moving:
        """Whether a step from a state to another moves one of some predicates, and against their ways."""
        numbers = {one.text: number for number, one in enumerate(self._predicates)}
        ways = [[(1 << numbers[one.predicate.text], one.rises) for one in level] for level in settling]
        levels = [(sum(x for x, up in some if up), sum(x for x, up in some if not up)) for some in ways]

        def moves(before: State, after: State) -> tuple[bool, bool]:
            rising, falling = self._between(before, after)
            for up, down in levels:
                if (rising | falling) & (up | down):
                    return True, bool(rising & down or falling & up)
            return False, False

        return moves

    def _between(self, before: State, after: State) -> tuple[int, int]:
        """The predicates that a step moves up, and those that it moves down, as bits."""
        rising = falling = 0
        for place in range(len(self._variables)):
            if before[place] != after[place]:
                rises, falls = self._moved(place, before, after)
                rising, falling = rising | rises, falling | falls
        return rising, falling

    def _moved(self, place: int, before: State, after: State) -> tuple[int, int]:
        """The predicates over a variable that a step moves up, and those that it moves down, as bits."""
        key = place, before[place], after[place]
        if key not in self._known:
            rises = falls = 0
            for number, function in self._own[place]:
                for old, new in zip(flat(function(before, {})), flat(function(after, {})), strict=True):
                    rises |= (new and not old) << number
                    falls |= (old and not new) << number
            self._known[key] = rises, falls
        return self._known[key]

    def settling(self) -> Settling:
        """The levels of predicates that settle, if the steps observed are all that there are.

        Of each level only so many that each step which moves one of the level moves one of these.
        """
        left, levels = list(self._seen), list[tuple[Settled, ...]]()
        while True:
            rising = falling = 0
            for rises, falls in left:
                rising, falling = rising | rises, falling | falls
            one_way = rising ^ falling
            if not one_way:
                return tuple(levels)
            numbers = _cover([(rises | falls) & one_way for rises, falls in left])
            levels.append(tuple(Settled(self._predicates[i], bool(rising >> i & 1)) for i in numbers))
            left = [(rises, falls) for rises, falls in left if not (rises | falls) & one_way]


def _cover(sets: Iterable[int]) -> list[int]:
    """A few numbers of which each set, given as bits, has one, unless it is empty."""
    left, chosen = [x for x in sets if x], list[int]()
    while left:
        count = Counter(i for x in left for i in range(x.bit_length()) if x >> i & 1)
        best = max(count, key=lambda i: (count[i], -i))
        chosen.append(best)
        left = [x for x in left if not x >> best & 1]
    return sorted(chosen)
